"""A queue of work for the main thread, the only one where a signal can interrupt a runaway post or template."""

from __future__ import annotations

import itertools
import queue
import signal
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from types import FrameType
from typing import Any, NoReturn, TypeVar

T = TypeVar("T")

REQUEST, CHANGE = 0, 1
"""Priorities, the most urgent first: a client waits for an answer; a file has changed."""

AHEAD = 16
"""How many requests that come after a change may go before it, and how many calls before the background work: a program
that follows all links always has one more request."""


class Jobs:
    """A queue of function calls, each with a future for its result. Urgent ones overtake some of the others."""

    def __init__(self) -> None:
        self._queue: queue.PriorityQueue[tuple[int, int, Callable[[], None]]] = queue.PriorityQueue()
        self._count = itertools.count()
        self._is_stopped = False

    def stop_at(self, *numbers: int) -> None:
        """Raise `KeyboardInterrupt` in the main thread at certain signals, whatever it does. Called in that thread.

        A signal ends `run` even if the exception is lost, as in a destructor or in a plugin that catches everything,
        and even if it comes just before the main thread begins to wait, or while that thread blocks signals. Then
        the system does not interrupt the wait, so another thread ends it.

        Args:
            numbers: of the signals.
        """

        def stop(_number: int, _frame: FrameType | None) -> NoReturn:
            self._is_stopped = True
            raise KeyboardInterrupt

        receiver, sender = socket.socketpair()
        sender.setblocking(False)
        signal.set_wakeup_fd(sender.detach(), warn_on_full_buffer=False)
        threading.Thread(target=self._wake, args=(receiver,), name="devlog-signals", daemon=True).start()
        for number in numbers:
            signal.signal(number, stop)

    def stop(self) -> None:
        """End `run` after the current call. May be called from any thread."""
        self._is_stopped = True
        self.submit(REQUEST, lambda: None)

    def _wake(self, signals: socket.socket) -> None:
        """Let the main thread do something at each signal: before that, Python calls the signal's handler there."""
        while signals.recv(1):
            self.submit(REQUEST, lambda: None)

    def submit(self, urgency: int, function: Callable[..., T], *arguments: Any) -> Future[T]:
        """Schedule a function call in the main thread. May be called from any thread.

        Args:
            urgency: `REQUEST` or `CHANGE`.
            function: the function to call.
            arguments: its arguments.

        Returns:
            A future for its result.
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

        self._queue.put((next(self._count) + urgency * AHEAD, urgency, call))
        return future

    def run(self, idle: Callable[[], bool]) -> None:
        """Call submitted functions, until `stop` is called, or a signal of `stop_at` comes.

        Args:
            idle: called when the queue is empty, and between calls: does a small part of the background work, and
                returns whether there is more.

        Raises:
            KeyboardInterrupt: at such a signal, unless it was raised elsewhere and lost.
        """
        more, called = True, 0
        while not self._is_stopped:
            if self.step(wait=not more) and called < AHEAD:
                more, called = True, called + 1
            else:
                more, called = idle(), 0

    def step(self, *, wait: bool = False) -> bool:
        """Call the most urgent function.

        Args:
            wait: whether to wait for one if the queue is empty.

        Returns:
            Whether a function was called.
        """
        try:
            _, _, call = self._queue.get(block=wait)
        except queue.Empty:
            return False
        call()
        return True
