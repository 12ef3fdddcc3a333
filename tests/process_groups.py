"""Looks for the processes that a killed command has left."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

PROC = Path("/proc")
PATIENCE = 30.0
"""Seconds after which something that must happen counts as never happening."""

needs_proc = pytest.mark.skipif(not (PROC / "self" / "stat").exists(), reason="needs /proc to look for processes")


def group(leader: int) -> set[int]:
    """The living processes of a process group."""
    found = set()
    for folder in PROC.iterdir():
        if folder.name.isdecimal():
            with suppress(OSError):  # it has just ended
                state, _, its_group = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
                if int(its_group) == leader and state != "Z":
                    found.add(int(folder.name))
    return found


def until(condition: Callable[[], bool]) -> bool:
    """Whether a condition comes true."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
