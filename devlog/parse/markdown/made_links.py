"""Links that were made of a post's words, as those of references to source code are: their URLs stand nowhere in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from markdown_it.token import Token

MADE = "made_link"
"""What the opening token of such a link has as its info."""


def is_made(token: Token) -> bool:
    """Whether a link was made of words."""
    return token.info == MADE


def made_links(children: Sequence[Token]) -> Iterator[tuple[str, str]]:
    """The words of the links that were made, each with its URL."""
    for opening, words in pairwise(children):
        if is_made(opening):
            yield words.content, str(opening.attrs["href"])
