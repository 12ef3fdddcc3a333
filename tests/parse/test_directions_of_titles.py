"""A title that a heading gives turns around no text beside it either."""

from __future__ import annotations

from devlog.model.source import Source
from devlog.parse.options import DEFAULTS
from devlog.parse.parse import parse


def test_a_title_from_a_heading() -> None:
    parsed, _, _ = parse(Source("t/a.md", "content/t/a.md", "# One \u202etwo \u2067שלום\u2069\n\nText.\n"), DEFAULTS)
    assert parsed.document.title == "One two \u2067שלום\u2069"
