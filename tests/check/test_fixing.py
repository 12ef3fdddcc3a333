"""Mending: what is asked for and not a byte more, and nothing at all where that could lose something."""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cases_format import read_case
from check.fixable_site import FIXED_POST, INDEX, POST, SITE, A, B, files_of, fix_paths, tried
from check_cases import check_site, fix_site, git, problems_of, repository, tree
from disk.capabilities import as_mere_owner
from disk.stand_ins import OLDER, use
from hypothesis import given, settings
from hypothesis import strategies as st
from sites import NOW, build_site, read_tree, write_site

from devlog.checking import Checked, Options
from devlog.disk import git as running_git
from devlog.disk.read import ASSET_LIMIT
from devlog.fixing.change import Change
from devlog.fixing.run import Fixed, try_out
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.source import Source
from devlog.parse.front_matter.block import read_front_matter
from devlog.plugins.features import codes_of_builds
from devlog.report.checked import show_changes

# -- what makes other problems uncertain


def test_errors_in_the_configuration_come_first(tmp_path: Path) -> None:
    """With a wrong “ignore”, files would be fixed that it is meant to leave out."""
    root = write_site(tmp_path, {"devlog.toml": 'ignore = "vendor/*"\n', "content/vendor/a.md": POST, A: POST})
    before = tree(root)
    for done in (fix_paths(root), tried(root)):
        assert isinstance(done, Fixed)
        (refused,) = done.refused
        assert (refused.code, refused.span.path, refused.span.line) == ("nothing-fixed", "devlog.toml", 1)
    assert tree(root) == before


def test_what_cannot_be_read_comes_first(tmp_path: Path) -> None:
    root = write_site(tmp_path, {A: POST, "content/closed/b.md": POST})
    (root / "content/closed").chmod(0)
    with as_mere_owner():
        found = [fix_paths(root), tried(root)]
    (root / "content/closed").chmod(0o755)
    for done in found:
        assert isinstance(done, Fixed)
        assert [item.code for item in done.refused] == ["nothing-fixed"]
        assert done.changes == ()


# -- git


@pytest.mark.parametrize("place", ["ignored", "submodule"])
def test_what_git_cannot_restore_stays(tmp_path: Path, place: str) -> None:
    private = "content/storage/private/2026-05-02-b.md"
    root = write_site(tmp_path / "site", {A: POST})
    if place == "ignored":
        write_site(root, {".gitignore": "private/\n", private: POST})
    else:
        other = write_site(tmp_path / "other", {"2026-05-02-b.md": POST})
        repository(other)
        repository(root)
        git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "content/storage/private")
    repository(root)
    would, anyway = tried(root), tried(root, force=True)
    done = fix_paths(root)
    assert isinstance(done, Fixed)
    assert files_of(done) == files_of(would) == [A]
    assert would.refused == done.refused
    assert files_of(anyway) == [A, private]
    assert [(item.code, item.span.path) for item in done.refused] == [("uncommitted-changes", private)]
    assert (root / private).read_text() == POST
    assert private in files_of(fix_paths(root, force=True))


@pytest.mark.parametrize("mark", ["--skip-worktree", "--assume-unchanged"])
def test_what_git_does_not_compare_stays(tmp_path: Path, mark: str) -> None:
    root = write_site(tmp_path, SITE)
    repository(root)
    git(root, "update-index", mark, B)
    with (root / B).open("a") as file:
        file.write("An edit that is not committed.\n")
    before = (root / B).read_text()
    would, done = tried(root), fix_paths(root)
    assert isinstance(done, Fixed)
    assert files_of(done) == files_of(would) == [A]
    assert [(item.code, item.span.path) for item in done.refused] == [("uncommitted-changes", B)]
    assert would.refused == done.refused
    assert (root / B).read_text() == before
    assert B in files_of(fix_paths(root, force=True))


def _modify(root: Path) -> None:
    (root / A).write_text(f"{POST}More.\n")


def _stage(root: Path) -> None:
    _modify(root)
    git(root, "add", "-A")


def _add(root: Path) -> None:
    (root / "content/storage/notes.txt").write_text("New.\n")


def _add_folder(root: Path) -> None:
    (root / "content/network").mkdir()
    (root / "content/network/_index.md").write_text(INDEX)


