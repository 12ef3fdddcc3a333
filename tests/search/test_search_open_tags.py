"""HTML that nobody sanitized may have any number of tags without an end: reading them takes work by its length."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from devlog.features.site_search.derive.indexed_page import JOIN, text
from devlog.features.site_search.derive.words import Words
from devlog.model.document import Body
from devlog.parse.code.line_links import line_anchors
from devlog.parse.html.long_runs import with_breaks

JOINED = "\u0627" * 500
READERS: dict[str, Callable[[str], object]] = {
    "indexed": lambda html: text(Body((html,))),
    "words": lambda html: Words().add(html),
    "runs": lambda html: with_breaks(JOINED + html),
    "lines": line_anchors,
}
PARTS = (
    "<",
    "<a ",
    "<span ",
    '<span class="line-number"',
    '<p class="turn" ',
    'class="turn" id="',
    '<p class="turn" id="a"><a class="time">',
    '<div class="code"',
)


@pytest.mark.usefixtures("linear")
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("reader", READERS)
def test_open_tags_are_read_once(reader: str, part: str) -> None:
    READERS[reader](f"<p {part * 150_000}")


def test_a_tag_without_an_end_takes_what_follows() -> None:
    assert text(Body(("<p>a(b)</p><a c(d)",))) == f"<p>a( {JOIN}b)</p><a c(d)"
    assert text(Body(("<p>a</p><span c(d)",))) == "<p>a</p>"
    words = Words()
    words.add("<p>Words</p><a title hidden")
    assert set(words.counts) == {"words"}
    assert with_breaks(f"{JOINED}<a {JOINED}") == f"{JOINED}<wbr><a {JOINED}"
