"""Two folders change places: what comes along, what is left behind, and what happens where they cannot."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from disk_trees import tree
from swapped_output import NEW, OLD, Plan, build, inode, swapped

from devlog.disk import calls, swap
from devlog.disk.folder import Folder
from devlog.disk.manifest import MANIFEST, STAGE, load_manifest
from devlog.disk.write import Planned, staging

Exchange = Callable[[int, str, int, str], None]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    root = tmp_path / "my site"
    root.mkdir()
    return root


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
