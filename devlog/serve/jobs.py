"""Work for the main thread: where a runaway text or template can be interrupted by a signal, and nowhere else."""

from __future__ import annotations

import itertools
import queue
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")

REQUEST, CHANGE = 0, 1
"""What goes first: somebody waits for an answer; a file has changed."""


class Jobs:
    """Functions that wait to be called, the most urgent first, each with a future for its result."""

    def __init__(self) -> None:
        self._queue: queue.PriorityQueue[tuple[int, int, Callable[[], None]]] = queue.PriorityQueue()
        self._count = itertools.count()

    def submit(self, urgency: int, function: Callable[..., T], *arguments: Any) -> Future[T]:
        """Let the main thread call a function. May be called from any thread.

        Args:
            urgency: `REQUEST` or `CHANGE`.
            function: what to call.
            arguments: with which.
        """
        future: Future[T] = Future()

        def call() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                result = function(*arguments)
            except Exception as error:
                future.set_exception(error)
            else:
                future.set_result(result)

        self._queue.put((urgency, next(self._count), call))
        return future

    def run(self, idle: Callable[[], bool]) -> None:
        """Call what is submitted, for ever.

        Args:
            idle: called when nothing waits: does a little of what has time, and says whether there is more of it.
        """
        more = True
        while True:
            more = self.step(wait=not more) or idle()

    def step(self, *, wait: bool = False) -> bool:
        """Call the most urgent function, if there is one or we `wait` for one; tells whether there was."""
        try:
            _, _, call = self._queue.get(block=wait)
        except queue.Empty:
            return False
        call()
        return True
