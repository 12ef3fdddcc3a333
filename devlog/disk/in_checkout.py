"""Tells which files the git checkout around a site does not have.

Posts name these files. So only names inside the checkout are looked up, and no symbolic link is followed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import NamedTuple
from unicodedata import normalize

from devlog.disk.folder import is_link
from devlog.disk.git import ask
from devlog.disk.site_folder import checkout_around


def absent_files(root: Path, files: Iterable[str]) -> frozenset[str]:
    """The files and folders that the checkout around a site does not have; none if there is no checkout.

    Args:
        root: the site's folder.
        files: normalized paths, relative to the top of the checkout.
    """
    top = checkout_around(root)
    if top is None:
        return frozenset()
    absent = {file for file in files if _is_absent(top, file)}
    if not absent:
        return frozenset()
    in_git = not_checked_out(top)
    if in_git is None:
        return frozenset()
    return frozenset(file for file in absent if not in_git.has(file))


def _is_absent(top: Path, file: str) -> bool:
    """Whether a folder has no file or folder at a path; a symbolic link in the path may lead to one."""
    path = top
    for name in file.split("/"):
        if PurePath(name).name != name:  # “..”, or what Windows takes for a path
            return False
        path /= name
        try:
            status = path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return True
        except (OSError, ValueError):  # no permission, or a name that no file can have
            return False
        if is_link(status):
            return False
    return False


class NotCheckedOut(NamedTuple):
    """What git has, but need not be on the disk. All paths are relative to the top of the checkout.

    Attributes:
        sparse: the files outside a sparse checkout, and their folders.
        submodules: the folders of other repositories, which may be empty.
    """

    sparse: frozenset[str]
    submodules: frozenset[str]

    def has(self, file: str) -> bool:
        """Whether a file that is not on the disk may be one of these."""
        return file in self.sparse or any(part in self.submodules for part in (file, *_above(file)))


def not_checked_out(top: Path) -> NotCheckedOut | None:
    """What git has, but need not be on the disk; `None` if git does not answer.

    Args:
        top: the top of the checkout.
    """
    answer = ask(top, ["ls-files", "-t", "--stage", "-z"])
    if answer is None:
        return None
    sparse: set[str] = set()
    submodules: set[str] = set()
    for record in normalize("NFC", os.fsdecode(answer)).split("\0"):
        state, _, file = record.partition("\t")
        if " 160000 " in state:
            submodules.add(file)
        elif state.startswith("S "):
            sparse.update((file, *_above(file)))
    return NotCheckedOut(frozenset(sparse), frozenset(submodules))


def _above(file: str) -> list[str]:
    """The folders in which a file is."""
    return [parent.as_posix() for parent in PurePath(file).parents][:-1]
