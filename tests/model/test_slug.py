"""Texts as parts of URLs."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from devlog.model import slug as slugs
from devlog.model.outpath import check_out_path
from devlog.model.slug import slug, slug_in_ascii, slug_of_file, slug_of_key, slug_of_title

SLUGS = {
    "torch.compile": "torch.compile",
    "C++": "c++",
    ".NET": "net",
    "Aux": "aux-",
    "a\u200bux": "aux-",
    "index.html": "index-html",
    "Feed.\u200bXML": "feed-xml",
    "index.htm": "index.htm",
    "nul.txt": "nul-.txt",
    "Con Air": "con-air",
    "a..": "a",
    "A - b": "a---b",
    "Q & A: what": "q--a-what",
    "a  b": "a--b",
    "std::format": "stdformat",
    "-lead": "-lead",
    "x²": "x",
    "İst": "ist",
    "--": "",
    " Über uns ": "über-uns",
    "a/b\\c": "a-b-c",
    "../../etc/passwd": "etc-passwd",
    "what?": "what",
    "...": "",
    "": "",
}


@pytest.mark.parametrize(("text", "expected"), SLUGS.items())
def test_slugs(text: str, expected: str) -> None:
    assert slug(text) == expected


@pytest.mark.parametrize(
    ("make", "text", "expected"),
    [
        (slug_of_title, "C++ & Rust - it's/a start", "c-rust-its-a-start"),
        (slug_of_title, "-lead", "-lead"),
        (slug_of_title, "A+B", "a-b"),
        (slug_of_key, "-A - b & c-", "a-b-c"),
        (slug_of_key, "a--b", "a--b"),
        (slug_of_key, "/Deep Dives//../C++/", "deep-dives/c++"),
        (slug_of_file, "Page-Cache v1.0 (draft)!", "Page-Cache-v1.0-(draft)!"),
        (slug_of_file, "-über uns-", "über-uns"),
        (slug_of_file, "a--b x²", "a-b-x"),
        (slug_in_ascii, "torch.compile & Über_uns", "torch-compile-uber-uns"),
        (slug_in_ascii, "C++", "c"),
    ],
)
def test_other_ways_of_making_segments(make: Callable[[str], str], text: str, expected: str) -> None:
    assert make(text) == expected


@pytest.mark.slow
@given(st.from_regex(slugs._PLAIN, fullmatch=True))
def test_the_short_way_for_plain_names_leads_where_the_long_one_does(text: str) -> None:
    short = slugs.slug.__wrapped__(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slugs, "_PLAIN", re.compile("(?!)"))
        assert slugs.slug.__wrapped__(text) == short


@pytest.mark.slow
@given(st.text(max_size=60))
@example("\U000e0100")
def test_a_slug_can_be_published_or_is_a_name_that_some_system_reserves(text: str) -> None:
    segment = slug(text)
    reason = check_out_path(f"{segment}/index.html") if segment else ""
    assert not reason or "device" in reason or "git" in reason or "bytes" in reason
