"""When what happened to files has come to an end: rules of time alone, without a clock or a disk."""

from __future__ import annotations

from collections.abc import Container, Mapping
from enum import Enum, auto

import msgspec

from devlog.disk.read import TEXT_SUFFIXES
from devlog.serve.file_stats import Stamp

MANY = 3
"""More files than this are the work of a program."""


class Patience(msgspec.Struct, frozen=True):
    """For how many seconds there must be no event before what has happened to files is at its end.

    Attributes:
        closed: after a file was written and closed. A writer waits for these.
        new: after the same of a new text: programs give other names to files that are about to be moved elsewhere.
        open: while nobody has closed a file yet, and after any other new one.
        many: after more than a few files.
        gone: after a file was taken away or emptied, as editors do for a moment before they write it anew.
        git: after git has given back its lock: a rebase takes it again for every commit.
        longest: from the first event; then what has changed is told though there is no end to it.
        longest_git: the same while git is at work: its lock may have been left behind by one that was killed.
    """

    closed: float = 0.015
    new: float = 0.03
    open: float = 0.1
    many: float = 0.12
    gone: float = 0.2
    git: float = 0.2
    longest: float = 1.0
    longest_git: float = 3.0


PATIENCE = Patience()


class Hint(Enum):
    """What an event says of a file."""

    OPEN = auto()  # begun or written to
    CLOSED = auto()  # written and closed, or moved here when it was complete
    GONE = auto()
    TOUCHED = auto()  # its mode, times, owner or links
    FOLDER = auto()  # anything about a folder: look at all that is in it
    MISSED = auto()  # no event at all: it was found


class Batch:
    """Hints that belong together, because there was no quiet time between them.

    Attributes:
        hints: by name.
        first: when the first of them came.
        last: when the last of them came.
    """

    def __init__(self, patience: Patience = PATIENCE) -> None:
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
        """Take all that another one holds."""
        if not newer.hints:
            return
        first = self.first if self.hints else newer.first
        for name, hint in newer.hints.items():
            self.note(name, hint, newer.last)
        self.first = first
        newer.hints = {}

    @property
    def many(self) -> bool:
        """Whether a program is at work, rather than a person."""
        return len(self.hints) > MANY

    @property
    def missed(self) -> bool:
        """Whether there is something that no event told of."""
        return Hint.MISSED in self.hints.values()

    @property
    def end(self) -> float:
        """When it is time to tell, whatever else happens."""
        return self.first + self._patience.longest

    def rest(self, now: float, known: Container[str]) -> float:
        """How many seconds to wait for more hints; none when it is not above zero."""
        return min(self.last + self._quiet(known), self.end) - now

    def doubt(self, now: float, clock: int, changes: Mapping[str, Stamp | None], known: Mapping[str, Stamp]) -> float:
        """How many seconds to wait before it is believed that files are gone, or empty, or as they are to be.

        A file that nobody has closed was perhaps written to after the last event that has been heard: events are
        late on a busy machine.

        Args:
            now: the moment, as of all hints.
            clock: the time of day before the files were looked at, in nanoseconds as in stamps.
            changes: what has changed.
            known: what was known before.
        """
        rest = 0.0
        if any(name in known and _is_less(stamp, known[name]) for name, stamp in changes.items()):
            rest = self.last + self._patience.gone - now
        for name, stamp in changes.items():
            if stamp is not None and self.hints.get(name) is Hint.OPEN:
                age = (clock - stamp[2]) / 1e9
                if age > -self._patience.longest:  # or the file system's clock is another one
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
    """Whether a file that had something in it is gone or has nothing now."""
    return new is None or (new[0] == 0 and old[0] > 0)
