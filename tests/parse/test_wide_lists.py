"""Lists in raw HTML whose numbers are long get the class that those of Markdown get."""

from __future__ import annotations

import pytest

from devlog.model.source import Source
from devlog.parse.options import DEFAULTS
from devlog.parse.parse import parse


def written(text: str) -> str:
    """The HTML of a text."""
    _, body, _ = parse(Source("a.md", "a.md", text), DEFAULTS)
    return "".join(piece for piece in body.pieces if isinstance(piece, str))


def lists_of(text: str) -> list[str]:
    """The tags that begin lists, in the HTML of a text."""
    return [f"<{part.partition('>')[0]}>" for part in written(text).split("<") if part.startswith(("ol", "ul"))]


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ('<ol start="1000"><li>a</li></ol>', ['<ol class="wide" start="1000">']),
        ('<ol start="999"><li>a</ol>', ['<ol start="999">']),
        ('<ol start="998">\n<li>a\n<li>b\n<li>c\n</ol>', ['<ol class="wide" start="998">']),
        ('<ol><li value="1000">a</ol>', ['<ol class="wide">']),
        ('<ol><li value="999">a<li>b</ol>', ['<ol class="wide">']),
        ('<ol start="-100"><li>a</ol>', ['<ol class="wide" start="-100">']),
        (f"<ol>{'<li>a' * 1000}</ol>", ['<ol class="wide">']),
        (f"<ol>{'<li>a' * 999}</ol>", ["<ol>"]),
        (f"<ul>{'<li>a' * 1000}</ul>", ["<ul>"]),
        ('<ul><li value="1000">a</ul>', ["<ul>"]),
        ('<ol><li>a<ol start="5000"><li>b</ol><li>c</ol>', ["<ol>", '<ol class="wide" start="5000">']),
        ('<ol start="998"><li>a<ul><li>b</ul><li>c</ol>', ['<ol start="998">', "<ul>"]),
        ('<ol class="small" start="1000"><li>a</ol>', ['<ol class="small wide" start="1000">']),
        ('<ol class="wide" start="1000"><li>a</ol>', ['<ol class="wide" start="1000">']),
        ("<p title=\"<ol start='1000'>\"></p><ol><li>a</ol>", ["<ol>"]),
        ('1000. a\n1001. b\n\n<div title="1">b</div>', ['<ol start="1000" class="wide">']),
    ],
)
def test_lists_whose_numbers_have_more_than_three_digits_are_marked(text: str, tags: list[str]) -> None:
    shown = lists_of(text)
    assert [sorted(tag.replace(">", " ").split()) for tag in shown] == [
        sorted(tag.replace(">", " ").split()) for tag in tags
    ]
