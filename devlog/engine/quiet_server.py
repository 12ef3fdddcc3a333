"""Loaded by the server that starts worker processes: where the system refuses it something, it ends without a word.

The main process notices, and works without it. Python's own server would print a traceback for each attempt.
"""

from __future__ import annotations

import sys
from types import TracebackType


def _report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if not issubclass(kind, (OSError, EOFError, MemoryError)):
        sys.__excepthook__(kind, error, trace)


sys.excepthook = _report
