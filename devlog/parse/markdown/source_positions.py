"""Finds the source positions of inline elements, since markdown-it provides only the lines of their block."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from operator import itemgetter

from devlog.model.diagnostic import Span

_DEFINITION = re.compile(r"[ >]*\[[^\]]+\]:\s*(?:<([^>]*)>|(\S+))")

_OPENED = re.compile(r"\]\([ \t\n]*<?\Z")
_BEFORE_BARE = frozenset(("", *"*_~(<"))
"""What can stand before a link without markup, apart from white space."""
_CODE = re.compile(r"(?<![\\`])(`{1,9})(?!`)(?:[^`]|(?!(?<!`)\1(?!`))`)*(?<!`)\1(?!`)")
_MOST_FOR_CODE = 20_000
"""The maximum length of a block in characters in which code spans are told apart: unclosed ones take its square."""

_MOST_SHOWN = 20
"""How many places of a target in a block are looked at for each link: a short one may be anywhere in its text."""

MAX_COMPARED = 1 << 29
"""The maximum number of characters compared for all positions of a text; after that, the block's position is used."""

_LONG = 100
"""Python finds a string of this length in one pass; of a shorter one, it may compare each character at each place."""


class Finder:
    """Finds strings in the lines of a body, in order, so that repeated strings get their own positions."""

    def __init__(self, text: str, file: str, first_line: int) -> None:
        """
        Args:
            text: the body.
            file: the file's name in messages.
            first_line: the line of the file on which the body begins, counted from 1.
        """
        self._text = text
        self._file = file
        self._first = first_line
        self._offset = 0
        self._left = MAX_COMPARED
        self._block = (-1, -1)  # whose code spans are known
        self._code: list[tuple[int, int]] = []  # its code spans, in order

    @cached_property
    def _lines(self) -> list[str]:
        return self._text.split("\n")

    def find(self, needle: str, block: Sequence[int] | None) -> Span:
        """The next position of `needle` inside the lines ``[start, end)`` of `block`, else the block's first line.

        A target that the block refers to by a label is found where the label is defined.
        """
        start, end = block or (0, len(self._starts))
        if needle:
            for begin in (max(self._offset, self._start(start)), self._start(start)):
                place = self._search(needle, begin, self._start(end) - 1)
                if place >= 0:
                    return self._found(place, len(needle))
            defined = self._definitions.get(needle)
            if defined:
                return Span(self._file, self._first + defined[0], defined[1] + 1, len(needle))
        return Span(self._file, self._first + start)

    def find_target(self, target: str, block: Sequence[int] | None) -> Span:
        """The next position of the target of a link or an image, as `find` does, but not where the text only shows it.

        A target stands behind ``](``, or where the label is defined; elsewhere it may be text. What is only part of
        code is not it: the target is then written in another way, with a backslash or as an entity.
        """
        start, end = block or (0, len(self._starts))
        first, last = self._start(start), self._start(end) - 1

        def is_target(place: int) -> bool:
            is_whole = self._text[place + len(target) : place + len(target) + 1].strip() in ("", ")", ">")
            return self._is_opened(place, first) and is_whole

        if found := self._find_where(is_target, target, first, last):
            return found
        if defined := self._definitions.get(target):
            return Span(self._file, self._first + defined[0], defined[1] + 1, len(target))
        span = self.find(target, block)
        place = self._start(span.line - self._first) + span.column - 1
        return (
            span if not span.column or not self._is_code(place, first, last) else Span(self._file, self._first + start)
        )

    def find_bare(self, url: str, block: Sequence[int] | None) -> Span:
        """The next position of a URL that is a link without markup: not the target of another link, nor code."""
        start, end = block or (0, len(self._starts))
        first, last = self._start(start), self._start(end) - 1

        def is_bare(place: int) -> bool:
            begins = self._text[max(0, place - 1) : place].strip() in _BEFORE_BARE
            return begins and not self._is_opened(place, first)

        return self._find_where(is_bare, url, first, last) or self.find_target(url, block)

    def find_outside_code(self, needle: str, block: Sequence[int] | None) -> Span:
        """The next position of a tag or of other text that is not in code, else the one that `find` finds."""
        start, end = block or (0, len(self._starts))
        first, last = self._start(start), self._start(end) - 1
        return self._find_where(lambda _: True, needle, first, last) or self.find(needle, block)

    def _find_where(self, is_it: Callable[[int], bool], needle: str, first: int, last: int) -> Span | None:
        """The next position of a string in a block, from `first` to `last`, where it is what is meant, and not code."""
        for begin in (max(self._offset, first), first):
            place = begin - 1
            for _ in range(_MOST_SHOWN if needle else 0):
                place = self._search(needle, place + 1, last)
                if place < 0:
                    break
                if is_it(place) and not self._is_code(place, first, last):
                    return self._found(place, len(needle))
        return None

    def _is_opened(self, place: int, first: int) -> bool:
        """Whether the target of a link or an image begins at an offset in a block that begins at `first`."""
        return _OPENED.search(self._text, max(first, place - 40), place) is not None

    def _found(self, place: int, length: int) -> Span:
        """The span of what was found; the search for the next one goes on behind it."""
        self._offset = place + length
        line = bisect_right(self._starts, place) - 1
        return Span(self._file, self._first + line, place - self._starts[line] + 1, length)

    def _is_code(self, place: int, first: int, last: int) -> bool:
        """Whether an offset is inside a code span of its block, which is from `first` to `last`."""
        if self._block != (first, last):
            text = self._text[first:last] if last - first < _MOST_FOR_CODE else ""
            self._block = (first, last)
            self._code = [(first + found.start(), first + found.end()) for found in _CODE.finditer(text)]
        index = bisect_right(self._code, place, key=itemgetter(0)) - 1
        return index >= 0 and place < self._code[index][1]

    @cached_property
    def _starts(self) -> list[int]:
        return line_starts(self._text)

    def _start(self, line: int) -> int:
        """The offset at which a line begins; beyond the end of the text for a line after the last."""
        return self._starts[line] if line < len(self._starts) else len(self._text) + 1

    def _search(self, needle: str, start: int, end: int) -> int:
        """The offset of a string within one line; -1 if there is none, or once the search limit is exhausted."""
        if "\n" in needle or self._left <= 0:
            return -1
        place = self._text.find(needle, start, end)
        self._left -= max(0, (place if place >= 0 else end) - start) * min(len(needle), _LONG)
        return place

    @cached_property
    def _definitions(self) -> dict[str, tuple[int, int]]:
        """The line and column of each target that a label is defined as; the first one of duplicates."""
        found: dict[str, tuple[int, int]] = {}
        for index, text in enumerate(self._lines):
            label = _DEFINITION.match(text)
            if label:
                group = 1 if label[1] is not None else 2
                found.setdefault(label[group], (index, label.start(group)))
        return found

    def find_inside(self, text: str, offset: int, length: int, block: Sequence[int] | None) -> Span:
        """The span of part of a text whose lines occur in the source, possibly with other characters before them.

        Args:
            text: one line or several.
            offset: the offset of the part in the text.
            length: the length of the part.
            block: the lines of the block that contains the text.
        """
        lines = text.split("\n")
        first = next((index for index, line in enumerate(lines) if line.strip()), 0)
        row = max(first, text.count("\n", 0, offset))
        place = self.find(lines[first].strip(), block)
        if place.column and row > first:
            start = place.line - self._first + row - first
            place = self.find(lines[row].strip(), (start, start + 1))
        if not place.column:
            return place
        indent = len(lines[row]) - len(lines[row].lstrip())
        column = offset - (text.rfind("\n", 0, offset) + 1)
        return Span(self._file, place.line, place.column + max(0, column - indent), length)

    def within(self, block: Sequence[int] | None, html: str) -> Callable[[int, int], Span]:
        """A function that returns the span of part of raw HTML, by offset and length.

        Args:
            block: the lines of the block; the HTML begins at the first.
            html: the HTML.
        """
        start = block[0] if block else 0
        starts = line_starts(html)
        indents: dict[int, int] = {}

        def indent(row: int) -> int:
            """The indentation of a row in the source, where a list or quote may contain it."""
            if row not in indents and start + row < len(self._lines):
                end = starts[row + 1] - 1 if row + 1 < len(starts) else len(html)
                indents[row] = max(0, self._lines[start + row].find(html[starts[row] : end]))
            return indents.get(row, 0)

        def place(offset: int, length: int) -> Span:
            row = bisect_right(starts, offset) - 1
            return Span(self._file, self._first + start + row, offset - starts[row] + indent(row) + 1, length)

        return place


def line_starts(text: str) -> list[int]:
    """The offsets at which the lines of a text begin."""
    return [0, *(found.end() for found in re.finditer("\n", text))]
