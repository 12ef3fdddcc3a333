"""What the remote says and has decides whether a site is published; the repository itself is no remote."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from check_cases import git
from deploy.deployed_site import BRANCH, POST, SITE, built, outputs, published, tree_of, with_remote, wrong
from process_groups import PATIENCE
from sites import build_site, write_site

from devlog.deploy import branch
from devlog.deploy import git as asking

REPOSITORY = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("value", ["only", "on-demand", "check"])
def test_what_a_user_says_of_submodules_keeps_nothing_back(
    value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, remote = with_remote(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    write_site(tmp_path / "home", {".gitconfig": f"[push]\n\trecurseSubmodules = {value}\n"})
    git(root, "config", "push.recurseSubmodules", value)
    lines, found = published(root)
    assert not found
    assert lines[-1].startswith("Published to the branch “gh-pages” of origin: ")
    assert tree_of(remote) == {**outputs(root / "public"), ".nojekyll": b""}


@pytest.mark.slow
def test_a_remote_that_says_yes_and_does_nothing_is_told(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    hook = remote / "hooks" / "proc-receive"
    hook.parent.mkdir(exist_ok=True)
    git(remote, "config", "receive.procReceiveRefs", "refs/heads/gh-pages")
    hook.write_text(PROC_RECEIVE.format(python=sys.executable), "utf-8")
    hook.chmod(0o755)
    message = wrong(root)
    assert "git reported success, but the branch “gh-pages” of origin is not there" in message


@pytest.mark.slow
def test_a_remote_that_goes_after_the_push_is_told_apart_from_a_refusal(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    hook = remote / "hooks" / "post-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nmv '{remote}' '{tmp_path}/away'\n", "utf-8")
    hook.chmod(0o755)
    message = wrong(root)
    assert (
        "git published to the branch “gh-pages” of origin, but the remote does not tell whether it has the site"
        in message
    )
    assert tree_of(tmp_path / "away") == {**outputs(root / "public"), ".nojekyll": b""}


PROC_RECEIVE = """#!{python}
import sys

def line(text):
    data = text.encode()
    sys.stdout.buffer.write(b"%04x" % (len(data) + 4) + data)

def read():
    found = []
    while (size := int(sys.stdin.buffer.read(4), 16)) > 0:
        found.append(sys.stdin.buffer.read(size - 4))
    return found

read()
line("version=1\\0")
sys.stdout.buffer.write(b"0000")
sys.stdout.flush()
for command in read():
    line("ok " + command.decode().split()[2])
