"""Running git for publishing, so that nothing but the user's own settings has a program run."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from devlog.disk.git import environment, words
from devlog.plugin import DeployError

_KEPT = (
    "PATH HOME SYSTEMROOT USERPROFILE XDG_CONFIG_HOME TMPDIR TEMP LANG SSH_AUTH_SOCK SSH_AGENT_PID GIT_SSH_COMMAND"
    " GIT_ASKPASS SSH_ASKPASS GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL"
    " GIT_COMMITTER_DATE HTTPS_PROXY HTTP_PROXY NO_PROXY https_proxy http_proxy no_proxy"
).split()
_SECONDS = 600
_PROGRAM = re.compile(
    r"core\.(?:sshcommand|askpass|gitproxy|alternaterefscommand)|credential(?:\..*)?\.helper"
    r"|remote\..*\.(?:receivepack|uploadpack|vcs|proxy)|gpg(?:\..*)?\.program|ssh\..*|filter\..*",
    re.IGNORECASE,
)
_NOBODY = {"NAME": "devlog", "EMAIL": "devlog@localhost"}


class Repository:
    """The repository of a site, without its work tree.

    Attributes:
        prefix: the site's folder in it; empty for the top.
    """

    def __init__(self, folder: Path, scratch: Path, *, dry_run: bool) -> None:
        """
        Args:
            folder: of the site.
            scratch: an empty folder for what is needed for a moment.
            dry_run: whether nothing may be added to the repository: then `scratch` takes it.

        Raises:
            DeployError: there is no git or no repository, or it wants to have programs run.
        """
        self._folder = folder
        self._more: dict[str, str] = {}
        self._git_dir = self.line("rev-parse", "--absolute-git-dir")
        self.prefix = self.line("rev-parse", "--show-prefix")
        self._refuse_programs()
        objects = self.line("rev-parse", "--path-format=absolute", "--git-path", "objects")
        self._more = {"GIT_DIR": self._git_dir, "GIT_INDEX_FILE": str(scratch / "index")}
        if dry_run:
            (scratch / "objects").mkdir()
            self._more["GIT_OBJECT_DIRECTORY"] = str(scratch / "objects")
            self._more["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = objects
        for who in ("AUTHOR", "COMMITTER"):
            if self.run("var", f"GIT_{who}_IDENT") is None:
                self._more |= {f"GIT_{who}_{key}": value for key, value in _NOBODY.items()}

    def _refuse_programs(self) -> None:
        told = self.ask("config", "--show-scope", "--name-only", "--null", "--list").decode("utf-8", "replace")
        parts = told.split("\0")
        for scope, key in zip(parts[::2], parts[1::2], strict=False):
            if scope in ("local", "worktree") and _PROGRAM.fullmatch(key):
                raise DeployError(
                    f"the repository's own configuration has a program run for “{key}”",
                    "set it for yourself with “git config --global”, or use GIT_SSH_COMMAND",
                )

    def run(self, *command: str, data: bytes = b"", folder: Path | None = None) -> bytes | None:
        """What git answers; `None` when it refuses. Raises DeployError when there is no git."""
        done = self._run(command, data, folder)
        return done.stdout if done.returncode == 0 else None

    def ask(self, *command: str, data: bytes = b"", folder: Path | None = None) -> bytes:
        """What git answers. Raises DeployError when it refuses."""
        done = self._run(command, data, folder)
        if done.returncode:
            raise DeployError(f"git {command[0]} says: {_reason(done.stderr)}")
        return done.stdout

    def line(self, *command: str, data: bytes = b"", folder: Path | None = None) -> str:
        """The one line that git answers. Raises DeployError when it refuses."""
        return os.fsdecode(self.ask(*command, data=data, folder=folder)).strip()

    def _run(self, command: tuple[str, ...], data: bytes, folder: Path | None) -> subprocess.CompletedProcess[bytes]:
        try:
            return subprocess.run(  # noqa: S603 - fixed words; names that others chose cannot be taken for options
                words(command),
                cwd=folder or self._folder,
                env=self._environment(),
                input=data,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except OSError as error:
            raise DeployError("there is no git", "install git") from error
        except subprocess.TimeoutExpired as error:
            raise DeployError(f"git {command[0]} takes longer than {_SECONDS // 60} minutes") from error

    def _environment(self) -> Mapping[str, str]:
        safe = {"GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
        return {**environment(_KEPT), **safe, **self._more}


def _reason(text: bytes) -> str:
    """The line of git's that says why, without the address of the remote, which may hold a password."""
    lines = [line for line in text.decode("utf-8", "replace").splitlines() if line.strip() and "hint:" not in line]
    chosen = next((line for line in lines if line.startswith(("fatal:", "error:", " !"))), "".join(lines[-1:]))
    return re.sub(r"(\w+://)[^/@\s]*@", r"\1", chosen).strip() or "no"
