"""Blocks inside an element whose content is removed: one block of raw HTML begins it, and a later one ends it.

Markdown reads the blocks between as any others: paragraphs, headings, code. The page shows none of them, so nothing may
be made of them either: no excerpt, no heading in the table of contents.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from markdown_it.token import Token

_NOT_BLANK = re.compile(r"[^\n]")


class Removed(NamedTuple):
    """An element that is removed with its content.

    Attributes:
        name: its name.
        opening: the block of HTML with its start tag.
        start: the offset after its start tag.
        closing: the block of HTML with its end tag.
        end: the offset after its end tag.
    """

    name: str
    opening: Token
    start: int
    closing: Token
    end: int


def without_removed(tokens: Sequence[Token], removed: Sequence[Removed]) -> list[Token]:
    """The tokens of a text without the content of some elements. Each of these becomes empty, where it begins.

    Elements that begin and end in different lists or quotes stay as they are: without the blocks between, lists and
    quotes would not be closed.

    Args:
        tokens: the tokens of the text. The blocks of HTML that begin or end an element are changed.
        removed: the elements.
    """
    places = {id(token): index for index, token in enumerate(tokens) if token.type == "html_block"}
    ordered = sorted(removed, key=lambda one: (places[id(one.opening)], one.start))
    kept: list[Token] = []
    done = 0  # the tokens before this index are in `kept`, or left out
    reach, end = -1, 0  # the index of the last block of the elements so far, and the offset after them in it
    for element in ordered:
        first, last = places[id(element.opening)], places[id(element.closing)]
        if first < reach or (first == reach and element.start < end):
            continue  # it is inside another one
        reach, end = last, element.end
        if any(token.level < element.opening.level for token in tokens[first:last]):
            continue
        kept += tokens[done : first + 1]
        opening, closing = element.opening, element.closing
        opening.content = f"{opening.content[: element.start]}</{element.name}>"
        # Blanks instead of its end, so that what follows keeps its place.
        closing.content = blank(closing.content[:end]) + closing.content[end:]
        if closing.content.strip():
            kept.append(closing)
        done = last + 1
    return [*kept, *tokens[done:]]


def blank(text: str) -> str:
    """Blanks instead of a text, on as many lines."""
    return _NOT_BLANK.sub(" ", text)
