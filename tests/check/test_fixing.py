"""Mending: what is asked for and not a byte more, and nothing at all where that could lose something."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec
import pytest
from cases_format import read_case
from check_cases import check_site, git, mend_site, problems_of, repository, tree
from disk.capabilities import as_mere_owner
from hypothesis import given, settings
from hypothesis import strategies as st
from sites import NOW, build_site, read_tree, write_site

from devlog.checking import Checked, Options, check, reported
from devlog.disk.create import rename
from devlog.disk.folder import Folder
from devlog.fixing import run
from devlog.fixing.meaning import shows_same
from devlog.fixing.run import Fixed, fix, try_out
from devlog.model.diagnostic import Diagnostic, Edit, Fix, Span
from devlog.model.document import Body, Tag
from devlog.model.edits import edited
from devlog.model.source import Source
from devlog.parse.front_matter.block import read_front_matter
from devlog.plugin import codes_of_builds
from devlog.report.checked import show_changes

INDEX = "---\ntitle: Storage\n---\n"
FRONT_OF_A = "---\ntitle: A\nauthor: Ada Quill (@adaquill)\n---\n"
POST = "---\ntitle: A post\nauthors: Ada Quill(@adaquill)\n---\n# A post\n\nText.\n"
MENDED = "---\ntitle: A post\nauthor: Ada Quill (@adaquill)\n---\nText.\n"
A = "content/storage/2026-05-01-a.md"
B = "content/storage/2026-05-02-b.md"
SITE = {
    "devlog.toml": 'base_url = "https://docs.example.org/lumen/"\n',
    "content/storage/_index.md": INDEX,
    A: POST,
    B: POST.replace("A post", "Another"),
}


def mended(root: Path, *paths: Path, force: bool = False) -> Fixed | Diagnostic:
    """Mend what is wrong in some paths, or in the whole site."""
    return fix(Options(root=root, now=NOW, jobs=1), reported(root, paths), force=force)


def tried(root: Path, *, force: bool = False) -> Fixed:
    """What mending would do."""
    return try_out(Options(root=root, now=NOW, jobs=1), lambda _problem: True, force=force)


def files_of(done: Fixed | Diagnostic) -> list[str]:
    """The files that were mended, by their new names."""
    assert isinstance(done, Fixed), done
    return [change.new_file for change in done.changes]


# -- what makes other problems uncertain


def test_errors_in_the_configuration_come_first(tmp_path: Path) -> None:
    """With a wrong “ignore”, files would be fixed that it is meant to leave out."""
    root = write_site(tmp_path, {"devlog.toml": 'ignore = "vendor/*"\n', "content/vendor/a.md": POST, A: POST})
    before = tree(root)
    for done in (mended(root), tried(root)):
        assert isinstance(done, Fixed)
        (refused,) = done.refused
        assert (refused.code, refused.span.path, refused.span.line) == ("nothing-fixed", "devlog.toml", 1)
    assert tree(root) == before


def test_what_cannot_be_read_comes_first(tmp_path: Path) -> None:
    root = write_site(tmp_path, {A: POST, "content/closed/b.md": POST})
    (root / "content/closed").chmod(0)
    with as_mere_owner():
        found = [mended(root), tried(root)]
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
    done = mended(root)
    assert isinstance(done, Fixed)
    assert files_of(done) == files_of(would) == [A]
    assert would.refused == done.refused
    assert files_of(anyway) == [A, private]
    assert [(item.code, item.span.path) for item in done.refused] == [("uncommitted-changes", private)]
    assert (root / private).read_text() == POST
    assert private in files_of(mended(root, force=True))


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
    refused = mended(root)
    assert isinstance(refused, Diagnostic)
    assert (refused.code, refused.severity, refused.span) == ("uncommitted-changes", "error", Span(named))
    assert tree(root) == before
    assert B in files_of(mended(root, force=True))
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
def test_a_repository_without_changes_is_mended(tmp_path: Path, below: str) -> None:
    root = write_site(tmp_path / below, SITE)
    repository(tmp_path)
    check_site(root)  # leaves its store behind, which no .gitignore names
    assert (root / ".devlog/cache.db").exists()
    assert files_of(mended(root)) == [A, B]
    assert (root / A).read_text() == MENDED


def test_changes_beside_the_site_do_not_matter(tmp_path: Path) -> None:
    root = write_site(tmp_path / "docs", SITE)
    repository(tmp_path)
    (tmp_path / "main.py").write_text("print()\n")
    assert files_of(mended(root)) == [A, B]


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
    assert files_of(mended(root)) == [A, B]
    assert not trap.exists()


def test_where_git_is_silent_nothing_is_mended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is a repository, but nobody who could say what is committed in it."""
    root = write_site(tmp_path / "docs", SITE)
    repository(tmp_path)
    before = tree(root)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    refused = mended(root)
    assert isinstance(refused, Diagnostic)
    assert (refused.code, refused.span) == ("uncommitted-changes", Span(".git"))
    assert tree(root) == before
    assert files_of(mended(root, force=True)) == [A, B]


def test_a_site_without_git_is_mended(tmp_path: Path) -> None:
    root = write_site(tmp_path, SITE)
    assert files_of(mended(root)) == [A, B]


# -- trying out

TRIED = {
    **SITE,
    "content/public/_index.md": INDEX.replace("Storage", "Public"),
    "content/public/2026-05-03-c.md": POST.replace("A post", "C"),
    "content/storage/2026-05-04-d": POST.replace("A post", "D"),
}


@pytest.mark.slow
def test_trying_out_changes_nothing_and_shows_what_mending_does(tmp_path: Path) -> None:
    root = write_site(tmp_path, TRIED)
    build_site(root)
    before, modes = read_tree(root), _modes(root)
    would = tried(root)
    assert read_tree(root) == before
    assert _modes(root) == modes
    done = mended(root)
    assert isinstance(done, Fixed)
    assert [change.diff() for change in would.changes] == [change.diff() for change in done.changes]
    assert files_of(done) == ["content/public/2026-05-03-c.md", A, B, "content/storage/2026-05-04-d.md"]
    assert {**would.checked.evidence.heads} == {**done.checked.evidence.heads}  # type: ignore[union-attr]
    assert problems_of(would.checked) == problems_of(done.checked)


def _modes(root: Path) -> dict[str, tuple[int, int, int]]:
    status = {path.relative_to(root).as_posix(): path.lstat() for path in root.rglob("*")}
    return {path: (item.st_mode, item.st_size, item.st_mtime_ns) for path, item in status.items()}


def test_trying_out_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    assert files_of(tried(write_site(tmp_path / "site", SITE))) == [A, B]
    assert [*scratch.iterdir()] == []


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


