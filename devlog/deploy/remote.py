"""Resolves the remote of a branch to repositories, and reads their branches."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from urllib.parse import unquote_to_bytes

from devlog.deploy.git import Repository, read_limited
from devlog.deploy.passwords import shown
from devlog.disk.folder import is_there
from devlog.model.secrets import shortened
from devlog.plugin import DeployError

_URL = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)
_ADVERTISED = re.compile(r"(?P<value>[0-9a-f]{40}|[0-9a-f]{64}|ref: refs/[^\t\n]+)\t(?P<name>[^\n]+)")
"""A line of ``git ls-remote --symref``: the commit, or the name, to which a name refers."""
_SYMBOLIC = "ref: "
_OF_OTHERS = re.compile(r"[^/]*:")
"""The start of ``host:path``, by which git means a repository on another machine."""
_LARGEST = 1 << 20
"""The maximum size of a file with the path of a folder in bytes, the same as git's."""
_SHOWN = 200
"""The maximum number of characters of a response that a message quotes."""
_UNUSABLE = re.compile(r"[\0\n]")
"""Characters in the path of a remote that no path, or no setting of git's, can have."""


def destination(repository: Repository, remote: str) -> tuple[str, ...]:
    """The places that a push to a remote goes to, at least one: absolute folders, or URLs on other machines.

    Each is looked up once: git gets the place that was checked here.

    Args:
        repository: of the site.
        remote: the name of a remote, a URL or a folder.

    Raises:
        DeployError: one of them is the site's own repository, or is inside it, or there is none.
    """
    pushed = repository.addresses(remote, "--push")
    if pushed:
        _places(repository, repository.addresses(remote), repository.top)
        return _places(repository, pushed, repository.top)
    return _places(repository, repository.addresses_of(remote), repository.folder)


def places_of(repository: Repository, remotes: Iterable[str]) -> set[str]:
    """The places of remotes, for fetching and for pushing, as `may_be_same` takes them."""
    found = set()
    for remote in remotes:
        for url in (*repository.addresses(remote), *repository.addresses(remote, "--push")) or (remote,):
            with suppress(DeployError):  # there is no repository
                path = _path_of(url)
                found.add(url if path is None else str(_git_folder(repository, path, repository.top)))
    return found


def _places(repository: Repository, urls: Iterable[str], folder: Path) -> tuple[str, ...]:
    """The places of repositories: absolute folders, or URLs on other machines.

    Args:
        repository: of the site.
        urls: their URLs.
        folder: to which relative URLs are resolved: the root of the work tree for those of a remote in git's
            configuration, as git does, and the site's folder for those in the site's configuration.

    Raises:
        DeployError: one of them is the site's own repository, or is inside it, or there is none.
    """
    return tuple(_place(repository, url, folder) for url in urls)


def _place(repository: Repository, url: str, folder: Path) -> str:
    path = _path_of(url)
    if path is None:
        return url
    found = _git_folder(repository, path, folder)
    if is_own(repository, found):
        raise DeployError(
            "the remote is the repository itself",
            'to publish onto a branch of this repository only, set “remote = ""”',
            "remote",
        )
    if lies_inside(repository, found):
        raise DeployError(
            "the remote lies inside or around the site's own repository, and could have programs run",
            "use a remote elsewhere",
            "remote",
        )
    return str(found)


def tip_at(repository: Repository, remote: str, reference: str) -> str:
    """The newest commit of a branch in a remote repository; empty if there is none.

    Raises:
        DeployError: git cannot reach the repository, the branch is a symbolic name of another one or cannot exist
            beside another one, or the response is not one that git would understand.
    """
    answer = repository.talk("ls-remote", "--symref", "--", remote, reference, *above(reference), f"{reference}/*")
    # Not `splitlines`: git finds other branches too, by their ends, and their names may have line breaks of Unicode.
    found = [(line, _ADVERTISED.fullmatch(line)) for line in answer.split("\n") if line]
    if odd := next((line for line, match in found if not match), ""):
        raise DeployError(f"the remote lists its branches in a way that git does not: “{shortened(odd, _SHOWN)}”")
    values = [match["value"] for _, match in found if match and match["name"] == reference]
    refuse_symbolic(reference, next((value for value in values if value.startswith(_SYMBOLIC)), ""))
    if len(set(values)) > 1:
        raise DeployError(f"the remote has two branches “{reference.removeprefix('refs/heads/')}”", key="branch")
    if values:
        return values[0]
    refuse_clash(reference, (match["name"] for _, match in found if match), "the remote")
    return ""


def refuse_symbolic(reference: str, other: str) -> None:
    """Refuse a branch of a remote that is a symbolic name of another one.

    Args:
        reference: the branch.
        other: the reference that it denotes, perhaps after a ``ref:``; empty if it is a branch of its own.

    Raises:
        DeployError: it is not.
    """
    if other:
        names = (name.removeprefix("refs/heads/") for name in (reference, other.removeprefix(_SYMBOLIC)))
        raise DeployError(
            "the branch “{}” of the remote is only another name of “{}”".format(*names),
            "choose another branch, or delete this name there if nobody needs it",
            "branch",
        )


