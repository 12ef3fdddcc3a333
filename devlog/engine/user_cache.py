"""The user's cache, outside of all sites, for data that is run as code.

A site's own cache may have come with a checkout, or from another run of continuous integration. The data here was
written by this user, like Python's own compiled modules, and is used only if nobody else could have written it.
"""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

MOST = 64
"""The maximum number of files. If there are more, the oldest are removed."""

_LARGEST = 64 << 20
"""The maximum size of a file in bytes. The rest of a larger one is not read, so that it counts as damaged."""

_SUFFIX = ".devlog"
"""Tells devlog's files from those of other programs."""

_DIGEST = 32  # bytes before the data: a file that was truncated by a power failure must not be run


def read(name: str) -> bytes:
    """Read cached data.

    Args:
        name: the name under which it was written, any text.

    Returns:
        The data; empty if there is none, or if it is damaged or someone else could have written it.
    """
    folder = _folder()
    if not folder:
        return b""
    with suppress(OSError), open(folder / _file_name(name), "rb", opener=_open_at_once) as file:
        if _is_own(os.fstat(file.fileno()), stat.S_IFREG):
            content = file.read(_LARGEST)
            digest, data = content[:_DIGEST], content[_DIGEST:]
            return data if _digest(data) == digest else b""
    return b""


def _open_at_once(path: str, flags: int) -> int:
    """Open a file without waiting, as a pipe in its place would make it wait."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def write(name: str, data: bytes) -> None:
    """Cache data if possible. If there is no folder for it, nothing happens.

    As for Python's own compiled modules, ``PYTHONDONTWRITEBYTECODE`` turns this off.

    Args:
        name: any text; earlier data of this name is replaced.
        data: the data.
    """
    if sys.dont_write_bytecode:
        return
    import tempfile  # a build that has all in its caches writes nothing

    with suppress(OSError):
        folder = _folder(create=True)
        if not folder:
            return
        number, file = tempfile.mkstemp(dir=folder, prefix=".", suffix=_SUFFIX)
        try:
            with open(number, "wb") as out:  # noqa: PTH123 - a file that is open already
                out.write(_digest(data) + data)
            Path(file).replace(folder / _file_name(name))
        except BaseException:
            Path(file).unlink()
            raise
        _remove_old(folder)


def _remove_old(folder: Path) -> None:
    """Remove the oldest files, but none of other programs, whose folder it may be, too."""
    files = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(_SUFFIX) and entry.is_file(follow_symlinks=False):
                with suppress(FileNotFoundError):  # another process removed it, or gave it its name, meanwhile
                    files.append((entry.stat(follow_symlinks=False).st_mtime_ns, entry.path))
    for _, path in sorted(files, reverse=True)[MOST:]:
        Path(path).unlink(missing_ok=True)


def _folder(*, create: bool = False) -> Path | None:
    """The folder of the data; `None` if it does not exist, or if others may write to it."""
    with suppress(OSError):  # it may be in a folder of another user, as with sudo
        folder = _named()
        if folder and create:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder if folder and _is_own(folder.lstat(), stat.S_IFDIR) else None
    return None


def _named() -> Path | None:
    """The folder that ``DEVLOG_CACHE_DIR`` names, or one in the system's folder for caches.

    Source: XDG Base Directory Specification, which says that a relative path is ignored.
    """
    if own := os.environ.get("DEVLOG_CACHE_DIR"):
        return Path(own)
    home = Path(os.environ.get("HOME", ""))
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", ""))
    elif sys.platform == "darwin":
        base = home / "Library/Caches"
    else:
        named = Path(os.environ.get("XDG_CACHE_HOME", ""))
        base = named if named.is_absolute() else home / ".cache"
    # Some systems set a home that does not exist to say that there is none. It is not created for a cache.
    return base / "devlog" if base.is_absolute() and (base.exists() or base.parent.is_dir()) else None


def _is_own(status: os.stat_result, kind: int) -> bool:
    """Whether this is a file of that kind that only this user can have written."""
    if stat.S_IFMT(status.st_mode) != kind:
        return False
    if sys.platform == "win32":  # the folders of a user are closed to others there, and modes mean nothing
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _file_name(name: str) -> str:
    return blake2b(name.encode(), digest_size=16).hexdigest() + _SUFFIX


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=_DIGEST).digest()