def test_trying_out_without_links_between_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_site(tmp_path, SITE)

    def refuse(self: Path, target: str) -> None:
        raise OSError(18, "another file system")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    copy = shutil.copy

    def unreadable(source: str, target: str, *, follow_symlinks: bool) -> object:
        if source.endswith("b.md"):
            raise PermissionError(13, "no", source)
        return copy(source, target, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(shutil, "copy", unreadable)
    assert files_of(tried(root)) == [A]


def test_a_difference_can_be_applied(tmp_path: Path) -> None:
    root = write_site(
        tmp_path / "site", {**SITE, B: POST.removesuffix("\n").replace("Text.", "Wide：\x0b \u2028 text.")}
    )
    other = write_site(tmp_path / "other", read_tree(root))
    done = mended(root)
    assert isinstance(done, Fixed)
    (tmp_path / "patch").write_bytes("".join(change.diff() for change in done.changes).encode())
    git(other, "apply", "--whitespace=nowarn", str(tmp_path / "patch"))
    assert tree(other) == tree(root)


def test_renames_are_part_of_a_difference(tmp_path: Path) -> None:
    c, d = (f"content/storage/2026-05-0{number}-new post" for number in (3, 4))
    files = {**SITE, c: MENDED.replace("A post", "C"), d: POST.replace("A post", "D"), B: POST}
    root = write_site(tmp_path / "site", files)
    other = write_site(tmp_path / "other", read_tree(root))
    done = mended(root)
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
        change = run.Change(name, f"{name}{new}", "one\n", after, (0 if after == "one\n" else -1,))
        show_changes([change.diff()], dry_run=True)
        patch = capfd.readouterr().out
        assert len(patch.splitlines()) == lines
        assert not re.search(r"##\[|(^|\s)::error", patch)
        (tmp_path / "patch").write_text(patch)
        git(root, "apply", str(tmp_path / "patch"))
        assert tree(root) == {f"{name}{new}": after.encode()}


# -- once is enough, and no more than is asked for


@pytest.mark.slow
def test_mending_twice_changes_nothing_more(tmp_path: Path) -> None:
    root = write_site(tmp_path, TRIED)
    assert len(files_of(mended(root))) == 4
    before = _modes(root)
    assert files_of(mended(root)) == []
    assert {path: item for path, item in _modes(root).items() if not path.startswith(".devlog")} == {
        path: item for path, item in before.items() if not path.startswith(".devlog")
    }


@pytest.mark.slow
def test_only_what_the_paths_name_is_mended(tmp_path: Path) -> None:
    root = write_site(tmp_path, TRIED)
    before = tree(root)
    assert files_of(mended(root, root / B)) == [B]
    assert files_of(mended(root, root / "content/public")) == ["content/public/2026-05-03-c.md"]
    after = tree(root)
    assert {path for path in before if before[path] != after[path]} == {B, "content/public/2026-05-03-c.md"}
    assert files_of(mended(root, root)) == [A, "content/storage/2026-05-04-d.md"]


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
    assert files_of(mended(root)) == [A, B]
    assert (root / A).read_bytes() == written(f"{MENDED}{plain}\n")
    assert (root / B).read_bytes() == written(f'---\ntitle: "B"\n---\n\n{plain}\n')


def test_mixed_line_ends_stay_and_new_lines_end_as_most_do(tmp_path: Path) -> None:
    old = b"---\r\nauthors: Ada Quill(@adaquill)\n---\r\nOne.\r\n\nTwo.\r\r\nThree.\n"
    root = write_site(tmp_path, {**SITE, A: old})
    assert files_of(mended(root)) == [A, B]
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
    assert files_of(mended(root)) == [A, B]
    names = ("Ada Quill(@adaquill)", "Ada Quill (@adaquill)"), ("Bo Reed @boreed", "Bo Reed (@boreed)")
    for old, new in (*names, ("authors", "author"), ("2026-5-1", "2026-05-01"), ("2026-5-2", "2026-05-02")):
        yaml, toml = yaml.replace(old, new), toml.replace(old, new)
    assert (root / A).read_text() == yaml.replace("Cache", "cache")
    assert (root / B).read_text() == toml


def test_permissions_stay(tmp_path: Path) -> None:
    root = write_site(tmp_path, SITE)
    (root / A).chmod(0o751)
    (root / B).chmod(0o640)
    mended(root)
    assert [stat.S_IMODE((root / name).stat().st_mode) for name in (A, B)] == [0o751, 0o640]


@pytest.mark.parametrize(
    "name", ["2026-05-01-a b.md", "2026-05-01-ä ö.md", "2026-05-01-a\u0308.md", "2026-05-01-100%.md", "-rf.md"]
)
def test_names_that_need_care(tmp_path: Path, name: str) -> None:
    root = write_site(tmp_path, {**SITE, f"content/storage/{name}": POST})
    repository(root)
    assert f"content/storage/{name}" in files_of(mended(root))
    dated = "" if name.startswith("2026") else "date: 2026-05-01\n"
    assert (root / "content/storage" / name).read_text() == MENDED.replace("title", f"{dated}title")


def test_a_name_with_a_line_feed_is_told_and_left_alone(tmp_path: Path) -> None:
    name = "content/storage/2026-05-03-a\nb.md"
    root = write_site(tmp_path, {**SITE, name: POST})
    repository(root)
    assert files_of(mended(root)) in ([A, B], [A, B, name])  # as the system lets files be called
    assert (root / A).read_text() == MENDED


# -- what cannot be mended is told, and the rest is mended


def refusals(done: Fixed | Diagnostic) -> list[tuple[str, str]]:
    """Code and file of what could not be done."""
    assert isinstance(done, Fixed)
    return [(problem.code, problem.span.path) for problem in done.refused]


def test_a_read_only_file(tmp_path: Path) -> None:
    root = write_site(tmp_path, SITE)
    (root / A).chmod(0o444)
    done = mended(root)
    assert refusals(done) == [("cannot-write", A)]
    assert files_of(done) == [B]
    assert (root / A).read_text() == POST
    assert {problem.span.path for problem in done.checked.diagnostics} == {A}  # type: ignore[union-attr]


def test_a_read_only_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = "content/network/2026-05-01-x.md"
    root = write_site(tmp_path, {**SITE, "content/network/_index.md": INDEX.replace("Storage", "Network"), other: POST})
    create = Folder.create_file

    def refuse(folder: Folder, name: str) -> int:
        if os.path.samestat(os.fstat(folder.fd), (root / "content/storage").stat()):
            raise OSError(30, "read-only file system")
        return create(folder, name)

    monkeypatch.setattr(Folder, "create_file", refuse)
    before = tree(root)
    done = mended(root)
    assert refusals(done) == [("cannot-write", A), ("cannot-write", B)]
    assert files_of(done) == [other]
    assert {path for path, data in tree(root).items() if data != before[path]} == {other}


def test_an_editor_that_saves_while_the_disk_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_site(tmp_path, SITE)
    sync, saved = os.fsync, POST + "Saved by an editor.\n"

    def slow(fd: int) -> None:
        sync(fd)
        (root / A).write_text(saved)

    monkeypatch.setattr("devlog.disk.create.os.fsync", slow)
    assert ("changed-while-building", A) in refusals(mended(root))
    assert (root / A).read_text() == saved
    assert not list((root / A).parent.glob(".*~"))


def test_a_write_that_fails_halfway_leaves_the_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_site(tmp_path, SITE)

    def full(fd: int, data: bytes) -> None:
        os.write(fd, data[:3])
        raise OSError(28, "no space left on device")

    monkeypatch.setattr("devlog.disk.create.write_all", full)
    before = tree(root)
    done = mended(root)
    assert refusals(done) == [("cannot-write", A), ("cannot-write", B)]
    assert tree(root) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("taken", "refused"),
    [
        ("2026-05-03-c.md", []),  # the hint says that it exists, and no fix is offered
        ("2026-05-03-C.MD", [("already-there", "content/storage/2026-05-03-c.md")]),
    ],
)
def test_a_new_name_that_is_taken(tmp_path: Path, taken: str, refused: list[tuple[str, str]]) -> None:
    old, new = "content/storage/2026-05-03-c", f"content/storage/{taken}"
    root = write_site(tmp_path, {**SITE, old: POST.replace("A post", "C"), new: MENDED.replace("A post", "D")})
    done = mended(root)
    assert refusals(done) == refused
    assert files_of(done) == [A, B]
    assert (root / old).read_text() == POST.replace("A post", "C")
    assert (root / new).read_text() == MENDED.replace("A post", "D")