def above(reference: str) -> list[str]:
    """The references that are named like the folders of a branch: those of ``x`` and ``x/y`` for ``x/y/z``."""
    return [str(folder) for folder in PurePosixPath(reference).parents[:-3]]


def refuse_clash(reference: str, others: Iterable[str], where: str) -> None:
    """Refuse to make a branch beside one that is named like a folder of it, or the other way around, as git does.

    Args:
        reference: the branch, which does not exist yet.
        others: the references that exist, or some of them.
        where: they do.

    Raises:
        DeployError: one of them is in the way.
    """
    folders = above(reference)
    if clashing := sorted(other for other in others if other in folders or other.startswith(f"{reference}/")):
        one, other = (name.removeprefix("refs/heads/") for name in (reference, clashing[0]))
        raise DeployError(
            f"{where} has a branch “{other}”, and git makes no branch “{one}” beside it",
            "choose another name, or delete the other branch if nobody needs it",
            "branch",
        )


def is_own(repository: Repository, found: Path) -> bool:
    """Whether a git folder is that of the site's own repository, by any of its names."""
    return any(_is_same(place, repository.common) for place in _shared(found))


def lies_inside(repository: Repository, found: Path) -> bool:
    """Whether a git folder is inside or around the site's repository.

    The author of the site's repository controls that one too, including hooks that a push would run.
    """
    tops = [repository.folder, repository.top, repository.common, *_around(repository)]
    if repository.common.name == ".git":  # in the main work tree, though the site may be in another one
        tops.append(repository.common.parent)
    return any(_is_below(place, top) for place in _shared(found) for top in tops)


def _around(repository: Repository) -> Iterator[Path]:
    """The folders of repositories whose work trees contain the site or the work tree of its repository.

    For the site's own repository, and if it is a submodule, this is the whole work tree; otherwise only git's own
    folder, because the outer repository may be that of a home folder, with everything in it. A work tree is the folder
    with the ``.git``: the configuration, which may name another one as `Repository.top`, is of the repository's author.
    """
    site = Path(os.path.realpath(repository.folder))
    for above in dict.fromkeys((site, *site.parents, *repository.top.parents)):
        for found in _shared(above / ".git"):
            if is_there(found, folder=True):
                yield above if _is_below(repository.common, found) else found


def _is_below(found: Path, top: Path) -> bool:
    """Whether a folder is inside another one, by file identity rather than by name."""
    with suppress(OSError, ValueError):
        real, status = Path(os.path.realpath(found)), top.stat()
        return any(os.path.samestat(place.stat(), status) for place in (real, *real.parents))
    return False


def _path_of(place: str) -> str | None:
    """The path that a URL or path means on this machine; `None` if it is on another one."""
    if url := _URL.match(place):
        if url[1].lower() != "file":
            return None
        path = os.fsdecode(unquote_to_bytes(os.fsencode(place[url.end() :])))
        if os.name == "nt":
            path = path.lstrip("/")
            return path if re.match(r"[A-Za-z]:", path) else f"/{path}"
        return f"/{path.partition('/')[2]}"  # git ignores the host
    return None if os.name != "nt" and _OF_OTHERS.match(place) else place


def _git_folder(repository: Repository, path: str, folder: Path) -> Path:
    """The git folder that git takes for a path, without links; the path itself if nothing is there.

    Git itself says what a git folder is: it accepts more than meets the eye, such as a ``HEAD`` that is a broken link.

    Args:
        repository: of the site.
        path: of a repository, perhaps without its last suffix.
        folder: to which it is relative.

    Raises:
        DeployError: something else is there, in which git could find a repository that was not checked.
    """
    place = Path(path)
    with suppress(RuntimeError):  # there is no such user's home folder
        place = place.expanduser()
    if not _UNUSABLE.search(path):
        real = os.path.realpath(folder / place)
        names = (f"{real}/.git", real, f"{real}.git/.git", f"{real}.git")
        for name in names:
            if found := repository.git_folder_at(name):
                return Path(os.path.realpath(found))
        if not any(map(os.path.lexists, names)):  # git will say so, after other places of the remote got the site
            return Path(real)
    text = os.fsencode(path).decode("utf-8", "replace")
    raise DeployError(f"there is no git repository at the remote's path “{shown(text)}”", key="remote")


def _shared(found: Path) -> Iterator[Path]:
    """The git folder at a path, or the one that a ``.git`` file names, and the one it shares with other work trees.

    Raises:
        DeployError: a file with one of these paths is too large.
    """
    with suppress(OSError, ValueError):
        if found.is_file():
            found = found.parent / _named_in(found).removeprefix("gitdir:").lstrip(" ")
        yield found
        common = found / "commondir"
        if common.is_file():
            yield found / _named_in(common)


def _named_in(file: Path) -> str:
    """The path in one of git's files, as git reads it: up to a NUL, and without line breaks at its end.

    Raises:
        DeployError: the file is too large.
        OSError: it cannot be read.
    """
    return os.fsdecode(read_limited(file, _LARGEST, follow=True).partition(b"\0")[0]).rstrip("\r\n")


def _is_same(found: Path, common: Path) -> bool:
    """Whether two git folders are the same, or have the same references."""
    with suppress(OSError, ValueError):
        return found.samefile(common) or (found / "refs").samefile(common / "refs")
    return False
