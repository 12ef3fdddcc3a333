"""Rejects output folders in which devlog would write among files that are not its own."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from devlog.disk import problems
from devlog.disk.folder import describe, is_link, is_there
from devlog.disk.manifest import MANIFEST, STAGE, Manifest, Owner
from devlog.model.diagnostic import Diagnostic
from devlog.model.outpath import control_folder

_HARMLESS = frozenset({MANIFEST, STAGE, ".DS_Store", ".gitignore", ".gitkeep"})


def check_output(root: Path, output: str, inputs: Iterable[str] = ()) -> tuple[Diagnostic, ...]:
    """Reject an output folder that contains, or could contain, files that are not devlog's. This changes nothing.

    Args:
        root: the site's folder.
        output: the output folder, relative to it, or absolute.
        inputs: the content, static and theme folders, relative to it, or absolute.

    Returns:
        The problem; empty if the folder may be used.
    """
    reason = why_not(root, output, inputs)
    return (problems.unsafe_output(output, reason),) if reason else ()


def why_not(root: Path, output: str, inputs: Iterable[str] = ()) -> str:
    """Why `check_output` rejects a folder, as the end of a sentence; empty if it may be used."""
    target = root / output
    try:
        return misplaced(root, output, inputs) or _state(target)
    except (OSError, RuntimeError) as error:  # a loop of symbolic links in its path
        return f"cannot be examined: {error}"


def another_site(manifest: Manifest, owner: Owner) -> str:
    """Why an output folder with this manifest is another site's, as the end of a sentence; empty if it is not."""
    found = manifest.owner
    return "" if found is None or found.is_same(owner) else f"contains another site, “{found.name}”"


def read_only(root: Path, output: str) -> str:
    """Why the system does not let devlog change or create a folder, as the end of a sentence; empty if it may.

    The answer is only a forecast: the files may be on another machine, which decides when it is asked to write.
    """
    target = root / output
    place = _existing(target)
    if os.access(place, os.W_OK | os.X_OK):
        return ""
    return "is read-only" if place == target else f"is inside “{place.name or place}”, which is read-only"


def misplaced(root: Path, output: str, inputs: Iterable[str] = ()) -> str:
    """Why the location of a folder is not allowed, regardless of its content; see `why_not`.

    Raises OSError or RuntimeError.
    """
    target = root / output
    if os.path.lexists(target) and is_link(target.lstat()):
        return "is a symbolic link"
    root, target = root.resolve(), target.resolve()
    if _contains(target, root):
        return "is the site's own folder, or contains it"
    if _contains(target, _home().resolve()):
        return "is your home folder, or contains it"
    return _controlled(root, target) or _overlapping(root, target, (*inputs, ".devlog"))


def _controlled(root: Path, target: Path) -> str:
    """Why a folder is one of version control; empty if it is none. The site may be in one, as some work trees are."""
    below = target.relative_to(root) if target.is_relative_to(root) else target
    own = control_folder(below.as_posix())
    return f"is “{own}”, or inside it, where programs keep their own files" if own else ""


def _overlapping(root: Path, target: Path, inputs: Iterable[str]) -> str:
    """Why a folder overlaps one of several others; empty if it does not."""
    for name in inputs:
        other = (root / name).resolve()
        if _contains(target, other):
            return f"is “{name}”, or contains it"
        if _contains(other, target):
            return f"is inside “{name}”"
    return ""


def _home() -> Path:
    """The home folder, or the root of the file system for users without one, as in containers."""
    try:
        return Path.home()
    except RuntimeError:
        return Path("/")


def _state(target: Path) -> str:
    """Why the content of a folder is not allowed; empty if it is."""
    if not is_there(target):
        above = _existing(target)
        return "" if is_there(above, folder=True) else f"is inside “{above.name}”, which is not a folder"
    if not is_there(target, folder=True):
        return "is not a folder"
    try:
        names = {entry.name for entry in target.iterdir()}
        manifest = (target / MANIFEST).lstat() if MANIFEST in names else None
    except OSError as error:
        return f"cannot be read: {describe(error)}"
    if ".git" in names:
        return "is a git work tree"
    if manifest:
        is_folder = stat.S_ISDIR(manifest.st_mode)  # whatever else it is, a file replaces it
        return f"contains a folder “{MANIFEST}”, where devlog keeps the list of its files" if is_folder else ""
    others = names - _HARMLESS
    return f"is not empty and was not made by devlog (it contains “{min(others)}”)" if others else ""


def _existing(target: Path) -> Path:
    """A folder if it exists, else what is nearest above it, be it a link that leads nowhere."""
    return next((place for place in (target, *target.parents) if is_there(place, follow=False)), target)


def _contains(outer: Path, inner: Path) -> bool:
    """Whether a path is equal to another or above it, by name and, if they exist, by file identity.

    File identity also covers differences in letter case, and mounts. Both paths must be resolved.
    """
    if inner.is_relative_to(outer):
        return True
    try:
        own = outer.stat()
    except OSError:  # it does not exist, or there is no permission to access it
        return False
    return any(_is_same(place, own) for place in (inner, *inner.parents))


def _is_same(one: Path, other: os.stat_result) -> bool:
    try:
        return os.path.samestat(one.stat(), other)
    except OSError:
        return False
