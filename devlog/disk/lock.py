"""Locks that allow one build of a site, and one process in a folder, at a time.

The system releases a lock when its holder dies.
"""

from __future__ import annotations

import errno
import os
import platform
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from devlog.disk import problems
from devlog.disk.folder import Cursor, Folder, describe, write_all
from devlog.model.diagnostic import Diagnostic

_POLL_SECONDS = 0.05
_NAMELESS_SECONDS = 1.0
_ATTEMPTS = 8  # some network file systems give a file another identity each time
_BUSY = {errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK, errno.EDEADLK}


def hold(fd: int) -> bool:
    """Lock an open file until it is closed. Return whether this is certain: locks may be held or not supported."""
    try:
        return _lock(fd)
    except OSError:
        return False


@contextmanager
def lock(root: Path, file: str = ".devlog/lock", *, wait: float = 10.0) -> Iterator[Diagnostic | None]:
    """Hold the lock of a site for a ``with`` statement.

    Args:
        root: the site's folder.
        file: the lock file, relative to it; it is created if it is missing, and stays.
        wait: how many seconds to wait if another process holds the lock.

    Yields:
        None if the lock is held; otherwise the problem, and then nothing may be written.
    """
    deadline = time.monotonic() + wait
    try:
        fd, holder = _locked(root, file, deadline)
        # While this process waited, somebody may have removed the file, and another process locked a new one.
        for _ in range(_ATTEMPTS):
            if holder is not None or _is_at(root, file, fd):
                break
            os.close(fd)
            fd, holder = _locked(root, file, deadline)
    except OSError as error:
        yield problems.cannot_write(file, describe(error))
        return
    try:
        if holder is not None:
            yield problems.locked(file, holder)
            return
        try:
            _sign(fd, f"process {os.getpid()} on {platform.node() or 'this machine'}")
            yield None
        finally:
            _sign(fd, "")
            with suppress(OSError):  # if locks are not supported; closing the file releases any other lock
                _release(fd)
    finally:
        os.close(fd)


def _locked(root: Path, file: str, deadline: float) -> tuple[int, str | None]:
    """The lock file, open, and its holder; `None` if that is this process."""
    folder, _, name = file.rpartition("/")
    with Folder.open(root) as top, Cursor(top) as cursor:
        fd = _opened(cursor.enter(folder, create=True), name)
    try:
        return fd, _acquire(fd, deadline)
    except BaseException:
        os.close(fd)
        raise


def _is_at(root: Path, file: str, fd: int) -> bool:
    """Whether an open file is still the one at a path."""
    try:
        return os.path.samestat(os.fstat(fd), (root / file).lstat())
    except OSError:
        return False


def _opened(folder: Folder, name: str) -> int:
    """The lock file, open. Whatever has taken its place is removed: devlog's own folder may come from a commit."""
    try:
        return folder.open_lock(name)
    except OSError as error:
        try:
            mode = folder.stat(name).st_mode
        except OSError:  # it cannot be created
            raise error from None
        if stat.S_ISREG(mode):
            raise
        folder.remove_any(name, is_folder=stat.S_ISDIR(mode))
        return folder.open_lock(name)


class BusyError(Exception):
    """Another process has locked a folder."""


def open_alone(parent: Folder, name: str, *, create: bool = True, wait: float = 10.0) -> Folder:
    """Open a folder in which one process may work at a time. The caller removes it when the work is done.

    Args:
        parent: the folder that contains it.
        name: its name.
        create: whether to create it if it is missing.
        wait: how many seconds to wait while another process works in it.

    Returns:
        The folder, locked until it is closed.

    Raises:
        BusyError: if another process works in it.
        OSError: if the system reports an error.
    """
    deadline = time.monotonic() + wait
    while True:
        try:
            folder = parent.folder(name, create=create)
        except (FileExistsError, FileNotFoundError):  # another process has just created or removed it
            if not create or time.monotonic() >= deadline:
                raise
        else:
            if folder.fd < 0 or _is_alone(folder, parent, name):
                return folder
            folder.close()
        if time.monotonic() >= deadline:
            raise BusyError
        time.sleep(_POLL_SECONDS)


def _is_alone(folder: Folder, parent: Folder, name: str) -> bool:
    """Lock an open folder. Return whether that succeeded, and the folder was not removed in the meantime."""
    try:
        if not _try(folder.fd):
            return False
    except OSError:  # the file system does not support locks on folders, as on NFS
        return True
    try:
        return os.path.samestat(os.fstat(folder.fd), parent.stat(name))
    except OSError:
        return False


def _acquire(fd: int, deadline: float) -> str | None:
    """Take the lock and return `None`, or return the holder when it is too late."""
    while not _try(fd):
        late = time.monotonic() - deadline
        holder = _holder(fd) if late >= 0 else ""
        # After a process has taken the lock, and before it releases it, the file is empty for a moment.
        if holder or late > _NAMELESS_SECONDS:
            return holder
        time.sleep(_POLL_SECONDS)
    return None


if sys.platform == "win32":
    import msvcrt

    # Lock a byte far after the text, because other processes cannot read a locked byte.
    def _lock(fd: int) -> bool:
        os.lseek(fd, 1 << 20, os.SEEK_SET)
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno in _BUSY:
                return False
            raise
        return True

    _try = _lock

    def _release(fd: int) -> None:
        os.lseek(fd, 1 << 20, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    # Some network file systems do not support locks; there, a site is built without one.
    _UNSUPPORTED = {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}

    def _lock(fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _BUSY:
                return False
            raise
        return True

    def _try(fd: int) -> bool:
        try:
            return _lock(fd)
        except OSError as error:
            if error.errno not in _UNSUPPORTED:
                raise
            return True

    def _release(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_UN)


def _sign(fd: int, text: str) -> None:
    """Write the holder's name into the file. It is only for messages: the lock must work even if the disk is full."""
    try:
        if os.fstat(fd).st_nlink > 1:  # it has another name, so it may be any file
            return
        os.ftruncate(fd, 0)
        os.lseek(fd, 0, os.SEEK_SET)
        write_all(fd, text.encode())
    except OSError:
        pass


def _holder(fd: int) -> str:
    try:
        os.lseek(fd, 0, os.SEEK_SET)
        text = os.read(fd, 200).decode(errors="replace")
    except OSError:
        return ""
    return "".join(character for character in text if character.isprintable())
