"""Citations: places in a project's own source that texts speak of, and what a checkout knows of them now."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple

import msgspec

from devlog.features.source_references.model.mention import Mention
from devlog.features.source_references.model.repository import Repository
from devlog.model.diagnostic import Diagnostic
from devlog.model.post_note import PostNote

State = Literal["unchanged", "moved", "changed", "gone", "unknown", "unread"]
"""What has become of a cited place. It is unknown where the checkout does not tell how it was, or how it is, and unread
in a file that is too long."""

TRUNKS = frozenset({"HEAD", "main", "master", "trunk", "develop"})
"""What the branch may be called that a checkout has checked out: names change, and links keep the old one."""

_FILE = re.compile(r"(?P<file>[^#]+?)(?:#L(?P<first>[0-9]{1,9})(?:-L?(?P<last>[0-9]{1,9}))?)?")


class Spot(NamedTuple):
    """Lines of a file, counted from 1; `first` is 0 for the whole of it."""

    file: str
    first: int = 0
    last: int = 0

    def __str__(self) -> str:
        """As readers see it: ``src/a.py``, ``src/a.py:3`` or ``src/a.py:3-8``."""
        lines = f":{self.first}-{self.last}" if self.last > self.first else f":{self.first}" if self.first else ""
        return f"{self.file}{lines}"


class CitedSource(NamedTuple):
    """What a text cites: a spot, and the commit, release or branch that its address names."""

    spot: Spot
    ref: str


class Found(msgspec.Struct, frozen=True, array_like=True):
    """What has become of a cited place.

    Attributes:
        state: of it.
        then: the commit in which it is what the text means.
        file: where it is now, if it has moved; the same file if its lines have changed.
        first: the first of its lines now; 0 where these are not known.
        last: the last of them.
        now: the newest commit that changed this file, or is the first that can be told.
    """

    state: State
    then: str = ""
    file: str = ""
    first: int = 0
    last: int = 0
    now: str = ""


class Cited(msgspec.Struct, frozen=True):
    """A place that a text cites.

    Attributes:
        source: as cited.
        line: of the text, on which it is cited first.
        url: that stands for it in the text.
        found: what has become of it.
        old_url: where it is to be seen as it was; empty for one that has not changed.
        new_url: where it is to be seen now, if it is to be seen at all and not where it was.
    """

    source: CitedSource
    line: int
    url: str
    found: Found
    old_url: str = ""
    new_url: str = ""


class Definition(msgspec.Struct, frozen=True):
    """Where a symbol is defined, and the address of that place in a commit that stays."""

    file: str
    line: int
    url: str


class Sources(msgspec.Struct, frozen=True):
    """What a checkout of the project knows of what texts speak of.

    Attributes:
        cited: the places that each text cites, by its path, in order, each once; not those that are unknown or unread.
        symbols: the symbols that the checkout defines, by the names that texts have for them.
        problems: why the checkout could not be asked, or what was not looked at.
        asked: the names of commits that the texts cite; `None` where no checkout is asked.
        answers: what comes of asking for these names: another text when the checkout may answer anything
            differently. It is empty where the checkout did not answer, since it may do so at any time.
        notes: on the texts that cite something.
    """

    cited: Mapping[str, tuple[Cited, ...]] = {}
    symbols: Mapping[str, Definition] = {}
    problems: tuple[Diagnostic, ...] = ()
    asked: tuple[str, ...] | None = None
    answers: str = ""
    notes: Mapping[str, PostNote] = {}


def cited_source(mention: Mention, repository: Repository) -> CitedSource | None:
    """What a mention cites; `None` if that is no file of the repository."""
    ref = repository.ref_of(mention.url) if mention.kind == "file" else ""
    read = _FILE.fullmatch(mention.id) if ref else None
    if read is None:
        return None
    first = int(read["first"] or 0)
    return CitedSource(Spot(read["file"], first, max(first, int(read["last"] or first))), ref)


def permalink(repository: Repository, commit: str, spot: Spot) -> str:
    """The address of a place in a commit."""
    first, last = (str(line) if line else "" for line in (spot.first, spot.last))
    return repository.file(spot.file, first, last, commit).url
