"""The records of the search index, and its location."""

from __future__ import annotations

import msgspec

FOLDER = "pagefind/"
"""The folder of the index, relative to the output folder: the name that hosts and other programs expect."""

PAGE = "/search/"
"""The permalink of the search page."""

TEMPLATE = "search.html"
"""The template of the search page: a theme without it has no search."""


class Record(msgspec.Struct, frozen=True, array_like=True):
    """A searchable post or page, with everything that search results show.

    Attributes:
        url: the URL from the site's root, without the base path.
        title: the title of the post or page.
        body: the digest of its `Body`.
        date: the date, as ``2026-05-15``; empty for pages.
        topic: the title of the topic; empty outside topics.
        authors: the names of the authors.
        tags: the tags, in the spelling of their first use.
        status: one of `devlog.features.supersession.model.provenance.STATUSES`, or empty.
        transcript: the digest of the `Body` of a transcript in a file of its own; empty for most.
        text: the text of a page that a plugin plans, which has no body.
        shown_date: the date in the form of the site.
        language: the language tag of a post that is not in the language of the site; else empty.
        size: about how many bytes of text it has.
    """

    url: str
    title: str
    body: str
    date: str = ""
    topic: str = ""
    authors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    status: str = ""
    transcript: str = ""
    text: str = ""
    shown_date: str = ""
    language: str = ""
    size: int = 0
