"""Publish file by file, where two folders cannot change places (`devlog.disk.swap` says where that is).

Every file is whole at any moment, the old one or the new one, but a reader can meet new files beside old ones,
and so can everybody after a kill until the next build. Before anything is moved, the manifest announces what is
about to be written, so that this next build knows every file as its own.
"""

from __future__ import annotations

import msgspec

from devlog.disk.apply import Applier
from devlog.disk.changes import Changes
from devlog.disk.folder import Folder
from devlog.disk.manifest import MANIFEST, Manifest, stage_manifest


def publish_in_place(top: Folder, stage: Folder, changes: Changes, old: Manifest, new: Manifest, by: Applier) -> None:
    """Make the output folder what it must become.

    Args:
        top: the output folder.
        stage: the folder with the staged files, on the same file system.
        changes: what to do.
        old: the manifest that stands in the output folder, or would.
        new: the manifest to come.
        by: works on these two folders.

    Raises:
        OSError: the system refuses. Unless it did so while files were moved or removed, the site is as before.
    """
    by.current = MANIFEST
    if changes.writes:
        announced = {write.path: write.digest for write in changes.writes}
        stage_manifest(stage, msgspec.structs.replace(old, pending={**old.pending, **announced}))
        stage.move(MANIFEST, top, MANIFEST)
    stage_manifest(stage, new)  # now, while a full disk can still be told without harm
    by.remove(changes.first)
    by.remove_folders((*changes.first, *changes.gone))
    by.make_folders(changes.writes)
    by.put(changes.writes)
    by.remove(changes.last)
    by.remove_folders(changes.last)
    by.settle()
