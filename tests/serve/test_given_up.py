"""Work of the preview that is given up on a busy machine is not given up for good."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from serve_sites import ORIGIN, data_of, shown
from sites import NOW, write_site

from devlog import stages
from devlog.engine import executors
from devlog.engine.jobs import Jobs
from devlog.engine.work import Answer, Slow, work
from devlog.features.math_font.derive.derive import PACKAGES
from devlog.packages import version
from devlog.serve.preview import Options, Preview

pytestmark = pytest.mark.skipif(not all(map(version, PACKAGES)), reason="makes a font")

POST = "content/t/2026-01-01-a.md"
SITE = {
    "devlog.toml": 'title = "Lumen"\nbase_url = "https://lumen.example/"\n',
    "content/t/_index.md": "---\ntitle: T\n---\n",
    POST: "---\ntitle: A\n---\nIt is $x^2$.\n",
}


def test_the_font_of_formulas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[float] = []

    def busy(workers: Any, function: Any, items: Sequence[Any]) -> Answer:
        limits.append(workers._seconds)
        return Slow() if len(limits) == 1 else work(function, items, executors.SECONDS, {})

    monkeypatch.setattr(executors.Workers, "_alone", busy)
    root, jobs = write_site(tmp_path, SITE), Jobs()
    preview = Preview(Options(root, ORIGIN, now=lambda: NOW, jobs=1, search=False), jobs)
    try:
        preview.change(frozenset())
        assert limits == [executors.SECONDS]  # not that of a text, which an author may make too long
        assert preview.is_incomplete
        assert b"/fonts/math-" not in data_of(shown(preview, jobs, "t/2026-01-01-a/"))
        preview.change(frozenset())
        assert len(limits) == 1
        monkeypatch.setattr(stages, "_AGAIN_SECONDS", 0.0)
        assert preview.change(frozenset())
        assert len(limits) == 2
        assert not preview.is_incomplete
        assert b"/fonts/math-" in data_of(shown(preview, jobs, "t/2026-01-01-a/"))
        assert [item.code for item in preview.diagnostics] == []
    finally:
        preview.close()


def test_what_is_not_wanted_any_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors.Workers, "_alone", lambda *_: Slow())
    root, jobs = write_site(tmp_path, SITE), Jobs()
    preview = Preview(Options(root, ORIGIN, now=lambda: NOW, jobs=1, search=False), jobs)
    try:
        preview.change(frozenset())
        write_site(root, {POST: "---\ntitle: A\n---\nIt is.\n"})
        preview.change(frozenset({POST}))
        monkeypatch.setattr(stages, "_AGAIN_SECONDS", 0.0)
        preview.change(frozenset())
        assert not preview.is_incomplete
    finally:
        preview.close()
