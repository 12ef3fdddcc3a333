"""What stands in tables and footnotes within others is written once in a page's Markdown version."""

from __future__ import annotations

import pytest

from devlog.model.source import Source
from devlog.parse.options import DEFAULTS
from devlog.parse.parse import parse


@pytest.mark.feature("markdown_versions")
@pytest.mark.parametrize(
    "html",
    [
        "<table><tr><td>one</td><td><table><tr><td>two</td><td>three</td></tr></table></td></tr></table>",
        "<table><tr><td>one<table><tbody><tr><td>two<table><tr><td>three</td></tr></table></td></tr></table></table>",
        (
            '<div class="footnotes"><ol><li id="fn1">one'
            '<div class="footnotes"><ol><li id="fn2">two three</li></ol></div></li></ol></div>'
        ),
    ],
)
def test_once(html: str) -> None:
    _, body, _ = parse(Source("a.md", "content/a.md", f"{html}\n"), DEFAULTS)
    written = "".join(str(piece) for piece in body.markdown)
    assert [written.count(word) for word in ("one", "two", "three")] == [1, 1, 1]
