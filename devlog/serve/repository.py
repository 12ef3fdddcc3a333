"""Whether git is at work in the site's folder: what it changes is shown when it has done."""

from __future__ import annotations

import os
import time
from pathlib import Path

from devlog.disk.folder import words_of
from devlog.serve.debounce import PATIENCE, Patience


class Repository:
    """The repository that a folder is in, if any."""

    def __init__(self, root: Path, patience: Patience = PATIENCE) -> None:
        """Look at what git has there now.

        Args:
            root: the folder.
            patience: how long after it gave back its lock git has done.
        """
        self._patience = patience
        folder = _git_folder(root)
        self._lock = str(folder / "index.lock") if folder else ""
        self._index = str(folder / "index") if folder else ""
        self._known = self._state(self._index)
        self._stale: tuple[int, int] | None = None
        self._seen = float("-inf")

    def busy(self, now: float, *, many: bool) -> bool:
        """Whether to wait for git.

        Args:
            now: the time in seconds.
            many: whether many files have changed, so that it is likely to be git's work. For a few files an index
                counts that was written just now, since programs that show what has changed write it at any time.
        """
        lock = self._state(self._lock)
        if lock and lock != self._stale:
            self._seen = now
        elif (index := self._state(self._index)) != self._known and (many or self._is_recent(index)):
            self._known = index
            self._seen = now
        return now < self._seen + self._patience.git

    def give_up(self) -> None:
        """Wait no more for the lock that there is now."""
        self._stale = self._state(self._lock)
        self._seen = float("-inf")

    def _is_recent(self, state: tuple[int, int] | None) -> bool:
        """Whether a file was written so short a time ago that there may be more to hear of what came before it."""
        return state is not None and time.time_ns() - state[1] < self._patience.longest * 1e9

    @staticmethod
    def _state(file: str) -> tuple[int, int] | None:
        if not file:
            return None
        try:
            status = os.lstat(file)
        except (OSError, ValueError):  # the latter for a name with a zero character
            return None
        return status.st_ino, status.st_mtime_ns


def _git_folder(root: Path) -> Path | None:
    """Where git keeps its index for a folder: beside it or above; a work tree has a file that says where."""
    for folder in (root, *root.parents):
        git = folder / ".git"
        if git.is_dir():
            return git
        text = words_of(git, 4096)
        if text.startswith("gitdir:"):
            return folder / text.removeprefix("gitdir:").strip()
    return None
