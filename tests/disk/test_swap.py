"""Two folders change places: what comes along, what is left behind, and what happens where they cannot."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from disk_trees import publish, tree

from devlog.disk import calls, swap, unused
from devlog.disk.folder import Folder
from devlog.disk.manifest import MANIFEST, STAGE, load_manifest, unchanged
from devlog.disk.write import Planned, Published, staging

Plan = dict[str, bytes]
Exchange = Callable[[int, str, int, str], None]
TESTS = Path(__file__).parent
OLD: Plan = {"index.html": b"old", "a/index.html": b"a", "a/b/index.html": b"same", "gone/x/y.html": b"y"}
NEW: Plan = {"index.html": b"new", "a/index.html": b"a2", "a/b/index.html": b"same", "c/d/e.html": b"e"}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    root = tmp_path / "my site"
    root.mkdir()
    return root


def build(site: Path, plan: Plan, output: str = "public") -> Published:
    manifest, _ = load_manifest(site, output)
    ours = unchanged(site, output, manifest)
    keep = {path: entry for path, entry in ours.items() if path in plan and entry.key == plan[path].hex()}
    planned = [Planned(path, data.hex(), data) for path, data in plan.items() if path not in keep]
    return publish(site, output, manifest, planned, keep=keep)


def inode(path: Path) -> int:
    return path.stat().st_ino


def swapped(site: Path, plan: Plan, output: str = "public") -> bool:
    """Whether a build replaces the output folder as a whole; what comes of it must be right in any case."""
    before = inode(site / output)
    assert build(site, plan, output).diagnostics == ()
    return inode(site / output) != before


def test_the_old_site_becomes_the_spare_one(site: Path) -> None:
    build(site, OLD)
    assert not (site / ".devlog" / "spare").exists()
    same = inode(site / "public" / "a/b/index.html")
    first = inode(site / "public")
    assert swapped(site, NEW)
    assert tree(site / "public") == NEW
    assert tree(site / ".devlog" / "spare") == OLD
    assert inode(site / ".devlog" / "spare") == first
    assert inode(site / "public" / "a/b/index.html") == same
    assert swapped(site, OLD)
    assert inode(site / "public") == first
    assert tree(site / "public") == OLD
    assert tree(site / ".devlog" / "spare") == NEW
    assert {path.name for path in (site / ".devlog").iterdir()} == {"spare"}


def test_nothing_is_looked_through_when_nothing_changed(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(site, OLD)
    before = inode(site / "public"), inode(site / "public" / MANIFEST)

    def refuse(*arguments: object, **named: object) -> None:
        raise AssertionError("looked through")

    monkeypatch.setattr(swap, "_listing", refuse)
    monkeypatch.setattr(Folder, "scan", refuse)
    assert build(site, OLD).diagnostics == ()
    assert (inode(site / "public"), inode(site / "public" / MANIFEST)) == before


def test_another_time_alone_does_not_replace_the_folder(site: Path) -> None:
    build(site, OLD)
    os.utime(site / "public" / "index.html", (1, 1))
    manifest = inode(site / "public" / MANIFEST)
    assert not swapped(site, OLD)
    assert inode(site / "public" / MANIFEST) != manifest
    assert tree(site / ".devlog") == {"spare/": b""}


def test_an_edited_copy_in_the_spare_folder_counts_for_nothing(site: Path) -> None:
    for plan in (OLD, NEW, OLD):
        build(site, plan)
    spare = site / ".devlog" / "spare"
    for file in [path for path in spare.rglob("*") if path.is_file()]:
        status = file.stat()
        data = file.read_bytes()
        file.unlink()
        file.write_bytes(bytes(len(data)))
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    (spare / "more").mkdir()
    (spare / "more" / "x").write_text("x")
    assert swapped(site, {**OLD, "index.html": b"third"})
    assert tree(site / "public") == {**OLD, "index.html": b"third"}


def test_nothing_is_removed_through_a_link_in_the_spare_folder(site: Path) -> None:
    for plan in (OLD, NEW, OLD):
        build(site, plan)
    (site / "outside").mkdir()
    (site / "outside" / "x").write_text("mine")
    spare = site / ".devlog" / "spare"
    shutil.rmtree(spare / "a")
    (spare / "a").symlink_to(site / "outside")
    (spare / "c" / "link").symlink_to(site / "outside")
    kept = build(site, NEW).diagnostics
    assert [(problem.code, problem.span.path) for problem in kept] == [
        ("kept-output", "public/a"),
        ("kept-output", "public/c/link"),
    ]
    assert tree(site / "public") == NEW
    assert tree(site / "outside") == {"x": b"mine"}
    assert (site / ".devlog" / "kept" / "1" / "a").readlink() == site / "outside"
    shutil.rmtree(spare)
    spare.symlink_to(site / "outside")
    assert not swapped(site, OLD)
    assert tree(site / "public") == OLD
    assert tree(site / "outside") == {"x": b"mine"}


def test_folders_of_others_keep_owner_mode_and_attributes(site: Path) -> None:
    build(site, OLD)
    public = site / "public"
    (public / "mine" / "inner").mkdir(parents=True)
    folders = [public, public / "mine", public / "mine" / "inner"]
    modes = [0o2750, 0o711, 0o500]
    for folder, mode in zip(folders, modes, strict=True):
        if os.geteuid() == 0:
            os.chown(folder, 12345, 23456)
        folder.chmod(mode)
        _mark(folder)
    before = [_marks(folder) for folder in folders]
    for plan in (NEW, OLD, NEW):
        assert swapped(site, plan)
        assert [_marks(folder) for folder in folders] == before
        folders[1].chmod(0o755)  # a change of mode alone comes along as well
        before[1] = _marks(folders[1])


def test_all_in_an_output_folder_with_the_setgid_bit_gets_its_group(site: Path) -> None:
    """As in a folder that a group of people, or a web server, shares."""
    group = 23456 if os.geteuid() == 0 else os.getgid()
    for folder in (site / "shared", site / "public"):
        folder.mkdir()
        os.chown(folder, -1, group)
        folder.chmod(0o2775)
    for output in ("public", "shared/www"):
        for number, plan in enumerate((OLD, NEW, OLD)):
            if number:
                assert swapped(site, plan, output)
            else:
                build(site, plan, output)
            places = [site / output, *(site / output).rglob("*")]
            assert {path.stat().st_gid for path in places} == {group}
            assert all(path.stat().st_mode & stat.S_ISGID for path in places if path.is_dir())
            assert {path.stat().st_mode & 0o2000 for path in places if path.is_file()} == {0}
    assert stat.S_IMODE((site / "public").stat().st_mode) == 0o2775


_NOBODY = 2**32 - 1
_LIST = struct.pack("<I", 2) + b"".join(  # posix_acl_xattr.h of Linux: the owner, a user, the group, a mask, others
    struct.pack("<HHI", tag, mode, number)
    for tag, mode, number in ((1, 7, _NOBODY), (2, 5, 65534), (4, 5, _NOBODY), (16, 5, _NOBODY), (32, 0, _NOBODY))
)


@pytest.mark.parametrize("is_swapped", [True, False], ids=["swap", "in place"])
@pytest.mark.parametrize("output", ["public", "shared/www", "../elsewhere/www"])
def test_all_in_an_output_folder_gets_its_default_access(
    site: Path, output: str, is_swapped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new one also gets that of the folder above it."""
    if not is_swapped:
        monkeypatch.setattr(calls, "_CALLS", {})
    is_new = output == "shared/www"
    folder = (site / output).parent if is_new else site / output
    folder.mkdir(parents=True)
    _give_default(folder)
    (folder / "file").touch()
    (folder / "folder").mkdir()
    as_usual = {path.is_dir(): _access(path) for path in folder.iterdir()}
    (folder / "file").unlink()
    (folder / "folder").rmdir()
    for number, plan in enumerate((OLD, NEW, OLD)):
        if number:
            assert swapped(site, plan, output) == is_swapped
        else:
            build(site, plan, output)
        places = [*(site / output).rglob("*"), *([site / output] if is_new else [])]
        assert {path: _access(path) for path in places} == {path: as_usual[path.is_dir()] for path in places}


