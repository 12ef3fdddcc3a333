"""The modules that worker processes load, and a guess when to start these processes early."""

from __future__ import annotations

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
    if not (root / ".devlog").exists():
        texts = islice((root / "content").rglob("*.md"), MANY)
        if sum(1 for _ in texts) == MANY:
            from devlog.engine import processes

            processes.begin(LOAD)
