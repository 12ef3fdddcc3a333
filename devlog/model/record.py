"""Records that an earlier run has left, read back as values."""

from __future__ import annotations

from typing import TypeVar

import msgspec

T = TypeVar("T")


def decoded(data: bytes | None, kind: type[T]) -> T | None:
    """A record as a value; `None` when there is none, or when it is not such a value.

    Args:
        data: what `msgspec.msgpack.encode` has made, or anything else.
        kind: of the value.
    """
    if not data:
        return None
    try:
        return msgspec.msgpack.decode(data, type=kind)
    except (msgspec.MsgspecError, ValueError):  # UnicodeDecodeError is the latter
        return None
