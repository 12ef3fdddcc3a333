"""The settings of git that publishing uses: all of the user's and the system's, and few of a site's repository."""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from devlog.deploy.passwords import without_passwords
from devlog.plugin import DeployError

Settings = Sequence[tuple[str, str | None]]
"""Keys and values. A key without a value means another thing than an empty one."""


class Found(NamedTuple):
    """The settings that git finds in a site's repository, without those that include files: they have been included.

    Attributes:
        users: those of the user and the system.
        own: those of the repository.
        given: those of the environment, which override all others, and of devlog itself, which all its commands have.
    """

    users: Settings
    own: Settings
    given: Settings


LIST = ("config", "--show-scope", "--show-origin", "--null", "--list")
"""The command of git whose output `read` takes."""

_PROGRAM = re.compile(
    r"core\.(?:sshcommand|askpass|gitproxy|alternaterefscommand)|credential(?:\..*)?\.helper"
    r"|remote\..*\.(?:receivepack|uploadpack|vcs|proxy)|ssh\..*",
    re.IGNORECASE,
)
"""Settings that run programs: they are never used, but reported, since ignoring them would make publishing fail for no
visible reason."""
_REPLACED = {"core.sshcommand": "GIT_SSH_COMMAND", "core.askpass": "GIT_ASKPASS", "core.gitproxy": "GIT_PROXY_COMMAND"}
"""The variables of the environment that git uses instead of a setting."""
_TRUST = re.compile(r"http(?:\..*)?\.(?:proxy)?ssl(?:verify|cainfo|capath)", re.IGNORECASE | re.DOTALL)
"""Settings that decide which servers to trust: a repository's own could send the user's passwords elsewhere."""
_USED = re.compile(
    r"(?:user|author|committer)\.(?:name|email)|user\.useconfigonly|core\.sharedrepository"
    r"|http(?:\..*)?\.(?:extraheader|proxy|sslcert|sslkey|version|postbuffer)",
    re.IGNORECASE | re.DOTALL,
)
"""The settings of a repository that are used: names, permissions, options of HTTP. None names a program."""
_FOR_ONE_URL = re.compile(r"http\.\w+://.*\.extraheader", re.IGNORECASE | re.DOTALL)
"""The only settings that count in files elsewhere that a repository's configuration includes: build services have
tokens there. Others could be those of another repository, whose secrets would go to this one's remote.
"""
_ADDRESS = re.compile(r"remote\..*\.(?:url|pushurl)|url\..*\.(?:insteadof|pushinsteadof)", re.IGNORECASE | re.DOTALL)
"""The settings that are used to find addresses, and never after: what was found and checked must stay as it is."""
_PROXY = re.compile(r"(?:http|remote)\.(?:.*\.)?proxy", re.IGNORECASE | re.DOTALL)
_INCLUDE = re.compile(r"include(?:if\..*)?\.path", re.IGNORECASE | re.DOTALL)


def folders_of(site: Path, git_dir: Path, common: Path) -> list[Path]:
    """The folders in which a repository's own files of settings are.

    They are found on the disk: git's answers are partly from the repository's author, who could name any folder.

    Args:
        site: the site's folder.
        git_dir: the repository's folder (``--absolute-git-dir``).
        common: the folder that it shares with other work trees (``--git-common-dir``).
    """
    top = Path(os.path.realpath(site))
    work_tree = next((place for place in (top, *top.parents) if os.path.lexists(place / ".git")), top)
    if not Path(os.path.realpath(git_dir)).is_relative_to(os.path.realpath(common)):  # it was forged
        return [git_dir, work_tree]
    config = common / "config"
    # Some tools share it between several folders by a symbolic link.
    return [Path(os.path.realpath(config)).parent] if config.is_symlink() else [git_dir, work_tree, common]


