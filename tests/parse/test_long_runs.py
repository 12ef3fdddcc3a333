"""Texts that a browser could not lay out get break opportunities, or are refused."""

from __future__ import annotations

import re

import pytest

from devlog.model.source import Source
from devlog.parse.html.long_runs import with_breaks
from devlog.parse.options import DEFAULTS
from devlog.parse.parse import parse

LETTERS = "\u0644" * 9000
MARKS = "\u0301" * 9000


def written(text: str, name: str = "a.md") -> tuple[str, list[tuple[str, str, int]]]:
    """The HTML of a text, and what is told of it."""
    parsed, body, _ = parse(Source(name, name, text), DEFAULTS)
    html = "".join(piece for piece in body.pieces if isinstance(piece, str))
    return html, [(item.code, item.severity, item.span.line) for item in parsed.diagnostics]


@pytest.mark.parametrize("text", ["a" + MARKS, LETTERS, f"`{LETTERS}`", f"    {MARKS}"])
def test_letters_that_join_get_breaks(text: str) -> None:
    html, _ = written(f"Words.\n\n{text}\n")
    assert html.count("<wbr>") >= 17
    assert max(map(len, re.findall(r"[\u0300-\u06ff]+", html))) == 500


@pytest.mark.parametrize(
    "text",
    [
        "a" * 9000,
        "\u6f22" * 9000,
        "\u3042\u3001" * 4000,
        "\ud55c" * 9000,
        "\u0644" * 499,
        "\u0644\u0645 " * 3000,
        f'<a href="/" title="{MARKS}">',
    ],
)
def test_other_texts_stay(text: str) -> None:
    assert with_breaks(text) == text


def test_letters_of_a_page_in_html() -> None:
    assert "<wbr>" in written(f"<p>{LETTERS}</p>", "a.html")[0]


PLAYERS = ["![x](a.mp4)", '<video src="a.mp4"></video>', '<audio src="a.mp3" controls></audio>']


@pytest.mark.parametrize("player", PLAYERS)
def test_many_players_are_refused(player: str) -> None:
    front = "---\ntitle: A\n---\n"
    assert written(front + f"{player}\n\n" * 200)[1] == []
    assert written(front + f"{player}\n\n" * 201)[1] == [("too-many-players", "error", 4)]


CELLS = ["<td colspan=99>a", '<td rowspan = "99">a', "<TH COLSPAN='30' ROWSPAN=30>a", '<td colspan="1" rowspan=99>a']


@pytest.mark.parametrize("cell", CELLS)
def test_cells_of_huge_tables_span_nothing(cell: str) -> None:
    few, told = written(f"Text.\n\n<table><tr>{cell * 50}</table>\n")
    assert "span=" in few
    assert told == []
    many, told = written(f"Text.\n\n<table><tr>{cell * 600}</table>\n")
    assert "span" not in many
    assert many.count("<t") >= 600
    assert told == [("unsafe-html", "warning", 3)]


def test_a_table_of_very_many_columns_is_text() -> None:
    def table(columns: int) -> str:
        return "\n".join("|" + cell * columns for cell in ("a|", "-|", "b|"))

    assert written(table(999))[0].count("<th>") == 999
    assert "<t" not in written(table(1000))[0]
