"""Snippets show marks that are no markup, as the page does: identifiers and formulas are copied from them."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.model.source import Source
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse
from devlog.search.emphasis import without_emphasis
from devlog.search.plain import plain


def shown(text: str) -> str:
    """The words of a page."""
    body = parse(Source("a.md", "a.md", f"---\ntitle: A\n---\n{text}\n"), ParseOptions())[1]
    return words(
        html.unescape(
            re.sub("<(/t[dh]|li)?[^>]*>", lambda tag: " " * bool(tag[1]), "".join(str(part) for part in body.pieces))
        )
    )


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(
    "text",
    [
        "torch._check, torch._inductor, x._y_z and obj._private",
        "2 * 3 * 4 and a[i][j], f(a)[i][j][k]",
        "a || b, x | y",
        "a ~~ b and ~~c",
        "an ` alone",
        "*args and **kwargs",
        "x*y**2 and **kwargs, *args",
        "a_b_c, __init__ and a.__init__, b",
        "**b** _i_ ***both*** ~~gone~~ a*b*c",
        "**1. Foo** bar",
        "* an *item*\n* of **two\n  lines**",
        "*one\n\ntwo*",
        "- *one\n- two*",
        "> *one\n> two*",
        "| `a_b` | *c* |\n|---|---|\n| z | _d |\n\nx | y",
        "a | b\n--|--\n1 | 2",
        "**[a](b)** and *`x_y`* \\*no\\*",
        "*a **b* c**",
        "**a *b** c*",
        "_a b_c_ d",
    ],
)
def test_text_without_markup_is_that_of_the_page(text: str) -> None:
    assert words(plain(text)) == shown(text)


@pytest.mark.slow
@given(st.lists(st.sampled_from([*"ab*_.,()", "**", "__", " "]), max_size=14).map("".join))
def test_marks_are_paired_as_on_the_page(text: str) -> None:
    text = f"x {text} x"
    if "***" not in text and "___" not in text:
        assert words(without_emphasis(text, "")) == shown(text)


@pytest.mark.usefixtures("linear")
@pytest.mark.slow
@pytest.mark.parametrize("part", ["*a", "a* ", "*a _b ", "*a_ ", "a*b**", "a|", "_", "a[b]", "a["])
def test_long_runs_of_marks_are_paired_soon(part: str) -> None:
    plain(part * (600_000 // len(part)))
