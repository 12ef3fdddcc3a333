"""Temporary folders, and what killed processes have left of theirs: it may contain copies of a configuration."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from devlog.disk.folder import Folder
from devlog.disk.lock import BusyError, open_alone
from devlog.disk.site_folder import OWN

_DAY = 24 * 3600
"""How old leftovers are at least: no command works that long in one folder."""
_FEW_MINUTES = 600
"""How old those in a site are at least, which may hold the space of files that are gone: that nobody works in them is
known from their lock, but not on file systems without locks."""


@contextmanager
def scratch_folder(kind: str, site: Path | None = None) -> Iterator[Path]:
    """A temporary folder for a ``with`` statement, which removes it.

    Args:
        kind: what it is for. Old folders of the same kind, of the same user, are removed first.
        site: the folder of a site to whose files it should be able to have hard links: it is then in devlog's own
            folder there if that can be written to. `None` for the system's folder for temporary files.

    Raises:
        OSError: it cannot be made.
    """
    prefix = f"devlog-{kind}-"
    with _home(site) as home:
        with suppress(OSError):
            _sweep(home, prefix, in_site=site is not None)
        with (
            tempfile.TemporaryDirectory(prefix=prefix, dir=home, ignore_cleanup_errors=True) as name,
            Folder.open(home) as top,
            open_alone(top, Path(name).name, create=False),
        ):
            yield Path(name)


@contextmanager
def _home(site: Path | None) -> Iterator[Path]:
    """The folder for temporary folders. If it is a site's and has been missing, it is removed at the end."""
    if site is None:
        yield Path(tempfile.gettempdir())
        return
    own = site / OWN
    is_new = not os.path.lexists(own)
    try:
        yield own if _is_ready(site) else Path(tempfile.gettempdir())
    finally:
        if is_new:
            with suppress(OSError):  # another process has put something there
                own.rmdir()


def _is_ready(site: Path) -> bool:
    """Whether devlog's own folder of a site is there now, is no link, and can be written to."""
    try:
        with Folder.open(site) as top:
            top.folder(OWN, create=True).close()
    except OSError:
        return False
    return os.access(site / OWN, os.W_OK | os.X_OK)


def _sweep(home: Path, prefix: str, *, in_site: bool) -> None:
    """Remove old temporary folders in which no process works. Raises OSError."""
    least = _FEW_MINUTES if in_site else _DAY
    own = os.geteuid() if hasattr(os, "geteuid") else 0
    with Folder.open(home) as top:
        for entry in top.scan():
            if not (entry.name.startswith(prefix) and entry.is_dir(follow_symlinks=False)):
                continue
            with suppress(OSError, BusyError):  # another process may have removed it
                status = entry.stat(follow_symlinks=False)
                if status.st_uid == own and time.time() - status.st_mtime > least:
                    with open_alone(top, entry.name, create=False, wait=0):
                        top.remove_any(entry.name, is_folder=True)
