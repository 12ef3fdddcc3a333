"""Related posts: none rather than bad ones, the same from both sides, and the same however they were worked out."""

from __future__ import annotations

import re
from array import array
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sites import NOW, build_site, write_site

from devlog.assemble.claims import Claim
from devlog.assemble.plan import Planner
from devlog.assemble.references import References, link_index
from devlog.assemble.related import FEW, MOST, RelatedInput, Relations
from devlog.assemble.site import SiteFiles, Visibility, assemble
from devlog.config import Config
from devlog.disk.theme import load_theme
from devlog.model.derived import Derived
from devlog.model.git_dates import GitDates
from devlog.model.source import Source
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse

TOPICS = ("storage", "queries")


def row(name: str, *, tags: str = "", links: str = "", terms: tuple[int, ...] = (), **more: object) -> RelatedInput:
    """A row of a made-up post; terms are numbers, odd ones stand for names in code."""
    return RelatedInput(
        **{
            "permalink": f"/{name}/",
            "series": "",
            "tags": tuple(tags.split()),
            "links": tuple(f"/{link}/" for link in links.split()),
            "terms": array("I", terms).tobytes(),
            "is_shown": True,
            **more,
        }
    )


def related(rows: list[RelatedInput]) -> dict[str, list[str]]:
    """The names of related posts by the name of each post."""
    found = Relations(rows)
    names = [row.permalink.strip("/") for row in rows]
    return {name: [names[other] for other in found.of(place)] for place, name in enumerate(names)}


OTHERS = [row(f"other{number}", tags=f"x{number}", terms=(1000 + 2 * number,)) for number in range(20)]


def test_a_rare_tag_relates() -> None:
    found = related([row("a", tags="wal"), row("b", tags="wal"), *OTHERS])
    assert found["a"] == ["b"]
    assert found["b"] == ["a"]
    assert found["other1"] == []


def test_a_tag_of_half_the_site_does_not() -> None:
    rows = [row(f"p{number}", tags="log") for number in range(10)] + OTHERS[:10]
    assert not any(related(rows).values())


def test_a_reference_relates_both_posts() -> None:
    found = related([row("a", links="b"), row("b"), *OTHERS])
    assert found["a"] == ["b"]
    assert found["b"] == ["a"]


def test_two_posts_that_refer_to_a_third_are_related() -> None:
    found = related([row("a", links="c"), row("b", links="c"), row("c"), *OTHERS])
    assert found["a"] == ["b", "c"]


def test_names_say_more_than_words() -> None:
    words, names = (2, 4), (3, 5)
    rows = [row("a", terms=(*words, *names)), row("words", terms=words), row("names", terms=names), *OTHERS]
    assert related(rows)["a"] == ["names", "words"]


def test_a_single_word_is_not_enough() -> None:
    assert related([row("a", terms=(2,)), row("b", terms=(2,)), *OTHERS])["a"] == []


@pytest.mark.slow
def test_what_many_posts_have_says_nothing() -> None:
    few = [row(f"few{number}", terms=(3, 5, 7)) for number in range(FEW)]
    rest = [row(f"rest{number}") for number in range(10_000 - FEW)]
    assert len(related([*few, *rest])["few0"]) == MOST
    one_more = [*few, row("more", terms=(3, 5, 7))]
    assert not any(related([*one_more, *rest]).values())


def test_drafts_are_related_to_posts_but_no_post_to_them() -> None:
    rows = [row("a", tags="wal"), row("b", tags="wal"), row("draft", tags="wal", is_shown=False), *OTHERS]
    found = related(rows)
    assert found["a"] == ["b"]
    assert found["draft"] == ["a", "b"]


def test_what_is_superseded_is_not_offered_and_changes_nothing_else() -> None:
    rows = [row("a", tags="wal"), row("b", tags="wal"), row("c", tags="wal"), *OTHERS]
    before = related(rows)
    assert before["a"] == ["b", "c"]
    after = related([row("a", tags="wal"), row("b", tags="wal", is_offered=False), *rows[2:]])
    assert after == {name: [other for other in found if other != "b"] for name, found in before.items()}
    assert after["b"] == ["a", "c"]


def test_parts_of_one_series_are_shown_elsewhere() -> None:
    rows = [row("a", tags="wal", series="S"), row("b", tags="wal", series="S"), row("c", tags="wal"), *OTHERS]
    found = related(rows)
    assert found["a"] == ["c"]
    assert found["c"] == ["a", "b"]


