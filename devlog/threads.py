"""Starts threads where the system may refuse them, as with a limit of processes, which threads count as, or memory."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threading import Thread


def start(thread: Thread) -> None:
    """Start a thread.

    Args:
        thread: the thread, which may be a timer.

    Raises:
        OSError: the system refuses it; the same error as of a process that it refuses.
    """
    try:
        thread.start()
    except RuntimeError as error:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN)) from error
