"""In which order the main thread does what it is asked for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from devlog.engine.jobs import AHEAD, CHANGE, REQUEST, Jobs

REPOSITORY = Path(__file__).parents[2]
CLIENTS = 8
ENOUGH = 1000


class Crawlers:
    """Clients that each request another page as soon as they have one, until they have had enough of them."""

    def __init__(self, jobs: Jobs) -> None:
        self.jobs = jobs
        self.done = 0
        for _ in range(CLIENTS):
            jobs.submit(REQUEST, self.request)

    def request(self) -> None:
        self.done += 1
        if self.done == ENOUGH:
            raise KeyboardInterrupt
        self.jobs.submit(REQUEST, self.request)


def test_a_request_goes_before_a_change() -> None:
    jobs, done = Jobs(), []
    for urgency in (CHANGE, REQUEST, CHANGE, REQUEST):
        jobs.submit(urgency, done.append, urgency)
    while jobs.step():
        pass
    assert done == [REQUEST, REQUEST, CHANGE, CHANGE]


def test_only_some_requests_go_before_a_change() -> None:
    jobs = Jobs()
    crawlers = Crawlers(jobs)
    change = jobs.submit(CHANGE, lambda: crawlers.done)
    with pytest.raises(KeyboardInterrupt):
        jobs.run(lambda: True)
    assert change.result(0) == CLIENTS + AHEAD


def test_the_background_work_goes_on_between_requests() -> None:
    jobs = Jobs()
    crawlers = Crawlers(jobs)
    before: list[int] = []

    def idle() -> bool:
        before.append(crawlers.done)
        return False

    with pytest.raises(KeyboardInterrupt):
        jobs.run(idle)
    assert before == list(range(AHEAD + 1, ENOUGH, AHEAD + 1))


SIGNALED = """
import os, signal, threading
from devlog.engine.jobs import REQUEST, Jobs

jobs = Jobs()
jobs.stop_at(signal.SIGTERM)


def interrupt():
    os.kill(os.getpid(), signal.SIGTERM)
"""

WHILE_IT_WAITS = """
jobs.submit(REQUEST, threading.Timer(0.2, interrupt).start)
"""

UNNOTICED = """
waits = threading.Event()
threading.Thread(target=lambda: waits.wait() and interrupt()).start()  # this thread gets the signal
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
threading.Timer(0.2, waits.set).start()
"""

IN_A_DESTRUCTOR = """
class Item:
    def __del__(self):
        interrupt()


jobs.submit(REQUEST, lambda: Item() and None)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="has no such signals")
@pytest.mark.parametrize("when", [WHILE_IT_WAITS, UNNOTICED, IN_A_DESTRUCTOR])
def test_a_signal_ends_the_wait_whenever_it_comes(when: str) -> None:
    code = f"{SIGNALED}{when}\njobs.run(lambda: False)"
    ended = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ended.returncode in {0, -signal.SIGINT}, ended.stderr
    assert "KeyboardInterrupt" in ended.stderr


def test_it_stops_before_the_next_call() -> None:
    jobs, done = Jobs(), []
    for number in range(3):
        jobs.submit(REQUEST, done.append, number)
        jobs.submit(REQUEST, jobs.stop if number else done.copy)
    jobs.run(lambda: False)
    assert done == [0, 1]


def test_another_thread_stops_it_while_it_waits() -> None:
    jobs = Jobs()
    ending = threading.Timer(0.2, jobs.stop)
    jobs.submit(REQUEST, ending.start)
    jobs.run(lambda: False)
    assert ending.finished.is_set()