sys.stdout.buffer.write(b"0000")
sys.stdout.flush()
"""


@pytest.mark.slow
def test_every_place_that_is_pushed_to_is_asked(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    places = [tmp_path / "one.git", tmp_path / "two.git"]
    for place in places:
        subprocess.run(["git", "init", "-q", "--bare", place], check=True)
        git(root, "config", "--add", "remote.origin.pushurl", str(place))
    _, found = published(root)
    assert not found
    assert "gh-pages" not in git(remote, "for-each-ref")
    assert [tree_of(place) for place in places] == [{**outputs(root / "public"), ".nojekyll": b""}] * 2


@pytest.mark.slow
@pytest.mark.parametrize("borrows", [True, False])
def test_no_history_of_the_sources_is_published(tmp_path: Path, borrows: bool) -> None:
    """A remote can name commits that it does not have, of the site's own repository or of another one whose objects
    that uses, as parents of its branch's newest one: another place does not get them."""
    root, remote = with_remote(tmp_path)
    assert not published(root)[1]
    if borrows:
        other = tmp_path / "secrets"
        write_site(other, {"notes.txt": "secret"})
        git(other, "init", "-q")
        git(other, "add", ".")
        git(other, "commit", "-q", "-m", "Notes")
        (root / ".git/objects/info/alternates").write_text(f"{other / '.git/objects'}\n")
        secret = git(other, "rev-parse", "HEAD").strip()
    else:
        write_site(root, {"notes.txt": "secret"})
        git(root, "add", "notes.txt")
        git(root, "commit", "-q", "-m", "Notes")
        secret = git(root, "rev-parse", "HEAD").strip()
    tip = git(remote, "rev-parse", "gh-pages").strip()
    one, _, rest = git(remote, "cat-file", "commit", tip).partition("\n")
    forged = f"{one}\nparent {tip}\nparent {secret}\n{rest}"
    made = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin", "--literally"],
        cwd=remote,
        input=forged,
        text=True,
        check=True,
        capture_output=True,
    ).stdout.strip()
    (remote / "info").mkdir(exist_ok=True)
    (remote / "info/grafts").write_text(f"{made} {tip}\n", "utf-8")  # so that it can send what it lacks a part of
    (remote / "refs/heads/gh-pages").write_text(f"{made}\n", "utf-8")
    second = tmp_path / "second.git"
    subprocess.run(["git", "init", "-q", "--bare", second], check=True)
    for place in (remote, second):
        git(root, "config", "--add", "remote.origin.pushurl", str(place))
    (root / POST).write_text(SITE[POST].replace("Text", "More"), "utf-8")
    build_site(root)
    assert [item.code for item in published(root)[1]] == ["not-deployed"]
    has = subprocess.run(["git", "cat-file", "-e", secret], cwd=second, check=False, capture_output=True)
    assert has.returncode != 0
    assert git(second, "for-each-ref") == ""


@pytest.mark.slow
@pytest.mark.parametrize("is_new", [True, False])
def test_a_branch_that_moves_while_it_is_pushed_to(tmp_path: Path, is_new: bool) -> None:
    root, remote = with_remote(tmp_path)
    if not is_new:
        assert not published(root)[1]
        (root / POST).write_text(SITE[POST].replace("Text", "More"), "utf-8")
        build_site(root)
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nenv -u GIT_QUARANTINE_PATH git update-ref refs/heads/gh-pages main\n", "utf-8")
    hook.chmod(0o755)
    (problem,) = published(root)[1]
    assert "cannot lock ref" in problem.message
    assert problem.hint.startswith("somebody else has changed the branch meanwhile")
    assert git(remote, "rev-parse", "gh-pages") == git(remote, "rev-parse", "main")


@pytest.mark.slow
@pytest.mark.parametrize("lies", [True, False])
def test_a_place_gets_only_what_is_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lies: bool) -> None:
    """If it has another commit when it is pushed to than it had before, it gets nothing."""
    root, remote = with_remote(tmp_path)
    assert not published(root)[1]
    (root / POST).write_text(SITE[POST].replace("Text", "More"), "utf-8")
    build_site(root)
    refuse_others = branch.refuse_others

    def meanwhile(*arguments: Any) -> None:
        refuse_others(*arguments)
        if lies:
            git(remote, "update-ref", "-d", "refs/heads/gh-pages")

    monkeypatch.setattr(branch, "refuse_others", meanwhile)
    found = published(root)[1]
    assert bool(found) is lies
    for problem in found:
        assert problem.message == "deployment “pages” failed: git push says: [rejected] (stale info)"
        assert problem.hint.startswith("somebody else has changed the branch meanwhile")


@pytest.mark.slow
def test_a_place_with_other_commits_is_named(tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path)
    one, two = tmp_path / "one.git", tmp_path / "two.git"
    for place in (one, two):
        subprocess.run(["git", "init", "-q", "--bare", place], check=True)
        git(root, "config", "--add", "remote.origin.pushurl", str(place))
    git(root, "push", "-q", str(two), "main:gh-pages")
    for _ in range(2):
        (problem,) = published(root)[1]
        assert problem.message == f"deployment “pages” failed: “{two}”: git push says: [rejected] (fetch first)"
        assert problem.hint.startswith("the branch there has commits that the first URL lacks")
        assert tree_of(one) == {**outputs(root / "public"), ".nojekyll": b""}


