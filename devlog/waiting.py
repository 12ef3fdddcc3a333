"""Waiting for another thread or process, so that an interruption is heard whenever it comes."""

from __future__ import annotations

import time
from math import inf
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

_Result = TypeVar("_Result")

_SLICE = 0.25
"""How many seconds are waited at a time. Python looks for signals before it begins to wait; one that comes in between,
or to another thread, wakes nobody."""


def result_of(future: Future[_Result], seconds: float = inf) -> _Result:
    """What `Future.result` gives.

    Args:
        future: of work that goes on elsewhere.
        seconds: how long to wait at most.

    Raises:
        TimeoutError: it is not done within this time.
        CancelledError: it will not be done.
        BaseException: what the work raised.
    """
    end = time.monotonic() + seconds
    while True:
        try:
            return future.result(timeout=min(_SLICE, max(0.0, end - time.monotonic())))
        except TimeoutError:
            if future.done():  # meanwhile, or with an error of this very kind
                return future.result()
            if time.monotonic() >= end:
                raise
