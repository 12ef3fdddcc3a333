"""Rescues files that a program has put into the former output folder, because it still has that open, as a shell may.

The former output folder is the spare folder of the next build, which would remove everything that is not in the site.
New files there are moved into the output folder. If something is in the way, they are kept in a separate folder, and
reported. So are all files of others in a spare folder that is not the recorded one: it may belong to another output, of
an earlier configuration, or to one that is gone. And so are new files in one in which a killed build has worked: some
may only be links to files of the output, whose owners have deleted them there since.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Container
from functools import cached_property

import msgspec

from devlog.disk.changes import folders_above
from devlog.disk.folder import Cursor, Folder, write_all
from devlog.disk.manifest import MANIFEST, STAGE, Former, Manifest, file_name, hidden, recorded
from devlog.disk.others import later_in, left_in, own_manifest

KEPT = "kept"
"""The folder, beside the spare folder, for files that cannot be moved to the output folder."""
_BACK = 10**9
"""By how many nanoseconds the time of a manifest is set back: some file systems have times in seconds."""


class Keeper:
    """Moves files out of a spare folder into the folder for kept files.

    Attributes:
        kept: the names of the files, and their locations now, both as in messages.
    """

    def __init__(self, home: Folder, shown: str, former: str) -> None:
        """
        Args:
            home: the folder that contains the spare folder.
            shown: the name of that, in messages.
            former: the name of the folder that the files belong to, in messages.
        """
        self._home = home
        self._shown = shown
        self._former = former
        self._number = 0
        self.kept: list[tuple[str, str]] = []

    @property
    def place(self) -> str:
        """The name of the folder for all files that are kept here, in messages."""
        return f"{self._shown}/{KEPT}/{self._number}"

    def keep(self, folder: Folder, name: str, path: str) -> None:
        """Move a file.

        Args:
            folder: the folder that contains it.
            name: its name there.
            path: its path from the top of the spare folder.

        Raises:
            OSError: if the system reports an error.
        """
        with self._home.folder(KEPT, create=True) as kept:
            if not self._number:
                taken = {entry.name for entry in kept.scan()}
                self._number = next(number for number in range(1, len(taken) + 2) if str(number) not in taken)
            above = path.rpartition("/")[0]
            with Cursor(kept) as cursor:
                place = cursor.enter(f"{self._number}/{above}".rstrip("/"), create=True)
                folder.move(name, place, name)
        shown = recorded(path)
        self.kept.append((file_name(self._former, shown), f"{self.place}/{shown}"))


def keep_others(spare: Folder, top: Folder | None, keeper: Keeper) -> None:
    """Keep what would be lost with a spare folder that is not the recorded former output folder.

    Only if it has a manifest: devlog does not leave a former output folder without one.

    Args:
        spare: the spare folder.
        top: the output folder; `None` without one.
        keeper: the keeper for this spare folder.

    Raises:
        OSError: if the system reports an error.
    """
    manifest = _manifest_in(spare)
    if manifest is None:
        return
    try:
        left = left_in(spare, manifest, top)
    except RecursionError as error:  # folders of someone else, nested a thousand levels deep
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG)) from error
    with Cursor(spare) as cursor:
        for path in left:
            above, _, name = path.rpartition("/")
            keeper.keep(cursor.enter(above), name, path)


def has_new(spare: Folder, top: Folder | None) -> bool:
    """Whether something new would be lost with a spare folder.

    It has no manifest if a build has not finished preparing it, so that all in it is linked from the output folder, or
    was about to remove it.

    Args:
        spare: the spare folder.
        top: the output folder; `None` without one.

    Raises:
        OSError: if the system reports an error.
        RecursionError: if there are folders of someone else in it, nested a thousand levels deep.
    """
    return bool(later_in(spare, _manifest_in(spare) or Manifest(), top))


def _manifest_in(spare: Folder) -> Manifest | None:
    try:
        return own_manifest(spare)
    except OSError:
        return None


class Rescue:
    """Moves new files of the former output folder into the output folder, or keeps them elsewhere."""

    def __init__(
        self,
        keeper: Keeper,
        top: Folder,
        manifest: Manifest,
        former: Former,
        planned: Container[str],
        *,
        begun: bool,
    ) -> None:
        """
        Args:
            keeper: the keeper for files that cannot be moved to the output folder.
            top: the output folder.
            manifest: the manifest of the output folder.
            former: the recorded state of the former output folder.
            planned: the paths of files and folders that the new site needs.
            begun: whether a build has worked in the former output folder since, see `was_begun`. Then nothing is moved
                to the output folder.
        """
        self._keeper = keeper
        self._top = top
        self._own = manifest.entries
        self._former = former
        self._stale = frozenset(former.stale)
        self._folders = frozenset(former.folders)
        self._planned = planned
        self._begun = begun

    def take(self, folder: Folder, name: str, path: str, *, is_folder: bool, is_free: bool) -> bool:
        """Rescue a file or folder that is about to be removed from the former output folder, if it is new.

        Args:
            folder: the folder that contains it.
            name: its name there.
            path: its path from the top.
            is_folder: whether it is a folder.
            is_free: whether nothing in the output folder has its name.

        Returns:
            Whether it, or something in it, is in the output folder now.
        """
        if is_folder:
            return self._take_folder(folder, name, path, is_free=is_free)
        status = folder.stat(name)
        if not self._is_new(status, path):
            return False
        # A file that was in both folders has been removed from the output by someone, so it must not come back.
        may_come = is_free and path not in self._planned and recorded(path) not in self._former.others
        if stat.S_ISREG(status.st_mode) and may_come and not self._begun and self._carry(folder, name, path):
            return True
        self._keeper.keep(folder, name, path)
        return False

    def _take_folder(self, folder: Folder, name: str, path: str, *, is_free: bool) -> bool:
        carried = False
        with folder.folder(name) as inner:
            for entry in inner.scan():
                here, below = f"{path}/{entry.name}", entry.is_dir(follow_symlinks=False)
                carried |= self.take(inner, entry.name, here, is_folder=below, is_free=is_free)
        if self._begun or carried or not is_free:
            return carried
        if path not in self._planned and self._is_new_folder(path):
            try:
                with Cursor(self._top) as cursor:
                    cursor.enter(path, create=True)
            except OSError:
                return False  # nothing is lost, since it is empty
            return True
        return False

    def _is_new(self, status: os.stat_result, path: str) -> bool:
        if path in (MANIFEST, STAGE):
            return False
        if self._begun and status.st_nlink > 1:
            return False  # it is in the output too, perhaps under another name
        time = status.st_mtime_ns
        is_later = time > self._former.time_ns and not (
            self._former.ahead and self._former.ahead.get(hidden(path)) == time
        )
        if self._former.others.get(recorded(path)) == status.st_ino:
            return is_later and status.st_nlink == 1  # with a second link, it is in the output too
        # The time of its status change does not help: removing its other link, in the output folder, changes it too.
        return is_later or not (path in self._own or hidden(path) in self._stale)

    def _is_new_folder(self, path: str) -> bool:
        is_own = path in self._own_folders or hidden(path) in self._stale
        return recorded(path) not in self._folders and not is_own

    @cached_property
    def _own_folders(self) -> frozenset[str]:
        """The folders above devlog's files: there may be as many new folders, so each is looked up."""
        return frozenset(folders_above(set(self._own)))

    def _carry(self, folder: Folder, name: str, path: str) -> bool:
        """Create a hard link to a file in the output folder, unless something is in the way."""
        try:
            with Cursor(self._top) as cursor:
                place = cursor.enter(path.rpartition("/")[0], create=True)
                os.link(name, name, src_dir_fd=folder.fd, dst_dir_fd=place.fd, follow_symlinks=False)
        except OSError:
            return False
        return True


