"""Repositories that lack objects: what a server has promised is only fetched in a way that they do not decide on."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from check_cases import git
from deploy.deployed_site import BRANCH, POST, SITE, built, outputs, published, tree_of, with_remote
from sites import build_site, write_site

from devlog.deploy import branch


class Server(ThreadingHTTPServer):
    """A server that has nothing, and sets a cookie with each answer. It knows which paths were requested."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.requested: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/promised.git"


class Answer(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.requested.append(self.path)
        self.send_response(404)
        self.send_header("Set-Cookie", "a=b; Max-Age=1000; Path=/")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as found:
        threading.Thread(target=found.serve_forever, daemon=True).start()
        yield found
        found.shutdown()


def remove(repository: Path, name: str) -> None:
    """Remove an object from a repository."""
    found = git(repository, "rev-parse", name).strip()
    (repository / ".git" / "objects" / found[:2] / found[2:]).unlink()


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["HEAD", "HEAD^{tree}", "HEAD:content"])
@pytest.mark.parametrize("is_local", [True, False])
def test_what_is_missing_is_not_fetched_as_the_repository_says(
    missing: str, is_local: bool, server: Server, tmp_path: Path
) -> None:
    root, remote = with_remote(tmp_path, BRANCH + ('remote = ""\n' if is_local else 'remote = "other"\n'))
    git(root, "remote", "add", "other", str(remote))
    assert not published(root)[1]
    (root / POST).write_text(SITE[POST].replace("Text", "More"), "utf-8")
    build_site(root)
    precious = tmp_path / "precious"
    precious.write_text("mine\n", "utf-8")
    for key, value in {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": server.url,
        "remote.origin.promisor": "true",
        "http.cookieFile": str(precious),
        "http.saveCookies": "true",
    }.items():
        git(root, "config", key, value)
    remove(root, missing)
    for dry_run in (True, False):
        (problem,) = published(root, dry_run=dry_run)[1]
        assert problem.hint == "a partial clone may lack a part of the last commit: use a clone without a filter"
    assert precious.read_text("utf-8") == "mine\n"
    assert server.requested == [], "it could make git start processes without end"


@pytest.mark.slow
def test_what_a_remote_lacks_itself_is_not_fetched(server: Server, tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    assert not published(root)[1]
    for key, value in {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": server.url,
        "remote.origin.promisor": "true",
    }.items():
        git(remote, "config", key, value)
    tree = git(root, "rev-parse", "HEAD^{tree}").strip()
    other = git(remote, "commit-tree", "-m", "Other", tree).strip()
    git(remote, "update-ref", "refs/heads/gh-pages", other)
    blob = git(root, "rev-parse", f"HEAD:{POST}").strip()
    (remote / "objects" / blob[:2] / blob[2:]).unlink()
    assert published(root)[1]
    assert server.requested == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["blob:none", "tree:0"])
def test_a_partial_clone_is_published(kind: str, tmp_path: Path) -> None:
    _, remote = with_remote(tmp_path, BRANCH)
    git(remote, "config", "uploadpack.allowFilter", "true")
    git(remote, "config", "uploadpack.allowAnySHA1InWant", "true")
    root = tmp_path / "partial"
    subprocess.run(["git", "clone", "-q", f"--filter={kind}", remote.as_uri(), root], check=True)
    for text in ("Text", "More"):
        write_site(root, {POST: SITE[POST].replace("Text", text)})
        build_site(root)
        assert not published(root, dry_run=True)[1]
        assert not published(root)[1]
        assert tree_of(remote) == {**outputs(root / "public"), ".nojekyll": b""}


@pytest.mark.slow
@pytest.mark.parametrize("is_local", [True, False])
def test_another_site_that_is_not_in_a_sparse_partial_clone_stays(is_local: bool, tmp_path: Path) -> None:
    one, remote = with_remote(tmp_path, BRANCH, below="one")
    two = built(tmp_path / "clone" / "two", BRANCH + ('remote = ""\n' if is_local else ""))
    git(two, "add", ":/")
    git(two, "commit", "-q", "-m", "Two")
    git(two, "push", "-q", "origin", "main")
    assert not published(one)[1]
    git(remote, "config", "uploadpack.allowFilter", "true")
    git(remote, "config", "uploadpack.allowAnySHA1InWant", "true")
    clone = tmp_path / "partial"
    subprocess.run(["git", "clone", "-q", "--filter=tree:0", "--sparse", remote.as_uri(), clone], check=True)
    git(clone, "-c", "protocol.file.allow=always", "sparse-checkout", "set", "two")
    assert not (clone / "one").exists()
    git(clone, "fetch", "-q", "origin", "gh-pages:gh-pages")
    build_site(clone / "two")
    before = git(remote, "rev-parse", "gh-pages")
    (problem,) = published(clone / "two")[1]
    if is_local:  # nothing is fetched
        assert problem.hint == "a partial clone may lack a part of the last commit: use a clone without a filter"
    else:
        assert problem.message.endswith("the branch “gh-pages” contains another site, that of “one/”")
    assert git(clone, "rev-parse", "gh-pages") == git(remote, "rev-parse", "gh-pages") == before


