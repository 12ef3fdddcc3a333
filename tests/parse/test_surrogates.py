"""What parsing returns can always be written: half of a pair of surrogates, which JSON allows, never gets through."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.model.source import Source
from devlog.parse import parse as parsing
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse, parse_batch
from devlog.parse.record import ParsedSource

FILE = "content/storage/2026-05-04-a.md"
HALF = r"\ud83d"


def parsed(text: str):
    """What parsing makes of a text, after it has been encoded as for a worker, a cache and a file."""
    made = parse(Source("storage/2026-05-04-a.md", FILE, text), ParseOptions())
    msgspec.msgpack.encode(made)
    return made


@pytest.mark.parametrize(
    ("front_matter", "column"),
    [
        (f'{{"title": "a {HALF}"}}', 14),
        (f'{{"title": "a", "description": "{HALF} b"}}', 32),
        (f'{{"title": "a", "author": ["Ada {HALF}"]}}', 32),
        (f'{{"title": "a", "un{HALF}known": "x"}}', 19),
        (f'{{"title": "a", "unknown": {{"x": "{HALF}"}}}}', 34),
        (r'{"title": "a \ude00\ud83d"}', 14),
        (r'{"title": "\\\ud83d"}', 14),
        (r'{"title": "\ud83d\n"}', 12),
    ],
)
def test_half_of_a_character_is_told_where_it_stands(front_matter: str, column: int) -> None:
    (problem,) = [item for item in parsed(f"{front_matter}\n\nText.\n")[0].diagnostics if item.severity == "error"]
    assert (problem.code, problem.span.path, problem.span.line, problem.span.column) == (
        "front-matter-syntax",
        FILE,
        1,
        column,
    )
    assert "half of a surrogate pair" in problem.message


def test_a_pair_is_one_character() -> None:
    parsed_, *_ = parsed(r'{"title": "a \ud83d\ude00 \\ud83d"}' + "\n\nText.\n")
    assert parsed_.front_matter.title == "a 😀 \\ud83d"
    assert not [item for item in parsed_.diagnostics if item.severity == "error"]


keys = st.sampled_from(["title", "description", "author", "tags", "x", "slug", "aliases", "ai", "audio", "series"])
values = st.recursive(st.text(st.characters()), lambda some: st.lists(some, max_size=3) | st.dictionaries(keys, some))


@given(st.dictionaries(keys | st.text(st.characters(), max_size=4), values, min_size=1))
@pytest.mark.slow
def test_whatever_json_says_can_be_encoded(front_matter: dict[str, object]) -> None:
    parsed(f"{json.dumps(front_matter)}\n\nText.\n")


@pytest.mark.slow
@pytest.mark.feature("episodes")
@given(st.lists(st.fixed_dictionaries({"startTime": st.integers(0, 9), "body": st.text(st.characters())}), max_size=3))
def test_whatever_a_transcript_says_can_be_encoded(segments: list[object]) -> None:
    from devlog.features.episodes.parse.transcripts import read_cues

    msgspec.msgpack.encode(read_cues(json.dumps({"segments": segments}), "content/a.json"))


def test_a_bug_that_lets_one_through_fails_one_source_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "terms", lambda title, *_: "\ud83d" if title == "Bad" else b"")
    sources = [Source(f"storage/{title}.md", f"{title}.md", f"# {title}\n") for title in ("Good", "Bad", "Last")]
    batch = parse_batch(sources, ParseOptions())
    assert [record.remember for record in batch] == [True, False, True]  # the reason may be gone next time
    records = [msgspec.msgpack.decode(record.text, type=ParsedSource) for record in batch]
    found = [[(item.code, item.span.path) for item in record.parsed.diagnostics] for record in records]
    assert [("internal-error", "Bad.md") in some for some in found] == [False, True, False]
