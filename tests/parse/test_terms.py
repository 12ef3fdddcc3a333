"""What a text is about: few terms, the same for the same words in another form, and none that say nothing."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.parse.markdown.keywords import NAMES, WORDS, code_in_html, terms


def code_of(text: str) -> list[str]:
    """What stands as code in a line of Markdown."""
    return re.findall("`([^`]+)`", text)


def number_of(found: bytes) -> int:
    return len(found) // 4


def is_name(found: bytes) -> bool:
    """Whether the only term looks like a name in code."""
    assert number_of(found) == 1
    return bool(found[0] & 1)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Checkpoints", "checkpoint"),
        ("The log's checksum", "A checksum"),
        ("How we improved the WAL", "wal"),
        ("`lumen_open()`", "`lumen_open`"),
        ("`wal.fsync()`", "What wal.fsync does"),
    ],
)
def test_the_same_in_another_form(one: str, other: str) -> None:
    assert terms(one, (), code_of(one)) == terms(other, (), code_of(other)) != b""


@pytest.mark.parametrize(
    "title", ["How we made it faster", "2026", "What is new this week?", "", "Part 2 of 3", "— … !"]
)
def test_what_says_nothing(title: str) -> None:
    assert terms(title, (), ()) == b""


def test_names_are_told_from_words() -> None:
    assert is_name(terms("", (), ["lumen_open"]))
    assert is_name(terms("", (), code_in_html("<p><code>wal.fsync</code></p>")))
    assert is_name(terms("UTF-8", (), ()))
    assert not is_name(terms("Checkpoints", (), ()))
    assert not is_name(terms("", (), ["checkpoint"]))


@pytest.mark.parametrize("code", ["git rebase -i", "x", "1 + 1", "a=b", "--flag", "{}"])
def test_code_that_is_no_name(code: str) -> None:
    assert terms("", (), [code]) == b""


def test_scripts_without_spaces_are_cut() -> None:
    one, other = terms("検査合計の話", (), ()), terms("検査合計", (), ())
    assert number_of(other) == 3
    cut = {other[place : place + 4] for place in range(0, len(other), 4)}
    assert cut < {one[place : place + 4] for place in range(0, len(one), 4)}


def test_headings_count_and_plain_text_does_not() -> None:
    assert number_of(terms("Pages", ("Checkpoints", "Torn writes"), ())) == 4


def test_there_are_few() -> None:
    words = " ".join(f"word{'abcdefghijklmnopqrstuvwxyz'[number]}" for number in range(26))
    code = [f"name_{number}" for number in range(50)]
    assert number_of(terms(words, (), ())) == WORDS
    assert number_of(terms("", (), code)) == NAMES


def test_the_most_frequent_names_count() -> None:
    rare = [f"rare_{number}" for number in range(NAMES)]
    often = ["often_named", "often_named"]
    found = terms("", (), rare + often)
    alone = terms("", (), often)
    assert alone in [found[place : place + 4] for place in range(0, len(found), 4)]


@pytest.mark.slow
@given(st.text(), st.lists(st.text(), max_size=3), st.lists(st.text()))
def test_any_text_will_do(title: str, headings: list[str], code: list[str]) -> None:
    found = terms(title, headings, code)
    assert len(found) % 4 == 0
    assert number_of(found) <= WORDS + NAMES
    assert found == terms(title, headings, code)
