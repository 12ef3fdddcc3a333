"""What was read once is not read again, unless it may have changed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from opened_files import note_opened

from devlog.disk import stat_cache
from devlog.disk.folder import Folder
from devlog.disk.ignore import Rules
from devlog.disk.read import Tree, read_content
from devlog.disk.stat_cache import StatCache
from devlog.model.digest import digest_bytes

# The smallest picture that says how large it is: the header of a PNG of 3 by 2 pixels.
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\3\0\0\0\2\x08\0\0\0\0"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "content" / "topic").mkdir(parents=True)
    (tmp_path / "content" / "topic" / "post.md").write_text("one")
    (tmp_path / "content" / "topic" / "other.md").write_text("other")
    (tmp_path / "content" / "topic" / "picture.png").write_bytes(PNG)
    monkeypatch.setattr(stat_cache, "SETTLED_NS", 0)
    return tmp_path


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are opened."""
    return note_opened(monkeypatch)


def read(site: Path, known: bytes = b"") -> tuple[Tree, bytes]:
    time.sleep(0.02)  # the clock of file systems is slower than the test
    memory = StatCache(known)
    tree = read_content(site, "content", stat_cache=memory)
    return tree, memory.encode()


def test_unchanged_files_are_not_opened(site: Path, opened: list[str]) -> None:
    first, known = read(site)
    assert sorted(opened) == ["other.md", "picture.png", "post.md"]
    opened.clear()
    second, again = read(site, known)
    assert opened == []
    assert second == first
    assert second.assets[0].size is not None
    assert again == known


def _replace(path: Path) -> None:
    status = path.stat()
    new = path.with_name("new")
    new.write_text("two")
    os.utime(new, ns=(status.st_atime_ns, status.st_mtime_ns))
    new.replace(path)


def _rewrite_in_secret(path: Path) -> None:
    status = path.stat()
    path.write_text("two")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


CHANGES: dict[str, Callable[[Path], object]] = {
    "longer": lambda path: path.write_text("longer"),
    "as long": lambda path: path.write_text("two"),
    "as long, with the old time": _rewrite_in_secret,
    "another file, as long, with the old time": _replace,
}


@pytest.mark.parametrize("name", CHANGES)
def test_changed_files_are_read(site: Path, name: str) -> None:
    path = site / "content" / "topic" / "post.md"
    _, known = read(site)
    CHANGES[name](path)
    tree, _ = read(site, known)
    assert {found.path: found.digest for found in tree.sources}["topic/post.md"] == digest_bytes(path.read_bytes())


def test_a_file_that_changed_a_moment_ago_is_not_believed(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    _, known = read(site)
    assert known == StatCache().encode()


def test_a_file_from_before_the_beginning_of_time(site: Path) -> None:
    os.utime(site / "content" / "topic" / "post.md", (-11_676_096_000, -11_676_096_000))
    tree, known = read(site)
    assert read(site, known)[0] == tree


@pytest.mark.parametrize("record", [b"", b"\xc1", b"\x81\xa1a\x01", b"\x81\xa1\xff\x92", b"nonsense"])
def test_a_record_that_is_none_counts_for_nothing(site: Path, record: bytes) -> None:
    assert read(site, record)[0] == read(site)[0]


def test_what_cannot_be_looked_at_is_a_problem(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(folder: Folder, name: str) -> os.stat_result:
        raise PermissionError(13, "no", name)

    monkeypatch.setattr(Folder, "stat", refuse)
    assert {problem.code for problem in read(site)[0].diagnostics} == {"unreadable"}


def test_what_was_learnt_at_the_first_look_is_still_to_be_remembered(site: Path, opened: list[str]) -> None:
    first = StatCache()
    read_content(site, "content", stat_cache=first)
    assert first.changed
    second = first.again()
    opened.clear()
    read_content(site, "content", stat_cache=second)
    assert opened == []
    assert second.changed
    assert second.encode() == first.encode()


def test_a_post_that_becomes_an_attachment_is_looked_at_as_one(site: Path) -> None:
    (site / "content" / "topic" / "page.html").write_text("<p>A page.</p>")
    jekyll = Rules(jekyll=True)
    tree, known = read(site)
    assert "topic/page.html" in {source.path for source in tree.sources}
    as_attachment = read_content(site, "content", stat_cache=StatCache(known), rules=jekyll)
    assert as_attachment == read_content(site, "content", rules=jekyll)
    assert {asset.path: asset.active for asset in as_attachment.assets}["topic/page.html"]


def test_an_attachment_in_another_content_folder_is_looked_at_again(site: Path) -> None:
    (site / "content" / "cgi-bin").mkdir()
    (site / "content" / "cgi-bin" / "run.txt").write_text("echo")
    time.sleep(0.02)  # the clock of file systems is slower than the test
    memory = StatCache()
    (inner,) = read_content(site, "content/cgi-bin", stat_cache=memory).assets
    known = memory.encode()
    assert not inner.active
    for folder in ("content", "content/cgi-bin"):
        assert read_content(site, folder, stat_cache=StatCache(known)) == read_content(site, folder)
    assert any(asset.active for asset in read_content(site, "content", stat_cache=StatCache(known)).assets)
