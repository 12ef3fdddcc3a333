"""What readers can search: one record for each text, and where its index lies."""

from __future__ import annotations

import msgspec

FOLDER = "pagefind/"
"""The folder of the index, relative to the output folder: the name that hosts and other programs know."""

PAGE = "/search/"
"""The permalink of the page that searches."""


class Record(msgspec.Struct, frozen=True, array_like=True):
    """A text that can be found, and all that its results show.

    Attributes:
        url: from the site's root, whatever its base path.
        title: of the post or page.
        body: the digest of its `Body`.
        date: as ``2026-05-15``; empty for pages.
        topic: its title; empty outside topics.
        authors: their names.
        tags: as their first writers spelled them.
        status: one of `devlog.features.supersession.model.provenance.STATUSES`, or empty.
        transcript: the digest of the `Body` of what is spoken in it, where that is another text; empty for most.
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
