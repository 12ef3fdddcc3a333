"""Digests of values, so that equal work has an equal key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any

import msgspec

from devlog.model.target import COMMON

# In the order of the values, which the output may show: of two tables, only those written alike are equal.
_encode = msgspec.msgpack.Encoder().encode


class Digester:
    """Digests values, remembering those of what is common to pages, and of structs in sequences: the items of one list
    stand in others too.

    Such a value is remembered by identity; the digester keeps it alive, so that its identity stays its own.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, bytes]] = {}

    def key(self, parts: Iterable[Any], context: Iterable[tuple[str, Any]] = ()) -> str:
        """The key of work: 32 hexadecimal digits.

        Args:
            parts: what it depends on.
            context: what else it depends on, by name: values that stand in the keys of other work, too.
        """
        return blake2b(self._encoded(parts, context), digest_size=16).hexdigest()

    def keys(self, parts: Iterable[Any], context: Iterable[tuple[str, Any]], more: Sequence[Any]) -> tuple[str, str]:
        """The keys of two works of which the second depends on all that the first does, and on `more`."""
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
                found += (name, self._digest(value) if name in COMMON else value)
        return _encode(found)

    def _digest(self, value: Any) -> bytes:
        entry = self._known.get(id(value))
        if entry is None:
            entry = self._known[id(value)] = (value, blake2b(_encode(value), digest_size=16).digest())
        return entry[1]

    def _digests(self, items: tuple[Any, ...]) -> bytes:
        """The digests of the structs in a sequence, one after the other."""
        known = self._known
        found = []
        for item in items:
            entry = known.get(id(item))
            found.append(entry[1] if entry else self._digest(item))
        return b"".join(found)
