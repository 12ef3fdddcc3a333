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
        with os.scandir(folder.fd) as other:  # shares the place in the folder
            next(other)
            if [*os.scandir(folder.fd)]:
                pytest.skip("the system does not read a small folder at once")
            with os.scandir(folder.fd) as again:
                next(again)
                assert names(folder) == {"a", "b"}