def _remove(root: Path) -> None:
    (root / A).unlink()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (_modify, A),
        (_stage, A),
        (_add, "content/storage/notes.txt"),
        (_add_folder, "content/network/"),
        (_remove, A),
    ],
)
@pytest.mark.parametrize("below", ["", "docs/log"])
def test_a_repository_with_changes_is_left_alone(
    tmp_path: Path, change: Callable[[Path], None], named: str, below: str
) -> None:
    root = write_site(tmp_path / below, SITE)
    repository(tmp_path)
    change(root)
    before = tree(root)
    refused = fix_paths(root)
    assert isinstance(refused, Diagnostic)
    assert (refused.code, refused.severity, refused.span) == ("uncommitted-changes", "error", Span(named))
    assert tree(root) == before
    assert B in files_of(fix_paths(root, force=True))
    assert tree(root) != before


def test_trying_out_shows_what_is_not_committed_yet(tmp_path: Path) -> None:
    root = write_site(tmp_path, SITE)
    repository(tmp_path)
    new = "content/storage/2026-05-05-new.md"
    write_site(root, {new: POST})
    _modify(root)
    would = tried(root)
    assert would.refused == ()
    assert files_of(would) == [A, B, new]


@pytest.mark.parametrize("below", ["", "docs/log"])
def test_a_repository_without_changes_is_fixed(tmp_path: Path, below: str) -> None:
    root = write_site(tmp_path / below, SITE)
    repository(tmp_path)
    check_site(root)  # leaves its store behind, which no .gitignore names
    assert (root / ".devlog/cache.db").exists()
    assert files_of(fix_paths(root)) == [A, B]
    assert (root / A).read_text() == FIXED_POST


def test_what_a_killed_command_left_does_not_matter(tmp_path: Path) -> None:
    """It stays, too: it may be the last save of an editor."""
    root = write_site(tmp_path, SITE)
    repository(tmp_path)
    left = root / f"{A.rpartition('/')[0]}/.{A.rpartition('/')[2]}.4711~"
    left.write_text("A save.\n")
    assert files_of(fix_paths(root)) == [A, B]
    assert left.read_text() == "A save.\n"


def test_changes_beside_the_site_do_not_matter(tmp_path: Path) -> None:
    root = write_site(tmp_path / "docs", SITE)
    repository(tmp_path)
    (tmp_path / "main.py").write_text("print()\n")
    assert files_of(fix_paths(root)) == [A, B]


@pytest.mark.parametrize("key", ["clean", "process"])
@pytest.mark.parametrize("name", ["x", "x=y"])
def test_a_hostile_repository_runs_nothing(tmp_path: Path, key: str, name: str) -> None:
    root = write_site(tmp_path / "site", SITE)
    repository(root)
    trap = tmp_path / "trap"
    git(root, "config", f"filter.{name}.{key}", f"touch '{trap}'; cat")
    git(root, "config", f"filter.{name}.required", "true")
    (root / ".git/info/attributes").write_text(f"*.md filter={name}\n")
    os.utime(root / A, (1, 1))  # so that git has to look into it
    assert files_of(fix_paths(root)) == [A, B]
    assert not trap.exists()


@pytest.mark.parametrize("whose", ["the user's", "the system's"])
def test_settings_for_all_repositories_decide_on_what_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whose: str
) -> None:
    root = write_site(tmp_path / "site", {**SITE, ".gitattributes": "*.dat filter=upper\n", "data.dat": "text\n"})
    program = '[filter "upper"]\nclean = tr a-z A-Z\nrequired = true\n'
    shared = write_site(tmp_path / "shared", {"git/config": program, "git/ignore": "*.old\n"})
    if whose == "the user's":
        monkeypatch.setenv("XDG_CONFIG_HOME", str(shared))
        write_site(root, {"notes.old": "text\n"})
    else:
        monkeypatch.setenv("GIT_CONFIG_SYSTEM", str(shared / "git" / "config"))
    git(root, "init", "-q")
    git(root, "-c", "filter.upper.clean=tr a-z A-Z", "add", *SITE, ".gitattributes", "data.dat")
    git(root, "commit", "-q", "-m", "All")
    os.utime(root / "data.dat", (1, 1))  # so that git has to look into it
    assert running_git.uncommitted(root) == ()
    assert "notes.old" not in (running_git.tracked(root, new=True) or ())
    (root / "data.dat").write_text("more\n")
    assert running_git.uncommitted(root) == ("data.dat",)


@pytest.mark.parametrize("key", ["lfs.extension.a.clean", "lfs.customtransfer.a.path", "annex.freezecontent-command"])
def test_programs_that_filters_run_as_the_repository_says(tmp_path: Path, key: str) -> None:
    """Filters of the user read the repository's configuration in turn."""
    root = write_site(tmp_path / "docs", SITE)
    repository(root)
    assert running_git.uncommitted(root) == ()
    git(root, "config", "lfs.repositoryformatversion", "0")
    assert running_git.uncommitted(root) == ()
    git(root, "config", key, "touch trap")
    assert running_git.uncommitted(root) is None
    assert isinstance(fix_paths(root), Diagnostic)


