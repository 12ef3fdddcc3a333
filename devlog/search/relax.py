"""Looking again where nothing has all that was asked for: with words that were meant, then for most of them.

People remember a name nearly, or a word that no text has beside three that one has. A word that stands nowhere is
taken for the words that differ from it by one slip of the keys, or for those that begin as it does; what is still not
found together is looked for in parts, where a rare word weighs more than a frequent one.
"""

from __future__ import annotations

import math
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from devlog.search.database import PER_TEXT
from devlog.search.query import Query, Term

SHORTEST = 4
"""Shorter words are not taken for others: too many are like them."""

_LONGEST = 32
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_STEM = 0.6
"""So much of a word must begin another one that may be a form of it."""
_NEAR = 3  # words that a misspelled one may stand for
_TWICE = 8
"""So many words of a query are looked for with two slips, too: each may have been made of ten thousand others."""
_LONGEST_TWICE = 24
_CHUNK = 500  # values in one question
_RANKED = 3  # times as many texts are compared by their sections as are wanted


class Part(NamedTuple):
    """A section that has some of what was asked for.

    Attributes:
        row: its number.
        missing: what its text does not have.
    """

    row: int
    missing: tuple[Term, ...]


def meant(connection: sqlite3.Connection, query: Query) -> Query:
    """The query with words that some text has in place of those that none has; the same if nothing is like them."""
    words = _Vocabulary(connection)
    terms: list[Term] = []
    for term in query.without_stopwords().terms:
        terms += [term] if term.is_phrase or _stands(connection, term) else words.meant(term)
    return query._replace(terms=tuple(dict.fromkeys(terms)))


def as_words(query: Query, asked: Query) -> str:
    """What a query was taken for, in words: the beginning of some words ends with dots.

    Args:
        query: what it was taken for.
        asked: what was typed, of which the last word may only be begun in any case.
    """
    shown = [" ".join(term.words) + ("…" if term.is_begun and term not in asked.terms else "") for term in query.terms]
    return " ".join(shown)


def known(connection: sqlite3.Connection, query: Query) -> Query:
    """The query without what stands nowhere."""
    return query._replace(terms=tuple(term for term in query.terms if _stands(connection, term)))


def most(
    connection: sqlite3.Connection, condition: str, values: tuple[object, ...], query: Query, limit: int
) -> list[Part]:
    """The best section of each of the texts that have most of a query.

    Args:
        connection: to the index.
        condition: which texts are looked at.
        values: of the condition.
        query: what is looked for.
        limit: how many texts are wanted.
    """
    looked_at = f"SELECT doc.id FROM doc JOIN byline ON byline.id = doc.byline WHERE {condition}"  # noqa: S608 - of ours
    texts = {row for (row,) in connection.execute(looked_at, values)}
    for term in query.without:
        texts -= _texts(connection, term)
    has = {term: _texts(connection, term) & texts for term in query.terms}
    weights: defaultdict[int, float] = defaultdict(float)
    for some in has.values():
        weight = math.log(1 + len(texts) / len(some)) ** 2 if some else 0  # one rare word outweighs two others
        for text in some:
            weights[text] += weight
    best = sorted(weights, key=lambda text: (-weights[text], -text))[: limit * _RANKED]
    found = []
    for text in best:
        there = [term for term in query.terms if text in has[term]]
        row, rank = _section(connection, text, there)
        missing = tuple(term for term in query.terms if term not in there)
        found.append((-weights[text], rank, Part(row, missing)))
    return [part for _, _, part in sorted(found, key=lambda item: item[:2])[:limit]]


