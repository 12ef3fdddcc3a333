"""What some systems do with files and folders, and Python has no function for: exchange two, rename one without
replacing another, make one look like another, tell whether one is being written.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial

Rename = Callable[[int, str, int, str], None]
"""Renames: takes an open folder and a name in it, twice. Raises OSError."""

_LINKS = os.link in os.supports_dir_fd and os.link in os.supports_follow_symlinks
_CALLS = {"linux": "renameat2", "darwin": "renameatx_np"}
_EXCHANGE = 2  # RENAME_EXCHANGE of Linux, and RENAME_SWAP of macOS
_KEEP = {"linux": 1, "darwin": 4}  # RENAME_NOREPLACE of Linux, and RENAME_EXCL of macOS
_NUMBERS = {"x86_64": 316, "aarch64": 276, "riscv64": 276}  # of the system call, for C libraries without a wrapper
_DEFAULT_ACCESS, _OWN_ACCESS = "system.posix_acl_default", "system.posix_acl_access"
_SET_ID = stat.S_ISUID | stat.S_ISGID


def exchanger() -> Rename:
    """A function that exchanges two files or folders. Raises OSError if the system has no such call."""
    return _renamer(_EXCHANGE)


def renamer() -> Rename:
    """A function that renames a file, but replaces none: it raises FileExistsError. Raises OSError if the system has no
    such call.
    """
    return _renamer(_KEEP.get(sys.platform, 0))


def _renamer(how: int) -> Rename:
    unsupported = OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    name = _CALLS.get(sys.platform, "")
    if not name or not _LINKS:
        raise unsupported
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    call: Callable[..., int]
    if hasattr(library, name):
        call = library[name]
    elif sys.platform == "linux" and os.uname().machine in _NUMBERS and sys.maxsize > 2**32:
        call = partial(library["syscall"], ctypes.c_long(_NUMBERS[os.uname().machine]))
    else:
        raise unsupported

    def rename(folder: int, name: str, other: int, other_name: str) -> None:
        names = ctypes.c_char_p(os.fsencode(name)), ctypes.c_char_p(os.fsencode(other_name))
        if call(ctypes.c_int(folder), names[0], ctypes.c_int(other), names[1], ctypes.c_uint(how)):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), name)

    return rename


def is_being_written(file: int) -> bool:
    """Whether a program has a file open for writing, as far as the system tells: Linux does of files of the user.

    Args:
        file: the file, open for reading.
    """
    if sys.platform != "linux":
        return False
    import fcntl
    import signal

    try:
        # A lease for reading is refused while a file is open for writing. If a program opened it before the lease ends,
        # a signal would follow: this one is ignored, unlike the usual one.
        fcntl.fcntl(file, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError as error:
        return error.errno == errno.EAGAIN
    return False


def imitate(source: int, target: int, *, fully: bool = True) -> None:
    """Copy the owner, the mode and the extended attributes of a file or a folder to another.

    Args:
        source: the open file or folder.
        target: the other one.
        fully: whether all must be copied. If not, what the system refuses is left out: an ordinary user cannot give
            files away, but to a group of theirs.

    Raises:
        OSError: if something cannot be copied that must be.
    """
    theirs, ours = os.fstat(source), os.fstat(target)
    attempt = partial(_attempt, fully=fully)
    mode = stat.S_IMODE(theirs.st_mode)
    if (theirs.st_uid, theirs.st_gid) != (ours.st_uid, ours.st_gid):
        if not fully:
            attempt(os.fchown, target, -1, theirs.st_gid)
        attempt(os.fchown, target, theirs.st_uid, theirs.st_gid)
        ours = os.fstat(target)
        if (theirs.st_uid, theirs.st_gid) != (ours.st_uid, ours.st_gid):
            mode &= ~_SET_ID  # it would run as somebody else
    if mode != stat.S_IMODE(ours.st_mode):
        attempt(os.fchmod, target, mode)
    if sys.platform == "linux":
        wanted, found = _attributes(source), _attributes(target)
        for name in found.keys() - wanted.keys():
            attempt(os.removexattr, target, name)
        for name, value in wanted.items():
            if found.get(name) != value:
                attempt(os.setxattr, target, name, value)


def inherit_access(parent: int, folder: int) -> None:
    """Give a folder, and what will be created in it, the access that all in another folder gets by its default access
    control list. Without one, what will be created in the folder gets none either. As far as the system can: there may
    be no such lists, or they may not be copied.

    Args:
        parent: the other open folder.
        folder: the open folder.
    """
    if sys.platform == "linux":
        with suppress(OSError):
            wanted = _attributes(parent).get(_DEFAULT_ACCESS)
            if wanted is not None:
                for name in (_DEFAULT_ACCESS, _OWN_ACCESS):  # a new folder gets the same list as its own
                    os.setxattr(folder, name, wanted)
            elif _DEFAULT_ACCESS in _attributes(folder):
                os.removexattr(folder, _DEFAULT_ACCESS)


def _attempt(call: Callable[..., None], *arguments: object, fully: bool) -> None:
    """Call the system. Raises OSError, but only if all must be copied."""
    try:
        call(*arguments)
    except OSError:
        if fully:
            raise


if sys.platform == "linux":

    def _attributes(file: int) -> dict[str, bytes]:
        """The extended attributes of a file or a folder, such as access control lists and security labels."""
        try:
            return {name: os.getxattr(file, name) for name in os.listxattr(file)}
        except OSError as error:
            if error.errno == errno.ENOTSUP:
                return {}
            raise
