"""While texts are known only by what they say about themselves, nothing false is said of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from serve_sites import ORIGIN, all_shown, shown
from sites import NOW, build_site, read_tree, write_site

from devlog.engine import executors
from devlog.engine.jobs import Jobs
from devlog.engine.work import Answer, Slow, work
from devlog.model.source import Source
from devlog.serve import sources
from devlog.serve.preview import Options, Preview
from devlog.serve.responses import Page

CONTENT = {
    "devlog.toml": 'title = "Lumen"\nbase_url = "https://lumen.example.org/"\n',
    "content/storage/a-log.md": "---\ntitle: The log\ndate: 2026-01-01\nauthor: Ada Quill\n---\n\n{heading}\n\nEnd.\n",
    "content/storage/b-pages.md": "---\ntitle: Pages\ndate: 2026-01-02\nauthor: Bo Reed\n---\n\nSoon.\n",
}
LINK = "See [the log](a-log.md#replay).\n"


@pytest.fixture
def jobs() -> Jobs:
    return Jobs()


@pytest.fixture
def preview(tmp_path: Path, jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> Iterator[Preview]:
    """One that reads two texts one after another, and begins when it is told of a change."""
    monkeypatch.setattr(sources, "MANY", 1)
    monkeypatch.setattr(sources, "CHUNK", 1)
    preview = Preview(Options(tmp_path, ORIGIN, now=lambda: NOW, jobs=1), jobs, list)
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


TARGETS = """
import msgspec
from devlog.model.derived import LinkTargets
from devlog.plugin import Plugin


class Found(msgspec.Struct, frozen=True):
    targets: LinkTargets


def words(work):
    anchors = {post.id: (f"w{post.parsed.document.words}",) for post in work.site.posts}
    return Found(LinkTargets(anchors=anchors))


plugin = Plugin("lumen", targets=words)
"""


def test_a_page_is_shown_at_once_if_a_plugin_adds_link_targets(tmp_path: Path, jobs: Jobs, preview: Preview) -> None:
    """Its page was said to be still loading until all others were read."""
    config = f'plugins = ["plugins.py"]\n{CONTENT["devlog.toml"]}[search]\nenabled = false\n'
    saved = "content/storage/b-pages.md"
    files = {"devlog.toml": config, "plugins.py": TARGETS, saved: CONTENT[saved] + "See [it](a-log.md#w2).\n"}
    write_site(tmp_path, {**CONTENT, **files})
    preview.change(frozenset())
    assert preview.reading == 2
    answer = shown(preview, jobs, "storage/b-pages/index.html")
    assert isinstance(answer, Page)
    assert (answer.status, preview.reading) == (200, 1)
    while preview.is_reading:
        preview.read_more()
    assert wrong_links(preview) == []
    assert not build_site(tmp_path, base_url=f"{ORIGIN}/", drafts=True, future=True, expired=True).failed
    built = {path: data for path, data in read_tree(tmp_path / "public").items() if path.endswith((".html", ".md"))}
    assert all_shown(preview, jobs, built) == built


def in_a_hurry(monkeypatch: pytest.MonkeyPatch, times: int) -> list[int]:
    """Leave no time for the log the first so many times; the numbers of the attempts to read it."""
    attempts: list[int] = []

    def worked(function: Any, items: Sequence[Any], *rest: Any) -> Answer:
        if any(isinstance(item, Source) and item.path == "storage/a-log.md" and item.text for item in items):
            attempts.append(len(attempts))
            if attempts[-1] < times:
                return Slow()
        return work(function, items, *rest)

    monkeypatch.setattr(executors, "work", worked)
    return attempts


@pytest.mark.slow
def test_a_text_for_which_a_busy_machine_had_no_time_is_read_again(
    tmp_path: Path, jobs: Jobs, preview: Preview, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before all texts are said to be there: else lists would lack its excerpt, and its page its text."""
    write_site(tmp_path, {**CONTENT, "devlog.toml": f"{CONTENT['devlog.toml']}[search]\nenabled = false\n"})
    attempts = in_a_hurry(monkeypatch, 1)
    preview.change(frozenset())
    while preview.is_reading:
        preview.read_more()
    assert attempts == [0, 1]
    assert "too-slow" not in [found.code for found in preview.diagnostics]
    assert not build_site(tmp_path, base_url=f"{ORIGIN}/", drafts=True, future=True, expired=True).failed
    built = {path: data for path, data in read_tree(tmp_path / "public").items() if path.endswith((".html", ".md"))}
    assert all_shown(preview, jobs, built) == built


def test_a_text_that_takes_too_long_is_tried_twice(
    tmp_path: Path, preview: Preview, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_site(tmp_path, CONTENT)
    attempts = in_a_hurry(monkeypatch, 9)
    preview.change(frozenset())
    while preview.is_reading:
        preview.read_more()
    saved = "content/storage/b-pages.md"
    for number in range(3):
        write_site(tmp_path, {saved: f"{CONTENT[saved]}\nEdit {number}.\n"})
        preview.change(frozenset([saved]))
    assert attempts == [0, 1]
    assert [found.code for found in preview.diagnostics if found.code == "too-slow"] == ["too-slow"]
    log = "content/storage/a-log.md"
    write_site(tmp_path, {log: f"{CONTENT[log]}\nShorter.\n"})
    preview.change(frozenset([log]))
    assert attempts == [0, 1, 2]