@pytest.mark.parametrize("is_swapped", [True, False], ids=["swap", "in place"])
def test_what_only_the_site_gives_by_default_is_not_in_the_output(
    site: Path, is_swapped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """devlog's own folder has inherited it, in which new files are prepared."""
    if not is_swapped:
        monkeypatch.setattr(calls, "_CALLS", {})
    (site / "public").mkdir()
    _give_default(site)
    build(site, OLD)
    assert [path for path in (site / "public").rglob("*") if len(_access(path)) > 1] == []


def _access(path: Path) -> list[object]:
    """The mode of a file or folder, and its access control lists."""
    lists = [(name, os.getxattr(path, name)) for name in sorted(os.listxattr(path)) if name.startswith("system.posix")]
    return [stat.S_IMODE(path.stat().st_mode), *lists]


def _give_default(folder: Path) -> None:
    """Let what will be created in a folder be accessible to another user, and not to everybody."""
    if sys.platform != "linux":
        pytest.skip("other systems have other lists")
    try:
        os.setxattr(folder, "system.posix_acl_default", _LIST)
    except OSError as error:
        if error.errno != errno.ENOTSUP:
            raise
        pytest.skip("the file system has no access control lists")


def _mark(folder: Path) -> None:
    """Give a folder an attribute, where file systems have them."""
    if hasattr(os, "setxattr"):
        try:
            os.setxattr(folder, "user.devlog", folder.name.encode())
        except OSError as error:
            if error.errno != errno.ENOTSUP:
                raise


def _marks(folder: Path) -> tuple[object, ...]:
    status = folder.stat()
    names = os.listxattr(folder) if hasattr(os, "listxattr") else []
    return (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode), [(n, os.getxattr(folder, n)) for n in names])


def test_an_output_elsewhere_leaves_nothing_beside_it(site: Path) -> None:
    output = str(site.parent / "elsewhere" / "www")
    build(site, OLD, output)
    (site.parent / "elsewhere" / "www" / "CNAME").write_text("mine")
    hidden = site.parent / "elsewhere" / ".www.devlog"
    for rubbish in (False, True):
        if rubbish:  # of a killed build
            (hidden / "spare" / "a").mkdir(parents=True)
            (hidden / "new").mkdir()
            (hidden / "new" / "0").write_text("x")
            (hidden / "made-by-devlog").touch()
        assert swapped(site, OLD if rubbish else NEW, output)
        assert tree(Path(output)) == {**(OLD if rubbish else NEW), "CNAME": b"mine"}
        assert [path.name for path in hidden.parent.iterdir()] == ["www"]
    (hidden / "new").mkdir(parents=True)
    (hidden / "made-by-devlog").touch()
    assert not swapped(site, OLD, output)
    assert [path.name for path in hidden.parent.iterdir()] == ["www"]
    assert not (site / ".devlog").exists()


@pytest.mark.parametrize("plan", [OLD, NEW])
def test_a_folder_of_somebody_else_beside_an_output_elsewhere_stays(site: Path, plan: Plan) -> None:
    output = str(site.parent / "elsewhere" / "www")
    build(site, OLD, output)
    (site.parent / "elsewhere" / ".www.devlog" / "new").mkdir(parents=True)
    (site.parent / "elsewhere" / ".www.devlog" / "new" / "mine").write_text("mine")
    assert not swapped(site, plan, output)
    assert tree(Path(output)) == plan
    assert tree(site.parent / "elsewhere" / ".www.devlog") == {"new/mine": b"mine"}


def test_a_site_may_lie_in_a_folder_of_that_name(tmp_path: Path) -> None:
    site = tmp_path / ".www.devlog"
    site.mkdir()
    (site / "devlog.toml").write_text("")
    output = str(tmp_path / "www")
    for plan in (OLD, NEW):
        build(site, plan, output)
        assert tree(Path(output)) == plan
    assert (site / "devlog.toml").exists()


# -- where it cannot be ----------------------------------------------------------------------------------


def _exchanging(monkeypatch: pytest.MonkeyPatch, before: Callable[[str], None]) -> None:
    """Do something right before two folders change places."""
    exchanger = swap.exchanger

    def watched() -> Exchange:
        exchange = exchanger()

        def call(folder: int, name: str, other: int, other_name: str) -> None:
            before(other_name)
            exchange(folder, name, other, other_name)

        return call

    monkeypatch.setattr(swap, "exchanger", watched)


