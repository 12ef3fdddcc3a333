"""Where lines of a file stand in a later version of it: decided by what they say, not by what changed when.

White space at both ends of a line does not count. Lines such as a single brace, which say nothing, are told apart by
what stands around them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import islice
from typing import NamedTuple

AROUND = 12
"""So many lines before and behind tell places with the same text apart."""

_TELLING = 4
"""A line with so many letters and digits says something: where there is only one, an equal one is the same."""

_MANY = 1_000
"""A text that stands in so many places of a file and one more is not told apart by its neighbors."""

_SIGNS = 2
"""So many equal lines next to a place tell that it is the same, where its own lines do not."""

_SIGNIFICANT = re.compile(r"\w")
_LINE_END = re.compile(r"\r\n|\r|\n")


class Lines(NamedTuple):
    """Lines, counted from 1, of the later version; `same` is whether they still say what was cited.

    ``first`` is 0 where they are not to be found, and `left` then is whether what stood around them met: they were
    taken out.
    """

    first: int
    last: int
    same: bool
    left: bool = False


def lines_of(text: bytes) -> tuple[str, ...]:
    """The lines of a file, without the white space at their ends; an end of the last line begins no other."""
    lines = [line.strip() for line in _LINE_END.split(text.decode("utf-8", "replace"))]
    return tuple(lines[:-1] if lines and not lines[-1] else lines)


class Versions:
    """Two versions of a file, of which what all places need is made once."""

    def __init__(self, then: Sequence[str], now: Sequence[str]) -> None:
        """
        Args:
            then: the lines of the cited version.
            now: the lines of the later one.
        """
        self._then = then
        self._now = now

    def find(self, first: int, last: int) -> Lines:
        """Find cited lines in the later version.

        Args:
            first: the first of the cited lines, from 1.
            last: the last of them; the cited version has so many.
        """
        start, block = first - 1, tuple(self._then[first - 1 : last])
        if tuple(self._now[start:last]) == block:
            return Lines(first, last, same=True)
        where = _best(self._then, self._now, start, block)
        if where is not None:
            return Lines(where + 1, where + len(block), same=True)
        return _replaced(self._then, self._now, self._once, start, last)

    @cached_property
    def _once(self) -> dict[str, int]:
        """Lines that say something and stand in no version twice, and where they stand in the later one."""
        often = {line for lines in (self._then, self._now) for line, count in Counter(lines).items() if count > 1}
        return {line: place for place, line in enumerate(self._now) if line not in often and _weight(line)}


def find_lines(then: Sequence[str], now: Sequence[str], first: int, last: int) -> Lines:
    """Find cited lines in a later version of their file: see `Versions`."""
    return Versions(then, now).find(first, last)


def holds(lines: Sequence[str], block: Sequence[str]) -> tuple[int, ...]:
    """On which lines, from 1, a text begins in a file."""
    return tuple(start + 1 for start in _starts(lines, tuple(block)))


def telling_line(block: Sequence[str], least: int = _TELLING) -> str:
    """The line of a text by which it is best recognised; empty when none says enough."""
    best = max(block, key=_weight, default="")
    return best if _weight(best) >= least else ""


def likeness(one: Sequence[str], other: Sequence[str]) -> float:
    """Which part of the lines of two files is the same: from 0 to 1."""
    mine, theirs = (Counter(line for line in lines if line) for lines in (one, other))
    total = max(mine.total(), theirs.total())
    return (mine & theirs).total() / total if total else 0.0


def _weight(line: str) -> int:
    return len(_SIGNIFICANT.findall(line))


def _starts(lines: Sequence[str], block: tuple[str, ...]) -> Iterator[int]:
    """Where a text begins, from 0."""
    if not block:
        return
    longest = max(range(len(block)), key=lambda place: len(block[place]))  # which few other lines are like
    if lines.count(block[longest]) * len(block) > len(lines):
        yield from _starts_among_like(lines, block)
        return
    found = longest - 1
    with suppress(ValueError):  # there is none any more
        while True:
            found = lines.index(block[longest], found + 1)
            start = found - longest
            if tuple(lines[start : start + len(block)]) == block:
                yield start


def _starts_among_like(lines: Sequence[str], block: tuple[str, ...]) -> Iterator[int]:
    """The same by Knuth, Morris and Pratt, where many lines are alike."""
    back = _borders(block)
    same = 0
    for place, line in enumerate(lines):
        while same and line != block[same]:
            same = back[same - 1]
        same += line == block[same]
        if same == len(block):
            yield place + 1 - same
            same = back[same - 1]


def _borders(block: Sequence[str]) -> list[int]:
    """For each beginning of a text: how many of its lines, at most, are both its first and its last, but not all."""
    found = [0] * len(block)
    same = 0
    for place in range(1, len(block)):
        while same and block[place] != block[same]:
            same = found[same - 1]
        same += block[place] == block[same]
        found[place] = same
    return found


def _best(then: Sequence[str], now: Sequence[str], start: int, block: tuple[str, ...]) -> int | None:
    """Where a text that was cited has gone; `None` if it is not there, or nobody can say which of several it is."""
    starts = [*islice(_starts(now, block), _MANY + 1)]
    if len(starts) > _MANY:
        return None
    ranked = sorted(
        ((_around(then, now, start, other, len(block)), -abs(other - start), other) for other in starts), reverse=True
    )
    if not ranked:
        return None
    is_only = len(ranked) == 1 and len([*_starts(then, block)]) == 1
    needed = 0 if is_only and telling_line(block) else _SIGNS
    return ranked[0][2] if ranked[0][0] >= needed else None


def _around(then: Sequence[str], now: Sequence[str], old: int, new: int, count: int) -> int:
    """How many lines next to a place are the same in both versions: those that say nothing do not count."""
    before = zip(reversed(then[max(0, old - AROUND) : old]), reversed(now[max(0, new - AROUND) : new]), strict=False)
    behind = zip(then[old + count : old + count + AROUND], now[new + count : new + count + AROUND], strict=False)
    return sum(_equal(pairs) for pairs in (before, behind))


def _equal(pairs: Iterator[tuple[str, str]]) -> int:
    found = 0
    for one, other in pairs:
        if one != other:
            break
        found += bool(one)
    return found


def _replaced(then: Sequence[str], now: Sequence[str], once: Mapping[str, int], start: int, last: int) -> Lines:
    """The lines that stand where other ones were cited: around those that are left of them, or between neighbours."""
    left = [(once[then[place]], place) for place in range(start, last) if then[place] in once]
    above = next((place for place in range(start - 1, max(-1, start - 1 - AROUND), -1) if then[place] in once), None)
    below = next((place for place in range(last, min(len(then), last + AROUND)) if then[place] in once), None)
    low = once[then[above]] + 1 if above is not None else 0
    high = once[then[below]] if below is not None else len(now)
    if left and low <= high:
        first = max(low, left[0][0] - (left[0][1] - start))
        end = min(high, left[-1][0] + (last - left[-1][1]))
        return Lines(first + 1, end, same=False) if first < end else Lines(0, 0, same=False)
    is_lost = (above is None and start > 0) or (below is None and last < len(then))  # the ends of a file are neighbours
    if is_lost or low > high:
        return Lines(0, 0, same=False)
    low += _common(then[0 if above is None else above + 1 : start], now[low:high])
    high -= _common(then[last:below][::-1], now[low:high][::-1])
    between = [place for place in range(low, high) if now[place]]
    if not between:
        return Lines(0, 0, same=False, left=True)
    if between[-1] - between[0] > last - start + AROUND:
        return Lines(0, 0, same=False)
    return Lines(between[0] + 1, between[-1] + 1, same=False)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """With how many equal lines two texts begin."""
    return next(
        (count for count, (mine, theirs) in enumerate(zip(one, other, strict=False)) if mine != theirs),
        min(len(one), len(other)),
    )
