"""Metadata of files (``stat``), which shows changes without reading the files."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Container, Iterable, Mapping
from contextlib import suppress
from typing import NamedTuple

from devlog.disk.ignore import comes_and_goes

Stamp = tuple[int, int, int, int, int]
"""Size, times of modification and change in nanoseconds, inode, mode. A plain tuple, since there are many of them."""

# On Windows, the metadata in a folder's listing is less complete than that of the file itself, and older.
_LISTS_TELL_ALL = os.name != "nt"


class Followed(NamedTuple):
    """The symbolic links that are followed.

    Attributes:
        folders: names of folders; these may be links, and those in them are followed.
        files: names of files that may be links; these have the file stats of what they lead to.
    """

    folders: Container[str] = ()
    files: Container[str] = ()


_NONE = Followed()


def look(
    root: str,
    names: Iterable[str],
    known: Container[str] = (),
    leave: Callable[[], bool] | None = None,
    followed: Followed = _NONE,
) -> dict[str, Stamp]:
    """The file stats of files, and of all files in folders.

    Args:
        root: the folder that names are relative to.
        names: of files and folders, with ``/`` between segments. Missing files and folders are left out.
        known: names that have file stats already: these are included even if they look like temporary files.
        leave: called in every folder: if it returns true, the search stops, and the result is incomplete.
        followed: the symbolic links to follow.
    """
    found: dict[str, Stamp] = {}
    for name in names:
        path = os.path.join(root, name)  # noqa: PTH118 - a Path for each of many files costs more than all the rest
        follow = is_in(name, followed.folders)
        with suppress(OSError):
            status = _status(path, follow=follow)
            if stat.S_ISDIR(status.st_mode):
                _look_below(path, name, found, known, leave, followed)
            else:
                found[name] = stamp(_status(path, follow=True) if name in followed.files else status)
    return found


def is_outside(name: str) -> bool:
    """Whether a file or folder is outside the site's folder."""
    return os.path.isabs(name)  # noqa: PTH117


def join(folder: str, name: str) -> str:
    """The name of a file or folder inside a folder; the site's own folder has an empty name."""
    return f"{folder}/{name}" if folder else name


def is_below(name: str, folder: str) -> bool:
    """Whether a name is that of a folder, or of a file or folder in it."""
    return not folder or name == folder or name.startswith(folder + "/")


def is_in(name: str, folders: Container[str]) -> bool:
    """Whether a name is that of one of several folders, or of a file or folder in them."""
    here = name
    while here:
        if here in folders:
            return True
        here = here.rpartition("/")[0]
    return "" in folders and not is_outside(name)


def differences(
    names: Mapping[str, bool], known: Mapping[str, Stamp], found: Mapping[str, Stamp]
) -> dict[str, Stamp | None]:
    """The files that have changed, among given files and in given folders.

    Args:
        names: the files and folders to compare, each with whether it may be, or may have been, a folder.
        known: the previous file stats.
        found: the current file stats.

    Returns:
        The new file stats of changed and new files, and `None` for deleted ones.
    """
    changes: dict[str, Stamp | None] = {name: new for name, new in found.items() if known.get(name) != new}
    changes |= {name: None for name in names if name in known and name not in found}
    folders = {name for name, is_folder in names.items() if is_folder}
    if folders:
        changes |= {name: None for name in known if name not in found and is_in(name, folders)}
    return changes


def only_noticed(old: Stamp | None, new: Stamp | None) -> bool:
    """Whether only the change time (``ctime``) differs: for example, a program set the mode to its old value."""
    return old is not None and new is not None and (*old[:2], *old[3:]) == (*new[:2], *new[3:])


def identity(path: str, *, follow: bool = False) -> tuple[int, int] | None:
    """The device and inode of a folder, which distinguish it from another one of the same name.

    Args:
        path: of the folder.
        follow: whether to follow a symbolic link.

    Returns:
        `None` if there is no such folder, or only a link that is not followed.
    """
    try:
        status = os.stat(path, follow_symlinks=follow)  # noqa: PTH116
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISDIR(status.st_mode) else None


def _look_below(
    top: str,
    label: str,
    found: dict[str, Stamp],
    known: Container[str],
    leave: Callable[[], bool] | None,
    followed: Followed,
) -> None:
    """Add the file stats of all files below a folder to `found`."""
    folders = [(top, label, is_in(label, followed.folders))]
    entered = set[tuple[int, int] | None]()
    while folders and not (leave and leave()):
        path, folder, follow = folders.pop()
        if follow:  # a link to a parent folder must not cause an endless loop
            here = identity(path, follow=True)
            if here in entered:
                continue
            entered.add(here)
        with suppress(OSError), os.scandir(path) as entries:  # a deleted or unreadable folder has no files
            for entry in entries:
                name = join(folder, entry.name)
                if name not in known and comes_and_goes(entry.name):
                    continue
                inside = follow or name in followed.folders
                leads = inside or name in followed.files
                with suppress(OSError):  # the file has been deleted
                    if _is_folder(entry, follow=inside):
                        folders.append((entry.path, name, inside))
                    elif _LISTS_TELL_ALL and not (leads and entry.is_symlink()):
                        found[name] = stamp(entry.stat(follow_symlinks=False))
                    else:
                        found[name] = stamp(_status(entry.path, follow=leads))


def _is_folder(entry: os.DirEntry[str], *, follow: bool) -> bool:
    try:
        return entry.is_dir(follow_symlinks=follow)
    except OSError:  # a link that leads to itself, or where nobody may look
        return False


def _status(path: str, *, follow: bool) -> os.stat_result:
    """The metadata of a file; of a broken link its own: builds report one, so it must not look like no file."""
    if follow:
        with suppress(OSError):
            return os.stat(path)  # noqa: PTH116
    return os.lstat(path)


def stamp(status: os.stat_result) -> Stamp:
    """The file stats in what the system returns."""
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_mode
