"""What comes of comparing two outputs."""

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
    """A URL that leads nowhere now.

    Attributes:
        url: below the base.
        kind: of what was found there.
        reason: ``missing``; ``no-feed``: something else is there; ``leads-nowhere`` and ``loop``: what a redirect does.
        led_to: where it led as a redirect of the old output; empty when it was none.
        near: a URL of the new output that is likely meant; empty when none is.
        near_by: what makes it likely: ``case``, ``form`` (``/a.html`` and ``/a/``), or the same ``title``.
        excuse: why it may go; empty when the new output may not replace the old one because of it. ``theme``: it is an
            asset; ``first-page``: it led from a list's ``page/1/`` to the list, which is still there; ``accepted``: the
            user has said so.
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
    """A URL that leads to another one now; ``inside`` says whether to one of the new output."""

    url: str
    kind: Kind
    to: str
    inside: bool = True


class Differs(msgspec.Struct, frozen=True):
    """A title, date, or goal of a redirect that is not what it was."""

    url: str
    old: str
    new: str


class OtherAuthors(msgspec.Struct, frozen=True):
    """Authors that are not who they were."""

    url: str
    old: tuple[str, ...]
    new: tuple[str, ...]


class Anchors(msgspec.Struct, frozen=True):
    """Ids of headings to which links of others can lead, and which the new page lacks."""

    url: str
    lost: tuple[str, ...]


class Entry(msgspec.Struct, frozen=True):
    """An entry of a feed under another id, which readers take for a new one."""

    link: str
    old: str
    new: str


class FeedChange(msgspec.Struct, frozen=True):
    """A feed whose entries are not the same.

    Attributes:
        url: of the feed.
        old_format: ``RSS``, ``Atom`` or ``JSON``.
        new_format: the same, of the new one.
        same: how many entries are in both under one id.
        changed: those that are in both under two ids.
        only_old: how many are in the old one only. Readers keep what they have, so that a shorter feed is no harm.
        only_new: how many are in the new one only.
    """

    url: str
    old_format: str
    new_format: str
    same: int
    changed: tuple[Entry, ...]
    only_old: int
    only_new: int


class Compared(msgspec.Struct, frozen=True):
    """On how many pages, or in how many feeds, both sides said something that could be compared."""

    title: int = 0
    date: int = 0
    authors: int = 0
    anchors: int = 0
    feeds: int = 0


class Comparison(msgspec.Struct, frozen=True):
    """Two outputs side by side. All lists are in the order of their URLs.

    Attributes:
        old: the name of the old output.
        new: the name of the new output.
        urls_only: whether of the old one only its addresses are known.
        old_urls: all of the old output, by kind.
        new_urls: all of the new output, by kind.
        kept: those in both, by kind.
        lost: those that lead nowhere now.
        redirected: those that lead to another one now.
        added: those of the new output only.
        compared: what could be compared at all.
        titles: that differ.
        dates: that differ, by day.
        authors: that differ.
        anchors: that vanished.
        feeds: whose entries differ.
        redirects: of both outputs that lead to different places.
        diagnostics: what could not be looked at.
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
        """Whether a URL is lost that counts, or something was not compared that the site's owner calls an error."""
        return any(not lost.excuse for lost in self.lost) or any(one.severity == "error" for one in self.diagnostics)


def by_kind(kinds: Iterable[Kind]) -> dict[Kind, int]:
    """How many there are of each kind, with all kinds in their order."""
    counts = Counter(kinds)
    return {kind: counts[kind] for kind in KINDS}
