"""Finding texts: which, in which order, and what is shown of them."""

from __future__ import annotations

import random
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sites import NOW, build_site, read_tree, write_site

from devlog.model.source import Source
from devlog.search import reading, refresh
from devlog.search.database import INDEX
from devlog.search.lookup import LIMIT, Lookup
from devlog.search.values import Filters, Hit

SITE = {
    "devlog.toml": 'title = "Lumen"\nbase_url = "https://lumen.example.org/log/"\n',
    "content/_index.md": "Welcome to the Lumen log.\n",
    "content/storage/_index.md": "---\ntitle: Storage\n---\nAll about pages.\n",
    "content/storage/2026-05-01-pool.md": """---
title: The buffer pool
date: 2026-05-01
author: Ada Quill (@adaquill)
tags: [Cache, design]
---
A first paragraph.

## Eviction with a clock

The hand of the clock moves, and
`recompile_limit` ends a scan of `TorchDispatchMode` by `--max-pages`.

## Latches

Each page has a latch, see `lumen::Page::pin`.
""",
    "content/storage/2026-05-09-clock/index.md": """---
title: A clock
date: 2026-05-09
author: Bo Reed
---
Nothing but words of a buffer and of a recompilation.
""",
    "content/planner/joins/2026-04-02-joins.md": """---
title: Joins
date: 2026-04-02
author: Bo Reed (@boreed)
tags: [design]
---
The clock of the planner. <b>Hash</b> joins & *more*.
""",
    "content/2026-03-01-draft.md": "---\ntitle: Unfinished buffer\ndate: 2026-03-01\ndraft: true\n---\nclock\n",
    "content/2026-12-01-later.md": "---\ntitle: Later\ndate: 2026-12-01\n---\nclock\n",
    "content/2026-02-01-wrong.md": "---\ntitle: [\n---\nWords behind a zeugma.\n",
    "content/page.html": "---\ntitle: About\n---\n<h2 id='who'>Who</h2>\n<p>People of the <b>project</b></p>\n",
}


@pytest.fixture
def lookup(tmp_path: Path) -> Iterator[Lookup]:
    with closing(Lookup(write_site(tmp_path, SITE), NOW)) as made:
        made.refresh()
        yield made


def titles(lookup: Lookup, words: str = "", limit: int = LIMIT, **filters: Any) -> list[str]:
    return [hit.title for hit in lookup.search(words, Filters(**filters), limit)]


def test_a_hit_says_where_it_stands(lookup: Lookup) -> None:
    (hit,) = lookup.search("recompile_limit")
    assert hit.title == "The buffer pool"
    assert hit.url == "https://lumen.example.org/log/storage/2026-05-01-pool/#eviction-with-a-clock"
    assert (hit.source, hit.line) == ("content/storage/2026-05-01-pool.md", 12)
    assert hit.section == "Eviction with a clock"
    assert hit.snippet.endswith("recompile_limit ends a scan of TorchDispatchMode by --max-pages.")
    assert hit.date == "2026-05-01"


def test_titles_come_before_headings_and_these_before_bodies(lookup: Lookup) -> None:
    assert titles(lookup, "clock") == ["A clock", "The buffer pool", "Joins"]


@pytest.mark.parametrize(
    "query",
    [
        "torchdispatchmode",
        "TorchDispatchMode",
        "DispatchMode",
        "dispatch",
        "Torch",
        "--max-pages",
        "max pages",
        "lumen::Page",
    ],
)
def test_identifiers_are_found_whole_and_by_their_parts(lookup: Lookup, query: str) -> None:
    assert titles(lookup, query)[0] == "The buffer pool"


def test_the_last_word_may_be_begun(lookup: Lookup) -> None:
    assert titles(lookup, "recompil") == ["A clock", "The buffer pool"]
    assert [hit.taken_for for hit in lookup.search("recompil buffer")] == ["recompile buffer"], "others may not"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("缓", ["Cache"]),
        ("缓存", ["Cache"]),
        ("缓存 大小", ["Cache"]),
        ('"索 缓存大"', ["Cache"]),
        ("索 -缓", ["Index"]),
        ("ペ", ["Index"]),
        ("책", ["Index"]),
    ],
)
def test_words_without_spaces_may_be_begun(query: str, found: list[str], tmp_path: Path) -> None:
    posts = {"Cache": "索，缓存大小。大小不变。", "Index": "索引。ページ数。책을"}
    files = {f"content/{title}.md": f"---\ntitle: {title}\n---\n{body}\n" for title, body in posts.items()}
    with closing(Lookup(write_site(tmp_path, {"devlog.toml": "", **files}), NOW)) as lookup:
        lookup.refresh()
        assert titles(lookup, query) == found


