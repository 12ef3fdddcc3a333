"""Finds the ranges of code in a Markdown text without parsing it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

_FENCE = re.compile(r"[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`\n]*$)|~{3,})", re.MULTILINE)
_HIGHLIGHT = re.compile(r"\{%-?\s*highlight\s+\w[^%\n]*%\}")
_RAW = re.compile(r"\{%-?\s*(end)?raw\s*-?%\}")
_END_HIGHLIGHT = re.compile(r"\{%-?\s*endhighlight\s*-?%\}")
_RUN = re.compile(r"`+")


class CodeRanges:
    """The ranges of fenced blocks, code spans and Jekyll's ``highlight`` blocks in a text, except indented blocks."""

    def __init__(self, text: str) -> None:
        """
        Args:
            text: Markdown.
        """
        ranges = list(_ranges(text)) if "`" in text or "~~~" in text or "highlight" in text else []
        self._starts = [start for start, _ in ranges]
        self._ends = [end for _, end in ranges]

    def __contains__(self, offset: int) -> bool:
        index = bisect_right(self._starts, offset) - 1
        return index >= 0 and offset < self._ends[index]


def _ranges(text: str) -> Iterator[tuple[int, int]]:
    """The ranges in order: blocks are found line by line, code spans in each paragraph between them."""
    paragraph, offset, fence, begin = -1, 0, "", 0
    for line in text.split("\n"):
        end = offset + len(line)
        if fence:
            closing = _closing(line, fence)
            if closing >= 0:
                yield begin, offset + closing
                fence = ""
            offset = end + 1
            continue
        fence, start, inside = _opening(line)
        if (fence or not line.strip()) and paragraph >= 0:
            yield from _spans(text, paragraph, offset + start)
            paragraph = -1
        if fence:
            begin = offset + inside
            if fence == "%" and (closing := _closing(line[inside:], fence)) >= 0:
                yield begin, begin + closing
                fence = ""
        elif line.strip() and paragraph < 0:
            paragraph = offset
        offset = end + 1
    if fence:
        yield begin, len(text)
    elif paragraph >= 0:
        yield from _spans(text, paragraph, len(text))


def _opening(line: str) -> tuple[str, int, int]:
    """The mark that opens a code block on a line, its offset and that of the code; an empty mark if there is none."""
    found = _FENCE.match(line)
    if found:
        return found[1], found.start(1), found.end(1)
    found = _HIGHLIGHT.search(line) if "highlight" in line else None
    return ("%", found.start(), found.end()) if found and not _is_raw(line, found.start()) else ("", 0, 0)


def _is_raw(line: str, end: int) -> bool:
    """Whether the part of a line from `end` on is inside a ``raw`` tag that the line opened before."""
    tags = _RAW.findall(line, 0, end)
    return bool(tags) and not tags[-1]


def _closing(line: str, fence: str) -> int:
    """The offset on a line at which the block opened by `fence` ends, or -1."""
    if fence == "%":
        found = _END_HIGHLIGHT.search(line)
        return found.start() if found else -1
    marks = line.strip(" \t>")
    return 0 if len(marks) >= len(fence) and not marks.strip(fence[0]) else -1


def _spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The code spans of a paragraph: a run of backticks is closed by the next run of the same length."""
    runs = [found.span() for found in _RUN.finditer(text, start, end)]
    following: dict[int, int] = {}
    partner = [-1] * len(runs)
    for index in range(len(runs) - 1, -1, -1):
        length = runs[index][1] - runs[index][0]
        partner[index] = following.get(length, -1)
        following[length] = index
    index = 0
    while index < len(runs):
        if partner[index] < 0:
            index += 1
            continue
        yield runs[index][0], runs[partner[index]][1]
        index = partner[index] + 1
