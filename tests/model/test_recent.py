"""Files that are kept within a number of bytes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from devlog.model.recent import Recent, RecentFiles


class Made:
    """Makes files, and notes of which groups."""

    def __init__(self, recent: RecentFiles) -> None:
        self.keys: list[str] = []
        self._recent = recent

    def get(self, key: str, size: int) -> int:
        def make() -> dict[str, bytes]:
            self.keys.append(key)
            return {"one": b"x", "rest": b"x" * (size - 1)}

        return sum(map(len, self._recent.get(key, make).values()))


def test_values_are_kept_within_the_limit() -> None:
    recent = Recent[str, bytes](10, len)
    recent.add("a", b"xxx")
    recent.add("b", b"xxx")
    recent.add("a", b"xxxxx")  # takes the place of its earlier value
    assert [recent.get(key) for key in "ba"] == [b"xxx", b"xxxxx"]
    recent.add("c", b"xxxxx")  # in the place of b, for which nobody has asked since
    assert [recent.get(key) for key in "abc"] == [b"xxxxx", None, b"xxxxx"]
    recent.add("d", b"x" * 30)
    assert [recent.get(key) for key in "acd"] == [None, None, b"x" * 30]
    recent.clear()
    recent.add("e", b"x" * 10)
    assert [recent.get(key) for key in "de"] == [None, b"x" * 10]


def test_those_asked_for_last_are_kept() -> None:
    made = Made(RecentFiles(10))
    for key in "abcab":
        assert made.get(key, 3) == 3
    made.get("d", 4)  # in place of c
    for key in "abd":
        made.get(key, 0)
    assert made.keys == ["a", "b", "c", "d"]
    made.get("c", 3)  # in place of a
    made.get("a", 3)
    assert made.keys == ["a", "b", "c", "d", "c", "a"]


def test_one_that_is_larger_than_the_limit_is_kept_alone() -> None:
    made = Made(RecentFiles(10))
    for key, size in (("a", 3), ("b", 30), ("b", 30), ("a", 3), ("c", 7), ("a", 3)):
        assert made.get(key, size) == size
    assert made.keys == ["a", "b", "a", "c"]


def test_nothing_is_kept_of_what_fails() -> None:
    recent = RecentFiles(10)

    def fail() -> dict[str, bytes]:
        raise ValueError("unreadable")

    for _ in range(2):
        with pytest.raises(ValueError, match="unreadable"):
            recent.get("a", fail)
    assert recent.get("a", lambda: {"one": b"x"}) == {"one": b"x"}


def test_threads_that_want_the_same_wait_for_it() -> None:
    recent, begun, go = RecentFiles(10), Event(), Event()
    made: list[str] = []

    def make() -> dict[str, bytes]:
        made.append("a")
        begun.set()
        assert go.wait(60)
        return {"one": b"x"}

    with ThreadPoolExecutor(3) as threads:
        first = threads.submit(recent.get, "a", make)
        assert begun.wait(60)
        others = [threads.submit(recent.get, "a", make) for _ in range(2)]
        go.set()
        assert {one.result(60)["one"] for one in (first, *others)} == {b"x"}
    assert made == ["a"]
