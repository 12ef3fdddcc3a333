"""Decodes records of earlier runs, which may be missing or damaged."""

from __future__ import annotations

from typing import TypeVar

import msgspec

T = TypeVar("T")


def decoded(data: bytes | None, kind: type[T]) -> T | None:
    """Decode a record; `None` if there is none, or if it is not a value of this type.

    Args:
        data: a result of `msgspec.msgpack.encode`, or any other bytes.
        kind: the type of the value.
    """
    if not data:
        return None
    try:
        return msgspec.msgpack.decode(data, type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError):  # UnicodeDecodeError is a ValueError
        return None
