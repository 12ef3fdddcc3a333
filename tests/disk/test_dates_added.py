"""What git says of when files were added and changed, however long its history is."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest
from check_cases import git, repository
from sites import write_site

from devlog.disk import git as module
from devlog.disk.git_dates import FileDates, dates_added, dates_changed


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A repository with a post."""
    root = write_site(tmp_path / "site", {"content/a.md": "A\n"})
    repository(root, day="2026-05-01")
    return root


def test_the_first_commit_of_a_file_counts(site: Path) -> None:
    write_site(site, {"content/a.md": "B\n"})
    repository(site, day="2026-05-03")
    assert [f"{file} {date:%Y-%m-%d}" for file, date in dates_added(site, "content").dates.items()] == [
        "content/a.md 2026-05-01"
    ]


def test_the_last_change_of_a_file_counts(site: Path) -> None:
    write_site(site, {"content/a.md": "B\n", "content/new.md": "New\n"})
    repository(site, day="2026-05-03")
    write_site(site, {"content/a.md": "C\n"})
    repository(site, day="2026-05-07")
    write_site(site, {"other.md": "C\n"})
    repository(site, day="2026-05-09")
    assert [f"{file} {date:%Y-%m-%d}" for file, date in dates_changed(site, "content").dates.items()] == [
        "content/a.md 2026-05-07"
    ]


@pytest.mark.slow
def test_an_endless_history_is_no_answer(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders that stand in each other, committed and taken back: a few kilobytes, and 2 ** 12 names of files."""
    tree, data = git(site, "rev-parse", "HEAD^{tree}").strip(), site / ".git" / "tree"
    for _ in range(12):
        data.write_bytes(b"".join(b"40000 %c\0" % name + bytes.fromhex(tree) for name in b"ab"))
        tree = git(site, "hash-object", "-w", "-t", "tree", str(data)).strip()
    data.write_bytes(b"40000 content\0" + bytes.fromhex(tree))
    added = git(
        site, "commit-tree", "-p", "HEAD", "-m", "Many", git(site, "hash-object", "-wt", "tree", str(data)).strip()
    )
    taken_back = git(site, "commit-tree", "-p", added.strip(), "-m", "Few", "HEAD^{tree}").strip()
    git(site, "update-ref", "HEAD", taken_back)
    monkeypatch.setattr(module, "LARGEST_ANSWER", 100_000, raising=False)
    assert dates_added(site, "content") == FileDates({}, "")


@pytest.mark.parametrize("setting", ["mailmap.file", "diff.orderFile", "core.attributesFile"])
def test_a_file_without_an_end_is_not_read(site: Path, setting: str) -> None:
    """Each log reads some files of the repository's configuration, whatever it shows."""
    git(site, "config", setting, "/dev/zero")
    assert dates_added(site, "content").dates


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script")
def test_a_git_that_does_not_answer_is_not_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho x >>{tmp_path}/asked\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(module, "_SECONDS", 0.5)
    monkeypatch.setattr(module, "_hung", {})
    for _ in range(3):
        assert module.ask(tmp_path, ["rev-parse", "HEAD"]) is None
    assert (tmp_path / "asked").read_text() == "x\n"
    now = time.monotonic() + module._HUNG_SECONDS
    monkeypatch.setattr(module.time, "monotonic", lambda: now)
    assert module.ask(tmp_path, ["rev-parse", "HEAD"]) is None
    assert (tmp_path / "asked").read_text() == "x\nx\n"
