"""Writes what edits have changed in a text as a unified diff. The edits are known, so no lines need to be compared."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

Kept = tuple[int, ...]
"""For each line of a new text, the index of the same line of the old one; -1 for a line that is new or changed."""

_CONTEXT = 3
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def lines_of(text: str) -> list[str]:
    """The lines of a text as diff programs count them: only a line feed ends one."""
    return _LINE.findall(text)


def kept_lines(text: str, replaced: Iterable[tuple[int, int, str]]) -> Kept:
    """The lines of a text that stay when parts of it are replaced.

    Args:
        text: the text.
        replaced: the start and the end of each part, and its new text, in order.
    """
    kept: list[int] = []
    line: int | None = None  # that with which the line begins that is not yet complete
    for piece, number in _pieces(text, replaced):
        line = number if line is None else -1
        if piece.endswith("\n"):
            kept.append(line)
            line = None
    return (*kept, *(() if line is None else (line,)))


def _pieces(text: str, replaced: Iterable[tuple[int, int, str]]) -> Iterator[tuple[str, int]]:
    """The pieces of the new text, of one line or less, each with the index of the whole line that it is, or -1."""
    starts = [0, *accumulate(map(len, lines_of(text)))]
    done = 0
    for start, end, new in (*replaced, (len(text), len(text), "")):
        number = bisect_right(starts, done) - 1
        while done < start:
            stop = min(start, starts[number + 1])
            yield text[done:stop], number if (done, stop) == (starts[number], starts[number + 1]) else -1
            done, number = stop, number + 1
        yield from ((piece, -1) for piece in lines_of(new))
        done = end


def unified(before: Sequence[str], after: Sequence[str], kept: Kept) -> Iterator[str]:
    """The hunks of a unified diff, line by line.

    Args:
        before: the old lines.
        after: the new lines.
        kept: which of the new lines are old ones, in the same order.
    """
    for changes in _grouped(_changes(len(before), len(after), kept)):
        (first, _, new_first, _), (_, last, _, new_last) = changes[0], changes[-1]
        lead = min(_CONTEXT, first)
        trail = min(_CONTEXT, len(before) - last)
        old, new = _range(first - lead, last + trail), _range(new_first - lead, new_last + trail)
        yield f"@@ -{old} +{new} @@\n"
        done = first - lead
        for start, end, new_start, new_end in changes:
            yield from (f" {line}" for line in before[done:start])
            yield from (f"-{line}" for line in before[start:end])
            yield from (f"+{line}" for line in after[new_start:new_end])
            done = end
        yield from (f" {line}" for line in before[last : last + trail])


def _changes(old_length: int, new_length: int, kept: Kept) -> Iterator[tuple[int, int, int, int]]:
    """Where the lines between two that stay differ: start and end in the old text, start and end in the new one."""
    old_done, new_done = 0, 0
    for new, old in (*enumerate(kept), (new_length, old_length)):
        if old >= 0:
            if (old, new) != (old_done, new_done):
                yield old_done, old, new_done, new
            old_done, new_done = old + 1, new + 1


def _grouped(changes: Iterable[tuple[int, int, int, int]]) -> Iterator[list[tuple[int, int, int, int]]]:
    """Changes whose context would overlap, together."""
    group: list[tuple[int, int, int, int]] = []
    for change in changes:
        if group and change[0] - group[-1][1] > 2 * _CONTEXT:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _range(start: int, end: int) -> str:
    """Lines as a hunk names them, counted from 1; for none, the line before."""
    return f"{start + 1}" if end - start == 1 else f"{start + (end > start)},{end - start}"
