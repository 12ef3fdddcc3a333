"""While texts are known only by what they say about themselves, nothing false is said of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from serve_sites import ORIGIN
from sites import NOW, write_site

from devlog.serve import sources
from devlog.serve.jobs import Jobs
from devlog.serve.preview import Options, Preview

CONTENT = {
    "devlog.toml": 'title = "Lumen"\nbase_url = "https://lumen.example.org/"\n',
    "content/storage/a-log.md": "---\ntitle: The log\ndate: 2026-01-01\nauthor: Ada Quill\n---\n\n{heading}\n\nEnd.\n",
    "content/storage/b-pages.md": "---\ntitle: Pages\ndate: 2026-01-02\nauthor: Bo Reed\n---\n\nSoon.\n",
}
LINK = "See [the log](a-log.md#replay).\n"


@pytest.fixture
def preview(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Preview]:
    """One that reads two texts one after another, and begins when it is told of a change."""
    monkeypatch.setattr(sources, "MANY", 1)
    monkeypatch.setattr(sources, "CHUNK", 1)
    preview = Preview(Options(tmp_path, ORIGIN, now=lambda: NOW, jobs=1), Jobs(), list)
    yield preview
    preview.close()


def wrong_links(preview: Preview) -> list[str]:
    return [found.code for found in preview.diagnostics if found.code.startswith("broken")]


@pytest.mark.parametrize(
    ("heading", "codes"), [("## Replay", []), ("## Other", ["broken-anchor"]), ("None.", ["broken-anchor"])]
)
def test_fragments_of_a_sketch_are_not_missed(tmp_path: Path, preview: Preview, heading: str, codes: list[str]) -> None:
    """They are, once it is read, if they are not there."""
    write_site(tmp_path, {name: text.replace("{heading}", heading) for name, text in CONTENT.items()})
    preview.change(frozenset())
    assert preview.reading == 2
    saved = "content/storage/b-pages.md"
    write_site(tmp_path, {saved: CONTENT[saved] + LINK})
    preview.change(frozenset([saved]))
    assert preview.reading == 1
    assert wrong_links(preview) == []
    while preview.is_reading:
        preview.read_more()
    assert wrong_links(preview) == codes
