"""What raw HTML may make a reader's browser compute."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import pytest

from devlog.sanitize import MOST_DIRECTIONS, MOST_PLACES, MOST_QUOTES, has_huge_tables, has_ragged_tables, sanitize

SIDE = int(MOST_PLACES**0.5) + 50
LONG = "<tr>" + "<td>a" * SIDE
SHORT = "<tr><td>b" * SIDE


@pytest.mark.parametrize(
    "html",
    [
        f"<table>{LONG}{SHORT}</table>",
        f"<table>{SHORT}{LONG}",
        f"<table>{SHORT}<tr>" + "<td colspan=99>a" * (SIDE // 50) + "</table>" + "<td>" * 300,
        f'<table>{LONG}<td title="</table>">{SHORT}</table>',
        f"<table><tr><td><table>{LONG}<td><table></table>{SHORT}</table></table>",
    ],
)
def test_tables_of_one_long_row_and_many_short_ones_are_text(html: str) -> None:
    assert sanitize(html).count("<table>") < html.count("<table>")
    assert "<td" not in sanitize(f"<table>{LONG}{SHORT}</table>")


def test_other_tables_stay() -> None:
    rows = f"<tr>{'<td>a</td>' * 20}</tr>" * 3000
    assert sanitize(f"<table><tbody>{rows}</tbody></table>") == f"<table><tbody>{rows}</tbody></table>"
    many = "<table><tbody><tr><td>a</td></tr></tbody></table>" * 2000
    assert sanitize(many) == many


@pytest.mark.parametrize(
    ("start", "end"), [("<div dir=auto>", "</div>"), ('<p dir=" AUTO">', "</p>"), ("<bdi>", "</bdi>")]
)
def test_browsers_find_out_few_directions(start: str, end: str) -> None:
    few = "<b>1</b>" * 50
    assert "auto" in (kept := sanitize(start + few + end).lower()) or "<bdi>" in kept
    many = "<b>1</b>" * int(MOST_DIRECTIONS**0.5)
    assert "auto" not in (kept := sanitize(start + many + end).lower())
    assert "<bdi>" not in kept
    assert 'dir="rtl"' in sanitize(f"<div dir=rtl>{many}</div>")


@pytest.mark.parametrize("quote", ["<q>a</q>", "<Q\ncite=b>a</Q >", "<q><b>a</b></q>"])
def test_very_many_quotes_are_marks(quote: str) -> None:
    assert sanitize(quote * MOST_QUOTES).count("</q>") == MOST_QUOTES
    kept = sanitize(quote * (MOST_QUOTES + 1))
    assert "<q" not in kept
    assert kept.replace("<b>", "").replace("</b>", "") == "“a”" * (MOST_QUOTES + 1)


@pytest.mark.parametrize("odd", ["<q/", "<q <b>", "<q", '<b title="<q ">', '<q title="a>b">', "<q>"])
def test_no_quote_of_very_many_stays(odd: str) -> None:
    assert "<q" not in sanitize(odd * (2 * MOST_QUOTES) + "<q>a</q>" * (MOST_QUOTES + 1)).replace('="<q', "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("judge", "html"),
    [(has_ragged_tables, "<table>" + "<td a>" * 200_000), (has_huge_tables, "<td colspan=1>" * 100_000)],
)
def test_tables_are_looked_at_tag_by_tag(judge: Callable[[str], bool], html: str) -> None:
    """Lists of all tags would take many times the memory of the page."""
    tracemalloc.start()
    judge(html)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * len(html)