def test_words_of_one_text_may_stand_in_different_sections(lookup: Lookup) -> None:
    assert titles(lookup, "latch clock") == ["The buffer pool"]
    assert titles(lookup, "what is the latch of a clock") == ["The buffer pool"]


def test_words_in_a_row_come_before_words_apart(lookup: Lookup) -> None:
    assert titles(lookup, "of the clock")[0] == "The buffer pool"
    assert titles(lookup, "clock of")[0] == "Joins"


def test_phrases_and_words_that_must_not_be_there(lookup: Lookup) -> None:
    assert titles(lookup, '"of the clock"') == ["The buffer pool"]
    assert titles(lookup, "clock -planner") == ["A clock", "The buffer pool"]
    assert titles(lookup, 'clock -"a latch"') == ["A clock", "Joins"]


def test_what_only_the_title_has_is_the_text_as_a_whole(lookup: Lookup) -> None:
    (hit,) = lookup.search("joins", Filters(topic="planner"))
    assert hit.snippet == "The clock of the planner. Hash joins & more."
    (hit,) = lookup.search("pool")
    assert (hit.url, hit.line, hit.section) == ("https://lumen.example.org/log/storage/2026-05-01-pool/", 2, "")
    assert hit.snippet == "A first paragraph."


def test_a_snippet_of_a_long_line_shows_the_words(lookup: Lookup, tmp_path: Path) -> None:
    line = "<ul><li>The words</li><li>stand <b>apart</b>ly.</li></ul> " + "The row of a page. " * 40
    (tmp_path / "content/2026-05-05-long.md").write_text(f"---\ntitle: Long\n---\n{line}The oddest row and {line}")
    lookup.refresh()
    (hit,) = lookup.search("the oddest row")
    assert len(hit.snippet) < 170
    assert "page. The oddest row and The words stand apartly." in hit.snippet


def test_filters(lookup: Lookup) -> None:
    assert titles(lookup, "clock", topic="planner") == ["Joins"]
    assert titles(lookup, "clock", topic="PLANNER/joins/") == ["Joins"]
    assert titles(lookup, "clock", topic="plan") == []
    for name in ("boreed", "@boreed", "Bo Reed", "bo  reed"):
        assert titles(lookup, author=name) == ["A clock", "Joins"]
    assert titles(lookup, tag="Cache") == titles(lookup, tag="cache") == ["The buffer pool"]
    assert titles(lookup, tag="design", since="2026-05-01") == ["The buffer pool"]
    assert titles(lookup, limit=1, tag="design") == ["The buffer pool"]


def test_what_is_not_published_is_found_when_asked_for(lookup: Lookup) -> None:
    assert titles(lookup, "unfinished") == []
    assert titles(lookup, "unfinished", drafts=True) == ["Unfinished buffer"]
    assert titles(lookup, "later", drafts=True) == ["Later"]
    lookup.refresh(now=NOW + timedelta(days=365))
    assert titles(lookup, "later") == ["Later"]


def test_texts_with_errors_and_pages_are_found(lookup: Lookup) -> None:
    assert [hit.source for hit in lookup.search("zeugma")] == ["content/2026-02-01-wrong.md"]
    (hit,) = lookup.search("project people")
    assert (hit.url, hit.line, hit.section) == ("https://lumen.example.org/log/page/#who", 5, "Who")
    assert titles(lookup, "welcome") == ["Lumen"]


def test_entries_topics_and_sections(lookup: Lookup) -> None:
    entry = lookup.entry("/log/storage/2026-05-01-pool/")
    assert entry is not None
    assert (entry.authors, entry.tags, entry.topic) == (("adaquill",), ("cache", "design"), "storage")
    for name in (entry.url, entry.source, entry.id, "/storage/2026-05-01-pool", entry.url + "#latches"):
        assert lookup.entry(name) == entry
    assert lookup.entry("../devlog.toml") is lookup.entry("content/2026-03-01-draft.md") is lookup.entry("") is None
    assert [section.heading for section in lookup.sections(entry)] == ["", "Eviction with a clock", "Latches"]
    assert [topic.topic for topic in lookup.topics()] == ["planner/joins", "storage"]
    assert [item.title for item in lookup.entries(limit=2)] == ["A clock", "The buffer pool"]


