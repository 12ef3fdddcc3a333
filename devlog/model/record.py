"""Decodes records of earlier runs, which may be missing or damaged."""

from __future__ import annotations

import sys
from typing import Annotated, TypeVar

import msgspec

Finite = Annotated[float, msgspec.Meta(ge=-sys.float_info.max, le=sys.float_info.max)]
"""A number that is neither infinite nor NaN, as in a forged record: neither can be written as a time."""

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
