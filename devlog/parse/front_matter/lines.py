"""Finds the lines and columns of offsets in a text."""

from __future__ import annotations

import re
from bisect import bisect_left

from devlog.model.diagnostic import Span


class Lines:
    """The lines of a text, found once: counting them for each value takes too long in a text with very many values."""

    def __init__(self, text: str, file: str, line: int) -> None:
        """
        Args:
            text: the text.
            file: the name in messages of the file that contains it.
            line: the line of the file on which it begins, counted from 1.
        """
        self._file = file
        self._line = line
        self._newlines = [found.start() for found in re.finditer("\n", text)]
        self._length = len(text)

    def span(self, start: int, length: int) -> Span:
        """The span of some characters at an offset of the text."""
        number = bisect_left(self._newlines, start)
        column = start - (self._newlines[number - 1] if number else -1)
        return Span(self._file, self._line + number, column, length)

    def offset(self, span: Span) -> int:
        """The offset at which a span begins."""
        number = span.line - self._line
        return (self._newlines[number - 1] + 1 if number else 0) + span.column - 1

    def end(self, offset: int) -> int:
        """The offset of the end of the line that contains an offset."""
        number = bisect_left(self._newlines, offset)
        return self._newlines[number] if number < len(self._newlines) else self._length
