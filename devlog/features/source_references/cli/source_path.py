"""Turns a path that someone types into a path of the project's source."""

from __future__ import annotations

import os
from pathlib import Path


def path_in_source(given: str, here: Path, checkout: Path | None) -> str | None:
    """The path of a file or directory relative to the root of its repository.

    Args:
        given: the path as typed: relative to the root of the source, or the path of something in a checkout of it,
            absolute or relative to the current folder.
        here: the current folder.
        checkout: the configured repository checkout, if there is one.

    Returns:
        Empty for the root itself; `None` if it is outside of any checkout.
    """
    absolute = Path(os.path.normpath(here / given))
    for path in (absolute, Path(os.path.realpath(absolute))):
        if checkout and (root := Path(os.path.realpath(checkout))) in (path, *path.parents):
            return _relative(path, root)
    if Path(given).is_absolute() or (given.strip("./") and os.path.lexists(absolute)):
        repository = next((up for up in (absolute, *absolute.parents) if os.path.lexists(up / ".git")), None)
        return _relative(absolute, repository) if repository else None
    plain = os.path.normpath(given).replace(os.sep, "/")
    return None if plain.split("/")[0] == ".." else "" if plain == "." else plain


def _relative(path: Path, root: Path) -> str:
    name = path.relative_to(root).as_posix()
    return "" if name == "." else name
