"""Limits the memory of a worker process, since what it decodes or draws is not trusted."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

MEMORY = 3 << 30
"""The maximum address space of a worker in bytes: what decoding the largest image can need, and some more."""

NOT_ENOUGH = "there is not enough memory for it"
"""The problem of a work item that needs more."""


@contextmanager
def limited_memory() -> Iterator[None]:
    """Limit the memory of a worker process; do nothing in the process of the command, whose threads share it."""
    if not _is_worker():
        yield
        return
    try:
        import resource
    except ImportError:  # Windows
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
    try:
        if soft == resource.RLIM_INFINITY or soft > limit:
            resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _is_worker() -> bool:
    """Whether this process was started by another one of Python's. All of multiprocessing is loaded there already."""
    loaded = sys.modules.get("multiprocessing.process")
    return loaded is not None and loaded.parent_process() is not None
