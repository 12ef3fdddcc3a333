"""Keeps what was made or asked for last, within a number of bytes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Values by key: those that were added or asked for last. Safe from any thread.

    The last one is kept even if it alone is larger than the limit: it is likely to be asked for next.
    """

    def __init__(self, limit: int, size: Callable[[V], int]) -> None:
        """
        Args:
            limit: how many bytes all values have together, unless a single one has more.
            size: the number of bytes of a value, always the same.
        """
        self._limit = limit
        self._size_of = size
        self._lock = Lock()
        self._known: dict[K, V] = {}  # the last one was asked for last
        self._size = 0

    def get(self, key: K) -> V | None:
        """The value of a key; `None` if it is not kept."""
        with self._lock:
            value = self._known.pop(key, None)
            if value is not None:
                self._known[key] = value
            return value

    def add(self, key: K, value: V) -> None:
        """Keep a value, in place of an earlier one of the same key and of those that are too old by now."""
        with self._lock:
            earlier = self._known.pop(key, None)
            if earlier is not None:
                self._size -= self._size_of(earlier)
            self._known[key] = value
            self._size += self._size_of(value)
            while self._size > self._limit and len(self._known) > 1:
                self._size -= self._size_of(self._known.pop(next(iter(self._known))))

    def clear(self) -> None:
        """Keep nothing any longer."""
        with self._lock:
            self._known.clear()
            self._size = 0


class RecentFiles:
    """Files by name, in groups by key: those of the groups that were asked for last. Safe from any thread."""

    def __init__(self, limit: int) -> None:
        """
        Args:
            limit: how many bytes all files have together, unless a single group has more.
        """
        self._lock = Lock()  # also while files are made: a thread that wants the same ones waits for them
        self._known = Recent[Hashable, Mapping[str, bytes]](limit, lambda files: sum(map(len, files.values())))

    def get(self, key: Hashable, make: Callable[[], Mapping[str, bytes]]) -> Mapping[str, bytes]:
        """The files of a group.

        Args:
            key: of the group.
            make: makes the files, if they are not known.

        Raises:
            Exception: what `make` raises; nothing is kept then.
        """
        with self._lock:
            files = self._known.get(key)
            if files is None:
                files = make()
                self._known.add(key, files)
            return files