@pytest.mark.slow
def test_urls_are_those_that_a_build_publishes(lookup: Lookup, tmp_path: Path) -> None:
    report = build_site(write_site(tmp_path / "good", {key: SITE[key] for key in SITE if "wrong" not in key}))
    assert not [item for item in report.diagnostics if item.severity == "error"]
    for query in ("clock", "latch", "people", "welcome", "pages"):
        for hit in lookup.search(query):
            path, _, fragment = hit.url.removeprefix("https://lumen.example.org/log/").partition("#")
            page = (tmp_path / "good/public" / path / "index.html").read_text("utf-8")
            assert not fragment or f'id="{fragment}"' in page or f"id={fragment}" in page


def hit_in_transcript(folder: Path, cues: str) -> Hit:
    """The only hit for words that are in the transcript of an episode."""
    post = "---\ntitle: Talk\ndate: 2026-05-01\naudio:\n  url: https://cdn.example.org/a.mp3\n"
    post += "  transcript: talk.vtt\n---\nx\n"
    root = write_site(folder, {"content/talks/2026-05-01-talk.md": post, "content/talks/talk.vtt": f"WEBVTT\n\n{cues}"})
    with closing(Lookup(root, NOW)) as lookup:
        lookup.refresh()
        (hit,) = lookup.search("latch page")
    return hit


@pytest.mark.feature("episodes")
def test_a_transcript_is_found_at_its_second(tmp_path: Path) -> None:
    cues = "00:00:01.000 --> 00:00:04.000\n<v Ada Quill>Hello there.\n\n"
    cues += "00:01:12.500 --> 00:01:15.000\n<v Bo Reed>The latch of a page.\n"
    hit = hit_in_transcript(tmp_path, cues)
    assert (hit.source, hit.line, hit.section) == ("content/talks/talk.vtt", 7, "Transcript")
    assert hit.url.endswith("/talks/2026-05-01-talk/#t72")
    assert hit.snippet == "Bo Reed: The latch of a page."


@pytest.mark.feature("episodes")
def test_a_transcript_whose_cues_are_in_any_order(tmp_path: Path) -> None:
    cues = "00:00:09.000 --> 00:00:10.000\nof a page.\n\n00:00:01.000 --> 00:00:04.000\nThe latch\n"
    hit = hit_in_transcript(tmp_path, cues)
    assert (hit.source, hit.line, hit.snippet) == ("content/talks/talk.vtt", 7, "The latch of a page.")


def test_other_dialects(tmp_path: Path) -> None:
    jekyll = {
        "devlog.toml": 'dialect = "jekyll"\ncontent = "."\n[permalinks]\npost = "/:categories/:year/:slug.html"\n',
        "_posts/2026-05-01-hello.md": "---\ntitle: Hello\ncategories: [News]\n---\nA latch.\n",
    }
    zola = {
        "devlog.toml": 'dialect = "zola"\n',
        "content/blog/hello.md": '+++\ntitle = "Hello"\ndate = 2026-05-01\n+++\nA latch.\n',
    }
    for number, (files, url) in enumerate([(jekyll, "/news/2026/hello.html"), (zola, "/blog/hello/")]):
        with closing(Lookup(write_site(tmp_path / str(number), files), NOW)) as lookup:
            lookup.refresh()
            (hit,) = lookup.search("latch")
            assert hit.url == url


# -- the file


@pytest.mark.parametrize("damage", [b"", b"no database at all" * 99, None])
def test_a_damaged_index_is_made_anew(tmp_path: Path, damage: bytes | None) -> None:
    root = write_site(tmp_path, SITE)
    with closing(Lookup(root, NOW)) as lookup:
        lookup.refresh()
    file = root / INDEX
    if damage is None:
        data = bytearray(file.read_bytes())
        data[4096:-4096] = bytes(len(data) - 8192)
        damage = bytes(data)
    file.write_bytes(damage)
    with closing(Lookup(root, NOW)) as lookup:
        lookup.refresh()
        assert titles(lookup, "clock") == ["A clock", "The buffer pool", "Joins"]
    with closing(Lookup(root, NOW)) as lookup:
        assert lookup.refresh() == 0


