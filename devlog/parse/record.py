"""What parsing leaves behind. Apart from the parser, which a build of what is known already never loads."""

from __future__ import annotations

import msgspec

from devlog.model.document import Parsed


class Text(msgspec.Struct, frozen=True, array_like=True):
    """What is known of a text but its body. Its notes, which only a check reads, stay encoded."""

    parsed: Parsed
    notes: msgspec.Raw


class ParsedRecord(msgspec.Struct, frozen=True):
    """A parsed source as a worker returns it and the store keeps it.

    Attributes:
        text: the encoded `Text`.
        body_digest: of `body`.
        body: the encoded `Body`.
        remember: whether the store may keep it.
    """

    text: bytes
    body_digest: str
    body: bytes
    remember: bool = True
