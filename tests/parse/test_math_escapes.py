"""Where a formula in brackets ends: an escaped backslash belongs to no bracket."""

from __future__ import annotations

import pytest

from devlog.model.source import Source
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse


def html_of(text: str) -> str:
    source = Source("a.md", "content/a.md", f"---\ntitle: A\n---\n{text}\n")
    return "".join(piece for piece in parse(source, ParseOptions())[1].pieces if isinstance(piece, str))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (r"a \\\[x=1\\] b", r"<p>a \[x=1\] b</p>"),
        (r"\[x=1\\]", r"<p>[x=1\]</p>"),
        (r"a \(x=1\\) b", r"<p>a (x=1\) b</p>"),
    ],
)
def test_an_escaped_backslash_ends_no_formula(text: str, shown: str) -> None:
    assert html_of(text).strip() == shown


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        (r"a \[x=1\\[2pt] y\\\] b", r"x=1\\[2pt] y\\"),
        ("\\[\na=b\\\\\n\\]", "a=b\\\\"),
        (r"a \\[x=1\\] b", "x=1"),
        (r"a \\(x=1\\) b", "x=1"),
    ],
)
def test_other_backslashes_end_it(text: str, tex: str) -> None:
    assert f'alttext="{tex}"' in html_of(text)
