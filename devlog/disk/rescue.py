"""What was put into the former output folder by a program that still has it open, such as a shell.

That folder is the spare one of the next build, which would remove all that is not in the site. What is new there comes
along into the output folder; where something stands in its way, it is kept in a folder of its own, and told.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Container

from devlog.disk.folder import Cursor, Folder
from devlog.disk.manifest import MANIFEST, STAGE, Former, Manifest

KEPT = "kept"
"""The folder, in devlog's own one, for what cannot come along."""


class Rescue:
    """Brings along, or keeps, what is new in the former output folder.

    Attributes:
        kept: the paths that could not come along, and where they are now, in devlog's own folder.
    """

    def __init__(self, home: Folder, top: Folder, manifest: Manifest, former: Former, planned: Container[str]) -> None:
        """
        Args:
            home: devlog's own folder.
            top: the output folder.
            manifest: of the output folder.
            former: how the former one was left; see `found`.
            planned: the paths, of files and folders, that the new site needs.
        """
        self._home = home
        self._top = top
        self._own = manifest.entries
        self._former = former
        self._stale = frozenset(former.stale)
        self._folders = frozenset(former.folders)
        self._planned = planned
        self._number = 0
        self.kept: list[tuple[str, str]] = []

    def take(self, folder: Folder, name: str, path: str, *, is_folder: bool, is_free: bool) -> bool:
        """Take care of something that is about to be removed from the former output folder.

        Args:
            folder: in which it lies.
            name: its name there.
            path: from the top.
            is_folder: whether it is one.
            is_free: whether nothing in the output folder has its name.

        Returns:
            Whether it, or something in it, is in the output folder now.
        """
        if is_folder:
            return self._take_folder(folder, name, path, is_free=is_free)
        status = folder.stat(name)
        if not self._is_new(status, path):
            return False
        # What was in both folders, somebody has removed from the output: it does not come back there.
        may_come = is_free and path not in self._planned and path not in self._former.others
        if stat.S_ISREG(status.st_mode) and may_come and self._carry(folder, name, path):
            return True
        self._keep(folder, name, path)
        return False

    def _take_folder(self, folder: Folder, name: str, path: str, *, is_free: bool) -> bool:
        carried = False
        with folder.folder(name) as inner:
            for entry in inner.scan():
                here, below = f"{path}/{entry.name}", entry.is_dir(follow_symlinks=False)
                carried |= self.take(inner, entry.name, here, is_folder=below, is_free=is_free)
        if not carried and is_free and path not in self._planned and self._is_new_folder(path):
            try:
                with Cursor(self._top) as cursor:
                    cursor.enter(path, create=True)
            except OSError:
                return False  # it is empty
            return True
        return carried

    def _is_new(self, status: os.stat_result, path: str) -> bool:
        if path in (MANIFEST, STAGE):
            return False
        is_later = status.st_mtime_ns > self._former.time_ns
        if self._former.others.get(path) == status.st_ino:
            return is_later and status.st_nlink == 1  # with another name, it stands in the output too
        # Not when its status changed: that says also that its other name, in the output folder, was removed.
        return is_later or not (path in self._own or path in self._stale)

    def _is_new_folder(self, path: str) -> bool:
        begin = f"{path}/"
        if path in self._folders or any(old.startswith(begin) for old in self._stale):
            return False
        return not any(own.startswith(begin) for own in self._own)

    def _carry(self, folder: Folder, name: str, path: str) -> bool:
        """Give a file a second name in the output folder, unless something is in the way."""
        try:
            with Cursor(self._top) as cursor:
                place = cursor.enter(path.rpartition("/")[0], create=True)
                os.link(name, name, src_dir_fd=folder.fd, dst_dir_fd=place.fd, follow_symlinks=False)
        except OSError:
            return False
        return True

    def _keep(self, folder: Folder, name: str, path: str) -> None:
        """Move a file away. Raises OSError."""
        with self._home.folder(KEPT, create=True) as kept:
            if not self._number:
                taken = {entry.name for entry in kept.scan()}
                self._number = next(number for number in range(1, len(taken) + 2) if str(number) not in taken)
            above = path.rpartition("/")[0]
            with Cursor(kept) as cursor:
                place = cursor.enter(f"{self._number}/{above}".rstrip("/"), create=True)
                folder.move(name, place, name)
        self.kept.append((path, f"{KEPT}/{self._number}/{path}"))


def is_former(spare: Folder, former: Former | None) -> bool:
    """Whether a folder is the former output folder as it was left, and no build has worked on it since."""
    try:
        found = os.fstat(spare.fd).st_ino, spare.stat(MANIFEST).st_ino
    except OSError:
        return False
    return former is not None and found == (former.folder, former.manifest)
