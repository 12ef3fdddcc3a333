"""Ways in which people and their tools save a post."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

POST = "content/kernels/a.md"
NEW = "---\ntitle: a\n---\n\nWhat the Lumen team learned since.\n"


class Folder:
    """A site's folder; what has one sets `root`."""

    root: Path

    def path(self, name: str) -> Path:
        """Where a file lies."""
        return self.root / name

    def write(self, name: str, text: str) -> Path:
        """Write a text."""
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path


def run(*command: str | Path, cwd: Path | None = None, **environment: str) -> None:
    """Run a tool."""
    kept = {"PATH": os.environ["PATH"], "HOME": str(cwd), "TERM": "dumb", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        command, cwd=cwd, env=kept | environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0, (command, done.stdout, done.stderr)


# Ways to save a post.


def truncate(site: Folder) -> None:
    site.path(POST).write_text(NEW)


def pieces(site: Folder) -> float:
    """Written piece by piece; the longest pause, in seconds."""
    longest, last = 0.0, time.monotonic()
    with site.path(POST).open("w") as file:
        for begin in range(0, len(NEW), 10):
            file.write(NEW[begin : begin + 10])
            file.flush()
            longest, last = max(longest, time.monotonic() - last), time.monotonic()
            time.sleep(0.05)
    return max(longest, time.monotonic() - last)


def replace(site: Folder) -> None:
    new = site.write("content/kernels/tmpx3f", NEW)
    new.replace(site.path(POST))


def replace_from_outside(site: Folder) -> None:
    new = site.write("../outside.md", NEW)
    new.replace(site.path(POST))


def safe_write(site: Folder) -> None:
    """As some IDEs save."""
    post = site.path(POST)
    new, old = (post.with_name(f"a.md___jb_{kind}___") for kind in ("tmp", "old"))
    new.write_text(NEW)
    post.rename(old)
    new.rename(post)
    old.unlink()


def sed(site: Folder) -> None:
    run("sed", "-i", "s/learned/learned since/", POST, cwd=site.root)


def vim(*settings: str) -> Callable[[Folder], None]:
    def save(site: Folder) -> None:
        sets = [part for options in settings for part in ("-c", f"set {options}")]
        run("vim", "-es", "-Nu", "NONE", *sets, "-c", "%s/learned/learned since/", "-c", "wq", POST, cwd=site.root)

    return save


def vim_swap(site: Folder) -> None:
    """With a swap file, as a person uses it, and saved without leaving."""
    keys = ("-c", "set swapfile", "-c", "%s/learned/learned since/", "-c", "w", "-c", "qa!")
    run("vim", "-es", "-Nu", "NONE", *keys, POST, cwd=site.root)


def emacs(*settings: str) -> Callable[[Folder], None]:
    def save(site: Folder) -> None:
        steps = f"""(progn {" ".join(settings)} (find-file "{POST}") (goto-char (point-max))
            (insert "Since then: more.\\n") (save-buffer))"""
        run("emacs", "--batch", "-Q", "--eval", steps, cwd=site.root)

    return save


def touch(site: Folder) -> None:
    run("touch", POST, cwd=site.root)


def chmod(site: Folder) -> None:
    site.path(POST).chmod(0o600)


def remove(site: Folder) -> None:
    site.path(POST).unlink()


WAYS: dict[str, Callable[[Folder], None]] = {
    "truncate": truncate,
    "replace": replace,
    "replace-from-outside": replace_from_outside,
    "safe-write": safe_write,
    "sed": sed,
    "vim": vim(),
    "vim-swap": vim_swap,
    "vim-backup-by-name": vim("backup writebackup backupcopy=no"),
    "vim-backup-by-copy": vim("backup writebackup backupcopy=yes"),
    "vim-no-backup": vim("nobackup nowritebackup"),
    "emacs": emacs("(setq create-lockfiles t make-backup-files nil)"),
    "emacs-backup": emacs("(setq create-lockfiles t make-backup-files t backup-by-copying nil)"),
    "emacs-backup-by-copy": emacs("(setq create-lockfiles t make-backup-files t backup-by-copying t)"),
    "touch": touch,
    "chmod": chmod,
    "remove": remove,
}

EVERY_WAY = [pytest.param(way, marks=pytest.mark.editors) if way.startswith(("vim", "emacs")) else way for way in WAYS]
"""For tests with a parameter."""


def git(site: Folder, *arguments: str) -> None:
    names = {f"GIT_{who}_{what}": "Ada Quill" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    run("git", "-c", "init.defaultBranch=main", *arguments, cwd=site.root, GIT_CONFIG_NOSYSTEM="1", **names)