def test_a_new_name_that_is_taken_in_the_last_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = "content/storage/2026-05-03-c", "content/storage/2026-05-03-c.md"
    root = write_site(tmp_path, {old: "old\n", new: "new\n"})
    monkeypatch.setattr("devlog.disk.create._taken", lambda _cursor, _file: "")
    problem = rename(root, old, new)
    assert problem
    assert problem.code == "already-there"
    assert tree(root) == {old: b"old\n", new: b"new\n"}


@pytest.mark.parametrize("new", [f"{POST}More.\n", f"\n\n{POST}", "gone"])
def test_a_file_that_changes_between_check_and_mending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new: str
) -> None:
    root = write_site(tmp_path, SITE)

    def interrupted(options: Options) -> Checked:
        checked = check(options)
        monkeypatch.setattr(run, "check", check)
        (root / A).write_text(new)
        return checked

    monkeypatch.setattr(run, "check", interrupted)
    done = mended(root)
    assert refusals(done) == [("changed-while-building", A)]
    assert files_of(done) == [B]
    assert (root / A).read_text() == new


def test_a_file_that_vanishes_between_check_and_mending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_site(tmp_path, SITE)

    def interrupted(options: Options) -> Checked:
        checked = check(options)
        monkeypatch.setattr(run, "check", check)
        (root / A).unlink()
        return checked

    monkeypatch.setattr(run, "check", interrupted)
    done = mended(root)
    assert refusals(done) == [("unreadable", A)]
    assert files_of(done) == [B]


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = write_site(tmp_path / "outside", {"a.md": POST, "folder/2026-05-01-x.md": POST})
    root = write_site(tmp_path / "site", {B: SITE[B], "content/storage/_index.md": INDEX})
    (root / A).symlink_to(outside / "a.md")
    (root / "content/network").symlink_to(outside / "folder")
    assert files_of(mended(root)) == [B]
    assert {problem.code for problem in check_site(root).diagnostics} >= {"symlink"}
    assert read_tree(outside) == {"a.md": POST.encode(), "folder/2026-05-01-x.md": POST.encode()}


def test_a_link_put_in_the_place_of_a_file_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = write_site(tmp_path / "outside", {"a.md": POST})
    root = write_site(tmp_path / "site", SITE)

    def interrupted(options: Options) -> Checked:
        checked = check(options)
        monkeypatch.setattr(run, "check", check)
        (root / A).unlink()
        (root / A).symlink_to(outside / "a.md")
        return checked

    monkeypatch.setattr(run, "check", interrupted)
    done = mended(root)
    assert refusals(done) == [("symlink", A)]
    assert files_of(done) == [B]
    assert (outside / "a.md").read_text() == POST


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("c", POST.replace("title: A post", "title: A post\nslug: 2026-05-01-a"), "colliding-url"),
        ("2026-05-03-c", "---\ntitle: One\ntitle: Two\n---\nText.\n", "duplicate-key"),
        ("2026-05-03-c.md", "---\ntitle: C\nauthor: Ada Quill (@adaquill)\ndat: 2026-13-1\n---\nText.\n", "bad-date"),
    ],
)
def test_a_fix_that_would_break_the_site_is_taken_back(tmp_path: Path, name: str, text: str, code: str) -> None:
    file = f"content/storage/{name}"
    root = write_site(tmp_path, {**SITE, file: text})
    assert not build_site(root).failed
    for done in (tried(root), mended(root)):
        assert refusals(done) == [("nothing-fixed", file)]
        assert isinstance(done, Fixed)
        assert f"({code})" in done.refused[0].message
        assert files_of(done) == [A, B]
    assert (root / file).read_text() == text
    assert not build_site(root).failed


def test_what_cannot_be_placed_to_the_letter_stays_and_the_rest_is_mended(tmp_path: Path) -> None:
    # YAML takes U+0085 for a line end, and the title that is read has a space there; control characters are dropped.
    text = "---\ntitle: A\x01 post\nauthors: Ada\x02 Quill(@adaquill)\n---\n# Other\n"
    root = write_site(tmp_path, {**SITE, A: text})
    done = mended(root)
    assert refusals(done) == []
    assert B in files_of(done)
    assert (root / A).read_bytes().count(b"\x01") == 1
    assert mend_site(root).changes == ()


# -- links to lines of files

CLONE = "https://github.com/example/lumen"


def linked(url: str, day: str = "2026-05-03") -> dict[str, str]:
    """A site with one post, which links there."""
    return {
        "devlog.toml": f'base_url = "https://docs.example.org/lumen/"\nsource_repo = "{CLONE}"\n',
        "content/storage/_index.md": INDEX,
        f"content/storage/{day}-a.md": f"---\ntitle: A\nauthor: Ada Quill (@adaquill)\n---\nSee [x]({url}).\n",
    }


def history(root: Path) -> list[str]:
    """Two commits of a program, of two lines and of four: their names."""
    commits = []
    for day, lines in (("2026-05-01", 2), ("2026-05-05", 4)):
        write_site(root, {"src/a b.py": "line\n" * lines, "src/cache.py": "line\n" * lines})
        repository(root, day=day)
        commits.append(git(root, "rev-parse", "HEAD").strip())
    return commits


def address(root: Path, day: str = "2026-05-03") -> str:
    """The link of the only post."""
    return (root / f"content/storage/{day}-a.md").read_text().partition("](")[2].partition(").\n")[0]


