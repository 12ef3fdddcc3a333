"""What other programs put into the former output folder is published with the next one, or kept and reported."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from disk_trees import tree
from swapped_output import NEW, OLD, Plan, build, in_former, kill, swapped

from devlog.disk import calls, swap, unused
from devlog.disk.folder import Folder
from devlog.disk.manifest import MANIFEST, load_manifest
from devlog.disk.write import Planned, staging


@pytest.fixture
def site(tmp_path: Path) -> Path:
    root = tmp_path / "my site"
    root.mkdir()
    return root


# -- a program that stands in the output folder while it is replaced


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
