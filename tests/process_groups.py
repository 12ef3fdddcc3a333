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


def is_guarded(leader: int) -> bool:
    """Whether a process waits for the end of the command, to end a process group then: see `programs.ended_with_this`.

    It is started after the program. If the command is killed in between, the program goes on.
    """
    for folder in PROC.iterdir():
        if folder.name.isdecimal():
            with suppress(OSError):  # it has just ended
                words = (folder / "cmdline").read_bytes().split(b"\0")
                if words[0] == b"/bin/sh" and b"%d" % -leader in words:
                    return True
    return False


def until(condition: Callable[[], bool]) -> bool:
    """Whether a condition comes true."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