@pytest.mark.slow
@pytest.mark.feature("source_references")
@pytest.mark.parametrize(
    ("place", "day", "commit"),
    [
        ("blob/main/src/cache.py#L2", "2026-05-03", 0),
        ("blob/main/src/cache.py#L1-L2", "2026-05-03", 0),
        ("blob/master/src/cache.py#L2", "2026-05-03", 0),
        ("blob/HEAD/src/cache.py#L2", "2026-05-03", 0),
        ("blame/main/src/cache.py#L2", "2026-05-03", 0),
        ("blob/main/src/a%20b.py#L2", "2026-05-03", 0),
        ("blob/main/src/cache.py?plain=1#L2", "2026-05-03", 0),
        ("blob/main/src/cache.py#L1C2-L2C4", "2026-05-03", 0),
        ("blob/main/src/cache.py#L2", "2026-05-01", 0),
        ("blob/main/src/cache.py#L4", "2026-05-05", 1),
        ("blob/main/src/cache.py#L2", "2026-06-01", 1),
    ],
)
def test_a_link_is_pinned_to_the_commit_of_its_day(tmp_path: Path, place: str, day: str, commit: int) -> None:
    commits = history(write_site(tmp_path, linked(f"{CLONE}/{place}", day)))
    assert "unpinned-link" in {problem.code for problem in check_site(tmp_path).diagnostics}
    done = mended(tmp_path)
    way, _, rest = place.partition("/")
    assert address(tmp_path, day) == f"{CLONE}/{way}/{commits[commit]}/{rest.partition('/')[2]}"
    assert files_of(done) == [f"content/storage/{day}-a.md"]
    assert "unpinned-link" not in {problem.code for problem in check_site(tmp_path).diagnostics}


@pytest.mark.parametrize(
    ("place", "day"),
    [
        ("blob/main/src/cache.py#L3", "2026-05-03"),  # the line came later
        ("blob/main/src/cache.py#L1-L3", "2026-05-03"),
        ("blob/main/src/cache.py#L0", "2026-05-03"),
        ("blob/main/src/gone.py#L1", "2026-05-03"),
        ("blob/main/src#L1", "2026-05-03"),
        ("blob/main/src/cache.py#L1", "2026-04-01"),  # before the first commit
        ("blob/other/src/cache.py#L1", "2026-05-03"),  # a branch that the clone has not
        ("blob/main/../lumen/src/cache.py#L1", "2026-05-03"),
        ("blob/main/src/./cache.py#L1", "2026-05-03"),
        ("blob/main/%2e%2e/%2e%2e/src/cache.py#L1", "2026-05-03"),
        ("blob/main//src/cache.py#L1", "2026-05-03"),
        ("blob/main/:(glob)src/*.py#L1", "2026-05-03"),
        ("blob/main/-rf#L1", "2026-05-03"),
        ("blob/--output=x/src/cache.py#L1", "2026-05-03"),
        ("blob/main..HEAD/src/cache.py#L1", "2026-05-03"),
        ("blob/@{-1}/src/cache.py#L1", "2026-05-03"),
        ("blob/main:src/cache.py#L1", "2026-05-03"),
        ("blob/main/src/cache.py%0AHEAD:src/cache.py#L1", "2026-05-03"),
        ("blob/main/src/cache.py%00#L1", "2026-05-03"),
        ("blob/main/src/%ff%fe.py#L1", "2026-05-03"),
        (f"blob/main/src/cache.py#L{'1' * 5000}", "2026-05-03"),
        ("blob/main/src/cache.py#L1-L" + "1" * 5000, "2026-05-03"),
        ("blob/main/src/cache.py#L١", "2026-05-03"),
    ],
)
def test_a_link_that_says_something_else_is_not_pinned(tmp_path: Path, place: str, day: str) -> None:
    history(write_site(tmp_path, linked(f"{CLONE}/{place}", day)))
    before = tree(tmp_path)
    assert files_of(mended(tmp_path)) == []
    assert tree(tmp_path) == before


@pytest.mark.parametrize("url", ["https://github.com/example/other", "https://gitlab.example.org/example/lumen"])
def test_a_link_to_another_repository_is_not_pinned(tmp_path: Path, url: str) -> None:
    history(write_site(tmp_path, linked(f"{url}/blob/main/src/cache.py#L1")))
    assert files_of(mended(tmp_path)) == []


@pytest.mark.slow
@pytest.mark.feature("source_references")
def test_another_branch_that_the_clone_knows(tmp_path: Path) -> None:
    root = write_site(tmp_path, linked(f"{CLONE}/blob/v2/src/cache.py#L3"))
    commits = history(root)
    git(root, "branch", "v2", commits[1], day="2026-05-05")
    assert files_of(mended(root)) == []  # the line came later
    git(root, "commit", "-q", "--amend", "--no-edit", day="2026-05-02")
    git(root, "branch", "-f", "v2", "HEAD")
    git(root, "reset", "-q", "--soft", commits[0])
    git(root, "commit", "-q", "--allow-empty", "-m", "Others", day="2026-05-02")
    assert files_of(mended(root)) == ["content/storage/2026-05-03-a.md"]
    assert address(root) == f"{CLONE}/blob/{git(root, 'rev-parse', 'v2').strip()}/src/cache.py#L3"


@pytest.mark.slow
@pytest.mark.feature("source_references")
@pytest.mark.parametrize(
    "origin",
    [
        "https://github.com/example/lumen.git",
        "git@github.com:example/lumen.git",
        "ssh://git@github.com:22/Example/Lumen",
    ],
)
def test_the_origin_says_what_the_repository_is(tmp_path: Path, origin: str) -> None:
    files = linked(f"{CLONE}/blob/main/src/cache.py#L2")
    root = write_site(tmp_path, {**files, "devlog.toml": SITE["devlog.toml"]})
    commits = history(root)
    assert files_of(mended(root)) == []
    # What is known of a folder is remembered for one run, so another one is looked at.
    moved = root.rename(tmp_path.with_name(f"{tmp_path.name}-moved"))
    git(moved, "remote", "add", "origin", origin)
    assert files_of(mended(moved)) == ["content/storage/2026-05-03-a.md"]
    assert address(moved) == f"{CLONE}/blob/{commits[0]}/src/cache.py#L2"


@pytest.mark.slow
@pytest.mark.feature("source_references")
@pytest.mark.parametrize("way", ["blob", "-/blob"])
def test_a_clone_beside_the_site(tmp_path: Path, way: str) -> None:
    url = "https://gitlab.example.org/example/lumen"
    files = linked(f"{url}/{way}/main/src/cache.py#L2")
    files["devlog.toml"] = f'{SITE["devlog.toml"]}source_checkout = "../lumen"\n'
    root = write_site(tmp_path / "site", files)
    commits = history(tmp_path / "lumen")
    git(tmp_path / "lumen", "remote", "add", "origin", f"{url}.git")
    would = tried(root)
    done = mended(root)
    assert files_of(done) == ["content/storage/2026-05-03-a.md"]
    assert address(root) == f"{url}/{way}/{commits[0]}/src/cache.py#L2"
    assert [change.diff() for change in would.changes] == [change.diff() for change in done.changes]  # type: ignore[union-attr]


@pytest.mark.feature("source_references")
def test_two_links_on_one_line_and_one_in_html(tmp_path: Path) -> None:
    url = f"{CLONE}/blob/main/src/cache.py"
    files = linked(f"{url}#L2), [y]({url}#L2), <{url}#L1>, [z]({url}#L2 'L2'")
    files["content/storage/2026-05-03-a.md"] += f'\n<a href="{url}?a=1&amp;b=2#L1">x</a> <a href="{url}#L2">y</a>\n'
    root = write_site(tmp_path, files)
    commit = history(root)[0]
    mended(root)
    text = (root / "content/storage/2026-05-03-a.md").read_text()
    assert text == files["content/storage/2026-05-03-a.md"].replace("/main/src/cache.py#", f"/{commit}/src/cache.py#")


