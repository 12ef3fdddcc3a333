"""Vague queries: a word that stands nowhere, a slip of the keys, another form, another spelling."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sites import NOW, write_site

from devlog.search.lookup import Lookup
from devlog.search.relax import _slips, _two_slips
from devlog.search.values import Filters

POST = "---\ntitle: {title}\ndate: 2026-05-0{day}\nauthor: Ada Quill (@adaquill)\n---\n{text}\n"
TEXTS = {
    "The dispatch key set": "Each backend has a key; `DispatchKeySet` is a mask of them. It is cached.",
    "References of objects": "The `PyObject` is owned by its wrapper, and `tp_richcompare` compares wrappers.",
    "Automatic mixed precision": "The dispatcher calls autocast, and `cudaGetLastError`. What came of it is kept.",
    "The cache of kernels": "A kernel in the cache is found by its key and sizes. A cache miss compiles it.",
    "Sizes without a value": "A tensor of 0/1 elements is specialized, which recompiles. The key is to hold back.",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    posts = {
        f"content/core/2026-05-0{day}-{day}.md": POST.format(title=title, text=text, day=day)
        for day, (title, text) in enumerate(TEXTS.items(), start=1)
    }
    folder = tmp_path_factory.mktemp("site")
    return write_site(folder, {"devlog.toml": 'title = "Lumen"\n', "content/core/_index.md": "# Core\n", **posts})


@pytest.fixture(scope="module")
def lookup(site: Path) -> Iterator[Lookup]:
    with closing(Lookup(site, NOW)) as found:
        found.refresh()
        yield found


@pytest.mark.parametrize(
    ("query", "title", "missing", "taken_for"),
    [
        ("dispatch key set fallthrough", "The dispatch key set", ("fallthrough",), ""),
        ("PyObject refcount ownership", "References of objects", ("refcount", "ownership"), ""),
        ("dispacher autocast", "Automatic mixed precision", (), "dispatcher autocast"),
        ("autocsat", "Automatic mixed precision", (), "autocast"),
        ("richcompares", "References of objects", (), "richcompare"),
        ("richcompared wrapper", "References of objects", (), "richcompare wrapper"),
        ("dispatchKeySets", "The dispatch key set", (), "dispatch key set"),
        ("cuda-get-last-errors", "Automatic mixed precision", (), "cuda get last error"),
        ("0/1 specialization", "Sizes without a value", (), "0 1 specializ…"),
        ("cahe", "The cache of kernels", (), "cache"),
        ("dispatch zeugma backend", "The dispatch key set", ("zeugma",), ""),
        ("autocast kernel miss", "The cache of kernels", ("autocast",), ""),
        ("the of zeugma richcompare", "References of objects", ("zeugma",), ""),
    ],
)
def test_what_was_meant_is_found(
    lookup: Lookup, query: str, title: str, missing: tuple[str, ...], taken_for: str
) -> None:
    first = lookup.search(query)[0]
    assert (first.title, first.missing, first.taken_for) == (title, missing, taken_for)


def test_a_letter_that_went_is_likelier_than_a_wrong_one(lookup: Lookup) -> None:
    """“came” stands in a text, too, and differs by one letter from “cahe”."""
    assert lookup.search("cahe")[0].title == "The cache of kernels"


@pytest.mark.parametrize("query", ["zeugma", "zeugma brouhaha", "xyzzy-plugh", '"the dispatcher calls nobody"', "q"])
def test_nothing_is_found_where_nothing_is_like_it(lookup: Lookup, query: str) -> None:
    assert lookup.search(query) == ()


def test_what_has_all_words_is_not_relaxed(lookup: Lookup) -> None:
    found = lookup.search("cache miss")
    assert [(hit.title, hit.missing, hit.taken_for) for hit in found] == [("The cache of kernels", (), "")]


def test_what_must_not_be_there_is_not(lookup: Lookup) -> None:
    found = lookup.search("key zeugma -backend")
    assert {hit.title for hit in found} == {"The cache of kernels", "Sizes without a value"}


def test_filters_hold(lookup: Lookup) -> None:
    assert lookup.search("dispatch key set fallthrough", Filters(topic="elsewhere")) == ()
    found = lookup.search("key zeugma", Filters(since="2026-05-04"))
    assert {hit.date for hit in found} == {"2026-05-04", "2026-05-05"}


def test_words_of_drafts_are_not_told(tmp_path: Path) -> None:
    draft = POST.format(title="Plans", day=2, text="We buy Zyxcorporation.").replace("---\n", "---\ndraft: true\n", 1)
    shown = POST.format(title="Caches", day=1, text="A cache has zigzags.")
    files = {"devlog.toml": 'title = "Lumen"\n', "content/core/a.md": shown, "content/core/b.md": draft}
    with closing(Lookup(write_site(tmp_path, files), NOW)) as lookup:
        lookup.refresh()
        for word in ("zyxcorporatoin", "zyxcorpus", "zyxcorporation"):
            (hit,) = lookup.search(f"cache {word}")
            assert (hit.title, hit.missing, hit.taken_for) == ("Caches", (word,), "")
            assert lookup.search(f"cache {word}", Filters(drafts=True))[0].taken_for == (
                {"zyxcorporatoin": "cache zyxcorporation", "zyxcorpus": "cache zyxcorp…"}.get(word, "")
            )
        assert lookup.search("cache zigzasg")[0].taken_for == "cache zigzags"


@pytest.mark.slow
def test_the_answer_says_what_was_relaxed(site: Path) -> None:
    def said(*query: str) -> str:
        command = [sys.executable, "-m", "devlog", "search", "--root", str(site), "--now", NOW.isoformat(), *query]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    first = said("dispacher", "fallthrough")
    assert first.splitlines()[0] == (
        "No exact match for “dispacher fallthrough”. Showing results for “dispatcher fallthrough”."
    )
    assert "missing: fallthrough" in first
    (one,) = json.loads(said("--format", "json", "dispacher", "fallthrough"))
    assert (one["missing"], one["taken_for"]) == (["fallthrough"], "dispatcher fallthrough")
    (one,) = json.loads(said("--format", "json", "autocast"))
    assert "missing" not in one
    assert "taken_for" not in one


@pytest.mark.slow
@given(st.text("abcdé1", min_size=1, max_size=9), st.data())
def test_slips_go_both_ways(word: str, data: st.DataObject) -> None:
    other = data.draw(st.sampled_from(sorted(_slips(word))))
    assert word not in _slips(word)
    if other and set(other) <= set("abcde1"):
        assert word in _slips(other) or not set(word) <= set("abcde1")


@pytest.mark.slow
@given(st.text(max_size=40))
def test_any_text_is_a_vague_query(text: str) -> None:
    assert len(_slips(text[:32])) < 8000
    assert sum(1 for _ in _two_slips(text[:24])) < 20_000


@pytest.mark.slow
def test_a_query_of_nothing_but_misspelled_words_asks_the_index_a_few_hundred_times(site: Path) -> None:
    words = " ".join("".join(chr(97 + (7 * place * word + place) % 26) for place in range(24)) for word in range(1, 33))
    asked: list[str] = []
    with closing(Lookup(site, NOW)) as lookup:
        lookup.refresh()
        lookup._database.connection.set_trace_callback(asked.append)
        assert not lookup.search(words)
    questions = [statement for statement in asked if "temp.vocabulary WHERE term IN" in statement]
    assert 8 * 30 < len(questions) < 500
