"""Detects whether git is changing files in the site's folder, whose changes are shown when it has finished, and commits
in the checkout of the source."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from devlog.disk.folder import without_links, words_of
from devlog.disk.git import is_bare
from devlog.serve.debounce import PATIENCE, Delays
from devlog.serve.file_stats import Stamp, look


class Repository:
    """The git repository that contains a folder, if any."""

    def __init__(self, root: Path, patience: Delays = PATIENCE) -> None:
        """Record the current state of git's index.

        Args:
            root: the folder.
            patience: how long git must have released its lock before it counts as finished.
        """
        self._patience = patience
        folder = _git_folder(root)
        self._lock = str(folder / "index.lock") if folder else ""
        self._index = str(folder / "index") if folder else ""
        self._known = state_of_file(self._index)
        self._stale: tuple[int, int] | None = None
        self._seen = float("-inf")

    def busy(self, now: float, *, many: bool) -> bool:
        """Whether to wait for git.

        Args:
            now: the time in seconds.
            many: whether many files have changed, so that git has probably changed them. If only a few have, a changed
                index counts only if it was written just now, since programs that show changes write it at any time.
        """
        lock = state_of_file(self._lock)
        if lock and lock != self._stale:
            self._seen = now
        elif (index := state_of_file(self._index)) != self._known and (many or self._is_recent(index)):
            self._known = index
            self._seen = now
        return now < self._seen + self._patience.git

    def give_up(self) -> None:
        """Ignore the lock that exists now."""
        self._stale = state_of_file(self._lock)
        self._seen = float("-inf")

    def _is_recent(self, state: tuple[int, int] | None) -> bool:
        """Whether a file was written so recently that events from before it may still arrive."""
        return state is not None and time.time_ns() - state[1] < self._patience.longest * 1e9


def checkout_files(root: Path, folder: str) -> tuple[Path, ...]:
    """Where git writes when a repository gets other commits or tags, see `_files_of`, or when another takes its place.

    Args:
        root: the site's folder.
        folder: the folder of a work tree or a bare repository, relative to the root or absolute; empty for none.
    """
    if not folder:
        return ()
    place = root.resolve() / folder
    git = place / ".git"
    # By the configured path, in which links are not resolved: a link may lead to another repository. A bare one may
    # appear, or a work tree, in which `.git` is a file.
    named = (place / "HEAD", git / "HEAD", *(() if _is_folder(git) else (git,)))
    return tuple(dict.fromkeys((*_files_of(place if is_bare(place) else _named_folder(git)), *named)))


def own_files(root: Path) -> tuple[Path, ...]:
    """The same of the repository around a folder, and what appears where one is made that is nearer, or the first."""
    found: list[Path] = []
    for git in _places(root):
        if _is_repository(git):
            return (*found, *_files_of(_named_folder(git)))
        found.append(git.parent.resolve() / ".git/HEAD")
    return tuple(found)


def _files_of(folder: Path) -> tuple[Path, ...]:
    """The files and folders below git's folder that change with commits and tags: made, checked out or fetched.

    A work tree of another repository has a log of its own, and shares the rest. Since version 2.45, git can keep all
    references in tables: then a commit changes no other file, and a work tree has a table of its own, too.
    """
    own = without_links(folder)
    common = words_of(own / "commondir", 4096).partition("\n")[0].strip()
    shared = without_links(own / common) if common else own
    found = [own / name for name in ("HEAD", "logs/HEAD", "FETCH_HEAD", "reftable")]
    shared_names = ("FETCH_HEAD", "packed-refs", "shallow", "refs/heads", "refs/tags", "reftable")
    found += [shared / name for name in shared_names]
    return tuple(dict.fromkeys(found))


def stats_of(files: Sequence[Path]) -> list[dict[str, Stamp]]:
    """A value that changes when one of the files changes, or one in those that are folders."""
    return [look(str(file.parent), [file.name]) for file in files]


def state_of_file(file: Path | str | None) -> tuple[int, int] | None:
    """A value that changes whenever a file is written; `None` if there is none."""
    if not file:
        return None
    try:
        status = os.lstat(file)
    except (OSError, ValueError):  # ValueError for a path with a null character
        return None
    return status.st_ino, status.st_mtime_ns


def _git_folder(root: Path) -> Path | None:
    """The folder of git's index: ``.git`` in the root or a parent, or the one that the ``.git`` of a worktree names."""
    return next((_named_folder(git) for git in _places(root) if _is_repository(git)), None)


def _places(root: Path) -> Iterator[Path]:
    """Where ``.git`` of the repository around a folder may be, nearest first."""
    return (folder / ".git" for folder in (root, *root.parents))


def _is_repository(git: Path) -> bool:
    return _is_folder(git) or words_of(git, 4096).startswith("gitdir:")


def _is_folder(git: Path) -> bool:
    """Whether there is a folder that may be entered: git, too, looks further up if it cannot see what is there.

    `Path.is_dir` would raise an error for one that may not, before Python 3.14.
    """
    return os.path.isdir(git)  # noqa: PTH112


def _named_folder(git: Path) -> Path:
    """The folder that ``.git`` is or, in a worktree or a submodule, names."""
    named = words_of(git, 4096).partition("\n")[0].removeprefix("gitdir:").strip()
    return git.parent / named if named else git