def is_former(spare: Folder, former: Former | None) -> bool:
    """Whether a folder is the recorded former output folder, and has no manifest of a later build.

    If it has none, a program has removed that. Raises OSError.
    """
    if former is None or os.fstat(spare.fd).st_ino != former.folder:
        return False
    try:
        return spare.stat(MANIFEST).st_ino == former.manifest
    except FileNotFoundError:
        return True


def begin(spare: Folder, former: Former) -> None:
    """Mark the former output folder before a build works in it, so that the next one knows, should this one be killed.

    The time of its manifest is set back to before the exchange. The manifest itself stays, since it tells which files
    in the folder are devlog's. If there is none, a new one makes it another folder than the recorded one.

    Args:
        spare: the former output folder.
        former: the record of it.

    Raises:
        OSError: if the system reports an error.
    """
    try:
        fd = spare.create_file(MANIFEST)
    except FileExistsError:
        pass
    else:
        try:
            write_all(fd, msgspec.json.encode(Manifest()))
        finally:
            os.close(fd)
    time = former.time_ns - _BACK  # also that of a new one, which may have got the inode of the missing one
    os.utime(MANIFEST, ns=(time, time), dir_fd=spare.fd, follow_symlinks=False)


def was_begun(spare: Folder, former: Former) -> bool:
    """Whether a build has begun to work in the former output folder. Raises OSError."""
    try:
        return spare.stat(MANIFEST).st_mtime_ns < former.time_ns
    except FileNotFoundError:
        return False
