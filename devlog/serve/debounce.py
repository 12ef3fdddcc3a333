"""Debouncing of file events: decides when a save is complete, from times that it is given, without clock or disk."""

from __future__ import annotations

from collections.abc import Container, Mapping
from enum import Enum, auto

import msgspec

from devlog.disk.read import TEXT_SUFFIXES
from devlog.serve.file_stats import Stamp

MANY = 3
"""If more files than this change at once, a program is changing them, not a person."""


class Delays(msgspec.Struct, frozen=True):
    """How many seconds without events must pass before changes of files count as complete.

    Attributes:
        closed: after a file was written and closed. The writer has to wait for this one.
        new: after a new source file was written and closed: some programs write under another name first, and then
            move the file.
        open: while a file is not closed yet, and after any other new file.
        many: after more than a few files.
        gone: after a file was deleted or emptied, as editors do for a moment before they write it again.
        git: after git has released its lock, since a rebase takes it again for every commit.
        longest: limit from the first event, after which changes are reported even if more events keep coming.
        longest_git: the same limit while git is running, in case a killed git has left its lock behind.
    """

    closed: float = 0.015
    new: float = 0.03
    open: float = 0.1
    many: float = 0.12
    gone: float = 0.2
    git: float = 0.2
    longest: float = 1.0
    longest_git: float = 3.0


PATIENCE = Delays()


class Hint(Enum):
    """What an event says about a file."""

    OPEN = auto()  # created or written to
    CLOSED = auto()  # written and closed, or moved here complete
    GONE = auto()
    TOUCHED = auto()  # its mode, times, owner or number of links has changed
    FOLDER = auto()  # any event of a folder: all files in it must be examined
    MISSED = auto()  # no event: a scan of all files found the change


class Batch:
    """Hints that belong together, because they came without a pause between them.

    Attributes:
        hints: by file name.
        first: the time of the first hint.
        last: the time of the last hint.
    """

    def __init__(self, patience: Delays = PATIENCE) -> None:
        self._patience = patience
        self.hints: dict[str, Hint] = {}
        self.first = self.last = 0.0

    def note(self, name: str, hint: Hint, now: float) -> None:
        """Add a hint."""
        if not self.hints:
            self.first = now
        self.last = now
        old = self.hints.get(name)
        if old is None or not (old is Hint.FOLDER or hint in {Hint.TOUCHED, Hint.MISSED}):
            self.hints[name] = hint

    def take(self, newer: Batch) -> None:
        """Move all hints of another batch into this one."""
        if not newer.hints:
            return
        first = self.first if self.hints else newer.first
        for name, hint in newer.hints.items():
            self.note(name, hint, newer.last)
        self.first = first
        newer.hints = {}

    @property
    def many(self) -> bool:
        """Whether so many files have changed that a program must be changing them, rather than a person."""
        return len(self.hints) > MANY

    @property
    def missed(self) -> bool:
        """Whether there is a change that no event reported."""
        return Hint.MISSED in self.hints.values()

    @property
    def end(self) -> float:
        """The time when changes must be reported, even if more events come."""
        return self.first + self._patience.longest

    def rest(self, now: float, known: Container[str]) -> float:
        """How many seconds to wait for more hints; zero or less if there is no need to wait."""
        return min(self.last + self._quiet(known), self.end) - now

    def doubt(self, now: float, clock: int, changes: Mapping[str, Stamp | None], known: Mapping[str, Stamp]) -> float:
        """How many seconds to wait before trusting that files are deleted, empty or complete.

        A file that is not closed may have been written to after the last event that was received, since events are
        late on a busy machine.

        Args:
            now: the current time, on the clock of the hints.
            clock: the time of day before the files were examined, in nanoseconds, as in file stats.
            changes: the new file stats of changed files; `None` for deleted ones.
            known: the previous file stats.
        """
        rest = 0.0
        if any(name in known and _is_less(stamp, known[name]) for name, stamp in changes.items()):
            rest = self.last + self._patience.gone - now
        for name, stamp in changes.items():
            if stamp is not None and self.hints.get(name) is Hint.OPEN:
                age = (clock - stamp[2]) / 1e9
                if age > -self._patience.longest:  # else the clock of the file system differs from ours
                    rest = max(rest, self._patience.open - age)
        return min(rest, self.end - now)

    def _quiet(self, known: Container[str]) -> float:
        if self.many:
            return self._patience.many
        return max(self._quiet_of(name, hint, is_new=name not in known) for name, hint in self.hints.items())

    def _quiet_of(self, name: str, hint: Hint, *, is_new: bool) -> float:
        patience = self._patience
        if hint is Hint.FOLDER:
            return patience.many
        if hint in {Hint.OPEN, Hint.MISSED}:
            return patience.open
        if hint is Hint.CLOSED and is_new:
            return patience.new if name.lower().endswith(TEXT_SUFFIXES) else patience.open
        return patience.closed


def _is_less(new: Stamp | None, old: Stamp) -> bool:
    """Whether a file has been deleted, or emptied."""
    return new is None or (new[0] == 0 and old[0] > 0)
