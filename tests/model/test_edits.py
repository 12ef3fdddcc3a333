"""Edits change what they name and nothing else, in time that grows with their number, however long lines are."""

from __future__ import annotations

import re

import msgspec
import pytest
from check.drawn_edits import DrawnEdits, texts_with_edits
from hypothesis import given
from hypothesis import strategies as st

from devlog.model.diagnostic import Edit, Span
from devlog.model.edits import apart, edited, misfit


@pytest.mark.slow
@pytest.mark.usefixtures("linear")
def test_many_changes_of_one_long_line() -> None:
    """Looking for the end of the line for each, or making the text for each, would take minutes."""
    count = 50_000
    edits = [Edit(Span("a.md", 2, 1 + 10 * number, 9), f"old{number:06}", f"new{number:06}") for number in range(count)]
    text = "First.\r\n" + " ".join(edit.old for edit in edits) + "\r\n"
    assert not any(misfit(text, [edit]) for edit in edits)
    assert edited(text, edits) == text.replace("old", "new")


@pytest.mark.parametrize("span", [Span("a.md", 1, 2, 3), Span("a.md", 2, 1, 3), Span("a.md", 9, 1, 3)])
def test_what_does_not_stand_where_a_change_says_does_not_fit(span: Span) -> None:
    right = Edit(Span("a.md", 1, 1, 3), "one", "two")
    wrong = Edit(span, "one", "two")
    assert misfit("one\ntwo\n", [right]) is None
    assert misfit("one\ntwo\n", [right, wrong]) == wrong
    assert edited("one\ntwo\n", [right, wrong]) is None


@pytest.mark.slow
@given(texts_with_edits())
def test_only_the_places_of_edits_change(drawn: DrawnEdits) -> None:
    ends = re.findall("\r\n|\r|\n", drawn.text)
    usual = max(dict.fromkeys(ends), key=ends.count) if ends else "\n"
    expected = "".join(kept + new.replace("\n", usual) for kept, new in drawn.kept_or_new)
    assert edited(drawn.text, drawn.edits) == expected


@pytest.mark.slow
@given(texts_with_edits(), st.data())
def test_what_stands_elsewhere_is_not_touched(drawn: DrawnEdits, data: st.DataObject) -> None:
    edits = [edit for edit in drawn.edits if edit.old]
    if edits:
        wrong = data.draw(st.sampled_from(edits))
        elsewhere = msgspec.structs.replace(wrong, old=f"{wrong.old}~")
        assert edited(drawn.text, [elsewhere if edit is wrong else edit for edit in drawn.edits]) is None
    below = Edit(Span("a.md", drawn.text.count("\n") + drawn.text.count("\r") + 2, 1), "", "x")
    assert edited(drawn.text, [*drawn.edits, below]) is None


def replacing(old: str, new: str, column: int) -> Edit:
    return Edit(Span("a.md", 1, column, len(old)), old, new)


OPEN, CLOSE = replacing("((", "**", 1), replacing("))", "**", 8)


@pytest.mark.parametrize(
    ("fixes", "expected"),
    [
        ([[OPEN, CLOSE], [replacing(" ))", "))", 7)]], [True, False]),  # not half of the second one
        ([[replacing(" ))", "))", 7)], [OPEN, CLOSE], [OPEN]], [True, False, True]),  # nor of any later one
        ([[OPEN, CLOSE], [CLOSE]], [True, True]),  # they agree
        ([[OPEN], [CLOSE], [replacing("word", "term", 3)]], [True, True, True]),  # they only touch
        ([[OPEN], [Edit(Span("a.md", 1, 2), "", "!")]], [True, False]),  # an insertion inside
        ([[Edit(Span("a.md", 1, 2), "", "!")], [OPEN]], [True, False]),
        ([[Edit(Span("a.md", 1, 1), "", "!")], [OPEN]], [True, True]),  # one in front
    ],
)
def test_of_fixes_that_overlap_only_the_first_is_applied(fixes: list[list[Edit]], expected: list[bool]) -> None:
    assert apart("((word ))", fixes) == expected


@pytest.mark.slow
@pytest.mark.usefixtures("linear")
def test_many_fixes_of_one_line() -> None:
    words = [replacing(f"old{number:06}", "new", 1 + 10 * number) for number in range(50_000)]
    text = " ".join(edit.old for edit in words)
    assert apart(text, [[edit] for edit in reversed(words)]) == [True] * len(words)
