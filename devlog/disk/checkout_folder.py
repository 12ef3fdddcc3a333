"""Where the configured checkout of the source is, unless a commit of the site's own repository decides that.

Whoever may only propose changes of a site must not make a configured folder lead to another repository of the machine,
whose files would be published. A commit can do that with a symbolic link, or with files that git takes for a bare
repository, which in turn may name another one. It cannot add a `.git`, which git never tracks.
"""

from __future__ import annotations

import os
import stat
import sys
from collections import deque
from enum import Enum
from pathlib import Path, PurePath

from devlog.disk.git import ask, is_bare


class Refusal(Enum):
    """Why a checkout is not read."""

    COMMITTED = "it, or a symbolic link in its path, is committed in the site's repository"
    UNKNOWN = "git does not answer whether it, or a symbolic link in its path, is committed in the site's repository"
    LINKS = "its path has too many symbolic links"


_MOST_LINKS = 40


def checkout_folder(root: Path, configured: str) -> Path | Refusal:
    """The folder of a configured checkout, which need not exist.

    git runs only if there is something that a commit may have made: a link, or a bare repository inside the site's
    own repository. What is there, but in no commit, is the user's own.

    Args:
        root: the folder to which it is relative: that of the site.
        configured: the path as configured, not empty.

    Returns:
        The folder, or why it is not to be read: a repository around the site, or one inside, contains the folder or a
        link in its path; or git does not answer.
    """
    folder = root / configured
    start = Path(os.path.realpath(root))
    around = _repository(start)
    if around is None:
        return folder
    path, links = start, 0
    parts = deque(PurePath(configured).parts)
    while parts:
        name = parts.popleft()
        if name == "..":
            path = path.parent
            continue
        path /= name
        if target := _target(path):
            links += 1
            if links > _MOST_LINKS:
                return Refusal.LINKS
            if refusal := _refusal(path, start, around):
                return refusal
            parts.extendleft(reversed(target.parts))
            path = path.parent
    return (_refusal(path, start, around) if is_bare(path) else None) or folder


def _target(path: Path) -> PurePath | None:
    """Where a link leads; `None` if there is no link."""
    try:
        return PurePath(str(path.readlink()).removeprefix("\\\\?\\"))  # which Windows puts before it
    except (OSError, ValueError):
        return None


def _repository(folder: Path) -> Path | None:
    """The nearest work tree around a folder."""
    return next((up for up in (folder, *folder.parents) if os.path.lexists(up / ".git")), None)


def _refusal(path: Path, start: Path, around: Path) -> Refusal | None:
    """Why a link or a bare repository is not the user's own.

    Args:
        path: its path, without other links.
        start: the site's folder.
        around: the nearest work tree around that.
    """
    repository = _repository(path.parent)
    # The site may be a submodule, and contain some. All other repositories are none of its own.
    if repository is None or not (start.is_relative_to(repository) or repository.is_relative_to(around)):
        return None
    is_committed = _is_tracked(repository, path)
    if is_committed is None:
        return Refusal.UNKNOWN
    return Refusal.COMMITTED if is_committed else None


def _is_tracked(repository: Path, path: Path) -> bool | None:
    """Whether a repository contains a link or files at a path; a submodule there is another repository.

    Returns:
        `None` if git does not answer.
    """
    records = _records(repository, f":(literal){path.relative_to(repository).as_posix()}")
    if records is None or records:
        return None if records is None else True
    if not (_FOLDS or os.path.lexists(repository / ".GIT")):
        return False
    records = _records(repository)
    return None if records is None else _is_other_name(repository, path, records)


_FOLDS = sys.platform in ("darwin", "win32")
"""Whether a file may have other names than git's: in other case, in another form of Unicode, or abbreviated."""


def _records(repository: Path, *paths: str) -> list[bytes] | None:
    """What git has at some paths, or everything, without submodules: modes, and after a tab, paths."""
    answer = ask(repository, ["ls-files", "--stage", "-z", "--", *paths])
    return None if answer is None else [item for item in answer.split(b"\0") if item and item[:7] != _SUBMODULE]


_SUBMODULE = b"160000 "
_LINK = b"120000 "


def _is_other_name(repository: Path, path: Path, records: list[bytes]) -> bool:
    """Whether the system finds at a path the link, or the folder of files, that git has by another name.

    Only the system knows which names are one: this depends on the disk, and sometimes on the folder.
    """
    status = _status(path)
    is_link = status is not None and stat.S_ISLNK(status.st_mode)
    depth = len(path.relative_to(repository).parts)
    names = {
        b"/".join(parts[:depth])
        for record in records
        if record.startswith(_LINK) or not is_link
        for parts in [record.partition(b"\t")[2].split(b"/")]
        if (len(parts) == depth if is_link else len(parts) > depth)
    }
    found = (_status(repository / os.fsdecode(name)) for name in names)
    return status is not None and any(other is not None and os.path.samestat(status, other) for other in found)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except (OSError, ValueError):
        return None
