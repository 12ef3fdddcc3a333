"""Imports blogs that are part of a documentation site with Material for MkDocs."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from devlog.adopt.adoption import Draft
from devlog.adopt.common import folder_of, other_slugs, slug_is_last
from devlog.adopt.foreign import Found, get, read_head
from devlog.adopt.mkdocs import named, options
from devlog.adopt.survey import MARKDOWN, Survey
from devlog.model.diagnostic import Span
from devlog.report import count

_LONGEST = 1000
"""How many characters an option may have."""
_DATE = {"yyyy": ":year", "MM": ":month", "M": ":i_month", "dd": ":day", "d": ":i_day"}
_FORMAT = {"slug": ":title", "file": ":name", "categories": ":categories"}
_URL_FORMAT = "post_url_format"
_TOKEN = re.compile(r"\{(\w+)\}")


class Blog(NamedTuple):
    """A blog.

    Attributes:
        folder: the folder with its posts.
        pattern: the pattern of their URLs.
        why: the origin of that pattern.
        authors: the authors file; empty if there is none.
        plugin: the plugin that generated it, if there is one.
        page: the pattern of the URLs of pages; empty for devlog's default.
    """

    folder: str
    pattern: str
    why: str
    authors: str = ""
    plugin: Found | None = None
    page: str = ""


def blog_of_material(draft: Draft, survey: Survey, docs: str) -> Blog | None:
    """The blog of a site with Material for MkDocs; `None` if it has none.

    Args:
        draft: the draft with the old configuration.
        survey: the files of the site.
        docs: the folder of all source files.
    """
    has_posts = cache(lambda folder: bool(survey.below(folder, MARKDOWN)))  # many items may name one folder
    for name, plugin in named(draft.take("plugins")):
        if name not in ("blog", "material/blog"):
            continue
        own = folder_of(_option(plugin, "blog_dir", "blog"))
        inside = _option(plugin, "post_dir", "{blog}/posts").replace("{blog}", own).strip("/")
        folder = folder_of(f"{docs}/{inside}")
        if has_posts(folder):
            authors = _option(plugin, "authors_file", "{blog}/.authors.yml").replace("{blog}", own).strip("/")
            why = f"{plugin.key}.{_URL_FORMAT}" if get(plugin.node, (_URL_FORMAT,)) else "the blog's default"
            blog = Blog(folder, _pattern(plugin, own), why, survey.first(f"{docs}/{authors}"), plugin)
            _report(draft, survey, blog, plugin)
            return blog
    return None


def _option(plugin: Found, name: str, usual: str) -> str:
    """The text of an option; the usual one if it is not set or too long: one may contain another many times."""
    found = get(plugin.node, (name,))
    return found.text if found and 0 < len(found.text) <= _LONGEST else usual


def _format(plugin: Found) -> str:
    return _option(plugin, _URL_FORMAT, "{date}/{slug}")


def _most_categories(plugin: Found) -> int:
    """How many categories of a post its URL has."""
    found = get(plugin.node, ("post_url_max_categories",))
    return found.number if found and found.number is not None else 1


def _pattern(plugin: Found, folder: str) -> str:
    date = re.sub(
        "y+|M+|d+",
        lambda found: _DATE.get(found[0], found[0]),
        _option(plugin, "post_url_date_format", "yyyy/MM/dd"),
    )
    known = {**_FORMAT, "date": date}
    if _most_categories(plugin) < 1:
        known["categories"] = ""
    path = _TOKEN.sub(lambda found: known.get(found[1], ""), _format(plugin))
    return "/" + "/".join(part for part in (folder, *path.split("/")) if part) + "/"


def _report(draft: Draft, survey: Survey, blog: Blog, plugin: Found) -> None:
    """Report the options of a blog, and the posts that have other URLs than before."""
    draft.done(plugin, f"content = “{blog.folder}”")
    used = dict.fromkeys(("blog_dir", "post_dir"), f"content = “{blog.folder}”")
    used |= dict.fromkeys(
        (_URL_FORMAT, "post_url_date_format", "post_url_max_categories"), f"permalinks.post = “{blog.pattern}”"
    )
    if blog.authors:
        used["authors_file"] = "[authors]"
    options(draft, plugin, used.items())
    pattern, most = _format(plugin), _most_categories(plugin)
    files = survey.below(blog.folder, MARKDOWN)
    if not slug_is_last(pattern, _TOKEN, ("slug",)):
        other_slugs(draft, survey, files, f"“{pattern}”")
    if most > 0 and "{categories}" in pattern:
        found = [file for file in files if _categories(survey, file) > most]
        if found:
            draft.advise(
                f"{count(len(found), 'post')} with more categories than the old URL has ({most}), "
                "of which devlog's has all: give such posts a “url”",
                Span(found[0]),
            )


def _categories(survey: Survey, file: str) -> int:
    found = get(read_head(survey, file), ("categories",))
    return len(found.texts) if found else 0
