"""Asking a clone that somebody else has made: what it says, and that nothing of it is ever run."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import pytest
from check_cases import git, repository
from sites import write_site

from devlog.features.source_references import disk as module
from devlog.features.source_references.disk import NO_CHECKOUT, Checkout, SilentError, answers
from devlog.features.source_references.fixing import Asked

OLD = "int lookup(int key) {\n  return table[key];\n}\n"
YEAR = (datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC))
NEW = f"// New.\n{OLD}"


@pytest.fixture
def lumen(tmp_path: Path) -> Path:
    """A clone with two commits."""
    root = write_site(tmp_path / "lumen", {"src/cache.c": OLD, "src/page.c": "page\n", "README": "Lumen\n"})
    repository(root, day="2026-05-01")
    write_site(root, {"src/cache.c": NEW, "src/new.c": OLD})
    repository(root, day="2026-05-05")
    return root


def head(root: Path, name: str = "HEAD") -> str:
    return git(root, "rev-parse", name).strip()


# -- answers


def test_commits(lumen: Path) -> None:
    git(lumen, "tag", "-a", "-m", "One", "v1", "HEAD~1")
    first, last = head(lumen, "HEAD~1"), head(lumen)
    names = ["HEAD", last[:9], "refs/tags/v1", "refs/tags/v2", "0" * 40, head(lumen, "HEAD:README"), "", "HEAD~1", "-p"]
    assert Checkout(lumen).commits(names) == [last, last, first, "", "", "", "", "", ""]
    assert Checkout(lumen).commits([]) == []


def test_history_is_that_of_the_branch(lumen: Path) -> None:
    git(lumen, "switch", "-q", "-c", "side", "HEAD~1")
    git(lumen, "commit", "-q", "--allow-empty", "-m", "Aside", day="2026-05-03")
    side = head(lumen)
    git(lumen, "switch", "-q", "main")
    git(lumen, "merge", "-q", "--no-ff", "-m", "Merge", "side", day="2026-05-07")
    told = Checkout(lumen).history(head(lumen))
    assert [moment.commit for moment in told] == [head(lumen), head(lumen, "HEAD~1"), head(lumen, "HEAD~2")]
    assert side not in {moment.commit for moment in told}
    assert [(one.second - other.second) // 86400 for one, other in pairwise(told)] == [2, 4]


@pytest.mark.parametrize("name", ['a"b.c', "a b.c", "ä.c", "a\tb.c", "a\\b.c", "-n.c", ":(glob)*.c", "*.c", "\udcff.c"])
def test_names_of_files(lumen: Path, name: str) -> None:
    (lumen / os.fsencode(name).decode("utf-8", "surrogateescape")).write_text("telling line of its own\n")
    repository(lumen, day="2026-05-06")
    clone, commit = Checkout(lumen), head(lumen)
    files = clone.files(commit)
    assert files[name] == clone.blobs([(commit, name)])[0] != ""
    assert dict(clone.contents([files[name]])) == {files[name]: b"telling line of its own\n"}
    assert clone.last_changes(commit, [name, "README"]) == {name: commit, "README": head(lumen, "HEAD~2")}


def test_a_name_with_a_line_end_is_listed_and_not_asked_for(lumen: Path) -> None:
    (lumen / "a\nHEAD:README").write_text("x\n")
    repository(lumen, day="2026-05-06")
    clone, commit = Checkout(lumen), head(lumen)
    assert "a\nHEAD:README" in clone.files(commit)
    assert clone.blobs([(commit, "a\nHEAD:README"), (commit, "README")]) == ["", clone.files(commit)["README"]]


@pytest.mark.parametrize("name", ["../lumen/README", "./README", "src//cache.c", "/README", "src", "", "README\0"])
def test_what_is_no_file_of_the_top(lumen: Path, name: str) -> None:
    clone = Checkout(lumen)
    assert clone.blobs([(head(lumen), name)]) == [""]


def test_links_and_other_repositories_are_no_files(lumen: Path) -> None:
    (lumen / "link.c").symlink_to("README")
    git(lumen, "update-index", "--add", "--cacheinfo", f"160000,{head(lumen)},other")
    repository(lumen, day="2026-05-06")
    assert set(Checkout(lumen).files(head(lumen))) == {"README", "src/cache.c", "src/page.c", "src/new.c"}


def test_contents_come_in_order_without_those_that_are_too_large(lumen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_site(lumen, {"large": b"x" * 70_000, "empty": b"", "small": b"\0\n\n"})
    repository(lumen, day="2026-05-06")
    monkeypatch.setattr(module, "LARGEST", 60_000)
    clone = Checkout(lumen)
    files = clone.files(head(lumen))
    asked = [files["small"], files["large"], files["empty"], files["README"]]
    assert [data for _, data in clone.contents(asked)] == [b"\0\n\n", b"", b"Lumen\n"]
    assert [*clone.contents([])] == []


def test_the_last_changes_are_those_of_the_branch(lumen: Path) -> None:
    commit = head(lumen)
    git(lumen, "config", "log.showRoot", "false")
    git(lumen, "config", "diff.relative", "true")
    found = Checkout(lumen).last_changes(commit, ["src/cache.c", "src/page.c", "never"])
    assert found == {"src/cache.c": commit, "src/page.c": head(lumen, "HEAD~1")}
    assert Checkout(lumen).last_changes(commit, []) == {}


def test_an_old_date_between_others_does_not_end_a_period(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, day in enumerate(["2026-02-01", "2019-05-01", "2019-05-02", "2026-03-01"]):
        write_site(tmp_path, {f"{number}.c": f"int a{number};\n"})
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", f"Commit {number}"]):
            git(tmp_path, *command, day=day)
    found = Checkout(tmp_path).commits_since(head(tmp_path), *YEAR)
    assert [item.files for item in found] == [("3.c",), ("0.c",)]
    monkeypatch.setattr(module, "_MOST_OLDER", 1)
    assert [item.files for item in Checkout(tmp_path).commits_since(head(tmp_path), *YEAR)] == [("3.c",)]


def test_the_commits_of_a_period(lumen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = Checkout(lumen).commits_since(head(lumen), *YEAR)
    history = Checkout(lumen).history(head(lumen))
    assert [item.second for item in found] == [item.second for item in history]
    assert all(item.files and "@" in item.author for item in found)
    assert Checkout(lumen).commits_since(head(lumen), YEAR[1], YEAR[1]) == ()
    monkeypatch.setattr(module, "MOST_COMMITS", 1)
    assert Checkout(lumen).commits_since(head(lumen), *YEAR) == found[:1]
    monkeypatch.setattr(module, "MOST_CHANGES", 1)
    assert [len(item.files) for item in Checkout(lumen).commits_since(head(lumen), *YEAR)] == [1]


def test_names_in_many_commits_are_held_once_and_only_so_many(lumen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for day in range(10, 20):
        write_site(lumen, {"src/cache.c": f"int a{day};\n", f"src/{'n' * 200}{day}.c": "int b;\n"})
        repository(lumen, day=f"2026-05-{day}")
    found = Checkout(lumen).commits_since(head(lumen), *YEAR)
    names = [name for item in found for name in (item.author, *item.files)]
    assert len({id(name) for name in names}) == len({*names}) < len(names)
    monkeypatch.setattr(module, "MOST_OF_NAMES", 1_000)
    some = Checkout(lumen).commits_since(head(lumen), *YEAR)
    assert 0 < len(some) < 6
    assert [item.author for item in some] == [item.author for item in found[: len(some)]]


def test_a_name_is_no_commit(lumen: Path) -> None:
    (lumen / "\1commit of another").write_text("x\n")
    (lumen / "z.c").write_text("x\n")
    repository(lumen, day="2026-05-06")
    commit = head(lumen)
    assert Checkout(lumen).last_changes(commit, ["z.c", "README"]) == {"z.c": commit, "README": head(lumen, "HEAD~2")}


def test_the_newest_commit_of_a_day(lumen: Path) -> None:
    clone = Checkout(lumen)
    first, last = head(lumen, "HEAD~1"), head(lumen)
    git(lumen, "branch", "v2", first)
    assert [clone.newest(day) for day in ("2026-04-30", "2026-05-01", "2026-05-04", "2026-05-05", "")] == [
        *("", first, first, last, last)
    ]
    assert [clone.newest("", branch) for branch in ("main", "v2", "v3", "--all", "main..v2", "@{-1}")] == [
        *(last, first, "", "", "", "")
    ]
    assert [clone.line_count(last, name) for name in ("src/cache.c", "none.c", "src")] == [4, -1, -1]


# -- kinds of clones


def test_a_bare_clone(lumen: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(lumen), "bare")
    clone = Checkout(tmp_path / "bare")
    assert clone.commits(["HEAD"]) == [head(lumen)]
    assert clone.files(head(lumen)) == Checkout(lumen).files(head(lumen))


def test_a_detached_head_and_a_work_tree(lumen: Path, tmp_path: Path) -> None:
    git(lumen, "worktree", "add", "-q", "--detach", str(tmp_path / "tree"), "HEAD~1")
    assert Checkout(tmp_path / "tree").commits(["HEAD"]) == [head(lumen, "HEAD~1")]
    assert answers(tmp_path / "tree", []) != answers(lumen, [])


def test_a_shallow_clone_is_another_when_it_is_deepened(lumen: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth", "1", lumen.as_uri(), "shallow")
    clone = Checkout(tmp_path / "shallow")
    assert len(clone.history(head(lumen))) == 1
    before = clone.extent(), answers(tmp_path / "shallow", [])
    git(tmp_path / "shallow", "fetch", "-q", "--unshallow")
    assert len(clone.history(head(lumen))) == 2
    assert "" == clone.extent() != before[0]
    assert answers(tmp_path / "shallow", []) != before[1]
    assert Checkout(lumen).extent() == ""


def test_the_extent_of_a_clone_whose_packs_have_names_that_are_no_text(lumen: Path) -> None:
    before = Checkout(lumen).extent()
    (lumen / ".git/objects/pack" / os.fsdecode(b"\xff.promisor")).write_bytes(b"")
    first = Checkout(lumen).extent()
    (lumen / ".git/objects/pack" / os.fsdecode(b"\xfe.promisor")).write_bytes(b"")
    assert len({before, first, Checkout(lumen).extent()}) == 3


@pytest.mark.parametrize("place", [".git", ".git/shallow", "apart/commondir", "apart"])
def test_what_is_no_file_in_a_clone_is_not_waited_for(lumen: Path, place: str) -> None:
    if place.startswith("apart"):
        (lumen / ".git").rename(lumen.parent / "git")
        (lumen / ".git").write_text("gitdir: apart\n", "utf-8")
        (lumen / "apart").mkdir()
    if place in (".git", "apart"):
        shutil.rmtree(lumen / place)
    os.mkfifo(lumen / place)
    assert Checkout(lumen).extent() == ""


def test_a_clone_whose_git_folder_no_system_can_have(lumen: Path) -> None:
    shutil.rmtree(lumen / ".git")
    (lumen / ".git").write_bytes(b"gitdir: a\0b\n")
    assert Checkout(lumen).extent() == ""
    with pytest.raises(SilentError):
        Checkout(lumen).commits(["HEAD"])


def test_a_partial_clone_fetches_nothing(lumen: Path, tmp_path: Path) -> None:
    git(lumen, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--no-checkout", "--filter=blob:none", lumen.as_uri(), "partial")
    clone, commit = Checkout(tmp_path / "partial"), head(lumen)
    packs = sorted((tmp_path / "partial/.git/objects/pack").iterdir())
    files = clone.files(commit)
    assert set(files) == {"README", "src/cache.c", "src/page.c", "src/new.c"}
    for asked in (lambda: [*clone.contents(files.values())], lambda: clone.blobs([(commit, "README")])):
        with pytest.raises(SilentError, match="partial clone"):
            asked()
    assert sorted((tmp_path / "partial/.git/objects/pack").iterdir()) == packs
    before = clone.extent()
    git(tmp_path / "partial", "checkout", "-q", "main")
    assert before not in {"", clone.extent()}
    assert clone.blobs([(commit, "README")]) == [files["README"]]


def nested(root: Path, depth: int) -> str:
    """A commit whose folders stand in each other: with so many levels, ``2 ** depth`` times its three files."""
    tree, data = head(root, "HEAD^{tree}"), root / ".git" / "tree"
    for _ in range(depth):
        data.write_bytes(b"".join(b"40000 %c\0" % name + bytes.fromhex(tree) for name in b"ab"))
        tree = git(root, "hash-object", "-w", "-t", "tree", str(data)).strip()
    return git(root, "commit-tree", "-p", "HEAD", "-m", "Many", tree).strip()


@pytest.mark.slow
def test_an_endless_list_of_files_is_no_answer(lumen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST_ANSWER", 50_000)
    commit = nested(lumen, 40)
    with pytest.raises(SilentError, match="longer than 50,000 bytes"):
        Checkout(lumen).files(commit)
    assert len(Checkout(lumen).files(nested(lumen, 3))) == 32


def test_of_a_name_without_an_end_the_beginning_is_read() -> None:
    names = [b"a", b"b" * 2_000_000, b"", b"c" * 70_000, b"d"]
    found = list(module._records(BytesIO(b"\0".join(names) + b"\0")))
    assert [(name[:1], len(name) < 200_000) for name in found] == [(name[:1], True) for name in names]
    assert (found[0], found[3], found[4]) == (b"a", names[3], b"d")


def test_no_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "empty")
    assert Checkout(tmp_path / "empty").commits(["HEAD"]) == [""]


@pytest.mark.parametrize("kind", ["no clone", "inside of one", "broken", "a file", "a loop"])
def test_what_is_no_clone(lumen: Path, tmp_path: Path, kind: str) -> None:
    folder = lumen / "src" if kind == "inside of one" else tmp_path / "other"
    if kind == "a file":
        folder.write_text("x")
    if kind == "a loop":
        folder.symlink_to(folder.name)
    elif kind != "a file":
        folder.mkdir(exist_ok=True)
    if kind == "broken":
        (folder / ".git").write_text("gitdir: /nonexistent")
    with pytest.raises(SilentError):
        Checkout(folder).commits(["HEAD"])
    assert answers(folder, []) == ("" if kind not in ("a file", "a loop") else NO_CHECKOUT)
    assert Checkout(folder).exists == (kind not in ("a file", "a loop"))


def test_the_answers_change_with_what_a_name_stands_for(lumen: Path) -> None:
    names = ["refs/tags/v1", head(lumen)[:7]]
    known = [answers(lumen, names)]
    git(lumen, "tag", "v1", "HEAD~1")
    known.append(answers(lumen, names))
    git(lumen, "tag", "-f", "v1", "HEAD")
    known.append(answers(lumen, names))
    git(lumen, "checkout", "-q", "HEAD~1")
    known.append(answers(lumen, names))
    assert len({*known}) == 4
    git(lumen, "tag", "v2", "HEAD")
    git(lumen, "gc", "-q")
    assert known[-1] == answers(lumen, names)
    assert answers(lumen / "none", names) == NO_CHECKOUT


def move_away(root: Path, name: str) -> None:
    """Take an object out of a clone, as one has not that has lost where it borrows from."""
    digest = head(root, name)
    file = root / ".git" / "objects" / digest[:2] / digest[2:]
    file.rename(root.parent / digest)


@pytest.mark.parametrize("name", ["HEAD:README", "HEAD:src", "HEAD^{tree}"])
def test_what_a_clone_lacks_is_not_what_a_commit_has_not(lumen: Path, name: str) -> None:
    commit, clone = head(lumen), Checkout(lumen)
    places = [(commit, "README"), (commit, "src/page.c")]
    assert all(clone.blobs(places))
    move_away(lumen, name)
    with pytest.raises(SilentError, match="cannot read"):
        clone.blobs(places)


def test_what_a_commit_has_not_is_said_of_any_commit(lumen: Path) -> None:
    (lumen / "link").symlink_to("src")
    git(lumen, "update-index", "--add", "--cacheinfo", f"160000,{head(lumen)},other")
    repository(lumen, day="2026-05-06")
    commit = head(lumen)
    files = ["none", "src", "src/none.c", "src/cache.c/x", "link/cache.c", "other", "other/README", "no/such/file"]
    assert Checkout(lumen).blobs([(commit, file) for file in files]) == [""] * len(files)


def test_very_many_deep_paths_that_a_commit_has_not(lumen: Path) -> None:
    places = [(head(lumen), f"x{number}/{'a/' * 450}b.c") for number in range(300)]
    assert Checkout(lumen).blobs(places) == [""] * len(places)


@pytest.mark.parametrize("levels", [11, 12, 13, 24, 25])
def test_what_a_clone_lacks_at_any_level(lumen: Path, levels: int) -> None:
    folder = "/".join(["d"] * levels)
    write_site(lumen, {f"{folder}/a.c": "a\n"})
    repository(lumen, day="2026-05-06")
    commit, clone = head(lumen), Checkout(lumen)
    missing = [(commit, f"{folder}/none.c"), (commit, f"{folder}/none/a.c"), (commit, f"{folder}/a.c/b")]
    assert clone.blobs(missing) == ["", "", ""]
    move_away(lumen, f"HEAD:{folder}")
    with pytest.raises(SilentError, match="cannot read"):
        clone.blobs(missing[:1])


def test_a_content_that_is_missing_is_no_answer(lumen: Path) -> None:
    files = Checkout(lumen).files(head(lumen))
    move_away(lumen, "HEAD:README")
    with pytest.raises(SilentError, match="cannot read"):
        dict(Checkout(lumen).contents(files.values()))


def test_a_history_that_ends_early_is_no_answer(lumen: Path) -> None:
    commit = head(lumen)
    move_away(lumen, "HEAD~1:src")
    with pytest.raises(SilentError, match="cannot read"):
        Checkout(lumen).last_changes(commit, ["src/page.c", "README"])


def test_settings_make_no_other_history(lumen: Path) -> None:
    git(lumen, "switch", "-q", "-c", "side", "HEAD~1")
    write_site(lumen, {"README": "Of the side\n"})
    git(lumen, "commit", "-q", "-a", "-m", "Aside", day="2026-05-03")
    git(lumen, "switch", "-q", "main")
    git(lumen, "merge", "-q", "--no-ff", "-m", "Merge", "side", day="2026-05-07")
    clone, commit = Checkout(lumen), head(lumen)
    before = clone.last_changes(commit, ["README", "src/page.c"]), clone.history(commit)
    assert before[0]["README"] == commit
    (lumen / ".git/info").mkdir(exist_ok=True)
    (lumen / ".git/info/grafts").write_text(f"{commit}\n")
    git(lumen, "config", "log.diffMerges", "off")
    assert (clone.last_changes(commit, ["README", "src/page.c"]), clone.history(commit)) == before


# -- clones that mean harm

PROGRAMS = (
    "core.fsmonitor",
    "core.pager",
    "core.sshCommand",
    "core.gitProxy",
    "core.editor",
    "core.askPass",
    "core.alternateRefsCommand",
    "credential.helper",
    "diff.external",
    "diff.evil.textconv",
    "diff.evil.command",
    "filter.evil.smudge",
    "filter.evil.clean",
    "filter.evil.process",
    "gpg.program",
    "pager.log",
    "pager.grep",
    "interactive.diffFilter",
    "uploadpack.packObjectsHook",
    "alias.log",
    "alias.cat-file",
    "trace2.eventTarget",
)


def everything(clone: Checkout) -> None:
    """Ask all that there is to ask."""
    (commit,) = clone.commits(["HEAD"])
    files = clone.files(commit)
    clone.history(commit)
    assert [*clone.contents(files.values())]
    clone.blobs([(commit, "src/cache.c")])
    clone.last_changes(commit, ["src/page.c", "never"])
    clone.newest("2026-05-03")
    assert clone.commits_since(commit, *YEAR)
    clone.line_count(commit, "README")
    clone.extent()


@pytest.mark.slow
def test_nothing_of_the_clone_is_run(lumen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = tmp_path / "trace"
    write_site(lumen, {".gitattributes": "* diff=evil filter=evil\n", ".gitmodules": ""})
    repository(lumen, day="2026-05-06")
    program = tmp_path / "evil"
    program.write_text(f"#!/bin/sh\ntouch '{trace}'\ncat\n")
    program.chmod(0o755)
    more = tmp_path / "more.config"
    more.write_text(f'[core]\n\tfsmonitor = {program}\n[diff "evil"]\n\ttextconv = {program}\n')
    for key in PROGRAMS:
        git(lumen, "config", key, f"!{program}" if key.startswith("alias") else str(program))
    for key, value in (
        ("core.hooksPath", str(tmp_path / "hooks")),
        ("include.path", str(more)),
        (f"includeIf.gitdir:{lumen}/.path", str(more)),
        ("submodule.recurse", "true"),
        ("grep.fallbackToNoIndex", "true"),
        ("log.showSignature", "true"),
        ("extensions.worktreeConfig", "true"),
    ):
        git(lumen, "config", key, value)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman", "pre-auto-gc"):
        shutil.copy(program, hooks / name)
        shutil.copy(program, lumen / ".git/hooks" / name)
    for name in ("GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_SSH_COMMAND", "PAGER", "GIT_ASKPASS"):
        monkeypatch.setenv(name, str(program))
    everything(Checkout(lumen))
    assert not trace.exists()


def test_a_partial_clone_has_no_program_run_that_fetches(
    lumen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = tmp_path / "trace"
    git(lumen, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--no-checkout", "--filter=blob:none", lumen.as_uri(), "partial")
    root = tmp_path / "partial"
    git(root, "config", "protocol.ext.allow", "always")
    git(root, "config", "remote.origin.url", f"ext::sh -c touch% {trace}")
    git(root, "config", "remote.origin.uploadpack", f"touch {trace};")
    clone = Checkout(root)
    (commit,) = clone.commits(["HEAD"])
    with pytest.raises(SilentError):
        [*clone.contents(clone.files(commit).values())]
    with pytest.raises(SilentError):
        clone.blobs([(commit, "README")])
    assert clone.last_changes(commit, ["README"])
    clone.extent()
    assert not trace.exists()


def test_what_replaces_objects_is_not_heard(lumen: Path) -> None:
    commit, blobs = head(lumen), Checkout(lumen).files(head(lumen))
    git(lumen, "replace", blobs["README"], blobs["src/cache.c"])
    assert dict(Checkout(lumen).contents([blobs["README"]])) == {blobs["README"]: b"Lumen\n"}
    assert Checkout(lumen).commits(["HEAD"]) == [commit]


# -- git itself


def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Put another program where git is looked for."""
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))