@pytest.mark.parametrize("reason", ["too many filters", "another question failed late"])
def test_where_git_does_not_tell_the_filters_none_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    root, trap = write_site(tmp_path / "docs", SITE), tmp_path / "trap"
    repository(root)
    git(root, "config", "filter.evil.clean", f"touch '{trap}'; cat")
    (root / ".git/info/attributes").write_text("*.md filter=evil\n")
    os.utime(root / A, (1, 1))
    if reason == "too many filters":
        git(root, "config", f"filter.{'a' * 5000}.clean", "cat")
        monkeypatch.setattr(running_git, "LARGEST_ANSWER", 1000)
        assert isinstance(fix_paths(root), Diagnostic)
    else:
        monkeypatch.setattr(running_git, "_LONG_SECONDS", 0.0)
        assert running_git.ask(root, ["config", "--get-regexp", "^nothing"]) is None
        assert files_of(fix_paths(root)) == [A, B]
    assert not trap.exists()


def test_a_git_that_ignores_settings_runs_no_filter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, trap = write_site(tmp_path / "docs", SITE), tmp_path / "trap"
    repository(root)
    git(root, "config", "filter.evil.clean", f"touch '{trap}'; cat")
    git(root, "config", "filter.devlog.required", "false")
    (root / ".git/info/attributes").write_text("*.md filter=evil\n")
    os.utime(root / A, (1, 1))
    use(OLDER, tmp_path, monkeypatch)
    refused = fix_paths(root)
    assert isinstance(refused, Diagnostic)
    assert "2.31" in refused.hint
    assert not trap.exists()


