"""The modules that worker processes load, and a guess when to start these processes early."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

LOAD = ("devlog.parse.parse", "devlog.render.render")
"""The modules that parse and render. They are loaded once for all worker processes."""

MANY = 200
"""The number of source files from which on one process is not enough."""


def foresee(root: Path) -> None:
    """Start worker processes if it looks as if the whole site must be built.

    Call it before anything large is loaded, so that the processes load their modules at the same time. It only looks
    into the default content folder, so it may guess wrong, which changes no result.
    """
    if not os.path.lexists(root / ".devlog"):
        texts = islice(_texts(root / "content"), MANY)
        if sum(1 for _ in texts) == MANY:
            from devlog.engine import processes

            with suppress(processes.NoPoolError):  # who needs processes notices, and works without them
                processes.begin(LOAD)


def _texts(content: Path) -> Iterator[str]:
    """The names of the source files in a folder, in which no link is followed.

    Folders may be nested more deeply than functions that call themselves can be, and more deeply than a path can name.
    """
    folders = [] if os.path.islink(content) else [str(content)]  # noqa: PTH114 - no error where nobody may enter
    while folders:
        with suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                elif entry.name.endswith(".md"):
                    yield entry.name