@pytest.mark.feature("source_references")
def test_git_is_asked_once_for_all_branches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_site(tmp_path, linked(f"{CLONE}/blob/main/src/cache.py#L1"))
    history(root)
    git(root, "branch", "v2")
    names = [*(f"b{number}" for number in range(50)), "v2"]
    text = "".join(f"[x]({CLONE}/blob/{name}/src/cache.py#L1)\n" for name in names)
    write_site(root, {"content/storage/2026-05-03-b.md": f"{FRONT_OF_A}{text}"})
    asked: list[str] = []

    def commit_of(_root: Path, _day: str, branch: str) -> str:
        asked.append(branch)
        return "1" * 40

    monkeypatch.setattr("devlog.features.source_references.fixing.commit_of", commit_of)
    monkeypatch.setattr("devlog.features.source_references.fixing.lines_at", lambda _root, _commit, _file: 9)
    mended(root, force=True)
    assert sorted(asked) == ["", "v2"]
    assert (root / "content/storage/2026-05-03-b.md").read_text().count("1" * 40) == 1


@pytest.mark.feature("source_references")
def test_git_is_asked_for_a_limited_number_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(
        f"[x]({CLONE}/blob/main/src/{name}#L1)\n" for name in ("cache.py", "cache.py", "a%20b.py", "none.py")
    )
    root = write_site(tmp_path, {**linked(CLONE), "content/storage/2026-05-03-b.md": f"{FRONT_OF_A}{text}"})
    history(root)
    monkeypatch.setattr("devlog.features.source_references.fixing.MOST_QUESTIONS", 1)
    mended(root)
    lines = (root / "content/storage/2026-05-03-b.md").read_text().splitlines()[4:]
    assert ["blob/main/" in line for line in lines] == [False, False, True, True]


# -- links that name the site's host


NAMES = ("a b", "a(1", "a%20b", "ä", "a#b", "a?b", "a'b", "a<b>", "a&amp;b", "a\\b", "a*b*")
LINKS = ("[x]({})", "[x](<{}>)", '[x]({} "T")', '<a href="{}">x</a>', "<{}>")
CASES = {
    (name, link): f"content/network/2026-05-01-x{number}.md"
    for number, (name, link) in enumerate(product(NAMES, LINKS))
}
"""The file in which each link is, to each name."""


class Linked(NamedTuple):
    """A site in which each post links to another by its whole address, and a check of it before and after mending."""

    permalinks: dict[str, str]
    before: Checked
    after: Checked


@pytest.fixture(scope="module")
def linked_site(tmp_path_factory: pytest.TempPathFactory) -> Linked:
    root = write_site(tmp_path_factory.mktemp("linked"), {**SITE, "content/network/_index.md": INDEX})
    files = {name: f"content/t{number}/2026-05-01-{name}.md" for number, name in enumerate(NAMES)}
    write_site(root, {f"content/t{number}/_index.md": INDEX for number in range(len(NAMES))})
    write_site(root, dict.fromkeys(files.values(), MENDED))
    site = check_site(root).evidence
    assert site
    by_file = {post.parsed.file: post.permalink for post in site.site.posts}
    permalinks = {name: by_file[file] for name, file in files.items()}
    for (name, link), file in CASES.items():
        url = f"https://docs.example.org/lumen{quote(permalinks[name])}"
        write_site(root, {file: MENDED.replace("Text.", link.format(url))})
    before = check_site(root)
    mend_site(root)
    return Linked(permalinks, before, check_site(root))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("link", LINKS)
def test_a_link_to_a_name_that_needs_care_still_leads_there(linked_site: Linked, name: str, link: str) -> None:
    file = CASES[name, link]
    assert [item.code for item in linked_site.before.diagnostics if item.span.path == file] == ["own-url"]
    after = linked_site.after
    left = [(item.code, item.hint.partition("”")[0]) for item in after.diagnostics if item.span.path == file]
    # Nothing but a whole address can stand in angle brackets alone.
    instead = f"[…](../t{NAMES.index(name)}/{quote(f'2026-05-01-{name}.md', safe='*;')})"
    assert left == ([("own-url", f"write “{instead}")] if link == "<{}>" else [])
    assert after.evidence
    uses = after.evidence.uses.get(linked_site.permalinks[name], ())
    assert [use.text.parsed.file for use in uses].count(file) == 1


# -- dates that only git knows


def undated(text: str) -> dict[str, str]:
    """A site with one post that has no date, neither in its name nor in its front matter."""
    return {**{key: SITE[key] for key in ("devlog.toml", "content/storage/_index.md")}, "content/storage/a.md": text}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("---\ntitle: A\n---\nText.\n", "---\ndate: 2026-05-01\ntitle: A\n---\nText.\n"),
        ("+++\ntitle = 'A'\n[extra]\n+++\nText.\n", "+++\ndate = 2026-05-01\ntitle = 'A'\n[extra]\n+++\nText.\n"),
        ("---\n# why\n---\nText.\n", '---\ndate: 2026-05-01\ntitle: "A"\n# why\n---\nText.\n'),
        ("Text.\n", '---\ntitle: "A"\ndate: 2026-05-01\n---\n\nText.\n'),
        ('{"title": "A"}\nText.\n', ""),
        ("---\n{title: A}\n---\nText.\n", ""),
        ("---\n{\ntitle: A\n}\n---\nText.\n", ""),
        ("---\n  title: A\n---\nText.\n", "---\n  date: 2026-05-01\n  title: A\n---\nText.\n"),
        ('---\n"title": A\n---\nText.\n', '---\ndate: 2026-05-01\n"title": A\n---\nText.\n'),
    ],
)
def test_a_date_that_only_git_knows_is_written_down(tmp_path: Path, text: str, after: str) -> None:
    root = write_site(tmp_path, undated(text))
    repository(root, day="2026-05-01")
    would, done = tried(root), mended(root)
    assert (root / "content/storage/a.md").read_text() == (after or text)
    assert [change.diff() for change in would.changes] == [change.diff() for change in done.changes]  # type: ignore[union-attr]
    assert not any(problem.severity == "error" for problem in check_site(root).diagnostics)


def test_the_date_is_told_where_it_cannot_be_written(tmp_path: Path) -> None:
    root = write_site(tmp_path, undated('{"title": "A"}\nText.\n'))
    repository(root, day="2026-05-01")
    told = [problem for problem in check_site(root).diagnostics if problem.code == "date-from-git"]
    assert [(problem.span, "2026-05-01" in problem.message) for problem in told] == [
        (Span("content/storage/a.md", 1), True)
    ]


