"""Copies a site, so that fixes can be tried out."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from devlog.disk import problems as disk_problems
from devlog.disk.folder import describe, is_there
from devlog.disk.manifest import MANIFEST
from devlog.disk.read import ASSET_LIMIT
from devlog.disk.scratch import scratch_folder
from devlog.model.diagnostic import Diagnostic

_DEEPEST = 100
"""The number of levels of folders that a copy of a site has. Checks read fewer; copying and removing recurse."""
_OF_TOOLS = frozenset({".git", ".devlog", "node_modules", ".venv"})
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""Errors after which no copy is made. All others are about one file."""
_OUTLINE = 4096
_LARGE = 16 << 20
"""The size in bytes from which files are not copied. A link changes the time at which git last saw the file change, so
that some of its commands take it for changed: posts and images are copied.
"""


class NoCopyError(Exception):
    """There is no place for a copy of the site.

    Attributes:
        error: the error of the system.
    """

    def __init__(self, error: OSError) -> None:
        super().__init__(describe(error))
        self.error = error


@contextmanager
def site_copy(root: Path) -> Iterator[tuple[Path, list[Diagnostic]]]:
    """A copy of a site, and what cannot be read of it. Large files are hard links if possible, and fixes replace files.

    Raises:
        NoCopyError: there is no place for it.
    """
    with ExitStack() as stack:
        unread: list[Diagnostic] = []
        try:
            target = stack.enter_context(scratch_folder("fix", root)) / "site"
            target.mkdir()
            stack.callback(_make_removable, target)
            _copy_folder(root, "", target, unread)
        except OSError as error:
            raise NoCopyError(error) from error
        yield target, unread


def _copy_folder(root: Path, path: str, target: Path, unread: list[Diagnostic], depth: int = 1) -> None:
    """Copy a folder of a site, without what checks do not read: folders of tools in the site's own folder, output
    folders anywhere, and everything that is nested too deeply.

    Args:
        root: the site's folder.
        path: the folder to copy, relative to it.
        target: the copy, an empty folder.
        unread: what cannot be read or copied is added.
        depth: how many levels below the site's folder its entries are.

    Raises:
        OSError: there is no room for the copy.
    """
    source = root / path
    try:
        entries = [*os.scandir(source)]
    except OSError as error:
        unread.append(disk_problems.unreadable(path, describe(error)))
        return
    for entry in entries if depth <= _DEEPEST else ():
        inner = f"{path}/{entry.name}".lstrip("/")
        try:
            if entry.is_symlink():
                _copy_link(Path(entry), target / entry.name)
            elif not entry.is_dir(follow_symlinks=False):
                _link_or_copy(Path(entry), target / entry.name)
            elif not (entry.name in _OF_TOOLS and not path) and not _is_output(Path(entry)):
                (target / entry.name).mkdir()
                _copy_folder(root, inner, target / entry.name, unread, depth + 1)
        except FileNotFoundError:
            pass  # removed meanwhile, as editors do with their temporary files
        except OSError as error:
            if error.errno in NO_ROOM:
                raise
            unread.append(disk_problems.unreadable(inner, describe(error)))
    with suppress(OSError):  # not all file systems have modes
        shutil.copymode(source, target)


def _make_removable(folder: Path) -> None:
    """Let folders be emptied. Otherwise the cleanup of `tempfile` would change the permissions of the hard links in
    read-only ones, and so those of the site's files.
    """
    folder.chmod(0o700)
    for inner in folder.iterdir():
        if inner.is_dir() and not inner.is_symlink():
            _make_removable(inner)


def _is_output(folder: Path) -> bool:
    try:
        return (folder / MANIFEST).exists()
    except OSError:  # the folder is not readable
        return False


def _copy_link(source: Path, target: Path) -> None:
    """Give the copy of a site a symbolic link. Raises OSError."""
    # Some systems have links of another kind for folders, and the folder may not be copied yet.
    target.symlink_to(source.readlink(), target_is_directory=is_there(source, folder=True))


def _link_or_copy(source: Path, target: Path) -> None:
    """Give the copy of a site a file: a large one as a link, if that is possible. Raises OSError."""
    if source.stat(follow_symlinks=False).st_size >= _LARGE:
        with suppress(OSError):  # another file system, or one without hard links
            target.hardlink_to(source)
            return
    _copy_file(source, target)


def _copy_file(source: Path, target: Path) -> None:
    """Copy a file, but nothing like a pipe, which checks do not read. Raises OSError."""
    status = source.stat(follow_symlinks=False)
    if not stat.S_ISREG(status.st_mode):
        return
    try:
        if status.st_size > ASSET_LIMIT:
            _copy_outline(source, target)
        else:
            shutil.copy(source, target, follow_symlinks=False)
    except OSError:
        target.unlink(missing_ok=True)  # a part would be checked like the whole
        raise


def _copy_outline(source: Path, target: Path) -> None:
    """Copy the beginning of a file and its length, which is all that checks read of it. Raises OSError."""
    with source.open("rb") as old, target.open("wb") as new:
        new.write(old.read(_OUTLINE))
        new.truncate(source.stat().st_size)
