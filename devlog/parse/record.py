"""What parsing leaves behind. Apart from the parser, which a build of what is known already never loads."""

from __future__ import annotations

import msgspec


class ParsedRecord(msgspec.Struct, frozen=True):
    """A parsed source as a worker returns it and the store keeps it.

    Attributes:
        parsed: the encoded `Parsed`.
        body_digest: of `body`.
        body: the encoded `Body`.
        remember: whether the store may keep it.
    """

    parsed: bytes
    body_digest: str
    body: bytes
    remember: bool = True
