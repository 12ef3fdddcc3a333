"""Lays out tables: right-aligns columns of numbers, so that their digits line up, and keeps columns of sentences wide.

It also limits the cells that rows omit: in a table of a thousand columns, a row of one character makes a thousand
cells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it.rules_block import StateBlock, table
from markdown_it.rules_block.table import escapedSplit
from markdown_it.token import Token

# A number with a sign, thousands separators, decimals and a short unit; dates, versions and IP addresses do not match.
_NUMBER = re.compile(
    r"[<>≤≥≈~±]?\s?[-+−–]?\s?[$€£¥]?\s?(?:\d{1,3}(?:[,  _]\d{3})+|\d{1,15})(?:\.\d{1,12})?"
    r"(?:[eE][-+]?\d{1,3})?(?:\s?(?:%|‰|[x×]|[a-zA-Zµμ]{1,4}(?:/[a-zA-Z]{1,4})?))?"
)
_TARGET = re.compile(r"\]\([^()\n]{0,2000}\)")
_LONG = 40
_CELL = 128
"""The number of characters counted for a missing cell, which adds to the page, feeds and a Markdown version."""
_MOST_COLUMNS = 1_000
"""A wider table is text: it would take browsers many seconds."""
_NO_NUMBER = frozenset({"", "-", "–", "—", "n/a", "N/A", "?", "…"})


def table_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """markdown-it's rule, with limits on the columns of a table and the missing cells of a whole text.

    The rule itself fills in at most 65,536 cells per table.

    Raises:
        ExpansionError: the text omits more cells than the limit allows.
    """
    if start + 1 < end and state.src.count("|", state.bMarks[start + 1], state.eMarks[start + 1]) > _MOST_COLUMNS:
        return False
    before = len(state.tokens)
    if not table(state, start, end, silent):
        return False
    if silent:
        return True
    _count_cells(state, before)
    writer = state.env.get("writer")
    if writer:
        empty = sum(token.type == "inline" and not token.content for token in state.tokens[before:])
        written = state.src.count("|", state.bMarks[start], state.eMarks[state.line - 1])
        if empty > written:
            writer.allowance.take((empty - written) * _CELL, writer.finder.find("", (start, state.line)))
    return True


def _count_cells(state: StateBlock, start: int) -> None:
    """Note in the ``meta`` of each row its line, its cells and the columns of its table, if these are not as many."""
    columns = 0
    for token in state.tokens[start:]:
        if token.type == "th_open":
            columns += 1
        elif token.type == "tbody_open":
            break
    for token in state.tokens[start:] if columns else ():
        if token.type != "tr_open" or not token.map:
            continue
        row = token.map[0]
        line = state.src[state.bMarks[row] + state.tShift[row] : state.eMarks[row]].strip()
        if "\\" not in line and line.count("|") == columns + 1 and line[0] == line[-1] == "|":
            continue  # as most are
        cells = len(escapedSplit(line.removeprefix("|"))) - (line.endswith("|") and not line.endswith("\\|"))
        if cells != columns:
            token.meta["cells"] = (line, cells, columns)


def lay_out_columns(tokens: Sequence[Token], opening: int) -> None:
    """Right-align the columns of a table that contain only numbers, unless the author chose an alignment.

    Also marks the header cell of a column with sentences in its ``meta``, so that on a narrow screen the column does
    not shrink to the width of a word.

    Args:
        tokens: the tokens of the document.
        opening: the index of the token that opens the table.
    """
    columns: list[list[Token]] = []
    texts: list[list[str]] = []
    column, is_head = 0, True
    for index in range(opening + 1, len(tokens)):
        kind = tokens[index].type
        if kind == "tr_open":
            column = 0
        elif kind in ("th_open", "td_open"):
            is_head = kind == "th_open"
            if column == len(columns):
                columns.append([])
                texts.append([])
            columns[column].append(tokens[index])
        elif kind == "inline" and not is_head:
            texts[column].append(tokens[index].content.strip(" *`_"))
        elif kind in ("th_close", "td_close"):
            column += 1
        elif kind == "table_close":
            break
    for cells, column_texts in zip(columns, texts, strict=True):
        if not any(cell.attrs for cell in cells) and _are_numbers(column_texts):
            for cell in cells:
                cell.attrs["style"] = "text-align:right"
        elif any(len(text) > _LONG and len(_TARGET.sub("]", text)) > _LONG for text in column_texts):
            cells[0].meta["wide"] = True


def _are_numbers(texts: Sequence[str]) -> bool:
    numbers = [text for text in texts if text not in _NO_NUMBER]
    return bool(numbers) and all(map(_NUMBER.fullmatch, numbers))
