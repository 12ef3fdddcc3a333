"""Parses search queries, and converts them to expressions of SQLite's full-text search. Any text is a valid query."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from devlog.search.accents import without_accents
from devlog.search.names import humps

_TERM = re.compile(r'(?P<no>-(?!-))?(?:"(?P<phrase>[^"]*)(?:"|\Z)|(?P<word>[^\s"]+))')
_WORD = re.compile(r"[^\W_]+")
_JOINED = re.compile("[\u3005-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]")
"""Chinese, Japanese and Korean characters. What follows one without a space is part of the same word of the index."""
_ODD = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
_STOPWORDS = frozenset(
    """
    a about an and are as at be but by can could did do does for from had has have how i if in into is it its my not of
    on or our should so such than that the their them then there these they this those to was we were what when where
    which who why will with would you your
    """.split()
)
_CLOSE = 8
"""The distance in words, per term, within which terms count as close together."""

MOST_WORDS = 64
"""The maximum number of words in a query; the rest is ignored."""

MOST_COMPARED = 1000
"""The maximum number of matching lines of a section among which the best one is sought."""

LONGEST = 1000
"""The maximum number of characters in a query; the rest is ignored."""


class Term(NamedTuple):
    """A term of a query: consecutive words, the last of which may be a prefix.

    Attributes:
        words: in lower case, without accents.
        is_begun: whether the last word also matches as a prefix.
        is_phrase: whether the term was written between quotes.
        parts: the words inside an identifier, which match as well.
        also: alternative words, each of which matches on its own.
    """

    words: tuple[str, ...]
    is_begun: bool = False
    is_phrase: bool = False
    parts: tuple[str, ...] = ()
    also: tuple[str, ...] = ()

    def expression(self) -> str:
        """The term as an FTS5 expression."""
        text = f'"{" ".join(self.words)}"'
        others = "".join(f' OR "{other}"' for other in ([" ".join(self.parts)] if self.parts else []) + [*self.also])
        return f"({text}{f' OR {text} *' if self.is_begun else ''}{others})"

    def is_in(self, text: Words) -> bool:
        """Whether the term matches in a text."""
        if any(word in text.places for word in self.also):
            return True
        *first, last = self.words
        if not first and self.is_begun:
            return any(word.startswith(last) for word in text.places)
        for start in text.places.get(self.words[0], ()):
            some = text.words[start : start + len(self.words)]
            if tuple(some) == self.words:
                return True
            if self.is_begun and len(some) == len(self.words) and some[:-1] == first and some[-1].startswith(last):
                return True
        return False


class Query(NamedTuple):
    """A parsed query.

    Attributes:
        terms: to search for.
        without: terms to exclude.
    """

    terms: tuple[Term, ...]
    without: tuple[Term, ...]

    def all_of(self) -> str:
        """The FTS5 expression that matches all terms."""
        return " AND ".join(term.expression() for term in self.terms)

    def in_titles(self) -> str:
        """The FTS5 expression that matches all terms in the title and the heading."""
        return f"{{title heading}} : ({self.all_of()})"

    def together(self) -> str:
        """The FTS5 expression that matches all terms in a row."""
        words = " ".join(word for term in self.terms for word in term.words)
        return f'"{words}"{" *" if self.terms[-1].is_begun else ""}'

    def close(self) -> str:
        """The FTS5 expression that matches all terms close together, within a distance that grows with their number."""
        words = " ".join(f'"{" ".join(term.words)}"{" *" if term.is_begun else ""}' for term in self.terms)
        return f"NEAR({words}, {_CLOSE * len(self.terms)})"

    def none_of(self) -> str:
        """The FTS5 expression that matches any excluded term."""
        return " OR ".join(term.expression() for term in self.without)

    def without_stopwords(self) -> Query:
        """The query without stopwords, if other terms remain."""
        kept = tuple(term for term in self.terms if term.is_phrase or not _STOPWORDS.issuperset(term.words))
        return self._replace(terms=kept or self.terms)

    def marks(self, text: str) -> list[tuple[int, int]]:
        """The spans of the query's words in a text."""
        wanted = {word for term in self.terms for word in (*term.words, *term.also)}
        begun = tuple(term.words[-1] for term in self.terms if term.is_begun)
        found = []
        for match in _WORD.finditer(text):
            word = _folded(match[0])
            if word in wanted or (begun and word.startswith(begun)) or self._hump_of(match[0], wanted):
                found.append(match.span())
        return found

    def _hump_of(self, word: str, wanted: set[str]) -> bool:
        return any(part.lower() in wanted for part in humps(word))

    def score(self, line: str) -> int:
        """A score for how much of the query a line contains."""
        words = Words(line)
        known = words.places.keys() | {part.lower() for word in _WORD.findall(line) for part in humps(word)}
        score = 0
        for term in self.terms:
            if term.is_in(words):
                score += 2 * len(term.words) + (0 if _STOPWORDS.issuperset(term.words) else 2)
            else:
                score += sum(word in known and word not in _STOPWORDS for word in term.words)
        return score

    def best(self, lines: Sequence[str]) -> tuple[int, int]:
        """The index of the first line with the highest score among `MOST_COMPARED` that match, and this score.

        Args:
            lines: in order; without a match, the first is returned.
        """
        matching = (index for index, line in enumerate(lines) if self.marks(line))
        scores = {index: self.score(lines[index]) for index in islice(matching, MOST_COMPARED)}
        return max(scores.items(), key=lambda item: (item[1], -item[0]), default=(0, 0))


