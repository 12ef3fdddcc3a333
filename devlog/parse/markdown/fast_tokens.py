"""Creates markdown-it's tokens without the conversions of its constructor, which is faster."""

from __future__ import annotations

from typing import Literal

from markdown_it.token import Token

_new = Token.__new__


def make_token(
    kind: str,
    tag: str,
    nesting: Literal[-1, 0, 1],
    level: int,
    content: str = "",
    children: list[Token] | None = None,
    lines: list[int] | None = None,
    *,
    block: bool = False,
) -> Token:
    """Create a `Token` as its constructor does, in two thirds of the time, since its attributes need no conversion."""
    token = _new(Token)
    token.type = kind
    token.tag = tag
    token.nesting = nesting
    token.attrs = {}
    token.map = lines
    token.level = level
    token.children = children
    token.content = content
    token.markup = ""
    token.info = ""
    token.meta = {}
    token.block = block
    token.hidden = False
    return token
