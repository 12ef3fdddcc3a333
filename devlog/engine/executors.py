"""Runs work in this process, in worker processes, or through any other executor that has `submit`."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Literal, TypeVar

from devlog.engine import problems
from devlog.engine.executor_registry import INLINE, PLACE, PROCESSES, NoWorkersError, Opened, Opener, choose
from devlog.engine.toolchain import all_tools
from devlog.engine.work import Answer, Done, Loading, Outdated, Raised, Refused, Slow, work
from devlog.model.batch import next_batch
from devlog.model.error_line import error_line
from devlog.waiting import result_of

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

T = TypeVar("T")
R = TypeVar("R")

Failure = Literal["died"] | Slow
"""Why an item has no result: its process died, or it took too long."""

Function = Callable[[Sequence[T]], Sequence[R]]
Failed = Callable[[T, Failure], R]

SMALL = 64
"""Fewer items than this are run in this process: starting other processes takes as long as some dozens of items."""

BATCH = 24
"""The number of items in a batch for a worker process."""

SMALL_HEAVY = 2
"""Fewer heavy items than this are run in this process. A heavy item takes longer than starting a process, and is a
batch by itself."""

BATCH_AWAY = 96
"""The number of items in a batch for other executors. It is larger, since the theme is sent with each batch."""

AHEAD = 12
"""How many batches are submitted before waiting for the first result: enough that no worker is idle."""

LARGE = 8 << 20
"""How many bytes of items make a batch, as far as items say their sizes. So many are never run in this process while
there are workers, however few items they are."""

MOST_SENT = 64 << 20
"""How many bytes of items are submitted before waiting for the first result."""

SECONDS = 30.0
"""The time limit of an item in seconds, and of a batch, whose items are then run one by one. A source file of a
megabyte takes several seconds."""

ASK = 5.0
"""After how many seconds without a result to check whether the workers are still alive."""

PATIENCE = 10.0
"""How many seconds after twice the time limit to kill a process that should have stopped by itself: one that got little
of a processor has the time again, and one that was just started needs some seconds."""

MOMENT = 0.005
"""How many seconds a process takes no work after it has prepared itself."""

PAUSES = (0, 0, 0.05, 0.2, 0.5)
"""The seconds to wait before each attempt to submit work: a server that is ending needs a moment."""


def _batch(items: Iterator[T], count: int) -> list[T]:
    """The next `count` items, or fewer that have `LARGE` bytes together."""
    return next_batch(items, count, LARGE, lambda item: _size([item]))


def _size(items: Sequence[object]) -> int:
    """How many bytes items have, as far as they say."""
    return sum(item.size() for item in items if hasattr(item, "size"))


class Workers:
    """The workers of one build. They start when there is enough work, and stay for later stages."""

    def __init__(self, jobs: int, preload: Sequence[str] = (), executor: str = PROCESSES, seconds: float = 0) -> None:
        """
        Args:
            jobs: the maximum number of processes; 0 for one per processor.
            preload: modules that workers need, imported once for all processes.
            executor: the name of an executor, see `choose`.
            seconds: the time limit of an item in this process or in a worker process, and of a batch, whose items are
                then run one by one; 0 for `SECONDS`.

        Raises:
            NoWorkersError: if there is no such executor.
        """
        self._jobs = jobs or _processors()
        self._preload = preload
        self._seconds = seconds or SECONDS
        self._system = _System()
        opener = choose(executor)
        self._crew: _Processes | _Away | None = None
        if opener:
            self._crew = _Away(executor, opener)
        elif executor != INLINE and self._jobs > 1:
            self._crew = _Processes(self._jobs, preload, self._seconds, self._system)
        self._is_inline = executor == INLINE
        self._cell: _Processes | None = None

    def run(
        self,
        function: Function[T, R],
        items: Iterable[T],
        failed: Failed[T, R],
        *,
        heavy: bool = False,
        apart: Callable[[T], bool] | None = None,
        again: Callable[[T], T] = lambda item: item,
    ) -> Iterator[R]:
        """Apply `function` to all items in batches, and yield the results in the order of the items.

        Items are consumed as workers need them, and results are yielded as they arrive, so neither all items nor all
        results are in memory at once, and few large ones: an item may have a method `size`, which returns how many
        bytes it has.

        If workers are lost, their unfinished batches are run again in a separate process, first as a whole and then
        item by item, so that only the items that cause the crash fail. Each item is run twice before it fails.

        Args:
            function: converts a sequence of items into a sequence of as many results.
            items: the items.
            failed: returns the result for an item that could not be processed.
            heavy: whether an item takes about a second: then two are enough to start processes, and each is a batch.
            apart: for heavy work, returns whether an item must run in a separate process even if it is the only one,
                because it could crash this one.
            again: returns what to run for an item of which the process was lost: there may be no time left for it.

        Raises:
            NoWorkersError: if no workers are left.
        """
        iterator = iter(items)
        small = SMALL_HEAVY if heavy else SMALL
        first = _batch(iterator, small)
        rest = chain(first, iterator)
        is_small = len(first) < small and _size(first) < LARGE
        if self._crew is None or is_small or not self._crew.is_possible():
            while some := _batch(rest, 1 if heavy else BATCH):
                is_apart = apart is not None and apart(some[0])
                answer = self._alone(function, some) if is_apart else self._here(function, some)
                if answer == "died":  # perhaps the system has killed it for want of memory, as it does any process
                    answer = self._alone(function, [*map(again, some)])
                yield from self._results(function, some, answer, failed)
            return
        sent: deque[tuple[list[T], Future[Answer]]] = deque()
        count, bytes_sent = 1 if heavy else self._crew.batch, 0
        while some := _batch(rest, count):
            bytes_sent += _size(some)
            sent.append((some, self._crew.submit(function, some)))
            while len(sent) >= self._crew.ahead(heavy=heavy) or (sent and bytes_sent > MOST_SENT):
                bytes_sent -= _size(sent[0][0])
                yield from self._awaited(function, sent.popleft(), failed, again)
        while sent:
            yield from self._awaited(function, sent.popleft(), failed, again)

    def wake(self) -> None:
        """Start processes in the background, because they will be needed soon."""
        if isinstance(self._crew, _Processes):
            self._crew.wake()

    def prepare(self, function: Callable[[], None]) -> None:
        """Let idle processes call a function now that they would otherwise have to call later."""
        if isinstance(self._crew, _Processes):
            self._crew.prepare(function)

    def dismiss(self) -> None:
        """Tell the workers in the background that there is no more work."""
        if isinstance(self._crew, _Processes):
            self._crew.dismiss()

    def _awaited(
        self,
        function: Function[T, R],
        sent: tuple[list[T], Future[Answer]],
        failed: Failed[T, R],
        again: Callable[[T], T],
    ) -> Iterator[R]:
        assert self._crew
        items, future = sent
        answer = self._crew.answer(future)
        if answer == "died":
            answer = self._alone(function, [*map(again, items)])
        yield from self._results(function, items, answer, failed)

    def _results(
        self, function: Function[T, R], items: list[T], answer: Answer | Failure, failed: Failed[T, R]
    ) -> Iterator[R]:
        """The results of a batch. If there are none, its items are run one by one."""
        if isinstance(answer, Done):
            yield from answer.results
        elif isinstance(answer, Raised):
            if answer.error.__traceback__ is None:
                answer.error.add_note(answer.trace)
            raise answer.error
        elif isinstance(answer, Refused):
            raise NoWorkersError(problems.other_toolchain(PLACE, answer.reason))
        elif isinstance(answer, Outdated):
            yield from self._results(function, items, self._here(function, items), failed)
        elif len(items) == 1:
            yield failed(items[0], answer if isinstance(answer, Slow) else "died")
        else:
            for item in items:
                yield from self._results(function, [item], self._alone(function, [item]), failed)

    def _alone(self, function: Function[T, R], items: list[T]) -> Answer | Failure:
        """Run work where a crash affects nothing else: in a separate process, unless the executor is inline.

        It also runs here if the system has no processes for it.
        """
        if not self._is_inline:
            self._cell = self._cell or _Processes(1, self._preload, self._seconds, self._system)
        if self._cell is None or not self._cell.is_alive():
            return self._here(function, items)
        answer = self._cell.answer(self._cell.submit(function, items))
        is_lost = answer == "died" and not self._cell.is_alive()
        return self._here(function, items) if is_lost else answer

    def _here(self, function: Function[T, R], items: list[T]) -> Answer:
        """Run work in this process, which has loaded the code that counts."""
        return work(function.function if isinstance(function, Loading) else function, items, self._seconds, {})

    def close(self) -> None:
        """Stop all workers, without waiting for work that is still running."""
        for crew in (self._crew, self._cell):
            if crew:
                crew.close()


class _System:
    """What the pools of a build know about the system.

    Attributes:
        has_processes: whether worker processes can do work; None until one has done some, or none could. Only once it
            is known that they can, the death of one is the fault of its work. Once the system has refused another one,
            or what one needs, there are none for the rest of the build.
    """

    has_processes: bool | None = None


class _Processes:
    """Worker processes of this machine. Those that die, or do not respond, are replaced."""

    def __init__(self, jobs: int, preload: Sequence[str], seconds: float, system: _System) -> None:
        self._system = system
        self._seconds = seconds
        self.batch = BATCH
        self._jobs = jobs
        self._preload = preload
        self._pool: ProcessPoolExecutor | None = None
        self._leaving: threading.Thread | None = None  # shuts down a dismissed pool
        self._unfinished: set[Future[Answer]] = set()

    def ahead(self, *, heavy: bool) -> int:
        """How many batches are submitted before waiting for the first result.

        Of heavy items there are few: all that one file may still ask for is known only when their results are there.
        """
        return 2 * self._jobs if heavy else max(AHEAD, 2 * self._jobs)

    def is_possible(self) -> bool:
        """Whether worker processes may do work. If the system does not let a first pool be created, it is not tried
        again."""
        self.wake()
        return self._system.has_processes is not False

    def is_alive(self) -> bool:
        """Whether worker processes do work. If none has done any yet, one is given work that no item can spoil."""
        if self.is_possible() and self._system.has_processes is None:
            self.answer(self.submit(list, []))
            self._system.has_processes = bool(self._system.has_processes)
        return self._system.has_processes is True

    def submit(self, function: Function[T, R], items: list[T]) -> Future[Answer]:
        """Let a process do work. If none can be started any more, the work counts as lost."""
        from devlog.engine import processes  # loads multiprocessing, for which most builds have too little work

        if self._system.has_processes is False:
            return processes.lost()
        for pause in PAUSES:
            time.sleep(pause)
            try:
                self._open()
                assert self._pool
                with processes.uninterrupted():  # the pool may start a process
                    future = processes.submit(self._pool, work, function, items, self._seconds, {})
            except processes.GONE:  # a process died, which breaks the whole pool
                self._kill()
            else:
                self._unfinished.add(future)
                return future
        self._system.has_processes = False
        return processes.lost()

    def wake(self) -> None:
        """Start processes in the background, if that is possible."""
        if self._pool is None and self._system.has_processes is not False:
            from devlog.engine import processes

            try:
                self._open()
            except processes.NoPoolError:
                if self._system.has_processes is None:
                    self._system.has_processes = False  # otherwise the next submission tries again

    def _open(self) -> None:
        from devlog.engine import processes

        if self._pool is None:
            processes.begin(self._preload)
            with processes.uninterrupted():  # an incomplete pool would leak semaphores
                self._pool = processes.start(self._jobs)

    def prepare(self, function: Callable[[], None]) -> None:
        if self._pool:
            from devlog.engine import processes

            with (
                suppress(*processes.GONE),
                processes.uninterrupted(),
            ):  # the next submission notices, and starts another pool
                for _ in range(self._jobs):
                    processes.submit(self._pool, _prepared, function, MOMENT)

    def dismiss(self) -> None:
        if self._pool and not self._unfinished:
            from devlog.engine import processes

            with processes.uninterrupted():
                leaving = threading.Thread(target=self._pool.shutdown)
                try:
                    leaving.start()
                except RuntimeError:  # too many threads
                    self._pool.shutdown()
                else:
                    self._leaving = leaving
                self._pool = None

    def answer(self, future: Future[Answer]) -> Answer | Failure:
        """The answer to work that was submitted. Call it in the order of submission."""
        from concurrent.futures import BrokenExecutor, CancelledError  # most builds have no work for processes

        try:
            # A process stops by itself at its time limit. One that does not is running code that cannot be interrupted.
            done = result_of(future, 2 * self._seconds + PATIENCE)
        except TimeoutError:
            self._kill()
            done = Slow()
        except (BrokenExecutor, CancelledError):  # canceled if it was waiting in a pool that was killed
            self._unfinished.discard(future)
            if self._pool and self._pool._broken:  # there is no public API
                self._kill()
            return "died"
        else:
            if self._system.has_processes is None:
                self._system.has_processes = True
        self._unfinished.discard(future)
        return done

    def _kill(self) -> None:
        if self._pool:
            from devlog.engine import processes

            with processes.uninterrupted():  # killing only a part of it would leak semaphores
                if not processes.kill(self._pool):
                    self._system.has_processes = False
                self._pool = None

    def close(self) -> None:
        if self._pool is None and self._leaving is None:
            return
        from devlog.engine import processes

        with processes.uninterrupted():  # it takes a moment
            if self._unfinished:
                self._kill()
            elif self._pool:
                self._pool.shutdown()
                self._pool = None
            if self._leaving:  # if this process ended earlier, there would be warnings about leaked semaphores
                self._leaving.join()


class _Away:
    """Workers of another executor. Their toolchain must equal this process's, and if they are lost, it is reopened."""

    def __init__(self, name: str, opener: Opener) -> None:
        self.batch = BATCH_AWAY
        self._name = name
        self._opener = opener
        self._opened: Opened | None = None
        self._lost = 0  # how often they were lost since their last result
        self._unfinished: dict[Future[Answer], Opened] = {}  # the executor that each future was submitted to

    def is_possible(self) -> bool:
        """Whether work can be submitted at all: if not, `answer` says so."""
        return True

    def ahead(self, *, heavy: bool) -> int:
        """How many batches are submitted before waiting for the first result."""
        return 2 * self._open().slots + AHEAD

    def _open(self) -> Opened:
        if self._opened is None:
            self._opened = self._opener()
        return self._opened

    def submit(self, function: Function[T, R], items: list[T]) -> Future[Answer]:
        from concurrent.futures import Future

        future: Future[Answer]
        opened = self._open()
        try:
            future = opened.executor.submit(work, function, items, SECONDS, all_tools())
        except Exception as error:  # a broken executor
            future = Future()
            future.set_exception(error)
        self._unfinished[future] = opened
        return future

    def answer(self, future: Future[Answer]) -> Answer | Failure:
        """The answer to work that was submitted.

        `work` returns the exceptions of the work itself, so any exception raised here is a failure of the executor.
        """
        from concurrent.futures import wait

        answer: Answer | Failure
        try:
            sent_to = self._unfinished.get(future)
            while sent_to and sent_to is self._opened and sent_to.alive() and not wait([future], ASK).done:
                pass  # a lost executor returns no results, so stop waiting for it
            answer = future.result(timeout=0)
            self._lost = 0
        except Exception as error:
            answer = "died"
            self._recover(error)
        self._unfinished.pop(future, None)
        return answer

    def _recover(self, error: Exception) -> None:
        """Check whether the workers still respond. If not, close the executor, so that it is reopened, but only once.

        Raises:
            NoWorkersError: if they are lost for the second time in a row.
        """
        if self._answers():
            self._lost = 0
            return
        self._lost += 1
        if self._lost > 1:
            raise NoWorkersError(problems.no_workers(PLACE, self._name, error_line(error))) from error
        self.close()

    def _answers(self) -> bool:
        opened = self._open()
        try:
            if opened.alive():
                opened.executor.submit(_nothing).result(timeout=ASK)
        except TimeoutError:
            return True  # busy
        except Exception:  # it is still broken
            return False
        return opened.alive()

    def close(self) -> None:
        if self._opened:
            self._opened.close(not all(future.done() for future in self._unfinished))
            self._opened = None
            self._unfinished.clear()


def _processors() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _prepared(function: Callable[[], None], moment: float) -> None:
    """Call a function that every process must call, then wait, so that no fast process takes this work twice."""
    function()
    time.sleep(moment)


def _nothing() -> None:
    """Work that any live worker can do."""