@pytest.mark.parametrize("how", ["none", "not committed", "shallow"])
def test_what_git_does_not_know_is_not_written(tmp_path: Path, how: str) -> None:
    root = write_site(tmp_path / "site", undated("---\ntitle: A\n---\nText.\n"))
    if how == "not committed":
        git(root, "init", "-q")
    elif how == "shallow":
        repository(root, day="2026-05-01")
        write_site(root, {"other.txt": "x"})
        repository(root, day="2026-05-02")
        git(tmp_path, "clone", "-q", "--depth", "1", root.as_uri(), "shallow")
        root = tmp_path / "shallow"
    before = tree(root)
    assert files_of(mended(root, force=True)) == []
    assert tree(root) == before


# -- any text, any edits

CHARACTERS = st.sampled_from("ab c#:\t\x0b\x0c\x1c\x85\u2028\U0001f388é")
NEW = st.text(st.sampled_from("xyz \né"), max_size=4)


class _Drawn(NamedTuple):
    """A text, edits of it, and its pieces after them: each as it is kept, or as an edit puts it in."""

    text: str
    edits: list[Edit]
    kept_or_new: list[tuple[str, str]]


@st.composite
def texts_with_edits(draw: st.DrawFn) -> _Drawn:
    text = draw(st.sampled_from(["", "\ufeff"]))
    edits, after = list[Edit](), [(text, "")]
    count = draw(st.integers(1, 6))
    for number in range(1, count + 1):
        whole, line, pieces = draw(st.booleans()), "", list[tuple[str, str]]()
        for _ in range(draw(st.integers(0, 3))):
            between, old, new = (
                draw(st.text(CHARACTERS, min_size=1, max_size=3)),
                draw(st.text(CHARACTERS, max_size=3)),
                draw(NEW),
            )
            span = Span("a.md", number, len(line + between) + 1, len(old))
            edits += [] if whole else [Edit(span, old, new)]
            pieces.append((between, new))
            line += between + old
        ends = ["\r"] if text.endswith("\r") and not line else ["\n", "\r\n", "\r"]  # two must not become one
        end = draw(st.sampled_from([*ends, ""] if number == count and line else ends))
        if whole:
            edits.append(Edit(Span("a.md", number), "", draw(NEW), lines=1))
        after += [("", edits[-1].new)] if whole else [*pieces, (end, "")]
        text += line + end
    return _Drawn(text, draw(st.permutations(edits)), after)


@pytest.mark.slow
@given(texts_with_edits())
def test_only_the_places_of_edits_change(drawn: _Drawn) -> None:
    ends = re.findall("\r\n|\r|\n", drawn.text)
    usual = max(dict.fromkeys(ends), key=ends.count) if ends else "\n"
    expected = "".join(kept + new.replace("\n", usual) for kept, new in drawn.kept_or_new)
    assert edited(drawn.text, drawn.edits) == expected


@pytest.mark.slow
@given(texts_with_edits(), st.data())
def test_what_stands_elsewhere_is_not_touched(drawn: _Drawn, data: st.DataObject) -> None:
    edits = [edit for edit in drawn.edits if edit.old]
    if edits:
        wrong = data.draw(st.sampled_from(edits))
        elsewhere = msgspec.structs.replace(wrong, old=f"{wrong.old}~")
        assert edited(drawn.text, [elsewhere if edit is wrong else edit for edit in drawn.edits]) is None
    below = Edit(Span("a.md", drawn.text.count("\n") + drawn.text.count("\r") + 2, 1), "", "x")
    assert edited(drawn.text, [*drawn.edits, below]) is None


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
def test_mending_any_site(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = write_site(Path(folder), files)
        before = check_site(root)
        done = mend_site(root)
        refused = {item.span.path for item in done.refused if item.code == "nothing-fixed"}
        assert len(refused) == len(done.refused)
        assert problems_of(done.checked) == problems_of(check_site(root))
        assert {item.span.path for item in done.checked.diagnostics if item.fix} <= refused
        new_errors = _kinds(done.checked, "error") - _kinds(before, "error")
        assert {file for _, file in new_errors} <= {file for _, file in _kinds(before, "error")}
        assert mend_site(root).changes == ()
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


URL = "https://docs.example.org/lumen/storage/2026-05-02-b/"


@pytest.mark.parametrize(
    ("text", "right"),
    [
        (f"`{URL}` and [b]({URL}).", f"`{URL}` and [b](2026-05-02-b.md)."),
        (f"{URL[:-1]}? No: [b]({URL}).", f"{URL[:-1]}? No: [b](2026-05-02-b.md)."),
        (f"Write `[b]({URL})` for [b]({URL}).", f"Write `[b]({URL})` for [b](2026-05-02-b.md)."),
        (f"`` `[b]({URL})` ``: [b](<{URL}>).", f"`` `[b]({URL})` ``: [b](<2026-05-02-b.md>)."),
        (f"`{URL}` is [b][x].\n\n[x]: {URL}", f"`{URL}` is [b][x].\n\n[x]: 2026-05-02-b.md"),
        (f"[{URL}]({URL}?q=a&b=c#d)", f"[{URL}](2026-05-02-b.md?q=a&b=c#d)"),
    ],
)
def test_a_link_is_fixed_and_not_what_shows_its_target(tmp_path: Path, text: str, right: str) -> None:
    front = "---\ntitle: A\nauthor: Ada Quill (@adaquill)\n---\n"
    other = f"{front.replace('A', 'B', 1)}## D\n"
    root = write_site(tmp_path, {**SITE, A: f"{front}{text}\n", B: other.replace("title: A", "title: B")})
    done = mended(root)
    assert isinstance(done, Fixed)
    assert (root / A).read_text() == f"{front}{right}\n"
    assert files_of(mended(root)) == []


@pytest.mark.parametrize(
    "front",
    ["---\ntitle: A\ndate:\n---\n", '---\ntitle: A\ndate: ""\n---\n', "---\ntitle:\n---\n", '+++\ntitle = ""\n+++\n'],
)
def test_no_second_key_is_added(tmp_path: Path, front: str) -> None:
    root = write_site(
        tmp_path, {"devlog.toml": SITE["devlog.toml"], "content/storage/_index.md": INDEX, A: f"{front}Text.\n"}
    )
    repository(root)
    failed = build_site(root).failed
    mended(root, force=True)
    assert (root / A).read_text().count("date") <= 1
    assert (root / A).read_text().count("title") == 1
    assert build_site(root).failed == failed


def test_a_tag_that_is_part_of_urls_stays(tmp_path: Path) -> None:
    front = "---\ntitle: {}\nauthor: Ada Quill (@adaquill)\ncategories: [{}]\n---\nText.\n"
    config = 'dialect = "jekyll"\ncontent = "."\ntags.also = ["categories"]\n'
    config += 'permalinks.post = "/:categories/:year/:title/"\n'
    files = {"devlog.toml": config}
    files |= {f"_posts/2026-05-0{n}-{n}.md": front.format(n, "devops") for n in (1, 2)}
    files["_posts/2026-05-03-3.md"] = front.format("Three", "dev-ops")
    root = write_site(tmp_path, files)
    assert "tag-drift" in {item.code for item in check_site(root).diagnostics}
    mended(root)
    assert "[dev-ops]" in (root / "_posts/2026-05-03-3.md").read_text()


# -- what a post means stays


@pytest.mark.parametrize("name", ["k k.pdf", "a(b.pdf", "q%q.pdf", "h#h.pdf", "a?b.pdf", "a[b].pdf"])
def test_a_link_to_a_static_file_whose_name_needs_care_still_leads_there(tmp_path: Path, name: str) -> None:
    url = f"https://docs.example.org/lumen/s/{quote(name)}"
    root = write_site(tmp_path, {**SITE, A: f"{FRONT_OF_A}[x]({url})\n", f"static/s/{name}": "%PDF-1.4"})
    assert A in files_of(mended(root))
    assert "](/s/" in (root / A).read_text()
    after = check_site(root).evidence
    assert after
    assert [use.text.parsed.file for use in after.uses[f"/s/{name}"]] == [A]


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Intro", "## Intro\n\nMore.\n\n## Intro\n\n[x](#intro-1)"),
        ("Intro 1", "## Intro\n\n## Intro\n\n[x](#intro-2)"),
        ("Intro", "Text.\n\n# Intro"),
    ],
)
def test_a_repeated_title_stays_that_gives_other_headings_their_anchors(tmp_path: Path, title: str, body: str) -> None:
    front = FRONT_OF_A.replace("title: A", f"title: {title}")
    root = write_site(tmp_path, {**SITE, A: f"{front}# {title}\n\n{body}\n"})
    assert A not in files_of(mended(root))
    assert "repeated-title" in {item.code for item in check_site(root).diagnostics if item.span.path == A}


