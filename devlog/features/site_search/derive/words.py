"""Collects the words of a site, from which its search recognizes misspelled words and suggests corrections."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

import msgspec

WORDS = "words/"
"""The folder of the word files, inside the index folder."""

LONGEST = 32
"""The maximum length of a word: longer ones are pasted, not typed."""

_TAG = re.compile(r"<[^>]*>?|&\w+;")
_WORD = re.compile(rf"[^\W\d_][^\W_]{{2,{LONGEST - 1}}}")
_COUNTED = re.compile(rf"[^\W\dA-Z_][^\x00-/:-`{{-\x7f\s]{{2,{3 * LONGEST}}}")
"""Matches a word in small letters, which may have marks of their own."""
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_NUMBER = re.compile(r"\d{3}")  # part of a revision or an address, which nobody types from memory
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")


class Words:
    """Counts the posts that contain each word.

    Attributes:
        counts: the number of posts, by word.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def add(self, html: str) -> None:
        """Count the words of one post."""
        found = set(_WORD.findall(_TAG.sub(" ", html)))
        mixed = [word for word in found if word.isascii() and not word.islower()]
        humps = {hump for word in mixed for hump in _HUMP.findall(word) if len(hump) > 2}
        self.counts.update({word.lower() for word in found | humps if not _NUMBER.search(word)})


def are_counts(counts: Mapping[str, int], posts: int) -> bool:
    """Whether these may be the counts of some posts, and not those of a forged record.

    Args:
        counts: the number of posts that contain each word.
        posts: how many posts there are.
    """
    return all(0 < count <= posts and _COUNTED.fullmatch(word) for word, count in counts.items())


def word_files(counts: Mapping[str, int]) -> dict[str, bytes]:
    """The words by their first letter, one file for each: from the most frequent to the rarest.

    Each file is a list of strings. Each string has words of similar frequency, in alphabetical order, which compresses
    well.

    Args:
        counts: the number of posts that contain each word.
    """
    shelves: dict[str, dict[int, list[str]]] = {}
    for word in sorted(counts):
        first = word[0] if word[0] in _LETTERS else "other"
        shelves.setdefault(first, {}).setdefault(counts[word].bit_length(), []).append(word)
    return {
        f"{WORDS}{first}.json": msgspec.json.encode([" ".join(shelf[level]) for level in sorted(shelf, reverse=True)])
        for first, shelf in sorted(shelves.items())
    }
