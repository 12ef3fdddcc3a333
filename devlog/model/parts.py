"""Values of features and plugins in the record of a source file, which stores them without knowing their types."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import msgspec

from devlog.model.record import decoded

T = TypeVar("T", bound=msgspec.Struct)


class Encoded(msgspec.Struct, frozen=True, array_like=True):
    """A value as it is stored in a record.

    Attributes:
        kind: the name of its type.
        data: the encoded value.
        shape: the value's own `shape`, if it has one: the part of it that decides which files the site has.
    """

    kind: str
    data: bytes
    shape: str = ""


Parts = tuple[Encoded, ...]
"""Values of several types, at most one of each; `part_of` returns the value of a type."""


def parts(values: Iterable[msgspec.Struct]) -> Parts:
    """Encode values for a record."""
    return tuple(
        Encoded(_name(type(value)), msgspec.msgpack.encode(value), getattr(value, "shape", "")) for value in values
    )


def part_of(known: Parts, kind: type[T]) -> T:
    """The value of a type; an empty one if there is none."""
    if known:
        name = _name(kind)
        for part in known:
            if part.kind == name:
                return decoded(part.data, kind) or kind()  # the store may be damaged
    return kind()


def _name(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"
