"""The processes that work for a build: what they load, and when they may begin to."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

LOAD = ("devlog.parse.parse", "devlog.render.render")
"""The modules that do the work. They are loaded once for all processes."""

MANY = 200
"""So many texts are too much for one process."""


def foresee(root: Path) -> None:
    """Let processes begin to start when a site looks as if all of it must be built.

    Called before anything large is loaded, so that they load theirs at the same time. It is a guess: only the usual
    folder is looked at, and a wrong one changes no result.
    """
    if not (root / ".devlog").exists():
        texts = islice((root / "content").rglob("*.md"), MANY)
        if sum(1 for _ in texts) == MANY:
            from devlog.engine import processes

            processes.begin(LOAD)
