"""Foresees that a remote on this machine would refuse a push, from its permissions and settings.

Its hooks can refuse any push, too, and nothing but a push runs them.
"""

from __future__ import annotations

import os
from pathlib import Path

from devlog.deploy.git import Repository
from devlog.deploy.remote import refuse_symbolic
from devlog.disk.folder import is_there
from devlog.plugin import DeployError

_REFUSING = frozenset({"refuse", "true", "yes", "on", "1"})
"""The values of ``receive.denyCurrentBranch`` with which git moves no branch that is checked out."""


def refuse_unborn(repository: Repository, place: str, reference: str) -> None:
    """Refuse a branch that is a symbolic name of one that does not exist yet, which git would make instead.

    Git lists no such names. Those of branches that exist, `devlog.deploy.remote.tip_at` refuses.

    Args:
        repository: of the site.
        place: the remote: an absolute folder, or a URL on another machine, of which nothing is known.
        reference: the branch.

    Raises:
        DeployError: it is one.
    """
    if Path(place).is_absolute():
        refuse_symbolic(reference, repository.answer_of(place, "symbolic-ref", "--quiet", reference))


def refuse_checked_out(repository: Repository, place: str, reference: str) -> None:
    """Refuse a remote that would not move a branch because it is checked out there; see `refuse_unborn`."""
    # Without the first setting, git decides otherwise whether there is a work tree.
    if not Path(place).is_absolute() or not repository.answer_of(place, "config", "--get", "core.bare"):
        return
    denied = repository.answer_of(place, "config", "--default=refuse", "--get", "receive.denyCurrentBranch")
    if denied.lower() not in _REFUSING:
        return
    if f"branch {reference}" in repository.answer_of(place, "worktree", "list", "--porcelain").split("\n"):
        raise DeployError(
            f"the branch “{reference.removeprefix('refs/heads/')}” is checked out in the remote, which thus refuses it",
            "check out another branch there, or use a bare repository",
            "remote",
        )


def refuse_read_only(top: Path, reference: str) -> None:
    """Refuse a repository in which git could not add objects or move a branch, if it is on this machine.

    Args:
        top: its folder.
        reference: the branch.

    Raises:
        DeployError: one of the folders may not be written.
    """
    if not top.is_absolute():
        return
    folders = [top / "objects"]
    if is_there(top / "refs" / "heads", folder=True):  # otherwise, references are not stored as files
        folders += [place for place in (top / reference).parents if is_there(place, folder=True)][:1]
    for folder in folders:
        if is_there(folder, folder=True) and not os.access(folder, os.W_OK | os.X_OK):
            raise DeployError(f"the folder “{folder}” is read-only", "see its permissions, and those of its disk")
