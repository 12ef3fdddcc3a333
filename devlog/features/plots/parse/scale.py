"""Axes: where the ticks are, and what stands beside them."""

from __future__ import annotations

import math
from datetime import date

import msgspec

_STEPS = (1, 2, 5, 10)
_UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_FROM = 1e5
"""From here on, ticks are written with a unit prefix."""
_DIGITS = 6
"""With more digits after the point, ticks are written as 2e-09."""
_ZERO = 0.5
"""An axis begins at zero if the smallest value is at most this share of the largest."""

_SAME = 1e-11
"""Values count as equal if their difference is at most this share of them: it may be that of 0.1 + 0.2 and 0.3, for
which a float has no ticks between."""

_SMALLEST = 1e-280
"""Smaller numbers count as zero: the distance between two of them may be too small for a float."""


class Axis(msgspec.Struct, frozen=True):
    """An axis for numbers.

    Attributes:
        low: the value at its beginning.
        high: the value at its end.
        ticks: the values with a label, and the labels.
    """

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]

    def at(self, value: float) -> float:
        """Where a value is, from 0 to 1."""
        return (value - self.low) / (self.high - self.low)


def axis_of(low: float, high: float, *, zero: bool, most: int = 6) -> Axis:
    """An axis with round ticks that contains all values.

    Args:
        low: the smallest value.
        high: the largest value.
        zero: whether zero must be on it, as for bars.
        most: about how many ticks it may have.
    """
    low, high = (value if abs(value) > _SMALLEST else 0.0 for value in (low, high))
    if zero or 0 <= low <= high * _ZERO or high * _ZERO >= 0 >= high >= low:
        low, high = min(low, 0.0), max(high, 0.0)
    if high - low <= max(abs(low), abs(high)) * _SAME:
        low, high = (low - abs(low) / 2 - (not low), high + abs(high) / 2 + (not high))
        low = 0.0 if zero else low
    step = _step((high - low) / (most - 1))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    values = [index * step for index in range(first, last + 1)]
    unit, suffix = next(((unit, name) for unit, name in _UNITS if max(map(abs, values)) >= max(unit, _FROM)), (1, ""))
    digits = max(0, -math.floor(math.log10(step / unit) + 1e-9))
    form = f",.{digits}f"
    if digits > _DIGITS:
        form = f".{max(1, math.ceil(math.log10(max(map(abs, values)) / step)) + 1)}g"
    ticks = tuple((value, f"{value / unit:{form}}{suffix}" if value else "0") for value in values)
    return Axis(values[0], values[-1], ticks)


def _step(least: float) -> float:
    magnitude = 10.0 ** math.floor(math.log10(least))
    return next(magnitude * step for step in _STEPS if magnitude * step >= least * (1 - 1e-9))


def dates(positions: tuple[float, ...], most: int) -> tuple[tuple[float, str], ...]:
    """Ticks for days, at most `most`: the days that there are, as evenly as possible."""
    days = sorted(set(positions))
    count = max(1, min(most, len(days)))
    wanted = [days[0] + (days[-1] - days[0]) * index / max(1, count - 1) for index in range(count)]
    nearest = sorted({min(days, key=lambda day: abs(day - one)) for one in wanted})
    months = all(date.fromordinal(int(day)).day == 1 for day in days)
    return tuple((day, date.fromordinal(int(day)).isoformat()[: 7 if months else 10]) for day in nearest)
