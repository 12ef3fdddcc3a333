"""The store of earlier work is never believed: whatever happens to it, a build is as one without it."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from forged_databases import forge_log
from lumen import lumen
from sites import NOW, build_site, read_tree, write_site

import devlog.stages
from devlog.disk.manifest import MANIFEST
from devlog.engine import store as stores
from devlog.engine.store import Store
from devlog.model.digest import digest_bytes
from devlog.model.document import Body
from devlog.model.report import Report
from devlog.search.database import INDEX, Database
from devlog.stages import CACHE

REPOSITORY = Path(__file__).parent.parent.parent

# -- the store by itself


def test_what_is_written_can_be_read(tmp_path: Path) -> None:
    store = Store(tmp_path / "new/cache.db")
    store.write({"a": b"1", "b": b"", "c": bytes(100_000)})
    assert store.read(["c", "a", "missing", "b"]) == {"a": b"1", "b": b"", "c": bytes(100_000)}
    store.close()
    again = Store(tmp_path / "new/cache.db")
    assert again.read(["a"]) == {"a": b"1"}
    assert again.has(["a", "missing"]) == {"a"}
    assert again.damaged == 0
    again.close()


def test_lengths_are_known_without_reading(tmp_path: Path) -> None:
    values = {"a": b"1", "b": b"", "c": bytes(100_000)}
    store = Store(tmp_path / "cache.db")
    store.write(values)
    assert store.lengths(["c", "a", "missing", "b"]) == {"a": 1, "b": 0, "c": 100_000}
    store.close()


def test_a_database_with_pages_of_another_size_stays(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE record (key TEXT PRIMARY KEY, value BLOB NOT NULL, digest BLOB NOT NULL)")
        size = connection.execute("PRAGMA page_size").fetchone()
    for key in ("a", "b"):
        with closing(Store(path)) as store:
            store.write({key: b"1"})
    with closing(Store(path)) as store:
        assert store.read(["a", "b"]) == {"a": b"1", "b": b"1"}
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA page_size").fetchone() == size


def test_more_keys_than_one_query_holds(tmp_path: Path) -> None:
    store = Store(tmp_path / "cache.db")
    records = {str(number): str(number).encode() for number in range(1700)}
    store.write(records)
    assert store.read(records) == records
    assert store.has(records) == records.keys()
    store.close()


def test_without_reading_only_what_this_run_wrote_counts(tmp_path: Path) -> None:
    before = Store(tmp_path / "cache.db")
    before.write({"a": b"old", "b": b"old"})
    before.close()
    store = Store(tmp_path / "cache.db", read=False)
    assert (store.read(["a", "b"]), store.has(["a", "b"])) == ({}, set())
    store.write({"a": b"new"})
    assert (store.read(["a", "b"]), store.has(["a", "b"])) == ({"a": b"new"}, {"a"})
    store.close()


def test_what_is_of_no_use_is_forgotten_in_time(tmp_path: Path) -> None:
    store = Store(tmp_path / "cache.db")
    store.write({str(number): b"" for number in range(500)})
    store.keep_only({"1", "2"}, slack=10)  # at most ten times as many as needed, which are at least fifty
    assert len(store.has(map(str, range(500)))) == 500
    store.keep_only({"1", "2"}, slack=4)
    assert store.has(map(str, range(500))) == {"1", "2"}
    store.close()


@pytest.mark.parametrize("noted", [(1 << 31) - 1, 1 << 20, -1])
def test_a_forged_note_of_what_is_needed_keeps_nothing(noted: int, tmp_path: Path) -> None:
    """The database would grow for ever. Other numbers in its header that devlog does not use change nothing."""
    path = tmp_path / "cache.db"
    for number in range(10):
        with closing(Store(path)) as store:
            store.write({str(number): bytes(10_000_000)})
            store.keep_only({str(number)}, slack=4)
        if number == 0:
            with closing(sqlite3.connect(path)) as connection:
                connection.execute(f"PRAGMA user_version = {noted}")
                connection.execute("PRAGMA application_id = 1")
    with closing(Store(path)) as store:
        assert store.has(["0", "9"]) == {"9"}
        assert store.damaged == 0


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE record SET value = x'00'",
        "UPDATE record SET value = 'text'",
        "UPDATE record SET value = 1",
        "UPDATE record SET digest = x''",
        "UPDATE record SET digest = 0",
        # whole records, each under the key of the other
        (
            "UPDATE record SET key = 'c' WHERE key = 'a'; UPDATE record SET key = 'a' WHERE key = 'b';"
            "UPDATE record SET key = 'b' WHERE key = 'c'"
        ),
        "DELETE FROM record",
        "DROP TABLE record",
        "ALTER TABLE record RENAME COLUMN value TO worth",
        "DROP TABLE record; CREATE VIEW record AS SELECT 'a' AS key, x'00' AS value, x'00' AS digest",
        "CREATE TRIGGER t BEFORE INSERT ON record BEGIN SELECT RAISE(ABORT, 'no'); END; DELETE FROM record",
    ],
)
def test_damaged_records_are_misses(sql: str, tmp_path: Path) -> None:
    store = Store(tmp_path / "cache.db")
    store.write({"a": b"1", "b": b"2"})
    store.close()
    connection = sqlite3.connect(tmp_path / "cache.db")
    try:
        connection.executescript(sql)
        connection.commit()
    finally:
        connection.close()
    store = Store(tmp_path / "cache.db")
    assert store.read(["a", "b"]) == {}
    store.write({"a": b"1"})
    assert store.read(["a", "b"]) == {"a": b"1"}
    store.close()


def test_a_folder_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "cache.db").mkdir()
    store = Store(tmp_path / "cache.db")
    store.write({"a": b"1"})
    assert store.read(["a"]) == {"a": b"1"}
    store.close()


def test_the_database_of_another_program_stays_as_it_is(tmp_path: Path) -> None:
    """A link in the cache's place must not lead the store to change anything elsewhere."""
    other = tmp_path / "other.db"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    before = other.read_bytes()
    (tmp_path / "cache.db").symlink_to(other)
    store = Store(tmp_path / "cache.db")
    store.write({"a": b"1"})
    assert store.read(["a"]) == {"a": b"1"}
    store.close()
    assert other.read_bytes() == before
    assert not (tmp_path / "cache.db").is_symlink()


