"""Suggestions: the word that was meant, whatever else there is, and never many comparisons."""

from __future__ import annotations

from difflib import get_close_matches
from functools import partial

import pytest
from steps import steps

from devlog.model import closest as module
from devlog.model.closest import LONGEST, MOST_COMPARED, MOST_WORDS, Words, closest
from devlog.parse.code.highlight import LANGUAGES


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The words that are compared letter by letter, as they come."""
    found: list[str] = []
    real = module.likeness

    def likeness(word: str, other: str) -> float:
        found.append(other)
        return real(word, other)

    monkeypatch.setattr(module, "likeness", likeness)
    module._closest.cache_clear()
    return found


@pytest.mark.parametrize(
    "word", ["pyhton", "javascrip", "c++x", "yml", "dockerfle", "shel", "zzzzzz", "hs", "makdwon", "jsno", "typscirpt"]
)
def test_it_finds_what_a_comparison_with_all_words_finds(word: str) -> None:
    expected = get_close_matches(word, sorted(LANGUAGES), n=1, cutoff=0.7)
    assert closest(word, sorted(LANGUAGES), 0.7) == (expected[0] if expected else "")


def test_few_words_are_compared(compared: list[str]) -> None:
    words = [f"section-number-{number:03}-of-all" for number in range(MOST_WORDS)]
    assert closest("section-numbr-777-of-all", words, 0.7) == "section-number-777-of-all"
    assert len(compared) == MOST_COMPARED


def test_letters_that_repeat_take_no_more_work_than_others() -> None:
    """`difflib` goes through all their places, again and again: a hundred broken links took seconds."""
    size = LONGEST - 9
    texts = ("q" * size, "qz" * (size // 2) + "q", "".join(map(chr, range(0x4E00, 0x4E00 + size))))
    counts = {steps(partial(closest, f"a-1-{text}-3-b", [f"a-2-{text}-4-b"], 0.7)) for text in texts}
    assert len(counts) == 1


def test_an_answer_is_remembered(compared: list[str]) -> None:
    words = ["alpha", "beta"]
    assert closest("alhpa", words, 0.7) == closest("alhpa", list(words), 0.7) == "alpha"
    assert compared == ["alpha", "beta"]  # at the first time only


def test_an_answer_for_many_letters_is_not_kept(compared: list[str]) -> None:
    anchors = [f"a-section-of-a-post-{number:03}" for number in range(500)]
    assert closest("a-sectoin-of-a-post-007", anchors, 0.7) == "a-section-of-a-post-007"
    assert module._closest.cache_info().currsize == 0
    assert len(compared) == MOST_COMPARED


def test_of_many_words_only_those_with_the_same_first_letter_count() -> None:
    others = [f"other-{number}" for number in range(MOST_WORDS)]
    assert closest("alhpa", [*others, "alpha"], 0.7) == "alpha"
    assert closest("tohers", [*others, "others"], 0.7) == ""


def test_too_many_words_and_too_long_words_are_compared_with_nothing(compared: list[str]) -> None:
    assert closest("worl", [f"word{number}" for number in range(MOST_WORDS + 1)], 0.7) == ""
    assert closest("a" * (LONGEST + 1), ["a" * (LONGEST + 1)], 0.7) == ""
    assert not compared


def test_many_words_are_sorted_once_however_often_they_are_asked_about() -> None:
    looked_at: list[str] = []

    class Seen(str):
        __slots__ = ()

        def __getitem__(self, index: object) -> str:
            looked_at.append(self)
            return str.__getitem__(self, index)  # type: ignore[index]

    words = Words([*(Seen(f"other-{number}") for number in range(MOST_WORDS)), "alpha"])
    assert {closest(word, words, 0.7) for word in ("alhpa", "alpah", "aplha")} == {"alpha"}
    assert len(looked_at) == MOST_WORDS


def test_the_words_of_many_pages_are_taken_apart_once(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []
    real = module._pairs

    def pairs(word: str) -> frozenset[str]:
        taken.append(word)
        return real(word)

    monkeypatch.setattr(module, "_pairs", pairs)
    pages = [
        Words([f"a-section-of-a-post-{page}-{number:03}" for number in range(MOST_WORDS - page % 2 * 900)])
        for page in range(8)
    ]
    for number in range(5):
        for page, words in enumerate(pages):
            assert (
                closest(f"a-sectoin-of-a-post-{page}-00{number}", words, 0.7)
                == f"a-section-of-a-post-{page}-00{number}"
            )
    assert len(taken) == 4 * MOST_WORDS + 4 * 100 + 5 * 8  # and each broken link itself
    assert len(set(taken)) == len(taken)
