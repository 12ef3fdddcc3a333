"""The function that a worker runs, in any process: it applies a function to items, and returns the outcome."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, Generic, TypeVar

import msgspec

from devlog.engine.toolchain import difference
from devlog.native import call
from devlog.out_of_time import OutOfTimeError

T = TypeVar("T")
R = TypeVar("R")


class Done(msgspec.Struct, frozen=True):
    """The results, in the order of the items."""

    results: Sequence[Any]


class Slow(msgspec.Struct, frozen=True):
    """The work exceeded its time limit.

    Attributes:
        line: the line of the file at which it was; 0 if that is not known.
    """

    line: int = 0


class Raised(msgspec.Struct, frozen=True):
    """The function raised an exception, which is a bug in devlog, not a failure of the executor.

    Attributes:
        error: the exception.
        trace: the traceback as text, because an exception from another process has lost it.
    """

    error: Exception
    trace: str


class Refused(msgspec.Struct, frozen=True):
    """The toolchain of the worker differs from the sender's, so its results could differ."""

    reason: str


class Outdated(msgspec.Struct, frozen=True):
    """The process would load other code than the sender has loaded, so its results could differ."""


Answer = Done | Slow | Raised | Refused | Outdated


class Loading(msgspec.Struct, Generic[T, R], frozen=True):
    """A function that runs code that each process loads by itself, and that may have changed since this one did so.

    Attributes:
        function: converts a sequence of items into a sequence of as many results.
        is_current: returns whether a process of this machine has the same code.
    """

    function: Callable[[Sequence[T]], Sequence[R]]
    is_current: Callable[[], bool]

    def __call__(self, items: Sequence[T]) -> Sequence[R]:
        return self.function(items)


def work(
    function: Callable[[Sequence[T]], Sequence[R]], items: Sequence[T], seconds: float, tools: dict[str, str]
) -> Answer:
    """Apply `function` to `items`.

    Args:
        function: converts a sequence of items into a sequence of as many results.
        items: the items.
        seconds: the time limit, if it can be enforced.
        tools: `all_tools` of the sender; empty if the worker is the sender's own process or its child.
    """
    if tools and (reason := difference(tools)):
        return Refused(reason)
    if not tools and isinstance(function, Loading) and not function.is_current():
        return Outdated()
    try:
        with time_limit(seconds):
            return Done(call(function, items))
    except OutOfTimeError as error:
        return Slow(error.line)
    except Exception as error:
        import traceback

        return Raised(error, traceback.format_exc())


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Interrupt code that runs longer, even in a runaway regular expression.

    Only the main thread of a process can be interrupted, and only if the system has interval timers (POSIX) that are
    not in use. Otherwise there is no limit. Imports are not interrupted, since a partially loaded package would stay
    broken for later imports: if the time is up during an import, the time limit starts again. It also starts again, but
    only once, for code that has had the processor for less than half of the time, as on a busy machine, or in a process
    that was stopped.

    Raises:
        OutOfTimeError: if the time limit is exceeded.
    """
    if not _can_interrupt():
        yield
        return
    caller = sys._getframe(2)  # of the limited code; frames above it do not matter, even if they are an import

    before_it = time.process_time()
    is_renewed = False

    def stop(_number: int, frame: FrameType | None) -> None:
        nonlocal is_renewed
        is_starved = not is_renewed and time.process_time() - before_it < seconds / 2
        if _is_importing(frame, caller) or is_starved:
            is_renewed = is_renewed or is_starved
            signal.setitimer(signal.ITIMER_REAL, seconds, 1)
            return
        raise OutOfTimeError

    before = signal.signal(signal.SIGALRM, stop)
    try:
        try:
            # Repeat each second: an exception is lost if it is raised where it cannot propagate, as in a destructor.
            signal.setitimer(signal.ITIMER_REAL, seconds, 1)
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:  # the alarm may have been triggered in the line above
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before if before is not None else signal.SIG_DFL)


def _can_interrupt() -> bool:
    return (
        hasattr(signal, "setitimer")
        and threading.current_thread() is threading.main_thread()
        and signal.getitimer(signal.ITIMER_REAL)[0] == 0
    )


def _is_importing(frame: FrameType | None, until: FrameType) -> bool:
    """Whether one of the frames from one up to another belongs to an import."""
    while frame is not None and frame is not until:
        if frame.f_code.co_filename.startswith("<frozen importlib."):
            return True
        frame = frame.f_back
    return False