def _texts(connection: sqlite3.Connection, term: Term) -> set[int]:
    rows = connection.execute("SELECT rowid FROM text WHERE text MATCH ?", [term.expression()])
    return {row // PER_TEXT for (row,) in rows}


def _section(connection: sqlite3.Connection, text: int, terms: list[Term]) -> tuple[int, float]:
    """The section of a text that has most of some terms, and its rank, of which less is better."""
    row, rank = connection.execute(
        "SELECT rowid, bm25(text, 8.0, 4.0, 2.0, 1.0) AS rank FROM text WHERE text MATCH ? AND rowid BETWEEN ? AND ?"
        " ORDER BY rank, rowid LIMIT 1",
        [" OR ".join(term.expression() for term in terms), text * PER_TEXT, text * PER_TEXT + PER_TEXT - 1],
    ).fetchone()
    return row, rank


def _stands(connection: sqlite3.Connection, term: Term) -> bool:
    """Whether any text has a term."""
    row = connection.execute("SELECT 1 FROM text WHERE text MATCH ? LIMIT 1", [term.expression()]).fetchone()
    return row is not None


class _Vocabulary:
    """The words of all texts."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._twice = _TWICE
        connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, text, row)")

    def meant(self, term: Term) -> list[Term]:
        """The terms that a term which stands nowhere is taken for; itself if there are none."""
        words = term.parts or term.words
        found = [other for word in words for other in self._other(word, alone=len(words) == 1)]
        return found or [term]

    def _other(self, word: str, *, alone: bool) -> list[Term]:
        """What a word is taken for: itself, the nearest word, or the words that begin as it does."""
        if self._counts([word]):
            return [Term((word,))] if alone or len(word) >= SHORTEST - 1 else []
        if not SHORTEST <= len(word) <= _LONGEST:
            return []
        near = self._near(word)
        if near:
            return [Term((near[0],), also=tuple(near[1:]))]
        stem = self._stem(word)
        return [Term((stem,), is_begun=True)] if stem else []

    def _near(self, word: str) -> list[str]:
        """Words that a slip of the keys makes this one of: first those with a letter left out, too many or swapped,
        which happens more often than a wrong one; of these the most frequent.
        """
        slips = _slips(word)
        counts = self._counts(slips)
        if not counts and self._twice and 2 * SHORTEST <= len(word) <= _LONGEST_TWICE:
            self._twice -= 1
            counts = self._counts(_two_slips(word))
        return sorted(counts, key=lambda other: (slips.get(other, 2), -counts[other], other))[:_NEAR]

    def _counts(self, words: object) -> dict[str, int]:
        """Those of some words that there are, with the number of sections that have them."""
        wanted = list(words)  # type: ignore[call-overload]
        found: dict[str, int] = {}
        for start in range(0, len(wanted), _CHUNK):
            some = wanted[start : start + _CHUNK]
            marks = ",".join("?" * len(some))
            asked = f"SELECT term, doc FROM temp.vocabulary WHERE term IN ({marks})"  # noqa: S608 - only marks
            found.update(self._connection.execute(asked, some).fetchall())
        return found

    def _stem(self, word: str) -> str:
        """The longest beginning of a word with which another one begins."""
        shortest = max(SHORTEST, math.ceil(_STEM * len(word)))
        for end in range(len(word) - 1, shortest - 1, -1):
            asked = "SELECT 1 FROM temp.vocabulary WHERE term >= ? AND term < ? LIMIT 1"
            if self._connection.execute(asked, [word[:end], word[:end] + "\U0010ffff"]).fetchone():
                return word[:end]
        return ""


def _slips(word: str) -> dict[str, int]:
    """What one slip can have made a word of: 0 where letters only came, went or were swapped, 1 where one is wrong."""
    letters = dict.fromkeys(_LETTERS + word)
    found: dict[str, int] = {}
    for at in range(len(word) + 1):
        found |= dict.fromkeys((word[:at] + letter + word[at:] for letter in letters), 0)
    for at in range(len(word)):
        found[word[:at] + word[at + 1 :]] = 0
        found[word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :]] = 0
    for at in range(len(word)):
        for letter in letters:
            found.setdefault(word[:at] + letter + word[at + 1 :], 1)
    found.pop(word, None)
    return found


def _two_slips(word: str) -> Iterator[str]:
    """What two letters that went, or one that did and another that came, can have made a word of."""
    once = {word[:at] + word[at + 1 :] for at in range(len(word))}
    for short in once:
        yield from (short[:at] + short[at + 1 :] for at in range(len(short)))
        yield from (short[:at] + letter + short[at:] for at in range(len(short) + 1) for letter in _LETTERS[:26])
