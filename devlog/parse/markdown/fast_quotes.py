"""A faster version of markdown-it's rule for block quotes, which caches the lines it has examined.

The end of a quote is known only after its blocks are parsed: a line below it without a ``>`` belongs to it if it
continues a paragraph. So the rule first examines all lines that may belong to the quote, and then parses the blocks.
If these end early, markdown-it examines the remaining lines again for each of the quotes among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from markdown_it.rules_block.blockquote import _detect_alert
from markdown_it.token import Token

_CONTINUES = -1  # the indentation of a line that can only continue a paragraph
_REMEMBERED = 8  # the number of cached quotes with remaining lines, per enclosing block

QuoteKey = tuple[int, ...]
"""Everything that determines the possible extent of a quote, except the lines themselves."""


class Quote(NamedTuple):
    """The lines that may belong to a quote."""

    start: int
    end: int
    """The line after the last one."""
    is_cut: bool
    """Whether another block begins at that line."""
    columns: tuple[list[int], ...]
    """The values of ``bMarks``, ``tShift``, ``sCount`` and ``bsCount`` inside the quote, from its first line on, up to
    the last line whose values differ from those around the quote: the others can be as many as in each quote around."""
    inner: dict[QuoteKey, Quote]
    """The quotes inside it that have remaining lines."""


class _Column:
    """A view of one of the state's lists, in which the lines of a quote have other values."""

    def __init__(self, values: list[int], start: int, outer: Any) -> None:
        self._values, self._start, self._outer = values, start, outer
        self._end = start + len(values)

    def __getitem__(self, line: int) -> int:
        value: int = self._values[line - self._start] if self._start <= line < self._end else self._outer[line]
        return value

    def __setitem__(self, line: int, value: int) -> None:
        if self._start <= line < self._end:
            self._values[line - self._start] = value
        else:
            self._outer[line] = value


def quote_rule(state: Any, start: int, end: int, silent: bool) -> bool:
    """As markdown-it's rule ``blockquote``, for a state whose ``quotes`` are the quotes with remaining lines."""
    if state.is_code_block(start) or not state.src.startswith(">", state.bMarks[start] + state.tShift[start]):
        return False
    if silent:
        return True
    outer = state.lineMax, state.blkIndent, state.parentType, state.quotes
    columns = state.bMarks, state.tShift, state.sCount, state.bsCount
    key = (state.blkIndent, state.listIndent, state.ddIndent, end)
    state.parentType = "blockquote"
    first = _values_inside(state, start)
    known = state.quotes.get(key)
    # The lines below depend on this one only if it is empty, and then no block begins at a line without ``>`` either.
    if known and start + 1 < known.end:
        for column, value in zip(known.columns, first, strict=True):
            column[start - known.start] = value
        quote = known
    else:
        known, quote = None, _look(state, start, end, first)
    if quote.is_cut:
        state.lineMax = quote.end
    state.blkIndent, state.quotes = 0, quote.inner
    if known or not isinstance(state.bMarks, list):
        inside = [_Column(values, quote.start, column) for values, column in zip(quote.columns, columns, strict=True)]
        state.bMarks, state.tShift, state.sCount, state.bsCount = inside
        _read(state, start, quote.end)
        state.bMarks, state.tShift, state.sCount, state.bsCount = columns
    else:
        lines = slice(start, start + len(quote.columns[0]))
        before = [column[lines] for column in columns]
        _fill(columns, lines, quote.columns)
        _read(state, start, quote.end)
        _fill(columns, lines, before)
    state.lineMax, state.blkIndent, state.parentType, state.quotes = outer
    _remember(state, key, quote)
    return True


def _fill(columns: Sequence[list[int]], lines: slice, values: Iterable[list[int]]) -> None:
    for column, part in zip(columns, values, strict=True):
        column[lines] = part


def _remember(state: Any, key: QuoteKey, quote: Quote) -> None:
    """Cache a quote that was parsed up to the state's line, and drop those without remaining lines."""
    if state.line < quote.end:
        state.quotes.pop(key, None)
        for other in [other for other, known in state.quotes.items() if known.end <= state.line]:
            del state.quotes[other]
        if len(state.quotes) == _REMEMBERED:
            del state.quotes[next(iter(state.quotes))]
        state.quotes[key] = quote


def _look(state: Any, start: int, end: int, first: tuple[int, ...]) -> Quote:
    """Find the lines that may belong to the quote at line `start`, whose values inside the quote are `first`."""
    (ends,) = state.md.block.ruler.getRules("blockquote")
    found = [first]
    kept = 1  # lines up to the last one whose values differ inside the quote
    was_empty = _is_empty(state, start, first)
    is_cut = False
    line = start + 1
    while line < end:
        position = state.bMarks[line] + state.tShift[line]
        if position >= state.eMarks[line]:
            break
        if state.src[position] == ">" and state.sCount[line] >= state.blkIndent:
            values = _values_inside(state, line)
            was_empty = _is_empty(state, line, values)
            found.append(values)
            kept = len(found)
        elif was_empty:
            break
        elif ends(state, line, end, True):
            is_cut = True
            break
        else:
            begin, shift, indent, base = _values(state, line)
            found.append((begin, shift, _CONTINUES, base))
            if indent != _CONTINUES:
                kept = len(found)
        line += 1
    del found[kept:]
    return Quote(start, line, is_cut, tuple(map(list, zip(*found, strict=True))), {})


def _values(state: Any, line: int) -> tuple[int, int, int, int]:
    return state.bMarks[line], state.tShift[line], state.sCount[line], state.bsCount[line]


def _values_inside(state: Any, line: int) -> tuple[int, int, int, int]:
    """The values of the state's lists inside a quote, for a line with a ``>``."""
    begin, shift, indent, base = _values(state, line)
    source, end = state.src, state.eMarks[line]
    begin += shift + 1
    column = indent + 1
    char = source[begin : begin + 1]
    is_blank = char in (" ", "\t")  # one blank after ``>`` belongs to it, unless it is a tab that is wider
    is_left = char == "\t" and (base + column) % 4 != 3
    if is_blank and not is_left:
        begin += 1
        column += 1
    inner, position = column, begin
    while position < end and (char := source[position]) in (" ", "\t"):
        column += 4 - (column + base + is_left) % 4 if char == "\t" else 1
        position += 1
    return begin, position - begin, column - inner, indent + 1 + is_blank


def _is_empty(state: Any, line: int, values: tuple[int, ...]) -> bool:
    empty: bool = values[0] + values[1] >= state.eMarks[line]
    return empty


def _read(state: Any, start: int, end: int) -> None:
    """Parse the blocks between two lines, and push the tokens of the quote or alert."""
    kind = _detect_alert(state, start) if state.md.options.get("alerts") else None
    name = "alert" if kind else "blockquote"
    opening: Token = state.push(f"{name}_open", "div" if kind else "blockquote", 1)
    opening.markup = ">"
    opening.map = [start, 0]
    if kind:
        opening.attrSet("class", f"markdown-alert markdown-alert-{kind.lower()}")
        opening.info, opening.meta = kind, {"kind": kind}
        state.push("alert_title_open", "p", 1).attrSet("class", "markdown-alert-title")
        title = state.push("inline", "", 0)
        title.content, title.children = kind.capitalize(), []
        state.push("alert_title_close", "p", -1)
    first = start + bool(kind)
    if first < end:
        state.md.block.tokenize(state, first, end)
    else:
        state.line = end
    state.push(f"{name}_close", "div" if kind else "blockquote", -1).markup = ">"
    opening.map[1] = state.line
