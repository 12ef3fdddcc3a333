"""Reads numbers, dates and rows, which all formats of charts have in common."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence
from datetime import date

from devlog.features.plots.parse.plot import MAX_BARS, MAX_ROWS, MAX_SERIES, Kind, NotDrawnError, Series

_NUMBER = re.compile(r"[-+]?(?:\d[\d_]*(?:,\d{3})*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?", re.ASCII)
_DATE = re.compile(r"(\d{4})-(\d\d)(?:-(\d\d))?", re.ASCII)
_LARGEST = 1e15
"""Larger numbers have digits that a float cannot hold, and no place beside an axis."""


def number(text: str) -> float | None:
    """The value of a number such as ``1,200.5``, ``-3e-4`` or ``12%``; `None` if it is none."""
    text = text.strip().removesuffix("%").rstrip().replace("\u2212", "-")
    if len(text) > 40 or not _NUMBER.fullmatch(text):
        return None
    value = float(text.replace(",", "").replace("_", ""))
    return value if math.isfinite(value) and abs(value) <= _LARGEST else None


def positions(labels: Sequence[str]) -> tuple[tuple[float, ...], bool]:
    """The positions of labels on an axis if all are dates or all numbers, else none; and whether they are dates."""
    for read in (_day, number):
        found = [read(label) for label in labels]
        known = tuple(value for value in found if value is not None)
        if len(known) == len(found) and len(set(known)) > 1:
            return known, read is _day
    return (), False


def _day(text: str) -> float | None:
    found = _DATE.fullmatch(text.strip())
    if not found:
        return None
    try:
        return float(date(int(found[1]), int(found[2]), int(found[3] or 1)).toordinal())
    except ValueError:
        return None


def _is_comment(line: str, row: Sequence[str]) -> bool:
    """Whether a line is a comment: a row may begin with the number of an issue, such as ``#12``."""
    return line.lstrip().startswith("#") and (len(row) == 1 or row[0].lstrip()[:2] in ("# ", "##"))


def read_rows(text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """The rows of delimiter-separated values, without blank lines and comments, each with its line, counted from 0.

    Raises:
        NotDrawnError: the text has too many rows, or a quote that is not closed.
    """
    found = []
    lines = text.split("\n")
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
    start = 0
    try:
        for row in reader:
            line, begun, start = reader.line_num - 1, lines[start], reader.line_num
            if not any(cell.strip() for cell in row) or _is_comment(begun, row):
                continue
            found.append((line, [cell.strip() for cell in row]))
            if len(found) > MAX_ROWS + 1:
                raise NotDrawnError(f"more than {MAX_ROWS:,} rows", row=line)
    except csv.Error as error:
        reason = "a value is too long" if "limit" in str(error) else "a quotation mark is not closed"
        raise NotDrawnError(reason, '"', max(reader.line_num - 1, 0)) from None
    return found


def refuse_unreadable(kind: Kind, labels: Sequence[str], series: Sequence[Series], row: int = -1) -> None:
    """Refuse a chart that nobody could read.

    Args:
        kind: of chart.
        labels: of its rows.
        series: of the chart.
        row: the line with the names of the series, counted from 0; -1 if there is none.

    Raises:
        NotDrawnError: there are too many series or bars, or no number at all.
    """
    if len(series) > MAX_SERIES:
        raise NotDrawnError(f"{len(series)} series (limit: {MAX_SERIES})", series[MAX_SERIES].name, row)
    if kind == "bar" and len(labels) * len(series) > MAX_BARS:
        raise NotDrawnError(f"{len(labels) * len(series)} bars (limit: {MAX_BARS})", hint="draw lines instead")
    if not any(value is not None for one in series for value in one.values):
        raise NotDrawnError("there is no number to draw")
