"""Changing a text: what was asked for, and not a byte more."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from devlog.model.diagnostic import Edit

_LINE_END = re.compile(r"\r\n|\r|\n")
_MARK = "\ufeff"


def edited(text: str, edits: Iterable[Edit]) -> str | None:
    """A text with some changes; line ends stay as they are, and new lines end as the others do.

    Args:
        text: all of a file, with the line ends and the byte order mark that it has.
        edits: what to change. Of two that overlap, only the first is made.

    Returns:
        The new text, or `None` when something that is to be replaced does not stand where an edit says.
    """
    mark, body, lines, end_of_line = _layout(text)
    places = []
    for edit in edits:
        place = _offsets(body, lines, edit)
        if place is None:
            return None
        places.append((*place, edit.new))
    parts, done = [mark], 0
    for start, end, new in sorted(places):
        if start >= done:
            parts += (body[done:start], new.replace("\n", end_of_line))
            done = end
    return "".join((*parts, body[done:]))


def fits(text: str, edits: Iterable[Edit]) -> bool:
    """Whether all that is to be replaced stands where the edits say.

    Args:
        text: as for `edited`.
        edits: what to change.
    """
    _, body, lines, _ = _layout(text)
    return all(_offsets(body, lines, edit) is not None for edit in edits)


@lru_cache(maxsize=1)  # many changes are tried on one text
def _layout(text: str) -> tuple[str, str, tuple[tuple[int, int], ...], str]:
    """The mark of a text, the rest of it, where each line of that begins and its text ends, and how most lines end."""
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
        return start, lines[last][0] if last < len(lines) else len(text)
    if span.column:
        start += span.column - 1
        end = min(end, start + span.length) if edit.old else start
    if not edit.old:
        return start, start
    found = text.find(edit.old, start, end)
    once = found >= 0 and text.find(edit.old, found + 1, end) < 0
    return (found, found + len(edit.old)) if once else None
