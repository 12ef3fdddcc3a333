"""A site becomes a branch of the repository, and nothing else of the repository changes or runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from check_cases import git
from deploy.deployed_site import BRANCH, POST, SITE, built, outputs, published, tree_of, with_remote, wrong
from disk.stand_ins import LATE, use
from sites import build_site, read_tree, write_site

from devlog.deploy.git import Repository


@pytest.mark.slow
@pytest.mark.parametrize("below", ["", "docs/log"])
def test_a_branch_becomes_the_site(below: str, tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path, below=below)
    status = git(root, "status", "--porcelain")
    branches = git(root, "for-each-ref", "refs/heads")
    lines, found = published(root)
    assert not found
    assert tree_of(remote) == {**outputs(root / "public"), ".nojekyll": b""}
    assert lines[-1].startswith("Published to the branch “gh-pages” of origin: ")
    assert git(root, "status", "--porcelain") == status
    assert git(root, "for-each-ref", "refs/heads") == branches
    head = git(root, "rev-parse", "HEAD").strip()
    made = f"Made of {head}:{below}/" if below else f"Made of {head}"
    assert git(remote, "log", "-1", "--format=%B", "gh-pages").strip() == f"Publish the site\n\n{made}"


@pytest.mark.slow
def test_each_publishing_is_a_commit_and_none_without_a_change(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    published(root)
    lines, _ = published(root)
    assert lines[0].startswith("No changes: ")
    (root / POST).rename(root / POST.replace("-a", "-b"))
    build_site(root)
    lines, _ = published(root)
    assert git(remote, "rev-list", "--count", "gh-pages").strip() == "2"
    assert tree_of(remote) == {**outputs(root / "public"), ".nojekyll": b""}
    assert " 2 removed, " in lines[-1] or " 1 removed, " in lines[-1]


@pytest.mark.slow
def test_a_site_in_a_folder_whose_name_is_no_text(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path, below="docs/\udcff")
    for day in ("01", "02"):
        (root / POST).with_name(f"2026-06-{day}-c.md").write_bytes((root / POST).read_bytes())
        assert not build_site(root).failed
        lines, found = published(root)
        assert not found
        assert lines[-1].startswith("Published to the branch “gh-pages” of origin: ")
    assert tree_of(remote) == {**outputs(root / "public"), ".nojekyll": b""}
    assert git(remote, "log", "-1", "--format=%B", "gh-pages").strip().endswith(r":docs/\udcff/")


@pytest.mark.slow
def test_a_branch_that_others_have_moved_is_continued(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    published(root)
    other = tmp_path / "other"
    subprocess.run(["git", "clone", "-q", "-b", "gh-pages", remote, other], check=True)
    (other / "by-hand.html").write_text("x", "utf-8")
    git(other, "add", ".")
    git(other, "commit", "-q", "-m", "By hand")
    git(other, "push", "-q", "origin", "gh-pages")
    published(root)
    assert git(remote, "rev-list", "--count", "gh-pages").strip() == "3"
    assert "by-hand.html" not in tree_of(remote)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no file may have such a name there")
def test_no_name_of_a_file_is_taken_for_another_file(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    secret = tmp_path / "secret"
    secret.write_text("of nobody's concern", "utf-8")
    name = f'"{secret}"'  # for git a path in quotation marks, as long as it stands at the beginning of a line
    write_site(root, {f"static/{name}": "a file of the site"})
    assert not build_site(root).failed
    published(root)
    assert b"of nobody's concern" not in tree_of(remote).values()
    assert tree_of(remote)[name] == b"a file of the site"


@pytest.mark.slow
def test_a_branch_without_a_remote_stays_here(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path, BRANCH + 'remote = ""\nbranch = "pages"\nmessage = "New logs"\n')
    _, found = published(root)
    assert not found
    assert tree_of(root, "pages") == {**outputs(root / "public"), ".nojekyll": b""}
    assert git(root, "log", "-1", "--format=%s", "pages").strip() == "New logs"
    assert "pages" not in git(remote, "for-each-ref")


@pytest.mark.slow
def test_a_branch_that_is_checked_out_is_refused(tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path, BRANCH + 'remote = ""\nbranch = "main"\n')
    assert wrong(root).endswith("the branch “main” is checked out")


@pytest.mark.slow
def test_git_before_2_36_moves_a_local_branch_unless_it_is_checked_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, _ = with_remote(tmp_path, BRANCH + 'remote = ""\nbranch = "pages"\n')
    use(LATE, tmp_path, monkeypatch)
    _, found = published(root)
    assert not found
    assert "index.html" in tree_of(root, "pages")
    git(root, "worktree", "add", "-q", str(tmp_path / "other\nbranch refs/heads/x"), "pages")
    assert wrong(root).endswith("the branch “pages” is checked out")


@pytest.mark.slow
@pytest.mark.parametrize("other", ["refs/heads/other", "refs/heads/new"])
def test_a_branch_that_is_another_name_of_one_is_refused(other: str, tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path, BRANCH + 'remote = ""\n')
    git(root, "branch", "other", git(root, "commit-tree", "-m", "Empty", EMPTY_TREE).strip())
    git(root, "symbolic-ref", "refs/heads/gh-pages", other)
    before = git(root, "for-each-ref")
    assert wrong(root).endswith(f"the branch “gh-pages” is only another name of “{other}”")
    assert git(root, "for-each-ref") == before


@pytest.mark.slow
@pytest.mark.parametrize("other", ["other", "new"])
def test_a_branch_of_the_remote_that_is_another_name_is_refused(other: str, tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path, BRANCH)
    git(remote, "update-ref", "refs/heads/other", git(remote, "commit-tree", "-m", "Empty", EMPTY_TREE).strip())
    git(remote, "symbolic-ref", "refs/heads/gh-pages", f"refs/heads/{other}")
    before = git(remote, "for-each-ref")
    for dry_run in (True, False):
        lines, (problem,) = published(root, dry_run=dry_run)
        assert not lines
        assert problem.message.endswith(f"the branch “gh-pages” of the remote is only another name of “{other}”")
        assert problem.hint == "choose another branch, or delete this name there if nobody needs it"
    assert git(remote, "for-each-ref") == before


@pytest.mark.slow
@pytest.mark.parametrize("has_own", [False, True])
def test_files_are_counted_as_a_build_counts_them(has_own: bool, tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path, BRANCH)
    if has_own:
        write_site(root, {"static/.nojekyll": ""})
        assert not build_site(root).failed
    number, added = len(outputs(root / "public")), "" if has_own else " (and “.nojekyll”)"
    said = f"the branch “gh-pages” of origin: {number} new{added}, 0 changed, 0 removed"
    *changes, last = published(root, dry_run=True)[0]
    assert last == f"Would publish to {said}, if the remote's hooks and rules allow it"
    assert "+ .nojekyll" in changes
    assert published(root)[0][-1].startswith(f"Published to {said}, as commit ")
    assert published(root)[0] == [f"No changes: the branch “gh-pages” of origin has all {number} files"]


EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


@pytest.mark.slow
def test_a_branch_with_sources_is_refused(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path, BRANCH + 'branch = "main"\n')
    before = git(remote, "rev-parse", "main")
    assert wrong(root).endswith("the branch “main” contains the sources of a site: “devlog.toml”")
    assert git(remote, "rev-parse", "main") == before


def moved(root: Path, content: str) -> None:
    """Make a folder the one with the posts of a site."""
    config = root / "devlog.toml"
    config.write_text(f'content = "{content}"\n' + config.read_text("utf-8"), "utf-8")
    (root / content).mkdir(parents=True, exist_ok=True)
    (root / "content" / "storage").rename(root / content / "storage")
    (root / "content").rmdir() if content == "." else None


def on_master(tmp_path: Path, content: str, settings: str) -> tuple[Path, Path, str]:
    """A site of which a branch has the posts only, as before they were adopted; and that branch's commit."""
    root, remote = with_remote(tmp_path, settings)
    moved(root, content)
    (root / "devlog.toml").rename(tmp_path / "devlog.toml")
    git(root, "checkout", "-q", "--orphan", "master")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "The posts")
    git(root, "push", "-q", "origin", "master")
    (tmp_path / "devlog.toml").rename(root / "devlog.toml")
    assert not build_site(root).failed
    return root, remote, git(remote, "rev-parse", "master")