class Words:
    """The words of a text, and the indexes of each.

    Attributes:
        words: in order, in lower case, without accents.
        places: the indexes of each word in `words`.
    """

    def __init__(self, text: str) -> None:
        self.words = words_of(text)
        self.places: dict[str, list[int]] = {}
        for index, word in enumerate(self.words):
            self.places.setdefault(word, []).append(index)


def words_of(text: str) -> list[str]:
    """The words of a text as in the index: in lower case, without accents."""
    return _WORD.findall(without_accents(text).casefold())


def _folded(word: str) -> str:
    return without_accents(word).casefold()


def read_query(text: str) -> Query:
    """Parse a query: words, ``"phrases"``, and ``-words`` to exclude.

    The last word may be a prefix, and so may each term that ends with a Chinese, Japanese or Korean character.
    """
    text = _ODD.sub(" ", text[:LONGEST])
    wanted: list[Term] = []
    unwanted: list[Term] = []
    room = MOST_WORDS
    for match in _TERM.finditer(text):
        term = _term(match, room, is_last=match.end() == len(text))
        if term:
            room -= len(term.parts or term.words)
            (unwanted if match["no"] else wanted).append(term)
    if not wanted:  # for example, a compiler option such as -Wall
        wanted, unwanted = unwanted, []
    return Query(tuple(dict.fromkeys(wanted)), tuple(dict.fromkeys(unwanted)))


def _term(match: re.Match[str], room: int, *, is_last: bool) -> Term | None:
    """The term that was typed, cut to `room` words; `None` if nothing is left."""
    is_phrase = match["phrase"] is not None
    written = match["phrase"] if is_phrase else match["word"]
    every = words_of(written)
    words = tuple(every[:room])
    if not words:
        return None
    is_open = is_last and not is_phrase and not match["no"] and written[-1:].isalnum() and len(words) == len(every)
    is_long = len(words[-1]) > 1 and words[-1] not in _STOPWORDS  # as prefixes, others match too many words
    is_begun = (is_open and is_long) or bool(_JOINED.match(words[-1][-1]))
    inner = tuple(_folded(part) for word in _WORD.findall(written) for part in (humps(word) or [word]))[:room]
    return Term(words, is_begun, is_phrase, inner if inner != words else ())
