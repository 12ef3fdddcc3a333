"""Refuses branches that contain anything but an earlier version of the site, since publishing replaces everything."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import PurePath, PurePosixPath
from typing import NamedTuple

from devlog.deploy.git import Repository
from devlog.deploy.remote import places_of
from devlog.deploy.same_place import may_be_same
from devlog.plugin import DeployError, Release

_CONFIGURATION = ("devlog.toml", "pyproject.toml")
_POSTS = (".md", ".markdown")
_HARMLESS = frozenset({".nojekyll", ".gitignore", ".gitattributes", ".gitkeep", "CNAME", "README.md"})
"""A branch with only these files counts as new."""
_OWN = "^Made (of [0-9a-f]{40,64}(:.*)?|by devlog)$"
"""The pattern, for git, of a line in the messages of devlog's commits."""
_NO_TEXT = re.compile(r"\\u(dc[89a-f][0-9a-f])")
"""A byte of a name that is not text, as messages of commits have it."""
_UPSTREAM = "origin"
_MOST_EARLIER = 1_000
"""How many of devlog's commits on a branch are looked at, the newest first."""
_READ = (
    ("rev-list", "--quiet", "--first-parent", f"--max-count={_MOST_EARLIER}"),
    ("rev-list", "--quiet", "--objects", "--no-walk", "--filter=blob:none"),
)
"""Commands of git that fail if a branch lacks a commit or a folder that devlog reads. It reads no file of a branch."""


class Made(NamedTuple):
    """The origin of a commit of devlog, which is recorded in its message.

    Attributes:
        commit: the commit with the sources; empty if there was none yet.
        folder: the site's folder in the repository, with a trailing ``/``; empty for the root.
        url: the URL of the published site; empty if it is unknown.
    """

    commit: str
    folder: str
    url: str

    def __str__(self) -> str:
        """The lines of the commit's message."""
        below = f":{self.folder}" if self.folder else ""
        first = f"Made of {self.commit}{below}" if self.commit else "Made by devlog"
        return f"{first}\nPublished at {self.url}" if self.url else first

    @classmethod
    def read(cls, message: str) -> Made:
        """Parse a message that contains the lines of `str`."""
        # A line with a longer path is not devlog's: no system has such folders.
        made = re.search(r"^Made of ([0-9a-f]{40,64})(?::(.{0,4096}))?$", message, re.MULTILINE)
        url = re.search(r"^Published at (\S+)$", message, re.MULTILINE)
        return cls(made[1] if made else "", (made[2] or "") if made else "", url[1] if url else "")


def has_earlier(repository: Repository, tip: str) -> bool:
    """Whether the repository has all of a branch that `refuse_others` and the next commit need.

    The newest commit may be there without others: nothing refers to what earlier deployments have added to the site's
    repository, so that git may remove any of it.

    Args:
        repository: of the site.
        tip: the newest commit of the branch.
    """
    return all(repository.run(*command, tip, "--") is not None for command in _READ)


def refuse_others(release: Release, repository: Repository, tip: str, branch: str, made: Made) -> None:
    """Refuse a branch that contains files that devlog did not publish, sources, or another site.

    Args:
        release: the site to publish.
        repository: of the site.
        tip: the newest commit of the branch; empty if there is none.
        branch: its name.
        made: the origin of the next commit.

    Raises:
        DeployError: the branch contains anything but an earlier version of this site.
    """
    if not tip:
        return
    files = refuse_sources(release, repository, tip, branch)
    command = ("log", f"-{_MOST_EARLIER}", "--first-parent", "-z", "--format=%B", "--extended-regexp", f"--grep={_OWN}")
    messages = repository.ask(*command, tip, "--").decode("utf-8", "replace").split("\0")
    earlier = [Made.read(message) for message in messages if message.strip()]
    if not earlier and (others := files.keys() - _HARMLESS):
        raise DeployError(
            f"the branch “{branch}” contains files that devlog did not publish: “{min(others)}”",
            "choose another branch, or delete this one if nobody needs what is on it",
            "branch",
        )
    if earlier and (other := _another_site(repository, earlier, made)):
        raise DeployError(
            f"the branch “{branch}” contains another site, {other}",
            "choose another branch, or delete this one if nobody needs what is on it",
            "branch",
        )


