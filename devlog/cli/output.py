"""Keeps standard output for what programs read, and lets plugins print even if nobody reads it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from devlog.cli.process import open_streams
from devlog.engine.printing import flush, printing_without_errors


@contextmanager
def only_for_the_report(*, is_read: bool = True, waits: bool = True) -> Iterator[None]:
    """Let everything that is printed meanwhile go to standard error, and let no print fail.

    Plugins and the packages that they import may print, also below Python, and in worker processes, which inherit the
    stream. Call it before any of these is started, and print the command's own output afterwards: what cannot be
    written meanwhile is dropped.

    Args:
        is_read: whether a program reads the report. People may see both on one terminal.
        waits: whether to wait until somebody reads what is printed; if not, lines may be left out.
    """
    open_streams()
    if not is_read:
        with printing_without_errors(waits=waits):
            yield
        return
    flush()
    own = os.dup(1)
    os.dup2(2, 1)
    try:
        with printing_without_errors(only_to_stderr=True, waits=waits):
            yield
    finally:
        flush()  # what was printed to a stream that somebody has kept
        os.dup2(own, 1)
        os.close(own)