def test_any_damage_costs_an_index_and_nothing_else(tmp_path: Path) -> None:
    """Samples of all pages, and the bytes of the schema: what is wrong may show when it is opened, read or written."""
    root = write_site(tmp_path, SITE)
    with closing(Lookup(root, NOW)) as lookup:
        lookup.refresh()
    file = root / INDEX
    whole = file.read_bytes()
    rng = random.Random(7)
    for number in range(60):
        data = bytearray(whole)
        end = 4096 if number % 2 else len(data)
        for _ in range(1 + number % 5):
            data[rng.randrange(end)] ^= rng.randrange(1, 256)
        file.write_bytes(data)
        (root / "content/storage/new.md").write_text(f"---\ntitle: New\n---\n\nWord{number}.\n", "utf-8")
        with closing(Lookup(root, NOW)) as lookup:
            lookup.refresh()
            lookup.search("clock latch")
            lookup.entries()
            lookup.topics()
            assert titles(lookup, f"word{number}") in (["New"], [])


def test_a_database_of_others_is_not_believed(tmp_path: Path) -> None:
    root = write_site(tmp_path, SITE)
    (root / ".devlog").mkdir()
    with closing(sqlite3.connect(root / INDEX)) as connection:
        connection.execute("CREATE VIEW doc AS SELECT 1")
    with closing(Lookup(root, NOW)) as lookup:
        lookup.refresh()
        assert titles(lookup, "pool") == ["The buffer pool"]


def test_what_a_link_leads_to_stays_as_it_is(tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", SITE)
    (root / ".devlog").mkdir()
    other, new = tmp_path / "other.db", tmp_path / "new.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    before = other.read_bytes()
    for target in (other, new):
        (root / INDEX).unlink(missing_ok=True)
        (root / INDEX).symlink_to(target)
        with closing(Lookup(root, NOW)) as lookup:
            lookup.refresh()
            assert titles(lookup, "pool") == ["The buffer pool"]
    assert other.read_bytes() == before
    assert not new.exists()


def test_a_link_in_place_of_its_folder_is_not_followed(tmp_path: Path) -> None:
    root, other = write_site(tmp_path / "site", SITE), tmp_path / "other"
    other.mkdir()
    (other / Path(INDEX).name).write_bytes(b"of somebody else")
    (root / ".devlog").symlink_to(other)
    with closing(Lookup(root, NOW)) as lookup:
        lookup.refresh()
        assert titles(lookup, "pool") == ["The buffer pool"]
    assert read_tree(other) == {Path(INDEX).name: b"of somebody else"}


def test_an_index_with_a_trigger_is_not_believed(tmp_path: Path) -> None:
    root = write_site(tmp_path, SITE)
    with closing(Lookup(root, NOW)) as lookup:
        lookup.refresh()
    with closing(sqlite3.connect(root / INDEX)) as connection:
        connection.execute("CREATE TRIGGER text_more AFTER DELETE ON doc BEGIN DELETE FROM meta; END")
        connection.execute("UPDATE doc SET title = 'planted'")
        connection.commit()
    with closing(Lookup(root, NOW)) as lookup:
        lookup.refresh()
        assert titles(lookup, "pool") == ["The buffer pool"]


def test_damage_that_a_query_meets_is_fixed(lookup: Lookup, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / INDEX)) as connection:
        connection.execute("DROP TABLE section")
        connection.commit()
    assert titles(lookup, "latch clock") == ["The buffer pool"]


@pytest.mark.parametrize(
    "forged",
    [
        *(f"UPDATE doc SET {column} = x'00ff'" for column in ("url", "file", "summary", "day", "topic")),
        "UPDATE doc SET line = 'one'",
        *(f"UPDATE section SET {column} = x'00ff'" for column in ("source", "fragment", "line")),
        "UPDATE section SET level = 1000000000000",
        # and of the same type, as after a bit has flipped
        *(f"UPDATE doc SET {column} = 'other'" for column in ("title", "url", "file", "summary", "day", "topic")),
        "UPDATE doc SET draft = 0",
        "UPDATE byline SET keys = ' other '",
        "UPDATE text SET body = replace(body, 'latch', 'latch, other')",
        "UPDATE section SET fragment = 'other', line = 2",
    ],
)
def test_damaged_columns_are_fixed(forged: str, lookup: Lookup, tmp_path: Path) -> None:
    (entry,) = [entry for entry in lookup.entries() if entry.title == "The buffer pool"]
    wanted = lookup.search("latch clock"), lookup.entries(), lookup.topics(), lookup.sections(entry)
    for ask in range(len(wanted)):
        with closing(sqlite3.connect(tmp_path / INDEX)) as connection:
            connection.execute(forged)
            connection.commit()
        asked = (lambda: lookup.search("latch clock"), lookup.entries, lookup.topics, lambda: lookup.sections(entry))
        found = asked[ask]()
        assert msgspec.json.encode(found)
        assert found == wanted[ask]


