"""In which order the main thread does what it is asked for."""

from __future__ import annotations

import pytest

from devlog.engine.jobs import AHEAD, CHANGE, REQUEST, Jobs

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
