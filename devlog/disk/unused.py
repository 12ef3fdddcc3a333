"""Removes the spare folders of outputs into which nobody builds any more, see `devlog.disk.swap`."""

from __future__ import annotations

import os
import stat
from collections import Counter
from contextlib import suppress

import msgspec

from devlog.disk.folder import Folder
from devlog.disk.manifest import MANIFEST, Entry, Manifest

UNUSED_SECONDS = 30 * 24 * 3600
"""How long ago the last build into an output must be."""
_LARGEST = 1 << 28


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
                if is_old and _is_spared(home, entry.name):
                    home.remove_any(entry.name, is_folder=True)


def _is_spared(home: Folder, name: str) -> bool:
    """Whether nothing is lost with a spare folder: all in it is devlog's, or has another link elsewhere."""
    with home.folder(name) as spare:
        try:
            manifest = msgspec.json.decode(spare.read_all(MANIFEST, _LARGEST), type=Manifest)
        except (msgspec.MsgspecError, ValueError):  # UnicodeDecodeError is the latter
            return False
        linked: Counter[tuple[int, int, int]] = Counter()
        is_spared = _is_spared_below(spare, "", manifest, linked)
        return is_spared and all(links > names for (links, _, _), names in linked.items())


def _is_spared_below(folder: Folder, path: str, manifest: Manifest, linked: Counter[tuple[int, int, int]]) -> bool:
    """Whether all in a folder is devlog's, or is put into `linked`: the number of links of a file, and which it is."""
    entries = folder.scan()
    for entry in entries:
        here = f"{path}{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            with folder.folder(entry.name) as inner:
                if not _is_spared_below(inner, f"{here}/", manifest, linked):
                    return False
        elif here != MANIFEST:
            status = folder.stat(entry.name)
            if not _is_as_written(status, manifest.entries.get(here)):
                linked[status.st_nlink, status.st_dev, status.st_ino] += 1
    return bool(entries)  # an empty folder is somebody's: devlog makes none


def _is_as_written(status: os.stat_result, entry: Entry | None) -> bool:
    as_written = entry and (status.st_mtime_ns, status.st_size) == (entry.mtime_ns, entry.length)
    return bool(as_written and stat.S_ISREG(status.st_mode))
