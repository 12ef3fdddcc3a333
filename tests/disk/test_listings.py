"""Listings of open folders: they have what was put in meanwhile, as those of btrfs have only after a rewind."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devlog.disk.folder import Folder
from devlog.disk.swap import _listing

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="folders are not opened there")


@pytest.mark.parametrize(
    "names", [lambda folder: {entry.name for entry in folder.scan()}, lambda folder: {*_listing(folder.fd)}]
)
def test_a_listing_begins_anew(tmp_path: Path, names: Callable[[Folder], set[str]]) -> None:
    (tmp_path / "a").touch()
    with Folder.open(tmp_path) as folder:
        assert names(folder) == {"a"}
        (tmp_path / "b").mkdir()
        other = os.scandir(folder.fd)  # shares the place in the folder
        next(other)
        assert not [*os.scandir(folder.fd)], "else this test shows nothing"
        again = os.scandir(folder.fd)
        next(again)
        assert names(folder) == {"a", "b"}
        other.close()
        again.close()
