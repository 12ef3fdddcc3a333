"""Digests of values, which give equal work an equal key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, time
from hashlib import blake2b
from typing import Any

import msgspec

from devlog.model.target import COMMON

# The order of a table's entries counts, because the output may show it: the same entries in another order differ.
_encode = msgspec.msgpack.Encoder().encode


class Digester:
    """Digests values. It caches the digests of values that pages share, and of structs in sequences, because the same
    items are in several lists.

    The cache is keyed by the identity of a value. The digester keeps the value alive, so that no other object gets
    the same identity.
    """

    def __init__(self) -> None:
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
                found += (name, self._digest(value) if name in COMMON else _distinct(value))
        return _encode(found)

    def _digest(self, value: Any) -> bytes:
        entry = self._known.get(id(value))
        if entry is None:
            entry = self._known[id(value)] = (value, blake2b(_encode(value), digest_size=16).digest())
        return entry[1]

    def _digests(self, items: tuple[Any, ...]) -> bytes:
        """The concatenated digests of the structs in a sequence."""
        known = self._known
        found = []
        for item in items:
            entry = known.get(id(item))
            found.append(entry[1] if entry else self._digest(item))
        return b"".join(found)


def _distinct(value: Any) -> Any:
    """A value that is encoded as no other one is.

    As they are, times of different zones may be encoded alike, and so are a time and its text, and a tuple and a list.
    But templates show them differently.
    """
    if isinstance(value, dict):
        return {key: _distinct(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_distinct(item) for item in value]
    if isinstance(value, tuple):
        return [_TUPLE, *map(_distinct, value)]
    if isinstance(value, date | time):
        return msgspec.msgpack.Ext(_TIME, f"{type(value).__name__} {value.isoformat()}".encode())
    return value


_TIME = 1
_TUPLE = msgspec.msgpack.Ext(2, b"")
