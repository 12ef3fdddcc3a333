"""Finds where a post's Markdown may be divided: what begins there means by itself what it means in the whole."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from devlog.parse.markdown.nesting import NestingParser

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")


class Heading(NamedTuple):
    """A heading.

    Attributes:
        start: the offset of its line.
        level: from 1 to 6.
        text: its Markdown, without the signs that make it a heading.
    """

    start: int
    level: int
    text: str


class Fence(NamedTuple):
    """A block of code between fences.

    Attributes:
        opening: the line that opens it.
        closing: the line that closes it, or would.
        end: the offset of what follows it.
    """

    opening: str
    closing: str
    end: int


class Blocks(NamedTuple):
    """The blocks of a text.

    Attributes:
        starts: the offsets at which it may be divided, in order; the first is 0.
        fences: those that begin at one of `starts`, by this offset.
        html: the starts of blocks of raw HTML.
        headings: in order, also those in lists and quotes.
    """

    starts: Sequence[int]
    fences: Mapping[int, Fence]
    html: frozenset[int]
    headings: Sequence[Heading]

    def at(self, offset: int) -> int:
        """The last start that is not after an offset."""
        return self.starts[bisect_right(self.starts, offset) - 1]


@lru_cache(maxsize=2)  # of a post that is read in parts, and of its section
def blocks(text: str) -> Blocks:
    """Read the blocks of a text as any CommonMark parser does, and one that knows tables.

    A text may be divided where one of its outermost blocks begins, and before an item of an outermost list. A line
    after a paragraph or a table belongs to it in some dialects, so most blocks are starts only after a blank line.
    """
    lines = [found[0] for found in _LINE.finditer(text)]
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line))
    tokens = _parser().parse(text)
    starts, fences, html = [0], dict[int, Fence](), set[int]()
    for token, first, end, is_start in _outermost(tokens, lines):
        if not is_start:
            continue
        start = offsets[first]
        if start != starts[-1]:  # as that of a list and of its first item are
            starts.append(start)
        if token.type == "fence":
            fences[start] = Fence(lines[first], f"{token.markup}\n", offsets[end])
        elif token.type == "html_block":
            html.add(start)
    return Blocks(starts, fences, frozenset(html), list(_headings(tokens, offsets)))


def _outermost(tokens: Sequence[Token], lines: Sequence[str]) -> Iterator[tuple[Token, int, int, bool]]:
    """The outermost blocks and the items of outermost lists: their lines, and whether a text may be divided there."""
    before = ""
    for token in tokens:
        if token.map is None or token.nesting < 0:
            continue
        first, end = token.map
        if token.level == 0:
            is_apart = first == 0 or not lines[first - 1].strip()
            is_clear = "fence" in (token.type, before) or (token.type == "heading_open" and token.markup[0] == "#")
            yield token, first, end, is_apart or is_clear
            before = token.type
        elif token.level == 1 and token.type == "list_item_open" and "|" not in lines[first]:  # else a table may begin
            yield token, first, end, True


def _headings(tokens: Sequence[Token], offsets: Sequence[int]) -> Iterator[Heading]:
    for token, inside in pairwise(tokens):
        if token.type == "heading_open" and token.map:
            yield Heading(offsets[token.map[0]], int(token.tag[1:]), inside.content)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table").disable("inline")
    parser.block = NestingParser(parser.block)  # otherwise a deep list hides all that follows
    return parser
