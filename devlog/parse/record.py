"""The stored results of parsing. Separate from the parser, so that a build with only cached results never loads it."""

from __future__ import annotations

import msgspec

from devlog.model.document import Body, Parsed


class ParsedSource(msgspec.Struct, frozen=True, array_like=True):
    """Everything about a parsed source except its body. The notes stay encoded, since only checks read them."""

    parsed: Parsed
    facts: msgspec.Raw


class CodeBlock(msgspec.Struct, frozen=True, array_like=True):
    """Highlighted code in a body.

    Attributes:
        key: the digest of the language and the code, hexadecimal.
        piece: the index of the piece of the body that contains it.
        start: the index of its first character in the piece.
        end: the index after its last one.
    """

    key: str
    piece: int
    start: int
    end: int


class LastCode(msgspec.Struct, frozen=True, array_like=True):
    """Where the last version of a source has highlighted code.

    Attributes:
        body: the digest of its body.
        blocks: the blocks of code.
    """

    body: str
    blocks: tuple[CodeBlock, ...]

    def html(self, body: Body) -> dict[str, str]:
        """The HTML of the blocks by key, as it is in their body."""
        pieces = dict(enumerate(body.pieces))
        found = ((block, pieces.get(block.piece)) for block in self.blocks)
        return {block.key: piece[block.start : block.end] for block, piece in found if isinstance(piece, str)}


class ParsedRecord(msgspec.Struct, frozen=True):
    """A parsed source as workers return it and the store keeps it.

    Attributes:
        text: the encoded `ParsedSource`.
        body_digest: the digest of `body`.
        body: the encoded `Body`.
        code: the encoded `LastCode`; empty if the body has no highlighted code.
        remember: whether the store may cache it.
    """

    text: bytes
    body_digest: str
    body: bytes
    code: bytes = b""
    remember: bool = True
