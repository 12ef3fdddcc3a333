"""Whose a branch is: the next site replaces all that is on it, so that nothing but an earlier site may be there."""

from __future__ import annotations

import os
from pathlib import PurePath, PurePosixPath

from devlog.deploy.git import Repository
from devlog.plugin import DeployError, Release

_CONFIGURATION = ("devlog.toml", "pyproject.toml")
_POSTS = (".md", ".markdown")
_HARMLESS = frozenset({".nojekyll", ".gitignore", ".gitattributes", ".gitkeep", "CNAME", "README.md"})
"""With these alone, a branch or a repository has been begun for a site."""
_OWN = "^Made (of [0-9a-f]{40,64}|by devlog)$"
"""What the message of a commit of devlog's says, as git looks for it."""
_UPSTREAM = "origin"


def made_of(commit: str) -> str:
    """The line of a commit's message by which it is known as devlog's.

    Args:
        commit: which has the sources; empty when there is none yet.
    """
    return f"Made of {commit}" if commit else "Made by devlog"


def refuse_others(release: Release, repository: Repository, tip: str, branch: str) -> None:
    """Refuse a branch that devlog has not published onto, or onto which sources were put.

    Args:
        release: what is to be published.
        repository: that of the site.
        tip: the newest commit of the branch; empty when there is none.
        branch: its name.

    Raises:
        DeployError: something else than an earlier site is there.
    """
    if not tip:
        return
    there = refuse_sources(release, repository, tip, branch)
    told = repository.run(
        "log", "-1", "--first-parent", "--format=%H", "--extended-regexp", f"--grep={_OWN}", tip, "--"
    )
    if not (told or b"").strip() and (others := there.keys() - _HARMLESS):
        raise DeployError(
            f"the branch “{branch}” holds files that devlog did not publish: “{min(others)}”",
            "choose another branch, or delete this one if nobody needs what is on it",
            "branch",
        )


def refuse_sources(release: Release, repository: Repository, tip: str, branch: str) -> dict[str, str]:
    """Refuse a branch with sources of the site; returns its files and their blobs. See `refuse_others`."""
    there = _files(repository.line("ls-tree", "-r", "-z", "--full-tree", tip))
    if source := _source(release, repository, there):
        raise DeployError(f"the branch “{branch}” holds the sources of a site: “{source}”", key="branch")
    return there


def refuse_own_branch(release: Release, repository: Repository, remote: str, branch: str) -> None:
    """Refuse a local branch of the writers', where the remote is one to which they push it.

    Args:
        release: what is to be published.
        repository: that of the site.
        remote: the name of a remote, or what else there may be; empty for none.
        branch: the name of the branch.

    Raises:
        DeployError: it is checked out in the site's folder, or has sources of the site.
    """
    upstream = {repository.setting(f"branch.{branch}.{key}") for key in ("remote", "pushremote")}
    if not remote or remote not in {_UPSTREAM, repository.setting("remote.pushdefault"), *upstream}:
        return
    if repository.head() == f"refs/heads/{branch}":
        raise DeployError(f"the branch “{branch}” is checked out", key="branch")
    if tip := repository.commit_of(f"refs/heads/{branch}"):
        refuse_sources(release, repository, tip, branch)


def _source(release: Release, repository: Repository, there: dict[str, str]) -> str:
    """A source of the site among the files of a branch; empty when there is none."""
    prefix, published = repository.prefix, release.files
    for name in _CONFIGURATION:
        if f"{prefix}{name}" in there and name not in published:
            return f"{prefix}{name}"
    content = PurePosixPath(prefix, PurePath(release.inputs[0] if release.inputs else "").as_posix())
    folder = "" if content == PurePosixPath(".") else f"{content}/"
    tracked = (
        _files(repository.own("ls-tree", "-r", "-z", "--full-tree", "HEAD")) if repository.commit_of("HEAD") else {}
    )
    for path, blob in there.items():
        if not path.startswith(folder) or path in published or path in _HARMLESS or tracked.get(path) != blob:
            continue
        # Where posts lie at the top, their images are published in the very places where they stand.
        if folder or path.lower().endswith(_POSTS):
            return path
    return ""


def _files(told: str) -> dict[str, str]:
    """The files of a commit and their blobs."""
    text = os.fsencode(told).decode("utf-8", "replace")
    pairs = (record.partition("\t") for record in text.split("\0") if record)
    return {name: about.split()[2] for about, _, name in pairs}
