"""Draws a chart as SVG, whose colors and letters are those of the page: the style sheet has a class for each series."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from typing import NamedTuple

from devlog.features.plots.parse.plot import Plot
from devlog.features.plots.parse.scale import Axis, axis_of, dates

WIDTH = 420
"""The width of a chart in its own units. Letters are 11 high, which suits a phone as well as a column of text."""
_HEIGHT = 180  # of the area with the data
_LETTER = 6.2  # the width of a letter, on average
_LINE = 15
_ROW = 24  # of a horizontal bar
_LONG = 9  # letters of a label, from which bars are horizontal
_MANY = 14  # rows, from which they are
_MARKED = 60  # points of a line that are marked
_NAME = 30  # letters of a label beside a horizontal bar
_Down = Callable[[float], float]


class _Box(NamedTuple):
    """Where a bar is, and its size."""

    x: float
    y: float
    width: float
    height: float


def draw(plot: Plot, alt: str) -> str:
    """The SVG of a chart.

    Args:
        plot: the chart.
        alt: what the chart shows, for those who cannot see it.
    """
    legend, top = _legend(plot)
    if plot.kind == "bar" and not _is_upright(plot):
        parts, height = _rows(plot, top)
    else:
        parts, height = _columns(plot, top)
    inner = "".join([*legend, *parts])
    return f'<svg class="plot" viewBox="0 0 {WIDTH} {_n(height)}" role="img" aria-label="{escape(alt)}">{inner}</svg>'


def _is_upright(plot: Plot) -> bool:
    """Whether there is room below the bars for their labels."""
    room = (WIDTH - 40) / len(plot.labels) / _LETTER
    longest = max(map(len, plot.labels))
    return bool(plot.positions) or (longest <= max(_LONG, 4) and longest < room and len(plot.labels) <= _MANY)


def _legend(plot: Plot) -> tuple[list[str], float]:
    """The names of the series, if there are several; and where the chart begins below them."""
    if len(plot.series) == 1:
        return [], 8.0
    parts, x, y = [], 0.0, 10.0
    for index, one in enumerate(plot.series):
        name = _cut(one.name, 30)
        width = 18 + len(name) * _LETTER + 12
        if x and x + width > WIDTH:
            x, y = 0.0, y + _LINE
        parts.append(f'<rect class="s{index}" x="{_n(x)}" y="{_n(y - 8)}" width="10" height="10" rx="2"/>')
        parts.append(_text(x + 15, y + 1, name, "start"))
        x += width
    return parts, y + 14


def _bounds(plot: Plot) -> tuple[float, float]:
    """The smallest and the largest value, or sum of values."""
    if not plot.stacked:
        known = [value for one in plot.series for value in one.values if value is not None]
        return min(known), max(known)
    rows = list(zip(*(one.values for one in plot.series), strict=True))
    below = min(sum(value for value in row if value is not None and value < 0) for row in rows)
    return below, max(sum(value for value in row if value is not None and value > 0) for row in rows)


# -- bars from left to right


def _rows(plot: Plot, top: float) -> tuple[list[str], float]:
    axis = axis_of(*_bounds(plot), zero=True, most=5)
    left = min(max(map(len, plot.labels)), _NAME) * _LETTER + 10
    right = WIDTH - len(axis.ticks[-1][1]) * _LETTER / 2 - 2
    lanes = 1 if plot.stacked else len(plot.series)
    thick = max(_ROW, lanes * 9 + 8)
    bottom = top + thick * len(plot.labels)

    def at(value: float) -> float:
        return left + (right - left) * axis.at(value)

    parts = [_line(at(value), top, at(value), bottom) for value, _ in axis.ticks]
    parts += [_text(at(value), bottom + 14, label, "middle") for value, label in axis.ticks]
    for row, label in enumerate(plot.labels):
        y = top + row * thick
        parts.append(_text(left - 7, y + thick / 2 + 4, _cut(label, _NAME), "end", label))
        for series, begin, end, lane in _spans(plot, row):
            size = (thick - 8) / lanes
            x, width = min(at(begin), at(end)), abs(at(end) - at(begin))
            box = _Box(x, y + 4 + lane * size, width, size - (lanes > 1))
            parts.append(_bar(plot, series, row, box))
    if plot.y:
        parts.append(_text((left + right) / 2, bottom + 30, _cut(plot.y, 60), "middle"))
    return parts, bottom + (36 if plot.y else 20)


def _spans(plot: Plot, row: int) -> Iterator[tuple[int, float, float, int]]:
    """Each bar of a row: its series, where it begins and ends, and its lane."""
    above = below = 0.0
    for index, one in enumerate(plot.series):
        value = one.values[row]
        if value is None or (plot.stacked and not value):
            continue
        if not plot.stacked:
            yield index, 0.0, value, index
        elif value < 0:
            yield index, below, below + value, 0
            below += value
        else:
            yield index, above, above + value, 0
            above += value


def _bar(plot: Plot, series: int, row: int, box: _Box) -> str:
    said = _said(plot, series, row)
    size = f'width="{_n(max(box.width, 0.5))}" height="{_n(max(box.height, 0.5))}"'
    return f'<rect class="s{series}" x="{_n(box.x)}" y="{_n(box.y)}" {size}><title>{said}</title></rect>'


# -- all other charts


def _columns(plot: Plot, top: float) -> tuple[list[str], float]:
    y_axis = axis_of(*_bounds(plot), zero=plot.kind in ("bar", "area") or plot.stacked)
    left = max(len(label) for _, label in y_axis.ticks) * _LETTER + 8
    top += _LINE if plot.y else 0
    bottom, right = top + _HEIGHT, WIDTH - 8

    def down(value: float) -> float:
        return bottom - _HEIGHT * y_axis.at(value)

    parts = [_text(0, top - 10, _cut(plot.y, 70), "start")] if plot.y else []
    parts += [_line(left, down(value), right, down(value)) for value, _ in y_axis.ticks]
    parts += [_text(left - 6, down(value) + 4, label, "end") for value, label in y_axis.ticks]
    places, ticks = _across(plot, left, right)
    parts += [_text(x, bottom + 15, label, "middle") for x, label in ticks]
    if plot.kind == "bar":
        parts += _upright_bars(plot, places, (right - left) / len(places), down)
    else:
        parts += _lines(plot, places, down)
    if plot.x:
        parts.append(_text((left + right) / 2, bottom + 31, _cut(plot.x, 60), "middle"))
    return parts, bottom + (37 if plot.x else 21)


def _across(plot: Plot, left: float, right: float) -> tuple[list[float], list[tuple[float, str]]]:
    """The horizontal place of each row, and the labels below."""
    room = right - left
    if plot.positions and plot.kind != "bar":
        low, high = min(plot.positions), max(plot.positions)
        if plot.dated:
            axis = Axis(low, high, dates(plot.positions, 5))
        else:
            axis = axis_of(low, high, zero=False, most=8)
            axis = Axis(low, high, tuple(tick for tick in axis.ticks if low <= tick[0] <= high))
        edge = max((len(label) for _, label in axis.ticks), default=0) * _LETTER / 2
        left, room = left + 6, room - 12 - max(0.0, edge - 10)
        return [left + room * axis.at(one) for one in plot.positions], [
            (max(left + room * axis.at(value), edge), label) for value, label in axis.ticks
        ]
    width = room / len(plot.labels)
    places = [left + width * (index + 0.5) for index in range(len(plot.labels))]
    longest = max(map(len, plot.labels)) * _LETTER + 8
    every = max(1, -(-int(min(longest, 130)) // max(1, int(width))))
    fits = int(max(longest, width * every) / _LETTER)
    return places, [(x, _cut(plot.labels[index], fits)) for index, x in enumerate(places) if index % every == 0]


def _upright_bars(plot: Plot, places: Sequence[float], width: float, down: _Down) -> Iterator[str]:
    lanes = 1 if plot.stacked else len(plot.series)
    size = width * 0.72 / lanes
    for row, place in enumerate(places):
        for series, begin, end, lane in _spans(plot, row):
            x = place - size * lanes / 2 + lane * size
            y, height = min(down(begin), down(end)), abs(down(begin) - down(end))
            yield _bar(plot, series, row, _Box(x, y, size - (lanes > 1 and size > 3), height))


def _lines(plot: Plot, places: Sequence[float], down: _Down) -> Iterator[str]:
    order = sorted(range(len(places)), key=places.__getitem__)
    base = [0.0] * len(places)
    for index, one in enumerate(plot.series):
        tops = [None if value is None else value + base[row] for row, value in enumerate(one.values)]
        if plot.kind != "points":
            for run in _runs(order, tops):
                points = " ".join(f"{_n(places[row])},{_n(down(tops[row] or 0.0))}" for row in run)
                if plot.kind == "area":
                    under = " ".join(f"{_n(places[row])},{_n(down(base[row]))}" for row in reversed(run))
                    yield f'<polygon class="s{index} area" points="{points} {under}"/>'
                yield f'<polyline class="s{index} line" points="{points}"/>'
        if plot.kind == "points" or len(order) <= _MARKED:
            for row in order:
                top = tops[row]
                if top is not None:
                    place = f'cx="{_n(places[row])}" cy="{_n(down(top))}"'
                    yield f'<circle class="s{index}" {place} r="3"><title>{_said(plot, index, row)}</title></circle>'
        if plot.stacked:
            base = [under + (one.values[row] or 0.0) for row, under in enumerate(base)]


def _runs(order: Iterable[int], tops: Sequence[float | None]) -> Iterator[list[int]]:
    """The rows between which a line is drawn: it ends where there is no value."""
    run: list[int] = []
    for row in order:
        if tops[row] is not None:
            run.append(row)
        elif run:
            yield run
            run = []
    if run:
        yield run


# -- parts


def _said(plot: Plot, series: int, row: int) -> str:
    one = plot.series[series]
    value = one.values[row]
    name = f", {one.name}" if len(plot.series) > 1 else ""
    return escape(f"{_cut(plot.labels[row], 60)}{_cut(name, 60)}: {value:,.15g}")


def _text(x: float, y: float, text: str, anchor: str, title: str = "") -> str:
    inner = f"<title>{escape(title)}</title>{escape(text)}" if title and title != text else escape(text)
    return f'<text x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}">{inner}</text>'


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}"/>'


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: max(1, most - 1)]}…"


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