def test_a_series_is_one_however_its_name_is_spelled(tmp_path: Path) -> None:
    posts = {
        f"content/storage/2026-05-0{number}-p.md": f"---\ntitle: P{number}\ntags: [wal]\nseries: {series}\n---\nText.\n"
        for number, series in enumerate(("Log format", "log  format", "LOG FORMAT", "Pages"), start=1)
    }
    others = {f"content/storage/2026-04-{number}-o.md": f"---\ntitle: O{number}\n---\n" for number in range(10, 30)}
    root = write_site(tmp_path, posts | others)
    build_site(root)
    pages = [(root / f"public/storage/2026-05-0{number}-p/index.html").read_text("utf-8") for number in range(1, 5)]
    shown = [re.findall(r">\s*(P\d)\s*<", page.partition('class="related"')[2]) for page in pages]
    assert [sorted(set(some)) for some in shown] == [["P4"], ["P4"], ["P4"], ["P1", "P2", "P3"]]


def test_equals_come_in_the_order_of_the_site() -> None:
    rows = [row(f"p{number}", tags="wal pages") for number in range(7)] + OTHERS
    assert related(rows)["p3"] == ["p0", "p1", "p2", "p4"]


ROWS = st.lists(
    st.builds(
        RelatedInput,
        permalink=st.just(""),
        series=st.sampled_from(["", "", "", "S"]),
        tags=st.lists(st.sampled_from("abcdefgh"), max_size=3, unique=True).map(tuple),
        links=st.lists(st.sampled_from([f"/{number}/" for number in range(12)]), max_size=2, unique=True).map(tuple),
        terms=st.lists(st.integers(0, 30), max_size=8, unique=True).map(lambda terms: array("I", terms).tobytes()),
        is_shown=st.sampled_from([True, True, True, False]),
    ),
    min_size=2,
    max_size=24,
).map(
    lambda rows: [
        msgspec.structs.replace(
            item, permalink=f"/{number}/", links=tuple(link for link in item.links if link != f"/{number}/")
        )
        for number, item in enumerate(rows)
    ]
)


@pytest.mark.slow
@given(rows=ROWS, data=st.data())
def test_the_order_in_which_posts_come_does_not_matter(rows: list[RelatedInput], data: st.DataObject) -> None:
    """But for posts that have equally much in common, which come in the order of the site."""
    order = data.draw(st.permutations(range(len(rows))))
    one, other = Relations(rows), Relations([rows[place] for place in order])
    one.of(0), other.of(0)
    assert one._index
    assert other._index
    for place, old in enumerate(order):
        mine = one._index.scores(old)
        theirs = {order[found]: score for found, score in other._index.scores(place).items()}
        assert mine == theirs
        top = sorted((mine[found] for found in one.of(old)), reverse=True)
        assert top == sorted((theirs[order[found]] for found in other.of(place)), reverse=True)


@pytest.mark.slow
@given(ROWS)
def test_posts_have_as_much_in_common_from_both_sides(rows: list[RelatedInput]) -> None:
    found = Relations(rows)
    found.of(0)
    assert found._index
    scores = [found._index.scores(place) for place in range(len(rows))]
    for place, own in enumerate(scores):
        assert place not in own
        for other, score in own.items():
            assert rows[other].is_shown
            if rows[place].is_shown:
                assert scores[other][place] == score


@pytest.mark.slow
@given(ROWS)
def test_what_is_remembered_is_what_was_worked_out(rows: list[RelatedInput]) -> None:
    first = Relations(rows)
    found = [first.of(place) for place in range(len(rows))]
    record = first.record()
    again = Relations(rows, record)
    assert [again.of(place) for place in range(len(rows))] == found
    assert again.record() is None
    changed = [msgspec.structs.replace(rows[0], tags=(*rows[0].tags, "new")), *rows[1:]]
    fresh, stale = Relations(changed), Relations(changed, record)
    assert [stale.of(place) for place in range(len(rows))] == [fresh.of(place) for place in range(len(rows))]


def test_a_damaged_record_is_none() -> None:
    rows = [row("a", tags="wal"), row("b", tags="wal"), *OTHERS]
    for record in (b"", b"\xc1", b"\x93", b"nonsense"):
        assert Relations(rows, record).of(0) == (1,)


# -- through the whole pipeline


