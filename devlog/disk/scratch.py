"""Temporary folders, and what killed processes have left of theirs: it may contain copies of a configuration."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from devlog.disk.folder import Folder

_DAY = 24 * 3600
"""How old leftovers are at least: no command works that long in one folder."""


@contextmanager
def scratch_folder(kind: str) -> Iterator[Path]:
    """A temporary folder for a ``with`` statement, which removes it.

    Args:
        kind: what it is for. Old folders of the same kind, of the same user, are removed first.
    """
    prefix = f"devlog-{kind}-"
    with suppress(OSError):
        _sweep(prefix)
    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as name:
        yield Path(name)


def _sweep(prefix: str) -> None:
    """Remove old temporary folders. Raises OSError."""
    own = os.geteuid() if hasattr(os, "geteuid") else 0
    with Folder.open(Path(tempfile.gettempdir())) as top:
        for entry in top.scan():
            if not (entry.name.startswith(prefix) and entry.is_dir(follow_symlinks=False)):
                continue
            with suppress(OSError):  # another process may have removed it
                status = entry.stat(follow_symlinks=False)
                if status.st_uid == own and time.time() - status.st_mtime > _DAY:
                    top.remove_any(entry.name, is_folder=True)
