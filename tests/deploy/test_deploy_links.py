"""What is read and written in the site's own repository: nothing that is too large, and nothing through a link."""

from __future__ import annotations

import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from check_cases import git
from deploy.deployed_site import BRANCH, POST, SITE, built, outputs, published, tree_of, with_remote, wrong
from sites import build_site, read_tree

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
        *("refs", "refs/heads", "objects", "objects/pack", "objects/info", "objects/ab"),
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
@pytest.mark.parametrize("kind", ["work tree", "submodule"])
def test_a_local_branch_of_a_repository_whose_folder_is_elsewhere(kind: str, tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path, LOCAL)
    if kind == "work tree":
        git(root, "worktree", "add", "-q", "--detach", str(tmp_path / "side"))
        place = built(tmp_path / "side", LOCAL)
    else:
        around = tmp_path / "around"
        subprocess.run(["git", "init", "-q", around], check=True)
        git(around, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(root), "site")
        place = built(around / "site", LOCAL)
    assert (place / ".git").is_file()
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
    repository = Repository(root, scratch, files=1, dry_run=True)
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
    repository = Repository(root, tmp_path / "scratch", files=1, dry_run=True)
    wanted = "1/2/3/4/5/6/storage/_index.md"
    tracemalloc.start()
    found = repository.contents_of(repository.commit_of("HEAD"), {wanted, "gone"})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.endswith(f"\t{wanted}")
    assert "\0" not in found
    assert peak < 1 << 23
    assert published(root)[0] == [f"No changes: the branch “gh-pages” has all {len(outputs(root / 'public'))} files"]
