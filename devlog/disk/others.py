"""Finds what would be lost with a former output folder: files of others that are nowhere else."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterator

import msgspec

from devlog.disk.folder import Cursor, Folder
from devlog.disk.manifest import MANIFEST, Entry, Manifest

_LARGEST = 1 << 28
_File = tuple[int, int, int]
"""The number of links of a file, its device and its inode."""


def own_manifest(folder: Folder) -> Manifest | None:
    """The manifest in an open folder; `None` if it is damaged. Raises OSError."""
    try:
        return msgspec.json.decode(folder.read_all(MANIFEST, _LARGEST), type=Manifest)
    except (msgspec.MsgspecError, ValueError, RecursionError):  # UnicodeDecodeError is a ValueError
        return None


def others_in(folder: Folder, manifest: Manifest) -> list[str]:
    """Find the files and links in a former output folder that would be lost with it.

    Args:
        folder: the folder.
        manifest: its manifest.

    Returns:
        The paths of those that devlog did not write, and that have no other link outside of the folder. An empty
        folder is somebody's too, since devlog makes none: its path ends with ``/``. Raises OSError.
    """
    search = _Search(manifest)
    search.look(folder, "")
    return sorted([*search.single(), *search.empty])


def left_in(folder: Folder, manifest: Manifest, top: Folder | None) -> list[str]:
    """Find the files and links that `others_in` finds, except those whose loss their owner wants or does not notice.

    Args:
        folder: the former output folder.
        manifest: its manifest; the time of the file tells when the folder became the former one.
        top: the output folder, which may have copies of them; `None` if there is none.

    Returns:
        The paths. If there is no output, and no file has another link, the output folder was removed, and with it the
        files that were in both: then only later files are returned. Raises OSError.
    """
    search = _Search(manifest)
    search.look(folder, "")
    found = sorted(search.single())
    if not found:
        return []
    with Cursor(folder) as here:
        if top:
            with Cursor(top) as there:
                return [path for path in found if not _is_same(here, there, path)]
        if not search.is_linked():
            since = _became_former(folder)
            return [path for path in found if _time(here, path) >= since]
    return found


def later_in(folder: Folder, manifest: Manifest, top: Folder | None) -> list[str]:
    """Find the files and links that `left_in` finds, except devlog's files that were edited before a build replaced
    the folder: that build has replaced them, and reported that. The arguments are the same. Raises OSError.
    """
    own, since = manifest.paths(), _became_former(folder)
    with Cursor(folder) as here:
        return [path for path in left_in(folder, manifest, top) if path not in own or _time(here, path) >= since]


class _Search:
    """Looks through a former output folder.

    Attributes:
        empty: the paths of its empty folders, with ``/`` at the end.
    """

    def __init__(self, manifest: Manifest) -> None:
        self._entries = manifest.entries
        self._others: dict[str, _File] = {}
        self._names: Counter[_File] = Counter()
        self.empty: list[str] = []

    def look(self, folder: Folder, path: str) -> None:
        """Look through a folder in it, whose path ends with ``/`` unless it is empty. Raises OSError."""
        entries = folder.scan()
        for entry in entries:
            here = f"{path}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                with folder.folder(entry.name) as inner:
                    self.look(inner, f"{here}/")
            elif here != MANIFEST:
                status = folder.stat(entry.name)
                file = status.st_nlink, status.st_dev, status.st_ino
                self._names[file] += 1
                if not _is_as_written(folder, entry.name, status, self._entries.get(here)):
                    self._others[here] = file
        if not entries and path:
            self.empty.append(path)

    def single(self) -> Iterator[str]:
        """The paths of the files that are not as devlog wrote them, and have no link outside of the folder."""
        return (path for path, file in self._others.items() if file[0] <= self._names[file])

    def is_linked(self) -> bool:
        """Whether any file has a link outside of the folder."""
        return any(file[0] > names for file, names in self._names.items())


def _is_as_written(folder: Folder, name: str, status: os.stat_result, entry: Entry | None) -> bool:
    if not entry or not stat.S_ISREG(status.st_mode) or status.st_size != entry.length:
        return False
    # Copying a site changes the times of its files.
    return status.st_mtime_ns == entry.mtime_ns or folder.digest(name) == entry.digest


def _is_same(here: Cursor, there: Cursor, path: str) -> bool:
    """Whether two folders have the same bytes, or links to the same target, at a path."""
    above, _, name = path.rpartition("/")
    try:
        return _content(here.enter(above), name) == _content(there.enter(above), name)
    except OSError:
        return False


def _content(folder: Folder, name: str) -> str:
    if stat.S_ISLNK(folder.stat(name).st_mode):
        return f"-> {os.readlink(name, dir_fd=folder.fd)}"
    return folder.digest(name)


def _became_former(folder: Folder) -> int:
    """When a folder became the former output folder, in nanoseconds, or shortly before that; 0 without a manifest."""
    try:
        return folder.stat(MANIFEST).st_mtime_ns
    except FileNotFoundError:
        return 0


def _time(here: Cursor, path: str) -> int:
    above, _, name = path.rpartition("/")
    return here.enter(above).stat(name).st_mtime_ns
