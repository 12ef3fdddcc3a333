"""Synthetic repositories with the habits of several code hosts."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

NOON = 1_780_488_000
"""2026-06-03 12:00 UTC."""

HOUR = 3600


class Repository:
    """A repository that a test commits to. Each commit is an hour later than the one before."""

    def __init__(self, folder: Path, begin: int = NOON - 40 * HOUR) -> None:
        """
        Args:
            folder: in which it is made.
            begin: the time of its first commit.
        """
        self.folder = folder
        self.time = begin
        folder.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        self.commit("Begin", {"README.md": "Lumen\n"})

    def git(self, *arguments: str, author: str = "Ada Quill", data: str = "") -> str:
        """Run git, as somebody, at the time of the repository."""
        email = f"{author.partition(' ')[0].lower()}@lumen.example"
        who = {
            f"GIT_{role}_{what}": value
            for role in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", author), ("EMAIL", email))
        }
        when = {f"GIT_{role}_DATE": f"{self.time} +0000" for role in ("AUTHOR", "COMMITTER")}
        plain = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(
            ["git", "-c", "protocol.file.allow=always", *arguments],
            cwd=self.folder,
            env={**os.environ, **who, **when, **plain},
            input=data,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def commit(self, message: str, files: dict[str, str] | None = None, author: str = "Ada Quill") -> str:
        """Commit files; without any, one that no other commit has. Returns the id."""
        self.time += HOUR
        for name, text in (files if files is not None else {f"src/file{self.time}.py": "x\n"}).items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        self.git("add", "-A", author=author)
        self.git("commit", "-q", "--allow-empty", "--cleanup=verbatim", "-F", "-", author=author, data=message)
        return self.git("rev-parse", "HEAD")

    def merge(self, message: str, commits: list[tuple[str, dict[str, str], str]], by: str = "Grace Integrator") -> str:
        """Merge a branch with some commits, each with its message, files and author. Returns the id of the merge."""
        self.git("checkout", "-q", "-b", "topic")
        for text, files, author in commits:
            self.commit(text, files, author)
        self.git("checkout", "-q", "main")
        self.time += HOUR
        self.git("merge", "-q", "--no-ff", "-m", message, "topic", author=by)
        self.git("branch", "-q", "-D", "topic")
        return self.git("rev-parse", "HEAD")
