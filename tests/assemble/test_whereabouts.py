"""Where cited lines stand in a later version of their file."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.features.source_references.assemble.relocated_lines import (
    Lines,
    _starts,
    counted,
    find_lines,
    likeness,
    lines_of,
    places_of,
    standing,
    weights,
)

FILE = """\
import os

LIMIT = 3

def lookup(key):
    return table[key]

def drop(key):
    del table[key]

class Cache:
    def size(self):
        return len(self.entries)
"""


def find(old: str, new: str, first: int, last: int) -> Lines:
    return find_lines(lines_of(old.encode()), lines_of(new.encode()), first, last)


@pytest.mark.parametrize(
    ("change", "cited", "where"),
    [
        (("", ""), (5, 6), Lines(5, 6, same=True)),
        (("import os\n", "import os\nimport re\nimport sys\n"), (5, 6), Lines(7, 8, same=True)),
        (("import os\n", ""), (3, 3), Lines(2, 2, same=True)),
        # What stands around it does not matter where it says enough itself.
        (("LIMIT = 3", "LIMIT = 4"), (5, 6), Lines(5, 6, same=True)),
        (("    return table[key]", "\treturn table[key]  "), (5, 6), Lines(5, 6, same=True)),
        # Other lines stand there now.
        (("return table[key]", "return table.get(key)"), (5, 6), Lines(5, 6, same=False)),
        (("    return table[key]", "    found = table.get(key)\n    return found"), (5, 6), Lines(5, 6, same=False)),
        (("LIMIT = 3", "LOWEST = 1\nHIGHEST = 3"), (3, 3), Lines(3, 4, same=False)),
        (("def lookup(key):\n    return table[key]\n", "lookup = table.get\n"), (5, 6), Lines(5, 5, same=False)),
        # They were taken out.
        (("def drop(key):\n    del table[key]\n\n", ""), (8, 9), Lines(0, 0, same=False, left=True)),
        (("LIMIT = 3\n\n", ""), (3, 3), Lines(0, 0, same=False, left=True)),
        (("import os\n", ""), (1, 1), Lines(0, 0, same=False, left=True)),
        (("        return len(self.entries)\n", ""), (13, 13), Lines(0, 0, same=False, left=True)),
        (("import os\n", "import re\n"), (1, 1), Lines(1, 1, same=False)),
    ],
)
def test_one_change(change: tuple[str, str], cited: tuple[int, int], where: Lines) -> None:
    assert find(FILE, FILE.replace(*change), *cited) == where


def test_what_was_deleted_next_to_it_does_not_matter() -> None:
    new = FILE.replace("def drop(key):\n    del table[key]\n\n", "").replace("import os", "import os\nimport re")
    assert find(FILE, new.replace("table[key]", "table.get(key)"), 5, 6) == Lines(6, 7, same=False)


def test_a_line_that_says_nothing_is_told_by_its_neighbours() -> None:
    old = "int f() {\n  start();\n  stop();\n}\nint g() {\n  begin();\n  end();\n}\n"
    assert find(old, f"// New.\n{old}", 4, 4) == Lines(5, 5, same=True)
    assert find(old, f"// New.\n{old}", 8, 8) == Lines(9, 9, same=True)
    gone = find(old, "int h() {\n  other();\n}\n", 4, 4)
    assert not gone.same


def test_the_place_with_the_same_neighbours_is_the_same_place() -> None:
    block = "def run():\n    return 1\n"
    old = f"class A:\nfirst\nsecond\n{block}class B:\nthird\nfourth\n{block}"
    new = f"# New.\nclass B:\nthird\nfourth\n{block}\nclass A:\nfirst\nsecond\n{block}"
    assert find(old, new, 4, 5) == Lines(11, 12, same=True)
    assert find(old, new, 9, 10) == Lines(5, 6, same=True)


def test_lines_that_say_the_same_where_they_were_are_unchanged_whatever_is_around_them() -> None:
    assert find("a = 1\nreturn a\n", "b = 2\nreturn a\nreturn a\n", 2, 2) == Lines(2, 2, same=True)


def test_nobody_knows() -> None:
    assert find(FILE, "all is new\n", 5, 6) == Lines(0, 0, same=False)
    assert find(FILE, "", 5, 6) == Lines(0, 0, same=False)


@pytest.mark.slow
@given(
    st.lists(st.text("abcdef {}", max_size=8), min_size=1, max_size=30),
    st.lists(st.text("abcdef {}", max_size=8), max_size=30),
    st.data(),
)
def test_what_is_the_same_is_the_same_and_lies_in_the_file(old: list[str], new: list[str], data: st.DataObject) -> None:
    then, now = (lines_of("\n".join(lines).encode()) for lines in (old, new))
    if not then:
        return
    first = data.draw(st.integers(1, len(then)))
    last = data.draw(st.integers(first, len(then)))
    found = find_lines(then, now, first, last)
    if found.same:
        assert tuple(now[found.first - 1 : found.last]) == then[first - 1 : last]
    if found.first:
        assert 1 <= found.first <= found.last <= len(now)
    assert found.first or not found.same


@pytest.mark.slow
@given(st.lists(st.text("abcdef", min_size=5, max_size=9), min_size=1, max_size=20, unique=True), st.data())
def test_lines_that_are_put_in_above_move_what_is_below(lines: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(1, len(lines)))
    last = data.draw(st.integers(first, len(lines)))
    above = data.draw(st.lists(st.text("xyz", min_size=5, max_size=9), max_size=5))
    where = find_lines(lines, above + lines, first, last)
    assert where == Lines(first + len(above), last + len(above), same=True)


def test_lines_and_their_ends() -> None:
    assert lines_of(b"a\r\n  b \rc\n") == ("a", "b", "c")
    assert lines_of(b"") == ()
    assert lines_of(b"a\n\n") == ("a", "")
    assert lines_of(b"\xff\n") == ("\ufffd",)


def test_texts_in_other_files() -> None:
    lines = ("a", "b", "a", "b", "a")
    assert places_of(lines, {"b", "c"}) == {"b": [1, 3]}
    assert list(standing(lines, ("a", "b"), range(-2, 9))) == [1, 3]
    assert list(standing(lines, ("b", "a"), [1])) == [2]
    assert list(standing(("a",), ("a", "b"), [0])) == []
    assert weights(("{", "return lookup(key)")) == [0, 15]
    assert likeness(counted(("a", "b", "")), counted(("a", "c"))) == 0.5
    assert likeness(counted(()), counted(())) == 0.0


# -- many equal lines


class Counted(str):
    """A line that counts how often such lines are compared."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


