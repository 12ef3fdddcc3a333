"""Adds the objects of one git repository to those of another, and writes nothing through a symbolic link.

Git itself opens some files in the folder of objects by names that a remote can know, and follows links there.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import zlib
from pathlib import Path

from devlog.disk.folder import Folder, write_all

_FOLDER = re.compile(r"[0-9a-f]{2}|pack")
_FILE = re.compile(r"[0-9a-f]{38}|[0-9a-f]{62}|pack-[0-9a-f]{40,64}\.(?:idx|pack|rev)")
_COMMIT = b"commit "
"""How the content of such an object begins, once it is decompressed."""
_NEW = "tmp_obj_devlog"
"""The name of a file while it is written, by which ``git gc`` knows it if it is left over."""


def add_objects(source: Path, repository: Path) -> None:
    """Add the objects of a repository to those of another one.

    Commits come last, so that what they consist of is there whenever they are, also if something fails.

    Args:
        source: the folder of the objects.
        repository: the other repository's folder, which need not be trusted.

    Raises:
        OSError: something cannot be read or written, or a folder in the other repository is a symbolic link.
    """
    with Folder.open(source) as all_new, Folder.open(repository) as top, top.folder("objects") as objects:
        folders = sorted(entry.name for entry in all_new.scan() if _FOLDER.fullmatch(entry.name))
        for with_commits in (False, True):
            for name in folders:
                with all_new.folder(name) as new:
                    files = [entry.name for entry in new.scan() if _FILE.fullmatch(entry.name)]
                    wanted = [file for file in files if _may_be_commit(new, file) == with_commits]
                    if wanted:
                        _add(new, sorted(wanted, key=_is_index), objects, name)


def _may_be_commit(new: Folder, file: str) -> bool:
    """Whether a file is a commit, or part of a pack. Others are trees, or contents of files."""
    if file.startswith("pack-"):
        return True
    start = next(new.read(file), b"")[:64]
    return zlib.decompressobj().decompress(start, len(_COMMIT)) == _COMMIT


def _is_index(file: str) -> bool:
    """Whether a file is the index of a pack, which tells git that all other files of the pack are there."""
    return file.endswith(".idx")


def _add(new: Folder, files: list[str], objects: Folder, name: str) -> None:
    """Add files to a folder of objects, which is made if it is missing."""
    known = {entry.name for entry in objects.scan()}
    with objects.folder(name, create=True) as target:
        if name not in known and sys.platform != "win32":
            os.fchmod(target.fd, stat.S_IMODE(os.fstat(new.fd).st_mode))  # as the repository's settings say
        present = {entry.name for entry in target.scan()}
        if _NEW in present:  # of a process that was killed
            target.remove(_NEW)
        for file in files:
            if file not in present:
                _copy(new, file, target)


def _copy(new: Folder, file: str, target: Folder) -> None:
    written = target.create_file(_NEW)
    try:
        for piece in new.read(file):
            write_all(written, piece)
        if sys.platform != "win32":
            os.fchmod(written, stat.S_IMODE(new.stat(file).st_mode))
    finally:
        os.close(written)
    target.move(_NEW, target, file)
