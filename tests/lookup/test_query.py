"""Any text is a query, and means what people mean by it."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.search.query import LONGEST, MOST_COMPARED, MOST_WORDS, Query, read_query


@pytest.mark.parametrize(
    ("text", "words", "without"),
    [
        ("buffer pool", [("buffer",), ("pool",)], []),
        ('"buffer pool" cache', [("buffer", "pool"), ("cache",)], []),
        ('a "never closed', [("a",), ("never", "closed")], []),
        ("buffer -pool", [("buffer",)], [("pool",)]),
        ('buffer -"a pool"', [("buffer",)], [("a", "pool")]),
        ("torch._check", [("torch", "check")], []),
        ("--flag-name", [("flag", "name")], []),
        ("-Wall", [("wall",)], []),
        ("std::vector<int>", [("std", "vector", "int")], []),
        ("NEAR(a b) title:x *", [("near", "a"), ("b",), ("title", "x")], []),
        ("++ ~", [], []),
        ("Größe", [("grosse",)], []),
        ("pool buffer pool -a -a ", [("pool",), ("buffer",)], [("a",)]),
    ],
)
def test_what_a_query_means(text: str, words: list[tuple[str, ...]], without: list[tuple[str, ...]]) -> None:
    query = read_query(text)
    assert [term.words for term in query.terms] == words
    assert [term.words for term in query.without] == without


@pytest.mark.parametrize("text", ["ab-" * 300 + "ab", "ab-cd " * 150, '"' + "ab " * 300, "abCd" * 200, "-ab_cd" * 150])
def test_of_a_long_query_the_first_words_count(text: str) -> None:
    query = read_query(text + " end")
    for of in (lambda term: term.words, lambda term: term.parts):
        assert sum(len(of(term)) for term in (*query.terms, *query.without)) <= MOST_WORDS
    assert not any(term.is_begun and term.words[-1] != "end" for term in query.terms)


def test_a_word_that_is_cut_off_is_not_begun() -> None:
    query = read_query(" ".join(["ab-cd"] * 31 + ["ab", "one-more"]))
    assert len(query.terms[-1].words) == 1
    assert not query.terms[-1].is_begun
    assert len(read_query(" ".join(f"w{number}" for number in range(LONGEST))).terms) == MOST_WORDS


def test_only_the_last_word_may_be_begun() -> None:
    assert [term.is_begun for term in read_query("buffer poo").terms] == [False, True]
    assert not any(term.is_begun for term in (*read_query("buffer pool ").terms, *read_query('"buffer poo').terms))


def test_words_of_languages_without_spaces_are_begun() -> None:
    """Others may follow them, also a single character; a single Latin letter begins too many words."""
    query = read_query('存 "ページ 索引" -책 end. b')
    assert [term.is_begun for term in query.terms] == [True, True, False, False]
    assert [term.is_begun for term in query.without] == [True]


@pytest.mark.slow
@given(st.text(max_size=60) | st.text("\"-*(){}:^+ab \0'\\\ud800", max_size=40))
def test_the_index_understands_any_query(text: str) -> None:
    query = read_query(text)
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE VIRTUAL TABLE text USING fts5 (title, heading, names, body)")
        connection.execute("INSERT INTO text VALUES ('a', 'b', 'a b', 'ab')")
        if query.terms:
            for match in (
                query.all_of(),
                query.close(),
                query.together(),
                query.in_titles(),
                query.without_stopwords().all_of(),
            ):
                connection.execute("SELECT rowid FROM text WHERE text MATCH ?", [match]).fetchall()
        if query.without:
            connection.execute("SELECT rowid FROM text WHERE text MATCH ?", [query.none_of()]).fetchall()
    for start, end in query.marks(text):
        assert 0 <= start < end <= len(text)


def test_few_lines_of_a_long_section_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    query = read_query(" ".join(f"word{number}" for number in range(64)))
    scored: list[str] = []
    monkeypatch.setattr(Query, "score", lambda _, line: scored.append(line) or len(line))
    lines = ["", "none", *("word1 word2" if number == 500 else "word1" for number in range(5000))]
    assert query.best(lines) == (502, len("word1 word2"))
    assert len(scored) == MOST_COMPARED
    assert query.best(["none"]) == (0, 0)


def test_accents_make_no_difference() -> None:
    assert read_query("cafe").marks("Ein Café") == [(4, 8)]
    assert read_query("Café").score("cafe") == read_query("cafe").score("café") > 0
