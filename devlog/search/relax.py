"""Relaxes a query that no post matches completely: first by replacing words, then by requiring only most of them.

People misremember a name slightly, or add a word that no post has to three that one has. A word that occurs nowhere is
replaced by the words that differ from it by one typing mistake, or by those with the same beginning. If there is still
no match, posts that contain only some of the terms are ranked, and a rare word weighs more than a frequent one.
"""

from __future__ import annotations

import math
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from devlog.search.database import PER_TEXT
from devlog.search.query import Query, Term

SHORTEST = 4
"""Shorter words are not replaced: too many others are similar to them."""

_LONGEST = 32
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_STEM = 0.6
"""The share of a word that must be a prefix of another one, for that to count as a form of it."""
_NEAR = 3  # the maximum number of replacements for a misspelled word
_TRIED = 60  # the maximum number of words that are tried as replacements
_TWICE = 8
"""How many words of a query are also tried with two typing mistakes: each has ten thousand candidates."""
_LONGEST_TWICE = 24
_CHUNK = 500  # parameters of one SQL query
_RANKED = 3  # how many times the wanted number of posts are ranked by their sections


class Part(NamedTuple):
    """A section that matches some terms of a query.

    Attributes:
        row: its row id.
        missing: the terms that its post does not contain.
    """

    row: int
    missing: tuple[Term, ...]


def meant(connection: sqlite3.Connection, shown: str, query: Query) -> Query:
    """The query without stopwords, and with words that occur nowhere replaced by similar ones, if there are any.

    Args:
        connection: to the index.
        shown: the SQL condition that a post may be shown: see `devlog.search.find.Chosen`.
        query: the query.
    """
    words = _Vocabulary(connection, shown)
    terms: list[Term] = []
    for term in query.without_stopwords().terms:
        terms += [term] if term.is_phrase or words.has(term) else words.meant(term)
    return query._replace(terms=tuple(dict.fromkeys(terms)))


def as_words(query: Query, asked: Query) -> str:
    """A relaxed query as text for the user; words that match as prefixes end with an ellipsis.

    Args:
        query: the relaxed query.
        asked: the original query, whose last word may be a prefix anyway.
    """
    shown = [" ".join(term.words) + ("…" if term.is_begun and term not in asked.terms else "") for term in query.terms]
    return " ".join(shown)


def known(connection: sqlite3.Connection, shown: str, query: Query) -> Query:
    """The query without terms that occur nowhere; the arguments are those of `meant`."""
    words = _Vocabulary(connection, shown)
    return query._replace(terms=tuple(term for term in query.terms if words.has(term)))


def most(
    connection: sqlite3.Connection, condition: str, values: tuple[object, ...], query: Query, limit: int
) -> list[Part]:
    """The best section of each of the posts that match most of a query.

    Args:
        connection: to the index.
        condition: the SQL condition that selects posts.
        values: the parameters of the condition.
        query: the query.
        limit: the maximum number of posts.
    """
    looked_at = f"SELECT doc.id FROM doc JOIN byline ON byline.id = doc.byline WHERE {condition}"  # noqa: S608 - no input
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
        present = [term for term in query.terms if text in has[term]]
        row, rank = _section(connection, text, present)
        missing = tuple(term for term in query.terms if term not in present)
        found.append((-weights[text], rank, Part(row, missing)))
    return [part for _, _, part in sorted(found, key=lambda item: item[:2])[:limit]]


