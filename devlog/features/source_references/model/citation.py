"""Citations: places in a project's own source that posts refer to, and their current state in a checkout."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, NamedTuple

import msgspec

from devlog.features.source_references.model.mention import Mention
from devlog.features.source_references.model.repository import Repository
from devlog.model.diagnostic import Diagnostic
from devlog.model.post_note import PostNote

State = Literal["unchanged", "moved", "changed", "gone", "unknown", "unread", "unchecked"]
"""The state of a cited place. It is ``unknown`` if the checkout does not show how it was or how it is now, and
``unread`` if it is in a file that is too long."""

TRUNKS = frozenset({"HEAD", "main", "master", "trunk", "develop"})
"""Possible names of the branch that is checked out: it may be renamed, while links keep the old name."""

_FILE = re.compile(r"(?P<file>[^#]+?)(?:#L(?P<first>[0-9]{1,9})(?:-L?(?P<last>[0-9]{1,9}))?)?")


class Spot(NamedTuple):
    """A range of lines of a file, counted from 1; `first` is 0 for the whole file."""

    file: str
    first: int = 0
    last: int = 0

    def __str__(self) -> str:
        """The form for readers: ``src/a.py``, ``src/a.py:3`` or ``src/a.py:3-8``."""
        lines = f":{self.first}-{self.last}" if self.last > self.first else f":{self.first}" if self.first else ""
        return f"{self.file}{lines}"


class CitedSource(NamedTuple):
    """A cited place: a spot, and the commit, release or branch in the URL."""

    spot: Spot
    ref: str


class Found(msgspec.Struct, frozen=True, array_like=True):
    """The current state of a cited place.

    Attributes:
        state: the state.
        then: the commit in which it is as the post means it.
        file: its current file if it has moved, or the same file if its lines have changed.
        first: its current first line; 0 if that is unknown.
        last: its current last line.
        now: the newest commit that changed this file, or else the commit that is checked out.
    """

    state: State
    then: str = ""
    file: str = ""
    first: int = 0
    last: int = 0
    now: str = ""


class Cited(msgspec.Struct, frozen=True):
    """A place that a post cites.

    Attributes:
        source: the place as cited.
        line: the line of the first citation in the post.
        url: the URL of the link in the post.
        found: the current state of the place.
        old_url: the URL that shows it as it was; empty if it has not changed.
        new_url: the URL that shows it as it is now; empty if it is gone or has not changed.
    """

    source: CitedSource
    line: int
    url: str
    found: Found
    old_url: str = ""
    new_url: str = ""


class Definition(msgspec.Struct, frozen=True):
    """The location of a symbol's definition, and a permanent URL of it that includes a commit."""

    file: str
    line: int
    url: str


class Sources(msgspec.Struct, frozen=True):
    """The state of the source that posts cite, from a checkout of the project.

    Attributes:
        cited: the places that each post cites, by its path, in order, without duplicates and without places whose
            state is unknown, unread or unchecked.
        symbols: the symbols that the checkout defines, by the names that posts use for them.
        problems: why the checkout could not be asked, or what was not checked.
        asked: the names of commits that posts cite; `None` if no checkout is asked.
        answers: a digest of the answers for these names, which changes if any answer of the checkout may change. It is
            empty if the checkout did not answer, since it may do so at any time.
        notes: notes on the posts that cite something.
    """

    cited: Mapping[str, tuple[Cited, ...]] = {}
    symbols: Mapping[str, Definition] = {}
    problems: tuple[Diagnostic, ...] = ()
    asked: tuple[str, ...] | None = None
    answers: str = ""
    notes: Mapping[str, PostNote] = {}


def cited_source(mention: Mention, repository: Repository) -> CitedSource | None:
    """The place that a mention cites; `None` if it is not a file of the repository."""
    ref = repository.ref_of(mention.url) if mention.kind == "file" else ""
    read = _FILE.fullmatch(mention.id) if ref else None
    if read is None:
        return None
    first = int(read["first"] or 0)
    return CitedSource(Spot(read["file"], first, max(first, int(read["last"] or first))), ref)


def permalink(repository: Repository, commit: str, spot: Spot) -> str:
    """The URL of a place in a commit."""
    first, last = (str(line) if line else "" for line in (spot.first, spot.last))
    return repository.file(spot.file, first, last, commit).url