@pytest.mark.slow
@pytest.mark.parametrize("has_branch", [False, True])
def test_a_dry_run_foresees_a_place_with_other_commits(has_branch: bool, tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path)
    one, two = tmp_path / "one.git", tmp_path / "two.git"
    for place in (one, two):
        subprocess.run(["git", "init", "-q", "--bare", place], check=True)
    git(root, "config", "--add", "remote.origin.pushurl", str(one))
    if has_branch:
        assert not published(root)[1]
        write_site(root, {POST: "---\ntitle: Changed\n---\nText.\n"})
        build_site(root)
    git(root, "config", "--add", "remote.origin.pushurl", str(two))
    assert not published(root, dry_run=True)[1]  # a place without the branch gets it
    git(root, "push", "-q", str(two), "main:gh-pages")
    (problem,) = published(root, dry_run=True)[1]
    assert problem.message.startswith(f"deployment “pages” failed: “{two}”: ")
    assert problem.hint.startswith("the branch there has commits that the first URL lacks")


@pytest.mark.slow
def test_a_dry_run_foresees_a_place_that_gets_no_part_of_a_history(tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path)
    whole, one, two = tmp_path / "whole.git", tmp_path / "one.git", tmp_path / "two.git"
    for place in (whole, two):
        subprocess.run(["git", "init", "-q", "--bare", place], check=True)
    git(root, "config", "remote.origin.pushurl", str(whole))
    for title in ("First", "Second"):
        write_site(root, {POST: f"---\ntitle: {title}\n---\nText.\n"})
        build_site(root)
        assert not published(root)[1]
    shallow = ["git", "clone", "-q", "--bare", "--depth=1", "--branch=gh-pages", whole.as_uri(), str(one)]
    subprocess.run(shallow, check=True)
    git(root, "config", "remote.origin.pushurl", str(one))
    git(root, "config", "--add", "remote.origin.pushurl", str(two))
    (foreseen,) = published(root, dry_run=True)[1]
    (problem,) = published(root)[1]
    assert f"“{two}”" in foreseen.message
    assert problem.severity == foreseen.severity == "error"


@pytest.mark.slow
def test_a_place_that_missed_a_push_gets_it_with_the_next(tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path)
    one, two = tmp_path / "one.git", tmp_path / "two.git"
    subprocess.run(["git", "init", "-q", "--bare", one], check=True)
    git(root, "config", "--add", "remote.origin.pushurl", str(one))
    git(root, "config", "--add", "remote.origin.pushurl", str(two))
    for _ in range(2):  # the second time, the first place has all files
        _, found = published(root)
        assert [item.code for item in found] == ["not-deployed"]
        assert tree_of(one) == {**outputs(root / "public"), ".nojekyll": b""}
    subprocess.run(["git", "init", "-q", "--bare", two], check=True)
    lines, found = published(root)
    assert not found
    assert lines[-1].startswith("Published to the branch")
    assert git(two, "rev-parse", "gh-pages") == git(one, "rev-parse", "gh-pages")
    assert published(root)[0][-1].startswith("No changes")


@pytest.mark.slow
@pytest.mark.parametrize("pushing", ["url", "pushurl"])
def test_a_remote_relative_to_the_repository_is_the_one_that_git_means(pushing: str, tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path, below="docs/log")
    other = tmp_path / "clone" / "docs" / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", other], check=True)
    git(root, "config", f"remote.origin.{pushing}", "../remote.git")
    assert "refs/heads/main" in git(root, "ls-remote", "origin")
    lines, found = published(root)
    assert not found
    assert tree_of(remote) == {**outputs(root / "public"), ".nojekyll": b""}
    assert not git(other, "for-each-ref")
    lines, found = published(root)
    assert lines[-1].startswith("No changes")