def _texts(connection: sqlite3.Connection, term: Term) -> set[int]:
    rows = connection.execute("SELECT rowid FROM text WHERE text MATCH ?", [term.expression()])
    return {row // PER_TEXT for (row,) in rows}


def _section(connection: sqlite3.Connection, text: int, terms: list[Term]) -> tuple[int, float]:
    """The best section of a post for some terms, and its rank; lower is better."""
    row, rank = connection.execute(
        "SELECT rowid, bm25(text, 8.0, 4.0, 2.0, 1.0) AS rank FROM text WHERE text MATCH ? AND rowid BETWEEN ? AND ?"
        " ORDER BY rank, rowid LIMIT 1",
        [" OR ".join(term.expression() for term in terms), text * PER_TEXT, text * PER_TEXT + PER_TEXT - 1],
    ).fetchone()
    return row, rank


class _Vocabulary:
    """The words of the posts that may be shown, from the full-text index."""

    def __init__(self, connection: sqlite3.Connection, shown: str) -> None:
        self._connection = connection
        self._asked = (
            "SELECT 1 FROM text JOIN doc ON doc.id = text.rowid / "  # noqa: S608 - no input
            f"{PER_TEXT} WHERE text MATCH ? AND {shown} LIMIT 1"
        )
        self._twice = _TWICE
        connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, text, row)")

    def has(self, term: Term) -> bool:
        """Whether any section matches a term."""
        return self._connection.execute(self._asked, [term.expression()]).fetchone() is not None

    def meant(self, term: Term) -> list[Term]:
        """The replacements of a term that occurs nowhere; the term itself if there are none."""
        words = term.parts or term.words
        found = [other for word in words for other in self._other(word, alone=len(words) == 1)]
        return found or [term]

    def _other(self, word: str, *, alone: bool) -> list[Term]:
        """The replacement of a word: itself if it occurs, similar words, or a prefix of other words."""
        if self.has(Term((word,))):
            return [Term((word,))] if alone or len(word) >= SHORTEST - 1 else []
        if not SHORTEST <= len(word) <= _LONGEST:
            return []
        near = self._near(word)
        if near:
            return [Term((near[0],), also=tuple(near[1:]))]
        stem = self._stem(word)
        return [Term((stem,), is_begun=True)] if stem else []

    def _near(self, word: str) -> list[str]:
        """Words that differ from this one by a typing mistake, the likeliest first.

        Missing, extra and swapped letters come before wrong ones, which are rarer; then frequent words come first.
        """
        slips = _slips(word)
        counts = self._counts(slips)
        if not counts and self._twice and 2 * SHORTEST <= len(word) <= _LONGEST_TWICE:
            self._twice -= 1
            counts = self._counts(_two_slips(word))
        likeliest = sorted(counts, key=lambda other: (slips.get(other, 2), -counts[other], other))[:_TRIED]
        return list(islice((other for other in likeliest if self.has(Term((other,)))), _NEAR))

    def _counts(self, words: object) -> dict[str, int]:
        """The words that occur in any posts, among the given ones, each with the number of sections that contain it."""
        wanted = list(words)  # type: ignore[call-overload]
        found: dict[str, int] = {}
        for start in range(0, len(wanted), _CHUNK):
            some = wanted[start : start + _CHUNK]
            marks = ",".join("?" * len(some))
            asked = f"SELECT term, doc FROM temp.vocabulary WHERE term IN ({marks})"  # noqa: S608 - only placeholders
            found.update(self._connection.execute(asked, some).fetchall())
        return found

    def _stem(self, word: str) -> str:
        """The longest proper prefix of a word that another word begins with; empty if it would be too short."""
        shortest = max(SHORTEST, math.ceil(_STEM * len(word)))
        for end in range(len(word) - 1, shortest - 1, -1):
            asked = "SELECT 1 FROM temp.vocabulary WHERE term >= ? AND term < ? LIMIT 1"
            is_there = self._connection.execute(asked, [word[:end], word[:end] + "\U0010ffff"]).fetchone()
            if is_there and self.has(Term((word[:end],), is_begun=True)):
                return word[:end]
        return ""


def _slips(word: str) -> dict[str, int]:
    """All words that one typing mistake turns into this one.

    Returns:
        0 for a missing, extra or swapped letter, 1 for a wrong one, by word.
    """
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
    """The word with two letters removed, or with one removed and another inserted: words two mistakes away."""
    once = {word[:at] + word[at + 1 :] for at in range(len(word))}
    for short in once:
        yield from (short[:at] + short[at + 1 :] for at in range(len(short)))
        yield from (short[:at] + letter + short[at:] for at in range(len(short) + 1) for letter in _LETTERS[:26])
