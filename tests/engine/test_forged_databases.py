"""A database that came with a checkout may have been made to harm: SQLite gets it only as far as it cannot."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import pytest
from forged_databases import (
    forge_depth,
    forge_journal,
    forge_key,
    forge_length,
    forge_rows,
    forge_schema,
    made,
)

from devlog.engine import store as stores
from devlog.engine.store import Store
from devlog.search.database import Database

SCHEMA = "CREATE TABLE record (key TEXT PRIMARY KEY, value BLOB NOT NULL, digest BLOB NOT NULL)"
INDEX = "sqlite_autoindex_record_1"


def open_store(path: Path) -> None:
    store = Store(path)
    store.write({"a": b"1"})
    assert store.read(["a"]) == {"a": b"1"}
    store.close()


def open_index(path: Path) -> None:
    with closing(Database(path, "1")) as database:
        assert not database.in_memory
        assert database.trying(lambda found: found.execute("SELECT count(*) FROM doc").fetchall()) == [(0,)]


@pytest.mark.parametrize("open_one", [open_store, open_index])
@pytest.mark.parametrize("is_absolute", [True, False])
def test_a_journal_deletes_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_one: Callable[[Path], None], *, is_absolute: bool
) -> None:
    (tmp_path / "site").mkdir()
    victim = tmp_path / "notes.txt"
    victim.write_text("of somebody else")
    monkeypatch.chdir(tmp_path / "site")
    database = tmp_path / "site" / "cache.db"
    forge_journal(database, str(victim) if is_absolute else "../notes.txt")
    open_one(database)
    assert victim.read_text() == "of somebody else"
    assert not (tmp_path / "site" / "cache.db-journal").exists()


def test_what_sqlite_does_with_a_journal(tmp_path: Path) -> None:
    """If this fails, the other tests show nothing."""
    (tmp_path / "notes.txt").write_text("of somebody else")
    forge_journal(tmp_path / "cache.db", str(tmp_path / "notes.txt"))
    with closing(sqlite3.connect(tmp_path / "cache.db")) as connection:
        connection.execute("SELECT * FROM sqlite_master").fetchall()
    assert not (tmp_path / "notes.txt").exists()


@pytest.mark.parametrize("open_one", [open_store, open_index])
def test_a_journal_that_cannot_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_one: Callable[[Path], None]
) -> None:
    """As in a folder that cannot be changed."""
    victim = tmp_path / "notes.txt"
    victim.write_text("of somebody else")
    forge_journal(tmp_path / "cache.db", str(victim))

    def refuse(_path: str, *, dir_fd: int | None = None) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "unlink", refuse)
    if open_one is open_store:
        open_store(tmp_path / "cache.db")
    else:
        with closing(Database(tmp_path / "cache.db", "1")) as database:
            assert database.in_memory
    assert victim.exists()


def test_a_journal_of_ones_own_is_used(tmp_path: Path) -> None:
    """As of a process that was killed where no log can be shared, or that still writes."""
    (tmp_path / "copy").mkdir()
    open_store(tmp_path / "cache.db")
    with closing(sqlite3.connect(tmp_path / "cache.db", isolation_level=None)) as connection:
        connection.executescript("PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; BEGIN; DELETE FROM record")
        connection.execute("INSERT INTO record SELECT 'b', zeroblob(1000000), x''")  # more than is kept in memory
        assert (tmp_path / "cache.db-journal").stat().st_size > 512
        for name in ("cache.db", "cache.db-journal"):
            shutil.copy(tmp_path / name, tmp_path / "copy" / name)
        connection.execute("ROLLBACK")
    with closing(Store(tmp_path / "copy" / "cache.db")) as store:
        assert store.read(["a", "b"]) == {"a": b"1"}
        assert store.damaged == 0


@pytest.mark.parametrize("open_one", [open_store, open_index])
@pytest.mark.parametrize("sized", [True, False])
def test_a_journal_makes_no_long_file(tmp_path: Path, open_one: Callable[[Path], None], *, sized: bool) -> None:
    """SQLite makes a database as long as its journal says that it was, which costs whoever copies it."""
    path = tmp_path / "cache.db"
    open_one(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    forge_length(path, 1 << 16, sized=sized)
    open_one(path)
    assert path.stat().st_size < 1 << 20


@pytest.mark.parametrize("open_one", [open_store, open_index])
def test_a_database_that_may_only_be_read_is_replaced(tmp_path: Path, open_one: Callable[[Path], None]) -> None:
    """The header says so: else nothing would be cached any more."""
    path = tmp_path / "cache.db"
    open_one(path)
    with path.open("r+b") as file:
        file.seek(18)
        file.write(b"\3")
    open_one(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE x (a)")


def test_a_check_that_finds_no_room_for_its_stack_removes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_index(tmp_path / "search.db")
    open_store(tmp_path / "cache.db")

    def refuse(_self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as full:
        full.setattr(threading.Thread, "start", refuse)
        with closing(Database(tmp_path / "search.db", "1")) as database:
            assert database.in_memory
        with closing(Store(tmp_path / "cache.db")) as store:
            store.keep_only(set(), slack=0)
    assert threading.stack_size() == 0
    with closing(Store(tmp_path / "cache.db")) as store:
        assert store.read(["a"]) == {"a": b"1"}


@pytest.mark.parametrize("wanted", [("key 1", "key 3"), ("key 1", "key 3", "key 4")])
def test_records_that_nobody_has_asked_for(tmp_path: Path, wanted: tuple[str, ...]) -> None:
    """SQLite reads on in an index while its keys are not too large, whatever they are."""
    path, other = tmp_path / "cache.db", "key 0"
    with closing(Store(path)) as store:
        store.write({"key 1": b"1", other: b"x"})
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            f"PRAGMA journal_mode = DELETE; UPDATE record SET key = 'key 2' WHERE key = '{other}'; VACUUM"
        )
    forge_key(path, INDEX, "key 2", other)
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("SELECT key FROM record WHERE key IN ('key 1', 'key 3')").fetchall()
        assert found == [("key 1",), (other,)], "else this test shows nothing"
    with closing(Store(path)) as store:
        assert store.read(wanted) == {}
        assert store.damaged == 1
        store.write({"key 1": b"1"})
        assert store.read(wanted) == {"key 1": b"1"}


@pytest.mark.parametrize("open_one", [open_store, open_index])
def test_a_schema_without_an_end(tmp_path: Path, open_one: Callable[[Path], None]) -> None:
    forge_schema(tmp_path / "cache.db", SCHEMA)
    open_one(tmp_path / "cache.db")


@pytest.mark.parametrize("tree", ["record", INDEX])
def test_records_without_an_end(tmp_path: Path, tree: str) -> None:
    made(tmp_path / "cache.db", f"{SCHEMA}; INSERT INTO record VALUES ('a', x'00', x'00')")
    forge_rows(tmp_path / "cache.db", tree)
    store = Store(tmp_path / "cache.db")
    store.keep_only(set(), slack=1)
    store.write({"b": b"1"})
    assert store.read(["b"]) == {"b": b"1"}
    store.close()


@pytest.mark.parametrize("values", ["x'00', x'00'", "x'', x''"])
def test_records_of_one_key_without_an_end(tmp_path: Path, values: str) -> None:
    for ask in (Store.read, Store.contents, Store.has):
        made(tmp_path / "cache.db", f"{SCHEMA}; INSERT INTO record VALUES ('a', {values})")
        forge_rows(tmp_path / "cache.db", INDEX)
        with closing(Store(tmp_path / "cache.db")) as store:
            assert not ask(store, ["a", "b"])
            assert store.damaged == 1
        (tmp_path / "cache.db").unlink()


@pytest.mark.parametrize("tree", ["doc", "byline", "person"])
def test_rows_of_the_index_without_an_end(tmp_path: Path, tree: str) -> None:
    path = tmp_path / "search.db"
    with closing(Database(path, "1")) as database:
        row: Mapping[str, object] = {"moment": None, "starts": None, "ends": None, "id": 1}
        columns = [found[1] for found in database.connection.execute("PRAGMA table_info(doc)")]
        marks = ", ".join("?" * len(columns))
        database.connection.execute(f"INSERT INTO doc VALUES ({marks})", [row.get(name, "") for name in columns])
        database.connection.execute("INSERT INTO byline VALUES (1, '', '', '')")
        database.connection.execute("INSERT INTO person VALUES ('a', 'a')")
        database.connection.execute("PRAGMA journal_mode = DELETE")
    forge_rows(path, tree)
    open_index(path)


@pytest.mark.slow
@pytest.mark.parametrize("is_index", [True, False])
def test_trees_of_very_many_levels(tmp_path: Path, *, is_index: bool) -> None:
    """SQLite calls itself for each when it checks them: in a thread like others, the process would crash."""
    path = tmp_path / "cache.db"
    if is_index:
        with closing(Database(path, "1")) as database:
            database.connection.execute("PRAGMA journal_mode = DELETE")
    else:
        values = ", ".join(f"('{number}', x'00', x'00')" for number in range(100))
        made(path, f"{SCHEMA}; INSERT INTO record VALUES {values}")
    forge_depth(path, "doc" if is_index else "record", 60_000)
    if is_index:
        open_index(path)
    else:
        with closing(Store(path)) as store:
            store.keep_only(set(), slack=1)
            store.write({"b": b"1"})
            assert store.read(["b"]) == {"b": b"1"}


def test_records_that_are_stored_in_the_same_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many keys with one value take the memory of many."""
    monkeypatch.setattr(stores, "_MOST_HELD", 1 << 20)
    path = tmp_path / "cache.db"
    keys = [str(number) for number in range(40)]
    store = Store(path)
    store.write(dict.fromkeys(keys, b"x" * 100000))
    assert len(store.read(keys)) == 40  # larger, but sound
    store.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    data = bytearray(path.read_bytes())
    size = 16384
    places = [place for place in range(len(data) - 4) if data[place : place + 4] == b"xxx\0"]
    starts = [int.from_bytes(data[place + 3 : place + 7]) for place in places]
    first = next(start for start in starts if 0 < start <= len(data) // size)
    for place, start in zip(places, starts, strict=True):
        if 0 < start <= len(data) // size:
            data[place + 3 : place + 7] = first.to_bytes(4)
    path.write_bytes(data)
    store = Store(path)
    assert store.read(keys) == {}
    assert store.damaged == 1
    store.close()
