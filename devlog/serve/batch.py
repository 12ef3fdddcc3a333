"""When what happened to files has come to an end: rules of time alone, without a clock or a disk."""

from __future__ import annotations

from collections.abc import Container, Mapping
from enum import Enum, auto

from devlog.disk.read import TEXT_SUFFIXES
from devlog.serve.stamps import Stamp

QUIET_CLOSED = 0.015
"""Seconds without an event after which a file that was written and closed is done. A writer waits for these."""
QUIET_NEW = 0.03
"""The same for a new text: programs give other names to files that are about to be moved elsewhere."""
QUIET_OPEN = 0.1
"""The same for a file that nobody has closed yet, and for any other new one."""
MANY = 3
"""More files than this are the work of a program."""
QUIET_MANY = 0.12
QUIET_GONE = 0.2
"""Editors take a file away for a moment, or empty it, before they write it anew."""
LONGEST = 1.0
"""After so many seconds what has changed is told though there is no end to it."""


class Hint(Enum):
    """What an event says of a file."""

    OPEN = auto()  # begun or written to
    CLOSED = auto()  # written and closed, or moved here when it was complete
    GONE = auto()
    TOUCHED = auto()  # its mode, times, owner or links
    FOLDER = auto()  # anything about a folder: look at all that is in it
    MISSED = auto()  # no event at all: it was found


_QUIET = {
    Hint.OPEN: QUIET_OPEN,
    Hint.CLOSED: QUIET_CLOSED,
    Hint.GONE: QUIET_CLOSED,
    Hint.TOUCHED: QUIET_CLOSED,
    Hint.FOLDER: QUIET_MANY,
    Hint.MISSED: QUIET_OPEN,
}


class Batch:
    """Hints that belong together, because there was no quiet time between them.

    Attributes:
        hints: by name.
        first: when the first of them came.
        last: when the last of them came.
    """

    def __init__(self) -> None:
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

    def rest(self, now: float, known: Container[str], longest: float = LONGEST) -> float:
        """How many seconds to wait for more hints; none when it is not above zero."""
        return min(self.last + self._quiet(known), self.first + longest) - now

    def doubt(self, now: float, clock: float, changes: Mapping[str, Stamp | None], known: Mapping[str, Stamp]) -> float:
        """How many seconds to wait before it is believed that files are gone, or empty, or as they are to be.

        A file that nobody has closed was perhaps written to after the last event that has been heard: events are
        late on a busy machine.

        Args:
            now: the moment, as of all hints.
            clock: the time of day before the files were looked at, in seconds.
            changes: what has changed.
            known: what was known before.
        """
        rest = 0.0
        if any(name in known and _is_less(stamp, known[name]) for name, stamp in changes.items()):
            rest = self.last + QUIET_GONE - now
        for name, stamp in changes.items():
            if stamp is not None and self.hints.get(name) is Hint.OPEN:
                age = clock - stamp[2] / 1e9
                if age > -LONGEST:  # or the file system's clock is another one
                    rest = max(rest, QUIET_OPEN - age)
        return min(rest, self.first + LONGEST - now)

    def _quiet(self, known: Container[str]) -> float:
        if self.many:
            return QUIET_MANY
        return max(_quiet(name, hint, is_new=name not in known) for name, hint in self.hints.items())


def _quiet(name: str, hint: Hint, *, is_new: bool) -> float:
    if hint is Hint.CLOSED and is_new:
        return QUIET_NEW if name.lower().endswith(TEXT_SUFFIXES) else QUIET_OPEN
    return _QUIET[hint]


def _is_less(new: Stamp | None, old: Stamp) -> bool:
    """Whether a file that had something in it is gone or has nothing now."""
    return new is None or (new[0] == 0 and old[0] > 0)
