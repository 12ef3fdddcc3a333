"""Where the configured checkout of the source is, unless a commit of the site's own repository decides that.

Whoever may only propose changes of a site must not make a configured folder lead to another repository of the machine,
whose files would be published. A commit can do that with a symbolic link, or with files that git takes for a bare
repository, which in turn may name another one. It cannot add a `.git`, which git never tracks.
"""

from __future__ import annotations

import os
from collections import deque
from pathlib import Path, PurePath

from devlog.disk.git import ask, is_bare

REFUSED = "it is committed in the site's repository, or a link on the way to it is"
"""Why a checkout is not read."""

_MOST_LINKS = 40


def checkout_folder(root: Path, configured: str) -> Path | None:
    """The folder of a configured checkout, which need not exist.

    git runs only if there is something that a commit may have made: a link, or a bare repository inside the site's
    own repository. What is there, but in no commit, is the user's own.

    Args:
        root: the folder to which it is relative: that of the site.
        configured: the path as configured, not empty.

    Returns:
        `None` if the site's repository contains the folder, or a link on the way to it; or if git does not answer.
    """
    folder = root / configured
    start = Path(os.path.realpath(root))
    around = _repository(start)
    if around is None or PurePath(configured).is_absolute():
        return folder
    place, links = start, 0
    parts = deque(PurePath(configured).parts)
    while parts:
        name = parts.popleft()
        if name == "..":
            place = place.parent
            continue
        place /= name
        if target := _target(place):
            links += 1
            if links > _MOST_LINKS or (place.is_relative_to(around) and _is_tracked(place)):
                return None
            parts.extendleft(reversed(target.parts))
            place = place.parent
    is_inside = place.is_relative_to(around) and not start.is_relative_to(place)
    return None if is_inside and is_bare(place) and _is_tracked(place) else folder


def _target(place: Path) -> PurePath | None:
    """Where a link leads; `None` if there is no link."""
    try:
        return PurePath(str(place.readlink()).removeprefix("\\\\?\\"))  # which Windows puts before it
    except (OSError, ValueError):
        return None


def _repository(folder: Path) -> Path | None:
    """The nearest work tree around a folder."""
    return next((up for up in (folder, *folder.parents) if os.path.lexists(up / ".git")), None)


def _is_tracked(place: Path) -> bool:
    """Whether the nearest repository contains a link or files at a place; a submodule there is another repository."""
    around = _repository(place.parent)
    if around is None:
        return False
    # Where the case of letters does not count in names of files, a commit chooses it freely.
    path = f":(literal,icase){place.relative_to(around).as_posix()}"
    answer = ask(around, ["ls-files", "--stage", "-z", "--", path])
    return answer is None or any(record and not record.startswith(_REPOSITORY) for record in answer.split(b"\0"))


_REPOSITORY = b"160000 "