def _source(number: int, title: str, tags: str, body: str) -> Source:
    path = f"{TOPICS[number % 2]}/2026-05-{number + 1:02}-p{number}.md"
    return Source(path, f"content/{path}", f"---\ntitle: {title}\ntags: [{tags}]\n---\n\n{body}\n")


def _planner(tmp: Path, sources: list[Source]) -> Planner:
    texts = [parse(source, ParseOptions())[0] for source in sources]
    shown = Visibility(datetime(2027, 1, 1, tzinfo=UTC))
    config = Config()
    assembled = assemble(config, SiteFiles(texts), GitDates(), shown)
    references = References(config, assembled, link_index(config, assembled, ""))
    return Planner(config, assembled, load_theme(tmp, "default").theme, references, Derived())


def _related(planner: Planner, claims: list[Claim]) -> dict[str, list[str]]:
    contexts = {claim.path: planner.target(claim).context for claim in claims if claim.template == "post.html"}
    return {path: [ref.title for ref in context["related"]] for path, context in contexts.items()}


BODIES = st.sampled_from(
    [
        "Plain words.",
        "Other plain words, and more of them.",
        "It calls `lumen_open()` and `wal.fsync`.",
        "It calls `lumen_open()`.",
        "As [the first](../storage/2026-05-01-p0.md) says.",
        "## Checksums of pages\n\nText.",
    ]
)
TEXTS = st.tuples(st.sampled_from(["wal", "wal, pages", "pages", "plans"]), BODIES)


@pytest.mark.slow
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(TEXTS, min_size=6, max_size=9), edits=st.lists(st.tuples(st.integers(0, 5), BODIES), max_size=3))
def test_an_edit_leaves_what_a_clean_build_gives(
    tmp_path: Path, texts: list[tuple[str, str]], edits: list[tuple[int, str]]
) -> None:
    sources = [_source(number, f"Post {number}", tags, body) for number, (tags, body) in enumerate(texts)]
    planner: Planner | None = _planner(tmp_path, sources)
    assert planner
    claims = list(planner.claims())
    _related(planner, claims)
    for number, body in edits:
        sources[number] = _source(number, f"Post {number}", texts[number][0], body)
        source = sources[number]
        planner = planner.updated({source.path: parse(source, ParseOptions())[0]})
        assert planner
        assert _related(planner, claims) == _related(_planner(tmp_path, sources), claims)


def test_an_edit_of_plain_text_works_nothing_out_anew(tmp_path: Path) -> None:
    sources = [_source(number, f"Post {number}", "wal", "Words and `lumen_open()`.") for number in range(6)]
    planner = _planner(tmp_path, sources)
    _related(planner, list(planner.claims()))
    known = planner._known.relations
    edited = _source(2, "Post 2", "wal", "Other words, and `lumen_open()`.")
    updated = planner.updated({edited.path: parse(edited, ParseOptions())[0]})
    assert updated
    assert updated._known.relations is known
    edited = _source(2, "Post 2", "wal", "Other words, and `lumen_close()`.")
    updated = planner.updated({edited.path: parse(edited, ParseOptions())[0]})
    assert updated
    assert updated._known.relations is not known


def _files(words: str) -> dict[str, str]:
    texts = {
        "a": ("Torn pages", "wal, pages", "See `lumen_checksum`."),
        "b": ("How pages are torn", "wal", "More of `lumen_checksum`, and " + words),
        "c": ("Plans", "planner", "Nothing in common."),
    }
    texts |= {f"o{number}": (f"Matter {number}", f"t{number}", "Text.") for number in range(9)}
    return {"content/storage/_index.md": "---\ntitle: Storage\n---\n"} | {
        f"content/storage/2026-05-01-{name}.md": f"---\ntitle: {title}\ntags: [{tags}]\n---\n{body}\n"
        for name, (title, tags, body) in texts.items()
    }


@pytest.mark.slow
def test_a_build_remembers_and_gives_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_site(tmp_path, _files("words."))
    build = partial(build_site, root, now=NOW)
    build()
    page = root / "public/storage/2026-05-01-a/index.html"
    assert "How pages are torn" in page.read_text().partition('class="related"')[2]
    monkeypatch.setattr("devlog.assemble.related._Index", None)  # nothing is worked out again
    write_site(tmp_path, _files("other words."))
    assert build().rendered > 0
    assert "How pages are torn" in page.read_text().partition('class="related"')[2]
