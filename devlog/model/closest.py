"""Finds the known word that a misspelled word was most likely meant to be, in bounded time."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from heapq import nlargest

MOST_SUGGESTIONS = 20
"""How many broken links of one file get a suggestion: if there are more, they probably have one common cause."""

MOST_WORDS = 1_000
"""The maximum number of candidates. If there are more, only those with the same first letter are considered, and none
if these are too many."""

MOST_COMPARED = 20
"""How many words are compared letter by letter: those that share the most pairs of letters with the given word."""

LONGEST = 100
"""The maximum length of a word; longer ones get no suggestion."""


class Words:
    """Correct words for many comparisons: if there are many, they are grouped by their first letter once.

    Their pairs of letters are collected once too, and live as long as the words: a cache of all words would be too
    small for the anchors of a few long pages, and then of no use to any of them.
    """

    def __init__(self, words: Iterable[str]) -> None:
        """
        Args:
            words: the words.
        """
        self._all = tuple(words)
        self._pairs: dict[str, _Pairs] = {}  # by first letter if the words are grouped

    def comparable(self, word: str) -> Sequence[str]:
        """The candidates for a misspelled word: see `MOST_WORDS`."""
        if len(self._all) <= MOST_WORDS:
            return self._all
        some = self._by_letter.get(word[0], ())
        return some if len(some) <= MOST_WORDS else ()

    def alike(self, word: str, some: Sequence[str]) -> Sequence[str]:
        """The words that share the most pairs of letters with `word`, of some of those that are comparable."""
        if len(some) <= MOST_COMPARED:
            return some
        letter = word[0] if len(self._all) > MOST_WORDS else ""
        if letter not in self._pairs:
            self._pairs[letter] = _Pairs(self.comparable(word))
        return self._pairs[letter].alike(word, some)

    @cached_property
    def _by_letter(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for word in self._all:
            found.setdefault(word[:1], []).append(word)
        return found


def closest(word: str, known: Iterable[str] | Words, cutoff: float) -> str:
    """The word of `known` that is most similar to `word`; of equally similar ones, the last in alphabetical order.

    Args:
        word: the word as written.
        known: the correct words; as `Words` if many words are compared with them.
        cutoff: the minimum similarity, from 0 to 1, see `likeness`.

    Returns:
        The word; empty if none is similar enough, `word` is too long, or there are too many words.
    """
    if not word or len(word) > LONGEST:
        return ""
    words = known if isinstance(known, Words) else Words(known)
    some = _of_similar_length(word, words.comparable(word), cutoff)
    if words is not known and sum(map(len, some)) <= _MOST_CACHED:
        return _closest(word, some, cutoff)
    return _best(word, words.alike(word, some), cutoff)


def _of_similar_length(word: str, known: Sequence[str], cutoff: float) -> tuple[str, ...]:
    least, most = len(word) * cutoff / (2 - cutoff), len(word) * (2 - cutoff) / cutoff
    return tuple([other for other in known if least <= len(other) <= most])


def _best(word: str, some: Sequence[str], cutoff: float) -> str:
    best = max(((likeness(word, other), other) for other in some), default=(0.0, ""))
    return best[1] if best[0] >= cutoff else ""


@lru_cache(maxsize=256)  # a file with mistakes is parsed again after each edit
def _closest(word: str, some: tuple[str, ...], cutoff: float) -> str:
    return _best(word, Words(some).alike(word, some), cutoff)


_MOST_CACHED = 10_000
"""How many letters all candidates of a cached answer have: those on a page may be as long as its post."""


class _Pairs:
    """The pairs of letters of words, each with the words that contain it."""

    def __init__(self, words: Sequence[str]) -> None:
        self._numbers = {word: number for number, word in enumerate(words)}
        self._having: dict[str, array[int]] = {}
        for number, word in enumerate(words):
            for pair in _pairs(word):
                self._having.setdefault(pair, array("H")).append(number)

    def alike(self, word: str, some: Iterable[str]) -> list[str]:
        """The words that share the most pairs with `word`."""
        shared: Counter[int] = Counter()
        for pair in _pairs(word):
            shared.update(self._having.get(pair, ()))
        numbers = self._numbers
        ranked = nlargest(MOST_COMPARED, [(2 * shared[numbers[other]] - len(other), other) for other in some])
        return [other for _, other in ranked]


def _pairs(word: str) -> frozenset[str]:
    return frozenset(map("".join, zip(f" {word}", f"{word} ", strict=True)))


def likeness(word: str, other: str) -> float:
    """The similarity of two words, from 0 to 1: twice the letters of their longest common subsequence, of all letters.

    `difflib` finds nearly the same for the mistakes of people, but takes up to a hundred times as long if letters
    repeat. Here, each letter of one word takes a few operations with bits for the other one, whatever the letters are:
    a bit is unset once the subsequence grows at its letter (Crochemore et al., A fast and practical bit-vector
    algorithm for the longest common subsequence problem, 2001).
    """
    places: dict[str, int] = {}
    for number, letter in enumerate(word):
        places[letter] = places.get(letter, 0) | 1 << number
    every = (1 << len(word)) - 1
    bits = every
    for letter in other:
        same = bits & places.get(letter, 0)
        bits = (bits + same | bits - same) & every
    return 2 * (len(word) - bits.bit_count()) / (len(word) + len(other))


def is_slip(word: str, known: str) -> bool:
    """Whether a word is `known` with one letter added, removed, swapped or, in a long word, changed."""
    if len(known) < 4 or abs(len(word) - len(known)) > 1:
        return False
    start = _common(word, known)
    end = _common(reversed(word[start:]), reversed(known[start:]))
    wrong, right = word[start : len(word) - end], known[start : len(known) - end]
    if len(wrong) == len(right) == 1:
        return len(known) > 4
    return len(wrong) + len(right) == 1 or (len(wrong) == 2 and wrong == right[::-1])


def _common(one: Iterable[str], other: Iterable[str]) -> int:
    """The length of the common prefix of two words."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count
