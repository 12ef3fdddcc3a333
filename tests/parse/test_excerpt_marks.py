"""The code and the emphasized words of excerpts are those of the text."""

from __future__ import annotations

import pytest

from devlog.model.source import Source
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse


def _marked(text: str) -> str:
    """The excerpt of a text, with its marks written as ``kind(words)``."""
    document = parse(Source("a.md", "content/a.md", f"---\ntitle: A\n---\n{text}\n"), ParseOptions(math=True))[
        0
    ].document
    written, done = "", 0
    for mark in document.marks:
        written += document.excerpt[done : mark.start] + f"{mark.kind}({document.excerpt[mark.start : mark.end]})"
        done = mark.end
    return written + document.excerpt[done:]


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("x **x** `x` and *x*.", "x strong(x) code(x) and em(x)."),
        ("$x$ **x** `x` and x.", "x strong(x) code(x) and x."),
        ("**The $x$** and x.", "strong(The x) and x."),
        ("**a**<script>**a**</script> `b` a.", "strong(a) code(b) a."),
        ("a `b`<script>b</script> and b, **b**.", "a code(b) and b, strong(b)."),
        ("**a** b <!--more--> a b", "strong(a) b"),
        ("**a <!--more--> b** c *d*", "strong(a)"),
    ],
)
def test_the_marks_are_those_of_the_text(text: str, marked: str) -> None:
    assert _marked(text) == marked
