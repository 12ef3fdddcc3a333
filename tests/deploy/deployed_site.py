"""A built site, and what publishing it does."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from check_cases import git
from sites import build_site, read_tree, write_site

from devlog.deploy.run import deploy
from devlog.disk.manifest import MANIFEST
from devlog.model.diagnostic import Diagnostic

POST = "content/storage/2026-05-01-a.md"
SITE = {
    "devlog.toml": 'title = "The Lumen log"\n\n[images]\nenabled = false\n\n[cards]\nenabled = false\n\n',
    "content/storage/_index.md": "---\ntitle: Storage\n---\n",
    POST: "---\ntitle: A post\nauthor: Ada Quill (@adaquill)\n---\nText.\n",
}
FOLDER = '[deploy.here]\nto = "folder"\npath = "{path}"\n'


def built(folder: Path, settings: str) -> Path:
    """A site that is built and says how it is published."""
    folder.mkdir(parents=True, exist_ok=True)
    write_site(folder, {**SITE, "devlog.toml": SITE["devlog.toml"] + settings})
    assert not build_site(folder).failed
    return folder


def published(root: Path, name: str = "", *, dry_run: bool = False) -> tuple[list[str], list[Diagnostic]]:
    """What is said, and what is wrong."""
    said = list(deploy(root, name, dry_run=dry_run))
    return [item for item in said if isinstance(item, str)], [item for item in said if isinstance(item, Diagnostic)]


def wrong(root: Path, name: str = "") -> str:
    """The only thing that is said: what is wrong."""
    lines, found = published(root, name)
    assert not lines
    (problem,) = found
    assert problem.severity == "error"
    return problem.message


def outputs(folder: Path) -> dict[str, bytes]:
    """The files of a site, without what devlog keeps beside them."""
    return {path: data for path, data in read_tree(folder).items() if path != MANIFEST}


def edit_unseen(file: Path) -> None:
    """Write other bytes into a file, as many as before, and set its time back."""
    status = file.stat()
    file.write_bytes(file.read_bytes()[::-1])
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


BRANCH = '[deploy.pages]\nto = "branch"\n'


def with_remote(tmp_path: Path, settings: str = BRANCH, *, below: str = "") -> tuple[Path, Path]:
    """A built site in a repository, and the repository that it was cloned from."""
    remote, top = tmp_path / "remote.git", tmp_path / "clone"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", remote], check=True)
    top.mkdir()
    git(top, "init", "-q", "-b", "main")
    git(top, "remote", "add", "origin", str(remote))
    root = built(top / below, settings)
    (top / ".gitignore").write_text("public/\n.devlog/\n", "utf-8")
    git(top, "add", ".")
    git(top, "commit", "-q", "-m", "A post")
    git(top, "push", "-q", "origin", "main")
    return root, remote


def tree_of(repository: Path, branch: str = "gh-pages") -> dict[str, bytes]:
    """The files of a branch."""
    names = git(repository, "ls-tree", "-r", "-z", "--name-only", branch).split("\0")
    return {
        name: subprocess.run(
            ["git", "cat-file", "blob", f"{branch}:{name}"], cwd=repository, check=True, capture_output=True
        ).stdout
        for name in names
        if name
    }