@pytest.mark.slow
@pytest.mark.parametrize("content", [".", "a/b"])
@pytest.mark.parametrize("where", ["checked out", "elsewhere", "nowhere here"])
def test_a_branch_with_nothing_but_posts_is_refused(content: str, where: str, tmp_path: Path) -> None:
    root, remote, before = on_master(tmp_path, content, BRANCH + 'branch = "master"\n')
    if where != "checked out":
        git(root, "checkout", "-q", "-b", "adopting")
    if where == "nowhere here":
        git(root, "branch", "-q", "-D", "master")
        git(root, "update-ref", "-d", "refs/remotes/origin/master")
    path = f"{content}/storage/2026-05-01-a.md".removeprefix("./")
    assert wrong(root).endswith(f"the branch “master” contains the sources of a site: “{path}”")
    assert git(remote, "rev-parse", "master") == before


@pytest.mark.slow
def test_a_branch_of_posts_that_have_all_changed_is_refused(tmp_path: Path) -> None:
    root, remote, before = on_master(tmp_path, ".", BRANCH + 'branch = "master"\n')
    git(root, "checkout", "-q", "--orphan", "adopting")
    for post in (root / "storage").iterdir():
        post.write_text(post.read_text("utf-8") + "\nMore.\n", "utf-8")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Adopted")
    build_site(root)
    git(root, "branch", "-q", "-D", "master")
    assert "the branch “master” contains files that devlog did not publish: “storage/" in wrong(root)
    assert git(remote, "rev-parse", "master") == before


