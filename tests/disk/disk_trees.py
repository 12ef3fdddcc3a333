"""A folder as a value."""

from __future__ import annotations

import os
from pathlib import Path

from devlog.disk.manifest import MANIFEST


def tree(folder: Path) -> dict[str, bytes]:
    """All files with their bytes, and empty folders with a slash at the end; not the manifest."""
    found: dict[str, bytes] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or path.is_file():
            found[name] = b"-> " + os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
        elif not any(path.iterdir()):
            found[f"{name}/"] = b""
    found.pop(MANIFEST, None)
    return found
