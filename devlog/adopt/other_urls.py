"""Reports the URLs that change for generators whose URLs are the paths of files: no setting of devlog keeps these."""

from __future__ import annotations

import posixpath

from devlog.adopt import docusaurus
from devlog.adopt.adoption import Draft
from devlog.adopt.foreign import get, read_head
from devlog.adopt.ignoring import content_of, ignored_paths, path_inside
from devlog.adopt.mkdocs import FLAT
from devlog.adopt.survey import MARKDOWN, Survey
from devlog.assemble.urls import topic_permalink
from devlog.config import Permalinks
from devlog.model.diagnostic import Span
from devlog.parse.front_matter.dates import date_from_name
from devlog.parse.front_matter.schema import SPELLINGS
from devlog.parse.front_matter.tree import Mapping
from devlog.report import count

_POST = ("permalinks", "post")
_OWN = {
    "Eleventy": ("permalink",),
    "Hexo": ("permalink", "slug"),  # where its slugs differ, other_slugs reports it
    "Jupyter Book": (),
    "MkDocs": (),
    "VitePress": (),
    "VuePress": ("permalink",),
    "mdBook": (),
}
"""The keys of front matter that set the URL, by generator. The names of files are in URLs as they are, unlike devlog's,
which are in lower case and without blanks.
"""
_OF_BLOGS = ("slug",)
"""The same for the plugin ``blog`` of Material for MkDocs."""
_KEYS = tuple(key for field in ("url", "slug") for key in SPELLINGS[field].split())
"""The keys that set the URL in devlog; the first that is set counts."""


def changed_urls(draft: Draft, survey: Survey, generator: str) -> None:
    """Report the files with other URLs than before, because of their front matter or their names.

    Args:
        draft: receives the notes; what to ignore and the patterns of URLs are set.
        survey: the files of the site.
        generator: the name of the generator.
    """
    if generator not in (*_OWN, "Docusaurus"):
        return
    content, is_ignored = content_of(draft), ignored_paths(draft)
    files = [file for file in survey.below(content, MARKDOWN) if not is_ignored(path_inside(file, content))]
    if generator == "Docusaurus" and content == docusaurus.FOLDER:
        docusaurus.changed_posts(draft, survey, files)
    if generator not in _OWN:  # the documentation of Docusaurus
        return
    is_blog = generator == "MkDocs" and draft.setting(_POST) not in (None, FLAT)
    own = _OF_BLOGS if is_blog else _OWN[generator]
    keys = {file: key for file in files if (key := _key(read_head(survey, file)))}
    _report_keys(draft, generator, {file: key for file, key in keys.items() if key not in own})
    _report_names(draft, generator, [file for file in files if file not in keys], own)


def _key(head: Mapping) -> str:
    """The key that sets the URL in devlog; empty if there is none."""
    found = ((key, get(head, (key,))) for key in _KEYS)
    return next((key for key, value in found if value and value.text), "")


def _report_keys(draft: Draft, generator: str, keys: dict[str, str]) -> None:
    if keys:
        *most, last = (f"“{key}”" for key in sorted(set(keys.values())))
        names = f"{', '.join(most)} or {last}" if most else last
        draft.advise(
            f"{count(len(keys), 'file')} with a URL from {names}, unlike in {generator}: remove this key, or give such "
            "files their old URL as “url”",
            Span(next(iter(keys))),
        )


def _report_names(draft: Draft, generator: str, files: list[str], own: tuple[str, ...]) -> None:
    pattern = str(draft.setting(_POST) or Permalinks().post)
    if ":name" not in pattern and ":slug" not in pattern:
        return
    content = content_of(draft)
    paths = ((file, _paths(generator, path_inside(file, content), pattern)) for file in files)
    changed = [(file, old, new) for file, (old, new) in paths if old and old != new]
    if changed:
        file, old, new = changed[0]
        draft.advise(
            f"{count(len(changed), 'file')} with another path in URLs than in {generator}, such as “{new}” instead of "
            f"“{old}”: give such files a “{'permalink' if 'permalink' in own else 'url'}”",
            Span(file),
        )


def _paths(generator: str, path: str, pattern: str) -> tuple[str, str]:
    """What the path of a file becomes in URLs of the old generator and of devlog, as far as devlog's pattern has it."""
    folder, name = posixpath.split(posixpath.splitext(path)[0])
    above = folder if ":topic" in pattern else posixpath.basename(folder) if name == "index" else ""
    plain = date_from_name(name)[1] if ":slug" in pattern else name
    own = posixpath.join(above, plain)
    is_of_folder = name == "index" and generator != "Hexo"
    is_twin = generator == "Eleventy" and name == posixpath.basename(folder)  # it is the page of its folder, too
    return (above if is_of_folder or is_twin else own), topic_permalink(above if name == "index" else own).strip("/")
