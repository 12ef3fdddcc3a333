"""Single files are replaced, renamed and removed only as they were last seen, whenever another program saves them."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from sites import write_site

from devlog.disk import calls, single_files
from devlog.model.diagnostic import Diagnostic

FILE = "content/storage/a.md"
NEW_NAME = "content/storage/b.md"
OLD, NEW, SAVED, LATER = b"old\n", b"new\n", b"old, saved\n", b"saved later\n"

Save = Callable[[Path, bytes], object]


def _in_place(file: Path, data: bytes) -> None:
    file.write_bytes(data)


def _by_renaming(file: Path, data: bytes) -> None:
    file.with_name("4913").write_bytes(data)
    file.with_name("4913").rename(file)


def _after_a_backup(file: Path, data: bytes) -> None:
    if file.exists():
        file.rename(file.with_name("backup"))
    file.write_bytes(data)


SAVES = pytest.mark.parametrize("save", [_in_place, _by_renaming, _after_a_backup])


def _site(folder: Path) -> Path:
    return write_site(folder, {FILE: OLD})


def _names(root: Path) -> set[str]:
    return {file.name for file in (root / FILE).parent.iterdir()} - {"backup"}


def _after_comparing(monkeypatch: pytest.MonkeyPatch, do: Callable[[], object], at: int = 1) -> None:
    """Do something right after a comparison with what a file must contain."""
    compare, count = single_files._not_as_before, 0

    def compared(root: Path, file: str, data: bytes) -> Diagnostic | None:
        nonlocal count
        problem = compare(root, file, data)
        count += 1
        if count == at:
            do()
        return problem

    monkeypatch.setattr(single_files, "_not_as_before", compared)


def _before_exchanging(monkeypatch: pytest.MonkeyPatch, *actions: Callable[[], object]) -> None:
    """Do something right before each exchange, and before those that follow nothing more."""
    exchanger, left = single_files.exchanger, list(actions)

    def watched() -> calls.Rename:
        exchange = exchanger()

        def call(folder: int, name: str, other: int, other_name: str) -> None:
            if left:
                left.pop(0)()
            exchange(folder, name, other, other_name)

        return call

    monkeypatch.setattr(single_files, "exchanger", watched)


def _without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "_CALLS", {})


EXCHANGES = pytest.mark.skipif(sys.platform not in calls._CALLS, reason="the system cannot exchange files")


@EXCHANGES
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not say who writes a file")
@pytest.mark.parametrize("removes", [True, False])
def test_what_a_program_is_still_writing_stays(tmp_path: Path, removes: bool) -> None:
    root = _site(tmp_path)
    with (root / FILE).open("ab") as file:
        problem = single_files.remove(root, FILE, OLD) if removes else single_files.replace(root, FILE, OLD, NEW)
        file.write(b"more\n")
    assert problem
    assert problem.code == "changed-while-building"
    assert (root / FILE).read_bytes() == OLD + b"more\n"
    assert _names(root) == {"a.md"}
    assert not single_files.replace(root, FILE, OLD + b"more\n", NEW)
    assert (root / FILE).read_bytes() == NEW


@SAVES
def test_a_save_in_the_last_moment_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, save: Save) -> None:
    root = _site(tmp_path)
    _after_comparing(monkeypatch, lambda: save(root / FILE, SAVED), at=2)
    problem = single_files.replace(root, FILE, OLD, NEW)
    assert (root / FILE).read_bytes() == SAVED
    assert problem
    assert (problem.code, problem.span.path) == ("changed-while-building", FILE)
    assert _names(root) == {"a.md"}


@EXCHANGES
@SAVES
def test_of_several_saves_the_last_one_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, save: Save) -> None:
    root = _site(tmp_path)
    file = root / FILE
    _before_exchanging(monkeypatch, lambda: save(file, SAVED), lambda: save(file, LATER))
    problem = single_files.replace(root, FILE, OLD, NEW)
    assert file.read_bytes() == LATER
    assert problem
    assert problem.code == "changed-while-building"
    assert _names(root) == {"a.md"}


@EXCHANGES
def test_what_is_no_file_any_more_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = _site(tmp_path)
    file = root / FILE

    def link() -> None:
        file.unlink()
        file.symlink_to("elsewhere.md")

    _before_exchanging(monkeypatch, link)
    assert single_files.replace(root, FILE, OLD, NEW)
    assert file.readlink() == Path("elsewhere.md")
    assert _names(root) == {"a.md"}


@EXCHANGES
@pytest.mark.parametrize("is_saved", [False, True])
def test_a_file_that_is_moved_away_in_the_last_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_saved: bool
) -> None:
    root = _site(tmp_path)
    file, away = root / FILE, root / "away"
    if is_saved:  # what was saved has its name again
        _before_exchanging(monkeypatch, lambda: file.write_bytes(SAVED), lambda: file.rename(away))
    else:  # it does not come back
        _before_exchanging(monkeypatch, lambda: file.rename(away))
    assert single_files.replace(root, FILE, OLD, NEW)
    assert away.read_bytes() == (NEW if is_saved else OLD)
    assert _names(root) == ({"a.md"} if is_saved else set())
    assert not is_saved or file.read_bytes() == SAVED


@EXCHANGES
def test_what_cannot_be_put_back_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = _site(tmp_path)

    def fail() -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    _before_exchanging(monkeypatch, lambda: (root / FILE).write_bytes(SAVED), fail)
    problem = single_files.replace(root, FILE, OLD, NEW)
    assert problem
    assert problem.code == "cannot-write"
    assert {file.read_bytes() for file in (root / FILE).parent.iterdir()} == {SAVED, NEW}


@pytest.mark.parametrize("way", ["exchanged", "renamed"])
def test_replacing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    root = _site(tmp_path)
    if way == "renamed":
        _without(monkeypatch)
    assert single_files.replace(root, FILE, OLD, NEW) is None
    assert (root / FILE).read_bytes() == NEW
    assert single_files.replace(root, FILE, OLD, LATER)
    assert (root / FILE).read_bytes() == NEW
    assert _names(root) == {"a.md"}


@SAVES
@pytest.mark.parametrize("way", ["one call", "links", "neither"])
def test_a_file_that_is_saved_before_it_is_removed_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, save: Save, way: str
) -> None:
    root = _site(tmp_path)
    if way != "one call":
        _without(monkeypatch)
    if way == "neither":
        monkeypatch.setattr(single_files, "_link", _no_link)
    _after_comparing(monkeypatch, lambda: save(root / FILE, SAVED))
    problem = single_files.remove(root, FILE, OLD)
    assert (root / FILE).read_bytes() == SAVED
    assert problem
    assert problem.code == "changed-while-building"
    assert _names(root) == {"a.md"}


def _no_link(*_: object) -> None:
    raise OSError(errno.EPERM, os.strerror(errno.EPERM))


def test_a_file_is_removed(tmp_path: Path) -> None:
    root = _site(tmp_path)
    assert single_files.remove(root, FILE, OLD) is None
    assert _names(root) == set()


@EXCHANGES
@pytest.mark.parametrize("save", [_by_renaming, _after_a_backup])
def test_a_file_that_is_saved_while_it_gets_another_name_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, save: Save
) -> None:
    """Where the system has a call for it, no moment is between the new name and the end of the old one."""
    root = _site(tmp_path)
    renamer, remove = single_files.renamer, single_files.Folder.remove

    def watched() -> calls.Rename:
        rename = renamer()

        def call(folder: int, name: str, other: int, other_name: str) -> None:
            rename(folder, name, other, other_name)
            save(root / FILE, SAVED)

        return call

    def removed(folder: single_files.Folder, name: str) -> None:
        save(root / FILE, SAVED)
        remove(folder, name)

    monkeypatch.setattr(single_files, "renamer", watched)
    monkeypatch.setattr(single_files.Folder, "remove", removed)
    assert single_files.rename(root, FILE, NEW_NAME) is None
    assert (root / NEW_NAME).read_bytes() == OLD
    assert (root / FILE).read_bytes() == SAVED


@pytest.mark.parametrize("way", ["one call", "links", "neither"])
def test_renaming(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    root = _site(tmp_path)
    if way != "one call":
        _without(monkeypatch)
    if way == "neither":
        monkeypatch.setattr(single_files, "_link", _no_link)
    assert single_files.rename(root, FILE, NEW_NAME) is None
    assert (root / NEW_NAME).read_bytes() == OLD
    assert _names(root) == {"b.md"}


# -- what it looks like


@pytest.mark.skipif(sys.platform != "linux", reason="the system has other attributes")
def test_attributes_stay(tmp_path: Path) -> None:
    root = _site(tmp_path)
    os.setxattr(root / FILE, "user.note", b"of the team")
    assert single_files.replace(root, FILE, OLD, NEW) is None
    assert os.getxattr(root / FILE, "user.note") == b"of the team"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_owners_stay(tmp_path: Path) -> None:
    root = _site(tmp_path)
    os.chown(root / FILE, 65534, 65533)
    (root / FILE).chmod(0o2750)
    assert single_files.replace(root, FILE, OLD, NEW) is None
    status = (root / FILE).stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (65534, 65533, 0o2750)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("can_give_to_groups", [False, True])
def test_what_an_ordinary_user_can_keep_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, can_give_to_groups: bool
) -> None:
    root, chown = _site(tmp_path), os.fchown
    os.chown(root / FILE, 65534, 65533)
    (root / FILE).chmod(0o6760)
    own = (root / "content").stat()

    def refuse(fd: int, owner: int, group: int) -> None:
        if owner != -1 or not can_give_to_groups:
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))
        chown(fd, owner, group)

    monkeypatch.setattr(os, "fchown", refuse)
    assert single_files.replace(root, FILE, OLD, NEW) is None
    status = (root / FILE).stat()
    assert (status.st_uid, status.st_gid) == (own.st_uid, 65533 if can_give_to_groups else own.st_gid)
    assert stat.S_IMODE(status.st_mode) == 0o760
    assert (root / FILE).read_bytes() == NEW