def more(root: Path, text: str) -> None:
    """Write more into the post, and build the site."""
    (root / POST).write_text((root / POST).read_text("utf-8") + f"{text}\n", "utf-8")
    build_site(root)


def clone_of(remote: Path, folder: Path, *options: str) -> Path:
    """A clone with the site, which is built."""
    subprocess.run(["git", "clone", "-q", *options, remote.as_uri(), folder], check=True)
    build_site(folder)
    return folder


@pytest.mark.slow
def test_a_branch_of_which_git_has_removed_a_part_is_fetched_again(tmp_path: Path) -> None:
    """Nothing refers to what a deployment adds to the repository: a pack of earlier ones, and what is new as files."""
    one, remote = with_remote(tmp_path)
    two = clone_of(remote, tmp_path / "two")
    assert not published(one)[1]
    more(two, "Two.")
    assert not published(two)[1]
    git(two, "repack", "-q", "-a", "-d")
    more(two, "Three.")
    assert not published(two)[1]
    assert tree_of(remote) == {**outputs(two / "public"), ".nojekyll": b""}
    assert git(remote, "rev-list", "--count", "gh-pages").strip() == "3"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["HEAD~1", "HEAD^{tree}", "HEAD:storage"])
def test_a_branch_that_lacks_one_object_is_fetched_again(kind: str, tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    for text in ("One.", "Two."):
        assert not published(root)[1]
        more(root, text)
    lost = git(remote, "rev-parse", kind.replace("HEAD", "gh-pages")).strip()
    remove(root, lost)
    assert not published(root, dry_run=True)[1]
    assert not published(root)[1]
    assert tree_of(remote) == {**outputs(root / "public"), ".nojekyll": b""}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["blob:none", "tree:0"])
def test_a_partial_clone_with_a_part_of_the_branch_is_published(kind: str, tmp_path: Path) -> None:
    one, remote = with_remote(tmp_path)
    assert not published(one)[1]
    git(remote, "config", "uploadpack.allowFilter", "true")
    git(remote, "config", "uploadpack.allowAnySHA1InWant", "true")
    two = clone_of(remote, tmp_path / "partial", f"--filter={kind}")
    assert not published(two)[1], "its reference is the newest commit"
    more(one, "Two.")
    assert not published(one)[1]
    more(two, "Three.")
    assert not published(two)[1], "its reference is an earlier commit"
    assert tree_of(remote) == {**outputs(two / "public"), ".nojekyll": b""}


@pytest.mark.slow
def test_a_remote_without_the_oldest_commits_is_published_to(tmp_path: Path) -> None:
    one, remote = with_remote(tmp_path)
    for text in ("One.", "Two.", "Three."):
        assert not published(one)[1]
        more(one, text)
    shallow = tmp_path / "shallow.git"
    two = clone_of(remote, tmp_path / "two")
    command = ["git", "clone", "-q", "--bare", "--depth", "2", "-b", "gh-pages", f"file://{remote}", str(shallow)]
    subprocess.run(command, check=True)
    git(two, "remote", "set-url", "origin", str(shallow))
    git(two, "update-ref", "-d", "refs/remotes/origin/gh-pages")
    git(two, "reflog", "expire", "--expire=all", "--all")
    git(two, "gc", "-q", "--prune=now")
    for text in ("Four.", "Five."):
        more(two, text)
        assert not published(two, dry_run=True)[1]
        assert not published(two)[1]
    assert tree_of(shallow) == {**outputs(two / "public"), ".nojekyll": b""}
    assert git(shallow, "rev-list", "--count", "gh-pages").strip() == "4"
    assert not (two / ".git/shallow").exists()
    git(two, "fsck", "--connectivity-only")


@pytest.mark.slow
def test_a_failure_to_read_a_branch_is_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a branch whose commits cannot be read would be one that devlog has never published to."""
    root, remote = with_remote(tmp_path)
    for text in ("One.", "Two."):
        assert not published(root)[1]
        more(root, text)
    remove(root, git(remote, "rev-parse", "gh-pages~1").strip())
    monkeypatch.setattr(branch, "has_earlier", lambda *_: True)
    (problem,) = published(root)[1]
    assert "git log says: " in problem.message
