"""What an earlier build or preview has read is not read again when a preview starts."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import pytest
from opened_files import note_opened
from serve_sites import ORIGIN
from sites import NOW, build_site, write_site

from devlog.disk import stat_cache
from devlog.engine.jobs import Jobs
from devlog.serve.preview import Options, Preview


def test_a_preview_opens_no_files_that_a_build_has_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    post = "---\ntitle: Pages\ndate: 2026-01-02\nauthor: Bo Reed\n---\n\nSoon.\n"
    names = [f"content/storage/2026-01-0{day}-pages.md" for day in range(1, 6)]
    write_site(tmp_path, {"devlog.toml": 'title = "Lumen"\n', **dict.fromkeys(names, post), "static/notes.txt": "x"})
    monkeypatch.setattr(stat_cache, "SETTLED_NS", 0)
    time.sleep(0.02)  # the clock of file systems is slower than the test
    build_site(tmp_path)
    opened = note_opened(monkeypatch)
    with closing(Preview(Options(tmp_path, ORIGIN, now=lambda: NOW, jobs=1), Jobs(), list)) as preview:
        preview.change(frozenset())
        assert preview.posts == 5
    assert [name for name in opened if name.endswith(("pages.md", "notes.txt"))] == []
