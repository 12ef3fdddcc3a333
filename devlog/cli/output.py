"""Keeps standard output for what programs read."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress


@contextmanager
def only_for_the_report(*, is_read: bool = True) -> Iterator[None]:
    """Let everything that is printed meanwhile go to standard error.

    Plugins and the packages that they import may print, also below Python, and in worker processes, which inherit the
    stream. Call it before any of these is started.

    Args:
        is_read: whether a program reads the report. People may see both on one terminal.
    """
    if not is_read:
        yield
        return
    _flush()
    own = os.dup(1)
    os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _flush()  # what was printed to a stream that somebody has kept
        os.dup2(own, 1)
        os.close(own)


def _flush() -> None:
    for stream in (sys.stdout, sys.__stdout__):
        with suppress(OSError, ValueError):
            if stream:
                stream.flush()
