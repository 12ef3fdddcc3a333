"""Finds lines of a file in a later version of it, by comparing their text, not by following the history of changes.

White space at both ends of a line is ignored. Lines that are not distinctive, such as a single brace, are told apart by
the lines around them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import islice
from typing import NamedTuple

AROUND = 12
"""The number of lines before and after a place that distinguish it from others with the same text."""

_TELLING = 4
"""A line with this number of letters and digits is distinctive: if it occurs once in both versions, it is the same."""

_MANY = 1_000
"""If a text occurs more often than this in a file, its neighbors are not compared."""

_FAST = 4
"""Lines that are only searched for one of them count so much less than others in `Versions.compared`."""

_SIGNS = 2
"""The number of equal neighboring lines that identify a place whose own lines are not distinctive."""

_SIGNIFICANT = re.compile(r"\w")
_LINE_END = re.compile(r"\r\n|\r|\n")


class Lines(NamedTuple):
    """A range of lines in the later version, counted from 1; `same` is whether they still have the cited text.

    ``first`` is 0 if they are not found. In that case, `left` is whether the lines around them are adjacent now: then
    they were removed.
    """

    first: int
    last: int
    same: bool
    left: bool = False


def lines_of(text: bytes) -> tuple[str, ...]:
    """The lines of a file, without white space at both ends; a line break at the end of the file begins no new line."""
    lines = [line.strip() for line in _LINE_END.split(text.decode("utf-8", "replace"))]
    return tuple(lines[:-1] if lines and not lines[-1] else lines)


class Versions:
    """Two versions of a file, with data that is computed once for all places.

    Attributes:
        compared: about how many lines have been compared so far.
    """

    def __init__(self, then: Sequence[str], now: Sequence[str]) -> None:
        """
        Args:
            then: the lines of the cited version.
            now: the lines of the later version.
        """
        self._then = then
        self._now = now
        self.compared = len(then) + len(now)  # for `_once`, which most of them need

    def find(self, first: int, last: int) -> Lines:
        """Find cited lines in the later version.

        Args:
            first: the first cited line, from 1.
            last: the last cited line; it exists in the cited version.
        """
        start, block = first - 1, tuple(self._then[first - 1 : last])
        if tuple(self._now[start:last]) == block:
            return Lines(first, last, same=True)
        starts = [*islice(_starts(self._now, block), _MANY + 1)]
        self.compared += (len(self._then) + len(self._now)) // _FAST + len(block) + AROUND * len(starts)
        where = _best(self._then, self._now, start, block, starts)
        if where is not None:
            return Lines(where + 1, where + len(block), same=True)
        return _replaced(self._then, self._now, self._once, start, last)

    @cached_property
    def _once(self) -> dict[str, int]:
        """Distinctive lines that occur only once in each version, with their positions in the later one."""
        often = {line for lines in (self._then, self._now) for line, count in Counter(lines).items() if count > 1}
        return {line: place for place, line in enumerate(self._now) if line not in often and _weight(line)}


def find_lines(then: Sequence[str], now: Sequence[str], first: int, last: int) -> Lines:
    """Find cited lines in a later version of their file: see `Versions`."""
    return Versions(then, now).find(first, last)


def places_of(lines: Sequence[str], wanted: Collection[str]) -> dict[str, list[int]]:
    """The positions, from 0, at which some lines occur in a file."""
    found: dict[str, list[int]] = {}
    for place, line in enumerate(lines):
        if line in wanted:
            found.setdefault(line, []).append(place)
    return found


def standing(lines: Sequence[str], block: Sequence[str], among: Iterable[int]) -> Iterator[int]:
    """Those of some lines, counted from 1, at which a text begins in a file.

    Args:
        lines: the file.
        block: the text.
        among: positions, counted from 0, and perhaps before the file's first line.
    """
    for start in among:
        if 0 <= start <= len(lines) - len(block) and lines[start : start + len(block)] == block:
            yield start + 1


def weights(lines: Iterable[str]) -> list[int]:
    """How distinctive lines are: the number of letters and digits of each."""
    return [_weight(line) for line in lines]


def counted(lines: Iterable[str]) -> Counter[str]:
    """How often each line occurs in a file; empty ones do not count."""
    return Counter(line for line in lines if line)


def likeness(one: Counter[str], other: Counter[str]) -> float:
    """The fraction of lines that two files have in common, from 0 to 1; see `counted`."""
    total = max(one.total(), other.total())
    return sum(min(one[line], other[line]) for line in one.keys() & other.keys()) / total if total else 0.0


def _weight(line: str) -> int:
    return len(_SIGNIFICANT.findall(line))


def _starts(lines: Sequence[str], block: tuple[str, ...]) -> Iterator[int]:
    """The positions, from 0, at which a text occurs."""
    if not block or len(block) > len(lines):
        return
    longest = max(range(len(block)), key=lambda place: len(block[place]))  # usually the rarest line
    if lines.count(block[longest]) * len(block) > len(lines):
        yield from _starts_among_like(lines, block)
        return
    found = longest - 1
    with suppress(ValueError):  # there are no more matches
        while True:
            found = lines.index(block[longest], found + 1)
            start = found - longest
            if tuple(lines[start : start + len(block)]) == block:
                yield start


def _starts_among_like(lines: Sequence[str], block: tuple[str, ...]) -> Iterator[int]:
    """Same as `_starts`, with the Knuth-Morris-Pratt algorithm, for files in which many lines are equal."""
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
    """For each prefix of a text the length of its longest border: a proper prefix that is also its suffix."""
    found = [0] * len(block)
    same = 0
    for place in range(1, len(block)):
        while same and block[place] != block[same]:
            same = found[same - 1]
        same += block[place] == block[same]
        found[place] = same
    return found


def _best(
    then: Sequence[str], now: Sequence[str], start: int, block: tuple[str, ...], starts: Sequence[int]
) -> int | None:
    """The new position of a cited text; `None` if it is not found, or if several matches are equally likely.

    Args:
        then: the cited version.
        now: the later version.
        start: the position of the text in the cited version.
        block: the text.
        starts: the positions in the later version at which it occurs, up to one more than `_MANY`.
    """
    if len(starts) > _MANY:
        return None
    ranked = sorted(
        ((_around(then, now, start, other, len(block)), -abs(other - start), other) for other in starts), reverse=True
    )
    if not ranked:
        return None
    is_only = len(ranked) == 1 and len([*_starts(then, block)]) == 1
    needed = 0 if is_only and max(weights(block), default=0) >= _TELLING else _SIGNS
    return ranked[0][2] if ranked[0][0] >= needed else None


def _around(then: Sequence[str], now: Sequence[str], old: int, new: int, count: int) -> int:
    """The number of equal lines next to a place in both versions; empty lines do not count."""
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
    """The lines that replaced cited lines: around those of them that remain, or between their neighbors."""
    left = [(once[then[place]], place) for place in range(start, last) if then[place] in once]
    above = next((place for place in range(start - 1, max(-1, start - 1 - AROUND), -1) if then[place] in once), None)
    below = next((place for place in range(last, min(len(then), last + AROUND)) if then[place] in once), None)
    low = once[then[above]] + 1 if above is not None else 0
    high = once[then[below]] if below is not None else len(now)
    if left and low <= high:
        first = max(low, left[0][0] - (left[0][1] - start))
        end = min(high, left[-1][0] + (last - left[-1][1]))
        return Lines(first + 1, end, same=False) if first < end else Lines(0, 0, same=False)
    is_lost = (above is None and start > 0) or (below is None and last < len(then))  # ends of a file count as neighbors
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
    """The number of equal lines at the beginning of two texts."""
    return next(
        (count for count, (mine, theirs) in enumerate(zip(one, other, strict=False)) if mine != theirs),
        min(len(one), len(other)),
    )