@pytest.mark.slow
@pytest.mark.parametrize("remote_setting", ["", 'remote = ""\n'])
def test_a_branch_of_something_else_is_refused(remote_setting: str, tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path, BRANCH + 'branch = "v2"\n' + remote_setting)
    other = tmp_path / "other"
    subprocess.run(["git", "clone", "-q", "-b", "main", remote, other], check=True)
    git(other, "checkout", "-q", "--orphan", "v2")
    git(other, "rm", "-q", "-rf", ".")
    write_site(other, {"src/lumen.c": "int main(void) {}", "README.md": "Lumen"})
    git(other, "add", ".")
    git(other, "commit", "-q", "-m", "Begin anew")
    git(other, "push", "-q", "origin", "v2")
    git(root, "fetch", "-q", "origin", "v2:v2")
    assert wrong(root).endswith("the branch “v2” contains files that devlog did not publish: “src/lumen.c”")
    assert "src/lumen.c" in tree_of(remote, "v2")
    assert "src/lumen.c" in tree_of(root, "v2")


@pytest.mark.slow
def test_sources_that_were_put_onto_a_published_branch_are_not_lost(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    published(root)
    other = tmp_path / "other"
    subprocess.run(["git", "clone", "-q", "-b", "gh-pages", remote, other], check=True)
    git(other, "merge", "-q", "--allow-unrelated-histories", "-m", "Merge", "origin/main")
    git(other, "push", "-q", "origin", "gh-pages")
    assert "the branch “gh-pages” contains the sources of a site: " in wrong(root)


@pytest.mark.slow
def test_a_branch_that_is_yet_to_be_pushed_is_refused(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path, BRANCH + 'branch = "topic"\n')
    git(root, "checkout", "-q", "-b", "topic")
    assert wrong(root).endswith("the branch “topic” is checked out")
    git(root, "checkout", "-q", "main")
    assert wrong(root).endswith("the branch “topic” contains the sources of a site: “devlog.toml”")
    assert "topic" not in git(remote, "for-each-ref")


@pytest.mark.slow
def test_another_repository_takes_the_site_on_its_main_branch(tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path, BRANCH + 'remote = "pages"\nbranch = "main"\n')
    pages, begun = tmp_path / "pages.git", tmp_path / "begun"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", pages], check=True)
    git(root, "remote", "add", "pages", str(pages))
    subprocess.run(["git", "clone", "-q", pages, begun], check=True, capture_output=True)
    write_site(begun, {"README.md": "The log", "CNAME": "log.example.org"})
    git(begun, "checkout", "-q", "-b", "main")
    git(begun, "add", ".")
    git(begun, "commit", "-q", "-m", "Begin")
    git(begun, "push", "-q", "origin", "main")
    _, found = published(root)
    assert not found
    assert tree_of(pages, "main") == {**outputs(root / "public"), ".nojekyll": b""}


@pytest.mark.slow
def test_a_topic_of_the_name_of_the_content_folder(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    (root / "content/storage").rename(root / "content/content")
    build_site(root)
    published(root)
    (root / "content/content/2026-05-01-a.md").rename(root / "content/content/2026-05-01-b.md")
    build_site(root)
    _, found = published(root)
    assert not found
    assert tree_of(remote) == {**outputs(root / "public"), ".nojekyll": b""}


@pytest.mark.slow
def test_before_the_first_commit(tmp_path: Path) -> None:
    remote, root = tmp_path / "remote.git", tmp_path / "site"
    subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
    built(root, BRANCH + 'remote = "../remote.git"\n')
    config = f'base_url = "https://lumen.dev"\n{(root / "devlog.toml").read_text("utf-8")}'
    (root / "devlog.toml").write_text(config, "utf-8")
    git(root, "init", "-q")
    for _ in range(2):
        build_site(root)
        assert not published(root)[1]
        (root / POST).unlink(missing_ok=True)
    found = git(remote, "log", "-1", "--format=%b", "gh-pages").splitlines()
    assert found[:2] == ["Made by devlog", "Published at https://lumen.dev"]


@pytest.mark.slow
@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("state", ["empty", "published", "changed", "fetched", "local"])
def test_a_dry_run_leaves_the_times_of_objects(state: str, packed: bool, tmp_path: Path) -> None:
    """Git sets the time of an object that it would write again."""
    root, remote = with_remote(tmp_path, f'{BRANCH}remote = ""\n' if state == "local" else BRANCH)
    subprocess.run(["git", "mktree"], cwd=root, input=b"", check=True, capture_output=True)
    if state != "empty":
        assert not published(root)[1]
    if state == "fetched":  # what comes with it is there, but no branch says so
        made = git(remote, "commit-tree", "-m", "Made by devlog", "-p", "gh-pages", "gh-pages^{tree}").strip()
        git(remote, "update-ref", "refs/heads/gh-pages", made)
    if state in ("changed", "local"):
        (root / POST).write_text(SITE[POST].replace("Text", "More"), "utf-8")
        build_site(root)
    if packed:
        git(root, "branch", "kept", "gh-pages" if state == "local" else "main")
        git(root, "repack", "-a", "-q", "-k")
        git(root, "prune-packed", "-q")
    files = [file for file in (root / ".git").rglob("*") if file.is_file()]
    for file in files:
        os.utime(file, (1_000_000_000, 1_000_000_000))
    lines, found = published(root, dry_run=True)
    assert not found
    start = "No changes" if state in ("published", "fetched") else "Would publish"
    assert lines[-1].startswith(start)
    assert [str(file) for file in files if file.stat().st_mtime != 1_000_000_000] == []
    assert sorted(file for file in (root / ".git").rglob("*") if file.is_file()) == sorted(files)


@pytest.mark.slow
def test_a_dry_run_of_a_branch_leaves_no_trace(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    published(root)
    (root / POST).rename(root / POST.replace("-a", "-b"))
    build_site(root)
    before, there = read_tree(root / ".git"), read_tree(remote)
    lines, found = published(root, dry_run=True)
    assert not found
    assert {"~ index.html", "- storage/2026-05-01-a/index.html", "+ storage/2026-05-01-b/index.html"} <= set(lines)
    assert read_tree(root / ".git") == before
    assert read_tree(remote) == there


@pytest.mark.slow
def test_no_program_of_the_repository_runs(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    trace = tmp_path / "ran"
    for hook in ("pre-push", "post-update", "reference-transaction", "post-checkout"):
        file = root / ".git" / "hooks" / hook
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\ntouch {trace}\n", "utf-8")
        file.chmod(0o755)
    git(root, "config", "core.fsmonitor", f"touch {trace}")
    for key in ("filter.x.clean", "gpg.program"):  # which no push needs
        git(root, "config", key, f"touch {trace}; cat")
    _, found = published(root)
    assert not found
    assert "gh-pages" in git(remote, "for-each-ref")
    assert not trace.exists()
    for key in ("core.sshCommand", "credential.helper", "remote.origin.receivepack"):
        git(root, "config", key, f"touch {trace}; cat")
        assert "the repository's own configuration runs a program" in wrong(root)
        git(root, "config", "--unset-all", key)
    assert not trace.exists()


HOOKS = """#!/bin/sh
# What every git does from 2.54 on with hooks that a configuration names.
case " $* " in *" update-ref "*)
    [ "$({git} config 'hook.a.b C.enabled')" = false ] || eval "$({git} config 'hook.a.b C.command')" ;;
esac
exec {git} "$@"
"""


@pytest.mark.slow
@pytest.mark.parametrize("remote", ["", "origin"])
def test_no_hook_that_the_configuration_names_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, remote: str
) -> None:
    root, _ = with_remote(tmp_path)
    text = (root / "devlog.toml").read_text("utf-8")
    (root / "devlog.toml").write_text(f'{text}remote = "{remote}"\n', "utf-8")
    build_site(root)
    trace = tmp_path / "ran"
    for event in ("reference-transaction", "pre-push", "post-index-change"):
        git(root, "config", "--add", "hook.a.b C.event", event)
    git(root, "config", "hook.a.b C.command", f"touch {trace}")
    shim = tmp_path / "bin" / "git"
    shim.parent.mkdir()
    shim.write_text(HOOKS.format(git=shutil.which("git")), "utf-8")
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", f"{shim.parent}{os.pathsep}{os.environ['PATH']}")
    assert published(root)[1] == []
    assert "gh-pages" in git(root if not remote else tmp_path / "remote.git", "for-each-ref")
    assert not trace.exists()


@pytest.mark.slow
def test_a_program_that_makes_keys_does_not_run(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    git(remote, "config", "receive.certNonceSeed", "x")
    trace = tmp_path / "ran"
    for key, value in (
        ("push.gpgSign", "true"),
        ("gpg.format", "ssh"),
        ("gpg.ssh.defaultKeyCommand", f"touch {trace}; echo key::x"),
    ):
        git(root, "config", key, value)
    _, found = published(root)
    assert not found
    assert tree_of(remote) == {**outputs(root / "public"), ".nojekyll": b""}
    assert not trace.exists()


@pytest.mark.slow
def test_of_the_repositorys_configuration_only_what_is_listed_is_heard(tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path)
    heard = {
        "remote.o.pushurl": 'a "b" \\ c\nd',
        "http.https://example.org/a.b.extraheader": "Authorization: x",
        "user.name": "Ada",
    }
    others = {"push.gpgsign": "true", "core.pager": "x", "trace2.eventtarget": "/x", "http.cookiefile": "x", "a.b": "c"}
    for key, value in {**heard, **others}.items():
        git(root, "config", key, value)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    repository = Repository(root, scratch, files=1)
    settings = repository.line("config", "--local", "--null", "--list").split("\0")
    found = dict(item.partition("\n")[::2] for item in settings if item and not item.startswith("core."))
    settings = repository.line("config", "--file", str(scratch / "addresses" / "config"), "--null", "--list").split(
        "\0"
    )
    addresses = dict(item.partition("\n")[::2] for item in settings if item and not item.startswith("core."))
    assert addresses == {**heard, "remote.origin.url": str(tmp_path / "remote.git")}
    assert found == {key: value for key, value in addresses.items() if not key.startswith("remote.")}


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs groups")
def test_others_can_write_into_a_shared_repository_as_before(tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path)
    git(root, "config", "core.sharedRepository", "group")
    before = {*(root / ".git" / "objects").iterdir()}
    _, found = published(root)
    assert not found
    made = {*(root / ".git" / "objects").iterdir()} - before
    assert made
    assert [folder.name for folder in made if folder.stat().st_mode & 0o070 != 0o070] == []


@pytest.mark.slow
def test_the_repository_is_not_tidied_up_as_if_it_had_no_branches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, remote = with_remote(tmp_path)
    published(root)
    other = tmp_path / "other"
    subprocess.run(["git", "clone", "-q", "-b", "gh-pages", remote, other], check=True)
    git(other, "commit", "-q", "--allow-empty", "-m", "By hand")
    git(other, "push", "-q", "origin", "gh-pages")
    (root / POST).write_text(SITE[POST].replace("Text", "More"), "utf-8")
    for message in ("More", "Most"):  # two packs, which are one too many
        git(root, "commit", "-q", "--allow-empty", "-a", "-m", message)
        git(root, "repack", "-q", "-d")
    build_site(root)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    eager = "[gc]\n\tauto = 1\n\tautoPackLimit = 1\n\tautoDetach = false\n\tpruneExpire = now\n"
    write_site(tmp_path / "home", {".gitconfig": eager})
    _, found = published(root)
    assert not found
    git(root, "fsck", "--full", "--strict")
