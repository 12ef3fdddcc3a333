"""Digests of values, so that equal work has an equal key."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

import msgspec

# In the order of the values, which the output may show: of two tables, only those written alike are equal.
_encode = msgspec.msgpack.Encoder().encode


class Digester:
    """Digests values, remembering those of frozen structs in sequences: the items of one list stand in others too.

    A struct is remembered by identity; the digester keeps it alive, so that its identity stays its own.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, bytes]] = {}

    def key(self, parts: Iterable[Any]) -> str:
        """The key of work that depends on `parts`, in their order: 32 hexadecimal digits."""
        shortened = [
            self._digests(part) if isinstance(part, tuple) and part and isinstance(part[0], msgspec.Struct) else part
            for part in parts
        ]
        return blake2b(_encode(shortened), digest_size=16).hexdigest()

    def _digests(self, items: tuple[Any, ...]) -> bytes:
        """The digests of the structs in a sequence, one after the other."""
        known = self._known
        found = []
        for item in items:
            entry = known.get(id(item))
            if entry is None:
                entry = known[id(item)] = (item, blake2b(_encode(item), digest_size=16).digest())
            found.append(entry[1])
        return b"".join(found)
