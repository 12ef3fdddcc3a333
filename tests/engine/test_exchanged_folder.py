"""A link takes the place of a database's folder while the database is opened: what lies behind it stays as it was."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from sites import read_tree

from devlog.engine import database
from devlog.engine.store import Store
from devlog.search.database import Database

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows lets nobody exchange a folder with open files")


def use_store(path: Path) -> None:
    with closing(Store(path)) as store:
        store.write({"a": b"1"})
        assert store.read(["a"]) == {"a": b"1"}


def use_index(path: Path) -> None:
    with closing(Database(path, "1")) as index:
        assert index.trying(lambda found: found.execute("SELECT count(*) FROM doc").fetchall()) == [(0,)]


def exchange(home: Path) -> None:
    home.rename(home.with_name("moved"))
    home.symlink_to(home.with_name("elsewhere"))


def put_back(home: Path) -> None:
    home.unlink()
    home.with_name("moved").rename(home)


@pytest.fixture(params=[use_store, use_index])
def use(request: pytest.FixtureRequest) -> Callable[[Path], None]:
    function: Callable[[Path], None] = request.param
    return function


@pytest.fixture(params=["nothing", "a database", "one with a log"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """The folder, without a database, and another one, which may have one of the same name."""
    home, elsewhere = tmp_path / ".devlog", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    with closing(sqlite3.connect(elsewhere / "cache.db" if request.param != "nothing" else ":memory:")) as theirs:
        if request.param == "one with a log":
            theirs.execute("PRAGMA journal_mode = WAL")
        theirs.execute("CREATE TABLE record (key TEXT PRIMARY KEY, value BLOB NOT NULL, digest BLOB NOT NULL)")
        theirs.commit()
        yield home


@contextmanager
def connecting(monkeypatch: pytest.MonkeyPatch, connect: Callable[..., sqlite3.Connection]) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setattr(database.sqlite3, "connect", connect)
        yield


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("returns", [True, False])
def test_exchanged_before_the_database_is_opened(
    use: Callable[[Path], None], home: Path, monkeypatch: pytest.MonkeyPatch, *, returns: bool, there: bool
) -> None:
    if there:
        use(home / "cache.db")
    before, others, connect = read_tree(home), read_tree(home.with_name("elsewhere")), sqlite3.connect

    def late(path: Any, **options: Any) -> sqlite3.Connection:
        if path == ":memory:" or home.is_symlink():
            return connect(path, **options)
        exchange(home)
        try:
            return connect(path, **options)
        finally:
            if returns:
                put_back(home)

    with connecting(monkeypatch, late):
        use(home / "cache.db")
    assert read_tree(home.with_name("elsewhere")) == others
    if not returns:
        after = read_tree(home.with_name("moved"))
        assert after == (before if there else {"cache.db": b""})


class Late(sqlite3.Connection):
    """A connection whose folder is exchanged when its first statement begins."""

    home: Path

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        if not self.home.is_symlink():
            exchange(self.home)
        return super().execute(sql, *values)


def test_exchanged_before_the_first_statement(
    use: Callable[[Path], None], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(home / "cache.db")
    before, others, connect = read_tree(home), read_tree(home.with_name("elsewhere")), sqlite3.connect

    def late(path: Any, **options: Any) -> sqlite3.Connection:
        return connect(path, **options, **({} if path == ":memory:" else {"factory": Late}))

    monkeypatch.setattr(Late, "home", home, raising=False)
    with connecting(monkeypatch, late):
        use(home / "cache.db")
    after = read_tree(home.with_name("elsewhere"))
    for name in ("cache.db", "cache.db-wal", "cache.db-journal"):  # the other one of SQLite's files has no records
        assert after.pop(name, b"") == others.get(name, b"")
    assert after.keys() <= {"cache.db-shm"}
    assert read_tree(home.with_name("moved"))["cache.db"] == before["cache.db"]


@pytest.mark.skipif(os.open not in os.supports_dir_fd, reason="needs folders that can be opened")
@pytest.mark.parametrize("listing", ["missing", "of the standard streams"])
def test_where_the_system_does_not_say_what_is_open(
    use: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listing: str
) -> None:
    if listing != "missing":
        for number in range(3):
            (tmp_path / listing / str(number)).mkdir(parents=True)
    monkeypatch.setattr("devlog.engine.database_folder._OPEN_FILES", tmp_path / listing)
    (tmp_path / "site ?#%20ä").mkdir()  # a name that means something else in a URL
    use(tmp_path / "site ?#%20ä" / "cache.db")
    assert (tmp_path / "site ?#%20ä" / "cache.db").stat().st_size
