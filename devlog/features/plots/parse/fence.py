"""Writes the chart of a fence, with its data as a table."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from devlog.features.plots import problems
from devlog.features.plots.parse.draw import draw
from devlog.features.plots.parse.plot import KINDS, Kind, NotDrawnError, Plot
from devlog.features.plots.parse.separated import read_separated
from devlog.features.plots.parse.vega_lite import read_vega_lite
from devlog.parse.code.highlight import options_of, read_info
from devlog.parse.markdown.body import CHART, BodyWriter

_DELIMITERS = {"csv": ",", "tsv": "\t"}
_YES = ("", "true", "yes", "1")


def chart(writer: BodyWriter, language: str, info: str, content: str, lines: Sequence[int] | None) -> str | None:
    """The HTML of a chart; `None` if the fence is to be shown as code.

    Args:
        writer: collects problems.
        language: of the fence.
        info: its info string.
        content: its text.
        lines: its first line in the text of the post, and the line after it.
    """
    options = options_of(info)
    if language in _DELIMITERS and "plot" not in options:
        return None
    try:
        plot = (
            read_vega_lite(content)
            if language == "vega-lite"
            else _separated(writer, language, options, content, lines)
        )
    except NotDrawnError as error:
        block = _lines_of_row(error.row, content, lines)
        writer.diagnostics.append(problems.bad_plot(writer.finder.find(error.needle, block), str(error), error.hint))
        return None
    if plot is None:
        return None
    figure = _figure(writer, plot, options.get("alt", ""))
    fence = read_info(info)
    title = escape(fence.title or fence.tab or "")
    code = f'<div class="code-title">{title}</div><pre>{escape(content)}</pre>'
    writer.chart_sources[figure] = f'<div class="code" data-lang="{language}">{code}</div>'
    return writer.trusted(f"{figure}\n")


def _lines_of_row(row: int, content: str, lines: Sequence[int] | None) -> Sequence[int] | None:
    """The line of a row of a fence, and the line after it; those of the whole fence if there is no such row."""
    rows = len(content.rstrip().split("\n")) if content.strip() else 0
    row = min(row, rows - 1)  # JSON that ends too soon is wrong in the line after its last one
    return (lines[0] + 1 + row, lines[0] + 2 + row) if lines and row >= 0 else lines


def _separated(
    writer: BodyWriter, language: str, options: dict[str, str], content: str, lines: Sequence[int] | None
) -> Plot | None:
    wanted = options["plot"].lower()
    kind: Kind | None = next((kind for kind in KINDS if kind == (wanted or "bar")), None)
    if kind is None:
        writer.diagnostics.append(problems.unknown_plot(writer.finder.find(options["plot"], lines), wanted, KINDS))
        return None
    stacked = "stacked" in options and options["stacked"].lower() in _YES
    return read_separated(content, _DELIMITERS[language], kind, options, stacked=stacked and kind in ("bar", "area"))


def _figure(writer: BodyWriter, plot: Plot, alt: str) -> str:
    alt = alt or plot.title or ", ".join(filter(None, (plot.y, plot.x))) or writer.t("chart")
    caption = escape(plot.title)
    data = f"<details><summary>{escape(writer.t('chart_data'))}</summary>\n{_table(writer, plot)}</details>"
    return f"{CHART}{draw(plot, alt)}<figcaption>{caption}{data}</figcaption></figure>"


def _table(writer: BodyWriter, plot: Plot) -> str:
    names = [plot.x, *(one.name for one in plot.series)]
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    rows = "".join(
        f'<tr><th scope="row">{escape(label)}</th>{"".join(_cell(one.values[row]) for one in plot.series)}</tr>\n'
        for row, label in enumerate(plot.labels)
    )
    return f"{writer.table_begin()}<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n"


def _cell(value: float | None) -> str:
    return f"<td>{value:,.15g}</td>" if value is not None else "<td></td>"
