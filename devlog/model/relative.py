"""The relative path from one folder of a site to a file."""

from __future__ import annotations

import posixpath


def relative(file: str, folder: str) -> str:
    """The path of a file, relative to a folder, as a link in a source of that folder has it.

    Args:
        file: its path, with slashes.
        folder: that of the folder, relative to the same place; empty for that place.
    """
    # With paths from a root, the current folder, which may be gone, is not asked for.
    return posixpath.relpath(f"/{file}", f"/{folder}")
