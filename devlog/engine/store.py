"""What earlier runs have worked out, by key: one SQLite file, every record checked when it is read.

The file may be damaged in any way, and reading it can raise more than SQLite's own errors: a `UnicodeDecodeError` for a
name in the schema, for instance. So any exception that the file brings about is a miss.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import stat
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Literal

from devlog.model.digest import digest_bytes

_TABLE = "record (key TEXT PRIMARY KEY, value BLOB NOT NULL, digest BLOB NOT NULL)"
_BATCH = 500  # variables of one query; SQLite's oldest limit is 999


def open_own(
    path: Path, timeout: float, isolation_level: Literal["DEFERRED"] | None = "DEFERRED"
) -> sqlite3.Connection:
    """Open a database of ours, made if need be.

    Where its name, or that of what SQLite keeps beside it, is no plain file or is another name of one, it is taken away
    first: whoever has put it there has chosen a file that SQLite would change before anything can be known of it, or
    make where nothing of ours belongs, or wait for. A link in place of its folder, which a commit can carry, is not
    followed either: what lies there may have our names, but is not ours.

    Args:
        path: of the database.
        timeout: how many seconds to wait for another process that has locked it.
        isolation_level: see `sqlite3.connect`.

    Raises:
        OSError: its folder is a link.
        sqlite3.Error: it cannot be opened.
    """
    if path.parent.is_symlink():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path.parent))
    for file in _files(path):
        with contextlib.suppress(OSError):
            status = file.lstat()
            if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
                file.unlink()
    return sqlite3.connect(path, timeout=timeout, isolation_level=isolation_level)


def remove_own(path: Path) -> None:
    """Remove a database of ours with what SQLite keeps beside it, as far as that is possible."""
    with contextlib.suppress(OSError):  # nobody may look at the folder
        if path.parent.is_symlink():
            return
        for file in _files(path):
            with contextlib.suppress(OSError):
                file.unlink()


def _files(path: Path) -> list[Path]:
    """A database and what SQLite keeps beside it, which goes first: it would be taken for a part of another one."""
    return [path.with_name(f"{path.name}{suffix}") for suffix in ("-wal", "-shm", "-journal", "")]


class Store:
    """Records by key. A record that is missing, damaged or foreign is a miss, never an error.

    Attributes:
        damaged: how many records did not pass their check.
        reads: whether what was there before counts.
    """

    def __init__(self, path: Path | None, *, read: bool = True, timeout: float = 30) -> None:
        """
        Args:
            path: the database, made if need be; `None` keeps records in memory.
            read: whether what is already there counts.
            timeout: how many seconds to wait for another process that has locked the database.
        """
        self.damaged = 0
        self._path = path
        self.reads = read
        self._timeout = timeout
        self._written: set[str] = set()
        self._connection = self._open()

    def _open(self) -> sqlite3.Connection:
        if self._path is None:
            return _prepared(sqlite3.connect(":memory:"))
        with contextlib.suppress(OSError):  # then opening fails as well
            self._path.parent.mkdir(parents=True, exist_ok=True)
        try:
            return _prepared(open_own(self._path, self._timeout))
        except Exception as error:
            if _is_busy(error):  # it is another's for now, and whole: the run goes on without it
                self._path = None
                return _prepared(sqlite3.connect(":memory:"))
            return self._reset()

    def _mend(self, error: Exception) -> None:
        """Begin anew after an error, unless another process only has the database to itself for now."""
        if not _is_busy(error):
            self._connection.close()
            self._connection = self._reset()

    def _reset(self) -> sqlite3.Connection:
        """Begin anew: what cannot be read is of no use."""
        self.damaged += 1
        if self._path is None:
            return _prepared(sqlite3.connect(":memory:"))
        remove_own(self._path)
        try:
            return _prepared(open_own(self._path, self._timeout))
        except Exception:  # a read-only place: the run goes on without a memory
            return _prepared(sqlite3.connect(":memory:"))

    def read(self, keys: Iterable[str]) -> dict[str, bytes]:
        """The records that are there, by key."""
        found: dict[str, bytes] = {}
        for some in _batches(keys):
            wanted = some if self.reads else [key for key in some if key in self._written]
            marks = ",".join("?" * len(wanted))
            try:
                rows = self._connection.execute(
                    f"SELECT key, value, digest FROM record WHERE key IN ({marks})",  # noqa: S608 - only marks
                    wanted,
                ).fetchall()
            except Exception as error:
                self._mend(error)
                continue
            for key, value, digest in rows:
                if isinstance(value, bytes) and digest == _digest(key, value):
                    found[key] = value
                else:
                    self.damaged += 1
        return found

    def contents(self, digests: Iterable[str]) -> dict[str, bytes]:
        """The records that are there under the digest of their own bytes, such as bodies.

        A record can be forged with a right digest of its own; the bytes that another record names by digest cannot.
        """
        return {key: value for key, value in self.read(digests).items() if digest_bytes(value) == key}

    def has(self, keys: Iterable[str]) -> set[str]:
        """Those of `keys` that have a record."""
        found: set[str] = set()
        for some in _batches(keys):
            wanted = some if self.reads else [key for key in some if key in self._written]
            marks = ",".join("?" * len(wanted))
            try:
                found.update(
                    row[0]
                    for row in self._connection.execute(
                        f"SELECT key FROM record WHERE key IN ({marks})",  # noqa: S608 - only marks
                        wanted,
                    )
                )
            except Exception as error:
                self._mend(error)
        return found

    def write(self, records: Mapping[str, bytes]) -> None:
        """Keep records. On a full or read-only disk, or where another process holds on, they are simply not kept."""
        rows = [(key, value, _digest(key, value)) for key, value in records.items()]
        for _ in range(2):
            try:
                with self._connection:
                    self._connection.executemany("INSERT OR REPLACE INTO record VALUES (?, ?, ?)", rows)
            except Exception as error:
                if _is_busy(error):
                    return
                memory = _prepared(sqlite3.connect(":memory:"))
                with contextlib.suppress(Exception):
                    self._connection.backup(memory)
                self._connection.close()
                self._connection = memory
            else:
                break
        self._written.update(records)

    def keep_only(self, keys: set[str], *, slack: int) -> None:
        """Forget records that are not among `keys`, once there are `slack` times as many as needed."""
        try:
            count = self._connection.execute("SELECT COUNT(*) FROM record").fetchone()[0]
            if count <= slack * max(len(keys), 50):
                return
            stale = [(row[0],) for row in self._connection.execute("SELECT key FROM record") if row[0] not in keys]
            with self._connection:
                self._connection.executemany("DELETE FROM record WHERE key = ?", stale)
            self._connection.execute("VACUUM")
        except Exception:  # it is whole but for what could not be removed
            return

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()


def _prepared(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Set a connection up. A database that holds anything but our table is refused before it is changed."""
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        schema = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
        if schema not in ([], [(f"CREATE TABLE {_TABLE}",)]):
            raise sqlite3.DatabaseError("not a store")  # noqa: TRY301 - it is closed below like any other
        connection.execute("PRAGMA page_size = 16384")  # counts while it is empty: most records fill many small ones
        connection.execute("PRAGMA journal_mode = WAL")
        # A power cut may lose the last records: they are worked out again.
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute(f"CREATE TABLE IF NOT EXISTS {_TABLE}")
    except Exception:
        connection.close()
        raise
    return connection


def _is_busy(error: Exception) -> bool:
    """Whether nothing is wrong but that another connection has locked the database."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)  # the rest says why


def _digest(key: str, value: bytes) -> bytes:
    """Tells damage, not malice: whoever can write here can write a right digest too."""
    made = blake2b(f"{len(key)} {key} ".encode(), digest_size=16)
    made.update(value)
    return made.digest()


def _batches(keys: Iterable[str]) -> Iterator[list[str]]:
    iterator = iter(keys)
    while some := list(islice(iterator, _BATCH)):
        yield some
