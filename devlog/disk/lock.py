"""One build of a site, and one process in a folder, at a time: the system takes a lock back when its holder dies."""

from __future__ import annotations

import errno
import os
import platform
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
_BUSY = {errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK, errno.EDEADLK}


@contextmanager
def lock(root: Path, file: str = ".devlog/lock", *, wait: float = 10.0) -> Iterator[Diagnostic | None]:
    """Hold the lock of a site for a ``with`` statement.

    Args:
        root: the site's folder.
        file: the lock file, relative to it; it is made when missing, and stays.
        wait: for how many seconds to wait when another process holds the lock.

    Yields:
        None when the lock is held; else the problem, and then nothing may be written.
    """
    folder, _, name = file.rpartition("/")
    try:
        with Folder.open(root) as top, Cursor(top) as cursor:
            fd = cursor.enter(folder, create=True).open_lock(name)
    except OSError as error:
        yield problems.cannot_write(file, describe(error))
        return
    try:
        try:
            holder = _acquire(fd, wait)
        except OSError as error:
            yield problems.cannot_write(file, describe(error))
            return
        if holder is not None:
            yield problems.locked(file, holder)
            return
        try:
            _sign(fd, f"process {os.getpid()} on {platform.node() or 'this machine'}")
            yield None
        finally:
            _sign(fd, "")
            with suppress(OSError):  # where there are no locks; closing the file lets go of any other
                _release(fd)
    finally:
        os.close(fd)


class BusyError(Exception):
    """Another process holds on to a folder."""


def open_alone(parent: Folder, name: str, *, create: bool = True, wait: float = 10.0) -> Folder:
    """Open a folder in which one process may work at a time. Whoever has it removes it when the work is done.

    Args:
        parent: the folder in which it lies.
        name: its name.
        create: make it when it is missing.
        wait: for how many seconds to wait while another process works in it.

    Returns:
        The folder, held until it is closed.

    Raises:
        BusyError: another process works in it.
        OSError: the system refuses.
    """
    deadline = time.monotonic() + wait
    while True:
        try:
            folder = parent.folder(name, create=create)
        except (FileExistsError, FileNotFoundError):  # made or removed by another process a moment ago
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
    """Take the lock of an open folder; whether it is ours, and the folder has not been removed meanwhile."""
    try:
        if not _try(folder.fd):
            return False
    except OSError:  # there are no locks of folders here, as on NFS
        return True
    try:
        return os.path.samestat(os.fstat(folder.fd), parent.stat(name))
    except OSError:
        return False


def _acquire(fd: int, wait: float) -> str | None:
    """Take the lock; else who holds it."""
    deadline = time.monotonic() + wait
    while not _try(fd):
        late = time.monotonic() - deadline
        holder = _holder(fd) if late >= 0 else ""
        # Between taking the lock and signing, and between the last stroke and releasing it, nobody's name is there.
        if holder or late > _NAMELESS_SECONDS:
            return holder
        time.sleep(_POLL_SECONDS)
    return None


if sys.platform == "win32":
    import msvcrt

    # A byte far behind the text: a locked byte cannot be read by others.
    def _try(fd: int) -> bool:
        os.lseek(fd, 1 << 20, os.SEEK_SET)
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno in _BUSY:
                return False
            raise
        return True

    def _release(fd: int) -> None:
        os.lseek(fd, 1 << 20, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    # Some network file systems have no locks; a site there is built without one.
    _UNSUPPORTED = {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}

    def _try(fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _BUSY:
                return False
            if error.errno not in _UNSUPPORTED:
                raise
        return True

    def _release(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_UN)


def _sign(fd: int, text: str) -> None:
    """Say in the file who holds it. Only for messages: a full disk must not keep the lock from working."""
    try:
        if os.fstat(fd).st_nlink > 1:  # under another name, it may be anybody's
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
