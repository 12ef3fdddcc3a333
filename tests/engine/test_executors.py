"""Work is done in order, wherever it is done, and a worker's death costs only the item that caused it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from lumen import lumen
from sites import build_site, read_tree, write_site

import devlog.parse.parse as parsing
import devlog.stages
from devlog.engine import executors
from devlog.engine.executors import InlineExecutor, Workers, run
from devlog.model.target import Output


def double(items: Sequence[int]) -> list[int]:
    return [2 * item for item in items]


def die_at_13(items: Sequence[int]) -> list[int]:
    if 13 in items:
        os._exit(3)
    return double(items)


def crash_at_13_and_40(items: Sequence[int]) -> list[int]:
    if 13 in items or 40 in items:
        os.kill(os.getpid(), signal.SIGSEGV)
    return double(items)


def die_at_13_else_take_a_while(items: Sequence[int]) -> list[int]:
    if 13 not in items:
        time.sleep(0.02)
    return die_at_13(items)


def refuse_13(items: Sequence[int]) -> list[int]:
    if 13 in items:
        raise ValueError("13")
    return double(items)


def process_of(items: Sequence[int]) -> list[int]:
    return [os.getpid() for _ in items]


def failed(item: int, reason: str) -> int:
    assert reason
    return -item


@pytest.fixture(params=[1, 2])
def jobs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(executors, "SMALL", 1)
    return int(request.param)


@pytest.mark.parametrize("count", [0, 1, 7, 50])
def test_results_come_in_the_order_of_the_items(jobs: int, count: int) -> None:
    with closing(Workers(jobs)) as workers:
        assert list(run(workers.executor(executors.SMALL), double, range(count), failed, batch=3)) == [
            2 * item for item in range(count)
        ]


def test_exceptions_reach_the_caller(jobs: int) -> None:
    with closing(Workers(jobs)) as workers, pytest.raises(ValueError, match="13"):
        list(run(workers.executor(executors.SMALL), refuse_13, range(50), failed, batch=3))


@pytest.mark.parametrize(("function", "guilty"), [(die_at_13, {13}), (crash_at_13_and_40, {13, 40})])
def test_only_the_item_that_ends_its_process_fails(
    function: executors.Callable[[Sequence[int]], list[int]], guilty: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "SMALL", 1)
    with closing(Workers(2)) as workers:
        results = list(run(workers.executor(executors.SMALL), function, range(50), failed, batch=8))
    assert results == [-item if item in guilty else 2 * item for item in range(50)]


def test_a_process_may_die_while_work_is_still_being_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "SMALL", 1)
    with closing(Workers(2)) as workers:
        executor = workers.executor(executors.SMALL)
        assert executor.submit(die_at_13, [13]).exception()  # from now on it takes no work
        assert list(run(executor, double, range(10), failed, batch=5)) == [2 * item for item in range(10)]


def test_a_pool_that_broke_is_replaced_for_the_next_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "SMALL", 1)
    with closing(Workers(2)) as workers:
        broken = workers.executor(10)
        assert broken.submit(die_at_13, [13]).exception()
        assert workers.executor(10) is not broken
        assert workers.executor(10).submit(double, [2]).result() == [4]


def test_after_a_death_processes_are_not_started_for_each_item(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process starts in a tenth of a second or so: one for each of ten thousand items would take an hour."""
    started: list[int] = []
    processes = executors._processes

    def counted(jobs: int, preload: Sequence[str] = ()) -> executors.ProcessPoolExecutor:
        started.append(jobs)
        return processes(jobs, preload)

    monkeypatch.setattr(executors, "SMALL", 1)
    monkeypatch.setattr(executors, "_processes", counted)
    with closing(Workers(2)) as workers:
        results = list(
            run(workers.executor(executors.SMALL), die_at_13_else_take_a_while, range(400), failed, batch=20)
        )
    assert results == [-item if item == 13 else 2 * item for item in range(400)]
    assert len(started) <= 1 + 20 + 2 * 5  # the pool, one for each batch, and those that find the guilty one


def test_small_work_stays_in_this_process() -> None:
    assert isinstance(Workers(0).executor(executors.SMALL - 1), InlineExecutor)
    assert isinstance(Workers(1).executor(10**6), InlineExecutor)


def test_large_work_is_done_by_other_processes() -> None:
    with closing(Workers(2)) as workers:
        assert os.getpid() not in run(workers.executor(executors.SMALL), process_of, range(10), failed, batch=2)


def test_inline_executor_keeps_exceptions_in_the_future() -> None:
    future = InlineExecutor().submit(refuse_13, [13])
    assert isinstance(future.exception(), ValueError)
    assert InlineExecutor().submit(double, items=[1]).result() == [2]


# -- whole builds; a worker imports this module when it unpickles these functions

render_jobs = devlog.stages._render_jobs
POISON = "This text ends the process that parses it."


def poisoned_parse(sources: Sequence[parsing.Source], options: parsing.ParseOptions) -> list[parsing.ParsedRecord]:
    if any(POISON in source.text for source in sources):
        os._exit(1)
    return parsing.parse_batch(sources, options)


def poisoned_render(jobs: Sequence[object], theme: object) -> list[Output]:
    if any(job.target.path == "about/index.html" for job in jobs):  # type: ignore[attr-defined]
        os.kill(os.getpid(), signal.SIGSEGV)
    return render_jobs(jobs, theme)  # type: ignore[arg-type]


def test_a_text_that_kills_its_worker_is_named_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "SMALL", 1)
    root = write_site(tmp_path, lumen())
    assert not build_site(root, jobs=2).failed
    good = read_tree(root / "public")
    file = root / "content/about.md"
    sane = file.read_text("utf-8")
    file.write_text(sane + POISON, "utf-8")
    with monkeypatch.context() as patch:
        patch.setattr("devlog.stages.parse_batch", poisoned_parse)
        report = build_site(root, jobs=2, cache=False)
    errors = [item for item in report.diagnostics if item.severity == "error"]
    assert [(item.code, item.span.path) for item in errors] == [("worker-died", "content/about.md")]
    assert read_tree(root / "public") == good
    # What failed is not remembered: with a parser that survives the text, it is parsed.
    report = build_site(root, jobs=2)
    assert not report.failed
    assert POISON.encode() in (root / "public/about/index.html").read_bytes()


def test_a_page_that_kills_its_worker_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "SMALL", 1)
    root = write_site(tmp_path, lumen())
    monkeypatch.setattr("devlog.stages._render_jobs", poisoned_render)
    report = build_site(root, jobs=2)
    errors = [item for item in report.diagnostics if item.severity == "error"]
    assert [(item.code, item.span.path) for item in errors] == [("worker-died", "about/index.html")]
    assert not (root / "public").exists()
