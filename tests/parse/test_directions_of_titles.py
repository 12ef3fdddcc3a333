"""A title that a heading gives turns around no text beside it either, nor does an excerpt."""

from __future__ import annotations

from devlog.model.source import Source
from devlog.parse.options import DEFAULTS
from devlog.parse.parse import parse


def test_a_title_from_a_heading() -> None:
    parsed, _, _ = parse(Source("t/a.md", "content/t/a.md", "# One \u202etwo \u2067שלום\u2069\n\nText.\n"), DEFAULTS)
    assert parsed.document.title == "One two \u2067שלום\u2069"


def test_an_excerpt_turns_around_no_text_beside_it() -> None:
    text = "One \u202etwo `co\u202ede` \u2067שלום\u2069 **\u2067x** *three* \u2069\u2069four `\u202e`.\n"
    parsed, _, _ = parse(Source("t/a.md", "content/t/a.md", text), DEFAULTS)
    found = parsed.document
    assert found.excerpt == "One two code \u2067שלום\u2069 \u2067x three \u2069four ."
    assert [(found.excerpt[mark.start : mark.end], mark.kind) for mark in found.marks] == [
        ("code", "code"),
        ("\u2067x", "strong"),
        ("three", "em"),
    ]


def test_an_excerpt_that_is_cut_leaves_nothing_open() -> None:
    text = "\u2067" + "one " * 500 + "\u2069\n"
    parsed, _, _ = parse(Source("t/a.md", "content/t/a.md", text), DEFAULTS)
    assert "\u2067" not in parsed.document.excerpt