@pytest.mark.parametrize(
    ("then", "now", "first", "last"),
    [
        (["telling line"] * 4000, ["another line", *["telling line"] * 3999, "end"], 1, 2000),
        (["telling line"] * 2000 + ["end of it"], ["telling line"] * 4000, 1, 2001),
        (
            [*["telling line", "other one"] * 2000],
            [*["other one"] * 2000, *["telling line", "other one"] * 1000],
            1,
            1999,
        ),
    ],
    ids=["all equal", "but the last", "in turn"],
)
def test_many_equal_lines_are_compared_a_few_times_each(then: list[str], now: list[str], first: int, last: int) -> None:
    Counted.compared = 0
    then, now = [Counted(line) for line in then], [Counted(line) for line in now]
    find_lines(then, now, first, last)
    assert 0 < Counted.compared < 40 * (len(then) + len(now))


def test_texts_of_equal_lines_are_found_wherever_they_stand() -> None:
    chance = random.Random(7)
    found = 0
    for _ in range(2000):
        lines = tuple(chance.choices("ab", k=chance.randrange(12)))
        block = tuple(chance.choices("ab", k=chance.randrange(1, 5)))
        there = tuple(at + 1 for at in range(len(lines)) if lines[at : at + len(block)] == block)
        assert tuple(start + 1 for start in _starts(lines, block)) == there
        found += len(there)
    assert found > 1000
