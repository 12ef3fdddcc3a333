"""Waiting for other threads, while an interruption comes at the worst moment."""

from __future__ import annotations

import signal
import sys
import threading
from concurrent.futures import CancelledError, Future
from pathlib import Path
from threading import Event

import pytest

from devlog.programs import run_all
from devlog.waiting import result_of

LATE = 20.0
"""Seconds after which what is waited for is done at last."""


@pytest.fixture
def ctrl_c() -> threading.Timer:
    """An interruption that another thread hears of: nothing wakes the one that waits."""
    return threading.Timer(0.1, signal.raise_signal, [signal.SIGINT])


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
def test_an_interruption_is_heard_while_a_result_is_awaited(ctrl_c: threading.Timer) -> None:
    future: Future[int] = Future()
    done = threading.Timer(LATE, future.set_result, [7])
    done.start()
    ctrl_c.start()
    with pytest.raises(KeyboardInterrupt):
        result_of(future)
    assert not future.done()
    done.cancel()


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
def test_an_interruption_is_heard_while_programs_run(ctrl_c: threading.Timer) -> None:
    ended: list[bool] = []
    begun = threading.Barrier(2, ctrl_c.start)

    def one(_item: Path, stop: Event) -> None:
        begun.wait()
        ended.append(stop.wait(LATE))

    with pytest.raises(KeyboardInterrupt):
        run_all(one, [Path("a"), Path("b")], 2)
    assert ended == [True, True]


def test_a_result_is_what_came_of_the_work() -> None:
    future: Future[int] = Future()
    with pytest.raises(TimeoutError):
        result_of(future, 0.01)
    future.set_result(7)
    assert result_of(future, 0) == 7


@pytest.mark.parametrize("error", [TimeoutError("of its own"), ValueError("x"), CancelledError()])
def test_an_error_is_that_of_the_work(error: BaseException) -> None:
    future: Future[int] = Future()
    future.set_exception(error)
    with pytest.raises(type(error)) as caught:
        result_of(future)
    assert caught.value is error