# -- the repository itself


@pytest.mark.slow
@pytest.mark.parametrize(
    "remote",
    [
        ".",
        "./.git",
        "../clone",
        "{clone}",
        "file://{clone}/.git",
        "file://{quoted}",
        "../link",
        "../bound/.git",
        "../worktree",
        "self",
        "short:/clone",
    ],
)
def test_the_repository_itself_is_no_remote(remote: str, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    quoted = str(clone).replace("clone", "%63lone")
    root, _ = with_remote(tmp_path, BRANCH + f'remote = "{remote.format(clone=clone, quoted=quoted)}"\n')
    (tmp_path / "link").symlink_to(clone)
    (tmp_path / "bound").mkdir()
    (tmp_path / "bound" / ".git").write_text(f"gitdir: {clone}/.git\n", "utf-8")
    git(root, "worktree", "add", "-q", "-b", "side", str(tmp_path / "worktree"))
    git(root, "config", "remote.self.url", str(tmp_path / "remote.git"))
    git(root, "config", "remote.self.pushurl", str(clone))
    git(root, "config", f"url.{tmp_path}.insteadOf", "short:")
    before = git(root, "for-each-ref")
    assert wrong(root).endswith("the remote is the repository itself")
    assert git(root, "for-each-ref") == before


def test_the_repository_above_the_site_is_no_remote(tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path, below="docs/log")
    git(root, "config", "remote.origin.url", ".")
    before = git(root, "for-each-ref")
    assert wrong(root).endswith("the remote is the repository itself")
    assert git(root, "for-each-ref") == before


@pytest.mark.slow
@pytest.mark.parametrize("how", ["url", "pushurl", "second", "insteadOf", "link", ".git", "work tree"])
def test_a_repository_inside_the_repository_is_no_remote(how: str, tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    inner = root / (".git/inner.git" if how == ".git" else "tools/inner.git")
    subprocess.run(["git", "init", "-q", "--bare", inner], check=True)
    for hook in ("pre-receive", "post-receive"):
        (inner / "hooks" / hook).write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n", "utf-8")
        (inner / "hooks" / hook).chmod(0o755)
    if how == "pushurl":
        git(root, "config", "remote.origin.pushurl", str(inner))
    elif how == "second":
        git(root, "config", "--add", "remote.origin.url", str(inner))
    elif how == "insteadOf":
        git(root, "config", f"url.{inner}.insteadOf", str(remote))
    elif how == "link":
        (tmp_path / "link").symlink_to(inner)
        git(root, "config", "remote.origin.url", str(tmp_path / "link"))
    else:
        git(root, "config", "remote.origin.url", inner.as_uri())
    if how == "work tree":
        git(root, "worktree", "add", "-q", "--detach", str(tmp_path / "side"))
        root = built(tmp_path / "side", BRANCH)
    assert "the remote lies inside or around the site's own repository" in wrong(root)
    assert not (tmp_path / "ran").exists()
    assert not git(inner, "for-each-ref")


@pytest.mark.slow
@pytest.mark.parametrize("tree", ["{other}", "{top}/content", "../../../other"])
@pytest.mark.parametrize("place", ["tools/inner.git", "docs/log/inner.git"])
def test_the_configuration_does_not_decide_on_what_is_inside(tree: str, place: str, tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path, below="docs/log")
    top, other = tmp_path / "clone", tmp_path / "other"
    other.mkdir()
    inner = top / place
    subprocess.run(["git", "init", "-q", "--bare", inner], check=True)
    (inner / "hooks" / "pre-receive").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n", "utf-8")
    (inner / "hooks" / "pre-receive").chmod(0o755)
    git(top, "config", "remote.origin.url", str(inner))
    git(top, "config", "core.worktree", tree.format(top=top, other=other))
    (top / "meta").mkdir(exist_ok=True)
    (top / ".git").rename(top / "meta" / "store")
    (top / ".git").write_text("gitdir: meta/store\n", "utf-8")
    assert "the remote lies inside or around the site's own repository" in wrong(root)
    assert not (tmp_path / "ran").exists()
    assert not git(inner, "for-each-ref")


@pytest.mark.slow
@pytest.mark.parametrize(
    "url",
    [
        "file://localhost{site}/evil.git",
        "file://else{site}/evil.git",
        "{site}/evil/",
        "evil//",
        "file://{site}/ev%69l",
        "file://{site}/odd%FF.git",
        "/proc/self/cwd/evil.git",
        "{site}/pointer",
        "ours:evil.git",
        "{site}/linked",
        "file://{site}/evil%00.git",
        "file://{site}/evil%0A.git",
    ],
)
def test_git_gets_the_folder_that_was_checked(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, _ = with_remote(tmp_path)
    inner = [root / "evil.git", root / os.fsdecode(b"odd\xff.git"), root / "blank.git ", root / "linked.git"]
    for place in inner:
        subprocess.run(["git", "init", "-q", "--bare", place], check=True)
        (place / "hooks" / "pre-receive").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n", "utf-8")
        (place / "hooks" / "pre-receive").chmod(0o755)
    (root / "pointer").write_text(f"gitdir: {root}/blank.git \n", "utf-8")
    (root / "linked.git" / "HEAD").unlink()
    (root / "linked.git" / "HEAD").symlink_to("refs/heads/nowhere")
    git(root, "config", "remote.origin.url", url.format(site=root))
    git(root, "config", f"url.{root}/.insteadOf", "ours:")
    monkeypatch.chdir(root / "content")
    assert wrong(root)
    assert not (tmp_path / "ran").exists()
    assert not any(git(place, "for-each-ref") for place in inner)


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["url.{inner}.pushInsteadOf", "url.{inner}.insteadOf"])
def test_a_url_of_the_configuration_is_rewritten_before_it_is_checked(setting: str, tmp_path: Path) -> None:
    remote = tmp_path / "remote.git"
    root, _ = with_remote(tmp_path, BRANCH + f'remote = "{remote}"\n')
    inner = root / "inner.git"
    subprocess.run(["git", "init", "-q", "--bare", inner], check=True)
    git(root, "config", setting.format(inner=inner), str(remote))
    assert "the remote lies inside or around the site's own repository" in wrong(root)
    assert not git(inner, "for-each-ref")


@pytest.mark.slow
def test_what_was_checked_is_not_rewritten_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, other = tmp_path / "home", tmp_path / "other.git"
    home.mkdir()
    subprocess.run(["git", "init", "-q", "--bare", other], check=True)
    root, remote = with_remote(tmp_path)
    git(root, "config", "remote.origin.pushurl", str(remote))  # git rewrites no URL that is only for pushing
    (home / ".gitconfig").write_text(f'[url "{other}"]\n\tpushInsteadOf = {remote}\n', "utf-8")
    monkeypatch.setenv("HOME", str(home))
    assert not published(root)[1]
    assert "gh-pages" in git(remote, "for-each-ref")
    assert not git(other, "for-each-ref")


@pytest.mark.slow
def test_a_remote_that_is_no_repository_is_told(tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path, BRANCH + 'remote = "../folder"\n')
    (tmp_path / "folder").mkdir()
    assert wrong(root).endswith("there is no git repository at the remote's path “../folder”")


@pytest.mark.slow
@pytest.mark.parametrize("way", ["submodule", "nested"])
@pytest.mark.parametrize("where", ["..", "../.git", "../.git/modules/other", "../tools/inner.git"])
def test_a_repository_around_the_repository_is_no_remote(way: str, where: str, tmp_path: Path) -> None:
    around = tmp_path / "around"
    subprocess.run(["git", "init", "-q", around], check=True)
    root, _ = with_remote(around)
    if way == "submodule":
        git(around, "-c", "protocol.file.allow=always", "submodule", "add", "-q", "./clone")
        git(around, "submodule", "absorbgitdirs")
        assert (root / ".git").is_file()
    place = root / where
    if not place.exists():
        subprocess.run(["git", "init", "-q", "--bare", place], check=True)
    hook = (place / ".git" if where == ".." else place) / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n", "utf-8")
    hook.chmod(0o755)
    git(root, "config", "remote.origin.url", where)
    if way == "nested" and "tools" in where:  # as any other repository below a home folder that is one itself
        assert not published(root)[1]
        return
    assert "the remote lies inside or around the site's own repository" in wrong(root)
    assert not (tmp_path / "ran").exists()


@pytest.mark.slow
def test_another_repository_on_the_same_disk_is_a_remote(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path, BRANCH + 'remote = "../remote"\n')
    _, found = published(root)
    assert not found
    assert "gh-pages" in git(remote, "for-each-ref")


@pytest.mark.slow
def test_what_a_remote_has_against_a_push_is_told(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    git(root, "push", "-q", str(remote), "main:refs/heads/gh-pages/old")
    git(remote, "config", "transfer.hideRefs", "refs/heads/gh-pages/old")  # else devlog foresees it
    assert "'refs/heads/gh-pages/old' exists" in wrong(root)
    git(remote, "update-ref", "-d", "refs/heads/gh-pages/old")
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n", "utf-8")
    hook.chmod(0o755)
    assert wrong(root).endswith("git push says: [remote rejected] (pre-receive hook declined)")
    hook.write_text("#!/bin/sh\necho 'Nobody may push here.' >&2\nexit 1\n", "utf-8")
    assert wrong(root).endswith(
        "git push says: remote: Nobody may push here. – [remote rejected] (pre-receive hook declined)"
    )


@pytest.mark.slow
def test_a_remote_that_never_ends_to_talk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, remote = with_remote(tmp_path)
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nyes 'Have you heard of this?' | head -c 1000000 >&2\n", "utf-8")
    hook.chmod(0o755)
    monkeypatch.setattr(asking, "_LARGEST", 500_000, raising=False)
    assert wrong(root).endswith(": git push says more than 500,000 bytes")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the memory of another process is limited only there")
def test_a_remote_whose_files_take_too_much_memory_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, remote = with_remote(tmp_path)
    blob = git(remote, "hash-object", "-w", str(write_site(tmp_path, {"large": b"0" * 30_000_000}) / "large")).strip()
    tree = subprocess.run(
        ["git", "mktree"], cwd=remote, input=f"100644 blob {blob}\tlarge\n".encode(), capture_output=True, check=True
    )
    commit = git(remote, "commit-tree", "-m", "Made by devlog", tree.stdout.decode().strip()).strip()
    git(remote, "update-ref", "refs/heads/gh-pages", commit)
    with monkeypatch.context() as patched:
        patched.setattr(asking, "_MEMORY", 24 << 20)
        assert "git fetch" in wrong(root)
    published(root)
    assert "large" not in git(remote, "ls-tree", "--name-only", "gh-pages")


@pytest.mark.slow
def test_a_commit_that_names_no_possible_folder(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    published(root)
    message = f"Made of {'a' * 40}:{'/../' * 50_000}"
    (tmp_path / "message").write_text(message)
    commit = git(remote, "commit-tree", "-F", str(tmp_path / "message"), "gh-pages^{tree}").strip()
    git(remote, "update-ref", "refs/heads/gh-pages", commit)
    published(root)


@pytest.mark.slow
@pytest.mark.parametrize(("levels", "is_refused"), [(4, False), (6, True)])
def test_a_branch_whose_trees_contain_each_other_is_told(levels: int, is_refused: bool, tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    inner = f"100644 blob {git(root, 'rev-parse', f'main:{POST}').strip()}"
    for _ in range(levels):
        lines = "".join(f"{inner}\t{number}\n" for number in range(10)).encode()
        made = subprocess.run(["git", "mktree"], cwd=remote, input=lines, capture_output=True, check=True)
        inner = f"040000 tree {made.stdout.decode().strip()}"
    commit = git(remote, "commit-tree", "-m", "Made by devlog", inner.split()[2]).strip()
    git(remote, "update-ref", "refs/heads/gh-pages", commit)
    if is_refused:
        assert wrong(root).endswith("git ls-tree says more than 16,777,216 bytes")
    else:
        assert not published(root, dry_run=True)[1]


@pytest.mark.slow
def test_of_a_remotes_endless_line_the_beginning_is_told(tmp_path: Path) -> None:
    """The time for a word without an end must not grow with the square of its length."""
    root, remote = with_remote(tmp_path)
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nprintf 'error: 1' >&2\nprintf '%0200000d' 0 >&2\nexit 1\n", "utf-8")
    hook.chmod(0o755)
    message = wrong(root)
    assert "git push says: remote: error: 1000" in message
    assert len(message) < 1_100


@pytest.mark.slow
def test_a_remote_that_is_too_slow_leaves_nothing_running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git has another program ask a server, which would go on for as long as there are answers."""
    alone = threading.Event()

    class Slow(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/x-git-upload-pack-advertisement")
            self.end_headers()
            try:
                for _ in range(200):
                    self.wfile.write(b"x")
                    time.sleep(0.05)
            except OSError:
                alone.set()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    monkeypatch.setattr(asking, "_SECONDS", 1)
    monkeypatch.setattr(asking, "_has_terminal", lambda: False, raising=False)
    with ThreadingHTTPServer(("127.0.0.1", 0), Slow) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        settings = f'[deploy.pages]\nto = "branch"\nremote = "http://127.0.0.1:{server.server_port}/x.git"\n'
        root = built(tmp_path / "site", settings)
        git(root, "init", "-q")
        assert ": git ls-remote takes longer than " in wrong(root)
        assert alone.wait(5)
        server.shutdown()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there, nothing ends it")
def test_git_ends_when_the_command_is_killed(tmp_path: Path) -> None:
    asked, alone = threading.Event(), threading.Event()

    class Silent(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.set()
            if not self.connection.recv(1):
                alone.set()

    with ThreadingHTTPServer(("127.0.0.1", 0), Silent) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        settings = f'[deploy.pages]\nto = "branch"\nremote = "http://127.0.0.1:{server.server_port}/x.git"\n'
        root = built(tmp_path / "site", settings)
        git(root, "init", "-q")
        command = subprocess.Popen(
            [sys.executable, "-m", "devlog", "deploy", "--root", str(root)],
            env={**os.environ, "PYTHONPATH": str(REPOSITORY), "TMPDIR": str(tmp_path)},
            start_new_session=True,
        )
        try:
            assert asked.wait(PATIENCE)
            assert command.poll() is None
            assert not alone.is_set()
        finally:
            command.kill()
            command.wait(PATIENCE)
        assert alone.wait(PATIENCE)
        server.shutdown()


@pytest.mark.slow
def test_a_refusal_of_gits_is_told_without_passwords(tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path, BRANCH + 'remote = "https://ada:secret@127.0.0.1:1/lumen.git"\n')
    message = wrong(root)
    assert "git ls-remote says: " in message
    assert "secret" not in message


def test_outside_of_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    assert "git rev-parse says: " in wrong(built(tmp_path / "site", BRANCH))


@pytest.mark.slow
def test_without_a_name_in_gits_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, remote = with_remote(tmp_path)
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "nowhere"))
    git(root, "config", "user.useConfigOnly", "true")
    _, found = published(root)
    assert not found
    assert git(remote, "log", "-1", "--format=%an", "gh-pages").strip() == "devlog"
