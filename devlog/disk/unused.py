"""Removes the spare folders of outputs into which nobody builds any more, see `devlog.disk.swap`."""

from __future__ import annotations

import os
from contextlib import suppress

from devlog.disk.folder import Folder
from devlog.disk.others import others_in, own_manifest

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
                if is_old and _is_spared(home, entry.name):
                    home.remove_any(entry.name, is_folder=True)


def _is_spared(home: Folder, name: str) -> bool:
    """Whether nothing is lost with a spare folder: all in it is devlog's, or has another link elsewhere."""
    with home.folder(name) as spare:
        manifest = own_manifest(spare)
        return manifest is not None and not others_in(spare, manifest)
