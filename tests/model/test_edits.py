"""Many changes of one text take time by their number, however long its lines are."""

from __future__ import annotations

import pytest

from devlog.model.diagnostic import Edit, Span
from devlog.model.edits import edited, fits


@pytest.mark.slow
@pytest.mark.usefixtures("linear")
def test_many_changes_of_one_long_line() -> None:
    """Looking for the end of the line for each, or making the text for each, would take minutes."""
    count = 50_000
    edits = [Edit(Span("a.md", 2, 1 + 10 * number, 9), f"old{number:06}", f"new{number:06}") for number in range(count)]
    text = "First.\r\n" + " ".join(edit.old for edit in edits) + "\r\n"
    assert all(fits(text, [edit]) for edit in edits)
    assert edited(text, edits) == text.replace("old", "new")


@pytest.mark.parametrize("span", [Span("a.md", 1, 2, 3), Span("a.md", 2, 1, 3), Span("a.md", 9, 1, 3)])
def test_what_does_not_stand_where_a_change_says_does_not_fit(span: Span) -> None:
    right = Edit(Span("a.md", 1, 1, 3), "one", "two")
    wrong = Edit(span, "one", "two")
    assert fits("one\ntwo\n", [right])
    assert not fits("one\ntwo\n", [right, wrong])
    assert edited("one\ntwo\n", [right, wrong]) is None