def test_where_git_does_not_answer_nothing_is_fixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is a repository, but nobody who could say what is committed in it."""
    root = write_site(tmp_path / "docs", SITE)
    repository(tmp_path)
    before = tree(root)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    refused = fix_paths(root)
    assert isinstance(refused, Diagnostic)
    assert (refused.code, refused.span) == ("uncommitted-changes", Span(".git"))
    assert tree(root) == before
    assert files_of(fix_paths(root, force=True)) == [A, B]


def test_a_site_without_git_is_fixed(tmp_path: Path) -> None:
    root = write_site(tmp_path, SITE)
    assert files_of(fix_paths(root)) == [A, B]


# -- trying out

TRIED = {
    **SITE,
    "content/public/_index.md": INDEX.replace("Storage", "Public"),
    "content/public/2026-05-03-c.md": POST.replace("A post", "C"),
    "content/storage/2026-05-04-d": POST.replace("A post", "D"),
}


@pytest.mark.slow
def test_trying_out_changes_nothing_and_shows_what_fixing_does(tmp_path: Path) -> None:
    root = write_site(tmp_path, TRIED)
    build_site(root)
    before, modes = read_tree(root), _modes(root)
    would = tried(root)
    assert read_tree(root) == before
    assert _modes(root) == modes
    done = fix_paths(root)
    assert isinstance(done, Fixed)
    assert [change.diff() for change in would.changes] == [change.diff() for change in done.changes]
    assert files_of(done) == ["content/public/2026-05-03-c.md", A, B, "content/storage/2026-05-04-d.md"]
    assert {**would.checked.evidence.heads} == {**done.checked.evidence.heads}  # type: ignore[union-attr]
    assert problems_of(would.checked) == problems_of(done.checked)


def _modes(root: Path) -> dict[str, tuple[int, int, int]]:
    paths = (path for path in root.rglob("*") if path.name != ".devlog")  # where the copy is for a while
    status = {path.relative_to(root).as_posix(): path.lstat() for path in paths}
    return {path: (item.st_mode, item.st_size, item.st_mtime_ns) for path, item in status.items()}


def test_trying_out_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    root = write_site(tmp_path / "site", SITE)
    before = read_tree(root)
    assert files_of(tried(root)) == [A, B]
    assert read_tree(root) == before
    assert not (root / ".devlog").exists()
    (root / ".devlog").symlink_to(tmp_path)  # as a checkout may have it
    assert files_of(tried(root)) == [A, B]
    assert [*scratch.iterdir()] == []


def _large_file_in_copy(root: Path) -> os.stat_result:
    """A file that is too large to be published, as it is in the copy that fixes are tried in."""
    with (root / "content/storage/talk.mp4").open("wb") as file:
        file.write(b"begin")
        file.truncate(ASSET_LIMIT + 1)
    found: list[os.stat_result] = []

    def also(checked: Checked) -> list[Diagnostic]:
        assert "too-large" in {problem.code for problem in checked.diagnostics}
        (copy,) = (root / ".devlog").glob("devlog-fix-*/site/content/storage/talk.mp4")
        with copy.open("rb") as file:
            assert file.read(6) == b"begin\0"
        found.append(copy.stat())
        return []

    would = try_out(Options(root=root, now=NOW, jobs=1), lambda _problem: True, force=False, also=also)
    assert files_of(would) == [A, B]
    return found[0]


def test_trying_out_lets_git_see_no_change(tmp_path: Path) -> None:
    root = write_site(tmp_path, SITE)
    repository(root)
    times = {path: path.stat().st_ctime_ns for path in root.rglob("*.md")}
    assert files_of(tried(root)) == [A, B]
    assert {path: path.stat().st_ctime_ns for path in times} == times


def test_trying_out_copies_no_large_file(tmp_path: Path) -> None:
    """Some systems have their temporary files in memory, which a few recordings would fill."""
    root = write_site(tmp_path, SITE)
    assert os.path.samestat(_large_file_in_copy(root), (root / "content/storage/talk.mp4").stat())


@pytest.mark.skipif(os.name != "posix", reason="files without all of their blocks")
def test_trying_out_without_links_copies_no_large_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "hardlink_to", _refuse)
    copy = _large_file_in_copy(write_site(tmp_path, SITE))
    assert copy.st_size == ASSET_LIMIT + 1
    assert copy.st_blocks < 1_000


def test_trying_out_on_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_site(tmp_path, SITE)
    before = read_tree(root)
    tries: list[str] = []

    def full(source: Path, target: Path, **_given: object) -> None:
        target.write_bytes(source.read_bytes()[:10])
        tries.append(source.name)
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(Path, "hardlink_to", _refuse)
    monkeypatch.setattr(shutil, "copy", full)
    problem = try_out(Options(root=root, now=NOW, jobs=1), lambda _problem: True, force=False)
    assert isinstance(problem, Diagnostic)
    assert (problem.code, problem.message) == (
        "nothing-fixed",
        "cannot make a copy of the site to try the fixes in: the disk is full",
    )
    assert problem.hint == "make room on the disk"
    assert len(tries) == 1
    assert read_tree(root) == before


def test_trying_out_knows_where_the_site_is_in_its_repository(tmp_path: Path) -> None:
    root = write_site(tmp_path / "docs" / "site", SITE)
    (tmp_path / ".git").mkdir()
    evidence = tried(root, force=True).checked.evidence
    assert evidence
    assert evidence.config.source_folder == "docs/site"


@pytest.mark.slow
def test_trying_out_leaves_permissions_as_they_are(tmp_path: Path) -> None:
    root = write_site(tmp_path, SITE)
    (root / "locked").mkdir()
    (root / "locked").chmod(0)
    (root / "content/storage").chmod(0o555)
    before = _modes(root)
    prefix: list[str] = []
    if os.geteuid() == 0:  # who may do everything, except after giving that up
        setpriv = shutil.which("setpriv")
        assert setpriv
        prefix = [setpriv, "--bounding-set", "-dac_override,-dac_read_search", "--inh-caps=-all"]
    code = f"import sys; from devlog.cli import main; main(['check', '--root', {str(root)!r}, '--fix', '--dry-run'])"
    done = subprocess.run([*prefix, sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (1, "2 errors, 4 warnings, 2 infos would be left.")
    assert done.stderr.count("error[cannot-write]: cannot be written: permission denied") == 2
    assert _modes(root) == before
    for path in (root / "locked", root / "content/storage"):
        path.chmod(0o755)


def _refuse(self: Path, target: Path) -> None:
    raise OSError(errno.EXDEV, "another file system")


def test_trying_out_without_links_between_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_site(tmp_path, SITE)
    monkeypatch.setattr(Path, "hardlink_to", _refuse)
    copy = shutil.copy

    def unreadable(source: Path, target: Path, *, follow_symlinks: bool) -> object:
        if source.name.endswith("b.md"):
            raise PermissionError(13, "no", source)
        return copy(source, target, follow_symlinks=follow_symlinks)

    assert files_of(tried(root)) == [A, B]
    monkeypatch.setattr(shutil, "copy", unreadable)
    done = tried(root)  # as the fix of a site with a file that cannot be read
    assert [(item.code, item.span.path) for item in done.refused] == [("nothing-fixed", B)]
    assert done.changes == ()


@pytest.mark.skipif(os.name != "posix", reason="there are no pipes in folders")
def test_trying_out_without_links_waits_for_no_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_site(tmp_path, SITE)
    os.mkfifo(root / "content/storage/pipe.txt")
    monkeypatch.setattr(Path, "hardlink_to", _refuse)
    assert files_of(tried(root)) == [A, B]


@pytest.mark.parametrize(
    ("place", "number", "fixed"),
    [("content/storage", errno.EPERM, []), ("notes", errno.EPERM, [A, B]), ("content/storage", errno.ENOENT, [A, B])],
    ids=["input", "other", "removed"],
)
def test_trying_out_with_a_link_that_cannot_be_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, number: int, fixed: list[str]
) -> None:
    """Some systems let only administrators make symbolic links, and editors remove theirs again."""
    root = write_site(tmp_path, {**SITE, "notes/a.txt": "A\n"})
    (root / place / ".#lock").symlink_to("nowhere")

    def fail(_self: Path, _target: Path, **_given: object) -> None:
        raise OSError(number, "no")

    monkeypatch.setattr(Path, "symlink_to", fail)
    done = tried(root)
    assert files_of(done) == fixed
    expected = [] if fixed else [("nothing-fixed", f"{place}/.#lock")]
    assert [(item.code, item.span.path) for item in done.refused] == expected


def test_trying_out_copies_a_link_to_a_folder_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_site(tmp_path, {**SITE, "notes/a.txt": "A\n"})
    for target in ("notes", "notes/a.txt", "nowhere"):
        (root / f"to-{target.rpartition('/')[2]}").symlink_to(target)
    found: dict[str, bool] = {}

    def make(self: Path, _target: Path, target_is_directory: bool = False) -> None:
        found[self.name] = target_is_directory

    monkeypatch.setattr(Path, "symlink_to", make)
    tried(root)
    assert found == {"to-notes": True, "to-a.txt": False, "to-nowhere": False}


def test_trying_out_where_nothing_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_site(tmp_path, SITE)

    def fail(*_given: object, **_more: object) -> None:
        raise OSError(errno.EROFS, "no")

    monkeypatch.setattr(tempfile, "mkdtemp", fail)
    problem = try_out(Options(root=root, now=NOW, jobs=1), lambda _problem: True, force=False)
    assert isinstance(problem, Diagnostic)
    assert problem.message.endswith(": the file system is read-only")
    assert not problem.hint


def test_a_difference_can_be_applied(tmp_path: Path) -> None:
    root = write_site(
        tmp_path / "site", {**SITE, B: POST.removesuffix("\n").replace("Text.", "Wide：\x0b \u2028 text.")}
    )
    other = write_site(tmp_path / "other", read_tree(root))
    done = fix_paths(root)
    assert isinstance(done, Fixed)
    (tmp_path / "patch").write_bytes("".join(change.diff() for change in done.changes).encode())
    git(other, "apply", "--whitespace=nowarn", str(tmp_path / "patch"))
    assert tree(other) == tree(root)


def test_renames_are_part_of_a_difference(tmp_path: Path) -> None:
    c, d = (f"content/storage/2026-05-0{number}-new post" for number in (3, 4))
    files = {**SITE, c: FIXED_POST.replace("A post", "C"), d: POST.replace("A post", "D"), B: POST}
    root = write_site(tmp_path / "site", files)
    other = write_site(tmp_path / "other", read_tree(root))
    done = fix_paths(root)
    assert isinstance(done, Fixed)
    assert {f"{c}.md", f"{d}.md", B} <= {change.new_file for change in done.changes}
    (tmp_path / "patch").write_bytes("".join(change.diff() for change in done.changes).encode())
    git(other, "apply", "--whitespace=nowarn", str(tmp_path / "patch"))
    assert tree(other) == tree(root)


@pytest.mark.parametrize(
    "name",
    [
        "größe 日本語",
        "a b",
        " x b/x ",
        '"a" "b\\n',
        "a\tb\r\n\a\x7f",
        "\u2028\u202e\x85",
        "##[group]a ::error ::b",
        "a\nrename to b.md",
        "a\n+++ b/c.md",
        "\udcff",
    ],
)
@pytest.mark.parametrize("new", ["", ".md", "é\n.md"])
def test_a_difference_names_files_as_git_does(
    tmp_path: Path, name: str, new: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """What is printed can be applied, and no name forges a line or a command for those that read the output."""
    for after, lines in (("two\n", 8 if new else 6), *((("one\n", 4),) if new else ())):
        root = write_site(tmp_path / after.strip(), {name: "one\n"})
        change = Change(name, f"{name}{new}", "one\n", after, (0 if after == "one\n" else -1,))
        show_changes([change.diff()], dry_run=True)
        patch = capfd.readouterr().out
        assert len(patch.splitlines()) == lines
        assert not re.search(r"##\[|(^|\s)::error", patch)
        (tmp_path / "patch").write_text(patch)
        git(root, "apply", str(tmp_path / "patch"))
        assert tree(root) == {f"{name}{new}": after.encode()}


@pytest.mark.parametrize(
    "text",
    [
        "one\r\ntwo\r\nthree\r\n",
        "one\rtwo\rthree\r",
        "one\r\r\ntwo\n",
        "one\r",
        "one\n\x0c\n",
        "one \x1b[31mred\x9b\n",
        "one \udcff\u202e\n",
        "one\n::error ::two\n##[group]three\n",
        "one\n" + "".join(f"{number:x}\x07\n" for number in range(2000)),
        "one\ttwo\n",
    ],
)
@pytest.mark.parametrize("new", ["a.md", "b.md"])
def test_what_a_program_reads_can_be_applied(
    tmp_path: Path, text: str, new: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """And no content controls a terminal, to which a program may pass it on."""
    before, after = (data.encode("utf-8", "surrogateescape") for data in (text, text.replace("one", "1")))
    change = Change("a.md", new, text, text.replace("one", "1"))
    show_changes([change.patch()], dry_run=True)
    patch = capfdbinary.readouterr().out
    assert not re.search(rb"[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f]|\r(?!\n)|##\[|(^|\s)::error", patch)
    (tmp_path / "patch").write_bytes(patch)
    root = write_site(tmp_path / "site", {"a.md": before})
    git(root, "apply", "--whitespace=nowarn", str(tmp_path / "patch"))
    assert tree(root) == {new: after}
    git(root, "apply", "--whitespace=nowarn", "-R", str(tmp_path / "patch"))
    assert tree(root) == {"a.md": before}


# -- once is enough, and no more than is asked for


@pytest.mark.slow
def test_fixing_twice_changes_nothing_more(tmp_path: Path) -> None:
    root = write_site(tmp_path, TRIED)
    assert len(files_of(fix_paths(root))) == 4
    before = _modes(root)
    assert files_of(fix_paths(root)) == []
    assert {path: item for path, item in _modes(root).items() if not path.startswith(".devlog")} == {
        path: item for path, item in before.items() if not path.startswith(".devlog")
    }


@pytest.mark.slow
def test_only_what_the_paths_name_is_fixed(tmp_path: Path) -> None:
    root = write_site(tmp_path, TRIED)
    before = tree(root)
    assert files_of(fix_paths(root, root / B)) == [B]
    assert files_of(fix_paths(root, root / "content/public")) == ["content/public/2026-05-03-c.md"]
    after = tree(root)
    assert {path for path in before if before[path] != after[path]} == {B, "content/public/2026-05-03-c.md"}
    assert files_of(fix_paths(root, root)) == [A, "content/storage/2026-05-04-d.md"]


# -- every other byte stays

ENDS = {"LF": "\n", "CRLF": "\r\n", "CR": "\r"}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("last", [True, False])
def test_line_ends_and_marks_stay(tmp_path: Path, end: str, mark: str, last: bool) -> None:
    def written(text: str) -> bytes:
        return (mark + (text if last else text.removesuffix("\n")).replace("\n", ENDS[end])).encode()

    plain = "Text: ｗｉｄｅ, 🎈, tab\there.  \nTrailing \\\n\n\n* x"
    root = write_site(tmp_path, {**SITE, A: written(f"{POST}{plain}\n"), B: written(f"{plain}\n")})
    assert files_of(fix_paths(root)) == [A, B]
    assert (root / A).read_bytes() == written(f"{FIXED_POST}{plain}\n")
    assert (root / B).read_bytes() == written(f'---\ntitle: "B"\n---\n\n{plain}\n')


def test_mixed_line_ends_stay_and_new_lines_end_as_most_do(tmp_path: Path) -> None:
    old = b"---\r\nauthors: Ada Quill(@adaquill)\n---\r\nOne.\r\n\nTwo.\r\r\nThree.\n"
    root = write_site(tmp_path, {**SITE, A: old})
    assert files_of(fix_paths(root)) == [A, B]
    new = b'---\r\ntitle: "A"\r\nauthor: Ada Quill (@adaquill)\n---\r\nOne.\r\n\nTwo.\r\r\nThree.\n'
    assert (root / A).read_bytes() == new


def test_comments_and_quotation_marks_stay(tmp_path: Path) -> None:
    yaml = (
        "---\n# first\ntitle:   'It''s'   # why\ndate: \"2026-5-1\"  # day\n"
        "authors: 'Ada Quill(@adaquill),  Bo Reed @boreed' # both\n\n"
        "tags: [ \"Cache\", 'io' ] # two\nextra:  &x {a: 1}\n---\nText.\n"
    )
    toml = (
        "+++\n# first\ntitle = 'It'   # why\ndate = \"2026-5-2\"  # day\n"
        "authors = 'Ada Quill(@adaquill),  Bo Reed @boreed' # both\n\n"
        "tags = [ \"cache\", 'io',\n  'cache', ] # two\n[extra]\na = 1\n+++\nText.\n"
    )
    usual = {f"content/storage/2026-06-0{day}-c.md": "---\ntitle: C\ntags: [cache]\n---\nC\n" for day in (1, 2, 3)}
    root = write_site(tmp_path, {**SITE, **usual, A: yaml, B: toml})
    assert files_of(fix_paths(root)) == [A, B]
    names = ("Ada Quill(@adaquill)", "Ada Quill (@adaquill)"), ("Bo Reed @boreed", "Bo Reed (@boreed)")
    for old, new in (*names, ("authors", "author"), ("2026-5-1", "2026-05-01"), ("2026-5-2", "2026-05-02")):
        yaml, toml = yaml.replace(old, new), toml.replace(old, new)
    assert (root / A).read_text() == yaml.replace("Cache", "cache")
    assert (root / B).read_text() == toml


def test_permissions_stay(tmp_path: Path) -> None:
    root = write_site(tmp_path, SITE)
    (root / A).chmod(0o751)
    (root / B).chmod(0o640)
    fix_paths(root)
    assert [stat.S_IMODE((root / name).stat().st_mode) for name in (A, B)] == [0o751, 0o640]


@pytest.mark.parametrize(
    "name", ["2026-05-01-a b.md", "2026-05-01-ä ö.md", "2026-05-01-a\u0308.md", "2026-05-01-100%.md", "-rf.md"]
)
def test_names_that_need_care(tmp_path: Path, name: str) -> None:
    root = write_site(tmp_path, {**SITE, f"content/storage/{name}": POST})
    repository(root)
    assert f"content/storage/{name}" in files_of(fix_paths(root))
    dated = "" if name.startswith("2026") else "date: 2026-05-01\n"
    assert (root / "content/storage" / name).read_text() == FIXED_POST.replace("title", f"{dated}title")


def test_a_name_with_a_line_feed_is_told_and_left_alone(tmp_path: Path) -> None:
    name = "content/storage/2026-05-03-a\nb.md"
    root = write_site(tmp_path, {**SITE, name: POST})
    repository(root)
    assert files_of(fix_paths(root)) in ([A, B], [A, B, name])  # as the system lets files be called
    assert (root / A).read_text() == FIXED_POST


# -- any site, put together from what is wrong in the cases


def _pool() -> list[str]:
    cases = [read_case(file.read_text("utf-8")) for file in sorted((Path(__file__).parent / "cases").glob("*.txt"))]
    posts = (
        data.decode()
        for case in cases
        for path, data in case.files.items()
        if path.startswith("content/") and path.endswith(".md") and not path.endswith("_index.md")
    )
    return sorted({post.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff") for post in posts})


POOL = _pool()
FRONT = [
    "titel: One",
    'title: "Two"  # two',
    "title: 'It''s'",
    "authors: Ada Quill(@adaquill)",
    "author: Ada Quill (adaquill), Bo Reed @boreed",
    "author: (@adaquill)",
    "author: '@adaquill, Bo Reed'",
    'autor: [Ada Quill @adaquill, "Bo Reed(@boreed)"]',
    "author:\n  - Ada Quill@adaquill\n  - Bo Reed",
    "author: Ada Quill <https://example.org/~ada> @AdaQuill",
    "date: 2026-5-1",
    "date: '2026-5-01 10:00:00'  # then",
    "updated: 2026-5-2",
    "lastmod: 2026-05-3",
    "tags: [Cache_Size, cache-size, io]",
    "tag: cache-size, IO",
    "tags:\n- 'cache-size'\n- cache_size # x",
    'Tags: "cache.size"',
    "draft: false",
    'desciption: "Said: so"',
    "extra: {a: [1, 2]}",
]
BODY = [
    "# One",
    '# *One* `two`: "three" #4 \\ {five}',
    "One\n===",
    "",
    "Text with [a link](../network/2026-05-01-p0.md), ![](x.png) and [another](2026-05-02-P1.md#one).",
    "[own](https://docs.example.org/lumen/storage/2026-05-01-p0/#x) <https://docs.example.org/lumen/>",
    "<a href=\"https://docs.example.org/lumen/network/\">y</a> [z](../storage/2026-05-01-p0.md 'P')",
    "[lost](p0.md) [lost](2026-05-01-p0.md) [lost][l]\n\n[l]: 2026-05-01-p0.md\n[l2]: <../p0.md> 'x'",
    "```\n# One\n[x](2026-05-01-p0.md)\n```",
    "TODO ﬁnd out, ｗｉｄｅ [w](2026-05-02-P1.md) 🎈 [v](2026-05-01-p0.md)",
]


@st.composite
def posts(draw: st.DrawFn) -> bytes:
    """The text of a post, from a case or from pieces."""
    text = draw(st.sampled_from(POOL))
    if draw(st.booleans()):
        front = "\n".join(draw(st.lists(st.sampled_from(FRONT), max_size=5, unique=True)))
        wrapped = draw(st.sampled_from([f"---\n{front}\n---\n", f"--- \n\n{front}\n\n# end\n...\n\n", ""]))
        text = (
            wrapped + "\n\n".join(draw(st.lists(st.sampled_from(BODY), max_size=4))) + draw(st.sampled_from(["", "\n"]))
        )
    end, mark = draw(st.sampled_from(["\n", "\n", "\r\n", "\r"])), draw(st.sampled_from(["", "", "\ufeff"]))
    return (mark + text.replace("\n", end)).encode()


@st.composite
def sites(draw: st.DrawFn) -> dict[str, bytes]:
    """A small site with many mistakes."""
    files = {f"content/{topic}/_index.md": b"---\ntitle: Topic\n---\n" for topic in ("storage", "network")}
    files["devlog.toml"] = SITE["devlog.toml"].encode()
    for number, text in enumerate(draw(st.lists(posts(), min_size=1, max_size=5))):
        name = draw(
            st.sampled_from(["2026-05-01-p{}.md", "2026-05-02-P{}.md", "2026-5-3-p {}.md", "2026-05-04-p{}", "p{}.md"])
        )
        files[f"content/{draw(st.sampled_from(['storage', 'network']))}/{name.format(number)}"] = text
    return files


def _kinds(checked: Checked, severity: str) -> set[tuple[str, str]]:
    return {
        (item.code, item.span.path.removesuffix(".md")) for item in checked.diagnostics if item.severity == severity
    }


@given(sites())
@settings(max_examples=int(os.environ.get("DEVLOG_MACHINE_STEPS", "250")) // 10)
@pytest.mark.slow
def test_fixing_any_site(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = write_site(Path(folder), files)
        before = check_site(root)
        done = fix_site(root)
        refused = {item.span.path for item in done.refused if item.code == "nothing-fixed"}
        assert len(refused) == len(done.refused)
        assert problems_of(done.checked) == problems_of(check_site(root))
        assert {item.span.path for item in done.checked.diagnostics if item.fix} <= refused
        new_errors = _kinds(done.checked, "error") - _kinds(before, "error")
        assert {file for _, file in new_errors} <= {file for _, file in _kinds(before, "error")}
        assert fix_site(root).changes == ()
        renamed = {change.file: change.new_file for change in done.changes}
        for file, data in files.items():
            new = (root / renamed.get(file, file)).read_bytes()
            assert file in renamed or new == data
            if file.endswith(".md"):
                said, says = _said(data), _said(new)
                assert all(says.pop(key) >= said.pop(key) for key in ("handles", "names", "tags")), (data, new)
                assert said == {key: value for key, value in says.items() if key in said}, (data, new)
        assert build_site(root).failed == any(code in codes_of_builds() for code, _ in _kinds(done.checked, "error"))


def _said(data: bytes) -> dict[str, Any]:
    """What a file says of itself, apart from how it spells names and from keys without a meaning.

    A key that was misspelt may add people and tags.
    """
    text = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    front = read_front_matter(Source("storage/a.md", "content/storage/a.md", text))[0]
    values: dict[str, object] = {
        "title": front.title,
        "dates": [date.value for date in (front.date, front.updated) if date],
        "draft": front.draft,
    }
    return {
        **{key: value for key, value in values.items() if value},
        "tags": {re.sub("[-_ .]", "", tag.name.casefold()) for tag in front.tags},
        "names": {author.name for author in front.authors if author.name},
        "handles": {author.handle for author in front.authors if author.handle},
    }
