"""Counting work in tests: calls of the interpreter, which no busy machine changes."""

from __future__ import annotations

import cProfile
from collections.abc import Callable

from devlog.model import closest


def steps(work: Callable[[], object]) -> int:
    """How many calls some work takes, also of functions in C, without what earlier suggestions have left behind."""
    closest._closest.cache_clear()
    profile = cProfile.Profile()  # counts in C: a function of Python for each call would take most of the time
    profile.runcall(work)
    return sum(entry.callcount for entry in profile.getstats())