@pytest.mark.parametrize("there", [True, False])
def test_a_link_leads_nowhere(tmp_path: Path, there: bool) -> None:
    """Not even to an empty database, which anybody's tables fit, or to a file that is still to be made."""
    other = tmp_path / "elsewhere.db"
    if there:
        other.write_bytes(b"")
    (tmp_path / "cache.db").symlink_to(other)
    store = Store(tmp_path / "cache.db")
    store.write({"a": b"1"})
    store.close()
    assert other.exists() == there
    assert not there or other.read_bytes() == b""


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm", "-journal"])
def test_another_name_of_a_file_of_others_is_taken_away(tmp_path: Path, suffix: str) -> None:
    other = tmp_path / "elsewhere"
    other.write_bytes(b"")
    (tmp_path / f"cache.db{suffix}").hardlink_to(other)
    store = Store(tmp_path / "cache.db")
    store.write({"a": b"1"})
    assert store.read(["a"]) == {"a": b"1"}
    store.close()
    assert other.read_bytes() == b""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("suffix", ["", "-wal", "-shm", "-journal"])
def test_a_pipe_is_not_waited_for(tmp_path: Path, suffix: str) -> None:
    os.mkfifo(tmp_path / f"cache.db{suffix}")
    store = Store(tmp_path / "cache.db")
    store.write({"a": b"1"})
    assert store.read(["a"]) == {"a": b"1"}
    store.close()


def test_a_link_in_place_of_its_folder_is_not_followed(tmp_path: Path) -> None:
    """A commit can carry one; what lies there has the right name and is somebody else's."""
    (tmp_path / "elsewhere").mkdir()
    other = tmp_path / "elsewhere" / "cache.db"
    other.write_bytes(b"of somebody else")
    (tmp_path / ".devlog").symlink_to("elsewhere")
    store = Store(tmp_path / ".devlog" / "cache.db")
    store.write({"a": b"1"})
    assert store.read(["a"]) == {"a": b"1"}
    store.close()
    assert other.read_bytes() == b"of somebody else"
    other.unlink()
    Store(tmp_path / ".devlog" / "cache.db").close()
    assert list(other.parent.iterdir()) == []


def test_no_place_for_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    store = Store(tmp_path / "file/cache.db")
    store.write({"a": b"1"})
    assert store.read(["a"]) == {"a": b"1"}
    store.close()


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A database with one record that another process may hold on to."""
    store = Store(tmp_path / "cache.db")
    store.write({"a": b"1"})
    store.close()
    return tmp_path / "cache.db"


def held(path: Path) -> sqlite3.Connection:
    """A connection that keeps all others out until it is closed."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("BEGIN EXCLUSIVE")
    return connection


