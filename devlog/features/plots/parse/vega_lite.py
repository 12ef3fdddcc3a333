"""Charts written in the part of Vega-Lite that says what to draw and not how: data, mark, and channels x, y and color.

See https://vega.github.io/vega-lite/docs/. What devlog does not know is refused, never left out: a chart without its
filter would say something else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from devlog.features.plots.parse.data import number, positions, read_rows, refuse_unreadable
from devlog.features.plots.parse.plot import MAX_ROWS, Kind, NotDrawnError, Plot, Series
from devlog.model.json_depth import check_json_depth
from devlog.model.surrogates import HINT, unpaired_surrogate

_MARKS: dict[str, Kind] = {
    "bar": "bar",
    "line": "line",
    "trail": "line",
    "area": "area",
    "point": "points",
    "circle": "points",
    "square": "points",
}
_IGNORED = frozenset({"$schema", "config", "width", "height", "autosize", "background", "padding", "name"})
_TOP = frozenset({"data", "mark", "encoding", "title", "description"}) | _IGNORED
_CHANNELS = frozenset({"x", "y", "color", "tooltip"})
_OF_CHANNEL = frozenset({"field", "type", "title", "axis", "scale", "stack", "legend", "sort"})


def read_vega_lite(text: str) -> Plot:
    """Read a chart.

    Args:
        text: a Vega-Lite specification in JSON, with its data.

    Raises:
        NotDrawnError: it is malformed, or needs more of Vega-Lite than devlog knows.
    """
    try:
        check_json_depth(text)
        spec = json.loads(text, parse_constant=_not_a_number)
    except json.JSONDecodeError as error:
        raise NotDrawnError(f"malformed JSON: {error.msg}", row=error.lineno - 1) from None
    except (ValueError, RecursionError):
        raise NotDrawnError("malformed JSON") from None
    if half := unpaired_surrogate(text):
        raise NotDrawnError(f"“{half[0]}” is half of a surrogate pair", half[0], hint=HINT)
    spec = _table(spec, "the chart")
    _only(spec, _TOP, "")
    mark = spec.get("mark", "")
    mark = mark.get("type", "") if isinstance(mark, dict) else mark
    if not isinstance(mark, str) or mark not in _MARKS:
        raise NotDrawnError("unknown “mark”", _word(mark), hint=f"write one of {', '.join(_MARKS)}")
    encoding = _table(spec.get("encoding", {}), "“encoding”")
    _only(encoding, _CHANNELS, "encoding.")
    for channel in ("x", "y", "color"):
        _only(_table(encoding.get(channel, {}), f"“{channel}”"), _OF_CHANNEL, f"encoding.{channel}.")
    title = spec.get("title", "")
    return _plot(_MARKS[mark], _rows(spec), encoding, title if isinstance(title, str) else "")


def _plot(kind: Kind, rows: list[dict[str, Any]], encoding: Mapping[str, Any], title: str) -> Plot:
    x, y = _field(encoding, "x"), _field(encoding, "y")
    if encoding["x"].get("type") == "quantitative" and encoding["y"].get("type") in ("nominal", "ordinal"):
        x, y = y, x  # horizontal bars
        encoding = {**encoding, "x": encoding["y"], "y": encoding["x"]}
    color = _field(encoding, "color") if encoding.get("color", {}).get("field") else ""
    labels = list(dict.fromkeys(_label(row, x) for row in rows))
    at = {label: index for index, label in enumerate(labels)}
    found: dict[str, list[float | None]] = {}
    for row in rows:
        column = found.setdefault(_label(row, color) if color else y, [None] * len(labels))
        if len(found) * len(labels) > MAX_ROWS * 2:
            raise NotDrawnError(f"“{color}” has too many values", color)
        index = at[_label(row, x)]
        if column[index] is not None:
            raise NotDrawnError(f"two values for “{labels[index]}”", hint="one row for each point")
        column[index] = _value(row, y)
    series = tuple(Series(name, tuple(values)) for name, values in found.items())
    refuse_unreadable(kind, labels, series)
    where, dated = positions(labels) if encoding["x"].get("type") not in ("nominal", "ordinal") else ((), False)
    stacked = bool(color) and kind in ("bar", "area") and encoding["y"].get("stack", True) in (True, "zero")
    names = _title(encoding["x"], x), _title(encoding["y"], y)
    return Plot(kind, tuple(labels), series, where, title, *names, stacked, dated)


def _rows(spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    data = _table(spec.get("data", {}), "“data”")
    _only(data, frozenset({"values", "format"}), "data.")
    values = data.get("values")
    if isinstance(values, str):
        (_, names), *rows = read_rows(values, ",") or [(0, [])]
        return [dict(zip(names, row, strict=False)) for _, row in rows]
    if not isinstance(values, list) or not values or not all(isinstance(row, dict) for row in values):
        raise NotDrawnError("“data.values” is not a list of objects", '"data"')
    if len(values) > MAX_ROWS:
        raise NotDrawnError(f"more than {MAX_ROWS:,} rows", '"values"')
    return values


def _field(encoding: Mapping[str, Any], channel: str) -> str:
    field = encoding.get(channel, {}).get("field")
    if not isinstance(field, str) or not field:
        raise NotDrawnError(f"“encoding.{channel}.field” is missing", '"encoding"')
    return field


def _title(channel: Mapping[str, Any], field: str) -> str:
    axis = channel.get("axis")
    for title in (channel.get("title"), axis.get("title") if isinstance(axis, dict) else None):
        if isinstance(title, str):
            return title
    return field


def _label(row: Mapping[str, Any], field: str) -> str:
    value = row.get(field)
    if value is None or isinstance(value, list | dict):
        raise NotDrawnError(f"a row has no “{field}”", f'"{field}"')
    return str(value).lower() if isinstance(value, bool) else str(value)


def _value(row: Mapping[str, Any], field: str) -> float | None:
    value = row.get(field)
    if value is None:
        return None
    found = None if isinstance(value, bool) else number(str(value))
    if found is None:
        raise NotDrawnError(f"“{_word(value)}” is not a number", _word(value))
    return found


def _table(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise NotDrawnError(f"{name} is not an object")
    return value


def _only(table: Mapping[str, Any], known: frozenset[str], prefix: str) -> None:
    for key in table:
        if key not in known:
            hint = "see the documentation for what is supported"
            raise NotDrawnError(f"“{prefix}{key}” is not supported", f'"{key}"', hint=hint)


def _word(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)[:40] if not isinstance(value, float) else f"{value:g}"


def _not_a_number(text: str) -> float:
    raise ValueError(text)
