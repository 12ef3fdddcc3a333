"""Applies edits to a text without changing anything else."""

from __future__ import annotations

import re
from bisect import bisect, insort
from collections.abc import Iterable, Sequence
from functools import lru_cache

from devlog.model.diagnostic import Edit

_LINE_END = re.compile(r"\r\n|\r|\n")
_MARK = "\ufeff"

Place = tuple[int, int, str]
"""Where a replaced text begins and ends, and the new text."""


def edited(text: str, edits: Iterable[Edit]) -> str | None:
    """Apply edits to a text. Line ends do not change, and new lines get the most common line end of the text.

    Args:
        text: the whole text of a file, with its line ends and its byte order mark, if any.
        edits: the edits. Of two that overlap, only the first is applied.

    Returns:
        The new text, or `None` if the text to replace is not where an edit expects it.
    """
    places = replacements(text, edits)
    if places is None:
        return None
    parts, done = list[str](), 0
    for start, end, new in places:
        parts += (text[done:start], new)
        done = end
    return "".join((*parts, text[done:]))


def replacements(text: str, edits: Iterable[Edit]) -> list[Place] | None:
    """What edits replace in a text: the start and the end of each place, and its new text. They do not overlap.

    Args:
        text: as for `edited`.
        edits: as for `edited`.

    Returns:
        The replacements, in order, or `None` if the text to replace is not where an edit expects it.
    """
    mark, body, lines, end_of_line = _layout(text)
    places = []
    for edit in edits:
        place = _offsets(body, lines, edit)
        if place is None:
            return None
        places.append((*place, edit.new))
    found, done = list[Place](), 0
    for start, end, new in sorted(places):
        if start >= done:
            found.append((len(mark) + start, len(mark) + end, new.replace("\n", end_of_line)))
            done = end
    return found


def misfit(text: str, edits: Iterable[Edit]) -> Edit | None:
    """The first edit whose text to replace is not where it expects it, or is there more than once; `None` if all fit.

    Args:
        text: as for `edited`.
        edits: the edits.
    """
    _, body, lines, _ = _layout(text)
    return next((edit for edit in edits if _offsets(body, lines, edit) is None), None)


def apart(text: str, fixes: Iterable[Sequence[Edit]]) -> list[bool]:
    """Which fixes can be applied at once, each with all of its edits: those that overlap with no earlier one of these.

    Fixes may have edits in common.

    Args:
        text: as for `edited`.
        fixes: the edits of each fix, which fit.
    """
    known, taken, found = set[Place](), list[Place](), list[bool]()
    for edits in fixes:
        own = set(replacements(text, edits) or ()) - known
        found.append(not any(_overlaps(taken, place) for place in own))
        if found[-1]:
            known |= own
            for place in own:
                insort(taken, place)
    return found


def _overlaps(taken: Sequence[Place], place: Place) -> bool:
    """Whether a place overlaps with one of others, which are sorted and do not overlap."""
    at = bisect(taken, place)
    return bool((at and taken[at - 1][1] > place[0]) or (at < len(taken) and taken[at][0] < place[1]))


@lru_cache(maxsize=1)  # many edits are tried on one text
def _layout(text: str) -> tuple[str, str, tuple[tuple[int, int], ...], str]:
    """The byte order mark of a text, the rest of it, the start and end of each line in that, and its usual line end."""
    mark, body = (_MARK, text[1:]) if text.startswith(_MARK) else ("", text)
    found = [(match.start(), match.end()) for match in _LINE_END.finditer(body)]
    starts, ends = [0, *(end for _, end in found)], [*(start for start, _ in found), len(body)]
    return mark, body, tuple(zip(starts, ends, strict=True)), _usual_end([body[start:end] for start, end in found])


def _usual_end(ends: Sequence[str]) -> str:
    return max(dict.fromkeys(ends), key=ends.count) if ends else "\n"


def _offsets(text: str, lines: Sequence[tuple[int, int]], edit: Edit) -> tuple[int, int] | None:
    """Where what an edit replaces begins and ends."""
    span = edit.span
    if not 0 < span.line <= len(lines):
        return None
    start, end = lines[span.line - 1]
    if edit.lines:
        last = span.line - 1 + edit.lines
        if last > len(lines):
            return None
        return start, lines[last][0] if last < len(lines) else len(text)
    if span.column:
        start += span.column - 1
        if start > end:
            return None
        end = min(end, start + span.length) if edit.old else start
    if not edit.old:
        return start, start
    found = text.find(edit.old, start, end)
    once = found >= 0 and text.find(edit.old, found + 1, end) < 0
    return (found, found + len(edit.old)) if once else None