def test_what_another_process_has_locked_is_a_miss_and_stays(shared: Path) -> None:
    store = Store(shared, timeout=0)
    store._connection.execute("PRAGMA journal_mode = DELETE")  # as where processes cannot share memory: nobody reads
    with closing(held(shared)):
        assert store.read(["a"]) == {}
        assert store.has(["a"]) == set()
        store.write({"b": b"2"})
        assert (store.read(["a", "b"]), store.has(["a", "b"])) == ({"b": b"2"}, {"b"})
    assert store.read(["a", "b"]) == {"a": b"1", "b": b"2"}  # it is the same file
    store.close()
    again = Store(shared)
    assert again.read(["a", "b"]) == {"a": b"1", "b": b"2"}
    assert (store.damaged, again.damaged) == (0, 0)
    again.close()


def test_what_another_process_writes_can_be_read_meanwhile(shared: Path) -> None:
    store = Store(shared, timeout=0)
    with closing(sqlite3.connect(shared)) as other:
        other.execute("BEGIN IMMEDIATE")
        store.write({"b": b"2"})
        assert store.read(["a", "b"]) == {"a": b"1", "b": b"2"}
    store.write({"c": b"3"})
    with closing(Store(shared)) as again:
        assert again.read("abc") == {"a": b"1", "b": b"2", "c": b"3"}
    store.close()


def test_another_process_is_waited_for_once(shared: Path) -> None:
    """It may have been stopped, or edit the database by hand; a build writes for each page."""
    store = Store(shared, timeout=0.1)

    def patience() -> int:
        found: int = store._connection.execute("PRAGMA busy_timeout").fetchone()[0]
        return found

    assert patience() == 100
    with closing(sqlite3.connect(shared)) as other:
        other.execute("BEGIN IMMEDIATE")
        store.write({"b": b"2"}, {digest_bytes(b"3"): b"3"})
        assert patience() == 0
        store.remove(["a"])
        store.remove(["b"])
        assert store.read(["a", "b"]) == {"a": b"1"}
        assert store.contents([digest_bytes(b"3")]) == {digest_bytes(b"3"): b"3"}
        assert store.lengths(["a", digest_bytes(b"3")]) == {"a": 1, digest_bytes(b"3"): 1}
    store.write({})
    assert patience() == 100
    store.close()
    with closing(Store(shared)) as again:
        assert again.contents([digest_bytes(b"3")]) == {digest_bytes(b"3"): b"3"}


def test_what_another_process_has_written_meanwhile_stays(shared: Path) -> None:
    store = Store(shared, timeout=0)
    with closing(sqlite3.connect(shared)) as other:
        other.execute("BEGIN IMMEDIATE")
        store.write({"b": b"old", "c": b"3"})
        other.commit()
        with closing(Store(shared)) as newer:
            newer.write({"b": b"new"})
    store.close()
    with closing(Store(shared)) as again:
        assert again.read("bc") == {"b": b"new", "c": b"3"}


def test_memory_is_limited_while_another_process_writes(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "_MOST_UNWRITTEN", 10)
    store = Store(shared, timeout=0)
    with closing(sqlite3.connect(shared)) as other:
        other.execute("BEGIN IMMEDIATE")
        for number in range(9):
            store.write({f"k{number}": b"1234"})
        assert store.has(f"k{number}" for number in range(9)) == {"k0", "k1"}
        store.write({"k0": b"1"})
        store.write({"k1": b"12345678901"})  # the former one is no longer true, and there is no room for this one
        store.write({"k2": b"12345"})
        assert store.read(f"k{number}" for number in range(9)) == {"k0": b"1", "k2": b"12345"}
    store.write({"k8": b"1234"})
    assert store.has(f"k{number}" for number in range(9)) == {"k0", "k2", "k8"}
    store.close()


def test_what_is_locked_at_first_is_left_alone(shared: Path) -> None:
    with closing(held(shared)):
        store = Store(shared, timeout=0)
    assert store.read(["a"]) == {}
    store.write({"b": b"2"})
    assert store.read(["b"]) == {"b": b"2"}
    store.close()
    again = Store(shared)
    assert again.read(["a", "b"]) == {"a": b"1"}
    assert (store.damaged, again.damaged) == (0, 0)
    again.close()


