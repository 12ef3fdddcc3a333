"""Values of features and plugins in the records of a text, which hold them without knowing their types."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import msgspec

T = TypeVar("T", bound=msgspec.Struct)

Parts = tuple[tuple[str, bytes], ...]
"""Values by the names of their types, each encoded: whoever knows the type asks for it with `part_of`."""


def parts(values: Iterable[msgspec.Struct]) -> Parts:
    """Values as a record holds them, of each type at most one."""
    return tuple((_name(type(value)), msgspec.msgpack.encode(value)) for value in values)


def part_of(known: Parts, kind: type[T]) -> T:
    """The value of a type; an empty one where there is none."""
    if known:
        name = _name(kind)
        for own, data in known:
            if own == name:
                return msgspec.msgpack.decode(data, type=kind)
    return kind()


def _name(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"
