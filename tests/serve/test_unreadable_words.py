"""The words of the built-in themes cannot be read for a while, as when devlog is upgraded: one problem."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from serve_sites import ORIGIN, data_of, shown
from sites import NOW, build_site, write_site

from devlog.built_in import built_in_themes
from devlog.disk import theme as themes
from devlog.engine.jobs import Jobs
from devlog.parse import words
from devlog.serve.preview import Options, Preview

SITE = {
    "devlog.toml": 'title = "Lumen"\nbase_url = "https://lumen.example/"\n',
    "content/t/_index.md": "---\ntitle: T\n---\n",
    "content/t/2026-01-01-a.md": "---\ntitle: A\n---\n> [!NOTE]\n> Words.\n\n```python\nx\n```\n",
}
WORDS = "default/i18n/en.toml"


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the built-in themes, which is used instead of them."""
    copy = tmp_path / "themes"
    shutil.copytree(built_in_themes(), copy)
    for module in (themes, words):
        monkeypatch.setattr(module, "built_in_themes", lambda: copy)
    return copy


KINDS = {
    "folder": "unreadable",
    "no UTF-8": "not-utf8",
    "cut": "bad-message",
    "missing": "unreadable",
    "empty": "unreadable",
}
"""What is wrong with the file, and the code of the problem."""


def spoil(file: Path, kind: str) -> None:
    half = file.read_bytes()[: file.stat().st_size // 2]
    file.unlink()
    if kind == "folder":
        file.mkdir()
    elif kind != "missing":
        file.write_bytes({"no UTF-8": b"\xff", "cut": half + b"\nx = ", "empty": b""}[kind])


def restore(file: Path, whole: bytes) -> None:
    if file.is_dir():
        file.rmdir()
    file.write_bytes(whole)


@pytest.mark.parametrize("kind", KINDS)
def test_a_build(tmp_path: Path, copied: Path, kind: str) -> None:
    root, file = tmp_path / "site", copied / WORDS
    write_site(root, SITE)
    whole = file.read_bytes()
    spoil(file, kind)
    report = build_site(root)
    errors = [(item.code, item.span.path) for item in report.diagnostics if item.severity == "error"]
    assert errors == [(KINDS[kind], f"themes/{WORDS}")]
    assert not report.written
    restore(file, whole)
    assert build_site(root).diagnostics == ()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("begins_broken", [False, True])
def test_a_preview(tmp_path: Path, copied: Path, kind: str, begins_broken: bool) -> None:
    root, file = tmp_path / "site", copied / WORDS
    write_site(root, SITE)
    whole = file.read_bytes()
    if begins_broken:
        spoil(file, kind)
    jobs = Jobs()
    preview = Preview(Options(root, ORIGIN, now=lambda: NOW, jobs=1), jobs, list)
    try:
        preview.change(frozenset())
        if not begins_broken:
            page = data_of(shown(preview, jobs, "t/2026-01-01-a/"))
            spoil(file, kind)
            change = preview.change(frozenset([str(file)]))
            assert [(problem.code, problem.path) for problem in change.update.problems] == [
                (KINDS[kind], f"themes/{WORDS}")
            ]
            assert data_of(shown(preview, jobs, "t/2026-01-01-a/")) == page
        restore(file, whole)
        assert preview.change(frozenset([str(file)])).update.problems == ()
        assert b">Note</p>" in data_of(shown(preview, jobs, "t/2026-01-01-a/"))
    finally:
        preview.close()