# -- a file that is removed while it is open

LONG = b"a body" * 9
BODY = digest_bytes(LONG)


@pytest.mark.parametrize("key", ["CAST(x'ff' AS TEXT)", "NULL", "x'00'"])
def test_keys_that_are_no_text_are_forgotten_with_the_others(tmp_path: Path, key: str) -> None:
    path = tmp_path / "cache.db"
    with closing(Store(path)) as store:
        store.write({f"old{number}": b"x" for number in range(100)})
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"INSERT INTO record VALUES ({key}, x'00', x'00')")
        connection.commit()
    with closing(Store(path)) as store:
        store.write({"new": b"x"})
        store.keep_only({"new"}, slack=1)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM record").fetchone()[0] <= 1


def test_a_database_that_cannot_take_records_because_it_is_damaged_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    with closing(Store(path)) as store:
        store.write({"old": b"x", "large": bytes(200_000)})
        store.remove(["large"])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    data = bytearray(path.read_bytes())
    first_free, number_of_leaves = int.from_bytes(data[32:36]), 4
    place = (first_free - 1) * int.from_bytes(data[16:18]) + number_of_leaves
    data[place : place + 4] = b"\x7f\xff\xff\xff"
    path.write_bytes(data)
    with closing(Store(path)) as store:
        assert store.read(["old"]) == {"old": b"x"}
        store.write({"new": bytes(100_000)})
        assert store.damaged == 1
    with closing(Store(path)) as store:
        assert store.read(["old", "new"]) == {"new": bytes(100_000)}
        assert store.damaged == 0


class Failing(sqlite3.Connection):
    """As SQLite for its shared memory on a full disk, or when processes open a database at the same time."""

    code = sqlite3.SQLITE_IOERR
    verb = ""

    def execute(self, sql: str, *values: object) -> sqlite3.Cursor:  # type: ignore[override]
        if self.verb and sql.startswith(self.verb):
            error = sqlite3.OperationalError("of the moment")
            error.sqlite_errorcode = self.code
            raise error
        return super().execute(sql, *values)  # type: ignore[arg-type]


@pytest.mark.parametrize("verb", ["PRAGMA journal_mode", "SELECT key, value", "DELETE"])
@pytest.mark.parametrize("code", [sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_FULL])
def test_errors_of_the_moment_remove_nothing(
    verb: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "cache.db"
    with closing(Store(path)) as store:
        store.write({"old": b"x"})
    connect = sqlite3.connect
    with monkeypatch.context() as patch:
        patch.setattr(Failing, "code", code)
        patch.setattr(Failing, "verb", verb)
        patch.setattr(sqlite3, "connect", lambda path, **options: connect(path, factory=Failing, **options))
        if verb == "PRAGMA journal_mode":  # databases in memory have no journal
            patch.setattr(stores, "_memory", lambda: connect(":memory:"))
        with closing(Store(path)) as store:
            store.read(["old"])
            store.keep_only({"new"}, slack=0)
            assert store.damaged == 0
    with closing(Store(path)) as store:
        assert store.read(["old"]) in ({"old": b"x"}, {})
        assert store.damaged == 0


def test_a_value_that_is_too_long_removes_nothing(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "cache.db")) as store:
        store.write({"old": b"x"})
        store._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 1000)
        store.write({"new": bytes(2000)})
        assert store.read(["old", "new"]) == {"old": b"x", "new": bytes(2000)}
        assert store.damaged == 0


