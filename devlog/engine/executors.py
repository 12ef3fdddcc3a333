"""Where work is done: here, or in processes; anything with `submit` will do."""

from __future__ import annotations

import gc
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context
from typing import ParamSpec, TypeVar

T = TypeVar("T")
R = TypeVar("R")
P = ParamSpec("P")


class InlineExecutor(Executor):
    """Does work at once, in this process."""

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Call `fn` now."""
        future: Future[R] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class Workers:
    """Executors for the stages of one build: this process for little work, processes for more.

    Processes are started when the first stage needs them, and serve the stages after it too.
    """

    def __init__(self, jobs: int, preload: Sequence[str] = ()) -> None:
        """
        Args:
            jobs: how many processes may run; 0 for one on each processor.
            preload: modules that workers need, imported once for all of them.
        """
        self._jobs = jobs or _processors()
        self._preload = preload
        self._pool: Executor | None = None

    def executor(self, work: int) -> Executor:
        """An executor for `work` items: starting processes takes as long as some dozens of them."""
        if self._jobs == 1 or work < SMALL:
            return InlineExecutor()
        if self._pool is not None:
            try:
                self._pool.submit(_nothing).result()
            except BrokenProcessPool:  # a process died in an earlier stage, and took the pool with it
                self.close()
        if self._pool is None:
            self._pool = _processes(self._jobs, self._preload)
        return self._pool

    def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None


def _nothing() -> None:
    """Work that any living process can do."""


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _processes(jobs: int, preload: Sequence[str] = ()) -> ProcessPoolExecutor:
    # Never plain fork: a copy of a process with threads or open databases can hang.
    context = get_context("forkserver" if os.name == "posix" else "spawn")
    if preload:
        context.set_forkserver_preload(list(preload))
    return ProcessPoolExecutor(jobs, mp_context=context, initializer=_calm_collector)


def _calm_collector() -> None:
    """Spare a worker the search for circles among what it imported, which stays, and among short-lived tokens."""
    gc.freeze()
    gc.set_threshold(50_000)


SMALL = 64
"""Less work than this is done in this process."""

BATCH = 24
"""How many items a worker gets at once."""

AHEAD = 12
"""How many batches are sent before the first result is awaited: enough that no worker waits for us."""


def run(
    executor: Executor,
    function: Callable[[Sequence[T]], Sequence[R]],
    items: Iterable[T],
    failed: Callable[[T, str], R],
    batch: int = BATCH,
) -> Iterator[R]:
    """Apply `function` to all items in batches; results come in the order of the items.

    Items are taken as workers need them and results are handed on as they come, so neither all items nor all
    results are held at once.

    When a worker process dies, the items that were not finished are tried again, a batch at a time and in
    ever smaller parts where a process dies again, so that only the guilty one fails.

    Args:
        executor: where.
        function: turns a sequence of items into a sequence of as many results.
        items: the work.
        failed: makes the result of an item that ended its process.
        batch: how many items are sent at once.
    """
    ahead = 1 if isinstance(executor, InlineExecutor) else AHEAD
    sent: deque[tuple[Sequence[T], Future[Sequence[R]]]] = deque()
    iterator = iter(items)
    while some := list(islice(iterator, batch)):
        sent.append((some, _submit(executor, function, some)))
        if len(sent) >= ahead:
            yield from _result(function, *sent.popleft(), failed)
    while sent:
        yield from _result(function, *sent.popleft(), failed)


def _result(
    function: Callable[[Sequence[T]], Sequence[R]],
    items: Sequence[T],
    future: Future[Sequence[R]],
    failed: Callable[[T, str], R],
) -> Iterator[R]:
    try:
        yield from future.result()
    except BrokenProcessPool:
        yield from _again(function, items, failed)


def _submit(
    executor: Executor, function: Callable[[Sequence[T]], Sequence[R]], items: Sequence[T]
) -> Future[Sequence[R]]:
    """Send work away. A process may die while others are still being sent: then these have failed as well."""
    try:
        return executor.submit(function, items)
    except BrokenProcessPool as error:
        future: Future[Sequence[R]] = Future()
        future.set_exception(error)
        return future


def _again(
    function: Callable[[Sequence[T]], Sequence[R]], items: Sequence[T], failed: Callable[[T, str], R]
) -> Iterator[R]:
    """Do work in a process of its own; where that dies, search by halves for the item to blame."""
    try:
        with _processes(1) as pool:
            results = pool.submit(function, items).result()
    except BrokenProcessPool:
        if len(items) == 1:
            yield failed(items[0], "the process ended")
            return
        half = len(items) // 2
        yield from _again(function, items[:half], failed)
        yield from _again(function, items[half:], failed)
    else:
        yield from results
