"""Charts: what is drawn is inside the frame, escaped and bounded, whatever the data."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.features.plots.parse.data import number, positions
from devlog.features.plots.parse.draw import WIDTH, draw
from devlog.features.plots.parse.plot import KINDS, MAX_ROWS, Kind, NotDrawnError, Plot, Series
from devlog.features.plots.parse.scale import axis_of, dates
from devlog.features.plots.parse.separated import read_separated
from devlog.features.plots.parse.vega_lite import read_vega_lite

VALUES = st.floats(-1e12, 1e12, allow_nan=False) | st.integers(-100, 100).map(float)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        (" -1,200.5 ", -1200.5),
        ("3e-4", 3e-4),
        ("12 %", 12),
        ("\u22125", -5),
        (".5", 0.5),
        ("1_000", 1000),
        ("", None),
        ("1o", None),
        ("12ms", None),
        ("nan", None),
        ("1e400", None),
        ("1e16", None),
        ("9" * 41, None),
        ("١٢", None),
    ],
)
def test_numbers(text: str, value: float | None) -> None:
    assert number(text) == value


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (("1", "2", "8"), ((1, 2, 8), False)),
        (("2026-05-01", "2026-05-08"), ((739737, 739744), True)),
        (("2026-05", "2026-06"), ((739737, 739768), True)),
        (("2026-02-31", "2026-03-01"), ((), False)),
        (("1", "x"), ((), False)),
        (("3", "3"), ((), False)),  # no axis has a length of zero
    ],
)
def test_labels_that_are_positions(labels: tuple[str, ...], expected: tuple[tuple[float, ...], bool]) -> None:
    assert positions(labels) == expected


@pytest.mark.slow
@given(VALUES, VALUES, st.booleans(), st.integers(3, 9))
def test_an_axis_has_round_ticks_around_all_values(one: float, other: float, zero: bool, most: int) -> None:
    low, high = min(one, other), max(one, other)
    axis = axis_of(low, high, zero=zero, most=most)
    slack = (axis.high - axis.low) * 1e-6
    assert axis.low - slack <= low <= high <= axis.high + slack
    assert 2 <= len(axis.ticks) <= most + 2
    values = [value for value, _ in axis.ticks]
    assert values == sorted(set(values))
    labels = [label for _, label in axis.ticks]
    assert len(set(labels)) == len(labels), "two ticks that a reader cannot tell apart"
    if zero:
        assert axis.low <= 0 <= axis.high


def test_ticks_are_as_people_would_write_them() -> None:
    assert [label for _, label in axis_of(0, 12, zero=True).ticks] == ["0", "5", "10", "15"]
    assert [label for _, label in axis_of(0.001, 0.0042, zero=True).ticks] == [
        "0",
        "0.001",
        "0.002",
        "0.003",
        "0.004",
        "0.005",
    ]
    assert [label for _, label in axis_of(0, 240_000, zero=True).ticks] == ["0", "50k", "100k", "150k", "200k", "250k"]
    assert [label for _, label in axis_of(980, 1000, zero=False).ticks] == ["980", "985", "990", "995", "1,000"]


@pytest.mark.parametrize(
    "pair",
    [
        ("5e-324", "0"),
        ("5e-324", "-5e-324"),
        ("1e-322", "2e-300"),
        ("1e-279", "1e15"),
        ("0.3", "0.30000000000000004"),
        ("-2", "-1.9999999999999998"),
    ],
)
def test_numbers_that_are_nearly_equal(pair: tuple[str, str]) -> None:
    plot = read_separated(f"{pair[0]},b\n{pair[0]},{pair[1]}\n{pair[1]},{pair[0]}\n", ",", "line", {}, stacked=False)
    assert "<polyline" in draw(plot, "")


def test_days_between_which_there_are_none_get_no_tick() -> None:
    days = tuple(float(739737 + day) for day in (0, 1, 2, 100))
    assert [label for _, label in dates(days, 3)] == ["2026-05-01", "2026-05-03", "2026-08-09"]
    months = (739737.0, 739768.0)
    assert [label for _, label in dates(months, 5)] == ["2026-05", "2026-06"]


@st.composite
def plots(draw_from: st.DrawFn) -> Plot:
    count = draw_from(st.integers(1, 20))
    names = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=40)
    kind: Kind = draw_from(st.sampled_from(KINDS))
    dated = draw_from(st.booleans())
    labels = tuple(draw_from(st.lists(names, min_size=count, max_size=count)))
    where: tuple[float, ...] = ()
    if dated:
        where = tuple(draw_from(st.lists(VALUES, min_size=count, max_size=count, unique=True)))
        labels = tuple(f"{value}" for value in where)
        where = where if count > 1 else ()
    column = st.lists(st.none() | VALUES, min_size=count, max_size=count)
    series = tuple(Series(draw_from(names), tuple(draw_from(column))) for _ in range(draw_from(st.integers(1, 8))))
    series = (Series(series[0].name, (1.0, *series[0].values[1:])), *series[1:])
    stacked = draw_from(st.booleans()) and kind in ("bar", "area")
    return Plot(kind, labels, series, where, draw_from(names), draw_from(names), draw_from(names), stacked)


@given(plots())
def test_every_chart_is_inside_its_frame(plot: Plot) -> None:
    svg = ET.fromstring(draw(plot, plot.title))
    _, _, width, height = map(float, svg.attrib["viewBox"].split())
    assert width == WIDTH
    for part in svg.iter():
        for x, y in _points(part):
            assert -1 <= x <= width + 1
            assert -1 <= y <= height + 1
    drawn = [part for part in svg.iter() if part.tag in ("circle", "polyline")]
    assert plot.kind == "bar" or drawn


def _points(part: ET.Element) -> list[tuple[float, float]]:
    at = part.attrib
    if part.tag in ("polyline", "polygon"):
        return [(float(x), float(y)) for x, y in (point.split(",") for point in at["points"].split())]
    if part.tag == "rect":
        x, y = float(at["x"]), float(at["y"])
        return [(x, y), (x + float(at["width"]), y + float(at["height"]))]
    if part.tag == "circle":
        return [(float(at["cx"]), float(at["cy"]))]
    if part.tag == "line":
        return [(float(at["x1"]), float(at["y1"])), (float(at["x2"]), float(at["y2"]))]
    return [(float(at["x"]), float(at["y"]))] if part.tag == "text" else []


def test_bars_are_as_long_as_their_values() -> None:
    plot = read_separated("a,b\nx,10\ny,20\nz,\n", ",", "bar", {}, stacked=False)
    one, other = (float(size) for size in re.findall(r'<rect class="s0"[^>]* height="([\d.]+)"', draw(plot, "")))
    assert other == pytest.approx(2 * one, abs=0.2)


def test_stacked_bars_stand_on_each_other() -> None:
    plot = read_separated("a,b,c\nx,10,20\n", ",", "bar", {}, stacked=True)
    boxes = re.findall(
        r'<rect class="s\d" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"><title>', draw(plot, "")
    )
    (x1, y1, w1, _), (x2, y2, w2, h2) = ([float(value) for value in box] for box in boxes)
    assert (x1, w1) == (x2, w2)
    assert y2 + h2 == pytest.approx(y1, abs=0.2)


def test_a_line_ends_where_there_is_no_value() -> None:
    plot = read_separated("t,a\n1,1\n2,2\n3,\n4,4\n5,5\n", ",", "line", {}, stacked=False)
    assert draw(plot, "").count("<polyline") == 2


def test_tooltips_have_all_digits() -> None:
    plot = read_separated("t,a\nx,1717243200123\ny,0.1\n", ",", "bar", {}, stacked=False)
    drawn = draw(plot, "")
    assert "1,717,243,200,123" in drawn
    assert ": 0.1<" in drawn


def test_what_people_write_is_text() -> None:
    hostile = '<script>"x"</script>'
    data = f'"{hostile.replace(chr(34), chr(34) * 2)}",b\n"{hostile.replace(chr(34), chr(34) * 2)}",1\n'
    plot = read_separated(data, ",", "bar", {"title": hostile}, stacked=False)
    assert plot.labels == (hostile,)
    assert "<script" not in draw(plot, hostile)


def test_many_rows() -> None:
    rows = "".join(f"{number},1\n" for number in range(MAX_ROWS))
    plot = read_separated(f"t,a\n{rows}", ",", "line", {}, stacked=False)
    assert len(draw(plot, "")) < 20 * MAX_ROWS  # no marks on so many points
    with pytest.raises(NotDrawnError, match="more than 2,000 rows"):
        read_separated(f"t,a\n{rows}0,1\n", ",", "line", {}, stacked=False)
    with pytest.raises(NotDrawnError, match="a value is too long"):
        read_separated(f"t,a\n{'x' * 200_000},1\n", ",", "line", {}, stacked=False)
    with pytest.raises(NotDrawnError, match=r"201 bars \(limit: 200\)"):
        read_separated("t,a\n" + "x,1\n" * 201, ",", "bar", {}, stacked=False)


def test_vega_lite_names_columns_as_separated_values_do() -> None:
    encoding = {"x": {"field": "t", "type": "quantitative"}, "y": {"field": "v", "axis": {"title": "values"}}}
    rows = [{"t": 1, "v": 2, "k": "a"}, {"t": 2, "v": 3, "k": "a"}, {"t": 1, "v": 4, "k": "b"}]
    spec = {"data": {"values": rows}, "mark": {"type": "area"}, "encoding": {**encoding, "color": {"field": "k"}}}
    plot = read_vega_lite(json.dumps(spec))
    assert plot == Plot(
        "area", ("1", "2"), (Series("a", (2, 3)), Series("b", (4, None))), (1, 2), "", "t", "values", stacked=True
    )


def test_vega_lite_with_values_as_text_and_bars_that_lie() -> None:
    encoding = {"x": {"field": "n", "type": "quantitative"}, "y": {"field": "name", "type": "nominal"}}
    spec = {"data": {"values": "name,n\n1,5\n2,6\n"}, "mark": "bar", "encoding": encoding}
    plot = read_vega_lite(json.dumps(spec))
    assert (plot.labels, plot.positions, plot.series) == (("1", "2"), (), (Series("n", (5, 6)),))


KEYS = st.sampled_from(["data", "values", "mark", "encoding", "x", "y", "field", "color", "type"])
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner),
    max_leaves=15,
)


@pytest.mark.slow
@given(JSON)
def test_any_json_is_drawn_or_refused(value: object) -> None:
    with suppress(NotDrawnError):
        assert draw(read_vega_lite(json.dumps(value)), "")


@pytest.mark.parametrize("place", ['"title": "a HALF"', '"HALF": 1', '"mark": "HALF"', '"mark": {"type": "HALF"}'])
def test_half_of_a_character_is_refused(place: str) -> None:
    """No page can contain it, nor a message about it."""
    with pytest.raises(NotDrawnError) as refused:
        read_vega_lite("{" + place.replace("HALF", r"\ud83d") + "}")
    assert str(refused.value).encode() == r"“\ud83d” is half of a surrogate pair".encode()


def test_deep_json_is_refused() -> None:
    with pytest.raises(NotDrawnError):
        read_vega_lite("[" * 200_000)


def test_rows_are_in_order_along_a_line() -> None:
    plot = read_separated("t,a\n3,1\n1,2\n2,3\n", ",", "line", {}, stacked=False)
    line = re.search(r'<polyline[^>]* points="([^"]+)"', draw(plot, ""))
    assert line
    places = [float(point.split(",")[0]) for point in line[1].split()]
    assert all(one < other for one, other in pairwise(places))


@pytest.mark.parametrize("sign", "\u2028\u2029\x85\x1c\x0b\x0c")
def test_only_a_line_break_ends_a_row(sign: str) -> None:
    plot = read_separated(f'a,b\nx{sign}y,1\n"z{sign}",2\n', ",", "bar", {}, stacked=False)
    assert (plot.labels, plot.series[0].values) == ((f"x{sign}y", "z"), (1, 2))


def test_a_label_may_be_the_number_of_an_issue() -> None:
    text = '# All, of 2026\n#Measured\n#issue,days\n#12,3\n "#13",4\n#\n# 14,5\n## 15,6\n"a\n#b",7\nother,8\n'
    plot = read_separated(text, ",", "bar", {}, stacked=False)
    assert plot.x == "#issue"
    assert list(zip(plot.labels, plot.series[0].values, strict=True)) == [
        ("#12", 3),
        ("#13", 4),
        ("a#b", 7),
        ("other", 8),
    ]
    assert read_separated("#,b\n1,2\n", ",", "bar", {}, stacked=False).x == "#"
