"""Texts as parts of URLs."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.model import slug as slugs
from devlog.model.outpath import check_out_path
from devlog.model.slug import slug

SLUGS = {
    "torch.compile": "torch.compile",
    "C++": "c++",
    ".NET": "net",
    "a..": "a",
    "A - b": "a--b",
    "a  b": "a-b",
    " Über uns ": "über-uns",
    "a/b\\c": "a-b-c",
    "what?": "what",
    "...": "",
    "": "",
}


@pytest.mark.parametrize(("text", "expected"), SLUGS.items())
def test_slugs(text: str, expected: str) -> None:
    assert slug(text) == expected


@given(st.from_regex(slugs._PLAIN, fullmatch=True))
def test_the_short_way_for_plain_names_leads_where_the_long_one_does(text: str) -> None:
    short = slugs.slug.__wrapped__(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slugs, "_PLAIN", re.compile("(?!)"))
        assert slugs.slug.__wrapped__(text) == short


@given(st.text(max_size=60))
def test_a_slug_can_be_published_or_is_a_name_that_some_system_reserves(text: str) -> None:
    segment = slug(text)
    reason = check_out_path(f"{segment}/index.html") if segment else ""
    assert not reason or "device" in reason or "git" in reason or "bytes" in reason
