"""What commands read of a site while somebody waits: posts are somebody else's, and may take long to parse."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from sites import write_site
from steps import steps

from devlog.model.document import Parsed
from devlog.model.source import Source
from devlog.scaffold import site
from devlog.scaffold.complete import complete

NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)
pytestmark = pytest.mark.usefixtures("without_collection")

HEAD = "---\ntags: [wal]\nauthor: Ada Quill\n---\n"


def untitled(folder: Path, size: int) -> Path:
    """A site with a post whose title is in its body."""
    return write_site(folder, {"content/log/2026-05-01-a.md": HEAD + "# Ink\n\n" + "*a* [b](c) `d` " * size})


@pytest.mark.parametrize(("kind", "words"), [("tags", ["wal"]), ("authors", ["Ada Quill"])])
def test_completion_reads_no_body(kind: str, words: list[str], tmp_path: Path) -> None:
    short, long = untitled(tmp_path / "short", 1), untitled(tmp_path / "long", 2_000)
    assert complete(kind, short, "") == complete(kind, long, "") == words
    assert steps(partial(complete, kind, long, "")) < 1.1 * steps(partial(complete, kind, short, ""))


def test_a_body_tells_the_title_of_a_post(tmp_path: Path) -> None:
    parsed, *_ = site.read_site(untitled(tmp_path, 1), NOW).parsed
    assert (parsed.document.title, [tag.name for tag in parsed.front_matter.tags]) == ("Ink", ["wal"])


def test_a_body_that_takes_too_long_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "_SECONDS", 0.05, raising=False)
    parsed, *_ = site.read_site(untitled(tmp_path, 20_000), NOW).parsed
    assert (parsed.document.title, [tag.name for tag in parsed.front_matter.tags]) == ("", ["wal"])


def test_what_is_read_in_time_counts() -> None:
    def read(text: Source) -> Parsed:
        while text.text:
            pass
        return text  # type: ignore[return-value]

    first, second, third = (Source(name, name, text) for name, text in (("a", ""), ("b", "x"), ("c", "")))
    assert site._in_time(0.05, [first, second, third], read) == [first]