def _another_site(repository: Repository, earlier: Sequence[Made], made: Made) -> str:
    """A description of the site on a branch, if it is certainly not the one to publish; else empty.

    Args:
        repository: of the site to publish.
        earlier: the origins of devlog's commits on the branch, the newest first. The sources of some may be gone, as of
            a branch that was merged as one commit.
        made: the origin of the next commit.
    """
    found = earlier[0]
    if found.url and found.url == made.url:
        return ""
    if found.commit and made.commit and found.folder != made.folder:
        folder = _NO_TEXT.sub(lambda byte: chr(int(byte[1], 16)), found.folder)
        main, other = (repository.text_of(made.commit, f"{folder}{name}") for name in _CONFIGURATION)
        if main or "[tool.devlog" in other:  # else the site was moved from there
            return f"that of “{found.folder or '.'}”"
    asked = "".join(f"{one.commit}\n" for one in earlier if one.commit)
    known = repository.ask("cat-file", "--batch-check=%(objecttype)", data=asked.encode())
    if b"commit" in known.splitlines():
        return ""
    if found.url and (made.url or not found.commit):
        return f"“{found.url}”"
    # A shallow clone may lack any commit.
    return "that of another repository" if found.commit and not repository.is_shallow else ""


def refuse_unknown(made: Made) -> None:
    """Refuse a site that nothing tells apart from others: any of them would later replace it without notice.

    Args:
        made: the origin of the next commit.

    Raises:
        DeployError: it names neither a commit nor a URL.
    """
    if not (made.commit or made.url):
        raise DeployError(
            "nothing tells this site apart from others: it has no “base_url”, and its repository has no commit",
            "commit the sources of the site, or set “base_url”",
        )


def refuse_sources(release: Release, repository: Repository, tip: str, branch: str) -> dict[str, str]:
    """Refuse a branch with sources of the site; returns the blobs of its files by path. See `refuse_others`."""
    files = _files(repository.line("ls-tree", "-r", "-z", "--full-tree", tip))
    if source := _source(release, repository, files):
        raise DeployError(f"the branch “{branch}” contains the sources of a site: “{source}”", key="branch")
    return files


def refuse_own_branch(release: Release, repository: Repository, places: Sequence[str], branch: str) -> None:
    """Refuse a branch on which writers work locally, if they push it to one of the places.

    Args:
        release: the site to publish.
        repository: of the site.
        places: where the site is published, see `devlog.deploy.remote.destination`; none for a local branch.
        branch: the name of the branch.

    Raises:
        DeployError: the local branch is checked out in the site's folder, or has sources of the site.
    """
    if not places:
        return
    known = places_of(repository, _pushed_to(repository, branch))
    if not any(may_be_same(place, other) for place in places for other in known):
        return
    if repository.head() == f"refs/heads/{branch}":
        raise DeployError(f"the branch “{branch}” is checked out", key="branch")
    if tip := repository.commit_of(f"refs/heads/{branch}"):
        refuse_sources(release, repository, tip, branch)


def _pushed_to(repository: Repository, branch: str) -> set[str]:
    """The remotes to which writers push a branch: those that git takes if a command names none.

    Git takes the only remote, whatever its name. If there are several, but none that git would take, writers name any.
    """
    keys = ("remote.pushdefault", f"branch.{branch}.remote", f"branch.{branch}.pushremote")
    named = {repository.setting(key) for key in keys} - {"", "."}
    remotes = repository.remotes()
    if len(remotes) == 1 or not (named or _UPSTREAM in remotes):
        return {*named, *remotes}
    return {*named, _UPSTREAM}


def _source(release: Release, repository: Repository, files: dict[str, str]) -> str:
    """The path of a source of the site among the files of a branch; empty if there is none."""
    prefix, published = repository.prefix, release.files
    for name in _CONFIGURATION:
        if f"{prefix}{name}" in files and name not in published:
            return f"{prefix}{name}"
    content = PurePosixPath(prefix, PurePath(release.inputs[0] if release.inputs else "").as_posix())
    folder = "" if content == PurePosixPath(".") else f"{content}/"
    candidates = {
        path: blob
        for path, blob in files.items()
        if path.startswith(folder)
        and path not in published
        and path not in _HARMLESS
        # If posts are in the root of the repository, their images are published at the same paths.
        and (folder or path.lower().endswith(_POSTS))
    }
    head = repository.commit_of("HEAD")
    tracked = _files(repository.contents_of(head, candidates)) if head else {}
    return next((path for path, blob in candidates.items() if tracked.get(path) == blob), "")


def _files(contents: str) -> dict[str, str]:
    """The blobs of a commit's files, by path, from the output of ``git ls-tree``."""
    text = os.fsencode(contents).decode("utf-8", "replace")
    pairs = (record.partition("\t") for record in text.split("\0") if record)
    return {name: about.split()[2] for about, _, name in pairs}
