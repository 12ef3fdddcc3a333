"""Dialects: what content of other generators does otherwise than devlog's own, whose conventions are Hugo's.

The rest of devlog asks for a trait, never for a name: a new dialect is a value here, and code for what is new in it.
"""

from __future__ import annotations

import msgspec


class Dialect(msgspec.Struct, frozen=True):
    """What holds in a dialect.

    Attributes:
        is_foreign: whether it is another generator's: then lists that devlog makes give way to pages of the site, posts
            may decide where others belong, and old URLs count from the root.
        own_templates: whether `templates/` holds templates for devlog.
        authors_file: where the authors file is, below the content folder.
        underscored: whether names that begin with ``_`` or ``.`` are left out, and posts lie in ``_posts``.
        dated_folders: whether the date of a URL is that of the site's time zone, and plain pages keep their path.
        page_ending: what the URL of a page without a file name ends in.
        verbatim_topics: whether topics keep the names of their folders.
        bundles: whether an ``index`` makes a folder a post; else it is the page of the folder.
        at_in_names: whether what stands behind an ``@`` is no part of a name, and dates in names have all zeros.
        template_pages: whether a text may have a template in place of content.
        liquid: whether posts are Liquid before they are Markdown.
        kramdown: whether Markdown is kramdown's.
        zola_calls: whether shortcodes are written as Zola writes them.
        attributes: whether braces give blocks attributes, as in Goldmark.
        first_paragraph: whether the first paragraph alone is the excerpt.
        list_separator: what stands between the values of a list that is written as one text.
    """

    is_foreign: bool = True
    own_templates: bool = True
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
    "zola": Dialect(own_templates=False, verbatim_topics=True, at_in_names=True, template_pages=True, zola_calls=True),
}
"""By the name that `dialect` has in the configuration."""