def test_a_place_that_is_no_folder_is_searched_all_the_same(tmp_path: Path) -> None:
    root = write_site(tmp_path, {**SITE, ".devlog": "a file"})
    with closing(Lookup(root, NOW)) as lookup:
        lookup.refresh()
        assert titles(lookup, "pool") == ["The buffer pool"]


@pytest.mark.slow
def test_several_may_search_at_the_same_time(tmp_path: Path) -> None:
    root = write_site(tmp_path, SITE)
    found: list[list[str]] = []

    def work() -> None:
        with closing(Lookup(root, NOW)) as lookup:
            lookup.refresh()
            found.append(titles(lookup, "clock"))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [["A clock", "The buffer pool", "Joins"]] * 6


def test_once_code_has_changed_nothing_is_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found then would count as found by the code that this process began with. Searches still find it."""
    place = write_site(tmp_path / "place", {"rowing_rudder.py": "WORD = 1\n"})
    monkeypatch.syspath_prepend(str(place))
    plugin = "import rowing_rudder\nfrom devlog.plugin import Plugin\nplugin = Plugin('rowing')\n"
    config = f'plugins = ["p.py"]\n{SITE["devlog.toml"]}'
    root = write_site(tmp_path / "site", {**SITE, "devlog.toml": config, "p.py": plugin})
    with closing(Lookup(root, NOW)) as lookup:
        lookup.refresh()
        write_site(root, {"content/early.md": "---\ntitle: Early\n---\nA regatta.\n"})
        assert lookup.refresh() == 1
        write_site(place, {"rowing_rudder.py": "WORD = 22\n"})
        write_site(root, {"content/late.md": "---\ntitle: Late\n---\nA regatta.\n"})
        before = {path.name: path.read_bytes() for path in sorted((root / ".devlog").iterdir())}
        for _ in range(2):
            lookup.refresh()
            assert titles(lookup, "regatta") == ["Early", "Late"]
        lookup._database.renew()
    stored = {path.name: path.read_bytes() for path in sorted((root / ".devlog").iterdir())}
    assert _rows(tmp_path / "before", before) == _rows(tmp_path / "after", stored)


def _rows(folder: Path, files: dict[str, bytes]) -> list[list[tuple[object, ...]]]:
    """What is in the databases of a site, as other processes find it."""
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    asked = {"search.db": "SELECT path, digest FROM doc ORDER BY path", "cache.db": "SELECT * FROM record ORDER BY key"}
    found = []
    for name, query in asked.items():
        with closing(sqlite3.connect(folder / name)) as connection:
            found.append(connection.execute(query).fetchall())
    return found


def test_while_another_writes_the_last_index_answers(
    lookup: Lookup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("devlog.search.database._PATIENCE", 0.05)
    with (
        closing(sqlite3.connect(tmp_path / INDEX, isolation_level=None)) as other,
        closing(Lookup(tmp_path, NOW)) as second,
    ):
        (tmp_path / "content/storage/2026-05-02-new.md").write_text("---\ntitle: New\n---\nclock\n")
        other.execute("BEGIN IMMEDIATE")
        assert second.refresh() == 0
        assert not second.is_current
        assert titles(second, "pool") == ["The buffer pool"]
        other.execute("ROLLBACK")
        assert second.refresh() == 1
        assert second.is_current


@pytest.mark.slow
def test_the_index_is_not_published(lookup: Lookup, tmp_path: Path) -> None:
    (tmp_path / "content/2026-02-01-wrong.md").unlink()
    build_site(tmp_path)
    assert not [path for path in (tmp_path / "public").rglob("*") if "search.db" in path.name]


def test_a_source_that_cannot_be_read_does_not_end_a_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name is found all the same, and all other sources. One of them would take hours."""

    def read(source: Source, *rest: Any) -> Any:
        if "zeugma" in source.text:
            raise RecursionError
        while "The clock of the planner" in source.text:
            time.sleep(0.01)
        return real(source, *rest)

    real = reading.read
    monkeypatch.setattr(reading, "read", read)
    monkeypatch.setattr(refresh, "SECONDS", 0.05)
    with closing(Lookup(write_site(tmp_path, SITE), NOW)) as lookup:
        lookup.refresh()
        assert {hit.source for hit in lookup.search("clock")} == {
            "content/storage/2026-05-01-pool.md",
            "content/storage/2026-05-09-clock/index.md",
        }
        assert {entry.source for entry in lookup.entries()} > {"content/planner/joins/2026-04-02-joins.md"}
