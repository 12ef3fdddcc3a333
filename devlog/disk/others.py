"""Finds what would be lost with a former output folder: files of others that are nowhere else."""

from __future__ import annotations

import os
import stat
from collections import Counter

import msgspec

from devlog.disk.folder import Cursor, Folder
from devlog.disk.manifest import MANIFEST, Entry, Manifest

_LARGEST = 1 << 28


def own_manifest(folder: Folder) -> Manifest | None:
    """The manifest in an open folder; `None` if it is damaged. Raises OSError."""
    try:
        return msgspec.json.decode(folder.read_all(MANIFEST, _LARGEST), type=Manifest)
    except (msgspec.MsgspecError, ValueError, RecursionError):  # UnicodeDecodeError is a ValueError
        return None


def others_in(folder: Folder, manifest: Manifest, top: Folder | None = None) -> list[str]:
    """Find the files and links in a former output folder that would be lost with it.

    Args:
        folder: the folder.
        manifest: its manifest.
        top: the output folder, which may have copies of them; `None` without one.

    Returns:
        The paths of those that devlog did not write, and that have no other link outside of the folder. An empty
        folder is somebody's too, since devlog makes none: its path ends with ``/``. Raises OSError.
    """
    search = _Search(manifest)
    search.look(folder, "")
    names = Counter(search.files.values())
    found = [path for path, file in search.files.items() if file[0] <= names[file]]
    if found and top:
        with Cursor(folder) as here, Cursor(top) as there:
            found = [path for path in found if not _is_same(here, there, path)]
    return sorted(found + search.empty)


class _Search:
    """Collects the files that are not as devlog wrote them, with their links, device and inode; and empty folders."""

    def __init__(self, manifest: Manifest) -> None:
        self._entries = manifest.entries
        self.files: dict[str, tuple[int, int, int]] = {}
        self.empty: list[str] = []

    def look(self, folder: Folder, path: str) -> None:
        entries = folder.scan()
        for entry in entries:
            here = f"{path}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                with folder.folder(entry.name) as inner:
                    self.look(inner, f"{here}/")
            elif here != MANIFEST:
                status = folder.stat(entry.name)
                if not _is_as_written(folder, entry.name, status, self._entries.get(here)):
                    self.files[here] = status.st_nlink, status.st_dev, status.st_ino
        if not entries and path:
            self.empty.append(path)


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
