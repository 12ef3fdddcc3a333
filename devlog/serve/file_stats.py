"""What the system says of files, so that a change is noticed without reading any."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Container, Iterable, Mapping
from contextlib import suppress

from devlog.disk.ignore import comes_and_goes

Stamp = tuple[int, int, int, int, int]
"""Size, times of modification and change, place on the disk, mode: plain numbers, since there are many of them."""

# What Windows says of a file in the list of a folder's files is less than it says of the file itself, and older.
_LISTS_TELL_ALL = os.name != "nt"


def look(
    root: str, names: Iterable[str], known: Container[str] = (), leave: Callable[[], bool] | None = None
) -> dict[str, Stamp]:
    """Stamps of files, and of all the files in folders.

    Args:
        root: what names are relative to.
        names: of files and folders, with ``/`` between segments; absolute ones are those of trusted folders, in
            which links are followed. What is missing is left out.
        known: names that have stamps already, and so are not among those to be left out.
        leave: is asked in every folder whether to leave off; not all is found then.
    """
    found: dict[str, Stamp] = {}
    for name in names:
        path = os.path.join(root, name)  # noqa: PTH118 - a Path for each of many files costs more than all the rest
        follow = is_outside(name)
        with suppress(OSError):
            status = os.stat(path, follow_symlinks=follow)  # noqa: PTH116
            if stat.S_ISDIR(status.st_mode):
                _look_below(path, name, found, known, leave, follow=follow)
            else:
                found[name] = _stamp(status)
    return found


def is_outside(name: str) -> bool:
    """Whether a name is that of something outside of the site's folder."""
    return os.path.isabs(name)  # noqa: PTH117


def join(folder: str, name: str) -> str:
    """The name of something in a folder; the site's own folder has an empty name."""
    return f"{folder}/{name}" if folder else name


def is_below(name: str, folder: str) -> bool:
    """Whether a name is that of a folder or of something in it."""
    return not folder or name == folder or name.startswith(folder + "/")


def is_in(name: str, folders: Container[str]) -> bool:
    """Whether a name is that of one of many folders or of something in them."""
    here = name
    while here:
        if here in folders:
            return True
        here = here.rpartition("/")[0]
    return "" in folders and not is_outside(name)


def differences(
    root: str, names: Mapping[str, bool], known: Mapping[str, Stamp], found: dict[str, Stamp] | None = None
) -> dict[str, Stamp | None]:
    """What has changed below some names.

    Args:
        root: what names are relative to.
        names: where to look, and whether it may be, or may have been, a folder.
        known: the stamps of before.
        found: the stamps of now; they are looked for when they are not given.

    Returns:
        The new stamps of what has changed or appeared, and None for what has vanished.
    """
    if found is None:
        found = look(root, names, known)
    changes: dict[str, Stamp | None] = {name: new for name, new in found.items() if known.get(name) != new}
    changes |= {name: None for name in names if name in known and name not in found}
    folders = {name for name, is_folder in names.items() if is_folder}
    if folders:
        changes |= {name: None for name in known if name not in found and is_in(name, folders)}
    return changes


def only_noticed(old: Stamp | None, new: Stamp | None) -> bool:
    """Whether no more than the time of the last change differs: its mode was set to what it was, say."""
    return old is not None and new is not None and (*old[:2], *old[3:]) == (*new[:2], *new[3:])


def identity(path: str, *, follow: bool = False) -> tuple[int, int] | None:
    """What tells a folder from another one of the same name; None when there is none, or a link and not to `follow`."""
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
    *,
    follow: bool,
) -> None:
    """Add the stamps of all files below a folder."""
    folders = [(top, label)]
    entered = set[tuple[int, int] | None]()
    while folders and not (leave and leave()):
        path, folder = folders.pop()
        if follow:  # or a link to a folder above would lead around for ever
            here = identity(path, follow=True)
            if here in entered:
                continue
            entered.add(here)
        with suppress(OSError), os.scandir(path) as entries:  # what has vanished or is closed to us has no files
            for entry in entries:
                name = join(folder, entry.name)
                if name not in known and comes_and_goes(entry.name):
                    continue
                try:
                    if entry.is_dir(follow_symlinks=follow):
                        folders.append((entry.path, name))
                    elif _LISTS_TELL_ALL:
                        found[name] = _stamp(entry.stat(follow_symlinks=follow))
                    else:
                        found[name] = _stamp(os.stat(entry.path, follow_symlinks=follow))  # noqa: PTH116
                except OSError:  # it has vanished, or a link leads nowhere
                    continue


def _stamp(status: os.stat_result) -> Stamp:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_mode
