"""Imports blogs that are part of a documentation site: those of Docusaurus, and of Material for MkDocs."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from devlog.adopt.adoption import Draft
from devlog.adopt.common import folder_of
from devlog.adopt.foreign import Found, get
from devlog.adopt.survey import MARKDOWN, Survey
from devlog.model.diagnostic import Span
from devlog.parse.front_matter.tree import Mapping, Scalar
from devlog.report import count

_SLUG = re.compile(r"\A---\n(?:(?!---\n).*\n)*?slug[ \t]*:", re.MULTILINE)
_DATED_FOLDERS = re.compile(r"blog/(?:.*/)?[0-9]{4}(?:/[0-9]{1,2}[/-]|-[0-9]{1,2}/)[0-9]{1,2}[/-].", re.DOTALL)
_LONGEST = 1000
"""How many characters an option may have."""
_DATE = {"yyyy": ":year", "MM": ":month", "M": ":i_month", "dd": ":day", "d": ":i_day"}
_FORMAT = {"slug": ":title", "file": ":name", "categories": ":categories"}


class Blog(NamedTuple):
    """A blog.

    Attributes:
        folder: the folder with its posts.
        pattern: the pattern of their URLs.
        why: the origin of that pattern.
        authors: the authors file; empty if there is none.
    """

    folder: str
    pattern: str
    why: str
    authors: str = ""


def blog_of_docusaurus(draft: Draft, survey: Survey) -> Blog | None:
    """The blog of a Docusaurus site; `None` if it has none.

    In Docusaurus, a ``slug`` replaces the whole path below the blog's URL, and not only its last segment.
    """
    texts = survey.below("blog", MARKDOWN)
    if not texts:
        return None
    dated = [path for path in texts if _DATED_FOLDERS.match(path)]
    if dated:
        least = f"{count(len(dated), 'post')} with the date in the names of folders"
        draft.advise(f"{least}, which devlog does not read: give such posts a “date” and a “url”", Span(dated[0]))
    named = [path for path in texts if _SLUG.match(survey.head(path))]
    has_slugs = len(named) * 2 >= len(texts)
    others = len(texts) - len(named) if has_slugs else len(named)
    if others:
        least = f"{count(others, 'post')} {'without' if has_slugs else 'with'} “slug” in blog/"
        draft.advise(f"{least} had a different kind of URL: give such posts a “url”")
    if has_slugs:
        return Blog("blog", "/blog/:slug/", "Docusaurus's default for posts with a “slug”")
    return Blog("blog", "/blog/:year/:month/:day/:slug/", "Docusaurus's default")


def blog_of_material(draft: Draft, survey: Survey, docs: str) -> Blog | None:
    """The blog of a site with Material for MkDocs; `None` if it has none.

    Args:
        draft: the draft with the old configuration.
        survey: the files of the site.
        docs: the folder of all source files.
    """
    plugins = draft.take("plugins")
    has_posts = cache(lambda folder: bool(survey.below(folder, MARKDOWN)))  # many items may name one folder
    for item in plugins.items if plugins else ():
        is_name = isinstance(item, Scalar) and item.text in ("blog", "material/blog")
        entry = item.entries[0] if isinstance(item, Mapping) and item.entries else None
        if not is_name and not (entry and entry.key.text in ("blog", "material/blog")):
            continue
        options = entry.value if entry else item
        own = folder_of(_option(options, "blog_dir", "blog"))
        inside = _option(options, "post_dir", "{blog}/posts").replace("{blog}", own).strip("/")
        folder = folder_of(f"{docs}/{inside}")
        if plugins and has_posts(folder):
            draft.done(Found("plugins: blog", plugins.span, item), f"content = “{folder}”")
            authors = _option(options, "authors_file", "{blog}/.authors.yml").replace("{blog}", own).strip("/")
            return Blog(folder, _pattern(options, own), "the blog's default", survey.first(f"{docs}/{authors}"))
    return None


def _option(options: object, name: str, usual: str) -> str:
    """The text of an option; the usual one if it is not set or too long: one may contain another many times."""
    found = get(options, (name,)) if isinstance(options, Mapping) else None
    return found.text if found and 0 < len(found.text) <= _LONGEST else usual


def _pattern(options: object, folder: str) -> str:
    date = re.sub(
        "y+|M+|d+",
        lambda found: _DATE.get(found[0], found[0]),
        _option(options, "post_url_date_format", "yyyy/MM/dd"),
    )
    known = {**_FORMAT, "date": date}
    path = re.sub(
        r"\{(\w+)\}", lambda found: known.get(found[1], ""), _option(options, "post_url_format", "{date}/{slug}")
    )
    return "/" + "/".join(part for part in (folder, path.strip("/")) if part) + "/"
