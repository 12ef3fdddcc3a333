"""Resolves the remote of a branch to repositories, and reads their branches."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from devlog.deploy.git import Repository
from devlog.disk.folder import is_there
from devlog.plugin import DeployError

_URL = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)
_SYMBOLIC = "ref: "
_OF_OTHERS = re.compile(r"[^/]*:")
"""The start of ``host:path``, by which git means a repository on another machine."""


class Destination(NamedTuple):
    """The repositories that a push to a remote goes to.

    Attributes:
        urls: at least one, as arguments for git.
        folder: to which relative URLs are resolved: the root of the work tree for those of a remote in git's
            configuration, as git does, and the site's folder for those in the site's configuration.
    """

    urls: tuple[str, ...]
    folder: Path


def destination(repository: Repository, remote: str) -> Destination:
    """The repositories that a push to a remote goes to.

    Args:
        repository: of the site.
        remote: the name of a remote, a URL or a folder.

    Raises:
        DeployError: one of them is the site's own repository, or is inside it.
    """
    pushed = _urls(repository, "--push", remote)
    fetched = _urls(repository, "--all", remote)
    folder = repository.top if pushed or fetched else repository.folder
    for url in (*pushed, *fetched) or (repository.line("ls-remote", "--get-url", "--", remote),):
        if is_own(repository, url, folder):
            raise DeployError(
                "the remote is the repository itself",
                'to publish onto a branch of this repository only, set “remote = ""”',
                "remote",
            )
        if lies_inside(repository, url, folder):
            raise DeployError(
                "the remote lies inside or around the site's own repository, and could have programs run",
                "use a remote elsewhere",
                "remote",
            )
    return Destination((remote,) if pushed == fetched[:1] or not pushed else tuple(pushed), folder)


def _urls(repository: Repository, which: str, remote: str) -> list[str]:
    """The URLs of a configured remote; empty if there is none of this name."""
    answer = repository.run("remote", "get-url", *dict.fromkeys((which, "--all")), "--", remote)
    return os.fsdecode(answer or b"").splitlines()


def tip_at(repository: Repository, url: str, folder: Path, reference: str) -> str:
    """The newest commit of a branch in a remote repository; empty if there is none.

    Raises:
        DeployError: git cannot reach the repository, or the branch is a symbolic name of another one.
    """
    answer = repository.line("ls-remote", "--symref", "--", url, reference, folder=folder)
    found = [line.partition("\t") for line in answer.splitlines()]
    values = [value for value, _, name in found if name == reference]
    if other := next((value for value in values if value.startswith(_SYMBOLIC)), ""):
        names = (name.removeprefix("refs/heads/") for name in (reference, other.removeprefix(_SYMBOLIC)))
        raise DeployError("the branch “{}” of the remote is only another name of “{}”".format(*names), key="branch")
    return values[-1] if values else ""


def is_own(repository: Repository, url: str, folder: Path) -> bool:
    """Whether a URL or folder, resolved relative to `folder`, is the site's own repository, by any of its names."""
    return any(_is_same(found, repository.common) for found in _git_folders(url, folder))


def lies_inside(repository: Repository, url: str, folder: Path) -> bool:
    """Whether a URL or folder, resolved relative to `folder`, is a repository inside or around that of the site.

    The author of the site's repository controls that one too, including hooks that a push would run.
    """
    tops = [repository.top, repository.common, *_around(repository)]
    if repository.common.name == ".git":  # in the main work tree, though the site may be in another one
        tops.append(repository.common.parent)
    present = [found for found in _git_folders(url, folder) if is_there(found, folder=True)]
    return any(_is_below(found, top) for found in present for top in tops)


def _around(repository: Repository) -> Iterator[Path]:
    """The folders of repositories whose work trees contain the site's repository.

    If the site's repository is a submodule, this is the whole work tree; otherwise only git's own folder, because the
    outer repository may be that of a home folder, with everything in it.
    """
    for above in repository.top.parents:
        for found in _shared(above / ".git"):
            if is_there(found, folder=True):
                yield above if _is_below(repository.common, found) else found


def _is_below(found: Path, top: Path) -> bool:
    """Whether a folder is inside another one, by file identity rather than by name."""
    with suppress(OSError, ValueError):
        real, status = Path(os.path.realpath(found)), top.stat()
        return any(os.path.samestat(place.stat(), status) for place in (real, *real.parents))
    return False


def _git_folders(place: str, folder: Path) -> Iterator[Path]:
    """The folders on this machine that git would try as the repository for a URL or path; none for other machines."""
    path = place
    if url := _URL.match(place):
        if url[1].lower() != "file":
            return
        path = "/" + unquote(place[url.end() :]).lstrip("/")
        path = path[1:] if re.match(r"/[A-Za-z]:", path) and os.name == "nt" else path
    elif os.name != "nt" and _OF_OTHERS.match(place):
        return
    for name in (f"{path}/.git", path, f"{path}.git/.git", f"{path}.git"):
        with suppress(RuntimeError):  # there is no such user's home folder
            yield from _shared(folder / Path(name).expanduser())


def _shared(found: Path) -> Iterator[Path]:
    """The git folder at a path, or the one that a ``.git`` file names, and the one it shares with other work trees."""
    with suppress(OSError, ValueError):
        if found.is_file():
            named = found.read_text("utf-8", "surrogateescape").removeprefix("gitdir:").strip()
            found = found.parent / named
        yield found
        common = found / "commondir"
        if common.is_file():
            yield found / common.read_text("utf-8", "surrogateescape").strip()


def _is_same(found: Path, common: Path) -> bool:
    """Whether two git folders are the same, or have the same references."""
    with suppress(OSError, ValueError):
        return found.samefile(common) or (found / "refs").samefile(common / "refs")
    return False
