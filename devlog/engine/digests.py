"""Digests of values, so that equal work has an equal key."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

import msgspec

# In the order of the values, which the output may show: of two tables, only those written alike are equal.
_encode = msgspec.msgpack.Encoder().encode


class Digester:
    """Digests values, remembering those of frozen structs, which many keys share.

    A struct is remembered by identity; the digester keeps it alive, so that its identity stays its own.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, bytes]] = {}

    def key(self, parts: Iterable[Any]) -> str:
        """The key of work that depends on `parts`, in their order: 32 hexadecimal digits."""
        return self._combined(parts).hex()

    def _digest(self, value: Any) -> bytes:
        if isinstance(value, msgspec.Struct):
            known = self._known.get(id(value))
            if known is None:
                name = type(value).__name__.encode()
                known = (value, blake2b(name + b"\0" + _encode(value), digest_size=16).digest())
                self._known[id(value)] = known
            return known[1]
        if isinstance(value, (tuple, list)):
            if value and isinstance(value[0], (msgspec.Struct, tuple, dict)):
                return self._combined(value)
            return blake2b(_encode(value), digest_size=16).digest()
        return blake2b(_encode(value), digest_size=16).digest()

    def _combined(self, parts: Iterable[Any]) -> bytes:
        return blake2b(b"".join(map(self._digest, parts)), digest_size=16, person=b"list").digest()
