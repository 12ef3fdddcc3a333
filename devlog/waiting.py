"""Waits for another thread or process in such a way that Ctrl-C works at any time."""

from __future__ import annotations

import time
from math import inf
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

_Result = TypeVar("_Result")

_SLICE = 0.25
"""How many seconds to wait at a time. Python checks for signals before it starts to wait. A signal that arrives between
the two, or in another thread, does not end the wait."""


def result_of(future: Future[_Result], seconds: float = inf) -> _Result:
    """The result of a future, as `Future.result` returns it.

    Args:
        future: the future of work in another thread or process.
        seconds: the maximum time to wait.

    Raises:
        TimeoutError: if the work is not done within this time.
        CancelledError: if the work was canceled.
        BaseException: the exception that the work raised.
    """
    end = time.monotonic() + seconds
    while True:
        try:
            return future.result(timeout=min(_SLICE, max(0.0, end - time.monotonic())))
        except TimeoutError:
            if future.done():  # it has finished in the meantime, or the work itself raised a TimeoutError
                return future.result()
            if time.monotonic() >= end:
                raise