def test_no_git(lumen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    with pytest.raises(SilentError, match="cannot be run"):
        Checkout(lumen).commits(["HEAD"])


@pytest.mark.parametrize("script", ["echo commit 12", "echo; echo", "exit 3", "echo x; exit 1", "kill -9 $$"])
def test_a_git_that_says_something_else(
    lumen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    stand_in(tmp_path, monkeypatch, script)
    try:
        answer = Checkout(lumen).commits(["HEAD"])
    except SilentError:
        answer = [""]
    assert answer == [""]
    with pytest.raises(SilentError):
        dict(Checkout(lumen).contents(["0" * 40]))


def test_an_answer_that_does_not_come(lumen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, monkeypatch, "exec /bin/sleep 600")
    with pytest.raises(SilentError, match=r"for 0\.2 seconds"):
        Checkout(lumen, seconds=0.2).commits(["HEAD"])
    with pytest.raises(SilentError):
        dict(Checkout(lumen, seconds=0.2).contents(["0" * 40]))


def test_a_clone_that_does_not_answer_in_time_is_asked_no_more(
    lumen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, f"echo asked >> {tmp_path}/asked; exec /bin/sleep 600")
    clone = Asked(Checkout(lumen, seconds=0.2))
    assert [clone.newest(f"2026-05-0{day}", "") for day in range(1, 5)] == [""] * 4
    assert clone.line_count("0" * 40, "src/cache.c") == -1
    assert (tmp_path / "asked").read_text().split() == ["asked"]


def test_a_clone_without_one_answer_is_asked_for_others(lumen: Path) -> None:
    clone, blob = Asked(Checkout(lumen)), head(lumen, "HEAD:src/new.c")
    (lumen / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert clone.line_count(head(lumen), "src/new.c") == -1
    assert clone.line_count(head(lumen), "src/page.c") == 1


def test_a_malformed_tree_ends_where_its_entries_do() -> None:
    entry = b"100644 a\0" + bytes(20)
    assert [*module._entries(entry + b"10064", 20)] == [(b"a", True)]
