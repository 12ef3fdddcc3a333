"""Publishes file by file, if two folders cannot be exchanged (`devlog.disk.swap` says when).

At any moment, each file is complete, either the old one or the new one, but readers can see new files together with
old ones. After a kill, this lasts until the next build. Before any file is moved, the manifest lists the files that
will be written, so that the next build recognizes all of them as devlog's.
"""

from __future__ import annotations

import msgspec

from devlog.disk.apply import Applier
from devlog.disk.changes import Changes
from devlog.disk.folder import Folder
from devlog.disk.manifest import MANIFEST, Manifest, stage_manifest


def publish_in_place(top: Folder, stage: Folder, changes: Changes, old: Manifest, new: Manifest, by: Applier) -> None:
    """Apply the changes to the output folder.

    Args:
        top: the output folder.
        stage: the folder with the staged files, on the same file system.
        changes: the changes.
        old: the current manifest of the output folder; an empty one if there is none.
        new: the new manifest.
        by: the applier for these two folders.

    Raises:
        OSError: if the system reports an error. Unless it happens while files are moved or removed, the site is
            unchanged.
    """
    by.current = MANIFEST
    if changes.writes:
        announced = {write.path: write.digest for write in changes.writes}
        stage_manifest(stage, msgspec.structs.replace(old, pending={**old.pending, **announced}))
        stage.move(MANIFEST, top, MANIFEST)
    stage_manifest(stage, new)  # before files are moved, so that a full disk does no harm
    by.remove(changes.first)
    by.remove_folders((*changes.first, *changes.gone))
    by.make_folders(changes.writes)
    by.put(changes.writes)
    by.remove(changes.last)
    by.remove_folders(changes.last)
    by.settle()
