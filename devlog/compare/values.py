"""The values that describe the result of a comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal

import msgspec

from devlog.compare.tree import Kind
from devlog.model.diagnostic import Diagnostic

KINDS: tuple[Kind, ...] = ("page", "list", "feed", "file", "asset")
Reason = Literal["missing", "no-feed", "leads-nowhere", "loop"]
Excuse = Literal["", "theme", "first-page", "accepted"]
NearBy = Literal["", "case", "form", "title"]


class Lost(msgspec.Struct, frozen=True):
    """A URL of the old output that does not work in the new one.

    Attributes:
        url: the path below the base.
        kind: the kind of the old file.
        reason: ``missing``; ``no-feed``: the new file is not a feed; ``leads-nowhere``: the target of its new redirect
            does not exist; ``loop``: its new redirects form a loop.
        led_to: the target of its redirect in the old output; empty if it was not a redirect.
        near: a similar URL of the new output; empty if there is none.
        near_by: the similarity: ``case``, ``form`` (``/a.html`` and ``/a/``), or the same ``title``.
        excuse: the reason why it may be lost; if empty, the comparison fails. ``theme``: it is an asset of the theme;
            ``first-page``: it redirected from ``page/1/`` of a list to the list, which still exists; ``accepted``: it
            matches a pattern that the user accepts.
    """

    url: str
    kind: Kind
    reason: Reason = "missing"
    led_to: str = ""
    near: str = ""
    near_by: NearBy = ""
    excuse: Excuse = ""


class Found(msgspec.Struct, frozen=True):
    """A URL of one output, and its kind."""

    url: str
    kind: Kind


class Moved(msgspec.Struct, frozen=True):
    """A URL that redirects to another one now; `inside`: whether its target is in the new output."""

    url: str
    kind: Kind
    to: str
    inside: bool = True


class Differs(msgspec.Struct, frozen=True):
    """A title, date or redirect target that has changed."""

    url: str
    old: str
    new: str


class OtherAuthors(msgspec.Struct, frozen=True):
    """Authors that have changed."""

    url: str
    old: tuple[str, ...]
    new: tuple[str, ...]


class Anchors(msgspec.Struct, frozen=True):
    """Ids of headings that the new page lacks, and to which other sites may link."""

    url: str
    lost: tuple[str, ...]


class Entry(msgspec.Struct, frozen=True):
    """An entry of a feed whose id has changed, so that feed readers show it as new."""

    link: str
    old: str
    new: str


class FeedChange(msgspec.Struct, frozen=True):
    """A feed whose entries have changed.

    Attributes:
        url: the URL of the feed.
        old_format: ``RSS``, ``Atom`` or ``JSON``.
        new_format: the same for the new feed.
        same: the number of entries that are in both with the same id.
        changed: the entries that are in both with different ids.
        only_old: the number of entries only in the old feed. Readers keep old entries, so a shorter feed is harmless.
        only_new: the number of entries only in the new feed.
    """

    url: str
    old_format: str
    new_format: str
    same: int
    changed: tuple[Entry, ...]
    only_old: int
    only_new: int


class Compared(msgspec.Struct, frozen=True):
    """The number of pages, or feeds, for which both sides have a value to compare, by kind of value."""

    title: int = 0
    date: int = 0
    authors: int = 0
    anchors: int = 0
    feeds: int = 0


class Comparison(msgspec.Struct, frozen=True):
    """The result of a comparison. All lists are sorted by URL.

    Attributes:
        old: the name of the old output.
        new: the name of the new output.
        urls_only: whether only the URLs of the old output are known.
        old_urls: the number of URLs in the old output, by kind.
        new_urls: the number of URLs in the new output, by kind.
        kept: the number of URLs in both, by kind.
        lost: the URLs that do not work any more.
        redirected: the URLs that redirect to another one now.
        added: the URLs only in the new output.
        compared: the number of pages and feeds that could be compared.
        titles: the changed titles.
        dates: the publication dates with a changed day.
        authors: the changed authors.
        anchors: the lost anchors.
        feeds: the feeds with changed entries.
        redirects: the redirects in both outputs with different targets.
        diagnostics: the problems, such as files that could not be compared.
    """

    old: str
    new: str
    urls_only: bool
    old_urls: dict[Kind, int]
    new_urls: dict[Kind, int]
    kept: dict[Kind, int]
    lost: tuple[Lost, ...] = ()
    redirected: tuple[Moved, ...] = ()
    added: tuple[Found, ...] = ()
    compared: Compared = Compared()
    titles: tuple[Differs, ...] = ()
    dates: tuple[Differs, ...] = ()
    authors: tuple[OtherAuthors, ...] = ()
    anchors: tuple[Anchors, ...] = ()
    feeds: tuple[FeedChange, ...] = ()
    redirects: tuple[Differs, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether a URL is lost without an excuse, or a problem has the configured severity of an error."""
        return any(not lost.excuse for lost in self.lost) or any(one.severity == "error" for one in self.diagnostics)


def by_kind(kinds: Iterable[Kind]) -> dict[Kind, int]:
    """The number of items of each kind, with all kinds in their fixed order."""
    counts = Counter(kinds)
    return {kind: counts[kind] for kind in KINDS}
