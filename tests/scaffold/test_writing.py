"""Whatever is written is read back as it was meant, by devlog and by others."""

from __future__ import annotations

import re

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from devlog.model.diagnostic import Span
from devlog.model.document import Byline
from devlog.model.source import Source
from devlog.parse.front_matter.block import read_front_matter
from devlog.scaffold.post import LONGEST_SLUG, shorten
from devlog.scaffold.writing import author_lines, clean, yaml_list, yaml_text

SPAN = Span("--x")
ANY = st.text(st.characters(), max_size=60)
LINES = ANY.map(lambda text: clean(text, SPAN)[0]).filter(bool)
NAMES = st.text(st.characters(categories=["L", "N"], include_characters=" '-.,;&()@<>[]:#"), min_size=1, max_size=30)


@pytest.mark.slow
@given(ANY)
def test_clean_text_has_one_line_and_no_controls(text: str) -> None:
    cleaned, found = clean(text, SPAN)
    assert cleaned == " ".join(cleaned.split())
    assert not re.search("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]", cleaned)
    assert clean(cleaned, SPAN) == (cleaned, ())
    assert all(item.code == "control-character" for item in found)
    assert bool(found) == bool(re.search("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]", text))


@pytest.mark.slow
@given(LINES)
@example("no")
@example("2026-01-01")
@example("3.10")
@example("a: b")
@example("a #b")
@example("[x]")
@example("- x")
@example("'x' said")
@example("ends with :")
@example("\\")
@example('"')
@example("{{ x }}")
@example("---")
@example("=")
@example("<<")
@example("\ufeffx")
def test_any_title(title: str) -> None:
    block = f"title: {yaml_text(title)}"
    front, body, line, found, *_ = read_front_matter(Source("x.md", "x.md", f"---\n{block}\n---\nText.\n"))
    assert (front.title, body, line, found) == (title, "Text.\n", 4, ())


@pytest.mark.slow
@given(LINES.filter(lambda text: all(character.isprintable() for character in text)))
def test_other_readers_of_yaml_agree(title: str) -> None:
    assert yaml.safe_load(f"title: {yaml_text(title)}") == {"title": title}


@pytest.mark.slow
@given(st.lists(LINES, max_size=4, unique=True))
def test_any_tags(tags: list[str]) -> None:
    block = f"title: x\ntags: {yaml_list(tags)}"
    front, _, _, found, *_ = read_front_matter(Source("x.md", "x.md", f"---\n{block}\n---\n"))
    assert ([tag.name for tag in front.tags], found) == (tags, ())


@pytest.mark.parametrize(
    "title",
    [
        "A shorter write path",
        "What's new",
        "Größe & Maß",
        "日本語",
        "C++ (and C)",
        "Two, three",
        "1 to 2",
        "a:b",
        "50 % off",
    ],
)
def test_what_needs_no_quotes_has_none(title: str) -> None:
    assert yaml_text(title) == title


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(NAMES, st.sampled_from(["", "adaquill", "b-o.reed"])),
        min_size=1,
        max_size=3,
        unique_by=lambda pair: " ".join(pair[0].split()).casefold(),
    )
)
def test_any_authors(people: list[tuple[str, str]]) -> None:
    authors = [Byline(" ".join(name.split()), handle, SPAN) for name, handle in people if name.split()]
    lines = author_lines(authors)
    front, _, _, found, *_ = read_front_matter(
        Source("x.md", "x.md", "\n".join(["---", "title: x", *lines, "---", ""]))
    )
    assert not [item for item in found if item.severity == "error"]
    assert len(front.authors) == len(authors)
    for read, meant in zip(front.authors, authors, strict=True):
        assert read.handle == meant.handle or not meant.handle


@pytest.mark.slow
@given(st.text(st.characters(categories=["L", "N"], include_characters="-."), min_size=1, max_size=400))
def test_names_are_short(text: str) -> None:
    short = shorten(text)
    assert len(short.encode()) <= LONGEST_SLUG
    assert text.strip("-.").startswith(short)
    assert short == short.strip("-.")
    assert shorten(short) == short
