"""What a command that creates a file has beside it stays while it runs, and goes when it was killed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from devlog.disk import single_files
from devlog.disk.folder import Folder
from devlog.disk.lock import hold

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="open files cannot be removed there")


def test_what_a_running_command_holds_stays(tmp_path: Path) -> None:
    spare = tmp_path / ".new.md.1~"
    spare.write_bytes(b"te")
    held = os.open(spare, os.O_RDONLY)
    try:
        assert hold(held)
        assert single_files.create(tmp_path, "new.md", b"text") is None
        assert spare.exists()
    finally:
        os.close(held)
    (tmp_path / "new.md").unlink()
    assert single_files.create(tmp_path, "new.md", b"text") is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.md"]


def test_a_file_is_held_until_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = single_files._link
    free: list[bool] = []

    def linked(place: Folder, spare: str, name: str) -> None:
        other = os.open(tmp_path / spare, os.O_RDONLY)
        free.append(hold(other))
        os.close(other)
        link(place, spare, name)

    monkeypatch.setattr(single_files, "_link", linked)
    assert single_files.create(tmp_path, "new.md", b"text") is None
    assert free == [False]
    assert (tmp_path / "new.md").read_bytes() == b"text"
