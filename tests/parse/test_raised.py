"""Raised and lowered text is told from the text beside it wherever HTML becomes plain text."""

from __future__ import annotations

import re

import pytest

from devlog.model.document import Body, Parsed
from devlog.model.source import Source
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse
from devlog.search.plain import plain

RAISED = [
    ("10<sup>6</sup> rows", "10⁶ rows", "10^6 rows"),
    ("10<SUP>6</SUP> rows", "10⁶ rows", "106 rows"),
    ("2<sup>-3</sup> or e<sup>x+y</sup>", "2⁻³ or e^(x+y)", "2^(-3) or e^(x+y)"),
    ("2<sup>n</sup> and 2<sup>k</sup>", "2ⁿ and 2^k", "2^n and 2^k"),
    ("H<sub>2</sub>O, x<sub>max</sub>", "H₂O, x_max", "H2O, xmax"),
    ("the 1<sup>st</sup>, Lumen<sup>®</sup>", "the 1st, Lumen®", "the 1st, Lumen®"),
    ("a <sup>2</sup> (<sub>3</sub>)", "a 2 (3)", "a 2 (3)"),
    ("a<sub>small words</sub> b<sup></sup>", "asmall words b", "asmall words b"),
    ("a<sup>2<b>c</sup>", "a^2c", "a2c"),
    ("a<sup>2 b", "a2 b", "a2 b"),
]


@pytest.mark.parametrize(("html", "expected", "_"), RAISED)
@pytest.mark.parametrize("block", ["{}", "<div>{}</div>"])
def test_in_excerpts(html: str, expected: str, _: str, block: str) -> None:
    assert _parsed(block.format(html))[0].document.excerpt == expected


def test_in_extensions_of_markdown() -> None:
    options = ParseOptions(extensions=("superscript", "subscript"))
    document = parse(Source("a.md", "content/a.md", "---\ntitle: A\n---\n**10**^6^ ~~a~~ H~2~O\n"), options)[0].document
    assert document.excerpt == "10⁶ a H₂O"
    assert [(document.excerpt[mark.start : mark.end], mark.kind) for mark in document.marks] == [("10", "strong")]


@pytest.mark.parametrize(("html", "expected", "_"), RAISED)
def test_in_headings_but_not_in_their_fragments(html: str, expected: str, _: str) -> None:
    (heading,) = _parsed(f"## {html}")[0].document.headings
    assert heading.text == expected
    assert heading.id.isascii()


@pytest.mark.parametrize(("html", "_", "expected"), RAISED)
def test_in_the_index_of_the_terminal(html: str, _: str, expected: str) -> None:
    assert plain(html) == expected


@pytest.mark.feature("site_search")
@pytest.mark.parametrize(("html", "_", "expected"), RAISED)
def test_in_the_index_of_browsers(html: str, _: str, expected: str) -> None:
    from devlog.features.site_search.derive.indexed_page import JOIN, text

    found = re.sub(f" {JOIN}|<[^<>]*>", "", text(_parsed(html)[1])).strip()
    assert found == expected.replace("106", "10^6")  # tags have small letters by then


def _parsed(body: str) -> tuple[Parsed, Body]:
    return parse(Source("a.md", "content/a.md", f"---\ntitle: A\n---\n{body}\n"), ParseOptions())[:2]
