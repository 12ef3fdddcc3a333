"""What git says of when files were added and changed, however long its history is."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from check_cases import git, repository
from sites import build_site, write_site

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


@pytest.mark.parametrize(
    "name",
    ["x\x01946684800", "\n1", "x\n@946684800", "@946684800", "A", "\x01"],
    ids=["control", "line", "at", "a", "s", "c"],
)
def test_a_name_of_a_file_is_no_date(tmp_path: Path, name: str) -> None:
    names = [f"content/{name}", "content/z.md", f"{name}/content/y.md"]
    root = write_site(tmp_path / "site", dict.fromkeys(names, "A\n"))
    repository(root, day="2026-05-01")
    found = dates_added(root, "content").dates
    assert {file: f"{date:%Y-%m-%d}" for file, date in found.items()} == dict.fromkeys(names[:2], "2026-05-01")


def test_what_a_merge_adds_and_changes_itself_has_its_date(tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", {"log/content/a.md": "A\n", "log/content/both.md": "1\n2\n3\n4\n5\n"})
    repository(root, day="2026-05-01")
    git(root, "checkout", "-q", "-b", "topic")
    write_site(root, {"log/content/branch.md": "B\n", "log/content/both.md": "1 branch\n2\n3\n4\n5\n"})
    repository(root, day="2026-05-03")
    git(root, "checkout", "-q", "main")
    write_site(root, {"log/content/own.md": "C\n", "log/content/a.md": "changed\n"})
    repository(root, day="2026-05-05")
    git(root, "merge", "-q", "--no-commit", "topic")
    write_site(root, {"log/content/merge.md": "D\n", "log/content/both.md": "1 branch\n2\n3\n4\n5 merge\n"})
    repository(root, day="2026-05-07")
    added, changed = dates_added(root / "log", "content").dates, dates_changed(root / "log", "content").dates
    assert {file.removeprefix("content/"): date.day for file, date in added.items()} == {
        "a.md": 1,
        "both.md": 1,
        "branch.md": 3,
        "own.md": 5,
        "merge.md": 7,
    }
    assert {file.removeprefix("content/"): date.day for file, date in changed.items()} == {"a.md": 5, "both.md": 7}


@pytest.mark.parametrize("key", ["i18n.commitEncoding", "i18n.logOutputEncoding"])
def test_dates_in_a_repository_with_another_encoding(site: Path, key: str) -> None:
    before = dates_added(site, "content").dates
    git(site, "config", key, "UTF-16")
    assert dates_added(site, "content").dates == before != {}


def with_folders_in_each_other(site: Path, levels: int, names: Sequence[bytes] = (b"a", b"b")) -> None:
    """Commit folders that stand in each other, and take them back: few bytes, and len(`names`) ** `levels` files."""
    tree, data = git(site, "rev-parse", "HEAD^{tree}").strip(), site / ".git" / "tree"
    for _ in range(levels):
        data.write_bytes(b"".join(b"40000 %s\0" % name + bytes.fromhex(tree) for name in names))
        tree = git(site, "hash-object", "-w", "-t", "tree", str(data)).strip()
    data.write_bytes(b"40000 content\0" + bytes.fromhex(tree))
    added = git(
        site, "commit-tree", "-p", "HEAD", "-m", "Many", git(site, "hash-object", "-wt", "tree", str(data)).strip()
    )
    taken_back = git(site, "commit-tree", "-p", added.strip(), "-m", "Few", "HEAD^{tree}").strip()
    git(site, "update-ref", "HEAD", taken_back)


@pytest.mark.slow
def test_an_endless_history_is_no_answer(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_folders_in_each_other(site, 12)
    monkeypatch.setattr(module, "LARGEST_ANSWER", 100_000, raising=False)
    assert dates_added(site, "content") == FileDates({}, "stopped")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the memory of another process is limited only there")
def test_a_commit_of_endless_files_takes_no_endless_memory(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git collects the names of all files of a commit, here 40 MB, before it prints the first one."""
    monkeypatch.setattr(module, "_MEMORY", 1 << 24)
    assert dates_added(site, "content").dates
    with_folders_in_each_other(site, 4, [b"%d" % number * 1000 for number in range(10)])
    assert dates_added(site, "content") == FileDates({}, "stopped")
    monkeypatch.setattr(module, "_MEMORY", 1 << 30)
    monkeypatch.setattr(module, "_failed", {})
    assert dates_added(site, "content").dates


@pytest.mark.slow
def test_a_build_says_that_git_did_not_answer(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_folders_in_each_other(site, 12)
    with monkeypatch.context() as patched:
        patched.setattr(module, "LARGEST_ANSWER", 100_000)
        for _ in range(2):
            (problem,) = (item for item in build_site(site).diagnostics if item.code == "git-dates")
            assert "lack objects" in problem.hint
            assert "safe.directory" not in problem.hint
    monkeypatch.setattr(module, "_failed", {})  # what took long is not asked again soon
    assert "git-dates" not in {problem.code for problem in build_site(site).diagnostics}


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
    monkeypatch.setattr(module, "_failed", {})
    for _ in range(3):
        assert module.ask(tmp_path, ["rev-parse", "HEAD"]) is None
    assert (tmp_path / "asked").read_text() == "x\n"
    for number in range(5):  # a few other questions, and then none
        assert module.ask(tmp_path, ["rev-parse", f"HEAD~{number}"]) is None
    assert (tmp_path / "asked").read_text() == "x\n" * 3
    (tmp_path / "asked").write_text("x\n")
    now = time.monotonic() + module._REST_SECONDS
    monkeypatch.setattr(module.time, "monotonic", lambda: now)
    assert module.ask(tmp_path, ["rev-parse", "HEAD"]) is None
    assert (tmp_path / "asked").read_text() == "x\nx\n"
