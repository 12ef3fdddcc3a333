"""Temporary folders: removed at the end, and those of killed processes later."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import pytest

from devlog.disk.scratch import scratch_folder


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def left(temporary: Path, name: str, hours: float) -> Path:
    folder = temporary / name
    (folder / "repository").mkdir(parents=True)
    (folder / "repository" / "config").write_text("a token")
    when = time.time() - hours * 3600
    os.utime(folder, (when, when))
    return folder


def test_a_folder_is_removed_at_the_end(temporary: Path) -> None:
    with scratch_folder("deploy") as folder:
        (folder / "file").write_text("x")
        assert folder.parent == temporary
        assert folder.stat().st_mode & 0o077 == 0
    assert list(temporary.iterdir()) == []


def test_old_folders_of_the_same_kind_are_removed(temporary: Path) -> None:
    old, new = left(temporary, "devlog-deploy-old", 25), left(temporary, "devlog-deploy-new", 1)
    other = left(temporary, "devlog-speak-old", 25)
    target = left(temporary, "elsewhere", 25)
    (temporary / "devlog-deploy-link").symlink_to(target)
    (temporary / "devlog-deploy-file").write_text("x")
    with scratch_folder("deploy"):
        assert not old.exists()
        assert all((folder / "repository" / "config").exists() for folder in (new, other, target))


def test_folders_of_other_users_stay(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = left(temporary, "devlog-deploy-old", 25)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with scratch_folder("deploy"):
        assert old.exists()


def test_a_folder_in_a_site(temporary: Path) -> None:
    site = temporary / "site"
    site.mkdir()
    with scratch_folder("fix", site) as folder:
        assert folder.parent == site / ".devlog"
        assert folder.stat().st_mode & 0o077 == 0
    assert list(site.iterdir()) == []
    (site / ".devlog").mkdir()
    old = left(site / ".devlog", "devlog-fix-old", 25)
    with scratch_folder("fix", site):
        assert not old.exists()
    assert list(site.iterdir()) == [site / ".devlog"]


def test_leftovers_in_a_site_go_soon_unless_somebody_works_in_them(temporary: Path) -> None:
    """They hold the space of files that were removed from the site since."""
    home = temporary / "site" / ".devlog"
    with scratch_folder("fix", home.parent) as used:
        old, new = left(home, "devlog-fix-old", 0.5), left(home, "devlog-fix-new", 0.05)
        os.utime(used, (0, 0))
        with scratch_folder("fix", home.parent):
            assert (old.exists(), new.exists(), used.exists()) == (False, True, True)


def test_a_site_needs_no_other_place(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container whose other folders cannot be written to."""
    (temporary / "site").mkdir()

    def refuse() -> str:
        raise FileNotFoundError

    monkeypatch.setattr(tempfile, "gettempdir", refuse)
    with scratch_folder("fix", temporary / "site") as folder:
        assert folder.parent == temporary / "site" / ".devlog"


def test_a_site_without_a_place_for_it(temporary: Path) -> None:
    """Such as a checkout in which devlog's own folder is a link to somewhere else."""
    site, elsewhere = temporary / "site", temporary / "elsewhere"
    for folder in (site, elsewhere):
        folder.mkdir()
    (site / ".devlog").symlink_to(elsewhere)
    with scratch_folder("fix", site) as folder:
        assert folder.parent == temporary
    with scratch_folder("fix", temporary / "missing") as folder:
        assert folder.parent == temporary
    assert list(elsewhere.iterdir()) == []
    assert (site / ".devlog").is_symlink()
