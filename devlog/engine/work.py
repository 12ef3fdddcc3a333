"""What a worker does with what it is sent, wherever it runs: apply a function, and say what became of it."""

from __future__ import annotations

import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

import msgspec

from devlog.engine.toolchain import difference

T = TypeVar("T")
R = TypeVar("R")


class Done(msgspec.Struct, frozen=True):
    """The results, in the order of the items."""

    results: Sequence[Any]


class Slow(msgspec.Struct, frozen=True):
    """The time was up."""


class Raised(msgspec.Struct, frozen=True):
    """The function raised: a fault of ours, not of the place where the work was done.

    Attributes:
        error: what it raised.
        trace: where, as text: an error that comes from another process has forgotten it.
    """

    error: Exception
    trace: str


class Refused(msgspec.Struct, frozen=True):
    """The worker is not like us, and its results could be others than ours."""

    reason: str


Answer = Done | Slow | Raised | Refused


def work(
    function: Callable[[Sequence[T]], Sequence[R]], items: Sequence[T], seconds: float, tools: dict[str, str]
) -> Answer:
    """Apply `function` to `items`.

    Args:
        function: turns a sequence of items into a sequence of as many results.
        items: the work.
        seconds: how long it may take, where that can be enforced.
        tools: what the sender's results depend on; empty where the worker is the sender's own process or child.
    """
    if tools and (reason := difference(tools)):
        return Refused(reason)
    try:
        with time_limit(seconds):
            return Done(function(items))
    except OutOfTimeError:
        return Slow()
    except Exception as error:
        return Raised(error, traceback.format_exc())


class OutOfTimeError(BaseException):
    """The time is up. Not an `Exception`: code that expects all kinds of faults must not keep this one."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Interrupt what runs longer, a runaway regular expression included.

    Only the main thread of a process can be interrupted, and only where the system has interval timers (POSIX) that
    nobody else uses at the moment. Elsewhere there is no limit. An import is not interrupted, and what follows has the
    whole time: of a package that was loaded by half, later imports give a broken one.

    Raises:
        OutOfTimeError: the time was up.
    """
    if not _can_interrupt():
        yield
        return
    caller = sys._getframe(2)  # of what runs within the limit: above it, an import may be what runs all of this

    def stop(_number: int, frame: FrameType | None) -> None:
        if _is_importing(frame, caller):
            signal.setitimer(signal.ITIMER_REAL, seconds, 1)
            return
        raise OutOfTimeError

    before = signal.signal(signal.SIGALRM, stop)
    try:
        try:
            # Again each second: where an exception cannot be passed on, in a destructor, the first one is lost.
            signal.setitimer(signal.ITIMER_REAL, seconds, 1)
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:  # the alarm may have gone off in the line above
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before if before is not None else signal.SIG_DFL)


def _can_interrupt() -> bool:
    return (
        hasattr(signal, "setitimer")
        and threading.current_thread() is threading.main_thread()
        and signal.getitimer(signal.ITIMER_REAL)[0] == 0
    )


def _is_importing(frame: FrameType | None, until: FrameType) -> bool:
    """Whether one of the calls from a frame up to another is an import."""
    while frame is not None and frame is not until:
        if frame.f_code.co_filename.startswith("<frozen importlib."):
            return True
        frame = frame.f_back
    return False
