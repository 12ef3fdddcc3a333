"""What is kept for a user outside of all sites: only what this user alone can have written is used."""

from __future__ import annotations

import os
import sys
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Self

import pytest

from devlog.engine import user_cache
from devlog.engine.user_cache import read, write

if TYPE_CHECKING:
    from collections.abc import Iterator

DATA = bytes(range(256)) * 20


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where it lies, which nothing has made yet."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setenv("DEVLOG_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def file(folder: Path) -> Path:
    (found,) = folder.iterdir()
    return found


def test_what_is_kept_is_there(folder: Path) -> None:
    assert read("a") == b""
    assert not folder.exists()
    write("a", DATA)
    write("b/../c\0", b"")
    assert read("a") == DATA
    assert (read("b/../c\0"), read("c")) == (b"", b"")
    write("a", b"other")
    assert read("a") == b"other"
    assert len([*folder.iterdir()]) == 2
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("change", ["cut", "empty", "longer", "another byte", "another digest"])
def test_what_is_damaged_is_missing(folder: Path, change: str) -> None:
    write("a", DATA)
    content = file(folder).read_bytes()
    changed = {
        "cut": content[:-1],
        "empty": b"",
        "longer": content + b"\0",
        "another byte": content[:-10] + b"x" + content[-9:],
        "another digest": b"x" + content[1:],
    }[change]
    file(folder).write_bytes(changed)
    assert read("a") == b""
    write("a", DATA)
    assert read("a") == DATA


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="the folder has another name there")
def test_a_folder_that_cannot_be_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """As that of another user, or one with a name that is too long: Python raises what it has found."""
    monkeypatch.delenv("DEVLOG_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", f"/{'x' * 300}")
    write("a", DATA)
    assert read("a") == b""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_waited_for(folder: Path) -> None:
    write("a", DATA)
    place = file(folder)
    place.unlink()
    os.mkfifo(place, 0o600)
    assert read("a") == b""


def test_a_file_without_end_is_not_read_whole(folder: Path) -> None:
    write("a", DATA)
    os.truncate(file(folder), 1 << 40)
    assert read("a") == b""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
@pytest.mark.parametrize("mode", [0o020, 0o002])
@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_others_may_write_is_not_used(folder: Path, what: str, mode: int) -> None:
    write("a", DATA)
    changed = file(folder) if what == "file" else folder
    changed.chmod(0o700 | mode)
    assert read("a") == b""
    write("b", DATA)
    assert (read("b") == DATA) == (what == "file")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such owners")
def test_what_belongs_to_others_is_not_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a", DATA)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert read("a") == b""
    write("b", DATA)
    assert len([*folder.iterdir()]) == 1


def test_a_link_is_not_followed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    folder.symlink_to(tmp_path / "elsewhere")
    write("a", DATA)
    assert read("a") == b""
    assert [*(tmp_path / "elsewhere").iterdir()] == []


@pytest.mark.parametrize("obstacle", ["a file", "below a file", "nothing is named", "no home"])
def test_without_a_folder_nothing_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch, obstacle: str) -> None:
    match obstacle:
        case "a file":
            folder.write_text("mine")
        case "below a file":
            folder.write_text("mine")
            monkeypatch.setenv("DEVLOG_CACHE_DIR", str(folder / "below"))
        case "no home":
            monkeypatch.delenv("DEVLOG_CACHE_DIR")
            monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
            for name in ("HOME", "LOCALAPPDATA"):
                monkeypatch.setenv(name, str(folder / "nobody"))
        case _:
            monkeypatch.chdir(folder.parent)
            monkeypatch.delenv("DEVLOG_CACHE_DIR")
            for name in ("HOME", "LOCALAPPDATA", "XDG_CACHE_HOME"):
                monkeypatch.delenv(name, raising=False)
    before = sorted(folder.parent.rglob("*"))
    write("a", DATA)
    assert read("a") == b""
    assert sorted(folder.parent.rglob("*")) == before


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="other systems have other folders")
def test_the_folder_is_where_the_system_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEVLOG_CACHE_DIR")
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    write("a", DATA)
    assert file(tmp_path / "xdg/devlog").is_file()
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    write("a", DATA)
    assert file(tmp_path / "home/.cache/devlog").is_file()


def test_nothing_is_written_where_python_keeps_no_bytecode(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a", DATA)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    write("a", b"other")
    write("b", DATA)
    assert (read("a"), read("b")) == (DATA, b"")


def test_the_oldest_go(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_cache, "MOST", 3)
    for number in range(6):
        write(str(number), b"data %d" % number)
        for path in folder.iterdir():  # clocks of file systems are coarse
            status = path.stat()
            os.utime(path, (status.st_atime, status.st_mtime - 10))
    assert [read(str(number)) for number in range(6)] == [b"", b"", b"", b"data 3", b"data 4", b"data 5"]


def test_files_of_others_stay(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder that a user names, or one of this name in the system's, may be that of another program, too."""
    monkeypatch.setattr(user_cache, "MOST", 1)
    folder.mkdir(mode=0o700, exist_ok=True)
    others = [folder / "photo.jpg", folder / ("0" * 32), folder / ".hidden"]
    for path in others:
        path.write_bytes(DATA)
        os.utime(path, (0, 0))
    for name in "abc":
        write(name, DATA)
    assert [path.read_bytes() for path in others] == [DATA] * 3
    assert len(list(folder.iterdir())) == 4


def test_a_file_that_another_process_removes_meanwhile(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scandir = os.scandir

    class Entry:
        """An entry of a file that is gone when it is asked for."""

        name = path = "gone.devlog"

        def is_file(self, *, follow_symlinks: bool) -> bool:
            return True

        def stat(self, *, follow_symlinks: bool) -> os.stat_result:
            raise FileNotFoundError(self.path)

    class Listing:
        def __init__(self, path: Path) -> None:
            self._listing = scandir(path)

        def __enter__(self) -> Self:
            return self

        def __iter__(self) -> Iterator[Entry | os.DirEntry[str]]:
            return chain([Entry()], self._listing)

        def __exit__(self, *_error: object) -> None:
            self._listing.close()

    write("a", DATA)
    os.utime(file(folder), (0, 0))
    monkeypatch.setattr(user_cache, "MOST", 1)
    monkeypatch.setattr(os, "scandir", Listing)  # only now: newer Pythons list folders with it in `file`, too
    write("b", DATA)
    assert (read("a"), read("b")) == (b"", DATA)


def test_a_write_that_fails_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a", DATA)

    def replace(_self: Path, _target: Path) -> None:
        raise OSError("full")

    monkeypatch.setattr(Path, "replace", replace)
    write("a", b"other")
    assert read("a") == DATA
    assert len([*folder.iterdir()]) == 1
