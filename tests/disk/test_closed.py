"""Folders that nobody may look into: what cannot be read is told, and a cache that cannot be used is none."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from capabilities import as_mere_owner
from sites import NOW, build_site, read_tree, write_site

from devlog.checking import Options, check
from devlog.disk.folder import is_there
from devlog.disk.git import uncommitted
from devlog.disk.lock import lock
from devlog.scaffold.site import read_site

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes are not what closes a folder there")

SITE = {
    "devlog.toml": 'title = "Lumen"\ntheme = "mine"\nsource_repo = "https://github.com/example/lumen"\n'
    'source_checkout = "checkout"\nsearch.enabled = false\n',
    "content/core/_index.md": "---\ntitle: Core\n---\n",
    "content/core/2026-05-01-pages.md": "---\ntitle: Pages\nauthor: Ada Quill (@adaquill)\n---\n\nThey hold rows.\n",
    "content/authors.yml": "adaquill:\n  name: Ada Quill\n",
    "themes/mine/theme.toml": 'extends = "default"\n',
    "checkout/.git/HEAD": "ref: refs/heads/main\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A site that has been built and checked."""
    site = write_site(tmp_path / "site", SITE)
    assert not build_site(site).failed
    check(Options(site, NOW, jobs=1))
    return site


@contextmanager
def closed(path: Path, mode: int) -> Iterator[None]:
    """Give a folder another mode for a while, in which this process has no more rights than its owner."""
    before = path.stat().st_mode
    with as_mere_owner():
        path.chmod(mode)
        try:
            yield
        finally:
            path.chmod(before)


@pytest.mark.parametrize("mode", [0, 0o444])
@pytest.mark.parametrize("folder", [".", "themes", "themes/mine", "content", "public"])
def test_a_closed_folder_is_told(folder: str, mode: int, root: Path) -> None:
    before = read_tree(root / "public")
    write_site(root, {"content/core/2026-05-02-rows.md": "---\ntitle: Rows\n---\n\nThey hold cells.\n"})
    with closed(root / folder, mode):
        report = build_site(root)
        check(Options(root, NOW, jobs=1))
        read_site(root, NOW)
        uncommitted(root)
    assert report.failed
    assert read_tree(root / "public") == before
    shutil.rmtree(root / "public")
    assert not build_site(root).failed


@pytest.mark.slow
@pytest.mark.parametrize("mode", [0, 0o444])
@pytest.mark.parametrize("folder", ["checkout", "checkout/.git"])
def test_a_closed_checkout_is_one_that_does_not_answer(folder: str, mode: int, root: Path) -> None:
    with closed(root / folder, mode):
        assert not build_site(root).failed


@pytest.mark.slow
@pytest.mark.parametrize("mode", [0, 0o444])
def test_a_closed_cache_is_none(mode: int, root: Path) -> None:
    with closed(root / ".devlog", mode):
        assert not check(Options(root, NOW, jobs=1)).failed
        read_site(root, NOW)


def test_what_nobody_may_look_at_counts_as_there(root: Path) -> None:
    (root / "loop").symlink_to("loop")
    with closed(root / "themes", 0):
        assert is_there(root / "themes" / "mine", folder=True)
    assert is_there(root / "themes", folder=True)
    assert is_there(root / "devlog.toml")
    absent = (root / "loop", root / "devlog.toml" / "x", root / ("x" * 300), root / "a\0b", root / "x")
    assert not any(map(is_there, absent))
    assert not is_there(root / "devlog.toml", folder=True)


@pytest.mark.parametrize(("error", "is_free"), [(errno.ENOLCK, True), (errno.ESTALE, False)])
def test_a_file_system_that_refuses_locks(
    error: int, is_free: bool, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither taking one nor giving it back is possible there; where there are none at all, none is needed."""
    import fcntl

    def refuse(_fd: int, _operation: int) -> None:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(fcntl, "flock", refuse)
    with lock(root) as problem:
        assert (problem is None) == is_free
