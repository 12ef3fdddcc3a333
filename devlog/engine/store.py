"""The store of earlier results by key: one SQLite file, in which each record is verified when it is read.

The file may be damaged in any way, and reading it can raise more than SQLite's own errors, for example a
`UnicodeDecodeError` for a name in the schema. So any exception that the file causes counts as a miss.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any

from devlog.engine.database import is_busy, is_intact, is_sound, open_own, remove_own, trust
from devlog.model.digest import digest_bytes

_TABLE = "record (key TEXT PRIMARY KEY, value BLOB NOT NULL, digest BLOB NOT NULL)"
NO_CONTENTS: Mapping[str, bytes] = {}
FEW = 50
"""So many records are kept, however few are needed."""
SMALL = 1 << 24
"""So many bytes are kept, however few are needed."""
_BATCH = 500  # variables of one query; SQLite's oldest limit is 999
_MOST_UNWRITTEN = 1 << 28
"""How many bytes are kept in memory while the database cannot be written; what is made after that is lost."""
_MOST_HELD = 1 << 28
"""How many bytes the records of one query may have together before it is checked that each is stored by itself."""


def _memory() -> sqlite3.Connection:
    return sqlite3.connect(":memory:", check_same_thread=False)


class Store:
    """Records by key. A record that is missing, damaged or foreign is a miss, never an error.

    Attributes:
        damaged: the number of records whose digest was wrong, and of databases that could not be read.
        reads: whether to use existing records.
        failure: why what is written stays in memory, although the store has a path; `None` if nothing prevents more.
    """

    def __init__(self, path: Path | None, *, read: bool = True, timeout: float = 30) -> None:
        """
        Args:
            path: the path of the database, which is created if it does not exist; `None` to keep records in memory.
            read: whether to use existing records.
            timeout: how many seconds to wait for another process that has locked the database.
        """
        self.damaged = 0
        self.failure: Exception | None = None
        self._path = path
        self.reads = read
        self._timeout = self._patience = timeout
        self._written: set[str] = set()
        self._unwritten: dict[str, tuple[bytes, bytes]] = {}  # values and digests, until they can be written
        self._kept = 0  # how many bytes were put there
        self._gave_up = False  # whether nothing is to be written until `follow` or `close`
        self._opened: tuple[int, int] | None = None  # the identity of the file that is open; `None` for memory
        self._connection = self._open()

    def _open(self) -> sqlite3.Connection:
        if self._path is None:
            return _prepared(_memory())
        try:
            return self._of_file(self._path)
        except Exception as error:
            if is_intact(error):  # another process has locked it, or the disk is full: this run continues without it
                self._path, self.failure = None, error
                return _prepared(_memory())
            return self._reset()

    def _of_file(self, path: Path) -> sqlite3.Connection:
        with contextlib.suppress(OSError):  # then opening fails as well
            path.parent.mkdir(exist_ok=True)  # in the site's folder, which is not made again after it was moved
        connection = _prepared(open_own(path, self._timeout))
        self._patience = self._timeout
        self._opened = _identity(path)
        self.failure = None if os.access(path, os.W_OK) else PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return connection

    @property
    def _is_replaced(self) -> bool:
        """Whether the file that is open was removed, and another process may have made it anew."""
        if self._path is None or self._opened is None:
            return False
        now = _identity(self._path)
        return now == _GONE or now != self._opened

    def follow(self, needed: Iterable[str]) -> None:
        """Open the file at the path of the store if it is another one now, which other processes share.

        The file that is open still works after somebody has removed it, but no other process sees it. If the other one
        cannot be opened, it stays.

        What could not be written on a full disk gets another chance.

        Args:
            needed: the digests of the contents that this process may not be able to make again. The other file gets
                these, but no records: who has removed those may have wanted that.
        """
        self._gave_up = False
        if not self._is_replaced:
            return
        assert self._path
        if _identity(self._path.parent.parent) == _GONE:  # all of the site was removed, moved away or closed
            return
        now = Store(self._path, read=self.reads, timeout=self._timeout)
        if now._opened is None:
            now.close()
            return
        wanted = set(needed)
        for some in _batches(sorted(wanted - now.has(wanted))):
            now.write({}, self.contents(some))
        self.close()
        self._connection, self._opened = now._connection, now._opened
        self._unwritten, self._kept, self._patience = now._unwritten, now._kept, now._patience
        self.damaged += now.damaged
        self.failure = now.failure

    def _recover(self, error: Exception) -> None:
        """Replace the database after an error that says that it is damaged."""
        if not self._is_locked(error) and not is_intact(error):
            self._connection.close()
            # What another process has put in the place of a removed file is intact, as far as anybody knows.
            self._connection = self._open() if self._is_replaced else self._reset()

    def _is_locked(self, error: Exception) -> bool:
        """Whether another process has locked the database. If so, it is waited for only once: it may never end."""
        if not is_busy(error):
            return False
        self._wait(0)
        return True

    def _wait(self, seconds: float) -> None:
        """Wait so long from now on for another process that has locked the database."""
        if seconds != self._patience:
            self._patience = seconds
            with contextlib.suppress(Exception):
                self._connection.execute(f"PRAGMA busy_timeout = {round(1000 * seconds)}")

    def _reset(self) -> sqlite3.Connection:
        """Replace the database with an empty one, because it cannot be read."""
        self.damaged += 1
        self._opened = None
        if self._path is None:
            return _prepared(_memory())
        remove_own(self._path)
        try:
            return self._of_file(self._path)
        except Exception as error:  # the folder is read-only: this run continues without a cache on disk
            self.failure = error
            return _prepared(_memory())

    def read(self, keys: Iterable[str]) -> dict[str, bytes]:
        """The existing records of some keys, by key."""
        return self._intact(keys, lambda key, value, digest: digest == _digest(key, value))

    def contents(self, digests: Iterable[str]) -> dict[str, bytes]:
        """The existing contents with some digests, by digest. Unlike other records, they cannot be forged."""
        return self._intact(digests, lambda key, value, _: digest_bytes(value) == key)

    def _intact(self, keys: Iterable[str], is_intact: Callable[[str, bytes, object], bool]) -> dict[str, bytes]:
        """The existing records of some keys that are intact, according to their key, value and digest."""
        found: dict[str, bytes] = {}
        for key, value, digest in self._rows("key, value, digest", keys):
            if isinstance(value, bytes) and is_intact(key, value, digest):
                found[key] = value
            else:
                self.damaged += 1
        return found

    def has(self, keys: Iterable[str]) -> set[str]:
        """Those of `keys` that have a record."""
        return {row[0] for row in self._rows("key", keys)}

    def lengths(self, keys: Iterable[str]) -> dict[str, int]:
        """How many bytes the existing records of some keys have, by key, without reading them."""
        rows = self._rows("key, length(value)", keys)
        sizes = ((key, len(size) if isinstance(size, bytes) else size) for key, size in rows)  # or a value not written
        return {key: size for key, size in sizes if isinstance(size, int)}

    def _rows(self, columns: str, keys: Iterable[str]) -> Iterator[tuple[Any, ...]]:
        """The records of some keys, one for each, without those of a database that turns out to be damaged."""
        for some in _batches(keys):
            wanted = some if self.reads else [key for key in some if key in self._written]
            if self._unwritten:
                count = columns.count(",") + 1
                yield from ((key, *self._unwritten[key])[:count] for key in wanted if key in self._unwritten)
                wanted = [key for key in wanted if key not in self._unwritten]
            try:
                yield from self._rows_of(columns, wanted)
            except Exception as error:
                self._recover(error)

    def _rows_of(self, columns: str, wanted: Sequence[str]) -> list[tuple[Any, ...]]:
        """The records of some keys.

        Raises:
            sqlite3.DatabaseError: if a key has several, records are stored in the same pages, or there are some of
                other keys: somebody has forged them, and there may be any number.
            Exception: if the database is damaged, of any type.
        """
        marks, most = ",".join("?" * len(wanted)), len(wanted) + 1
        asked = f"SELECT {columns} FROM record WHERE key IN ({marks}) LIMIT {most}"  # noqa: S608 - names, marks, a number
        found, held, is_checked = list[tuple[Any, ...]](), 0, False
        for row in self._connection.execute(asked, wanted):
            found.append(row)
            held += sum(len(part) for part in row if isinstance(part, bytes | str))
            if held > _MOST_HELD and not is_checked:
                is_checked = True
                if not is_sound(self._connection):
                    raise sqlite3.DatabaseError("records in the same pages")
        if len(found) == most:
            raise sqlite3.DatabaseError("several records of one key")
        if not {row[0] for row in found} <= set(wanted):  # as an index gives that is not in order
            raise sqlite3.DatabaseError("records of other keys")
        return found

    def write(self, records: Mapping[str, bytes], contents: Mapping[str, bytes] = NO_CONTENTS) -> None:
        """Write records. If the disk is full or read-only, or another process has locked the file, this process alone
        has them, in memory and within a limit, until a later call can write them. A damaged database is replaced.

        Args:
            records: the records by key, for `read`.
            contents: bytes by their own digests, such as bodies, for `contents`.
        """
        if not self.reads:  # else all may be read, and the set would grow with each edit in a preview
            self._written.update(records, contents)
        rows = {key: (value, _digest(key, value)) for key, value in records.items()}
        rows |= {key: (value, b"") for key, value in contents.items()}  # their keys say whether they are intact
        if self._gave_up:
            self._keep(rows)
            return
        for _ in range(2):
            made = ((key, *row) for key, row in rows.items())
            kept = ((key, *row) for key, row in self._unwritten.items() if key not in rows)
            try:
                with self._connection:
                    self._connection.executemany("INSERT OR REPLACE INTO record VALUES (?, ?, ?)", made)
                    # Another process may have written newer ones meanwhile.
                    self._connection.executemany("INSERT OR IGNORE INTO record VALUES (?, ?, ?)", kept)
            except Exception as error:
                if self._is_locked(error):
                    self._keep(rows)
                    return
                if is_intact(error):
                    break
                self._recover(error)
            else:
                self._unwritten, self._kept = {}, 0
                self._wait(self._timeout)
                return
        self._gave_up = True
        self._keep(rows)

    def _keep(self, rows: Mapping[str, tuple[bytes, bytes]]) -> None:
        """Keep in memory what cannot be written yet, within a limit."""
        for key, row in rows.items():
            self._kept += len(row[0]) - len(self._unwritten.pop(key, _NOTHING)[0])
            if self._kept > _MOST_UNWRITTEN:
                self._kept -= len(row[0])
            else:
                self._unwritten[key] = row

    def remove(self, keys: Iterable[str]) -> None:
        """Delete records, if nothing prevents it."""
        gone = list(keys)
        for key in gone:
            self._kept -= len(self._unwritten.pop(key, _NOTHING)[0])
        try:
            with self._connection:
                self._connection.executemany("DELETE FROM record WHERE key = ?", [(key,) for key in gone])
        except Exception as error:
            self._recover(error)

    def keep_only(self, keys: set[str], *, slack: int) -> None:
        """Delete records that are not among `keys`, if there is more than `slack` times as much as needed.

        That is, so many records, or records with so many bytes: a few may be as large as all others. The database
        remembers how much of it was needed when bytes were last counted, so that they are only counted again when it
        has outgrown that, not after each edit.

        Args:
            keys: of the needed records. `FEW` and `SMALL` are always taken for needed.
            slack: how many times as much may stay.
        """
        most = max(0, slack * max(len(keys), FEW))
        counted = "SELECT COUNT(*) FROM (SELECT 1 FROM record LIMIT ?)"
        try:
            are_many = self._connection.execute(counted, [most + 1]).fetchone()[0] > most
            if not are_many and not self._is_large(self._noted, slack):
                return
            if not is_sound(self._connection):
                self._recover(sqlite3.DatabaseError("damaged"))
                return
            stale, share = self._divided(keys)
            needed = round(share * self._pages)
            if are_many or self._is_large(needed, slack):
                with self._connection:
                    self._connection.executemany("DELETE FROM record WHERE rowid = ?", stale)
                self._connection.execute("VACUUM")
                needed = self._pages
            self._connection.execute(f"PRAGMA user_version = {min(needed, _MOST_NOTED)}")
        except Exception as error:
            self._recover(error)

    def _divided(self, keys: set[str]) -> tuple[list[tuple[int]], float]:
        """The numbers of the records that are not among `keys`, and which share of all bytes the others have."""
        stale, needed, rest = list[tuple[int]](), 1, 0
        # Where a value begins in its page says how long it is, so none is read.
        for number, key, size in self._connection.execute("SELECT rowid, key, length(value) FROM record"):
            if key in keys:
                needed += size
            else:
                stale.append((number,))  # by which one without a key goes, too
                rest += size
        return stale, needed / (needed + rest)

    def _is_large(self, needed: int, slack: int) -> bool:
        """Whether the database has more than `slack` times as many pages as are needed; at least, more than these."""
        return self._pages > max(1, slack) * max(needed, SMALL // self._ask("page_size"))

    @property
    def _noted(self) -> int:
        """How many pages were needed when bytes were last counted; 0 if the note is damaged or forged."""
        noted = self._ask("user_version")
        return noted if 0 <= noted <= self._ask("page_count") else 0

    @property
    def _pages(self) -> int:
        """How many pages of the database are in use."""
        return self._ask("page_count") - self._ask("freelist_count")

    def _ask(self, name: str) -> int:
        """A number from the header of the database, which is read without any records."""
        value: int = self._connection.execute(f"PRAGMA {name}").fetchone()[0]
        return value

    def close(self) -> None:
        """Close the database, after another attempt to write what could not be written so far."""
        if self._unwritten:
            self._gave_up = False
            self.write({})
        self._connection.close()


_MOST_NOTED = (1 << 31) - 1
"""The largest number that the header of a database has room for."""
_GONE = (0, 0)
_NOTHING = (b"", b"")


def _identity(path: Path) -> tuple[int, int]:
    """What tells a file from all others that ever have its path; `_GONE` if there is none."""
    try:
        status = path.lstat()
    except OSError:
        return _GONE
    return status.st_dev, status.st_ino


def _prepared(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Set up a connection. A database with anything but devlog's table is rejected before it is changed."""
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        schema = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
        if schema not in ([], [(f"CREATE TABLE {_TABLE}",)]):
            raise sqlite3.DatabaseError("not a store")  # noqa: TRY301 - handled below like any other error
        connection.execute("PRAGMA page_size = 16384")  # only works for an empty database; most records are large
        connection.execute("PRAGMA journal_mode = WAL")
        # A power failure may lose the last records, which are then computed again.
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute(f"CREATE TABLE IF NOT EXISTS {_TABLE}")
        trust(connection)
        # A log that says that the database is larger than both files is believed until then, and grows for ever.
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    except Exception:
        connection.close()
        raise
    return connection


def _digest(key: str, value: bytes) -> bytes:
    """The digest of a record. It detects damage, not attacks: with write access, a correct digest can be forged."""
    made = blake2b(f"{len(key)} {key} ".encode(), digest_size=16)
    made.update(value)
    return made.digest()


def _batches(keys: Iterable[str]) -> Iterator[list[str]]:
    iterator = iter(keys)
    while some := list(islice(iterator, _BATCH)):
        yield some
