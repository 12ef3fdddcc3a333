"""Few large bodies are in memory at once, however short the posts are that they come from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from sites import build_site, write_site

import devlog.stages
from devlog.engine.store import NO_CONTENTS, Store

_BODY = 20_000
"""Each post has at least as many bytes of HTML: formulas are long in it."""
_POSTS = 12
_MOST = 2 * _BODY

_SITE = (
    'base_url = "https://example.org/"\n[markdown]\nmath = true\n[cards]\nenabled = false\n'
    "[feeds]\nlimit = 2\n[llms]\nmarkdown = true\nfull_bytes = 500_000\n"
)


def _site(folder: Path) -> Path:
    formulas = "".join(f"${'x+' * 100}{number}$\n\n" for number in range(10))
    posts = {
        f"content/log/2026-05-{number + 1:02}-post.md": f"---\ntitle: Post {number}\n---\n{number}\n\n{formulas}"
        for number in range(_POSTS)
    }
    return write_site(folder, {"devlog.toml": _SITE, **posts})


def test_few_bodies_are_read_and_written_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devlog.stages, "LARGE", _MOST, raising=False)
    read, written = list[int](), list[int]()

    class Watched(Store):
        def contents(self, digests: Iterable[str]) -> dict[str, bytes]:
            found = super().contents(digests)
            read.append(sum(map(len, found.values())))
            return found

        def write(self, records: Mapping[str, bytes], contents: Mapping[str, bytes] = NO_CONTENTS) -> None:
            written.append(sum(map(len, contents.values())))
            super().write(records, contents)

    monkeypatch.setattr("devlog.pipeline.Store", Watched)
    root = _site(tmp_path)
    assert not build_site(root).failed
    assert sum(written) > _POSTS * _BODY
    assert max(written) < _MOST + 2 * _BODY
    assert max(read) < _MOST + 2 * _BODY


@pytest.mark.feature("markdown_versions")
def test_the_file_with_all_posts_gets_no_html(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: dict[str, int] = {}

    class Watched(devlog.stages.Stages):
        def _jobs_of(self, *given: Any) -> Iterator[Any]:
            for job in super()._jobs_of(*given):
                sizes[job.target.path] = job.size()
                yield job

    monkeypatch.setattr("devlog.pipeline.Stages", Watched)
    root = _site(tmp_path)
    assert not build_site(root).failed
    text = (root / "public/llms-full.txt").read_text()
    assert text.count("x+x+") > 0
    assert sizes["index.xml"] > 2 * _BODY
    assert 0 < sizes["llms-full.txt"] < 1.2 * len(text)
