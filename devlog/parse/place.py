"""Finding where in the source an inline thing stands: markdown-it only says which block it is in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from devlog.model.diagnostic import Span

_DEFINITION = re.compile(r"[ >]*\[[^\]]+\]:\s*(?:<([^>]*)>|(\S+))")


class Finder:
    """Finds texts in the lines of a body, in order, so that repeated texts get their own places."""

    def __init__(self, text: str, file: str, first_line: int) -> None:
        """
        Args:
            text: the body.
            file: its file's name in messages.
            first_line: the line of the file on which the body begins, counted from 1.
        """
        self._text = text
        self._file = file
        self._first = first_line
        self._line = 0
        self._column = 0

    @cached_property
    def _lines(self) -> list[str]:
        return self._text.split("\n")

    def find(self, needle: str, block: Sequence[int] | None) -> Span:
        """The next place of `needle` inside the lines ``[start, end)`` of `block`, else the block's first line.

        What a block refers to by a label stands where the label is defined.
        """
        start, end = block or (0, len(self._lines))
        if needle:
            line, column = max(start, self._line), self._column if self._line >= start else 0
            for from_line, from_column in ((line, column), (start, 0)):
                place = self._search(needle, from_line, from_column, min(end, len(self._lines)))
                if place:
                    self._line, self._column = place[0], place[1] + len(needle)
                    return Span(self._file, self._first + place[0], place[1] + 1, len(needle))
            defined = self._definitions.get(needle)
            if defined:
                return Span(self._file, self._first + defined[0], defined[1] + 1, len(needle))
        return Span(self._file, self._first + start)

    @cached_property
    def _definitions(self) -> dict[str, tuple[int, int]]:
        """Line and column of each target that a label is defined to mean; of doubles the first counts."""
        found: dict[str, tuple[int, int]] = {}
        for index, text in enumerate(self._lines):
            label = _DEFINITION.match(text)
            if label:
                group = 1 if label[1] is not None else 2
                found.setdefault(label[group], (index, label.start(group)))
        return found

    def find_inside(self, text: str, offset: int, length: int, block: Sequence[int] | None) -> Span:
        """The place of some characters of a text whose lines stand in the source, with more before them perhaps.

        Args:
            text: one line or several.
            offset: where in it the characters begin.
            length: how many they are.
            block: where the text stands.
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

    def _search(self, needle: str, line: int, column: int, end: int) -> tuple[int, int] | None:
        for index in range(line, end):
            found = self._lines[index].find(needle, column)
            if found >= 0:
                return index, found
            column = 0
        return None

    def at(self, block: Sequence[int] | None, html: str, offset: int, length: int) -> Span:
        """The place of the character `offset` of raw HTML whose block begins at the first line of `block`."""
        start = block[0] if block else 0
        line = start + html.count("\n", 0, offset)
        column = offset - (html.rfind("\n", 0, offset) + 1)
        if line < len(self._lines):  # inside a list or quote the block's lines begin further right
            first = html[html.rfind("\n", 0, offset) + 1 :].partition("\n")[0]
            column += max(0, self._lines[line].find(first)) if first else 0
        return Span(self._file, self._first + line, column + 1, length)
