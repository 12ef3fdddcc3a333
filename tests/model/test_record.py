"""Records of an earlier run: a value, or nothing."""

from __future__ import annotations

import msgspec
import pytest

from devlog.model.record import decoded


class Post(msgspec.Struct):
    title: str


RECORD = msgspec.msgpack.encode(Post("WAL"))


def test_a_record_is_the_value_that_it_was_made_of() -> None:
    assert decoded(RECORD, Post) == Post("WAL")


@pytest.mark.parametrize(
    "data",
    [None, b"", RECORD[:-1], b"\xc1", RECORD.replace(b"WAL", b"W\xffL"), msgspec.msgpack.encode({"name": "WAL"})],
    ids=["none", "empty", "cut", "no value", "no UTF-8", "another kind"],
)
def test_anything_else_is_none(data: bytes | None) -> None:
    assert decoded(data, Post) is None
