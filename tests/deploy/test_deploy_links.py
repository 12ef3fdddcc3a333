"""What is read and written in the site's own repository: nothing that is too large, and nothing through a link."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
import tracemalloc
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from check_cases import git
from deploy.deployed_site import BRANCH, POST, SITE, built, outputs, published, tree_of, with_remote, wrong
from sites import build_site, read_tree

from devlog.deploy import objects
from devlog.deploy.git import Repository
from devlog.deploy.remote import is_own
from devlog.plugin import DeployError

LOCAL = BRANCH + 'remote = ""\n'


def put_elsewhere(place: Path, elsewhere: Path) -> None:
    """Replace a file or folder with a link to where it is then; a missing file is made there."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.exists():
        place.rename(elsewhere)
    elif place.parent.name == "objects":
        elsewhere.mkdir()
    else:
        elsewhere.write_text("mine\n", "utf-8")
    place.symlink_to(os.path.relpath(elsewhere, place.parent))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        *("logs", "logs/refs", "logs/refs/heads", "logs/refs/heads/gh-pages", "logs/HEAD"),
        *("refs", "refs/heads", "objects"),
    ],
)
def test_a_local_branch_is_not_moved_through_a_link(name: str, tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path, LOCAL)
    elsewhere = tmp_path / "elsewhere"
    put_elsewhere(root / ".git" / name, elsewhere)
    before = read_tree(tmp_path)
    assert f"“{name}” in the repository is a symbolic link" in wrong(root)
    assert read_tree(tmp_path) == before


