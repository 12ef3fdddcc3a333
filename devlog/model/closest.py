"""Which of some words a misspelled one was most likely meant to be, in bounded time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from heapq import nlargest

MOST_SUGGESTIONS = 20
"""So many broken links of one file get a suggestion: a file with more of them has one cause for all."""

MOST_WORDS = 1_000
"""So many words are looked at; of more only those with the same first letter, and none where these are too many."""

MOST_COMPARED = 20
"""So many words are compared letter by letter: those that share most pairs of letters with the given one."""

LONGEST = 100
"""A word of more characters is compared with nothing."""


class Words:
    """The right words, to be asked about often: many of them are sorted by their first letters once."""

    def __init__(self, words: Iterable[str]) -> None:
        """
        Args:
            words: each of them.
        """
        self._all = tuple(words)

    def comparable(self, word: str) -> Sequence[str]:
        """The words that a word may have been meant to be: see `MOST_WORDS`."""
        if len(self._all) <= MOST_WORDS:
            return self._all
        some = self._by_letter.get(word[0], ())
        return some if len(some) <= MOST_WORDS else ()

    @cached_property
    def _by_letter(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for word in self._all:
            found.setdefault(word[:1], []).append(word)
        return found


def closest(word: str, known: Iterable[str] | Words, cutoff: float) -> str:
    """The word of `known` that is most like `word`; of equals the last in the alphabet.

    Args:
        word: as it was written.
        known: the right words, as `Words` where they are asked about more than once.
        cutoff: the least likeness, from 0 to 1, as `difflib` measures it.

    Returns:
        The word. An empty text where none is alike, where `word` is too long, and where there are too many words.
    """
    if not word or len(word) > LONGEST:
        return ""
    words = known if isinstance(known, Words) else Words(known)
    return _closest(word, tuple(words.comparable(word)), cutoff)


@lru_cache(maxsize=256)  # a file with mistakes is read again at each edit
def _closest(word: str, known: tuple[str, ...], cutoff: float) -> str:
    best = max(((likeness(word, other), other) for other in _candidates(word, known, cutoff)), default=(0.0, ""))
    return best[1] if best[0] >= cutoff else ""


def _candidates(word: str, known: tuple[str, ...], cutoff: float) -> list[str]:
    """The words that share most pairs of letters with `word`, of those that are not much shorter or longer."""
    least, most = len(word) * cutoff / (2 - cutoff), len(word) * (2 - cutoff) / cutoff
    some = [other for other in known if least <= len(other) <= most]
    if len(some) <= MOST_COMPARED:
        return some
    pairs = _pairs(word)
    ranked = nlargest(MOST_COMPARED, [(2 * len(pairs & _pairs(other)) - len(other), other) for other in some])
    return [other for _, other in ranked]


@lru_cache(maxsize=4 * MOST_WORDS)
def _pairs(word: str) -> frozenset[str]:
    return frozenset(map("".join, zip(f" {word}", f"{word} ", strict=True)))


def likeness(word: str, other: str) -> float:
    """How much two words have in common, from 0 to 1."""
    return SequenceMatcher(None, other, word).ratio()
