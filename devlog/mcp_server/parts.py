"""Divides a post's Markdown into parts that fit into an answer, each of which is by itself as harmless as the whole.

A program that shows a part may read it with a Markdown parser. A part that began inside code would be read as Markdown
and HTML, and what its author showed as an example would be live.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from devlog.mcp_server.blocks import Blocks, Fence, blocks

LEAST = 200
"""The least maximum of a part's length: there is room for the lines that open and close a fence."""


class Part(NamedTuple):
    """A part of a text.

    Attributes:
        text: the part, with the lines that open and close a fence again if one is divided.
        start: the offset of its first character in the whole text.
        end: the offset of the rest; the length of the whole text if nothing is left.
    """

    text: str
    start: int
    end: int


class _Piece(NamedTuple):
    """A piece of a text that is not divided: a block, or a part of one that is too long.

    Attributes:
        text: what a part shows of it.
        start: the offset of its first character.
        end: the offset of the next piece.
        opening: the line that must precede it at the beginning of a part.
        closing: the line that must follow it at the end of a part.
    """

    text: str
    start: int
    end: int
    opening: str = ""
    closing: str = ""


def cut(text: str, offset: int, most: int) -> Part:
    """A part of a text that fits into an answer.

    Args:
        text: the whole text.
        offset: the end of the part before. With any other offset, the part begins at the block that contains it.
        most: the maximum number of characters, at least `LEAST`.
    """
    if not offset and len(text) <= most:
        return Part(text, 0, len(text))
    pieces = _pieces(text, most)
    first = last = bisect_right(pieces, offset, key=attrgetter("start")) - 1
    size = len(pieces[first].opening) + len(pieces[first].text)
    while last + 1 < len(pieces) and size + len(pieces[last + 1].text) + len(pieces[last + 1].closing) <= most:
        last += 1
        size += len(pieces[last].text)
    shown = "".join(piece.text for piece in pieces[first : last + 1])
    return Part(f"{pieces[first].opening}{shown}{pieces[last].closing}", pieces[first].start, pieces[last].end)


@lru_cache(maxsize=2)
def _pieces(text: str, most: int) -> Sequence[_Piece]:
    known = blocks(text)
    pieces: list[_Piece] = []
    for start, end in pairwise((*known.starts, len(text))):
        is_short = end - start <= most
        pieces += [_Piece(text[start:end], start, end)] if is_short else _divided(text, start, end, most, known)
    return pieces


def _divided(text: str, start: int, end: int, most: int, known: Blocks) -> Iterator[_Piece]:
    """The parts of a block that is too long; two of them fit into an answer, or nearly."""
    fence = known.fences.get(start)
    if fence and _is_plain(text[start : fence.end], fence, most):
        for piece in _lines(text, start, fence.end, most // 2):
            opening = fence.opening if piece.start > start else ""
            closing = fence.closing if piece.end < fence.end else ""
            yield piece._replace(opening=opening, closing=closing)
        yield from _lines(text, fence.end, end, most)  # blank lines
        return
    # The fences may be as long as what is between them.
    for piece in _lines(text, start, end, (most - LEAST // 4) // 2):
        yield piece._replace(text=_as_code(piece.text, "html" if start in known.html else "markdown"))


def _is_plain(block: str, fence: Fence, most: int) -> bool:
    """Whether a fence can be closed and opened again: no line is divided, whose rest could close the fence."""
    return len(fence.opening) <= most // 8 and all(len(line) <= most // 4 for line in block.split("\n"))


def _as_code(text: str, language: str) -> str:
    """The source of a part of a block, since no parser would read it as what it is."""
    fences = (sign * max([3, *(len(run) + 1 for run in re.findall(f"{sign}+", text))]) for sign in "`~")
    fence = min(fences, key=len)
    ending = "" if text.endswith("\n") else "\n"
    return f"{fence}{language}\n{text}{ending}{fence}\n"


def _lines(text: str, start: int, end: int, most: int) -> Iterator[_Piece]:
    """The parts of a text that end with a line if one ends in the second half of what fits."""
    while start < end:
        stop = min(end, start + most)
        if stop < end:
            stop = text.rfind("\n", start + most // 2, stop) + 1 or stop
        yield _Piece(text[start:stop], start, stop)
        start = stop
