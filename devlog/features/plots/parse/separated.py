"""Charts written as comma- or tab-separated values: a header, then a row for each label."""

from __future__ import annotations

from collections.abc import Mapping

from devlog.features.plots.parse.data import number, positions, read_rows, refuse_unreadable
from devlog.features.plots.parse.plot import Kind, NotDrawnError, Plot, Series


def read_separated(text: str, delimiter: str, kind: Kind, options: Mapping[str, str], *, stacked: bool) -> Plot:
    """Read a chart.

    Args:
        text: the values; the first row has the names, the first column the labels.
        delimiter: between two values.
        kind: of chart.
        options: ``title``, ``x`` and ``y``.
        stacked: whether the series add up.

    Raises:
        NotDrawnError: the values cannot be drawn.
    """
    rows = read_rows(text, delimiter)
    if len(rows) < 2:
        raise NotDrawnError("there are no rows below the names of the columns")
    (first, names), *rest = rows
    if len(names) < 2:
        raise NotDrawnError("there is only one column", hint="the first column has the labels, the others have numbers")
    columns: list[list[float | None]] = [[] for _ in names[1:]]
    for line, row in rest:
        if len(row) != len(names):
            reason = f"a row with {len(row)} values, but {len(names)} columns"
            raise NotDrawnError(reason, row=line, hint="put quotation marks around a value that contains the separator")
        for cell, column in zip(row[1:], columns, strict=True):
            value = number(cell) if cell else None
            if cell and value is None:
                raise NotDrawnError(f"“{cell}” is not a number", cell, line)
            column.append(value)
    labels = tuple(row[0] for _, row in rest)
    series = tuple(Series(name, tuple(column)) for name, column in zip(names[1:], columns, strict=True))
    refuse_unreadable(kind, labels, series, first)
    y = options.get("y", "") or (series[0].name if len(series) == 1 else "")
    x = options.get("x", "") or names[0]
    where, dated = positions(labels)
    return Plot(kind, labels, series, where, options.get("title", ""), x, y, stacked, dated)