def test_a_log_that_makes_its_database_large_is_not_kept(tmp_path: Path) -> None:
    """Else no checkpoint succeeds, and the log grows with each edit."""
    path, copy = tmp_path / "cache.db", tmp_path / "copy" / "cache.db"
    copy.parent.mkdir()
    with closing(Store(path)) as store:
        store.write({"old": b"x"})
        for name in ("cache.db", "cache.db-wal"):
            shutil.copy(tmp_path / name, copy.parent / name)
    forge_log(copy, 1 << 17)
    with closing(Store(copy)) as store:
        assert store.damaged == 1
        for number in range(50):
            store.write({str(number): bytes(50_000)})
    assert not copy.with_name("cache.db-wal").exists()


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was written before stays, and what cannot be written is in memory within the limit, until it can be."""
    path = tmp_path / "cache.db"
    monkeypatch.setattr(stores, "_MOST_UNWRITTEN", 300_000)
    with closing(Store(path)) as store, closing(Store(path)) as other:
        store.write({"old": b"x"})
        store._connection.execute("PRAGMA max_page_count = 4")
        for number in range(4):
            store.write({f"new{number}": bytes(100_000)})
        keys = ["old", *(f"new{number}" for number in range(4))]
        assert sorted(store.read(keys)) == ["new0", "new1", "new2", "old"]
        assert [*other.read(keys)] == ["old"]
        assert store.damaged == 0
        store._connection.execute("PRAGMA max_page_count = 4000")
        store.write({"last": b"x"})
        assert [*other.read([*keys, "last"])] == ["old"], "each attempt would write all of it again"
        store.follow([])
        store.write({"next": b"x"})
        assert sorted(other.read([*keys, "next"])) == ["new0", "new1", "new2", "next", "old"]


@pytest.fixture
def removed(tmp_path: Path) -> Iterator[Store]:
    """A store whose folder was removed."""
    (tmp_path / "site").mkdir()
    store = Store(tmp_path / "site/.devlog/cache.db", timeout=0)
    store.write({"a": b"1"}, {BODY: LONG, digest_bytes(b"other"): b"other"})
    shutil.rmtree(tmp_path / "site/.devlog")
    yield store
    store.close()


@pytest.mark.parametrize("other", [True, False])
def test_a_file_that_was_removed_is_followed(removed: Store, tmp_path: Path, other: bool) -> None:
    with closing(Store(tmp_path / "site/.devlog/cache.db") if other else Store(None)) as anew:
        anew.write({"b": b"2"})
        assert removed.read(["a", "b"]) == {"a": b"1"}  # it still works
        removed.follow([BODY, "unknown"])
        assert removed.read(["a", "b"]) == ({"b": b"2"} if other else {})
        assert removed.contents([BODY, digest_bytes(b"other")]) == {BODY: LONG}
        removed.write({"c": b"3"})
        assert anew.read(["b", "c"]) == ({"b": b"2", "c": b"3"} if other else {"b": b"2"})
        before = removed._connection
        removed.follow([])
        assert removed._connection is before
    with closing(Store(tmp_path / "site/.devlog/cache.db")) as again:
        assert again.read(["b", "c"]) == ({"b": b"2", "c": b"3"} if other else {"c": b"3"})
        assert again.contents([BODY]) == {BODY: LONG}
        assert removed.damaged == again.damaged == 0


def test_what_is_needed_stays_if_the_other_file_is_locked(removed: Store, tmp_path: Path) -> None:
    path = tmp_path / "site/.devlog/cache.db"
    with closing(Store(path)), closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        removed.follow([BODY])
        assert removed.contents([BODY]) == {BODY: LONG}
    removed.write({})
    with closing(Store(path)) as again:
        assert again.contents([BODY]) == {BODY: LONG}
        assert again.read(["a"]) == {}


def test_an_error_of_a_removed_file_leaves_the_other_one(removed: Store, tmp_path: Path) -> None:
    with closing(Store(tmp_path / "site/.devlog/cache.db")) as anew:
        anew.write({"b": b"2"})
        removed._connection.close()
        assert removed.read(["b"]) == {}
        assert removed.read(["b"]) == anew.read(["b"]) == {"b": b"2"}
    assert removed.damaged == 0


@pytest.mark.parametrize("place", ["a file", "a link", "a damaged one", "nothing, not even the site"])
def test_what_cannot_be_followed(removed: Store, tmp_path: Path, place: str) -> None:
    folder = tmp_path / "site/.devlog"
    if place == "a file":
        folder.write_bytes(b"")
    elif place == "a link":
        (tmp_path / "elsewhere").mkdir()
        folder.symlink_to(tmp_path / "elsewhere")
    elif place == "a damaged one":
        folder.mkdir()
        (folder / "cache.db").write_bytes(b"no database" * 999)
    else:
        (tmp_path / "site").rmdir()
    removed.follow([BODY])
    assert removed.contents([BODY]) == {BODY: LONG}
    assert removed.read(["a"]) == ({} if place == "a damaged one" else {"a": b"1"})
    assert (tmp_path / "site").exists() != place.startswith("nothing")
    if place == "a link":
        assert list((tmp_path / "elsewhere").iterdir()) == []


def test_the_folder_of_a_site_that_was_moved_is_not_made_again(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "moved" / CACHE)) as store:
        store.write({"a": b"1"})
    with closing(Database(tmp_path / "moved" / INDEX, "1")) as database:
        assert database.in_memory
    assert list(tmp_path.iterdir()) == []


# -- whole builds


def result(root: Path) -> dict[str, bytes]:
    files = read_tree(root / "public")
    files.pop(MANIFEST, None)
    return files


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], Report]:
    root = write_site(tmp_path_factory.mktemp("clean"), lumen())
    report = build_site(root)
    assert report.diagnostics
    return result(root), report


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write_site(tmp_path / "site", lumen())
    build_site(root)
    return root


def rebuilds_cleanly(root: Path, clean: tuple[dict[str, bytes], Report]) -> Report:
    """Build without the output of before, so that everything has to come through the store."""
    manifest = root / "public" / MANIFEST
    for path in result(root):
        (root / "public" / path).unlink()
    assert manifest.exists()
    report = build_site(root)
    assert result(root) == clean[0]
    # A cache that cannot be removed, such as a folder in its place, is reported beside what the site is about.
    found = tuple(problem for problem in report.diagnostics if problem.code != "unusable-cache")
    assert (found, report.skipped) == (clean[1].diagnostics, clean[1].skipped)
    return report


@pytest.mark.slow
def test_a_hit_replays_diagnostics(root: Path, clean: tuple[dict[str, bytes], Report]) -> None:
    """Those of parsing as well: here one about front matter."""
    write_site(root, {"content/odd.md": "---\ntitle: Odd\nautor: nobody\n---\n\n{{< nothing >}}\n"})
    first, second = build_site(root), build_site(root)
    assert (first.parsed, second.parsed) == (1, 0)
    assert second.diagnostics == first.diagnostics
    assert {"content/odd.md"} < {item.span.path for item in first.diagnostics}


def flipped(data: bytes, position: int) -> bytes:
    changed = bytearray(data)
    changed[position] ^= 0xFF
    return bytes(changed)


@pytest.mark.slow
def test_flipped_bytes(root: Path, clean: tuple[dict[str, bytes], Report]) -> None:
    """The header's bytes one by one, and samples of the rest."""
    cache = root / ".devlog/cache.db"
    whole = cache.read_bytes()
    positions = [*range(0, 100, 5), *range(100, len(whole), max(1, len(whole) // 60))]
    misses = 0
    for position in positions:
        cache.write_bytes(flipped(whole, position))
        misses += rebuilds_cleanly(root, clean).parsed > 0
    assert misses > 5  # so the damage did hit what is used


@pytest.mark.slow
def test_any_byte_of_the_schema(tmp_path: Path) -> None:
    """What SQLite reads there is decoded as text, which can raise more than its own errors."""
    path = tmp_path / "cache.db"
    with closing(Store(path)) as store:
        store.write({"a": b"1"})
    whole = path.read_bytes()
    schema = whole.rindex(b"CREATE TABLE", 0, 16384)
    damaged = 0
    for position in [*range(100), *range(schema - 60, 16384)]:
        path.write_bytes(flipped(whole, position))
        with closing(Store(path)) as store:
            assert store.read(["a"]) in ({}, {"a": b"1"})
            store.write({"a": b"2"})
            assert store.read(["a"])["a"] in (b"1", b"2")  # the first where damage hides it from what replaces records
            damaged += store.damaged > 0
    assert damaged > 50


@pytest.mark.slow
def test_a_forged_body_is_not_published(root: Path, clean: tuple[dict[str, bytes], Report]) -> None:
    """A record with a right digest of its own, whose bytes are not those that it is named after."""
    with closing(sqlite3.connect(root / ".devlog/cache.db")) as connection:
        rows = connection.execute("SELECT key, value FROM record").fetchall()
        bodies = {key: value for key, value in rows if digest_bytes(value) == key}
        assert bodies
    forged = msgspec.msgpack.encode(Body(("<script>alert(1)</script>",)))
    with closing(Store(root / ".devlog/cache.db")) as store:
        store.write(dict.fromkeys(bodies, forged))
    rebuilds_cleanly(root, clean)


@pytest.mark.slow
def test_records_of_another_shape_are_misses(root: Path, clean: tuple[dict[str, bytes], Report]) -> None:
    """Rightly written records that are not what is looked for."""
    with closing(Store(root / ".devlog/cache.db")) as store:
        keys = [row[0] for row in store._connection.execute("SELECT key FROM record")]
        store.write(dict.fromkeys(keys, msgspec.msgpack.encode(["\u20ac", 1])))
    rebuilds_cleanly(root, clean)
    with closing(Store(root / ".devlog/cache.db")) as store:
        store.write(dict.fromkeys(keys, b"\xa3\xff\xff\xff"))  # a text that is no UTF-8
    rebuilds_cleanly(root, clean)


@pytest.mark.slow
def test_truncation(root: Path, clean: tuple[dict[str, bytes], Report]) -> None:
    cache = root / ".devlog/cache.db"
    whole = cache.read_bytes()
    for length in (0, 1, 15, 16, 100, 4096, len(whole) // 2, len(whole) - 1):
        cache.write_bytes(whole[:length])
        report = rebuilds_cleanly(root, clean)
        assert report.parsed > 0 or length == len(whole) - 1


def a_program(cache: Path) -> None:
    cache.write_bytes(b"\x7fELF" + os.urandom(5000))


def a_pickle(cache: Path) -> None:
    cache.write_bytes(b"cos\nsystem\n(S'exit 1'\ntR.")


def a_link(cache: Path) -> None:
    cache.unlink()
    cache.symlink_to("nowhere.db")


def another_database(cache: Path) -> None:
    cache.unlink()
    connection = sqlite3.connect(cache)
    connection.execute("CREATE TABLE other (x)")
    connection.close()


def a_folder(cache: Path) -> None:
    cache.unlink()
    (cache / "in it").mkdir(parents=True)


def companions(cache: Path) -> None:
    for ending in ("-wal", "-shm", "-journal"):
        cache.with_name(cache.name + ending).write_bytes(b"garbage" * 2000)


def an_old_log(cache: Path) -> None:
    """The log of another database, whole and valid."""
    other = cache.with_name("other.db")
    connection = sqlite3.connect(other)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE record (key TEXT PRIMARY KEY, value BLOB NOT NULL, digest BLOB NOT NULL)")
    connection.execute("INSERT INTO record VALUES ('a', x'00', x'00')")
    connection.commit()
    log = other.with_name("other.db-wal").read_bytes()
    connection.close()
    cache.with_name("cache.db-wal").write_bytes(log)


@pytest.mark.slow
@pytest.mark.parametrize(
    "plant", [a_program, a_pickle, a_link, another_database, a_folder, companions, an_old_log], ids=lambda f: f.__name__
)
def test_planted_files(plant: Callable[[Path], None], root: Path, clean: tuple[dict[str, bytes], Report]) -> None:
    plant(root / ".devlog/cache.db")
    rebuilds_cleanly(root, clean)
    rebuilds_cleanly(root, clean)


@pytest.mark.slow
def test_read_only_cache(root: Path, clean: tuple[dict[str, bytes], Report]) -> None:
    without_privilege: list[str] = []
    if os.geteuid() == 0:  # the superuser may write everywhere, until it gives that right away
        if not shutil.which("setpriv"):
            pytest.skip("the superuser needs setpriv to give rights away")
        without_privilege = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"]
    folder = root / ".devlog"
    for file in folder.iterdir():
        file.chmod(0o444)
    (folder / "lock").chmod(0o644)
    folder.chmod(0o555)
    shutil.rmtree(root / "public")
    try:
        done = subprocess.run(
            [*without_privilege, sys.executable, "-m", "devlog", "build", "--root", root, "--now", NOW.isoformat()],
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    finally:
        folder.chmod(0o755)
    assert done.returncode == 0, done.stderr
    assert {path: data for path, data in read_tree(root / "public").items() if path != MANIFEST} == clean[0]


@pytest.mark.slow
@pytest.mark.parametrize("when", ["read", "has", "write"])
def test_the_disk_fails(
    when: str, root: Path, clean: tuple[dict[str, bytes], Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every query of one kind fails, as on a full disk or one that became read-only."""
    connect = sqlite3.connect
    verbs = {"read": "SELECT key, value", "has": "SELECT key FROM", "write": "INSERT"}

    class Failing(sqlite3.Connection):
        def execute(self, sql: str, *values: object) -> sqlite3.Cursor:  # type: ignore[override]
            if sql.startswith(verbs[when]):
                raise sqlite3.OperationalError("disk I/O error")
            return super().execute(sql, *values)  # type: ignore[arg-type]

        def executemany(self, sql: str, *values: object) -> sqlite3.Cursor:  # type: ignore[override]
            if sql.startswith(verbs[when]):
                raise sqlite3.OperationalError("database or disk is full")
            return super().executemany(sql, *values)  # type: ignore[arg-type]

    def failing(path: object, **options: object) -> sqlite3.Connection:
        if path == ":memory:":
            return connect(path)
        return connect(path, factory=Failing, **options)  # type: ignore[call-overload,no-any-return]

    (root / ".devlog/cache.db").unlink()
    monkeypatch.setattr(sqlite3, "connect", failing)
    rebuilds_cleanly(root, clean)


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["DELETE FROM record", "UPDATE record SET value = x'00'"])
def test_bodies_lost_between_parsing_and_rendering(
    damage: str, root: Path, clean: tuple[dict[str, bytes], Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are worked out again."""
    load = devlog.stages.Stages.bodies

    def lose(self: devlog.stages.Stages, digests: set[str]) -> dict[str, bytes]:
        connection = sqlite3.connect(root / ".devlog/cache.db")
        connection.execute(damage)
        connection.commit()
        connection.close()
        return load(self, digests)

    monkeypatch.setattr(devlog.stages.Stages, "bodies", lose)
    assert rebuilds_cleanly(root, clean).parsed >= 9  # the texts with a body of their own


@pytest.mark.slow
def test_a_body_lost_with_its_text(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be worked out again is an error: no empty page is published, and none remembered."""
    shutil.rmtree(root / "public")
    load = devlog.stages.Stages.bodies

    def lose(self: devlog.stages.Stages, digests: set[str]) -> dict[str, bytes]:
        with closing(sqlite3.connect(root / ".devlog/cache.db")) as connection:
            connection.execute("DELETE FROM record")
            connection.commit()
        (root / "content/about.md").write_text("---\ntitle: About\n---\n\nAnother text.\n")
        return load(self, digests)

    with monkeypatch.context() as patch:
        patch.setattr(devlog.stages.Stages, "bodies", lose)
        report = build_site(root)
    assert {(found.code, found.span.path) for found in report.diagnostics if found.severity == "error"} == {
        ("changed-while-building", "content/about.md")
    }
    assert not (root / "public").exists()
    assert not build_site(root).failed
    assert "Another text." in (root / "public/about/index.html").read_text("utf-8")


def test_a_file_where_the_cache_folder_should_be(tmp_path: Path) -> None:
    root = write_site(tmp_path, {**lumen(), ".devlog": "not a folder"})
    report = build_site(root)
    assert [item.code for item in report.diagnostics if item.severity == "error"] == ["cannot-write"]
    assert not (root / "public").exists()


KILLED = """
import os, signal, sys
from devlog.engine.store import Store
from pathlib import Path
store = Store(Path(sys.argv[1]))
for number in range(100_000):
    store.write({f"{number}-{part}": bytes([part]) * 5000 for part in range(5)})
    if number == 20:
        print("begun", flush=True)
"""


@pytest.mark.slow
def test_killed_while_writing(tmp_path: Path) -> None:
    cache = tmp_path / "cache.db"
    for _ in range(3):
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(cache)],
            env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
            stdout=subprocess.PIPE,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        process.send_signal(signal.SIGKILL)
        process.communicate()
        store = Store(cache)
        keys = [f"{number}-{part}" for number in range(20) for part in range(5)]
        found = store.read(keys)
        assert found == {key: bytes([int(key.partition("-")[2])]) * 5000 for key in keys}
        store.write({"after": b"1"})
        assert store.read(["after"]) == {"after": b"1"}
        store.close()


@pytest.mark.slow
def test_killed_build(tmp_path: Path, clean: tuple[dict[str, bytes], Report]) -> None:
    """A build that dies while it renders leaves the site untouched and a cache that the next one can use."""
    root = write_site(tmp_path, lumen())
    program = (
        "import os, signal, sys, devlog.stages\n"
        "devlog.stages.Stages.render = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "from devlog.cli import main\n"
        "main(['build', '--jobs', '1', '--root', sys.argv[1], '--now', '2026-06-15T12:00:00Z'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(root)],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        check=False,
        timeout=60,
    )
    assert done.returncode == -signal.SIGKILL
    assert not (root / "public").exists()
    report = build_site(root)
    assert report.parsed == 0
    assert (result(root), report.diagnostics) == (clean[0], clean[1].diagnostics)
