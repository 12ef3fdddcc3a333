"""`devlog new post` and `devlog new topic` in mounted folders."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from sites import build_site, write_site

Devlog = Callable[..., Result]

MOUNTED = {
    "devlog.toml": '[mounts]\nhandbook = "docs"\n',
    "docs/README.md": "# The handbook\n",
    "docs/_template.md": "---\ntitle: {title}\nauthor: {author}\n---\n{topic}!\n",
    "docs/2026-05-01-a.md": "---\ntitle: A\nauthor: Ada Quill (@adaquill)\n---\nText.\n",
    "docs/deep/guide.md": "# Guide\n",
}


@pytest.fixture
def mounted(site: Path) -> Path:
    return write_site(site, MOUNTED)


def test_a_mounted_folder_that_is_a_loop_of_links(site: Path, devlog: Devlog) -> None:
    write_site(site, {"devlog.toml": '[mounts]\na = "loop"\nb = "turn/b"\n'})
    for name in ("loop", "turn"):
        (site / name).symlink_to(name)
    done = devlog("new", "post", "One", "--author", "adaquill")
    assert done.exit_code == 1
    assert "error[which-topic]" in done.stderr


@pytest.mark.parametrize(("here", "options"), [("", ("--topic", "handbook")), ("docs", ()), ("docs/deep", ())])
def test_a_post_of_a_mounted_topic(
    here: str, options: tuple[str, ...], mounted: Path, devlog: Devlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(mounted / here)
    done = devlog("new", "post", "B", "--author", "adaquill", *options)
    assert (done.exit_code, done.stderr) == (0, "")
    assert "http://127.0.0.1:8000/handbook/2026-06-15-b/" in done.stdout
    assert (mounted / "docs/2026-06-15-b.md").read_text("utf-8").endswith("\nhandbook!\n")
    assert build_site(mounted).diagnostics == ()
    assert (mounted / "public/handbook/2026-06-15-b/index.html").exists()


def test_a_topic_in_a_mounted_one(mounted: Path, devlog: Devlog) -> None:
    done = devlog("new", "topic", "handbook/rfc")
    assert (done.exit_code, done.stdout.splitlines()[0]) == (0, "docs/rfc/_index.md")
    assert devlog("new", "post", "C", "--author", "adaquill", "--topic", "handbook/rfc").exit_code == 0
    assert (mounted / "docs/rfc/2026-06-15-c.md").read_text("utf-8").endswith("\nhandbook/rfc!\n")
    assert build_site(mounted).diagnostics == ()


@pytest.mark.parametrize(("pattern", "exit_code"), [("handbook", 0), ("deep", 1), ("handbook/deep", 1)])
def test_a_topic_in_a_folder_that_is_ignored(pattern: str, exit_code: int, mounted: Path, devlog: Devlog) -> None:
    config = mounted / "devlog.toml"
    config.write_text(f"ignore = ['{pattern}']\n{config.read_text()}")
    done = devlog("new", "topic", "handbook/deep")
    assert done.exit_code == exit_code, done.stderr
    assert (mounted / "docs/deep/_index.md").exists() == (exit_code == 0)
    build_site(mounted)
    assert (mounted / "public/handbook/deep/index.html").exists() == (exit_code == 0)


def test_a_topic_that_a_readme_introduces(mounted: Path, devlog: Devlog) -> None:
    done = devlog("new", "topic", "handbook")
    assert done.exit_code == 1
    assert "error[colliding-url]" in done.stderr
    assert not (mounted / "docs/_index.md").exists()
