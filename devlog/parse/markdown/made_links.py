"""Links generated from words of a post, such as references to source code, whose URLs are not in the post."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from markdown_it.token import Token

MADE = "made_link"
"""The value of ``info`` in the opening token of a generated link."""


def is_made(token: Token) -> bool:
    """Whether a link was generated from words."""
    return token.info == MADE


def made_links(children: Sequence[Token]) -> Iterator[tuple[str, str]]:
    """The words of the generated links, each with its URL."""
    for opening, words in pairwise(children):
        if is_made(opening):
            yield words.content, str(opening.attrs["href"])
