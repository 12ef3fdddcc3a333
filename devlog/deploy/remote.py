"""Where a branch is pushed to: which repositories these are, and what they have."""

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
_OF_OTHERS = re.compile(r"[^/]*:")
"""The beginning of ``host:path``, by which git means another machine."""


class Destination(NamedTuple):
    """What a push to a remote goes to.

    Attributes:
        urls: at least one, in words for git.
        folder: from which relative ones count: git takes those of a remote's configuration from the top of the work
            tree, wherever in it the site lies, and devlog those of a site's configuration from the site.
    """

    urls: tuple[str, ...]
    folder: Path


def destination(repository: Repository, remote: str) -> Destination:
    """What a push to a remote goes to.

    Args:
        repository: that of the site.
        remote: a name, a URL or a folder.

    Raises:
        DeployError: one of them is the site's own repository, or lies in it.
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
    """The URLs of a remote that is configured; empty when there is none of this name."""
    answer = repository.run("remote", "get-url", *dict.fromkeys((which, "--all")), "--", remote)
    return os.fsdecode(answer or b"").splitlines()


def tip_at(repository: Repository, url: str, folder: Path, reference: str) -> str:
    """The commit that a branch has in a remote repository; empty when there is none. Raises DeployError."""
    answer = repository.line("ls-remote", "--", url, reference, folder=folder)
    found = (line.partition("\t") for line in answer.splitlines())
    return next((commit for commit, _, name in found if name == reference), "")


def is_own(repository: Repository, url: str, folder: Path) -> bool:
    """Whether a URL or a folder, perhaps relative to another one, is the site's own repository, under whatever name."""
    return any(_is_same(found, repository.common) for found in _git_folders(url, folder))


def lies_inside(repository: Repository, url: str, folder: Path) -> bool:
    """Whether a URL or a folder, perhaps relative to another one, is a repository in or around that of the site.

    Whoever has sent the site's repository has made that one, too, with hooks that a push would run.
    """
    tops = [repository.top, repository.common, *_around(repository)]
    if repository.common.name == ".git":  # of the main work tree, where the site lies in another one
        tops.append(repository.common.parent)
    there = [found for found in _git_folders(url, folder) if is_there(found, folder=True)]
    return any(_is_below(found, top) for found in there for top in tops)


def _around(repository: Repository) -> Iterator[Path]:
    """What belongs to the repositories in whose work trees that of the site lies.

    Of one that has the site's as a submodule, that is the work tree; of another one, which may be that of a home
    folder with all that is in it, only the folder of git's.
    """
    for above in repository.top.parents:
        for found in _shared(above / ".git"):
            if is_there(found, folder=True):
                yield above if _is_below(repository.common, found) else found


def _is_below(found: Path, top: Path) -> bool:
    """Whether a folder lies in another one, by whatever names."""
    with suppress(OSError, ValueError):
        real, status = Path(os.path.realpath(found)), top.stat()
        return any(os.path.samestat(place.stat(), status) for place in (real, *real.parents))
    return False


def _git_folders(place: str, folder: Path) -> Iterator[Path]:
    """What git would take for the repository at a place on this machine, by all names that it tries."""
    path = place
    if url := _URL.match(place):
        if url[1].lower() != "file":
            return
        path = "/" + unquote(place[url.end() :]).lstrip("/")
        path = path[1:] if re.match(r"/[A-Za-z]:", path) and os.name == "nt" else path
    elif os.name != "nt" and _OF_OTHERS.match(place):
        return
    for name in (f"{path}/.git", path, f"{path}.git/.git", f"{path}.git"):
        with suppress(RuntimeError):  # nobody has this home folder
            yield from _shared(folder / Path(name).expanduser())


def _shared(found: Path) -> Iterator[Path]:
    """A folder of git's, or the one that a file names, and the one that it shares with others."""
    with suppress(OSError, ValueError):
        if found.is_file():
            named = found.read_text("utf-8", "surrogateescape").removeprefix("gitdir:").strip()
            found = found.parent / named
        yield found
        common = found / "commondir"
        if common.is_file():
            yield found / common.read_text("utf-8", "surrogateescape").strip()


def _is_same(found: Path, common: Path) -> bool:
    """Whether two folders of git's have the same branches."""
    with suppress(OSError, ValueError):
        return found.samefile(common) or (found / "refs").samefile(common / "refs")
    return False
