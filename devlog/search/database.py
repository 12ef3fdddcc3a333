"""The database of the search index: one SQLite file, which is rebuilt if it is damaged or out of date."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from devlog.engine.database import is_sound, open_own, remove_own, trust

INDEX = ".devlog/search.db"
"""The path of the index, relative to the site's folder."""

PER_TEXT = 4096
"""The number of section row ids reserved for each post, so that the rows of a post are consecutive."""

_PATIENCE = 10.0  # seconds to wait for another process that updates the index
_DOC = ", ".join(
    (
        "id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, file TEXT NOT NULL, digest TEXT NOT NULL",
        "companion TEXT NOT NULL, own TEXT NOT NULL, head BLOB NOT NULL, undated INTEGER NOT NULL",
        "byline INTEGER NOT NULL, line INTEGER NOT NULL, summary TEXT NOT NULL, title TEXT NOT NULL",
        "url TEXT NOT NULL, kind TEXT NOT NULL",
        "day TEXT NOT NULL, moment REAL, topic TEXT NOT NULL, tags TEXT NOT NULL, draft INTEGER NOT NULL",
        "starts REAL, ends REAL, seal TEXT NOT NULL",
    )
)
_SECTION = ", ".join(
    (
        "id INTEGER PRIMARY KEY, line INTEGER NOT NULL, level INTEGER NOT NULL",
        "fragment TEXT NOT NULL, source TEXT NOT NULL, accented_heading TEXT, accented_body TEXT, seal TEXT NOT NULL",
    )
)
"""What the index of words has without accents is stored as written, too, if it has any: see `devlog.search.accents`."""
_TEXT = 'title, heading, names, body, tokenize = "unicode61 remove_diacritics 0"'
_SCHEMA = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    f"CREATE TABLE doc ({_DOC})",
    f"CREATE TABLE section ({_SECTION})",
    "CREATE TABLE byline (id INTEGER PRIMARY KEY, names BLOB NOT NULL UNIQUE, keys TEXT NOT NULL, seal TEXT NOT NULL)",
    "CREATE TABLE person (name TEXT PRIMARY KEY, key TEXT NOT NULL) WITHOUT ROWID",
    f"CREATE VIRTUAL TABLE text USING fts5 ({_TEXT})",
)
_SHADOWS = "type = 'table' AND name IN ('text_data', 'text_idx', 'text_content', 'text_docsize', 'text_config')"
"""The internal tables of the full-text index. Any other unknown object, such as a trigger, is not from devlog."""

T = TypeVar("T")


class Database:
    """A connection to the index of a site.

    Attributes:
        in_memory: whether the index is only in memory, and so is lost when the process ends.
    """

    def __init__(self, path: Path, version: str) -> None:
        """
        Args:
            path: the file, created if necessary; if that is impossible, the index is kept in memory.
            version: identifies everything but the site that the index depends on; if it differs, the index is rebuilt.
        """
        self.in_memory = False
        self._path = path
        self._version = version
        self._is_left = False  # whether the file must not be written any more
        self.connection = self._open()

    def _open(self) -> sqlite3.Connection:
        with contextlib.suppress(OSError):  # opening the file fails too then
            self._path.parent.mkdir(exist_ok=True)  # in the site's folder, which is not made again after it was moved
        for _ in range(2):
            try:
                connection = self._prepared(self._connect())
            except Exception as error:  # damage can raise anything, such as UnicodeDecodeError for a name
                if is_busy(error):
                    break
                remove_own(self._path)
            else:
                return connection
        return self._in_memory()

    def _connect(self) -> sqlite3.Connection:
        return open_own(self._path, _PATIENCE, None)

    def _in_memory(self) -> sqlite3.Connection:
        self.in_memory = True
        return self._prepared(sqlite3.connect(":memory:", isolation_level=None))

    def _prepared(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        """Set up a connection. A database with anything but the index's tables is refused before it is changed."""
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA cell_size_check = ON")
            exists = self._check(connection)
            trust(connection)
            if exists and not is_sound(connection):
                raise sqlite3.DatabaseError("damaged")  # noqa: TRY301 - handled below like any other error
            if not self.in_memory:
                connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA temp_store = MEMORY")
            with transaction(connection):
                if not self._check(connection):  # another process may have created them meanwhile
                    self._make(connection)
        except Exception:
            connection.close()
            raise
        return connection

    def _check(self, connection: sqlite3.Connection) -> bool:
        """Whether the index's tables exist, or the database is empty.

        Raises:
            sqlite3.DatabaseError: there are other tables, or the index has another version.
        """
        shown = f"SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND NOT ({_SHADOWS}) ORDER BY rowid"  # noqa: S608
        present = [row[0] for row in connection.execute(shown)]
        if not present:
            return False
        if present != list(_SCHEMA):
            raise sqlite3.DatabaseError("not an index")
        known = connection.execute("SELECT value FROM meta WHERE key = 'version'").fetchone()
        if known != (self._version,):
            raise sqlite3.DatabaseError("another version")
        return True

    def _make(self, connection: sqlite3.Connection) -> None:
        for statement in _SCHEMA:
            connection.execute(statement)
        connection.execute("INSERT INTO meta VALUES ('version', ?)", (self._version,))

    def trying(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run a function on the index; if the index turns out to be damaged, run it again on a new, empty one.

        Args:
            work: the function, which must fill an empty index by itself.
        """
        try:
            return work(self.connection)
        except Exception as error:  # a damaged index can raise any type; a bug in devlog is raised again below
            if is_busy(error):
                raise
            self.renew()
        try:
            return work(self.connection)
        except sqlite3.DatabaseError:  # a full disk, a folder that is read-only
            self.connection.close()
            self.connection = self._in_memory()
        return work(self.connection)

    def renew(self) -> None:
        """Replace an unreadable index with a new, empty one."""
        self.connection.close()
        if self._is_left:
            self.connection = self._in_memory()
        else:
            remove_own(self._path)
            self.connection = self._open()

    def leave_file(self) -> None:
        """From now on, use a new index in memory, and leave that in the file as it is."""
        if not self._is_left:
            self._is_left = True
            self.connection.close()
            self.connection = self._in_memory()

    def close(self) -> None:
        """Close the file."""
        self.connection.close()


class transaction(contextlib.AbstractContextManager[None]):  # noqa: N801 - reads as a statement
    """A transaction: commits at the end of the block, or rolls back if an exception is raised."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self._connection.execute("COMMIT")
        elif self._connection.in_transaction:
            self._connection.execute("ROLLBACK")


def is_busy(error: Exception) -> bool:
    """Whether an error only means that another process is writing."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
