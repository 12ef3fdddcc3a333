"""Typographic quotes and dashes: what is replaced, in which language, and that nothing else changes."""

from __future__ import annotations

from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.model.source import Source
from devlog.parse.markdown.typography import folded
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse


def typeset(text: str, language: str = "en", *, on: bool = True) -> str:
    """The HTML of a paragraph."""
    options = ParseOptions(extensions=("typographer",) * on, language=language, markdown_versions=False)
    _, body, _ = parse(Source("a.md", "a.md", f"---\ntitle: A\n---\n{text}\n"), options)
    html = unescape("".join(piece for piece in body.pieces if isinstance(piece, str)))
    return html.removeprefix("<p>").removesuffix("</p>\n")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("\"a\" and 'b'", "“a” and ‘b’"),
        ("\"a 'b' c\"", "“a ‘b’ c”"),
        ("\"'a' b\"", "“‘a’ b”"),
        ('("a")', "(“a”)"),
        ('a "b', 'a "b'),  # a quote without a partner is not known to be one
        ('a" b', 'a" b'),
        ("it's the nodes' turn", "it’s the nodes’ turn"),
        ("'tis in the '90s", "’tis in the ’90s"),
        ("5'10\" tall", "5'10\" tall"),
        ('a 19" rack and "2" units', 'a 19" rack and “2” units'),
        ('*"a"* **"b*c*"**', "<em>“a”</em> <strong>“b<em>c</em>”</strong>"),
        ('"*a*" "`b`"', "“<em>a</em>” “<code>b</code>”"),
        ('*"a* b"', '<em>"a</em> b"'),  # the element ends between them
        ('"a\nb"', "“a\nb”"),
        ("a -- b, 1--2, a---b", "a – b, 1–2, a—b"),
        ("--a, (--b), [--c], x ---- y", "--a, (--b), [--c], x ---- y"),
        ("a... b, ./... c, ../.. d", "a… b, ./... c, ../.. d"),
        ('\\"a\\" &quot;b&quot; \\-- `"c"`', '"a" "b" -- <code>"c"</code>'),
        ("https://example.org/--'a", "<a href=\"https://example.org/--'a\">https://example.org/--'a</a>"),
    ],
)
def test_english(written: str, expected: str) -> None:
    assert typeset(written) == expected


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("de-AT", "„a ‚b‘“"),
        ("de-CH", "«a ‹b›»"),
        ("fr", "«\xa0a “b”\xa0»"),
        ("pl", "„a «b»”"),
        ("sv", "”a ’b’”"),
        ("ja", "「a 『b』」"),
        ("pt", "“a ‘b’”"),
        ("tlh", "“a ‘b’”"),
    ],
)
def test_languages(language: str, expected: str) -> None:
    assert typeset("\"a 'b'\"", language) == expected


@pytest.mark.slow
@given(st.text(st.sampled_from("\"'-. ab1*_`()\n")))
def test_nothing_else_changes(text: str) -> None:
    assert folded(typeset(text)) == folded(typeset(text, on=False))
