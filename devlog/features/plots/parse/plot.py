"""A chart as a value, between the formats in which it is written and its drawing."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

Kind = Literal["bar", "line", "area", "points"]
KINDS: tuple[Kind, ...] = get_args(Kind)

MAX_ROWS = 2000
MAX_BARS = 200
"""The maximum number of bars: more would be thinner than a pixel of a phone."""
MAX_SERIES = 8
"""The number of colors that people can still tell apart."""


class Series(msgspec.Struct, frozen=True):
    """One line, or the bars of one color.

    Attributes:
        name: its name in the legend.
        values: a number for each row; `None` where there is none.
    """

    name: str
    values: tuple[float | None, ...]


class Plot(msgspec.Struct, frozen=True):
    """A chart.

    Attributes:
        kind: of chart.
        labels: the name of each row as written: a category, a number or a date.
        series: one or more.
        positions: the position of each row, if the labels are numbers or dates; empty for categories.
        title: shown below the chart; may be empty.
        x: the name of the labels; may be empty.
        y: the name of the values; may be empty.
        stacked: whether the series add up.
        dated: whether `positions` are days, counted from January 1 of year 1.
    """

    kind: Kind
    labels: tuple[str, ...]
    series: tuple[Series, ...]
    positions: tuple[float, ...] = ()
    title: str = ""
    x: str = ""
    y: str = ""
    stacked: bool = False
    dated: bool = False


class NotDrawnError(Exception):
    """The data of a chart cannot be drawn.

    Args:
        reason: one sentence without a period.
        needle: the part of the data that is wrong, to find its position; may be empty.
        row: the line of the fence that contains it, counted from 0; -1 if it may be anywhere.
        hint: what to do; may be empty.
    """

    def __init__(self, reason: str, needle: str = "", row: int = -1, hint: str = "") -> None:
        super().__init__(reason)
        self.needle = needle
        self.row = row
        self.hint = hint
