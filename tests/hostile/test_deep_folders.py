"""Folders that are nested more deeply than functions that call themselves can be: a commit can contain them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from sites import write_site

from devlog import warm_up
from devlog.cli import main
from devlog.engine import processes
from devlog.serve.watch import WatchedPaths, Watcher

POST = "---\ntitle: A post\ndate: 2026-05-01\n---\n\nText.\n"


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[Path]:
    """A site with such folders, which Python can neither make nor remove."""
    site = write_site(tmp_path / "site", {"devlog.toml": 'base_url = "/"\n', "content/log/2026-05-01-a.md": POST})
    subprocess.run(["mkdir", "-p", str(site / "content" / "/".join(["d"] * 1200))], check=True)
    yield site
    subprocess.run(["rm", "-r", str(site)], check=True)


@pytest.mark.parametrize(
    "command",
    [["build"], ["check"], ["check", "--fix", "--force", "--dry-run"], ["search", "post"], ["new", "topic", "Wal"]],
    ids=" ".join,
)
def test_commands_report_them(deep: Path, command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(deep)
    result = CliRunner().invoke(main, command)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.exit_code in (0, 1)
    if command in (["build"], ["check"]):
        assert "too-deep" in result.output


def test_a_build_that_is_foreseen_looks_into_no_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[object] = []
    monkeypatch.setattr(processes, "begin", begun.append)
    monkeypatch.setattr(warm_up, "MANY", 3)
    write_site(tmp_path, {f"elsewhere/deep/er/{name}.md": POST for name in "abc"})
    for name in ("linked", "inside", "plain"):
        (tmp_path / name).mkdir()
    (tmp_path / "linked/content").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "inside/content").mkdir()
    (tmp_path / "inside/content/x").symlink_to(tmp_path / "elsewhere")
    for name in ("linked", "inside"):
        warm_up.foresee(tmp_path / name)
    assert begun == []
    (tmp_path / "elsewhere").rename(tmp_path / "plain/content")
    warm_up.foresee(tmp_path / "plain")
    assert begun == [warm_up.LOAD]


@pytest.mark.slow
def test_a_site_with_them_is_watched(deep: Path) -> None:
    watcher = Watcher(WatchedPaths(deep, ("content",)), lambda _names: None)
    watcher.start()
    watcher.stop()


@pytest.mark.slow
def test_what_a_fix_would_do_is_shown_all_the_same(deep: Path) -> None:
    (deep / "content/log/2026-05-02-b.md").write_text(POST.replace("Text.", "[a](/log/2026-05-01-A.md)"), "utf-8")
    result = CliRunner().invoke(main, ["check", "--fix", "--force", "--dry-run", "--root", str(deep)])
    assert "+[a](2026-05-01-a.md)" in result.output
    assert "1 error" in result.output
