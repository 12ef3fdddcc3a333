"""Reads what a configuration of Hexo says of URLs and names: its posts are a folder of Markdown."""

from __future__ import annotations

from devlog.adopt.adoption import Draft
from devlog.adopt.common import configured_folder, other_slugs
from devlog.adopt.foreign import get, read_tree
from devlog.adopt.jekyll import translate
from devlog.adopt.survey import MARKDOWN, Survey
from devlog.model.diagnostic import Span
from devlog.report import count

FILES = ("_config.yml", "_config.yaml", "_config.json")
"""The names of the configuration of Hexo, some of which are those of Jekyll, too; it takes the first."""

_OWN = ("source_dir", "new_post_name")
_IN_PACKAGE = (("hexo",), ("dependencies", "hexo"), ("devDependencies", "hexo"))
_TOKENS = {
    ":year": ":year",
    ":month": ":month",
    ":i_month": ":i_month",
    ":day": ":day",
    ":i_day": ":i_day",
    ":post_title": ":title",
    ":category": ":categories",
}


def is_hexo(survey: Survey) -> bool:
    """Whether a site is one of Hexo: its package or configuration has keys of Hexo, or it has Hexo's folders."""
    file = survey.first(*FILES)
    if not file:
        return survey.has("hexo.config.js")
    if survey.has_folder("scaffolds") and survey.has_folder("source"):
        return True
    package, _ = read_tree(survey, "package.json")
    tree, _ = read_tree(survey, file)
    if any(get(package, path) for path in _IN_PACKAGE) or any(get(tree, (key,)) for key in _OWN):
        return True
    is_jekyll = survey.has("Gemfile") or survey.has_folder("_posts") or get(tree, ("source",))
    return survey.has_folder("source/_posts") and not is_jekyll


def adopt_hexo(draft: Draft, survey: Survey) -> None:
    """Convert the keys of Hexo that have counterparts. Only posts are adopted: pages are outside of their folder."""
    draft.text("title", ("title",))
    draft.text("description", ("description",), ("subtitle",))
    draft.language(("language",))
    draft.text("timezone", ("timezone",))
    draft.put(("tags", "also"), ("categories",), comment="categories of posts are tags")
    written = draft.take("source_dir")
    source = configured_folder(draft, written) or "source"
    folder = f"{source}/_posts"
    if not survey.has_folder(folder):
        return
    draft.put("content", folder, written, comment="the posts of Hexo")
    if len(survey.below(source)) > len(survey.below(folder)):
        draft.advise(f"only posts are adopted: pages and files elsewhere in {source}/ are not published")
    if files := [file for file in survey.beside(source) if not file.lower().endswith((*MARKDOWN, ".html"))]:
        what = "not published: put what belongs at the root of the site into the static folder"
        draft.advise(f"{count(len(files), 'file')} {what}", Span(files[0]))
    other_slugs(draft, survey, survey.below(folder, (*MARKDOWN, ".html")), "Hexo", "permalink")
    _permalink(draft)


def _permalink(draft: Draft) -> None:
    """Set the pattern of URLs, in which the title is the path of the file below the folder of posts."""
    names, found = draft.take("new_post_name"), draft.take("permalink")
    name = ":slug" if names and ":year" in names.text else ":name"
    if names and name == ":slug":
        draft.done(names, "the date in a file name is not part of the URL")
    tokens = {**_TOKENS, ":title": f":topic/{name}", ":name": name}
    usual = ":year/:month/:day/:title/"
    pattern, unknown = translate(found.text if found and found.text else usual, tokens)
    if unknown and found:
        words = ", ".join(f"“{token}”" for token in unknown)
        draft.leave(found, f"devlog has no {words} in URLs; give posts a “permalink”")
        return
    draft.put(("permalinks", "post"), pattern, found, "" if found else "Hexo's default")
