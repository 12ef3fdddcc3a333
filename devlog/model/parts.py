"""Values of features and plugins in the records of a text, which hold them without knowing their types."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import msgspec

T = TypeVar("T", bound=msgspec.Struct)


class Encoded(msgspec.Struct, frozen=True, array_like=True):
    """A value as a record holds it.

    Attributes:
        kind: the name of its type.
        data: the value, encoded.
        shape: what of it decides which files there are, where it does: the value's own `shape`.
    """

    kind: str
    data: bytes
    shape: str = ""


Parts = tuple[Encoded, ...]
"""Values of several types, of each at most one: whoever knows the type asks for it with `part_of`."""


def parts(values: Iterable[msgspec.Struct]) -> Parts:
    """Values as a record holds them."""
    return tuple(
        Encoded(_name(type(value)), msgspec.msgpack.encode(value), getattr(value, "shape", "")) for value in values
    )


def part_of(known: Parts, kind: type[T]) -> T:
    """The value of a type; an empty one where there is none."""
    if known:
        name = _name(kind)
        for part in known:
            if part.kind == name:
                return msgspec.msgpack.decode(part.data, type=kind)
    return kind()


def _name(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"