def test_a_link_in_place_of_the_manifest_is_not_followed(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program puts it into the output folder at the last moment: the time of no other file changes."""
    other = tmp_path / "other.txt"
    other.write_text("of another program", "utf-8")
    os.utime(other, (1, 1))
    build(site, OLD)

    def link(name: str) -> None:
        if name == "public":
            (site / "public" / MANIFEST).unlink()
            (site / "public" / MANIFEST).symlink_to(other)

    _exchanging(monkeypatch, link)
    assert swapped(site, NEW)
    assert (site / ".devlog" / "spare" / MANIFEST).is_symlink()
    assert other.stat().st_mtime == 1


@pytest.mark.parametrize("number", [errno.EXDEV, errno.EINVAL, errno.EBUSY, errno.EACCES, errno.EPERM, errno.ENOSYS])
@pytest.mark.parametrize("where", ["b", "public"], ids=["tried out", "at last"])
def test_a_refused_exchange(site: Path, monkeypatch: pytest.MonkeyPatch, number: int, where: str) -> None:
    build(site, OLD)
    (site / "public" / "CNAME").write_text("mine")

    def refuse(name: str) -> None:
        if name == where:
            raise OSError(number, os.strerror(number))

    _exchanging(monkeypatch, refuse)
    for plan in (NEW, OLD):
        assert not swapped(site, plan)
        assert tree(site / "public") == {**plan, "CNAME": b"mine"}
        assert not (site / ".devlog" / "new").exists()
        assert load_manifest(site, "public")[0].pending == {}


@pytest.mark.parametrize("number", [errno.EPERM, errno.EMLINK, errno.EXDEV, errno.ENOTSUP])
def test_refused_links(site: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def refuse(*arguments: object, **named: object) -> None:
        raise OSError(number, os.strerror(number))

    build(site, OLD)
    monkeypatch.setattr(os, "link", refuse)
    assert not swapped(site, NEW)
    assert tree(site / "public") == NEW


def test_listings_that_do_not_tell_files_apart(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on some file systems in user space, where every entry has the same number."""

    class Alike:
        def __init__(self, entry: os.DirEntry[str]) -> None:
            self.name = entry.name
            self.is_dir = entry.is_dir

        def inode(self) -> int:
            return 0xFFFFFFFF

    scan = Folder.scan
    build(site, OLD)
    with monkeypatch.context() as patch:
        patch.setattr(Folder, "scan", lambda folder: [Alike(entry) for entry in scan(folder)])
        assert not swapped(site, NEW)
    assert tree(site / "public") == NEW


def test_a_system_without_such_a_call(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(site, OLD)
    monkeypatch.setattr(calls, "_CALLS", {})
    assert not swapped(site, NEW)
    assert tree(site / "public") == NEW


@pytest.mark.parametrize("is_refused", [False, True])
def test_what_a_build_in_place_has_left_behind_when_it_was_killed_is_removed(
    site: Path, monkeypatch: pytest.MonkeyPatch, is_refused: bool
) -> None:
    build(site, OLD)
    (site / "public" / STAGE).mkdir()
    (site / "public" / STAGE / "0").write_text("of a killed build")
    if is_refused:
        _exchanging(monkeypatch, lambda name: Path("/nowhere").stat() if name == "public" else None)
        assert not swapped(site, NEW)
    else:  # by another version of devlog, which makes the same of it
        with staging(site, "public", load_manifest(site, "public")[0]) as stage:
            for path, data in OLD.items():
                stage.add(Planned(path, "another", data))
            assert stage.commit({}).diagnostics == ()
    assert tree(site / "public") == (NEW if is_refused else OLD)


def test_a_library_without_a_name_for_the_call(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "_CALLS", {"linux": "no_such_call"})
    build(site, OLD)
    assert swapped(site, NEW) == (os.uname().machine in calls._NUMBERS)
    assert tree(site / "public") == NEW


def test_folders_of_others_a_thousand_deep(site: Path) -> None:
    build(site, OLD)
    deep = site / "public" / "mine" / "/".join(["d"] * 1200)
    subprocess.run(["mkdir", "-p", str(deep)], check=True)  # Python's own ways recurse, here and for removing
    try:
        assert not swapped(site, NEW)
        assert (site / "public" / "index.html").read_bytes() == b"new"
        assert deep.is_dir()
    finally:
        subprocess.run(["rm", "-r", str(site)], check=True)


@pytest.mark.parametrize(("written", "plain"), [(rb"/a\040b\134c", b"/a b\\c"), (b"/a", b"/a"), (rb"/\011", b"/\t")])
def test_names_of_mount_points(written: bytes, plain: bytes) -> None:
    assert swap._unescape(written) == plain


def test_mount_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = tmp_path / "mountinfo"
    monkeypatch.setattr(swap, "_MOUNTS", mounts)
    mounts.write_bytes(
        b"22 27 0:21 / /proc rw - proc proc rw\n23 27 0:21 / /srv/my\\040site/public/x rw - tmpfs none rw\n"
    )
    assert swap._holds_mount(Path("/proc"))
    assert swap._holds_mount(Path("/srv/my site/public"))
    assert not swap._holds_mount(Path("/srv/my site/pub"))
    assert not swap._holds_mount(Path("/srv/my site/public/x/y"))


# -- what others do meanwhile ----------------------------------------------------------------------------


def test_what_others_write_meanwhile_comes_along(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(site, OLD)
    public = site / "public"
    (public / "CNAME").write_text("mine")
    (public / "mine").mkdir()

    def write(name: str) -> None:
        if name != "public":
            return
        (public / "new").write_text("CNAME")
        (public / "new").replace(public / "CNAME")
        (public / "mine" / "late").write_text("late")
        (public / "late" / "deep").mkdir(parents=True)
        (public / "late" / "deep" / "x").write_text("x")
        (public / "gone" / "x" / "late").write_text("late")
        (public / "a" / "b" / "late").symlink_to("nowhere")

    late: dict[str, Any] = {
        "CNAME": b"CNAME",
        "mine/late": b"late",
        "late/deep/x": b"x",
        "gone/x/late": b"late",
        "a/b/late": b"-> nowhere",
    }
    with monkeypatch.context() as patch:
        _exchanging(patch, write)
        assert swapped(site, NEW)
    assert tree(public) == {**NEW, **late}
    assert swapped(site, {**NEW, "index.html": b"newer"})
    assert tree(public) == {**NEW, **late, "index.html": b"newer"}


@pytest.mark.parametrize("before", [OLD, None], ids=["another", "the first"])
def test_a_link_in_place_of_the_new_folder_is_not_published(
    before: Plan | None, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    if before:
        build(site, before)
    spare, aside = site / ".devlog" / "spare", tmp_path / "aside"
    move = Folder.move

    def replace(name: str) -> None:
        if name == "public" and not aside.exists():
            spare.rename(aside)
            spare.symlink_to(elsewhere)

    def moved(folder: Folder, name: str, target: Folder, new_name: str) -> None:
        replace(new_name)
        move(folder, name, target, new_name)

    with monkeypatch.context() as patch:
        _exchanging(patch, replace)
        patch.setattr(Folder, "move", moved)
        (problem,) = build(site, NEW).diagnostics
    assert problem.message == "cannot be written: another program has replaced a folder of this build"
    assert not (site / "public").is_symlink()
    assert (tree(site / "public") if before else {}) == (before or {})
    assert (site / "public").exists() == bool(before)
    assert build(site, NEW).diagnostics == ()
    assert tree(site / "public") == NEW
    assert not list(elsewhere.iterdir())


@pytest.mark.parametrize("moves", [1, 2, 9])
def test_the_former_output_is_put_back_wherever_others_move_it_meanwhile(
    moves: int, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may take the place of the new folder again and again; in the end there is no link, but maybe no output."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    build(site, OLD)
    home, count = site / ".devlog", 0

    def replace(name: str) -> None:
        nonlocal count
        if name == "public" and count <= moves:
            count += 1
            for path in [path for path in home.iterdir() if path.name != "new" and path.is_dir()]:
                if not path.is_symlink():
                    path.rename(home / f"{path.name}-{count}")
                    path.symlink_to(elsewhere)

    with monkeypatch.context() as patch:
        _exchanging(patch, replace)
        (problem,) = build(site, NEW).diagnostics
    assert problem.message == "cannot be written: another program has replaced a folder of this build"
    assert not (site / "public").is_symlink()
    if moves < 5:
        assert tree(site / "public") == OLD
    else:
        assert not (site / "public").exists()
    assert build(site, NEW).diagnostics == ()
    assert tree(site / "public") == NEW
    assert not list(elsewhere.iterdir())


def test_a_former_output_that_is_taken_away_leaves_no_link(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    build(site, OLD)
    spare = site / ".devlog" / "spare"
    stat = Folder.stat

    def replace(name: str) -> None:
        if name == "public":
            spare.rename(tmp_path / "new")
            spare.symlink_to(elsewhere)

    def asked(folder: Folder, name: str) -> os.stat_result:
        found = stat(folder, name)
        if name == "public" and spare.is_dir() and (site / "public").is_symlink():
            spare.rename(tmp_path / "old")
        return found

    with monkeypatch.context() as patch:
        _exchanging(patch, replace)
        patch.setattr(Folder, "stat", asked)
        (problem,) = build(site, NEW).diagnostics
    assert problem.message == "cannot be written: another program has replaced a folder of this build"
    assert not (site / "public").is_symlink()
    assert tree(tmp_path / "old") == OLD


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_first_output_that_cannot_be_moved_back_leaves_no_link(
    kind: str, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    spare = site / ".devlog" / "spare"
    move = Folder.move

    def moved(folder: Folder, name: str, target: Folder, new_name: str) -> None:
        if new_name == "public":
            spare.rename(tmp_path / "new")
            spare.symlink_to(elsewhere)
        elif new_name == "spare":
            spare.mkdir() if kind == "folder" else spare.write_text("x")
        move(folder, name, target, new_name)

    with monkeypatch.context() as patch:
        patch.setattr(Folder, "move", moved)
        (problem,) = build(site, NEW).diagnostics
    assert problem.message == "cannot be written: another program has replaced a folder of this build"
    assert not os.path.lexists(site / "public")


def test_what_others_remove_meanwhile_is_no_obstacle(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(site, OLD)
    (site / "public" / "mine").mkdir()
    link = os.link

    def remove(name: str, *arguments: Any, **named: Any) -> None:
        if name == "index.html":
            (site / "public" / "mine").rmdir()
        link(name, *arguments, **named)

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", remove)
        build(site, {**NEW, "index.html": OLD["index.html"]})
    assert {**tree(site / "public"), "mine/": b""} == {**NEW, "index.html": OLD["index.html"], "mine/": b""}


# -- a program that stands in the output folder while it is replaced


def in_former(site: Path, *plans: Plan) -> Path:
    """Builds in a row; returns the output folder of the last but one, as a shell in it would see it."""
    for plan in plans:
        assert build(site, plan).diagnostics == ()
    return site / ".devlog" / "spare"


def test_what_is_put_into_the_former_output_comes_along(site: Path) -> None:
    former = in_former(site, OLD, NEW)
    (former / "CNAME").write_text("log.example.org")
    (former / "a" / "own" / "deep").mkdir(parents=True)
    (former / "a" / "own" / "deep" / "x.txt").write_text("x")
    (former / "gone" / "x" / "late.txt").write_text("late")
    (former / "empty").mkdir()
    others = {"CNAME": b"log.example.org", "a/own/deep/x.txt": b"x", "gone/x/late.txt": b"late", "empty/": b""}
    for plan in (OLD, NEW, OLD):
        assert swapped(site, plan)
        assert tree(site / "public") == {**plan, **others}


def test_what_a_build_in_place_removes_does_not_come_back(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container to which the output folder is mounted: the former output still has the page."""
    former = in_former(site, OLD, NEW)
    (former / "CNAME").write_text("log.example.org")
    without = {path: data for path, data in NEW.items() if path != "c/d/e.html"}
    in_former(site, NEW | {"a/index.html": b"a3"})
    with monkeypatch.context() as there:
        there.setattr(calls, "_CALLS", {})
        assert not swapped(site, without)
    assert swapped(site, without | {"index.html": b"newer"})
    assert tree(site / "public") == without | {"index.html": b"newer", "CNAME": b"log.example.org"}


def test_files_with_times_ahead_that_no_manifest_has_are_not_new(site: Path) -> None:
    """As after a copy of the site, or a program that has given its files another time."""
    build(site, OLD)
    (site / "public" / "CNAME").write_text("log.example.org", "utf-8")
    for path in (*OLD, "CNAME"):
        os.utime(site / "public" / path, (4e9, 4e9))
    assert swapped(site, NEW)
    (site / "public" / "CNAME").unlink()
    for plan in (OLD, NEW, OLD):
        assert swapped(site, plan)
        assert tree(site / "public") == plan
    assert not (site / ".devlog" / "kept").exists()


def test_pages_of_a_clock_that_was_ahead_are_those_of_devlog(site: Path) -> None:
    """The clock was set back after the first build, so its pages seem to be later than the exchange of the folders."""
    build(site, OLD)
    later = time.time_ns() + 10**12
    for path in OLD:
        os.utime(site / "public" / path, ns=(later, later))
    manifest, _ = load_manifest(site, "public")
    entries = {path: msgspec.structs.replace(entry, mtime_ns=later) for path, entry in manifest.entries.items()}
    (site / "public" / MANIFEST).write_bytes(msgspec.json.encode(msgspec.structs.replace(manifest, entries=entries)))
    for plan in (NEW, OLD, NEW):
        assert swapped(site, plan)
        assert tree(site / "public") == plan
    (site / ".devlog" / "spare" / "index.html").write_bytes(b"of another program")
    os.utime(site / ".devlog" / "spare" / "index.html", ns=(later + 1, later + 1))
    (problem,) = build(site, OLD).diagnostics
    assert (problem.code, problem.span.path) == ("kept-output", "public/index.html")


def test_a_manifest_does_not_tell_what_is_not_published(site: Path) -> None:
    in_former(site, OLD, OLD | {"log/layoffs/index.html": b"draft"}, OLD)
    manifest = (site / "public/.devlog-manifest.json").read_text()
    assert "swapped" in manifest
    assert "layoffs" not in manifest


def test_a_shell_in_the_output_folder_loses_nothing(site: Path) -> None:
    build(site, OLD)
    with subprocess.Popen(["sh"], cwd=site / "public", stdin=subprocess.PIPE, text=True) as shell:
        assert shell.stdin
        assert swapped(site, NEW)
        shell.stdin.write("echo log.example.org >CNAME; echo page >page.html; mv page.html a/\n")
    assert swapped(site, OLD)
    assert tree(site / "public") == {**OLD, "CNAME": b"log.example.org\n", "a/page.html": b"page\n"}


def test_files_of_others_may_have_names_of_any_bytes(site: Path) -> None:
    build(site, OLD)
    odd = Path(os.fsdecode(b"caf\xe9"))
    (site / "public" / odd).mkdir()
    (site / "public" / odd / odd).write_text("x")
    assert swapped(site, NEW)
    time.sleep(0.02)
    (site / ".devlog" / "spare" / odd / "late").write_text("late")
    (site / ".devlog" / "spare" / "a" / odd).write_text("y")
    for plan in (OLD, NEW):
        assert swapped(site, plan)
        assert {path.relative_to(site / "public") for path in (site / "public").rglob(str(odd))} == {
            odd,
            odd / odd,
            "a" / odd,
        }
        assert (site / "public" / odd / "late").read_text() == "late"


def publish_there(site: Path, plan: Plan) -> None:
    """Builds into another folder than the configured one."""
    manifest, _ = load_manifest(site, "dist")
    with staging(site, "dist", manifest) as stage:
        stage.keep_apart("public")
        for path, data in plan.items():
            stage.add(Planned(path, data.hex(), data))
        assert stage.commit({}).diagnostics == ()


def test_a_former_output_is_not_taken_for_that_of_another_folder(site: Path) -> None:
    publish_there(site, OLD)
    former = in_former(site, OLD, NEW)
    (former / "CNAME").write_text("log.example.org")
    publish_there(site, NEW)
    assert tree(site / "dist") == NEW
    assert (former / "CNAME").exists()
    assert swapped(site, OLD)
    assert tree(site / "public") == {**OLD, "CNAME": b"log.example.org"}


def others_of(site: Path) -> list[Path]:
    """The spare folders of other outputs than the configured one."""
    return list((site / ".devlog").glob("spare-*"))


def test_the_spare_folder_of_an_output_that_nobody_uses_is_removed(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for plan in (OLD, NEW):
        publish_there(site, plan)
    (site / "dist" / "CNAME").write_text("log.example.org")
    publish_there(site, OLD)
    publish_there(site, NEW)  # now the file is in both folders
    in_former(site, OLD, NEW)
    assert others_of(site)
    monkeypatch.setattr(unused, "UNUSED_SECONDS", -60)
    publish_there(site, OLD)
    assert others_of(site)
    in_former(site, OLD)
    assert not others_of(site)
    assert tree(site / "dist") == {**OLD, "CNAME": b"log.example.org"}
    publish_there(site, NEW)
    assert tree(site / "dist") == {**NEW, "CNAME": b"log.example.org"}


@pytest.mark.parametrize("kind", ["file", "edit", "folder", "link", "links", "last", "manifest"])
def test_what_others_have_in_an_unused_spare_folder_stays(
    site: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    for plan in (OLD, NEW):
        publish_there(site, plan)
    (site / "dist" / "CNAME").write_text("log.example.org")
    publish_there(site, OLD)
    publish_there(site, NEW)
    (spare,) = others_of(site)
    match kind:
        case "file":
            (spare / "a" / "x").write_text("mine")
        case "edit":
            (spare / "a" / "index.html").write_text("mine")
        case "folder":
            (spare / "a" / "empty").mkdir()
        case "link":
            (spare / "a" / "link").symlink_to("index.html")
        case "links":
            (spare / "a" / "x").write_text("mine")
            (spare / "y").hardlink_to(spare / "a" / "x")
        case "last":
            shutil.rmtree(site / "dist")
        case _:
            (spare / MANIFEST).write_bytes(b"{}]")
    before = tree(spare)
    monkeypatch.setattr(unused, "UNUSED_SECONDS", -60)
    in_former(site, OLD, NEW)
    assert tree(spare) == before


def test_what_cannot_come_along_is_kept_and_told(site: Path) -> None:
    former = in_former(site, OLD, NEW)
    (former / "e").write_text("e: a folder of the next site")
    (former / "f.html").write_text("f: a file of the next site")
    (former / "CNAME").write_text("older")
    (site / "public" / "CNAME").write_text("newer")
    (former / "index.html").unlink()
    (former / "index.html").write_text("edited")
    (former / "c").mkdir()
    (former / "c" / "d").write_text("c/d: a folder of the site")
    found = build(site, {**OLD, "e/index.html": b"e", "f.html": b"f"}).diagnostics
    assert {(problem.code, problem.severity) for problem in found} == {("kept-output", "warning")}
    kept = {"CNAME", "c/d", "e", "f.html", "index.html"}
    assert {problem.span.path for problem in found} == {f"public/{path}" for path in kept}
    assert tree(site / ".devlog" / "kept" / "1").keys() == kept
    assert "is kept as “.devlog/kept/1/CNAME”" in found[0].message
    assert tree(site / "public") == {**OLD, "e/index.html": b"e", "f.html": b"f", "CNAME": b"newer"}
    (site / ".devlog" / "spare" / "index.html").unlink()
    (site / ".devlog" / "spare" / "index.html").write_text("again")
    build(site, NEW)
    assert tree(site / ".devlog" / "kept" / "2") == {"index.html": b"again"}


def test_what_is_written_into_a_file_that_others_have_removed_is_kept(site: Path) -> None:
    build(site, OLD)
    for name in ("CNAME", "moved", "removed"):
        (site / "public" / name).write_text("x")
    assert swapped(site, NEW)
    former = site / ".devlog" / "spare"
    (site / "public" / "CNAME").unlink()
    (site / "public" / "removed").unlink()
    (site / "public" / "moved").rename(site / "public" / "elsewhere")
    time.sleep(0.02)  # the clock of file systems is slower than the test
    (former / "CNAME").write_text("log.example.org")
    (former / "moved").write_text("y")  # which is “elsewhere” in the output
    (problem,) = build(site, OLD).diagnostics
    assert (problem.span.path, problem.code) == ("public/CNAME", "kept-output")
    assert tree(site / ".devlog" / "kept" / "1") == {"CNAME": b"log.example.org"}
    assert tree(site / "public") == {**OLD, "elsewhere": b"y"}


def kill(site: Path, plan: Plan, where: str, output: str = "public") -> None:
    """Builds in a process that dies before it calls a function of the module."""
    script = (
        "import os\nfrom pathlib import Path\nfrom test_swap import build, swap\n"
        f"swap.{where} = lambda *_, **__: os._exit(9)\n"
        f"build(Path({str(site)!r}), {plan!r}, {output!r})\n"
    )
    path = os.pathsep.join((str(TESTS.parent.parent), str(TESTS.parent), str(TESTS)))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    assert subprocess.run([sys.executable, "-c", script], env=environment, check=False).returncode == 9


def test_what_others_wrote_survives_a_build_that_is_killed_while_it_aligns(site: Path) -> None:
    build(site, OLD)
    (site / "public" / "own" / "deep").mkdir(parents=True)
    (site / "public" / "own" / "deep" / "CNAME").write_text("log.example.org")
    assert swapped(site, NEW)
    assert swapped(site, OLD)
    (site / ".devlog" / "spare" / "own" / "deep" / "late.txt").write_text("late")
    kill(site, NEW, "Mirror._descend")
    (site / ".devlog" / "spare" / "later.txt").write_text("later")
    (site / "public" / "own" / "deep" / "CNAME").rename(site / "public" / "CNAME")
    (problem, other) = build(site, NEW).diagnostics
    assert (problem.span.path, other.span.path) == ("public/later.txt", "public/own/deep/late.txt")
    assert tree(site / ".devlog" / "kept") == {"1/later.txt": b"later", "1/own/deep/late.txt": b"late"}
    assert tree(site / "public") == {**NEW, "CNAME": b"log.example.org", "own/deep/": b""}
    for plan in (OLD, NEW):
        assert swapped(site, plan)


@pytest.mark.parametrize("has_manifest", [True, False])
def test_what_others_removed_after_a_build_was_killed_while_it_aligned_does_not_come_back(
    site: Path, has_manifest: bool
) -> None:
    """The killed build has linked the file into the spare folder, where nobody has put it."""
    former = in_former(site, OLD, NEW)
    for folder in ("mine", "moved", "empty"):
        (site / "public" / folder).mkdir()
    (site / "public" / "mine" / "x").write_text("x")
    (site / "public" / "moved" / "y").write_text("y")
    if not has_manifest:
        (former / MANIFEST).unlink()
    kill(site, OLD, "stage_manifest")
    assert (former / "mine" / "x").exists()
    shutil.rmtree(site / "public" / "mine")
    (site / "public" / "empty").rmdir()
    (site / "public" / "moved").rename(site / "public" / "new")
    problems = build(site, OLD).diagnostics
    assert [problem.code for problem in problems] == ["kept-output"]
    assert tree(site / ".devlog" / "kept") == {"1/mine/x": b"x"}  # it might have been put there since
    for plan in (NEW, OLD):
        assert swapped(site, plan)
        assert tree(site / "public") == {**plan, "new/y": b"y"}


def _killed(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_what_others_have_removed_does_not_come_back(site: Path) -> None:
    build(site, OLD)
    public = site / "public"
    (public / "CNAME").write_text("x")
    (public / "own" / "empty").mkdir(parents=True)
    (public / "own" / "x").write_text("x")
    assert swapped(site, NEW)
    (public / "CNAME").unlink()
    (public / "a" / "index.html").unlink()
    shutil.rmtree(public / "own")
    for plan in (OLD, NEW, OLD):
        assert swapped(site, plan)
        assert tree(public) == plan


def test_a_killed_builds_spare_folder_brings_nothing_back(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for plan in (OLD, NEW):
        build(site, plan)

    def die(*_arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as dying:
        dying.setattr(swap.Backstage, "_change_places", die)
        with pytest.raises(KeyboardInterrupt):
            build(site, {**NEW, "lost.html": b"of a post that is withdrawn"})
    assert (site / ".devlog" / "spare" / "lost.html").exists()
    assert build(site, OLD).diagnostics == ()
    assert tree(site / "public") == OLD


# -- a spare folder that is not the former output of this one


def told(site: Path, plan: Plan, output: str) -> list[str]:
    """Builds, and returns the messages about kept files."""
    problems = build(site, plan, output).diagnostics
    assert {problem.code for problem in problems} <= {"kept-output"}
    assert {path: data for path, data in tree(site / output).items() if path in plan} == plan
    return [f"{problem.span.path} {problem.message}" for problem in problems]


def kept(name: str, number: int = 1) -> str:
    place = f".devlog/kept/{number}/{name}"
    return f".devlog/spare/{name} was added to the output of an earlier build; it is kept as “{place}”"


@pytest.mark.parametrize("is_first", [True, False])
def test_what_is_put_into_a_former_output_of_another_name_is_kept_and_told(site: Path, is_first: bool) -> None:
    """As after a change of ``output`` in the configuration, or with two configurations in one folder."""
    if not is_first:
        build(site, NEW, "www")
    (former := in_former(site, OLD, NEW)).joinpath("CNAME").write_text("log.example.org")
    (former / "a" / "own").mkdir()
    (former / "a" / "own" / "link").symlink_to("nowhere")
    (former / "a" / "index.html").unlink()
    (former / "a" / "index.html").write_text("edited")
    assert told(site, OLD, "www") == [kept("CNAME"), kept("a/index.html"), kept("a/own/link")]
    assert tree(site / "www") == OLD
    assert tree(site / ".devlog" / "kept") == {
        "1/CNAME": b"log.example.org",
        "1/a/index.html": b"edited",
        "1/a/own/link": b"-> nowhere",
    }
    assert tree(site / "public") == NEW
    for output in ("public", "www", "public", "www"):
        for plan in (OLD, NEW):
            assert told(site, plan, output) == []


def test_files_of_others_in_two_outputs_are_no_leftovers(site: Path) -> None:
    for output in ("public", "www"):
        build(site, OLD, output)
        (site / output / "CNAME").write_text(output)
        (site / output / "own" / "empty").mkdir(parents=True)
    for plan in (NEW, OLD, {**OLD, "index.html": b"third"}):
        for output in ("public", "www"):
            assert told(site, plan, output) == []
            assert tree(site / output) == {**plan, "CNAME": output.encode(), "own/empty/": b""}


def test_many_kept_files_are_told_at_once(site: Path) -> None:
    former = in_former(site, OLD, NEW)
    for number in range(6):
        (former / "a" / f"{number}.txt").write_text("x")
    (message,) = told(site, OLD, "www")
    assert message.startswith(".devlog/spare/a/0.txt and 5 other files were added to the output of an earlier build")
    assert message.endswith("; they are kept in “.devlog/kept/1”")
    assert len(tree(site / ".devlog" / "kept")) == 6


def test_what_was_removed_with_the_output_folder_is_not_kept(site: Path) -> None:
    """As when another program adds its files to the output after each build, and a clean build is wanted."""
    build(site, OLD)
    (site / "public" / "own").mkdir()
    (site / "public" / "own" / "index.bin").write_text("own")
    in_former(site, NEW)
    shutil.rmtree(site / "public")
    assert told(site, NEW, "public") == []
    assert tree(site / "public") == NEW


@pytest.mark.parametrize("is_moved", [True, False])
def test_what_is_put_into_a_former_output_that_is_gone_since_is_kept_and_told(site: Path, is_moved: bool) -> None:
    former = in_former(site, OLD, NEW)
    time.sleep(0.02)  # the clock of file systems is slower than the test
    (former / "CNAME").write_text("log.example.org")
    if is_moved:
        (site / "public").rename(site / "elsewhere")
    else:
        shutil.rmtree(site / "public")
    assert told(site, NEW, "public") == [kept("CNAME")]
    assert tree(site / "public") == NEW


def test_what_is_put_into_a_former_output_without_a_manifest_comes_along(site: Path) -> None:
    former = in_former(site, OLD, NEW)
    shutil.rmtree(former / "a")
    (former / MANIFEST).unlink()
    (former / "CNAME").write_text("log.example.org")
    assert told(site, OLD, "public") == []
    assert tree(site / "public") == {**OLD, "CNAME": b"log.example.org"}


def test_what_is_put_into_the_spare_folder_of_a_killed_build_is_kept_and_told(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_former(site, OLD)
    (site / "public" / "own").write_text("own")
    former = in_former(site, NEW)
    with monkeypatch.context() as dying:
        dying.setattr(swap.Backstage, "_change_places", _killed)
        with pytest.raises(KeyboardInterrupt):
            build(site, {**NEW, "lost.html": b"of a post that is withdrawn"})
    (former / "CNAME").write_text("log.example.org")
    assert told(site, OLD, "public") == [kept("CNAME")]
    assert tree(site / "public") == {**OLD, "own": b"own"}


def test_nothing_of_a_copied_site_is_taken_for_a_leftover(site: Path, tmp_path: Path) -> None:
    """Its files have other times, and none has a second link."""
    in_former(site, OLD)
    (site / "public" / "own").write_text("own")
    (site / "public" / "link").symlink_to("nowhere")
    in_former(site, NEW, OLD)
    (site / ".devlog" / "spare" / "CNAME").write_text("log.example.org")
    copy = tmp_path / "copy"
    for folder in ("public", ".devlog"):
        shutil.copytree(site / folder, copy / folder, symlinks=True, copy_function=shutil.copyfile)
    assert told(copy, NEW, "public") == [kept("CNAME")]
    assert tree(copy / "public") == {**NEW, "own": b"own", "link": b"-> nowhere"}


@pytest.mark.parametrize("output", ["public", "www"])
def test_what_is_kept_is_told_if_the_build_fails(site: Path, monkeypatch: pytest.MonkeyPatch, output: str) -> None:
    former = in_former(site, OLD, NEW)
    (former / "CNAME").write_text("older")
    (site / "public" / "CNAME").write_text("newer")

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as full:
        full.setattr(swap, "stage_manifest", fail)
        assert [problem.code for problem in build(site, OLD, output).diagnostics] == ["cannot-write", "kept-output"]
    assert tree(site / ".devlog" / "kept") == {"1/CNAME": b"older"}
    assert told(site, OLD, output) == []


def test_a_former_output_too_deep_to_look_through_stays(site: Path) -> None:
    former = in_former(site, OLD, NEW)
    shutil.rmtree(site / "public")
    deep = former / "mine" / "/".join(["d"] * 1200)
    subprocess.run(["mkdir", "-p", str(deep)], check=True)  # Python's own ways recurse, here and for removing
    try:
        assert told(site, NEW, "public") == []
        assert deep.is_dir()
    finally:
        subprocess.run(["rm", "-r", str(site)], check=True)


# -- an output folder outside of the site, with the spare folder beside it


@pytest.fixture
def elsewhere(site: Path) -> Path:
    """An output folder elsewhere, in which a file of somebody is."""
    output = site.parent / "elsewhere" / "www"
    build(site, OLD, str(output))
    (output / "CNAME").write_text("mine")
    return output


def hidden_beside(output: Path) -> Path:
    return output.with_name(".www.devlog")


def test_what_is_put_into_a_former_output_elsewhere_of_a_killed_build_comes_along(site: Path, elsewhere: Path) -> None:
    kill(site, NEW, "Backstage._bring_late", str(elsewhere))
    former = hidden_beside(elsewhere) / "spare"
    assert tree(elsewhere) == {**NEW, "CNAME": b"mine"}
    time.sleep(0.02)  # the clock of file systems is slower than the test
    (former / "a" / "late").write_text("late")
    (former / "index.html").write_text("edited")
    assert not swapped(site, NEW, str(elsewhere))  # it has nothing to do
    assert (former / "a" / "late").exists()
    (problem,) = build(site, OLD, str(elsewhere)).diagnostics
    kept = hidden_beside(elsewhere) / "kept" / "1" / "index.html"
    assert (problem.code, problem.span.path) == ("kept-output", f"{elsewhere}/index.html")
    assert problem.message.endswith(f"it is kept as “{kept}”")
    for plan in (NEW, OLD):
        assert swapped(site, plan, str(elsewhere))
        assert tree(elsewhere) == {**plan, "CNAME": b"mine", "a/late": b"late"}
        assert tree(hidden_beside(elsewhere)) == {"made-by-devlog": b"", "kept/1/index.html": b"edited"}
    shutil.rmtree(hidden_beside(elsewhere) / "kept")
    assert not swapped(site, OLD, str(elsewhere))
    assert not hidden_beside(elsewhere).exists()


def test_what_is_put_into_a_former_output_elsewhere_of_a_killed_build_is_kept_if_that_is_gone(
    site: Path, elsewhere: Path
) -> None:
    kill(site, NEW, "Backstage._bring_late", str(elsewhere))
    time.sleep(0.02)  # the clock of file systems is slower than the test
    (hidden_beside(elsewhere) / "spare" / "late").write_text("late")
    shutil.rmtree(elsewhere)
    (message,) = told(site, OLD, str(elsewhere))
    assert message.startswith(f"{hidden_beside(elsewhere)}/spare/late was added to the output")
    assert tree(elsewhere) == OLD
    assert tree(hidden_beside(elsewhere)) == {"made-by-devlog": b"", "kept/1/late": b"late"}


def test_what_is_put_into_a_former_output_elsewhere_while_it_is_removed_comes_along(
    site: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = swap.has_new

    def put_after(spare: Folder, top: Folder | None) -> bool:
        found = looks(spare, top)
        for name in ("late", "a/late"):
            os.close(os.open(name, os.O_CREAT | os.O_WRONLY | os.O_EXCL, dir_fd=spare.fd))
        return found

    with monkeypatch.context() as putting:
        putting.setattr(swap, "has_new", put_after)
        assert swapped(site, NEW, str(elsewhere))
    left = tree(hidden_beside(elsewhere) / "spare")
    assert left.keys() - {MANIFEST} == {"late", "a/late"}
    assert swapped(site, OLD, str(elsewhere))
    assert tree(elsewhere) == {**OLD, "CNAME": b"mine", "late": b"", "a/late": b""}
    assert not hidden_beside(elsewhere).exists()


@pytest.mark.parametrize("where", ["Backstage._bring_late", "_sweep_beside", "Mirror.align", "stage_manifest"])
def test_nothing_of_a_build_elsewhere_that_was_killed_stays(site: Path, elsewhere: Path, where: str) -> None:
    (elsewhere / "a" / "index.html").write_text("edited")
    kill(site, NEW, where, str(elsewhere))
    assert hidden_beside(elsewhere).exists()
    for plan in (NEW, OLD):
        build(site, plan, str(elsewhere))
        assert tree(elsewhere) == {**plan, "CNAME": b"mine"}
        if plan == OLD:
            assert [path.name for path in elsewhere.parent.iterdir()] == ["www"]


def test_what_is_put_into_a_former_output_elsewhere_before_it_is_removed_comes_along(
    site: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    former = hidden_beside(elsewhere) / "spare"
    (elsewhere / "mine" / "empty").mkdir(parents=True)
    (elsewhere / "a" / "index.html").write_text("edited")  # which the build replaces, and reports
    bring = swap.Backstage._bring_late

    def write_after(*arguments: Any) -> None:
        bring(*arguments)
        (former / "a" / "late").write_text("late")

    with monkeypatch.context() as patch:
        patch.setattr(swap.Backstage, "_bring_late", write_after)
        assert [problem.code for problem in build(site, NEW, str(elsewhere)).diagnostics] == ["edited-output"]
    assert (former / "a" / "late").exists()
    (elsewhere / "a" / "index.html").write_text("edited")
    assert [problem.code for problem in build(site, OLD, str(elsewhere)).diagnostics] == ["edited-output"]
    assert tree(elsewhere) == {**OLD, "CNAME": b"mine", "mine/empty/": b"", "a/late": b"late"}
    assert [path.name for path in elsewhere.parent.iterdir()] == ["www"]
