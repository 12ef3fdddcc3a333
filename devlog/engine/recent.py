"""Keeps what was made last, within a number of bytes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from threading import Lock


class RecentFiles:
    """Files by name, in groups by key: those of the groups that were asked for last. Safe from any thread.

    What is asked for is kept even if it alone is larger than the limit: the rest of it is likely to be asked for next.
    """

    def __init__(self, limit: int) -> None:
        """
        Args:
            limit: how many bytes all files have together, unless a single group has more.
        """
        self._limit = limit
        self._lock = Lock()  # also while files are made: a thread that wants the same ones waits for them
        self._known: dict[Hashable, Mapping[str, bytes]] = {}  # the last one was asked for last
        self._size = 0

    def get(self, key: Hashable, make: Callable[[], Mapping[str, bytes]]) -> Mapping[str, bytes]:
        """The files of a group.

        Args:
            key: of the group.
            make: makes the files, if they are not known.

        Raises:
            Exception: what `make` raises; nothing is kept then.
        """
        with self._lock:
            files = self._known.pop(key, None)
            if files is None:
                files = make()
                self._size += _size(files)
            self._known[key] = files
            while self._size > self._limit and len(self._known) > 1:
                self._size -= _size(self._known.pop(next(iter(self._known))))
            return files


def _size(files: Mapping[str, bytes]) -> int:
    return sum(map(len, files.values()))
