"""Patches are written from the edits: they can be applied, and take time that grows with the text."""

from __future__ import annotations

import re
import time

import pytest
from check.drawn_edits import DrawnEdits, texts_with_edits
from hypothesis import given

from devlog.fixing.change import Change
from devlog.fixing.patch import kept_lines, lines_of, unified
from devlog.model.edits import edited, replacements

HEAD = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n")


def changed(before: str, *replaced: tuple[int, int, str]) -> Change:
    """A change that replaces parts of a text."""
    after, done = list[str](), 0
    for start, end, new in replaced:
        after += (before[done:start], new)
        done = end
    return Change("a.md", "a.md", before, "".join((*after, before[done:])), kept_lines(before, replaced))


def applied(before: list[str], hunks: list[str]) -> list[str]:
    """The lines of a text after a unified diff, which says how many lines of both texts each hunk has."""
    after, done = list[str](), 0
    rest = iter(hunks)
    line = next(rest, "")
    while line:
        head = HEAD.fullmatch(line)
        assert head, line
        first, olds, new_first, news = (1 if number is None else int(number) for number in head.groups())
        start = first - 1 if olds else first
        after += before[done:start]
        assert len(after) == (new_first - 1 if news else new_first)
        done = start
        while (line := next(rest, "")) and not HEAD.fullmatch(line):
            mark, text = line[0], line[1:]
            if mark in " -":
                assert before[done] == text
                done, olds = done + 1, olds - 1
            if mark in " +":
                after.append(text)
                news -= 1
        assert (olds, news) == (0, 0)
    return after + before[done:]


@given(texts_with_edits())
def test_any_patch_can_be_applied(drawn: DrawnEdits) -> None:
    after, places = edited(drawn.text, drawn.edits), replacements(drawn.text, drawn.edits)
    assert after is not None
    assert places is not None
    old, new, kept = lines_of(drawn.text), lines_of(after), kept_lines(drawn.text, places)
    assert len(kept) == len(new)
    assert all(number < 0 or old[number] == line for number, line in zip(kept, new, strict=True))
    stay = [number for number in kept if number >= 0]
    assert stay == sorted(set(stay))
    assert applied(old, list(unified(old, new, kept))) == new


@pytest.mark.parametrize(
    ("replaced", "hunks"),
    [
        ([], ""),
        ([(0, 0, "new\n")], "@@ -1,3 +1,4 @@\n+new\n 0\n 1\n 2\n"),
        ([(0, 2, "")], "@@ -1,4 +1,3 @@\n-0\n 1\n 2\n 3\n"),
        ([(8, 9, "x")], "@@ -2,7 +2,7 @@\n 1\n 2\n 3\n-4\n+x\n 5\n 6\n 7\n"),
        ([(2, 3, "x"), (16, 17, "y")], "@@ -1,9 +1,9 @@\n 0\n-1\n+x\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+y\n"),
        ([(0, 1, "x"), (16, 17, "y")], "@@ -1,4 +1,4 @@\n-0\n+x\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-8\n+y\n"),
        ([(0, 18, "")], "@@ -1,9 +0,0 @@\n" + "".join(f"-{number}\n" for number in range(9))),
    ],
)
def test_hunks_have_three_lines_around_what_differs(replaced: list[tuple[int, int, str]], hunks: str) -> None:
    change = changed("".join(f"{number}\n" for number in range(9)), *replaced)
    assert change.diff() == (f"diff --git a/a.md b/a.md\n--- a/a.md\n+++ b/a.md\n{hunks}" if hunks else "")


def test_changes_of_several_rounds_are_one() -> None:
    first = changed("a\nb\nc\n", (0, 0, "x\n"), (2, 3, "B"))
    second = changed(first.after, (0, 2, ""), (6, 7, "C"))
    both = first.then(second)
    assert (both.before, both.after, both.kept) == ("a\nb\nc\n", "a\nB\nC\n", (0, -1, -1))
    assert both.diff().splitlines()[3:] == ["@@ -1,3 +1,3 @@", " a", "-b", "-c", "+B", "+C"]


def test_a_patch_of_many_changes_is_written_quickly() -> None:
    before = "".join(f"- [a](https://example.org/b/)\n- w{number % 150}\n" for number in range(20_000))
    places = [(found.start(), found.end(), "b.md") for found in re.finditer(r"https://\S+(?=\))", before)]
    start = time.process_time()
    change = changed(before, *places)
    assert change.diff().count("\n-- [a]") == 20_000
    assert time.process_time() - start < 10
