"""Open, check and remove devlog's own SQLite databases, which are not trusted: they may come with a checkout.

SQLite believes much of what it reads. So it reads nothing that could make it change other files, its statements have
a limit of steps until the schema is known to be devlog's, and a check of all pages tells whether there is as much in
them as they have room for.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import stat
import threading
from pathlib import Path
from typing import Literal

_MOST_STEPS = 1_000_000
"""How many steps a statement may take before the schema is known to be devlog's. It needs a few hundred, but pages that
lead to each other would keep SQLite busy for ever."""
_JOURNAL = bytes.fromhex("d9d505f920a163d7")
"""How a rollback journal ends that names another one; all journals begin with it."""
_STACK = 1 << 20
_STACK_OF_LEVEL = 4096
"""How many bytes of a thread's stack there are for a level of a tree. SQLite takes less than a tenth, and the system
gives only what is used; some want whole pages."""
_stacks = threading.Lock()  # the size is that of all new threads
_MOST_CHECKED = 1 << 19
"""The maximum number of pages of a database that can be checked: of a cache, 8 GiB."""


def open_own(
    path: Path, timeout: float, isolation_level: Literal["DEFERRED"] | None = "DEFERRED"
) -> sqlite3.Connection:
    """Open one of devlog's databases, and create it if it does not exist.

    If the database, or one of the files that SQLite keeps beside it, is not a regular file or has several hard links,
    it is removed first: it could have been placed there to make SQLite change another file before devlog can check
    it, create a file elsewhere, or wait for a pipe. If the folder is a symbolic link, which a commit can contain, it
    is not followed either: files there may have the same names, but are not devlog's.

    A rollback journal that names another file (its “super-journal”) is removed with the database: SQLite would delete
    that file. Those of devlog name none. They exist while a database is created, and where there is no shared memory
    for a write-ahead log. The same happens if one says that the database was longer than both files are: SQLite would
    make it so long.

    Call `trust` after the schema was checked.

    Args:
        path: the path of the database.
        timeout: how many seconds to wait for another process that has locked it.
        isolation_level: see `sqlite3.connect`.

    Raises:
        OSError: if its folder is a symbolic link, or a file cannot be removed.
        sqlite3.Error: if it cannot be opened, or its header says that it may only be read.
    """
    if path.parent.is_symlink():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path.parent))
    for file in _files(path):
        with contextlib.suppress(FileNotFoundError):
            status = file.lstat()
            if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
                file.unlink()
    journal = _beside(path, "-journal")
    if _names_a_file(journal) or _lengthens(journal, path):
        remove_own(path)
        journal.unlink(missing_ok=True)
    if not _may_be_written(path):
        raise sqlite3.DatabaseError("of a version that this one only reads")
    connection = sqlite3.connect(path, timeout=timeout, isolation_level=isolation_level, check_same_thread=False)
    connection.set_progress_handler(lambda: True, _MOST_STEPS)
    return connection


def _lengthens(journal: Path, path: Path) -> bool:
    """Whether a rollback journal says that its database was longer than both files are (file format, section 3)."""
    head = _start_of(journal, 28)
    pages, page = int.from_bytes(head[16:20]), int.from_bytes(head[24:28]) or _LONGEST_PAGE
    return len(head) == 28 and pages * page > _length(path) + _length(journal)


_LONGEST_PAGE = 1 << 16
"""SQLite takes 0 for the size that the database has."""


def _may_be_written(path: Path) -> bool:
    """Whether the versions in the header of a database let SQLite write it (file format, section 1.3)."""
    head = _start_of(path, 20)
    return len(head) < 20 or (head[18] in (1, 2) and head[19] in (1, 2))


def _start_of(path: Path, length: int) -> bytes:
    """The first bytes of a file; fewer if it has no more, or cannot be read."""
    with contextlib.suppress(OSError), path.open("rb") as file:
        return file.read(length)
    return b""


def _length(path: Path) -> int:
    """The length of a file in bytes; 0 if there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _names_a_file(journal: Path) -> bool:
    """Whether a rollback journal names another one (SQLite file format, section 3.1)."""
    try:
        with journal.open("rb") as file:
            file.seek(-len(_JOURNAL), os.SEEK_END)
            return file.read() == _JOURNAL
    except OSError:  # there is none, or it is shorter
        return False


def trust(connection: sqlite3.Connection) -> None:
    """Let statements of a database take any time, since its schema is devlog's."""
    connection.set_progress_handler(None, 0)


def is_sound(connection: sqlite3.Connection) -> bool:
    """Whether each page of a database is used once, so that it has no more content than its size.

    This reads all pages, and newer versions of SQLite check a full-text index, too.

    SQLite recurses for each level of a tree, of which a forged one may have as many as there are pages. So this runs in
    a thread whose stack has room for them.

    Args:
        connection: to the database, opened for any thread.

    Raises:
        Exception: if it cannot be read, of any type; one as of a busy database if there is no memory for the stack.
    """
    pages: int = connection.execute("PRAGMA page_count").fetchone()[0]
    if pages > _MOST_CHECKED:
        return False
    found: list[object] = []
    failed: list[Exception] = []

    def look() -> None:
        try:
            found.extend(connection.execute("PRAGMA quick_check(1)"))
        except Exception as error:
            failed.append(error)

    thread = threading.Thread(target=look)
    with _stacks:
        before = threading.stack_size(_STACK + pages * _STACK_OF_LEVEL)
        try:
            thread.start()
        except RuntimeError as error:
            unknown = sqlite3.OperationalError("not checked")
            unknown.sqlite_errorcode = sqlite3.SQLITE_BUSY  # nobody knows that it is damaged
            raise unknown from error
        finally:
            threading.stack_size(before)
    thread.join()
    if failed:
        raise failed[0]
    return found == [("ok",)]


def remove_own(path: Path) -> None:
    """Remove one of devlog's databases, and the files that SQLite keeps beside it, if possible."""
    with contextlib.suppress(OSError):  # there may be no permission to access the folder
        if path.parent.is_symlink():
            return
        for file in _files(path):
            with contextlib.suppress(OSError):
                file.unlink()


def _files(path: Path) -> list[Path]:
    """The files that SQLite keeps beside a database, then the database itself.

    The former are removed first, because otherwise SQLite would treat them as part of a new database.
    """
    return [_beside(path, suffix) for suffix in ("-wal", "-shm", "-journal", "")]


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(f"{path.name}{suffix}")


def is_busy(error: Exception) -> bool:
    """Whether the only problem is that another connection has locked the database."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)  # higher bits give details


def is_intact(error: Exception) -> bool:
    """Whether an error says nothing about a database but that it cannot be used now, as on a full or read-only disk."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in _OF_THE_MOMENT


_OF_THE_MOMENT = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_TOOBIG,
    }
)
