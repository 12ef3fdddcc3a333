"""Counting work in tests: steps of the interpreter, which no busy machine changes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

from devlog.model import closest


def steps(work: Callable[[], object]) -> int:
    """How many calls and returns some work takes; what was remembered of earlier suggestions does not count."""
    count = 0
    closest._closest.cache_clear()
    closest._pairs.cache_clear()

    def trace(_frame: FrameType, _event: str, _argument: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(trace)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count
