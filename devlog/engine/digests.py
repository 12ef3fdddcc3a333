"""Digests of values, which give equal work an equal key."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, time
from enum import Enum
from functools import cache
from hashlib import blake2b
from typing import Any

import msgspec

# The order of a table's entries counts, because the output may show it: the same entries in another order differ.
_encode = msgspec.msgpack.Encoder().encode

Plain = Mapping[type, Callable[[Any], Any] | None]
"""Structs whose fields all have types that are encoded apart, so that they are encoded as they are, which is faster. A
function returns the part of one for which that does not hold."""


class Digester:
    """Digests values. It caches the digests of values that pages share, and of structs in sequences, because the same
    items are in several lists.

    The cache is keyed by the identity of a value. The digester keeps the value alive, so that no other object gets
    the same identity.

    Args:
        plain: the structs that are encoded as they are.
        shared: the names of the values in contexts that much work shares.
    """

    def __init__(self, plain: Plain | None = None, shared: Collection[str] = ()) -> None:
        self._plain = plain or {}
        self._shared = shared
        self._known: dict[int, tuple[Any, bytes]] = {}

    def key(self, parts: Iterable[Any], context: Iterable[tuple[str, Any]] = ()) -> str:
        """The key of a piece of work: 32 hexadecimal digits.

        Args:
            parts: values that the result depends on.
            context: more such values, by name, which may be in the keys of other work too.
        """
        return blake2b(self._encoded(parts, context), digest_size=16).hexdigest()

    def keys(self, parts: Iterable[Any], context: Iterable[tuple[str, Any]], more: Sequence[Any]) -> tuple[str, str]:
        """The keys of two pieces of work: the second depends on everything that the first does, and on `more`."""
        state = blake2b(self._encoded(parts, context), digest_size=16)
        first = state.hexdigest()
        state.update(_encode(more))
        return first, state.hexdigest()

    def _encoded(self, parts: Iterable[Any], context: Iterable[tuple[str, Any]]) -> bytes:
        found = [*parts]
        for name, value in context:
            if type(value) is tuple and value and isinstance(value[0], msgspec.Struct):
                found += (name, self._digests(value))
            else:
                found += (name, self._digest(value) if name in self._shared else _distinct(value, self._plain))
        return _encode(found)

    def _digest(self, value: Any) -> bytes:
        entry = self._known.get(id(value))
        if entry is None:
            entry = self._known[id(value)] = (
                value,
                blake2b(_encode(_distinct(value, self._plain)), digest_size=16).digest(),
            )
        return entry[1]

    def _digests(self, items: tuple[Any, ...]) -> bytes:
        """The concatenated digests of the structs in a sequence."""
        known = self._known
        found = []
        for item in items:
            entry = known.get(id(item))
            found.append(entry[1] if entry else self._digest(item))
        return b"".join(found)


def _distinct(value: Any, plain: Plain) -> Any:
    """A value that is encoded as no other one is, even one that Python takes for equal.

    As they are, times of different zones may be encoded alike, and so are a time and its text, a tuple and a list, a
    member of an enumeration and its value, and structs of two types. But templates show them differently. So all but
    the simplest values are encoded with their type.
    """
    kind: Any = type(value)
    if kind in _SIMPLE:
        return value
    if kind in plain:
        part = plain[kind]
        parts = [value, _distinct(part(value), plain)] if part else [value]
    elif isinstance(value, msgspec.Struct):
        parts = _all((getattr(value, name) for name in value.__struct_fields__), plain)
    elif isinstance(value, Enum):
        parts = [value.name, _distinct(value.value, plain)]
    elif isinstance(value, dict):
        parts = _all((part for item in value.items() for part in item), plain)
    elif isinstance(value, list | tuple):
        parts = _all(value, plain)
    elif isinstance(value, set | frozenset):
        parts = sorted(map(_encode, _all(value, plain)))
    elif isinstance(value, date | time):
        parts = _moment(value)
    else:
        parts = [value]
    return [_name(kind), *parts]


def _all(values: Iterable[Any], plain: Plain) -> list[Any]:
    return [value if type(value) in _SIMPLE else _distinct(value, plain) for value in values]


_SIMPLE = frozenset({str, bytes, bool, int, float, type(None)})


def _moment(value: date | time) -> list[Any]:
    """All that a date or a time can show: two zones may have the same hour now, but another name."""
    if isinstance(value, datetime | time):
        zone: Any = type(value.tzinfo)
        key = str(getattr(value.tzinfo, "key", ""))
        return [value.isoformat(), value.fold, value.tzname(), _name(zone), key]
    return [value.isoformat()]


@cache
def _name(kind: type) -> msgspec.msgpack.Ext:
    """The name of a type, which is encoded as no text is."""
    return msgspec.msgpack.Ext(1, f"{kind.__module__}.{kind.__qualname__}".encode())