def read(answer: str, folders: Iterable[Path], environment: Container[str]) -> Found:
    """The settings of the user and the system, of the configuration of a site's repository, and of the environment.

    Args:
        answer: the output of git with `LIST` in the repository.
        folders: see `folders_of`.
        environment: the names of the variables that git gets.

    Raises:
        DeployError: one of the repository runs a program, so that it cannot be used, and publishing would fail without
            it; or it decides which servers to trust.
    """
    tops = [os.path.realpath(folder) for folder in folders]
    users, own, given = (list[tuple[str, str | None]]() for _ in range(3))
    for scope, origin, key, value in _listed(answer):
        if scope in ("system", "global", "command"):
            to = given if scope == "command" else users
            to += [(key, value)] if not _INCLUDE.fullmatch(key) else []
        elif scope in ("local", "worktree"):
            if _REPLACED.get(key) not in environment:
                _refuse(key)
            if _FOR_ONE_URL.fullmatch(key) or _is_in(origin, tops):
                own.append((key, value))
    return Found(users, own, given)


def used(settings: Settings) -> Settings:
    """Those of a repository's settings that publishing uses."""
    return [item for item in settings if _USED.fullmatch(item[0])]


def addresses(settings: Settings) -> Settings:
    """Those of a repository's settings that say where its remotes are."""
    return [item for item in settings if _ADDRESS.fullmatch(item[0])]


def proxies(settings: Settings, environment: Mapping[str, str]) -> set[str]:
    """The URLs of proxies, which may contain passwords.

    Args:
        settings: all that git uses.
        environment: the variables that libraries of git get.
    """
    named = (value or "" for key, value in settings if _PROXY.fullmatch(key))
    others = (value for key, value in environment.items() if key.lower().endswith("_proxy"))
    # A library takes one without a protocol for one of HTTP.
    return {value if "://" in value else f"http://{value}" for value in (*named, *others) if "@" in value}


def _refuse(key: str) -> None:
    for pattern, what, hint in (
        (_PROGRAM, "runs a program for", ", or use GIT_SSH_COMMAND"),
        (_TRUST, "decides which servers to trust, by", ""),
    ):
        if pattern.fullmatch(key):
            raise DeployError(
                f"the repository's own configuration {what} “{without_passwords(key)}”",
                f"set it for yourself with “git config --global”{hint}",
            )


def _listed(answer: str) -> Iterator[tuple[str, str, str, str | None]]:
    """The scopes, origins, keys and values of settings, from the output of git with `LIST`."""
    parts = answer.split("\0")
    for scope, origin, setting in zip(parts[::3], parts[1::3], parts[2::3], strict=False):
        key, mark, value = setting.partition("\n")
        yield scope, origin, key, value if mark else None


def _is_in(origin: str, tops: Iterable[str]) -> bool:
    """Whether a setting's origin, as git names it, is a file in one of some folders, in whose paths no links are."""
    kind, _, file = origin.partition(":")
    real = Path(os.path.realpath(file))
    return kind == "file" and any(real.is_relative_to(top) for top in tops)


def without_hooks(settings: Settings) -> list[tuple[str, str]]:
    """Settings that disable the hooks in a repository's own configuration.

    Since git 2.54, a configuration can define hooks, which run in addition to those in the hooks folder. Moving a
    branch in the site's own repository would run them.
    """
    names = {key.rpartition(".")[0] for key, _ in settings if key.startswith("hook.") and key.count(".") > 1}
    return [(f"{name}.enabled", "false") for name in sorted(names)]


def write(file: Path, settings: Iterable[tuple[str, str | None]]) -> None:
    """Append settings to a file of git's configuration."""
    with file.open("ab") as opened:
        opened.write(os.fsencode("".join(_written(key, value) for key, value in settings)))


def _written(key: str, value: str | None) -> str:
    """A setting in the syntax of git's configuration files."""
    section, _, rest = key.partition(".")
    below, _, name = rest.rpartition(".")
    title = f'{section} "{_escaped(below)}"' if below else section
    if value is None:
        return f"[{title}]\n\t{name}\n"
    return f"[{title}]\n\t{name} = {quoted(value)}\n"


def quoted(text: str) -> str:
    """A text in quotation marks, in one line, as git reads it in its configuration files and lists of folders."""
    return '"{}"'.format(_escaped(text).replace("\n", "\\n"))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