def test_a_repeated_title_goes_that_shares_only_a_word(tmp_path: Path) -> None:
    front = FRONT_OF_A.replace("title: A", "title: Part 1")
    root = write_site(tmp_path, {**SITE, A: f"{front}# Part 1\n\nText.\n\n## Part 2\n\n## Part 1 of 2\n"})
    mended(root)
    assert (root / A).read_text() == f"{front}Text.\n\n## Part 2\n\n## Part 1 of 2\n"


@pytest.mark.parametrize(
    ("front", "after"),
    [
        ("---\ntitle: A\ndtae: 2020-01-01\n---\n", "---\ntitle: A\ndate: 2020-01-01\n---\n"),
        ("---\ntilte: A\n---\n", "---\ndate: 2026-05-01\ntitle: A\n---\n"),
        ('+++\ntitle = "A"\ndate = 2020-1-2\n+++\n', ""),
        ('+++\nauthor = = 1\ntitle = "A"\n+++\n', ""),
        ("---\ntags: [a\ndate: 2020-01-02\n---\n", ""),
    ],
)
def test_a_key_that_may_be_there_already_is_not_added(tmp_path: Path, front: str, after: str) -> None:
    root = write_site(tmp_path, undated(f"{front}Text.\n"))
    repository(root, day="2026-05-01")
    done = mended(root)
    assert isinstance(done, Fixed)
    assert (root / "content/storage/a.md").read_text() == f"{after or front}Text.\n"
    assert refusals(done) == []


@pytest.mark.parametrize(
    ("usual", "other", "dialect"),
    [
        ("tags: [foo bar]", "tags: foo-bar baz", "jekyll"),
        ('tags: ["null"]', "tags: [nu-ll, a]", ""),
        ('tags: ["null"]', "tags:\n- nu_ll", ""),
        ('tags: ["Null"]', "tags: nu_ll, a", ""),
        ("tags: ['a_b\\n']", 'tags: ["a-b\\\\n"]', ""),
    ],
)
def test_a_spelling_that_means_something_else_there_is_not_written(
    tmp_path: Path, usual: str, other: str, dialect: str
) -> None:
    config = SITE["devlog.toml"] + (f'dialect = "{dialect}"\n' if dialect else "")
    front = FRONT_OF_A.replace("title: A", "title: {}\n{}")
    names = [f"content/{'_posts' if dialect else 'storage'}/2026-05-0{number}-{number}.md" for number in (1, 2, 3)]
    files = {name: f"{front.format(name, usual)}Text.\n" for name in names[:2]}
    files[names[2]] = f"{front.format('C', other)}Text.\n"
    root = write_site(tmp_path, {"devlog.toml": config, **files})
    assert "tag-drift" in {item.code for item in check_site(root).diagnostics}
    assert files_of(mended(root)) == []


def test_a_key_of_the_authors_file_does_not_become_a_name(tmp_path: Path) -> None:
    text = "---\ntitle: A\nauthors: adaquill\n---\nText.\n"
    root = write_site(tmp_path, {**SITE, A: text})
    done = mended(root)
    assert files_of(done) == [B]
    assert refusals(done) == []
    assert (root / A).read_text() == text


def _unsound(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """Rules without one of the conditions that keep their fixes from changing what a post says."""
    if what == "anchors":
        monkeypatch.setattr("devlog.check.posts._shares", lambda _anchor, _text: False)
    elif what == "tags":

        def renaming(tag: Tag, right: str, _separator: str) -> Fix:
            return Fix((Edit(tag.span, tag.name, right),))

        monkeypatch.setattr("devlog.check.tags._renaming", renaming)
    else:
        monkeypatch.setattr("devlog.check.links.quote", lambda path, **_options: path)


@pytest.mark.parametrize("place", ["first", "last"])
@pytest.mark.parametrize(
    ("what", "front", "wrong", "told"),
    [
        ("anchors", "title: Intro", "# Intro\n\nText.\n\n## Intro\n\n## Intro\n", "“repeated-title” says: its anchors"),
        ("tags", "title: A\ntags: [nu-ll, a]", "Text.\n", "“tag-drift” says: “tags” in the front matter"),
        ("links", "title: A", "[x](https://docs.example.org/lumen/s/k%20k.pdf)\n", "“own-url” says: its links"),
        ("links", "title: A", "[x](https://docs.example.org/lumen/s/h%23h.pdf)\n", "“own-url” says: its links"),
    ],
)
def test_a_fix_that_changes_more_than_it_says_is_left_out_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, front: str, wrong: str, told: str, place: str
) -> None:
    _unsound(monkeypatch, what)
    good = [f"[{number}](https://docs.example.org/lumen/storage/2026-05-02-b/)\n" for number in range(5)]
    better = [line.replace("https://docs.example.org/lumen/storage/2026-05-02-b/", "2026-05-02-b.md") for line in good]
    author, right = "author: Ada Quill(@adaquill)", "author: Ada Quill (@adaquill)"
    is_first = place == "first" or wrong.startswith("#")

    def text(author: str, links: list[str]) -> str:
        parts = [wrong, *links] if is_first else [*links, wrong]
        return f"---\n{front}\n{author}\n---\n" + "\n".join(parts)

    files = {"static/s/k k.pdf": "%PDF-1.4", "static/s/h#h.pdf": "%PDF-1.4", A: text(author, good)}
    others = {f"content/storage/2026-04-0{number}-t.md": "---\ntags: ['null']\n---\n" for number in (1, 2, 3)}
    files |= {name: post.replace("tags", f"title: T{name}\ntags") for name, post in others.items()}
    root = write_site(tmp_path, {**SITE, B: MENDED.replace("A post", "B"), **files})
    done = mended(root)
    assert isinstance(done, Fixed)
    assert [(problem.code, problem.span.path) for problem in done.refused] == [("nothing-fixed", A)]
    assert told in done.refused[0].message
    assert (root / A).read_text() == text(right, better)
    assert files_of(mended(root)) == []


