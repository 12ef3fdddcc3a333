"""Where work is done: here, in processes, or wherever an executor sends it; anything with `submit` will do."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future, wait
from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, Literal, TypeVar

from devlog.engine import problems
from devlog.engine.executor_registry import INLINE, PLACE, PROCESSES, NoWorkersError, Opened, Opener, choose, error_line
from devlog.engine.toolchain import tools
from devlog.engine.work import Answer, Done, Raised, Refused, Slow, work
from devlog.waiting import result_of

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

T = TypeVar("T")
R = TypeVar("R")

Failure = Literal["died", "slow"]
"""What became of an item: it ended its process, or it took too long."""

Function = Callable[[Sequence[T]], Sequence[R]]
Failed = Callable[[T, Failure], R]

SMALL = 64
"""Less work than this is done in this process: starting others takes as long as some dozens of items."""

BATCH = 24
"""How many items a process gets at once."""

SMALL_HEAVY = 2
"""The same of heavy work, of which an item takes longer than starting a process: each is sent by itself."""

BATCH_AWAY = 96
"""How many items a worker elsewhere gets at once: what is sent with each batch, the theme, weighs less."""

AHEAD = 12
"""How many batches are sent before the first result is awaited: enough that no worker waits for us."""

SECONDS = 30.0
"""How long an item may take, and a batch before its items are tried one by one. A text of a megabyte takes some."""

ASK = 5.0
"""After how many seconds without a result we ask whether the workers are still there."""

PATIENCE = 70.0
"""After how many seconds a process is killed that ought to have stopped by itself."""

GONE = (BrokenExecutor, OSError, EOFError)
"""What sending work to a pool raises after a process of it died. While the pool is being taken down, its own pipe may
be closed already, and the server that starts processes may end over it: then that is said instead."""

MOMENT = 0.005
"""So many seconds a process that has prepared itself takes no work."""

PAUSES = (0, 0, 0.05, 0.2, 0.5)
"""So many seconds pass before each try to send work: a server that ends needs a moment to be gone."""


class Workers:
    """Those who work for one build. They are called when there is enough work, and stay for the stages after it."""

    def __init__(self, jobs: int, preload: Sequence[str] = (), executor: str = PROCESSES, seconds: float = 0) -> None:
        """
        Args:
            jobs: how many processes may run; 0 for one on each processor.
            preload: modules that workers need, imported once for all processes.
            executor: the name of an executor, see `choose`.
            seconds: how long an item may take here or in a process, and a batch before its items are tried one by one;
                0 for `SECONDS`.

        Raises:
            NoWorkersError: there is no such executor.
        """
        self._jobs = jobs or _processors()
        self._preload = preload
        self._seconds = seconds or SECONDS
        opener = choose(executor)
        self._crew: _Processes | _Away | None = None
        if opener:
            self._crew = _Away(executor, opener)
        elif executor != INLINE and self._jobs > 1:
            self._crew = _Processes(self._jobs, preload, self._seconds)
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
    ) -> Iterator[R]:
        """Apply `function` to all items in batches; results come in the order of the items.

        Items are taken as workers need them and results are handed on as they come, so neither all items nor all
        results are held at once.

        When workers are lost, what they had not finished is tried again in a process of its own, first as it was
        sent and then item by item, so that only the guilty ones fail.

        Args:
            function: turns a sequence of items into a sequence of as many results.
            items: the work.
            failed: makes the result of an item that cannot be had.
            heavy: whether an item takes about a second: then even two are worth processes, and batches are of one.
            apart: of heavy work, whether an item is worth a process of its own even if it is the only one: it could
                end this one.

        Raises:
            NoWorkersError: nobody is left to do the work.
        """
        iterator = iter(items)
        small = SMALL_HEAVY if heavy else SMALL
        first = list(islice(iterator, small))
        rest = chain(first, iterator)
        if self._crew is None or len(first) < small:
            while some := list(islice(rest, 1 if heavy else BATCH)):
                is_apart = apart is not None and apart(some[0])
                answer = self._alone(function, some) if is_apart else self._here(function, some)
                yield from self._results(function, some, answer, failed)
            return
        sent: deque[tuple[list[T], Future[Answer]]] = deque()
        batch = 1 if heavy else self._crew.batch
        while some := list(islice(rest, batch)):
            sent.append((some, self._crew.submit(function, some)))
            if len(sent) >= self._crew.ahead:
                yield from self._awaited(function, *sent.popleft(), failed)
        while sent:
            yield from self._awaited(function, *sent.popleft(), failed)

    def wake(self) -> None:
        """Let processes begin to start, which will be needed soon. Nobody waits for them."""
        if isinstance(self._crew, _Processes):
            self._crew.wake()

    def prepare(self, function: Callable[[], None]) -> None:
        """Let the processes that wait for work do something now that they would have to do later."""
        if isinstance(self._crew, _Processes):
            self._crew.prepare(function)

    def dismiss(self) -> None:
        """Tell the workers that there is nothing more to do. Nobody waits for them to go."""
        if isinstance(self._crew, _Processes):
            self._crew.dismiss()

    def _awaited(
        self, function: Function[T, R], items: list[T], future: Future[Answer], failed: Failed[T, R]
    ) -> Iterator[R]:
        assert self._crew
        answer = self._crew.answer(future)
        if answer == "died":
            answer = self._alone(function, items)
        yield from self._results(function, items, answer, failed)

    def _results(
        self, function: Function[T, R], items: list[T], answer: Answer | Failure, failed: Failed[T, R]
    ) -> Iterator[R]:
        """The results of a batch. If there are none, its items are tried one by one."""
        if isinstance(answer, Done):
            yield from answer.results
        elif isinstance(answer, Raised):
            if answer.error.__traceback__ is None:
                answer.error.add_note(answer.trace)
            raise answer.error
        elif isinstance(answer, Refused):
            raise NoWorkersError(problems.other_toolchain(PLACE, answer.reason))
        elif len(items) == 1:
            yield failed(items[0], "slow" if isinstance(answer, Slow) else "died")
        else:
            for item in items:
                yield from self._results(function, [item], self._alone(function, [item]), failed)

    def _alone(self, function: Function[T, R], items: list[T]) -> Answer | Failure:
        """Do work where nothing else is touched by what it does: in a process of its own, if there may be others."""
        if self._is_inline:
            return self._here(function, items)
        self._cell = self._cell or _Processes(1, self._preload, self._seconds)
        return self._cell.answer(self._cell.submit(function, items))

    def _here(self, function: Function[T, R], items: list[T]) -> Answer:
        """Do work in this process."""
        return work(function, items, self._seconds, {})

    def close(self) -> None:
        """Let all go. Work that is still under way is not waited for."""
        for crew in (self._crew, self._cell):
            if crew:
                crew.close()


class _Processes:
    """Processes of this machine. Those that die, or do not answer, are replaced."""

    def __init__(self, jobs: int, preload: Sequence[str], seconds: float) -> None:
        self._seconds = seconds
        self.batch = BATCH
        self.ahead = max(AHEAD, 2 * jobs)
        self._jobs = jobs
        self._preload = preload
        self._pool: ProcessPoolExecutor | None = None
        self._leaving: threading.Thread | None = None  # lets a dismissed pool go
        self._unfinished: set[Future[Answer]] = set()

    def submit(self, function: Function[T, R], items: list[T]) -> Future[Answer]:
        from devlog.engine import processes  # with multiprocessing: most builds have too little work for it

        for pause in PAUSES:
            time.sleep(pause)
            try:
                self.wake()
                assert self._pool
                with processes.uninterrupted():  # it may start one
                    future = self._pool.submit(work, function, items, self._seconds, {})
            except GONE:  # one died, and took all with it
                self._kill()
            else:
                break
        else:
            future = Future()
            future.set_exception(BrokenExecutor())
        self._unfinished.add(future)
        return future

    def wake(self) -> None:
        from devlog.engine import processes

        if self._pool is None:
            processes.begin(self._preload)
            with processes.uninterrupted():  # half a pool would leave semaphores behind
                self._pool = processes.start(self._jobs)

    def prepare(self, function: Callable[[], None]) -> None:
        if self._pool:
            from devlog.engine import processes

            with suppress(*GONE), processes.uninterrupted():  # the next work will find out, and be done elsewhere
                for _ in range(self._jobs):
                    self._pool.submit(_prepared, function, MOMENT)

    def dismiss(self) -> None:
        if self._pool and not self._unfinished:
            from devlog.engine import processes

            with processes.uninterrupted():
                self._leaving = threading.Thread(target=self._pool.shutdown)
                self._leaving.start()
                self._pool = None

    def answer(self, future: Future[Answer]) -> Answer | Failure:
        """What became of work that was sent. It must be asked for in the order in which it was sent."""
        try:
            # A process stops by itself when its time is up. One that does not is in code that nothing interrupts.
            done = result_of(future, PATIENCE)
        except TimeoutError:
            self._kill()
            done = Slow()
        except (BrokenExecutor, CancelledError):  # cancelled is what waited in a pool that was killed
            self._unfinished.discard(future)
            return "died"
        self._unfinished.discard(future)
        return done

    def _kill(self) -> None:
        if self._pool:
            from devlog.engine import processes

            with processes.uninterrupted():  # half of it would leave semaphores behind
                processes.kill(self._pool)
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
            if self._leaving:  # a process that ended before would be told of semaphores that nobody has removed
                self._leaving.join()


class _Away:
    """Workers that are not ours. They are asked whether they are like us, and opened anew when they are lost."""

    def __init__(self, name: str, opener: Opener) -> None:
        self.batch = BATCH_AWAY
        self._name = name
        self._opener = opener
        self._opened: Opened | None = None
        self._lost = 0  # how often they were lost since they last did anything
        self._unfinished: dict[Future[Answer], Opened] = {}  # by what was sent: to whom

    @property
    def ahead(self) -> int:
        """How many batches are sent before the first result is awaited."""
        return 2 * self._open().slots + AHEAD

    def _open(self) -> Opened:
        if self._opened is None:
            self._opened = self._opener()
        return self._opened

    def submit(self, function: Function[T, R], items: list[T]) -> Future[Answer]:
        future: Future[Answer]
        opened = self._open()
        try:
            future = opened.executor.submit(work, function, items, SECONDS, dict(tools()))
        except Exception as error:  # a broken executor
            future = Future()
            future.set_exception(error)
        self._unfinished[future] = opened
        return future

    def answer(self, future: Future[Answer]) -> Answer | Failure:
        """What became of work that was sent.

        `work` returns what is wrong with the work, so whatever is raised is the trouble of those who should do it.
        """
        answer: Answer | Failure
        try:
            sent_to = self._unfinished.get(future)
            while sent_to and sent_to is self._opened and sent_to.alive() and not wait([future], ASK).done:
                pass  # those who are gone bring nothing back
            answer = future.result(timeout=0)
            self._lost = 0
        except Exception as error:
            answer = "died"
            self._recover(error)
        self._unfinished.pop(future, None)
        return answer

    def _recover(self, error: Exception) -> None:
        """Find out whether there is still someone to work. If not, others are looked for, once."""
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
        except Exception:  # as broken as it was
            return False
        return opened.alive()

    def close(self) -> None:
        if self._opened:
            self._opened.close(not all(future.done() for future in self._unfinished))
            self._opened = None
            self._unfinished.clear()


def _processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _prepared(function: Callable[[], None], moment: float) -> None:
    """Do what all are to do, and then leave it to the others for a moment: who is quick would take it twice."""
    function()
    time.sleep(moment)


def _nothing() -> None:
    """Work that any living worker can do."""
