"""Digests of the rows that are shown: SQLite does not notice a flipped bit in a text."""

from __future__ import annotations

import sqlite3

import msgspec

from devlog.model.digest import digest_bytes

SHOWN = "path, title, url, file, line, day, topic, tags, draft, starts, ends, kind, summary"
"""The columns of a post that are shown, or decide whether it may be: its seal is the digest of their values."""


def seal(values: object) -> str:
    """The digest of a row's values."""
    return digest_bytes(msgspec.msgpack.encode(values))


def check_seal(sealed: object, values: object) -> None:
    """Compare the values of a row with its seal.

    Args:
        sealed: the seal in the index.
        values: of the row.

    Raises:
        sqlite3.DatabaseError: they are not what was written, so the index is damaged.
    """
    if sealed != seal(values):
        raise sqlite3.DatabaseError("a damaged row")
