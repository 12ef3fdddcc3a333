"""The output folder becomes the plan; what is not devlog's survives; a failure leaves the old site."""

from __future__ import annotations

import errno
import os
import shutil
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from disk_trees import publish, tree

from devlog.disk import calls
from devlog.disk.folder import Folder
from devlog.disk.guard import another_site, check_output
from devlog.disk.lock import BusyError, lock, open_alone
from devlog.disk.manifest import MANIFEST, STAGE, Manifest, Owner, load_manifest, owner_of, unchanged
from devlog.disk.read import read_static
from devlog.disk.write import Copy, Planned, Published, staging
from devlog.model.diagnostic import Diagnostic

Plan = dict[str, bytes]
OLD: Plan = {"index.html": b"old", "a/index.html": b"a", "a/b/index.html": b"same", "gone/x/y.html": b"y"}
NEW: Plan = {"index.html": b"new", "a/index.html": b"a2", "a/b/index.html": b"same", "c/d/e.html": b"e"}


@pytest.fixture(autouse=True, params=["swap", "in place"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Once as a whole, and once as on systems where folders cannot change places."""
    if request.param == "in place":
        monkeypatch.setattr(calls, "_CALLS", {})
    return str(request.param)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    root = tmp_path / "site"
    (root / "content").mkdir(parents=True)
    return root


def build(site: Path, plan: Plan, output: str = "public") -> Published:
    """Publish as the pipeline does: what is unchanged and has the right key is kept."""
    manifest, found = load_manifest(site, output)
    ours = unchanged(site, output, manifest)
    keep = {path: entry for path, entry in ours.items() if path in plan and entry.key == plan[path].hex()}
    planned = [Planned(path, data.hex(), data) for path, data in plan.items() if path not in keep]
    result = publish(site, output, manifest, planned, keep=keep, inputs=("content", "static"))
    return Published(result.written, result.unchanged, result.removed, (*found, *result.diagnostics))


def codes(result: Published) -> list[tuple[str, str]]:
    return [(problem.span.path, problem.code) for problem in result.diagnostics]


def test_a_site_comes_changes_and_goes(site: Path) -> None:
    result = build(site, OLD)
    assert (result.written, result.diagnostics) == (tuple(sorted(OLD)), ())
    assert tree(site / "public") == OLD
    result = build(site, NEW)
    assert result.written == ("a/index.html", "c/d/e.html", "index.html")
    assert result.unchanged == ("a/b/index.html",)
    assert result.removed == ("gone/x/y.html",)
    assert result.diagnostics == ()
    assert tree(site / "public") == NEW
    assert build(site, {}).removed == tuple(sorted(NEW))
    assert tree(site / "public") == {}


def test_nothing_is_written_when_nothing_changed(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(site, OLD)

    def refuse(*arguments: object, **named: object) -> int:
        raise AssertionError("written")

    monkeypatch.setattr(Folder, "create_file", refuse)
    result = build(site, OLD)
    assert (result.written, result.removed) == ((), ())
    assert result.unchanged == tuple(sorted(OLD))


def test_equal_bytes_are_not_rewritten(site: Path) -> None:
    build(site, OLD)
    file = site / "public" / "index.html"
    before = file.stat()
    manifest, _ = load_manifest(site, "public")
    planned = [Planned(path, "another key", data) for path, data in OLD.items()]
    assert publish(site, "public", manifest, planned).written == ()
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    manifest, _ = load_manifest(site, "public")
    assert {entry.key for entry in manifest.entries.values()} == {"another key"}


def test_another_time_alone_is_no_change(site: Path) -> None:
    build(site, OLD)
    os.utime(site / "public" / "index.html", (1, 1))
    manifest, _ = load_manifest(site, "public")
    found = unchanged(site, "public", manifest)
    assert set(found) == set(OLD)
    assert found["index.html"].mtime_ns == 1_000_000_000
    assert build(site, OLD).written == ()
    assert load_manifest(site, "public")[0].entries["index.html"].mtime_ns == 1_000_000_000


def test_files_are_published_for_all_to_read(site: Path) -> None:
    before = os.umask(0o022)
    try:
        build(site, OLD)
    finally:
        os.umask(before)
    for name, mode in (("index.html", 0o644), (MANIFEST, 0o644), ("a", 0o755), ("a/index.html", 0o644)):
        assert stat.S_IMODE((site / "public" / name).stat().st_mode) == mode


def test_assets_are_copied_and_checked(site: Path) -> None:
    (site / "static").mkdir()
    (site / "static" / "a.bin").write_bytes(b"x" * (3 << 20))
    (asset,) = read_static(site, "static").assets
    planned = [Planned(asset.path, asset.digest, Copy(site, asset.file, asset.digest))]
    assert publish(site, "public", Manifest(), planned).written == ("a.bin",)
    assert (site / "public" / "a.bin").read_bytes() == b"x" * (3 << 20)
    for change in (
        lambda file: file.write_bytes(b"y"),
        lambda file: file.unlink(),
        lambda file: file.symlink_to("/etc/passwd"),
    ):
        change(site / "static" / "a.bin")
        planned = [Planned("b.bin", asset.digest, Copy(site, asset.file, asset.digest))]
        result = publish(site, "public", load_manifest(site, "public")[0], planned)
        assert codes(result) == [("static/a.bin", "changed-while-building")]
        assert list(tree(site / "public")) == ["a.bin"]


@pytest.mark.parametrize("plan", [OLD, NEW], ids=["nothing to publish", "something to publish"])
def test_a_folder_in_the_staging_folder_stops_nothing(site: Path, plan: Plan) -> None:
    build(site, OLD)
    (site / "public" / STAGE / "a" / "b").mkdir(parents=True)
    (site / "public" / STAGE / "a" / "c").write_bytes(b"left behind")
    assert build(site, plan).diagnostics == ()
    assert tree(site / "public") == plan
    assert not (site / "public" / STAGE).exists()


def test_a_system_that_lets_nothing_be_read_is_no_change(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (site / "static").mkdir()
    (site / "static" / "a.bin").write_bytes(b"x")
    (asset,) = read_static(site, "static").assets
    planned = [Planned(asset.path, asset.digest, Copy(site, asset.file, asset.digest))]
    open_file = Folder.open_file

    def refuse(folder: Folder, name: str, **options: bool) -> int:
        if name == "a.bin":
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE), name)
        return open_file(folder, name, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Folder, "open_file", refuse)
        result = publish(site, "public", Manifest(), planned)
    (problem,) = result.diagnostics
    assert (problem.code, problem.span.path) == ("unreadable", "static/a.bin")
    assert problem.message == "cannot be read: too many open files"


@pytest.mark.parametrize("path", ["../x", "/x", "a/../../x", "con", ".git/config", STAGE + "/x", MANIFEST])
def test_an_unfit_path_is_an_error_of_the_plan(site: Path, path: str) -> None:
    with pytest.raises(ValueError, match=r"segment|absolute"):
        build(site, {path: b"x"})
    with pytest.raises(ValueError, match="twice"):
        build(site, {"A": b"x", "a": b"x"})


# -- what is not devlog's ------------------------------------------------------------------------------


def _git(site: Path) -> str:
    (site / "public" / ".git").mkdir(parents=True)
    return "public"


def _link(site: Path) -> str:
    (site / "real").mkdir()
    (site / "public").symlink_to("real")
    return "public"


def _full(site: Path) -> str:
    (site / "public").mkdir()
    (site / "public" / "photo.jpg").write_text("mine")
    return "public"


def _file(site: Path) -> str:
    (site / "public").write_text("mine")
    return "public"


UNSAFE: dict[str, str | Callable[[Path], str]] = {
    "the site": ".",
    "the site, absolute": str,
    "a parent": "..",
    "the root": "/",
    "home": str(Path.home()),
    "above home": str(Path.home().parent),
    "content": "content",
    "in content": "content/public",
    "static, which is missing": "static",
    "the cache": ".devlog/public",
    "through a parent": "public/../content",
    "git work tree": _git,
    "link": _link,
    "someone's folder": _full,
    "file": _file,
}


@pytest.mark.parametrize("make", UNSAFE.values(), ids=UNSAFE.keys())
def test_unsafe_outputs_are_refused_untouched(site: Path, make: str | Callable[[Path], str]) -> None:
    output = make if isinstance(make, str) else make(site)
    before = tree(site.parent)
    result = build(site, NEW, output)
    assert [problem.code for problem in result.diagnostics] == ["unsafe-output"]
    assert result.written == ()
    assert tree(site.parent) == before


def test_content_through_a_link_is_refused(site: Path) -> None:
    (site / "alias").symlink_to("content")
    assert check_output(site, "alias/public", ("content",))
    assert check_output(site, "alias", ("content",))


def test_safe_outputs(site: Path) -> None:
    assert build(site, OLD, str(site.parent / "elsewhere" / "www")).diagnostics == ()
    assert tree(site.parent / "elsewhere" / "www") == OLD
    (site / "public").mkdir()
    (site / "public" / ".gitignore").write_text("*")
    assert build(site, OLD).diagnostics == ()
    assert tree(site / "public") == {**OLD, ".gitignore": b"*"}


def test_foreign_files_survive(site: Path) -> None:
    build(site, OLD)
    public = site / "public"
    (public / "gone" / "x" / "mine.txt").write_text("mine")
    (public / "CNAME").write_text("mine")
    (public / "empty").mkdir()
    (public / "link").symlink_to("/etc")
    build(site, NEW)
    mine = {"gone/x/mine.txt": b"mine", "CNAME": b"mine", "empty/": b"", "link": b"-> /etc"}
    assert tree(public) == {**NEW, **mine}
    build(site, {})
    assert tree(public) == mine


def test_a_foreign_file_in_the_way_is_an_error(site: Path) -> None:
    build(site, OLD)
    (site / "public" / "c" / "d").mkdir(parents=True)
    (site / "public" / "c" / "d" / "e.html").write_text("mine")
    before = tree(site / "public")
    result = build(site, NEW)
    assert codes(result) == [("public/c/d/e.html", "foreign-output")]
    assert tree(site / "public") == before
    (site / "public" / "index.html").write_text("edited")  # but it is not replaced, either
    assert codes(build(site, NEW)) == [("public/c/d/e.html", "foreign-output")]
    (site / "public" / "index.html").write_bytes(before["index.html"])
    (site / "public" / "c" / "d" / "e.html").write_bytes(NEW["c/d/e.html"])
    assert build(site, NEW).diagnostics == ()
    assert "c/d/e.html" in load_manifest(site, "public")[0].entries


@pytest.mark.parametrize("name", ["c", "c/d", "c/d/e.html"])
@pytest.mark.parametrize("kind", ["link to a folder", "dangling link", "file", "pipe"])
def test_nothing_is_written_through_what_stands_in_the_way(site: Path, name: str, kind: str) -> None:
    build(site, OLD)
    (site / "outside").mkdir()
    place = site / "public" / name
    place.parent.mkdir(parents=True, exist_ok=True)
    if kind == "link to a folder":
        place.symlink_to(site / "outside")
    elif kind == "dangling link":
        place.symlink_to(site / "outside" / "new")
    elif kind == "file":
        place.write_text("mine")
    else:
        os.mkfifo(place)
    result = build(site, NEW)
    assert codes(result) == [(f"public/{name}", "foreign-output")]
    assert list((site / "outside").iterdir()) == []
    assert (site / "public" / "index.html").read_bytes() == b"old"


def test_nothing_is_removed_through_a_link(site: Path) -> None:
    build(site, OLD)
    (site / "public" / "gone").rename(site / "outside")
    (site / "public" / "gone").symlink_to(site / "outside")
    assert build(site, NEW).diagnostics == ()
    assert tree(site / "outside") == {"x/y.html": b"y"}
    assert tree(site / "public") == {**NEW, "gone": b"-> " + os.fsencode(site / "outside")}


@pytest.mark.parametrize("name", ["a", "a/b", "gone"])
def test_what_is_behind_a_link_is_not_unchanged(site: Path, name: str) -> None:
    build(site, OLD)
    (site / "public" / name).rename(site / "outside")
    (site / "public" / name).symlink_to(site / "outside")
    before = tree(site / "outside")
    manifest, _ = load_manifest(site, "public")
    others = {path for path in OLD if not path.startswith(f"{name}/")}
    assert set(unchanged(site, "public", manifest)) == others
    assert set(unchanged(site, "public", manifest, believing=False)) == others
    result = build(site, OLD)
    assert codes(result) == [(f"public/{name}", "foreign-output")]
    assert tree(site / "outside") == before


def test_each_folder_is_examined_once_however_many_files_it_has(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = {f"a/b/{folder}/{number}.html": b"x" for folder in range(3) for number in range(20)}
    build(site, plan)
    manifest, _ = load_manifest(site, "public")
    asked: list[str] = []

    def counted(path: str, **options: Any) -> os.stat_result:
        asked.append(path)
        return stat_of(path, **options)

    stat_of = os.stat
    monkeypatch.setattr(os, "stat", counted)
    assert set(unchanged(site, "public", manifest)) == set(plan)
    assert sorted(asked) == sorted([*plan, "a", "a/b", "a/b/0", "a/b/1", "a/b/2"])


def test_an_edited_stale_file_is_reported_and_left(site: Path) -> None:
    build(site, OLD)
    (site / "public" / "gone" / "x" / "y.html").write_text("edited")
    for _ in range(2):
        result = build(site, NEW)
        assert codes(result) == [("public/gone/x/y.html", "edited-output")]
        assert tree(site / "public") == {**NEW, "gone/x/y.html": b"edited"}
    (site / "public" / "gone" / "x" / "y.html").unlink()
    assert build(site, NEW).diagnostics == ()
    assert tree(site / "public") == NEW


def test_an_edited_file_of_the_site_is_reported_and_replaced(site: Path) -> None:
    build(site, OLD)
    for path in ("index.html", "a/index.html", "a/b/index.html"):
        (site / "public" / path).write_text("edited")
    result = build(site, OLD)
    assert codes(result) == [("public/a/b/index.html", "edited-output")]
    assert "2 other files" in result.diagnostics[0].message
    assert tree(site / "public") == OLD


def test_a_deleted_file_comes_back(site: Path) -> None:
    build(site, OLD)
    shutil.rmtree(site / "public" / "a")
    assert build(site, OLD).written == ("a/b/index.html", "a/index.html")
    assert tree(site / "public") == OLD


@pytest.mark.parametrize("damage", [b"", b"{", b'{"version": 99}', b"[]", b"\xff", b'{"entries": {"a": 1}}'])
def test_a_damaged_manifest(site: Path, damage: bytes) -> None:
    build(site, OLD)
    (site / "public" / MANIFEST).write_bytes(damage)
    result = build(site, OLD)
    assert codes(result) == [(f"public/{MANIFEST}", "damaged-manifest")]
    assert tree(site / "public") == OLD
    assert build(site, NEW).diagnostics == ()  # equal files have been taken over
    (site / "public" / MANIFEST).write_bytes(damage)
    assert codes(build(site, {})) == [(f"public/{MANIFEST}", "damaged-manifest")]
    assert tree(site / "public") == NEW


def test_a_hostile_manifest_reaches_nothing_outside(site: Path) -> None:
    build(site, {"x": b"x"})
    (site / "secret").write_bytes(b"x")
    manifest = (site / "public" / MANIFEST).read_text()
    for path in ("../secret", "a/../../secret", str(site / "secret"), "a" * 300, "a/" * 3_000 + "x"):
        (site / "public" / MANIFEST).write_text(manifest.replace('"x":', f'"{path}":', 1))
        assert build(site, {}).diagnostics == ()
        assert load_manifest(site, "public")[0].entries == {}
        assert (site / "secret").read_bytes() == b"x"
        assert (site / "public" / "x").exists()


@pytest.mark.slow
def test_a_manifest_without_an_end_is_damaged(site: Path) -> None:
    build(site, OLD)
    with (site / "public" / MANIFEST).open("r+b") as file:
        file.truncate(300 * 1024 * 1024)  # a hole, which needs no space
    result = build(site, OLD)
    assert codes(result) == [(f"public/{MANIFEST}", "damaged-manifest")]
    assert tree(site / "public") == OLD


def test_of_the_name_of_another_site_the_beginning_is_told() -> None:
    other = Owner("1", title="a" * 100_000)
    assert len(another_site(Manifest(owner=other), Owner("2"))) < 300


# -- files become folders, and the reverse -------------------------------------------------------------


def test_a_file_becomes_a_folder_and_back(site: Path) -> None:
    one, other = {"a": b"1", "b/c": b"2"}, {"a/index.html": b"1", "b": b"2"}
    for plan in (one, other, one, other):
        assert build(site, plan).diagnostics == ()
        assert tree(site / "public") == plan


def test_a_folder_of_someone_is_not_replaced(site: Path) -> None:
    build(site, {"b/c": b"2", "b/d/e": b"3"})
    (site / "public" / "b" / "d" / "mine").write_text("mine")
    result = build(site, {"b": b"2"})
    assert codes(result) == [("public/b/d/mine", "foreign-output")]
    (site / "public" / "b" / "d" / "mine").unlink()
    (site / "public" / "b" / "empty").mkdir()
    assert codes(build(site, {"b": b"2"})) == [("public/b/empty/", "foreign-output")]
    assert tree(site / "public") == {"b/c": b"2", "b/d/e": b"3", "b/empty/": b""}


def test_a_deep_folder_of_someone_is_in_the_way(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(site, {"a": b"1"})
    (site / "public/a").unlink()
    (site / "public/a").mkdir()
    with monkeypatch.context() as there:
        there.chdir(site / "public/a")
        for _ in range(1500):
            Path("d").mkdir()
            os.chdir("d")
        try:
            found = codes(build(site, {"a": b"2"}))
        finally:  # pytest cannot remove such a folder
            for _ in range(1500):
                os.chdir("..")
                Path("d").rmdir()
    ((place, code),) = found
    assert code == "foreign-output"
    assert place.startswith("public/a/d/d/")
    assert place.count("/") < 60


def test_a_folder_that_lost_its_files_is_replaced(site: Path) -> None:
    build(site, {"b/d/e": b"3"})
    (site / "public" / "b" / "d" / "e").unlink()
    assert build(site, {"b": b"2"}).diagnostics == ()
    assert tree(site / "public") == {"b": b"2"}


def test_a_plan_with_a_file_as_folder_is_refused(site: Path) -> None:
    build(site, OLD)
    result = build(site, {**NEW, "c": b"x"})
    assert codes(result) == [("public/c", "file-and-folder")]
    assert tree(site / "public") == OLD


@pytest.mark.parametrize("inside", ["", "mine"])
@pytest.mark.parametrize("plan", [OLD, NEW])
def test_a_folder_in_place_of_the_manifest_is_in_the_way(site: Path, plan: Plan, inside: str) -> None:
    """Whether there is something else to write or not."""
    build(site, OLD)
    (site / "public" / MANIFEST).unlink()
    (site / "public" / MANIFEST / inside).mkdir(parents=True)
    before = tree(site)
    (problem,) = build(site, plan).diagnostics
    assert (problem.span.path, problem.code) == ("public", "unsafe-output")
    assert f"contains a folder “{MANIFEST}”" in problem.message
    assert tree(site) == before


def test_a_file_of_the_last_build_in_the_way_of_a_folder_is_not_called_foreign(site: Path) -> None:
    build(site, {"c": b"x"})
    result = build(site, {"c": b"x", "c/d": b"y"})
    assert codes(result) == [("public/c", "file-and-folder")]
    assert tree(site / "public") == {"c": b"x"}


@pytest.fixture(params=["exact", "caseless"])
def _names(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once as here, and once as on systems where a name finds any spelling of itself."""
    if request.param == "exact":
        return
    exact = Folder._at

    def any_spelling(folder: Folder, name: str) -> str:
        spelled = [entry.name for entry in folder.scan() if entry.name.casefold() == name.casefold()]
        return exact(folder, spelled[0] if spelled else name)

    monkeypatch.setattr(Folder, "_at", any_spelling)


@pytest.mark.usefixtures("_names")
def test_respelled_paths(site: Path) -> None:
    one = {"Foo/index.html": b"1", "bar/X.png": b"2", "bar/y.png": b"3", "k/Z.html": b"z"}
    other = {"foo/index.html": b"1", "bar/x.png": b"2", "bar/y.png": b"3", "k/z.html": b"zz"}
    for plan in (one, other, one, {**one, "K2": b"1"}, other, {}):
        assert build(site, plan).diagnostics == ()
        assert tree(site / "public") == plan


# -- failures ------------------------------------------------------------------------------------------

SCRIPT = """
import os, sys, errno
from pathlib import Path
sys.path[:0] = [{here!r}]
from test_write import NEW, build
from devlog.disk import folder, write
site = Path({site!r})
{before}
result = build(site, {plan})
for problem in result.diagnostics:
    print(problem.span.path, problem.code, problem.message)
"""


def run(site: Path, before: str, plan: str = "NEW", prefix: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    script = SCRIPT.format(here=str(Path(__file__).parent), site=str(site), before=before, plan=plan)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [*prefix, sys.executable, "-c", script]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=60)


def _states(plan_before: Plan, plan_after: Plan, found: Plan) -> None:
    """Each file is whole: as before or as after."""
    for path, data in found.items():
        if not path.startswith(STAGE) and not path.endswith("/"):
            assert data in {plan_before.get(path), plan_after.get(path)}, path


@pytest.mark.parametrize("name", ["mkdir", "replace", "unlink", "fsync", "write", "open"])
def test_an_error_of_the_system_is_one_message(
    site: Path, way: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    function = getattr(os, name)
    for number in range(1, 100):
        shutil.rmtree(site / "public", ignore_errors=True)
        build(site, OLD)
        manifest, _ = load_manifest(site, "public")
        calls = 0

        def failing(*arguments: object, number: int = number, **named: object) -> object:
            nonlocal calls
            calls += 1
            if calls == number:
                raise OSError(28, "No space left on device")
            return function(*arguments, **named)

        planned = [Planned(path, data.hex(), data) for path, data in NEW.items()]
        with monkeypatch.context() as patch:
            patch.setattr(os, name, failing)
            result = publish(site, "public", manifest, planned)
        if calls < number:
            break
        if not result.diagnostics:  # it was an empty folder that could not be removed, for instance
            assert {path: data for path, data in tree(site / "public").items() if data} == NEW
            continue
        assert [problem.code for problem in result.diagnostics] == ["cannot-write"]
        assert "\n" not in result.diagnostics[0].message
        assert "the disk is full" in result.diagnostics[0].message
        found = tree(site / "public")
        _states(OLD, NEW, found)
        if way == "swap":
            assert found == OLD
        elif name in {"write", "mkdir"}:
            assert {path: data for path, data in found.items() if not path.endswith("/")} == OLD
        assert build(site, NEW).diagnostics == ()
        assert tree(site / "public") == NEW
    assert number > 1


@pytest.mark.slow
def test_a_limit_of_the_file_size(site: Path) -> None:
    build(site, OLD)
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))"
    done = run(site, limit, "{**NEW, 'big.html': b'x' * 50000}")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "public/big.html cannot-write cannot be written: too large for this file system\n"
    assert tree(site / "public") == OLD
    assert build(site, NEW).diagnostics == ()
    assert tree(site / "public") == NEW


@pytest.mark.slow
def test_a_full_disk(site: Path) -> None:
    unshare = shutil.which("unshare")
    if not unshare or subprocess.run([unshare, "-m", "true"], check=False, capture_output=True).returncode:
        pytest.skip("no mount of our own can be made here")
    (site / "public").mkdir()
    check = f"""
import subprocess
from test_write import OLD, tree
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", {str(site / "public")!r}], check=True)
assert not build(site, OLD).diagnostics
import atexit
def look():
    assert tree(site / "public") == OLD, tree(site / "public")
    assert build(site, NEW).diagnostics == ()
    assert tree(site / "public") == NEW
    print("intact")
atexit.register(look)
"""
    done = run(site, check, "{**NEW, 'big.html': b'x' * 100000}", (unshare, "-m"))
    assert done.stderr == ""
    message = "public/big.html cannot-write cannot be written: the disk is full"
    assert done.stdout.splitlines() == [message, "intact"]


# -- one build at a time -------------------------------------------------------------------------------

HOLD = """
import sys, time
from pathlib import Path
from devlog.disk.lock import BusyError, lock, open_alone
with lock(Path(sys.argv[1])) as problem:
    print("held" if problem is None else problem.message, flush=True)
    sys.stdin.read()
"""


def _hold(site: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", HOLD, str(site)]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    assert holder.stdout
    assert holder.stdout.readline() == "held\n"
    return holder


def _try(site: Path, wait: float = 0.0) -> Diagnostic | None:
    with lock(site, wait=wait) as problem:
        return problem


@pytest.mark.parametrize("odd", ["folder", "link", "socket"])
def test_whatever_has_taken_the_place_of_the_lock_goes(site: Path, odd: str) -> None:
    place = site / ".devlog" / "lock"
    place.parent.mkdir()
    (site / "mine").write_text("mine")
    if odd == "folder":
        (place / "in").mkdir(parents=True)
    elif odd == "link":
        place.symlink_to(site / "mine")
    else:
        with socket.socket(socket.AF_UNIX) as own:
            own.bind(os.path.relpath(place))
    assert _try(site) is None
    assert place.is_file()
    assert (site / "mine").read_text() == "mine"


def test_a_lock_that_cannot_be_made_says_why(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_folder: Folder, name: str) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)

    monkeypatch.setattr(Folder, "open_lock", refused)
    problem = _try(site)
    assert problem is not None
    assert problem.message == "cannot be written: permission denied"


@pytest.mark.parametrize("then", ["locked anew", "free"])
def test_a_lock_that_was_removed_while_another_process_waits(
    site: Path, monkeypatch: pytest.MonkeyPatch, then: str
) -> None:
    """As by `rm -rf .devlog`: the one who waits gets the lock of a file that no other process sees."""
    new: list[subprocess.Popen[str]] = []

    def remove(_seconds: float) -> None:
        if not new:
            shutil.rmtree(site / ".devlog")
            new.append(_hold(site))
            holder.communicate()
            if then == "free":
                new[0].communicate()

    with _hold(site) as holder:
        monkeypatch.setattr("time.sleep", remove)
        problem = _try(site, wait=30 if then == "free" else 0.2)
    assert (problem is None) == (then == "free")
    with new[0] as last:
        if problem:
            assert f"process {last.pid} " in problem.message
            last.communicate()


@pytest.mark.slow
def test_the_second_build_says_who_runs(site: Path) -> None:
    with _hold(site) as holder:
        problem = _try(site)
        assert problem is not None
        assert problem.code == "locked"
        assert f"process {holder.pid} on " in problem.message
        holder.communicate("")
    assert _try(site) is None
    assert _try(site) is None


def _publish_from(checkout: Path, output: Path, name: str) -> list[str]:
    """Publish a file from a checkout; the codes of what is wrong."""
    checkout.mkdir(exist_ok=True)
    manifest, _ = load_manifest(checkout, str(output))
    result = publish(checkout, str(output), manifest, [Planned(name, name, b"x")])
    return [code for _, code in codes(result)]


def test_two_checkouts_do_not_publish_into_one_folder_at_once(
    site: Path, tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "out"
    assert _publish_from(site, output, "first.html") == []
    manifest, _ = load_manifest(site, str(output))
    for module in ("swap", "write"):
        monkeypatch.setattr(f"devlog.disk.{module}.open_alone", partial(open_alone, wait=0.0))
    with staging(site, str(output), manifest) as stage:
        stage.add(Planned("a.html", "a", b"a"))
        assert _publish_from(tmp_path / "other", output, "b.html") == ["locked"]
        assert stage.commit({}).diagnostics == ()
    assert {path: data for path, data in tree(output).items() if path != MANIFEST} == {"a.html": b"a"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "out", "site"]
    assert _publish_from(tmp_path / "other", output, "b.html") == []


def test_what_was_published_meanwhile_from_another_checkout_stays(site: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    assert _publish_from(site, output, "first.html") == []
    manifest, _ = load_manifest(site, str(output))
    with staging(site, str(output), manifest) as stage:
        assert _publish_from(tmp_path / "other", output, "b.html") == []
        stage.add(Planned("a.html", "a", b"a"))
        assert codes(stage.commit({})) == [(str(output), "locked")]
    assert {path: data for path, data in tree(output).items() if path != MANIFEST} == {"b.html": b"x"}


def test_a_folder_that_its_holder_removed_is_made_anew(tmp_path: Path) -> None:
    with Folder.open(tmp_path) as parent, ExitStack() as waiting:
        held = open_alone(parent, "x")
        waited = threading.Thread(target=lambda: waiting.enter_context(open_alone(parent, "x")))
        waited.start()
        parent.remove_folder("x")
        held.close()
        waited.join()
        assert (tmp_path / "x").is_dir()
        with pytest.raises(BusyError):
            open_alone(parent, "x", wait=0)
    with Folder.open(tmp_path) as parent:
        open_alone(parent, "x", wait=0).close()


@pytest.mark.slow
def test_a_killed_holder_is_no_obstacle(site: Path) -> None:
    with _hold(site) as holder:
        holder.kill()
        holder.wait()
        assert f"process {holder.pid}" in (site / ".devlog" / "lock").read_text()
        assert _try(site, 10.0) is None


@pytest.mark.slow
def test_the_second_build_waits(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with _hold(site) as holder:
        assert holder.stdin
        stdin = holder.stdin
        sleep = time.sleep

        def release(seconds: float) -> None:
            if not stdin.closed:
                stdin.close()
            sleep(seconds)

        monkeypatch.setattr(time, "sleep", release)
        assert _try(site, 60.0) is None


@pytest.mark.slow
def test_the_second_build_waits_for_a_name(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has just taken the lock has not signed yet."""
    with _hold(site) as holder:
        file = site / ".devlog" / "lock"
        name = file.read_text()
        file.write_text("")
        sleep = time.sleep

        def sign(seconds: float) -> None:
            file.write_text(name)
            sleep(seconds)

        monkeypatch.setattr(time, "sleep", sign)
        problem = _try(site)
        assert problem is not None
        assert f"process {holder.pid} on " in problem.message
        holder.communicate("")


@pytest.mark.parametrize("names", ["d", "012"])
def test_folders_of_any_depth_are_removed(tmp_path: Path, names: str) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/file").write_text("x")
    top = os.open(tmp_path / "deep", os.O_RDONLY)
    for _ in range(2_000):
        for name in names:
            os.mkdir(name, dir_fd=top)
        os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=top))
        below = os.open(names[0], os.O_RDONLY, dir_fd=top)
        os.close(top)
        top = below
    os.close(top)
    with Folder.open(tmp_path) as folder:
        folder.remove_any("deep", is_folder=True)
    assert list(tmp_path.iterdir()) == []


def test_another_process_makes_the_same_folder(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mkdir = os.mkdir

    def made_twice(name: str, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        mkdir(name, mode, dir_fd=dir_fd)
        mkdir(name, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "mkdir", made_twice)
    with Folder.open(site) as top:
        top.folder("new", create=True).close()
        (site / "link").symlink_to("elsewhere")
        with pytest.raises(NotADirectoryError):
            top.folder("link", create=True)


def test_a_lock_of_another_name_is_not_signed(site: Path) -> None:
    (site / ".devlog").mkdir()
    (site / "mine").write_text("mine")
    (site / ".devlog" / "lock").hardlink_to(site / "mine")
    with lock(site) as problem:
        assert problem is None
    assert (site / "mine").read_text() == "mine"


@pytest.mark.slow
def test_builds_side_by_side(site: Path) -> None:
    script = (
        "import sys\nfrom pathlib import Path\n"
        f"sys.path[:0] = [{str(Path(__file__).parent)!r}]\n"
        "from devlog.disk.lock import lock\nfrom test_write import NEW, OLD, build\n"
        "with lock(Path(sys.argv[1]), wait=60) as problem:\n"
        "    assert problem is None\n"
        "    assert build(Path(sys.argv[1]), [NEW, OLD][int(sys.argv[2]) % 2]).diagnostics == ()\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"}
    builds = [
        subprocess.Popen([sys.executable, "-c", script, str(site), str(number)], env=environment) for number in range(8)
    ]
    assert [process.wait() for process in builds] == [0] * 8
    assert tree(site / "public") in (NEW, OLD)


def test_a_folder_that_is_gone_has_no_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    assert owner_of(Path(), "public", "https://lumen.example.org/", "Lumen") == Owner(
        "", "https://lumen.example.org/", "Lumen"
    )
