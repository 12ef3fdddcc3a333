"""Open, check and remove devlog's own SQLite databases, which are not trusted: they may come with a checkout.

SQLite believes much of what it reads. So it reads nothing that could make it change other files, its statements have
a limit of steps until the schema is known to be devlog's, and a check of all pages tells whether there is as much in
them as they have room for.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
import threading
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from devlog.engine.database_folder import BY_FOLDER, Home

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
        OSError: if its folder is a symbolic link or becomes one meanwhile, or a file cannot be removed.
        sqlite3.Error: if it cannot be opened, or its header says that it may only be read.
    """
    with Home(path.parent) as home:
        for name in _names(path):
            with contextlib.suppress(FileNotFoundError):
                status = home.status(name)
                if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
                    home.remove(name)
        journal = f"{path.name}-journal"
        if home.read(journal, len(_JOURNAL), at_end=True) == _JOURNAL or _lengthens(home, journal, path.name):
            _remove_all(home, path)
            home.remove(journal)
        head = home.read(path.name, 20)
        if not _may_be_written(head):
            raise sqlite3.DatabaseError("of a version that this one only reads")
        home.create(path.name)  # not by SQLite, which could do so elsewhere
        connection = _connected(path, timeout, isolation_level)
        try:
            _check_opened(connection, home, path.name, is_logged=head[18:20] == _LOGGED)
        except BaseException:
            connection.close()
            raise
    return connection


def _connected(path: Path, timeout: float, isolation_level: Literal["DEFERRED"] | None) -> sqlite3.Connection:
    """A connection to a file that exists. Where a link could have taken the place of its folder, none is created."""
    where, is_url = (f"file://{quote(os.fsencode(path.absolute()))}?mode=rw", True) if BY_FOLDER else (path, False)
    return sqlite3.connect(where, timeout=timeout, isolation_level=isolation_level, check_same_thread=False, uri=is_url)


def _check_opened(connection: sqlite3.Connection, home: Home, name: str, *, is_logged: bool) -> None:
    """Check that a connection has opened the files of a folder, before its first statement writes.

    SQLite opens the database at once, and what it keeps beside it with the first statement that reads. Both are checked
    then. What cannot be told:

    - While a link is in the place of the folder during that first statement, SQLite may take a journal of the same name
      there for that of the database, or create files without records. Nothing is written into the database there.
    - A database that does not exist yet has no write-ahead log before its caller has made its tables.
    - Where the system does not say which files are open (it does on Linux with ``/proc``, and on macOS), or if this
      process has the right one open already, a folder that is back in its place looks as if it had never been away.

    Raises:
        OSError: if the files are others.
        sqlite3.Error: if the database cannot be read.
    """
    home.check(name)
    connection.set_progress_handler(lambda: True, _MOST_STEPS)
    connection.execute("PRAGMA schema_version").fetchone()  # of all statements that read, this one believes least
    home.check(f"{name}-wal" if is_logged else name)


def _lengthens(home: Home, journal: str, name: str) -> bool:
    """Whether a rollback journal says that its database was longer than both files are (file format, section 3)."""
    head = home.read(journal, 28)
    pages, page = int.from_bytes(head[16:20]), int.from_bytes(head[24:28]) or _LONGEST_PAGE
    return len(head) == 28 and pages * page > home.length(name) + home.length(journal)


_LONGEST_PAGE = 1 << 16
"""SQLite takes 0 for the size that the database has."""
_LOGGED = b"\2\2"
"""The versions in the header of a database with a write-ahead log."""


def _may_be_written(head: bytes) -> bool:
    """Whether the versions in the header of a database let SQLite write it (file format, section 1.3)."""
    return len(head) < 20 or (head[18] in (1, 2) and head[19] in (1, 2))


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
    with contextlib.suppress(OSError), Home(path.parent) as home:  # there may be no permission to access the folder
        _remove_all(home, path)


def _remove_all(home: Home, path: Path) -> None:
    for name in _names(path):
        with contextlib.suppress(OSError):
            home.remove(name)


def _names(path: Path) -> list[str]:
    """The names of the files that SQLite keeps beside a database, then that of the database itself.

    The former are removed first, because otherwise SQLite would treat them as part of a new database.
    """
    return [f"{path.name}{suffix}" for suffix in ("-wal", "-shm", "-journal", "")]


def is_busy(error: Exception) -> bool:
    """Whether the only problem is that another connection has locked the database."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)  # higher bits give details


def is_read_only(error: Exception) -> bool:
    """Whether the problem is that the database, or a file beside it, may only be read."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF == sqlite3.SQLITE_READONLY


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
