"""What devlog keeps for a user outside of all sites: data that would run as code.

A site's own cache may have come with a checkout, or from another run of a continuous integration. What lies here was
written by this user, like Python's own compiled modules, and is used only if nobody else could have written it.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

MOST = 64
"""So many files are kept. Beyond them, the oldest are removed."""

_DIGEST = 32  # bytes before the data: a file that was cut off by a power failure must not run


def read(name: str) -> bytes:
    """Data that was kept.

    Args:
        name: under which it was kept, any text.

    Returns:
        The data; empty if there is none, or if it is damaged or could be someone else's.
    """
    folder = _folder()
    if not folder:
        return b""
    with suppress(OSError), (folder / _file_name(name)).open("rb") as file:
        if _is_own(os.fstat(file.fileno()), stat.S_IFREG):
            content = file.read()
            digest, data = content[:_DIGEST], content[_DIGEST:]
            return data if _digest(data) == digest else b""
    return b""


def write(name: str, data: bytes) -> None:
    """Keep data, as far as that is possible: without a folder for it, nothing happens.

    As with Python's own compiled modules, ``PYTHONDONTWRITEBYTECODE`` turns this off.

    Args:
        name: any text; data that was kept under it before is replaced.
        data: what to keep.
    """
    if sys.dont_write_bytecode:
        return
    with suppress(OSError):
        folder = _folder(create=True)
        if not folder:
            return
        number, file = tempfile.mkstemp(dir=folder, prefix=".")
        try:
            with open(number, "wb") as out:  # noqa: PTH123 - a file that is open already
                out.write(_digest(data) + data)
            Path(file).replace(folder / _file_name(name))
        except BaseException:
            Path(file).unlink()
            raise
        _remove_old(folder)


def _remove_old(folder: Path) -> None:
    files = [(entry.stat(follow_symlinks=False).st_mtime_ns, entry.path) for entry in os.scandir(folder)]
    for _, path in sorted(files, reverse=True)[MOST:]:
        Path(path).unlink(missing_ok=True)


def _folder(*, create: bool = False) -> Path | None:
    """The folder of the data; `None` if it does not exist, or if others may write to it."""
    folder = _named()
    if folder is None:
        return None
    if create:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(OSError):
        return folder if _is_own(folder.lstat(), stat.S_IFDIR) else None
    return None


def _named() -> Path | None:
    """The folder that ``DEVLOG_CACHE_DIR`` names, or one where the system keeps what programs can make again.

    Source: XDG Base Directory Specification, by which a relative path is ignored.
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
    # A home that does not exist is a way to say that there is none, and no home is made for a cache.
    return base / "devlog" if base.is_absolute() and (base.exists() or base.parent.is_dir()) else None


def _is_own(status: os.stat_result, kind: int) -> bool:
    """Whether this is a file of that kind which only this user can have written."""
    if stat.S_IFMT(status.st_mode) != kind:
        return False
    if sys.platform == "win32":  # the folder of a user is closed to others there, and modes say nothing
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _file_name(name: str) -> str:
    return blake2b(name.encode(), digest_size=16).hexdigest()


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=_DIGEST).digest()
