"""A folder as a value, and publishing files into one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from devlog.disk.manifest import MANIFEST, Entry, Manifest
from devlog.disk.write import Planned, Published, staging


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


def publish(
    root: Path,
    output: str,
    manifest: Manifest,
    planned: Iterable[Planned],
    keep: Mapping[str, Entry] | None = None,
    inputs: Iterable[str] = (),
) -> Published:
    """Make the output folder contain exactly the planned and the kept files."""
    with staging(root, output, manifest, inputs=inputs) as stage:
        for file in planned:
            stage.add(file)
        return stage.commit(keep or {})
