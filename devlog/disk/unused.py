"""Removes spare folders that are no longer needed, see `devlog.disk.swap`, but nothing that others put into them."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress

from devlog.disk.folder import Folder
from devlog.disk.manifest import MANIFEST
from devlog.disk.others import others_in, own_manifest

_Seen = dict[str, "int | _Seen"]
"""What is in a folder: the inode of each file and link by its name, and what is in each folder."""

UNUSED_SECONDS = 30 * 24 * 3600
"""How long ago the last build into an output must be."""


def remove_unused(home: Folder, prefix: str, used: str) -> None:
    """Remove the spare folders that no build has used for long, except those with files of others.

    Args:
        home: devlog's own folder.
        prefix: how the names of these folders begin.
        used: the name of the one that is in use.

    Raises:
        OSError: if the folder cannot be listed.
    """
    now = os.fstat(home.fd).st_mtime  # by the clock of the file system: this build has worked there
    for entry in home.scan():
        if entry.name.startswith(prefix) and entry.name != used and entry.is_dir(follow_symlinks=False):
            with suppress(OSError, RecursionError):
                status = home.stat(entry.name)
                is_old = now - max(status.st_ctime, status.st_mtime) > UNUSED_SECONDS
                if is_old:
                    remove_spare(home, entry.name, _is_spared)


def _is_spared(spare: Folder) -> bool:
    """Whether nothing is lost with a spare folder: all in it is devlog's, or has another link elsewhere."""
    manifest = own_manifest(spare)
    return manifest is not None and not others_in(spare, manifest)


def remove_spare(home: Folder, name: str, may_go: Callable[[Folder], bool]) -> None:
    """Remove a spare folder, if that is allowed. New files that others put into it meanwhile stay there.

    Args:
        home: the folder that contains it.
        name: its name.
        may_go: decides by its content.

    Raises:
        FileNotFoundError: if there is none.
        OSError: if it cannot be read or removed, for example because something has come into it.
        RecursionError: if there are folders of someone else in it, nested a thousand levels deep.
    """
    with home.folder(name) as spare:
        seen = _seen(spare)  # before it is looked at: of what comes later, nobody knows whether it may go
        if not may_go(spare):
            return
        manifest = seen.pop(MANIFEST, None)
        _remove(spare, seen)
        if manifest is not None and [entry.name for entry in spare.scan()] == [MANIFEST]:
            _remove(spare, {MANIFEST: manifest})  # the last of it: what stays here is judged by it later
    home.remove_folder(name)


def _seen(folder: Folder) -> _Seen:
    found: _Seen = {}
    for entry in folder.scan():
        if entry.is_dir(follow_symlinks=False):
            with folder.folder(entry.name) as inner:
                found[entry.name] = _seen(inner)
        else:
            found[entry.name] = entry.inode()
    return found


def _remove(folder: Folder, seen: _Seen) -> None:
    """Remove what was seen in a folder, and is still there."""
    for name, what in seen.items():
        with suppress(OSError):
            if isinstance(what, dict):
                with folder.folder(name) as inner:
                    _remove(inner, what)
                folder.remove_folder(name)
            elif folder.stat(name).st_ino == what:
                folder.remove(name)
