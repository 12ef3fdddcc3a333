"""The readings of ruby text are set apart wherever HTML becomes plain text, as browsers without ruby show them."""

from __future__ import annotations

import re

import pytest

from devlog.model.document import Body, Parsed
from devlog.model.source import Source
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse
from devlog.search.plain import plain

RUBY = [
    ("<ruby>page<rt>evicted</rt></ruby>, then", "page(evicted), then"),
    ("<ruby>page<rp>[</rp><rt>evicted</rt><rp>]</rp></ruby>, then", "page[evicted], then"),
    ("<ruby><rb>東</rb><rt>とう</rt>京<RT lang=ja>きょう</RT></ruby>に", "東(とう)京(きょう)に"),
    ("<ruby>東<rt>とう<rt>トウ</ruby>に", "東(とう)(トウ)に"),
    ("<ruby>a<rp>(</rp><rt>b</rt><rp>)</rp></ruby> <ruby>c<rt>d</rt></ruby>", "a(b) c(d)"),
]


@pytest.mark.parametrize(("html", "expected"), RUBY)
@pytest.mark.parametrize("block", ["{}", "<div>{}</div>"])
def test_in_excerpts(html: str, expected: str, block: str) -> None:
    assert _parsed(block.format(html))[0].document.excerpt == expected


@pytest.mark.parametrize(("html", "expected"), RUBY)
def test_in_headings_but_not_in_their_fragments(html: str, expected: str) -> None:
    (heading,) = _parsed(f"## {html}")[0].document.headings
    assert heading.text == expected
    assert "-evicted" not in heading.id


@pytest.mark.parametrize(("html", "expected"), RUBY)
def test_in_the_index_of_the_terminal(html: str, expected: str) -> None:
    assert plain(html) == expected


@pytest.mark.feature("site_search")
@pytest.mark.parametrize(("html", "expected"), RUBY)
def test_in_the_index_of_browsers(html: str, expected: str) -> None:
    from devlog.features.site_search.derive.indexed_page import JOIN, text

    assert re.sub(f" {JOIN}|<[^<>]*>", "", text(_parsed(html)[1])).strip() == expected


@pytest.mark.feature("episodes")
def test_in_captions() -> None:
    from devlog.features.episodes.parse.transcripts import read_cues

    vtt = f"WEBVTT\n\n00:00:01.000 --> 00:00:03.000\n{RUBY[0][0]}\n"
    assert [spoken.cue.text for spoken in read_cues(vtt, "talk.vtt").cues] == [RUBY[0][1]]


def _parsed(body: str) -> tuple[Parsed, Body]:
    return parse(Source("a.md", "content/a.md", f"---\ntitle: A\n---\n{body}\n"), ParseOptions())[:2]
