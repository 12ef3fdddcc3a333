"""The stored results of parsing. Separate from the parser, so that a build with only cached results never loads it."""

from __future__ import annotations

import msgspec

from devlog.model.document import Parsed


class ParsedSource(msgspec.Struct, frozen=True, array_like=True):
    """Everything about a parsed source except its body. The notes stay encoded, since only checks read them."""

    parsed: Parsed
    facts: msgspec.Raw


class ParsedRecord(msgspec.Struct, frozen=True):
    """A parsed source as workers return it and the store keeps it.

    Attributes:
        text: the encoded `ParsedSource`.
        body_digest: the digest of `body`.
        body: the encoded `Body`.
        remember: whether the store may cache it.
    """

    text: bytes
    body_digest: str
    body: bytes
    remember: bool = True
