"""Dialects: how the content of other generators differs from devlog's own, which follows the conventions of Hugo.

The rest of devlog checks traits of a dialect, never its name. A new dialect is a value in this module, and code for its
new traits.
"""

from __future__ import annotations

import msgspec

APART = "devlog-theme"
"""The folder for the site's own parts of devlog's theme, where those of another generator have the usual names."""

APART_STATIC = "devlog-static"
"""The folder for files that are published unchanged, where another generator has the usual one for something else."""


class Dialect(msgspec.Struct, frozen=True):
    """The conventions of a dialect.

    Attributes:
        is_foreign: whether it is another generator's: then pages of the site replace lists that devlog generates, posts
            may decide where others belong, and old URLs are relative to the root.
        theme_folder: the folder with the site's own `templates/`, `i18n/` and `themes/`, unless it is configured.
        authors_file: the path of the authors file, relative to the content folder.
        underscored: whether names that begin with ``_`` or ``.`` are ignored, and posts are in ``_posts``.
        dated_folders: whether the date in a URL is in the site's time zone, and plain pages keep their path.
        page_ending: the ending of the URL of a page without a file name.
        verbatim_topics: whether topics keep the names of their folders.
        bundles: whether an ``index`` makes a folder a post; otherwise it is the page of the folder.
        at_in_names: whether the part of a name after an ``@`` is ignored, and dates in names must be zero-padded.
        template_pages: whether a source file may have a template instead of content.
        liquid: whether posts are processed as Liquid before they are parsed as Markdown.
        kramdown: whether Markdown is kramdown's.
        zola_calls: whether shortcodes have Zola's syntax.
        attributes: whether braces give attributes to blocks, as in Goldmark.
        first_paragraph: whether the excerpt is just the first paragraph.
        list_separator: the separator between the values of a list that is written as one string.
    """

    is_foreign: bool = True
    theme_folder: str = "."
    authors_file: str = "authors.yml"
    underscored: bool = False
    dated_folders: bool = False
    page_ending: str = "/"
    verbatim_topics: bool = False
    bundles: bool = True
    at_in_names: bool = False
    template_pages: bool = False
    liquid: bool = False
    kramdown: bool = False
    zola_calls: bool = False
    attributes: bool = False
    first_paragraph: bool = False
    list_separator: str = ","


DIALECTS = {
    "devlog": Dialect(is_foreign=False, attributes=True),
    "jekyll": Dialect(
        authors_file="_data/authors.yml",
        underscored=True,
        dated_folders=True,
        page_ending=".html",
        bundles=False,
        liquid=True,
        kramdown=True,
        first_paragraph=True,
        list_separator=" ",
    ),
    "zola": Dialect(theme_folder=APART, verbatim_topics=True, at_in_names=True, template_pages=True, zola_calls=True),
}
"""The dialects, by their names in the configuration."""