@pytest.mark.slow
@pytest.mark.parametrize("name", ["objects", "objects/pack", "objects/ab", "logs/refs/heads"])
def test_nothing_is_written_through_a_link_for_a_remote(name: str, tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    put_elsewhere(root / ".git" / name, elsewhere)
    before = read_tree(elsewhere)
    for text in ("Text", "More"):
        (root / POST).write_text(SITE[POST].replace("Text", text), "utf-8")
        build_site(root)
        assert not published(root)[1]
        assert tree_of(remote) == {**outputs(root / "public"), ".nojekyll": b""}
    assert read_tree(elsewhere) == before


@pytest.mark.slow
def test_no_object_is_written_through_a_link_for_a_local_branch(tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path, LOCAL)
    (tmp_path / "elsewhere").mkdir()
    for number in range(256):
        place = root / ".git" / "objects" / f"{number:02x}"
        if not place.exists():
            place.symlink_to(tmp_path / "elsewhere")
    assert wrong(root).endswith("objects cannot be added to the repository: not a directory")
    assert not [*(tmp_path / "elsewhere").iterdir()]
    assert not (root / ".git/refs/heads/gh-pages").exists()


@pytest.mark.slow
def test_commits_are_kept_only_with_what_they_consist_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If something prevents the rest, the next deployment fetches all of it."""
    root, remote = with_remote(tmp_path)
    copy, left = objects._copy, [3]

    def fail(*arguments: Any) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        copy(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(objects, "_copy", fail)
        assert not published(root)[1]
    assert left[0] < 0
    (root / POST).write_text(SITE[POST].replace("Text", "More"), "utf-8")
    build_site(root)
    assert not published(root)[1]
    assert tree_of(remote) == {**outputs(root / "public"), ".nojekyll": b""}


@pytest.mark.slow
def test_objects_are_kept_so_that_they_are_not_fetched_again(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    assert not published(root)[1]
    tip = git(remote, "rev-parse", "gh-pages").strip()
    for name in git(remote, "rev-list", "--objects", tip).splitlines():
        git(root, "cat-file", "-e", name.partition(" ")[0])
    names = [path.name for path in (root / ".git/objects").rglob("*") if path.is_file()]
    assert not [name for name in names if name.startswith("tmp_")]
    (root / POST).write_text(SITE[POST].replace("Text", "More"), "utf-8")
    build_site(root)
    for folder in (root / ".git/objects").iterdir():  # as if another deployment had been killed
        (folder / "tmp_obj_devlog").touch()
    assert not published(root)[1]
    git(root, "fsck", "--strict")
    git(root, "cat-file", "-e", git(remote, "rev-parse", "gh-pages").strip())


PACK = "1" * 40


class DumbServer(BaseHTTPRequestHandler):
    """A server without git, of which git asks for packs by their names. It knows the name that a link has."""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        answers = {
            "/info/refs": f"{'2' * 40}\trefs/heads/gh-pages\n",
            "/HEAD": "ref: refs/heads/main\n",
            "/objects/info/packs": f"P pack-{PACK}.pack\n\n",
            f"/objects/pack/pack-{PACK}.idx": "of the server\n",
        }
        text = answers.get(path, "")
        self.send_response(200 if text else 404)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["idx.temp.temp", "idx.temp", "pack.temp", "promisor", "keep"])
def test_no_file_is_written_through_a_link_while_git_fetches(ending: str, tmp_path: Path) -> None:
    """Git opens some files by names that a server decides on, and follows links."""
    root, _ = with_remote(tmp_path)
    victim = tmp_path / "notes.txt"
    victim.write_text("mine\n", "utf-8")
    (root / f".git/objects/pack/pack-{PACK}.{ending}").symlink_to(victim)
    with ThreadingHTTPServer(("127.0.0.1", 0), DumbServer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        git(root, "remote", "set-url", "origin", f"http://127.0.0.1:{server.server_port}")
        _, found = published(root)
        server.shutdown()
    assert found
    assert victim.read_text("utf-8") == "mine\n"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["work tree", "submodule", "separate", "link"])
def test_a_local_branch_of_a_repository_whose_folder_is_elsewhere(kind: str, tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path, LOCAL)
    if kind == "work tree":
        git(root, "worktree", "add", "-q", "--detach", str(tmp_path / "side"))
        place = built(tmp_path / "side", LOCAL)
    elif kind == "separate":
        place = root
        git(place, "init", "-q", "--separate-git-dir", str(tmp_path / "elsewhere"))
    elif kind == "link":  # git-annex makes such links in submodules
        place = root
        put_elsewhere(place / ".git", tmp_path / "elsewhere")
    else:
        around = tmp_path / "around"
        subprocess.run(["git", "init", "-q", around], check=True)
        git(around, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(root), "site")
        place = built(around / "site", LOCAL)
    assert (place / ".git").is_symlink() if kind == "link" else (place / ".git").is_file()
    assert not published(place)[1]
    assert tree_of(place) == {**outputs(place / "public"), ".nojekyll": b""}


@pytest.mark.slow
def test_a_shallow_clone_is_published(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    git(root, "commit", "-q", "--allow-empty", "-m", "More")
    git(root, "push", "-q", "origin", "main")
    git(tmp_path, "clone", "-q", "--depth=1", remote.as_uri(), "shallow")
    assert (tmp_path / "shallow/.git/shallow").is_file()
    build_site(tmp_path / "shallow")
    assert not published(tmp_path / "shallow")[1]
    assert tree_of(remote) == {**outputs(tmp_path / "shallow/public"), ".nojekyll": b""}


@pytest.mark.slow
def test_a_file_without_an_end_is_not_read(tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path)
    file = root / ".git" / "shallow"
    with file.open("wb") as opened:
        opened.truncate(1 << 33)  # which takes no space
    assert "“shallow” of a repository is larger than" in wrong(root)
    file.unlink()
    file.symlink_to(root / POST)
    assert "“shallow” in the repository cannot be read" in wrong(root)
    if sys.platform != "win32":
        file.unlink()
        os.mkfifo(file)
        assert "“shallow” in the repository cannot be read" in wrong(root)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["{own}\0more\n", "{own}\r\n\n"])
def test_the_folder_of_a_remote_is_named_as_git_reads_it(text: str, tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path)
    scratch, other = tmp_path / "scratch", tmp_path / "other"
    scratch.mkdir()
    other.mkdir()
    (other / "commondir").write_bytes(text.format(own=root / ".git").encode())
    repository = Repository(root, scratch, files=1)
    assert is_own(repository, other)
    (other / "commondir").write_bytes(b"./" * (1 << 20) + os.fsencode(root / ".git"))
    with pytest.raises(DeployError, match="“commondir” of a repository is larger than"):
        is_own(repository, other)


@pytest.mark.slow
def test_endless_files_of_the_last_commit_are_not_held(tmp_path: Path) -> None:
    """Folders that stand in each other: some hundred bytes, and 500,000 files."""
    root, _ = with_remote(tmp_path, LOCAL)
    assert not published(root)[1]
    data = root / ".git" / "tree"
    tree = git(root, "rev-parse", "HEAD:content").strip()
    for _ in range(6):
        data.write_bytes(b"".join(b"40000 %d\0" % name + bytes.fromhex(tree) for name in range(8)))
        tree = git(root, "hash-object", "-w", "-t", "tree", str(data)).strip()
    git(root, "update-ref", "HEAD", git(root, "commit-tree", "-m", "Many", tree).strip())
    (tmp_path / "scratch").mkdir()
    repository = Repository(root, tmp_path / "scratch", files=1)
    wanted = "1/2/3/4/5/6/storage/_index.md"
    tracemalloc.start()
    found = repository.contents_of(repository.commit_of("HEAD"), {wanted, "gone"})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.endswith(f"\t{wanted}")
    assert "\0" not in found
    assert peak < 1 << 23
    assert published(root)[0] == [f"No changes: the branch “gh-pages” has all {len(outputs(root / 'public'))} files"]
