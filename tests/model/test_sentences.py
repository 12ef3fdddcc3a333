"""Where a text can end without stopping in the middle of a sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.model.sentences import sentences_end


@pytest.mark.parametrize(
    ("text", "limit", "whole"),
    [
        ("It works. It is fast, too.", 30, "It works. It is fast, too."),
        ("It works. It is fast, too.", 20, "It works."),
        ("It works. It is fast, too.", 9, "It works."),
        ("It works. It is fast, too.", 8, ""),
        ("Is it “fast?” Yes (it is.) No more to say.", 30, "Is it “fast?” Yes (it is.)"),
        ("Half, e.g. Monday, i.e. Today, cf. B. Then more.", 40, ""),
        ("See fig. 3 for it. Then more.", 20, "See fig. 3 for it."),
        ("Written by J. Doe and others. Then more.", 30, "Written by J. Doe and others."),
        ("Version 1.5 of lib.so is out. Then more.", 30, "Version 1.5 of lib.so is out."),
        ("It calls foo. bar and more. Then more.", 30, "It calls foo. bar and more."),
        ("So … it is. `code` begins one. More.", 34, "So … it is. `code` begins one."),
        ("速くなった。理由は次の通り。詳しくは", 14, "速くなった。理由は次の通り。"),
        ("यह तेज़ है। और सरल है।", 12, "यह तेज़ है।"),
        ("هل هو سريع؟ نعم، هو سريع.", 15, "هل هو سريع؟"),
        ("no sentence at all", 10, ""),
        ("", 10, ""),
    ],
)
def test_whole_sentences(text: str, limit: int, whole: str) -> None:
    assert text[: sentences_end(text, limit)] == whole


@given(st.text(alphabet='aA .!?…。"”)', max_size=60), st.integers(0, 70))
def test_it_is_within_the_limit_and_after_a_mark(text: str, limit: int) -> None:
    end = sentences_end(text, limit)
    assert end <= min(limit, len(text))
    assert not end or text[:end].rstrip('"”)')[-1] in ".!?…。"


def test_many_marks_take_work_by_their_number(linear: None) -> None:
    for text in (". " * 200_000, "." * 400_000, "a. " * 200_000, "。" * 200_000 + "a"):
        sentences_end(text, len(text) - 1)
