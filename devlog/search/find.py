"""Queries on the index: selects posts by filters, and finds the best sections for a search."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

import msgspec

from devlog.model.names import fold
from devlog.model.slug import slug
from devlog.search.database import PER_TEXT
from devlog.search.plain import one_line
from devlog.search.query import Query, Words
from devlog.search.relax import Part, as_words, known, meant, most
from devlog.search.seals import SHOWN, check_seal
from devlog.search.values import Entry, Filters, Hit, Section, checked

WEIGHTS = "8.0, 4.0, 2.0, 1.0"
"""The weights of a word in a title, in a heading, as a part of a name, and in a body."""

_FEW = 1000  # a word in fewer sections than this is rare
_SNIPPET = 160  # characters
_LONGEST = 50_000  # characters of a section, among which the best line is sought
_MOST_MARKS = 200  # the maximum number of matches in a line that are tried as the start of a snippet
_AROUND = 30  # within how many characters a snippet is cut at the end of a word
_BEFORE, _AFTER = 3, 6  # how many lines around the best one a snippet may contain
_ENTRY = f"SELECT byline.seal, byline.keys, doc.seal, {SHOWN} FROM doc JOIN byline ON byline.id = doc.byline"  # noqa: S608
_SECTION = (
    "section.seal, coalesce(accented_heading, text.heading), section.fragment, section.line,"
    " coalesce(accented_body, text.body), section.level, section.source"
)


class Chosen(NamedTuple):
    """The selected posts, as an SQL condition and its parameters.

    Attributes:
        condition: the condition.
        values: its parameters.
        shown: the condition that a post may be shown at all. Without it, words of drafts would appear in suggestions.
    """

    condition: str
    values: tuple[Any, ...] = ()
    shown: str = ""


def choose(connection: sqlite3.Connection, filters: Filters, now: datetime) -> Chosen:
    """The posts that match all filters."""
    shown = published(now, drafts=filters.drafts)
    conditions, values = [shown], list[Any]()
    if topic := filters.topic.strip().strip("/"):
        conditions.append("(doc.topic = ? COLLATE NOCASE OR substr(doc.topic, 1, ?) = ? COLLATE NOCASE)")
        values += [topic, len(topic) + 1, f"{topic}/"]
    if author := filters.author.strip().lstrip("@"):
        rows = connection.execute("SELECT key FROM person WHERE name = ?", [fold(author)])
        keys = [author.lower(), slug(author), *(key for (key,) in rows)]
        conditions.append(f"({' OR '.join('instr(byline.keys, ?)' for _ in keys)})")
        values += [f" {key} " for key in keys]
    if tag := filters.tag.strip():
        conditions.append("(instr(doc.tags, ?) OR instr(doc.tags, ?))")
        values += [f" {slug(tag)} ", f" {tag.lower()} "]
    if filters.since:
        conditions.append("doc.day >= ?")
        values.append(filters.since)
    return Chosen(" AND ".join(conditions), tuple(values), shown)


def published(now: datetime, *, drafts: bool) -> str:
    """The SQL condition that a post has a page and, unless `drafts` is set, that this page is published."""
    if drafts:
        return "doc.kind != ''"
    moment = repr(now.timestamp())
    shown = f"ifnull(doc.starts <= {moment}, 1) AND ifnull(doc.ends > {moment}, 1)"
    return f"doc.kind != '' AND NOT doc.draft AND {shown}"


# -- posts


def entries(connection: sqlite3.Connection, chosen: Chosen, limit: int, now: datetime) -> Iterator[Entry]:
    """The selected posts, the newest first."""
    order = "ORDER BY doc.moment IS NULL, doc.moment DESC, doc.path LIMIT ?"
    for row in connection.execute(f"{_ENTRY} WHERE {chosen.condition} {order}", [*chosen.values, limit]):
        yield _entry(row, now)


def _entry(row: Sequence[Any], now: datetime) -> Entry:
    names_seal, keys, sealed, *shown = row
    check_seal(names_seal, keys)
    check_seal(sealed, shown)
    path, title, url, file, line, day, topic, tags, draft, starts, ends, kind, summary = shown
    future = starts is not None and starts > now.timestamp()
    expired = ends is not None and ends <= now.timestamp()
    state = "draft" if draft else "future" if future else "expired" if expired else ""
    authors, slugs = tuple(keys.split()), tuple(tags.split())
    entry = Entry(path, title, url, file, max(1, line), day, topic, authors, slugs, state, kind, summary)
    return checked(entry)


def sections(connection: sqlite3.Connection, entry: Entry) -> tuple[Section, ...]:
    """The sections of a post, in order."""
    asked = (
        f"SELECT {_SECTION} FROM doc"  # noqa: S608 - a constant
        " JOIN section ON section.id BETWEEN doc.id * ? AND doc.id * ? + ? JOIN text ON text.rowid = section.id"
        " WHERE doc.path = ? ORDER BY section.id"
    )
    rows = connection.execute(asked, [PER_TEXT, PER_TEXT, PER_TEXT - 1, entry.id])
    return tuple(map(_section, rows))


def _section(row: Sequence[Any]) -> Section:
    sealed, *values = row
    section = checked(Section(*values))
    check_seal(sealed, section)
    return section


def hit_of(entry: Entry) -> Hit:
    """A hit for a whole post."""
    return Hit(entry.title, entry.url, entry.source, entry.line, "", entry.summary, entry.date)


# -- sections


def hits(connection: sqlite3.Connection, chosen: Chosen, query: Query, limit: int, now: datetime) -> Iterator[Hit]:
    """The hits of a query, at most one per post, the best first.

    If no post matches the whole query, misspelled words are replaced and words that occur nowhere are dropped. If that
    finds nothing either, the posts that match most of the query are returned.
    """
    wanted, taken_for = query, ""
    found = [Part(row, ()) for row in best_sections(connection, chosen, query, limit)]
    if not found:
        wanted = meant(connection, chosen.shown, query)
        taken_for = "" if wanted == query.without_stopwords() else as_words(wanted, query)
        rest = known(connection, chosen.shown, wanted)
        missing = tuple(term for term in wanted.terms if term not in rest.terms)
        found = [Part(row, missing) for row in best_sections(connection, chosen, rest, limit)] if rest.terms else []
        found = found or most(connection, chosen.condition, chosen.values, wanted, limit)
    for part in found:
        lacks = tuple(" ".join(term.words) for term in part.missing)
        shown = hit(connection, wanted, part.row, now)
        yield msgspec.structs.replace(shown, missing=lacks, taken_for=taken_for)


def best_sections(connection: sqlite3.Connection, chosen: Chosen, query: Query, limit: int) -> list[int]:
    """The row ids of the best sections, at most one per post."""
    found: dict[int, int] = {}
    for search in _searches(query):
        for row in search(connection, chosen):
            found.setdefault(row // PER_TEXT, row)
            if len(found) == limit:
                return list(found.values())
    return list(found.values())


_Search = Callable[[sqlite3.Connection, Chosen], Iterator[int]]


def _searches(query: Query) -> Iterator[_Search]:
    """The searches for a query, the strictest first.

    First, all terms in title and heading, then all in a row. Then, without stopwords: all in title and heading, all
    close together, all in one section, all in one post.
    """
    plain = query.without_stopwords()
    yield partial(_ranked, query=query, match=query.in_titles())
    if len(query.terms) > 1:
        yield partial(_ranked, query=query, match=query.together())
    if plain != query:
        yield partial(_ranked, query=plain, match=plain.in_titles())
    if len(plain.terms) > 1:
        yield partial(_ranked, query=plain, match=plain.close())
    yield partial(_ranked, query=plain, match=plain.all_of())
    if len(plain.terms) > 1:
        yield partial(_in_texts, query=plain)


def _in_texts(connection: sqlite3.Connection, chosen: Chosen, query: Query) -> Iterator[int]:
    """Sections that match some terms, of posts that match all of them in any sections."""
    counted = f"SELECT count(*) FROM (SELECT 1 FROM text WHERE text MATCH ? LIMIT {_FEW})"  # noqa: S608 - a constant
    expressions = [term.expression() for term in query.terms]
    counts = [connection.execute(counted, [expression]).fetchone()[0] for expression in expressions]
    if 0 in counts:
        return
    # Sections with rare words are the ones to show from these posts; ranking all the others too would take long.
    rare = [expression for expression, count in zip(expressions, counts, strict=True) if count < _FEW] or expressions
    texts = f"SELECT rowid / {PER_TEXT} FROM text WHERE text MATCH ?"  # noqa: S608 - a constant
    every = " INTERSECT ".join(texts for _ in expressions)
    also = Chosen(f"{chosen.condition} AND doc.id IN ({every})", (*chosen.values, *expressions))
    yield from _ranked(connection, also, query, " OR ".join(rare))


def _ranked(connection: sqlite3.Connection, chosen: Chosen, query: Query, match: str) -> Iterator[int]:
    """The row ids of the matching sections, the best first."""
    condition, values = chosen.condition, chosen.values
    if query.without:
        condition += f" AND doc.id NOT IN (SELECT rowid / {PER_TEXT} FROM text WHERE text MATCH ?)"  # noqa: S608 - a constant
        values = (*values, query.none_of())
    asked = (
        f"SELECT text.rowid FROM text JOIN doc ON doc.id = text.rowid / {PER_TEXT} "  # noqa: S608 - values are bound
        f"JOIN byline ON byline.id = doc.byline WHERE text MATCH ? AND {condition} "
        f"ORDER BY bm25(text, {WEIGHTS}), doc.moment DESC, doc.path, text.rowid"
    )
    for (row,) in connection.execute(asked, [match, *values]):
        yield row


def hit(connection: sqlite3.Connection, query: Query, row: int, now: datetime) -> Hit:
    """The hit for a section, at its best line; for the whole post if all terms are in its title."""
    entry = _entry(connection.execute(f"{_ENTRY} WHERE doc.id = ?", [row // PER_TEXT]).fetchone(), now)
    asked = f"SELECT {_SECTION} FROM text JOIN section ON section.id = text.rowid WHERE text.rowid = ?"  # noqa: S608
    section = _section(connection.execute(asked, [row]).fetchone())
    text = section.text[:_LONGEST]
    title, inside = Words(entry.title), Words(f"{section.heading} {text}")
    if all(term.is_in(title) for term in query.terms) and not all(term.is_in(inside) for term in query.terms):
        return hit_of(entry)
    lines = text.split("\n")
    best, score = query.best(lines)
    best = best if score >= query.score(section.heading) else 0
    url = f"{entry.url}#{section.fragment}" if section.fragment and entry.url else entry.url
    source, line, snippet = section.source or entry.source, section.line + best, _snippet(query, lines, best)
    return Hit(entry.title, url, source, line, section.heading, snippet, entry.date)


def _snippet(query: Query, lines: Sequence[str], best: int) -> str:
    """Some words around the best match: from its line on, and from the lines before if that is too short."""
    text = one_line(" ".join(lines[best : best + _AFTER]))
    if len(text) < _SNIPPET // 2 and best:
        text = one_line(" ".join(lines[max(0, best - _BEFORE) : best + _AFTER]))
    if len(text) <= _SNIPPET:
        return text
    seen = _SNIPPET * 2 // 3
    starts = [start for start, _ in query.marks(text)[:_MOST_MARKS]] or [0]
    scores = {start: query.score(text[start : start + seen]) for start in starts}
    first = max(starts, key=lambda start: (scores[start], -start))
    best_start = max(start for start in starts if first <= start < first + seen and scores[start] == scores[first])
    start = min(max(0, best_start - _SNIPPET // 3), len(text) - _SNIPPET)
    if start:
        start = text.find(" ", start, start + _AROUND) + 1 or start
    end = start + _SNIPPET
    if end < len(text):
        end = max(text.rfind(" ", start + _SNIPPET // 2, end), start + _SNIPPET // 2)
    return f"{'… ' if start else ''}{text[start:end].strip()}{' …' if end < len(text) else ''}"