def test_a_url_from_elsewhere_that_ends_early_is_left_out(tmp_path: Path) -> None:
    url = "https://www.example.org/a"
    root = write_site(tmp_path, {**SITE, A: f"{FRONT_OF_A}{url} [x]({url})\n"})

    def moved(_checked: Checked) -> list[Diagnostic]:
        return [
            Diagnostic("moved-url", "info", "has moved", span, fix=Fix((Edit(span, url, f"{url}/b!"),)))
            for span in (Span(A, 5, 1, len(url)), Span(A, 5, len(url) + 6, len(url)))
        ]

    done = fix(Options(root=root, now=NOW, jobs=1), lambda _problem: True, force=True, also=moved)
    assert refusals(done) == [("nothing-fixed", A)]
    assert (root / A).read_text() == f"{FRONT_OF_A}{url} [x]({url})\n"


def test_what_no_rule_finds_is_fixed_after_misspelt_keys(tmp_path: Path) -> None:
    url = "https://www.example.org/a"
    root = write_site(tmp_path, {**SITE, A: f"{FRONT_OF_A.replace('author', 'autor')}[x]({url})\n"})

    def moved(_checked: Checked) -> list[Diagnostic]:
        span = Span(A, 5, 5, len(url))
        return [Diagnostic("moved-url", "info", "has moved", span, fix=Fix((Edit(span, url, f"{url}/b"),)))]

    fix(Options(root=root, now=NOW, jobs=1), lambda _problem: True, force=True, also=moved)
    assert (root / A).read_text() == f"{FRONT_OF_A}[x]({url}/b)\n"


def test_errors_of_one_fix_leave_the_others_of_its_file(tmp_path: Path) -> None:
    text = "---\ntitle: C\nauthors: Ada Quill(@adaquill)\nslgu: 2026-05-01-a\ndescripton: Text.\n---\n# C\n\nText.\n"
    file = "content/storage/2026-05-03-c.md"
    root = write_site(tmp_path, {**SITE, file: text})
    done = mended(root)
    assert refusals(done) == [("nothing-fixed", file)]
    assert "(colliding-url)" in done.refused[0].message  # type: ignore[union-attr]
    right = "---\ntitle: C\nauthor: Ada Quill (@adaquill)\nslgu: 2026-05-01-a\ndescription: Text.\n---\nText.\n"
    assert (root / file).read_text() == right
    assert not build_site(root).failed


@pytest.mark.parametrize(
    "text",
    [
        "The file is `2026-05-02-B.md`, see [b](2026-05-02-B&#46;md).",
        "The file is `2026-05-02-B.md`, see [b](2026-05-02-B\\.md).",
        "The file is 2026-05-02-B.md, see [b](2026-05-02-B&#46;md).",
        "The file is 2026-05-02-B.md, see [b](2026-05-02-B\\.md).",
    ],
)
def test_what_shows_a_target_that_is_written_in_another_way_stays(tmp_path: Path, text: str) -> None:
    post = f"{FRONT_OF_A}{'Words before it. ' * 40}\n\n{text}\n"
    root = write_site(tmp_path, {**SITE, A: post, B: MENDED.replace("A post", "B")})
    done = mended(root)
    assert isinstance(done, Fixed)
    assert (root / A).read_text() == post
    assert "case-mismatch" in {problem.code for problem in done.checked.diagnostics}
    told = [problem.span.column for problem in done.checked.diagnostics if problem.code == "case-mismatch"]
    assert told == ([0] if "`" in text else [text.index("2026") + 1])


URL_OUTSIDE = "https://www.example.org/a"


def _moved(url: str, new: str, places: list[tuple[int, int]]) -> Callable[[Checked], list[Diagnostic]]:
    spans = [Span(A, line, column, len(url)) for line, column in places]
    found = [Diagnostic("moved-url", "info", "moved", span, fix=Fix((Edit(span, url, new),))) for span in spans]
    return lambda _checked: found


@pytest.mark.parametrize(
    ("text", "place", "is_fixed"),
    [
        (f"[x]({URL_OUTSIDE})", (5, 5), True),
        (f"<{URL_OUTSIDE}> `{URL_OUTSIDE}`", (5, 2), True),
        (f"{URL_OUTSIDE} *x*", (5, 1), True),
        (f"`{URL_OUTSIDE}` [x](https://www.example&#46;org/a)", (5, 2), False),
    ],
)
def test_a_url_from_elsewhere_changes_links_only(
    tmp_path: Path, text: str, place: tuple[int, int], *, is_fixed: bool
) -> None:
    root = write_site(tmp_path, {**SITE, A: f"{FRONT_OF_A}{text}\n", B: MENDED.replace("A post", "B")})
    new = f"{URL_OUTSIDE}/b"
    done = fix(
        Options(root=root, now=NOW, jobs=1), lambda _problem: True, force=True, also=_moved(URL_OUTSIDE, new, [place])
    )
    assert refusals(done) == ([] if is_fixed else [("nothing-fixed", A)])
    column = place[1] - 1
    right = text[:column] + new + text[column + len(URL_OUTSIDE) :]
    assert (root / A).read_text() == f"{FRONT_OF_A}{right if is_fixed else text}\n"


@pytest.mark.parametrize(
    ("before", "after", "code", "is_same"),
    [
        ('<a href="https://a.example/">x</a>', '<a href="https://b.example/">x</a>', "moved-url", True),
        ('<a href="https://a.example/">x</a>', '<a href="https://b.example/">x</a>', "own-url", False),
        ('<a href="//a.example/">//a.example/</a>', '<a href="//b.example/">//b.example/</a>', "moved-url", True),
        ('<a href="//a.example/">a</a> b', '<a href="//b.example/">a</a> c', "moved-url", False),
        ('<a href="//a.example/">a</a>', '<a href="//a.example/">b</a>', "moved-url", False),
        ('<a href="//a.example/"><code>a</code></a>', '<a href="//b.example/"><code>b</code></a>', "moved-url", False),
        ('<img src="//a.example/" alt="a">', '<img src="//b.example/" alt="b">', "unpinned-link", False),
        ("<p>a", "<p>a<b>", "moved-url", False),
        ('<a id="a"></a>\n<p>b', "<p>b", "repeated-title", True),
        ('<a id="a"></a>\n<p>b', "<p>c", "repeated-title", False),
        ('<a id="a"></a>\n<p>b', "<p>b", "own-url", False),
    ],
)
def test_bodies_show_the_same(before: str, after: str, code: str, *, is_same: bool) -> None:
    fixed = [Diagnostic(code, "info", "", Span(A))]
    assert shows_same(Body((before,)), Body((after,)), fixed, "a") == is_same
