"""Work is done in order, wherever it is done, and a worker's death costs only the item that caused it."""

from __future__ import annotations

import errno
import importlib
import multiprocessing
import os
import re
import signal
import struct
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from contextlib import closing, suppress
from functools import partial
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import pytest
from lumen import lumen
from sites import build_site, read_tree, write_site

import devlog.stages
from devlog.engine import executors, processes
from devlog.engine.executor_registry import NoWorkersError, choose
from devlog.engine.executors import Failure, Workers
from devlog.engine.toolchain import all_tools
from devlog.engine.work import Done, Loading, Slow, time_limit, work
from devlog.model.target import Output
from devlog.out_of_time import OutOfTimeError
from devlog.parse.code.highlight import highlight

ENDLESS = re.compile(r"(a+)+$")
needs_alarm = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no interval timers")


def double(items: Sequence[int]) -> list[int]:
    return [2 * item for item in items]


def leave_a_name(folder: Path) -> None:
    (folder / str(os.getpid())).touch()


def die_at_13(items: Sequence[int]) -> list[int]:
    if 13 in items:
        os._exit(3)
    return double(items)


def end_at_once() -> None:
    os._exit(3)


def crash_at_13_and_40(items: Sequence[int]) -> list[int]:
    if 13 in items or 40 in items:
        os.kill(os.getpid(), signal.SIGSEGV)
    return double(items)


def begin_a_result_at_13(items: Sequence[int]) -> list[int]:
    """Write the first bytes of a result, as a process has done that is killed in the midst of writing one."""
    if 13 in items:
        frame = sys._getframe()
        while "result_queue" not in frame.f_locals:
            assert frame.f_back
            frame = frame.f_back
        os.write(frame.f_locals["result_queue"]._writer.fileno(), struct.pack("!i", 1000) + b"half")
        time.sleep(60)
    return double(items)


def die_at_13_else_take_a_while(items: Sequence[int]) -> list[int]:
    if 13 not in items:
        time.sleep(0.02)
    return die_at_13(items)


def match_for_ever_at_13(items: Sequence[int]) -> list[int]:
    if 13 in items:
        ENDLESS.match("a" * 60 + "b")
    return double(items)


def swallow_all_at_13(items: Sequence[int]) -> list[int]:
    """What a parser does that takes every exception for a mistake in the text."""
    while 13 in items:
        with suppress(Exception):
            time.sleep(60)
    return double(items)


def hear_nothing_at_13(items: Sequence[int]) -> list[int]:
    """Like code in C that never looks up."""
    if 13 in items:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        time.sleep(600)
    return double(items)


def hear_nothing_at_13_or_40(items: Sequence[int]) -> list[int]:
    """One in each of the first two batches: no process is left."""
    return hear_nothing_at_13([13 if item == 40 else item for item in items]) and double(items)


def refuse_13(items: Sequence[int]) -> list[int]:
    if 13 in items:
        raise ValueError("13")
    return double(items)


def process_of(items: Sequence[int]) -> list[int]:
    return [os.getpid() for _ in items]


def thread_of(items: Sequence[int]) -> list[int]:
    return [threading.get_ident() for _ in items]


def failed(item: int, failure: Failure) -> int:
    return -item if failure == "died" else -1000 - item


class Item(NamedTuple):
    """An item that says how large it is."""

    number: int
    bytes_held: int

    def size(self) -> int:
        return self.bytes_held


def double_items(items: Sequence[Item]) -> list[int]:
    return [2 * item.number for item in items]


def processes_of(items: Sequence[Item]) -> list[int]:
    return [os.getpid() for _ in items]


def count_of(items: Sequence[int]) -> list[int]:
    return [len(items)] * len(items)


def doubled(count: int, *, died: Sequence[int] = (), slow: Sequence[int] = ()) -> list[int]:
    """What `run` gives for the numbers below `count`."""
    return [-item if item in died else -1000 - item if item in slow else 2 * item for item in range(count)]


@pytest.fixture(autouse=True)
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """No work is too little for other processes, and batches are small."""
    monkeypatch.setattr(executors, "SMALL", 1)
    monkeypatch.setattr(executors, "BATCH", 8)
    monkeypatch.setattr(executors, "BATCH_AWAY", 8)


def run(function: Callable[[Sequence[int]], list[int]], count: int, executor: str = "processes") -> list[int]:
    with closing(Workers(2, executor=executor)) as workers:
        return list(workers.run(function, range(count), failed))


# -- factories; `test_executors:threads` names the first of them


class Threads(ThreadPoolExecutor):
    """Threads that tell whether they were ended."""

    ended: ClassVar[list[bool]] = []

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self.ended.append(wait)
        super().shutdown(wait, cancel_futures=cancel_futures)


class OutOfOrder(Executor):
    """Takes work, and does none."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_exception(ConnectionError("nobody\nhere"))
        return future


def threads() -> Executor:
    return Threads(4)


def others() -> Executor:
    return ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("forkserver"))


def no_executor() -> int:
    return 3


def faulty() -> Executor:
    raise RuntimeError("no room for caf\udce9")


# -- order, exceptions, where it is done


@pytest.mark.parametrize(
    "executor", ["inline", "processes", "test_executors:threads", "concurrent.futures:ThreadPoolExecutor"]
)
@pytest.mark.parametrize("count", [0, 1, 7, 50, 300])
def test_results_come_in_the_order_of_the_items(executor: str, count: int) -> None:
    assert run(double, count, executor) == doubled(count)


@pytest.mark.parametrize("executor", ["inline", "processes", "test_executors:threads"])
@pytest.mark.parametrize(("size", "most"), [(1, 210), (10, 30), (1000, 2)])
def test_few_large_items_are_held_at_once(executor: str, size: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "LARGE", 50)
    monkeypatch.setattr(executors, "MOST_SENT", 200)
    taken, held = 0, list[int]()

    def items() -> Iterator[Item]:
        nonlocal taken
        for taken in range(1, 301):
            yield Item(taken - 1, size)

    with closing(Workers(2, executor=executor)) as workers:
        for number, result in enumerate(
            workers.run(double_items, items(), lambda item, failure: failed(item.number, failure))
        ):
            assert result == 2 * number
            held.append(taken - number)
    assert taken == 300
    assert max(held) <= most


def test_few_large_items_run_in_other_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """There they can be ended, and have a limit of memory."""
    monkeypatch.setattr(executors, "SMALL", 64)
    with closing(Workers(2)) as workers:
        small, large = (
            set(workers.run(processes_of, [Item(number, size) for number in range(3)], lambda item, _: item.number))
            for size in (1, executors.LARGE)
        )
    assert small == {os.getpid()}
    assert os.getpid() not in large


@pytest.mark.parametrize("executor", ["inline", "processes", "test_executors:threads"])
def test_exceptions_reach_the_caller(executor: str) -> None:
    with pytest.raises(ValueError, match="13") as caught:
        run(refuse_13, 50, executor)
    assert "in refuse_13" in "".join(traceback.format_exception(caught.value))


def test_items_are_taken_as_they_are_needed() -> None:
    taken = 0

    def items() -> Iterator[Item]:
        nonlocal taken
        while True:
            yield taken
            taken += 1

    with closing(Workers(2)) as workers:
        results = workers.run(double, items(), failed)
        assert [next(results) for _ in range(3)] == [0, 2, 4]
        assert taken < 200


def test_small_work_stays_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "SMALL", 64)
    assert set(run(process_of, 63)) == {os.getpid()}
    assert set(run(process_of, 64, "inline")) == {os.getpid()}
    assert set(run(thread_of, 63, "test_executors:threads")) == {threading.get_ident()}
    with closing(Workers(1)) as workers:
        assert set(workers.run(process_of, range(100), failed)) == {os.getpid()}


@pytest.mark.parametrize("executor", ["processes", "test_executors:others"])
def test_large_work_is_done_by_other_processes(executor: str) -> None:
    assert os.getpid() not in run(process_of, 300, executor)


def test_large_work_is_done_by_the_threads_of_a_factory() -> None:
    Threads.ended.clear()
    assert threading.get_ident() not in run(thread_of, 300, "test_executors:threads")
    assert Threads.ended == [True]


def is_process(process: int) -> bool:
    return os.getpid() == process


def test_processes_with_other_code_leave_the_work_to_this_one() -> None:
    """They load it by themselves, when they start."""
    function = Loading(process_of, partial(is_process, os.getpid()))
    with closing(Workers(2)) as workers:
        assert {*workers.run(function, range(200), failed)} == {os.getpid()}
        assert os.getpid() not in {*workers.run(Loading(process_of, partial(bool, 1)), range(200), failed)}


def test_each_process_prepares_itself_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "MOMENT", 1.0)  # on a busy machine the other may take a while to wake up
    with closing(Workers(2)) as workers:
        many = range(10 * executors.BATCH)
        assert [*workers.run(double, many, failed)] == double(many)
        workers.prepare(partial(leave_a_name, tmp_path))
        assert [*workers.run(double, many, failed)] == double(many)
    assert len([*tmp_path.iterdir()]) == 2


def linger(items: Sequence[int]) -> list[int]:
    """Let the process that does this take its time to end."""
    Finalize(None, time.sleep, (1,), exitpriority=1)
    return list(items)


@pytest.mark.slow
def test_a_process_that_ends_leaves_nothing_of_dismissed_workers() -> None:
    """It ends as commands do, without Python's own clearing up; workers may still be on their way out."""
    code = """
import os
from test_executors import Workers, failed, linger
workers = Workers(2)
assert len([*workers.run(linger, range(100), failed)]) == 100
workers.dismiss()
workers.close()
os._exit(0)
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_work_that_nobody_waits_for_is_given_up() -> None:
    Threads.ended.clear()
    with closing(Workers(2, executor="test_executors:threads")) as workers:
        next(workers.run(die_late, range(300), failed))
    assert Threads.ended == [False]


def die_late(items: Sequence[int]) -> list[int]:
    if 0 not in items:
        time.sleep(0.2)
    return double(items)


# -- deaths


@pytest.mark.parametrize(("function", "guilty"), [(die_at_13, [13]), (crash_at_13_and_40, [13, 40])])
@pytest.mark.parametrize("executor", ["processes", "test_executors:others"])
@pytest.mark.slow
def test_only_the_item_that_ends_its_process_fails(
    function: Callable[[Sequence[int]], list[int]], guilty: list[int], executor: str
) -> None:
    assert run(double, 3, executor)  # workers that never did anything would be no workers at all
    assert run(function, 50, executor) == doubled(50, died=guilty)


def die_at_first(times: int, folder: Path, items: Sequence[int]) -> list[int]:
    """Like a process that the system kills, whatever it works on."""
    runs = len([*folder.iterdir()])
    (folder / str(runs)).touch()
    if runs < times:
        os.kill(os.getpid(), signal.SIGKILL)
    return double(items)


@pytest.mark.slow
@pytest.mark.parametrize(("times", "results", "runs"), [(1, [14], 2), (9, [-7], 2)])
def test_a_lone_item_is_run_twice_before_it_fails(times: int, results: list[int], runs: int, tmp_path: Path) -> None:
    """The first death may be the system's doing; after the second, the item is to blame."""
    function = partial(die_at_first, times, tmp_path)
    with closing(Workers(2)) as workers:
        assert [*workers.run(function, [7], failed, heavy=True, apart=lambda _: True)] == results
    assert len([*tmp_path.iterdir()]) == runs


def test_a_pool_that_broke_between_stages_is_replaced() -> None:
    with closing(Workers(2)) as workers:
        pid = next(workers.run(process_of, range(1), failed))
        pool: Any = workers._crew._pool  # type: ignore[union-attr]
        os.kill(pid, signal.SIGKILL)
        while not pool._broken:  # Python's pool does not stand it if one more process is started at this moment
            time.sleep(0.01)
        assert list(workers.run(double, range(20), failed)) == doubled(20)
        assert pid not in workers.run(process_of, range(20), failed)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the pools that are started."""
    found: list[int] = []
    start = processes.start

    def counted(jobs: int) -> ProcessPoolExecutor:
        found.append(jobs)
        return start(jobs)

    monkeypatch.setattr(processes, "start", counted)
    return found


def test_after_a_death_processes_are_not_started_for_each_item(
    started: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process starts in a tenth of a second or so: one for each of ten thousand items would take an hour."""
    monkeypatch.setattr(executors, "BATCH", 20)
    assert run(die_at_13_else_take_a_while, 400) == doubled(400, died=[13])
    # The pool and the next one; a process for what had not come back, and two more after the two deaths in it.
    assert sorted(started) == [1, 1, 1, 2, 2]


@pytest.mark.parametrize(
    "error", [FileNotFoundError(2, "no /dev/shm"), ImportError("no sem_open"), NotImplementedError()]
)
def test_without_semaphores_work_is_done_in_this_process(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def refuse(jobs: int, **_options: object) -> None:
        tried.append(jobs)
        raise error

    monkeypatch.setattr(processes, "ProcessPoolExecutor", refuse)
    with closing(Workers(2)) as workers:
        workers.wake()
        for _ in range(2):
            assert set(workers.run(process_of, range(20), failed)) == {os.getpid()}
            found = workers.run(process_of, [1], failed, heavy=True, apart=lambda _item: True)
            assert set(found) == {os.getpid()}
    assert tried == [2]


@pytest.mark.parametrize("number", [errno.EPERM, errno.EAGAIN, errno.EMFILE, errno.ENAMETOOLONG])
@pytest.mark.skipif(sys.platform == "win32", reason="there is no server")
def test_without_a_server_work_is_done_in_this_process(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def refuse() -> None:
        tried.append(number)
        raise OSError(number, "no server")

    monkeypatch.setattr(processes, "_start_server", refuse)
    with closing(Workers(2)) as workers:
        for _ in range(2):
            workers.wake()
            assert set(workers.run(process_of, range(100), failed)) == {os.getpid()}
            found = workers.run(process_of, [1], failed, heavy=True, apart=lambda _item: True)
            assert set(found) == {os.getpid()}
    assert tried == [number]


def test_processes_that_never_do_anything_are_not_tried_for_each_item(
    started: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_begin", end_at_once)
    with closing(Workers(2)) as workers:
        for _ in range(2):
            assert set(workers.run(process_of, range(400), failed)) == {os.getpid()}
    assert started.count(1) == 1
    assert len(started) <= executors.AHEAD + 2


def test_the_first_item_that_ends_its_process_does_not_end_this_one() -> None:
    with closing(Workers(2)) as workers:
        assert list(workers.run(die_at_13, [13], failed, heavy=True, apart=lambda _item: True)) == [-13]
    with closing(Workers(2)) as workers:
        assert list(workers.run(die_at_13, [13, 13], failed, heavy=True)) == [-13, -13]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no server")
@pytest.mark.parametrize("is_lost", [True, False])
def test_if_processes_cannot_be_started_any_more_work_goes_on_in_this_one(
    is_lost: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[int] = []

    def refuse() -> None:
        tried.append(1)
        raise OSError(errno.EMFILE, "too many open files")

    monkeypatch.setattr(executors, "PAUSES", (0, 0))
    with closing(Workers(2)) as workers:
        done = workers.run(process_of, range(4), failed, heavy=True)
        pid = next(done)
        monkeypatch.setattr(processes, "_start_server", refuse)
        if is_lost:
            os.kill(pid, signal.SIGKILL)
        assert -1 not in list(done)
        workers.dismiss()
        for _ in range(2):
            assert set(workers.run(process_of, range(100), failed)) == {os.getpid()}
    assert len(tried) == 3  # to start them early, and two attempts to submit


@pytest.mark.parametrize("is_elsewhere", [True, False])
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the folder for temporary files may be the only one")
def test_a_temporary_folder_may_have_a_longer_name_than_a_socket(is_elsewhere: bool, tmp_path: Path) -> None:
    """Another folder is used for the socket; if there is none, work is done in one process."""
    long = tmp_path / ("long" * 30)
    long.mkdir()
    code = f"""
import multiprocessing, os, tempfile
from pathlib import Path
from test_executors import Workers, failed, process_of, processes
if not {is_elsewhere}:
    processes._SHORT = ()
workers = Workers(2)
done = [*workers.run(process_of, range(100), failed)]
folder = multiprocessing.util.get_temp_dir()
workers.close()
processes.clear()
print(os.getpid() in done, -1 in done, tempfile.gettempdir(), Path(folder).exists())
"""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path]),
        "TMPDIR": str(long),
    }
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"{not is_elsewhere} False {long} False\n", "")
    assert not any(long.iterdir())


# -- time


@needs_alarm
@pytest.mark.parametrize("function", [match_for_ever_at_13, swallow_all_at_13])
@pytest.mark.parametrize("executor", ["inline", "processes", "test_executors:others"])
@pytest.mark.slow
def test_only_the_item_that_takes_too_long_fails(
    function: Callable[[Sequence[int]], list[int]], executor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "SECONDS", 1.0)
    assert run(function, 50, executor) == doubled(50, slow=[13])


@needs_alarm
@pytest.mark.slow
def test_a_process_that_cannot_be_interrupted_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "SECONDS", 1.0)
    monkeypatch.setattr(executors, "PATIENCE", 10.0)  # on a busy machine a process starts in some seconds
    assert run(hear_nothing_at_13, 50) == doubled(50, slow=[13])


def test_half_a_result_is_not_waited_for() -> None:
    pool = processes.start(1)
    future = pool.submit(begin_a_result_at_13, [13])
    assert not wait([future], 2).done
    results: Any = pool._result_queue  # type: ignore[attr-defined]
    killing = threading.Thread(target=processes.kill, args=(pool,), daemon=True)
    killing.start()
    killing.join(20)
    ended = not killing.is_alive()
    results._writer.close()  # else a fault would keep this process
    assert ended
    assert isinstance(future.exception(0), BrokenExecutor)


@needs_alarm
@pytest.mark.slow
def test_what_waits_for_processes_that_are_killed_is_done_after_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "SECONDS", 1.0)
    monkeypatch.setattr(executors, "PATIENCE", 10.0)  # on a busy machine a process starts in some seconds
    assert run(hear_nothing_at_13_or_40, 300) == doubled(300, slow=[13, 40])


@pytest.mark.slow
@needs_alarm
def test_an_alarm_leaves_no_trace() -> None:
    before = signal.getsignal(signal.SIGALRM)
    assert work(match_for_ever_at_13, [13], 0.2, {}) == Slow()
    assert work(double, [1], 0.2, {}) == Done([2])
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert signal.getsignal(signal.SIGALRM) is before


@pytest.mark.slow
@needs_alarm
def test_code_that_did_not_have_the_processor_gets_the_time_once_more() -> None:
    with time_limit(0.2):
        time.sleep(0.3)
    with time_limit(0.1):  # as if the process had been stopped for a while
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        time.sleep(0.4)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
    with pytest.raises(OutOfTimeError), time_limit(0.2):
        time.sleep(60)
    with pytest.raises(OutOfTimeError), time_limit(0.2):
        match_for_ever_at_13([13])


@needs_alarm
def test_the_alarm_of_another_is_left_alone() -> None:
    rung: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _frame: rung.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with time_limit(0.1):
            while not rung:
                time.sleep(0.01)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert rung == [signal.SIGALRM]


@needs_alarm
def test_an_alarm_that_is_lost_rings_again(monkeypatch: pytest.MonkeyPatch) -> None:
    class Deaf:
        def __del__(self) -> None:
            time.sleep(0.5)  # what is raised here goes nowhere

    def sleep_twice() -> None:
        Deaf()
        time.sleep(60)

    lost: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lost.append)
    with pytest.raises(OutOfTimeError), time_limit(0.1):
        sleep_twice()
    assert [entry.exc_type for entry in lost] == [OutOfTimeError]


@needs_alarm
def test_an_import_is_not_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "slowly").mkdir()
    (tmp_path / "slowly" / "__init__.py").write_text(
        "from slowly.inner import A\nfrom slowly.outer import B\n", "utf-8"
    )
    (tmp_path / "slowly" / "inner.py").write_text("A = 1\n", "utf-8")
    (tmp_path / "slowly" / "outer.py").write_text("import time\ntime.sleep(0.3)\nB = 2\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)

    def load(_items: Sequence[int]) -> list[int]:
        importlib.import_module("slowly")
        while True:
            pass

    assert work(load, [1], 0.1, {}) == Slow()
    slowly = importlib.import_module("slowly")
    assert slowly.inner.A == 1  # which a second import of what was loaded by half does not bind
    assert slowly.outer.B == 2


@needs_alarm
def test_what_an_import_runs_has_a_limit_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "from devlog.engine.work import work\n\n\ndef spin(_items):\n    while True:\n        pass\n\n\n"
    (tmp_path / "program.py").write_text(f"{code}ANSWER = work(spin, [1], 0.1, {{}})\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert Slow() == importlib.import_module("program").ANSWER


def test_other_threads_have_no_limit() -> None:
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(work, double, [1], 0.1, {}).result() == Done([2])


# -- workers elsewhere


def test_a_worker_that_is_not_like_us_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "all_tools", lambda: {**all_tools(), "Pygments": "1.0", "devlog": "other"})
    with pytest.raises(NoWorkersError) as caught:
        run(double, 50, "test_executors:threads")
    problem = caught.value.problem
    assert problem.code == "other-toolchain"
    assert "has Pygments" in problem.message
    assert problem.message.endswith("instead of 1.0, another devlog")


@pytest.mark.parametrize(
    ("others", "words"),
    [
        ({"libavif": "0.1"}, "has libavif {} instead of 0.1"),
        ({"libjpeg": "0.1", "libwebp": "0.2"}, "has libjpeg {} instead of 0.1, libwebp {} instead of 0.2"),
        ({"libheif": "0.1"}, "has libheif missing instead of 0.1"),
        ({"libavif": None}, "has libavif {} instead of missing"),
    ],
)
def test_a_worker_that_writes_other_images_refuses(
    monkeypatch: pytest.MonkeyPatch, others: dict[str, str | None], words: str
) -> None:
    theirs = {name: value for name, value in ({**all_tools(), **others}).items() if value}
    monkeypatch.setattr(executors, "all_tools", lambda: theirs)
    with pytest.raises(NoWorkersError) as caught:
        run(double, 50, "test_executors:threads")
    assert caught.value.problem.message.endswith(words.format(*(all_tools().get(name) for name in others)))


def test_workers_that_do_nothing_are_one_message() -> None:
    with pytest.raises(NoWorkersError) as caught:
        run(double, 50, "test_executors:OutOfOrder")
    assert caught.value.problem.code == "no-workers"
    assert caught.value.problem.message.endswith("ConnectionError: nobody here")


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("procesess", "bad-executor", "did you mean “processes”?"),
        ("", "bad-executor", "executors: inline, processes, package.module:factory, dask://HOST:PORT"),
        ("two words:x", "bad-executor", "unknown executor “two words:x”"),
        ("no.such.module:x", "bad-executor", "No module named 'no'"),
        ("test_executors:thread", "bad-executor", "did you mean “threads”?"),
        ("test_executors:ENDLESS", "bad-executor", "“ENDLESS” cannot be called"),
        ("test_executors:no_executor", "bad-executor", "it returned int, not a concurrent.futures.Executor"),
        ("test_executors:faulty", "bad-executor", "RuntimeError: no room for caf\\udce9"),
        ("dask://storage", "bad-executor", "dask://HOST:PORT"),
        ("dask://127.0.0.1:8786/x", "bad-executor", "dask://HOST:PORT"),
    ],
)
def test_names_that_name_nothing(name: str, code: str, words: str) -> None:
    with pytest.raises(NoWorkersError) as caught:
        run(double, 50, name)
    assert caught.value.problem.code == code
    assert words in f"{caught.value.problem.message} {caught.value.problem.hint}"


def test_a_missing_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(NoWorkersError) as caught:
        choose("dask://127.0.0.1:8786")
    assert caught.value.problem.code == "missing-extra"
    assert "[dask]'" in caught.value.problem.hint


# -- whole builds; a worker imports this module when it unpickles these functions

parse_jobs = devlog.stages.parse_jobs
render_jobs = devlog.stages.render_jobs
POISON = "This text ends the process that parses it."
POTION = "This text puts the process to sleep that parses it."


def poisoned_parse(sources: Sequence[Any], options: Any) -> list[Any]:
    if any(POISON in source.text for source in sources):
        os._exit(1)
    if any(POTION in source.text for source in sources):
        time.sleep(600)
    return parse_jobs(sources, options)


def poisoned_render(jobs: Sequence[Any], theme: Any) -> list[Output]:
    if any(job.target.path == "about/index.html" for job in jobs):
        os.kill(os.getpid(), signal.SIGSEGV)
    return render_jobs(jobs, theme)


def errors(report: Any) -> list[tuple[str, str]]:
    return [(item.code, item.span.path) for item in report.diagnostics if item.severity == "error"]


@pytest.mark.parametrize(("text", "code"), [(POISON, "worker-died"), (POTION, "too-slow")])
@pytest.mark.slow
def test_a_text_that_costs_its_worker_is_named_and_nothing_is_written(
    text: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "SECONDS", 3.0)
    root = write_site(tmp_path, lumen())
    assert not build_site(root, jobs=2).failed
    good = read_tree(root / "public")
    file = root / "content/about.md"
    file.write_text(file.read_text("utf-8") + text, "utf-8")
    with monkeypatch.context() as patch:
        patch.setattr("devlog.stages.parse_jobs", poisoned_parse)
        report = build_site(root, jobs=2, cache=False)
    assert errors(report) == [(code, "content/about.md")]
    assert read_tree(root / "public") == good
    # What failed is not remembered: with a parser that survives the text, it is parsed.
    assert not build_site(root, jobs=2).failed
    assert text.encode() in (root / "public/about/index.html").read_bytes()


@pytest.mark.slow
def test_a_page_that_kills_its_worker_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_site(tmp_path, lumen())
    monkeypatch.setattr("devlog.stages.render_jobs", poisoned_render)
    report = build_site(root, jobs=2)
    assert errors(report) == [("worker-died", "about/index.html")]
    assert not (root / "public").exists()


@needs_alarm
def test_the_block_in_which_the_time_runs_out_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def sleepy(code: str, language: str) -> str:
        if "sleep" in code:
            time.sleep(600)
        return highlight(code, language)

    monkeypatch.setattr(executors, "SECONDS", 0.5)
    monkeypatch.setattr("devlog.parse.code.highlighted.highlight", sleepy)
    text = (
        "---\ntitle: A\n---\n\nText.\n\n```python\nrun()\n```\n\n- A list\n\n  ```python\n  sleep()\n  ```\n\nMore.\n"
    )
    root = write_site(tmp_path, {"devlog.toml": "", "content/2026-05-01-a.md": text})
    report = build_site(root, jobs=1)
    problem = next(item for item in report.diagnostics if item.code == "too-slow")
    assert (problem.span.path, problem.span.line) == ("content/2026-05-01-a.md", 13)
    assert "in which the time ran out" in problem.hint


@needs_alarm
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.slow
def test_a_template_without_an_end_is_named(jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is put in the place of anything here: the site's own template takes for ever."""
    monkeypatch.setattr(executors, "SECONDS", 3.0)
    root = write_site(tmp_path, lumen())
    loop = "{# context: page #}{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    write_site(root, {"templates/page.html": loop})
    report = build_site(root, jobs=jobs)
    assert errors(report) == [("too-slow", "about/index.html")]
    assert "longer than 3 s" in next(item.message for item in report.diagnostics if item.code == "too-slow")
    assert report.rendered > 20
    assert not (root / "public").exists()


@pytest.mark.slow
def test_a_build_without_workers_is_one_error(tmp_path: Path) -> None:
    root = write_site(tmp_path, lumen())
    assert not build_site(root).failed
    good = read_tree(root / "public")
    report = build_site(root, cache=False, executor="test_executors:OutOfOrder")
    assert errors(report) == [("no-workers", "--executor")]
    assert errors(build_site(root, executor="nobody")) == [("bad-executor", "--executor")]
    assert read_tree(root / "public") == good
    assert build_site(root).parsed == 0  # nothing was forgotten


# -- heavy work


def test_two_heavy_items_are_worth_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "SMALL", 64)
    with closing(Workers(2)) as workers:
        assert os.getpid() not in list(workers.run(process_of, range(2), failed, heavy=True))
        assert set(workers.run(process_of, range(2), failed)) == {os.getpid()}
        assert list(workers.run(process_of, range(1), failed, heavy=True)) == [os.getpid()]


@pytest.mark.parametrize("executor", ["inline", "processes", "test_executors:threads"])
def test_heavy_items_are_sent_one_by_one(executor: str) -> None:
    with closing(Workers(2, executor=executor)) as workers:
        assert list(workers.run(count_of, range(9), failed, heavy=True)) == [1] * 9
        assert max(workers.run(count_of, range(9), failed)) == 8


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can be asked for wider pipes")
def test_a_batch_fits_into_the_pipes() -> None:
    """The way to them is not public, so that another Python may have none: then this is how we hear of it."""
    import fcntl

    if int(Path("/proc/sys/fs/pipe-max-size").read_text()) < 1 << 20:
        pytest.skip("this system gives nobody such wide pipes")
    processes.begin()
    pool: Any = processes.start(1)
    try:
        sizes = {fcntl.fcntl(queue._writer, fcntl.F_GETPIPE_SZ) for queue in (pool._call_queue, pool._result_queue)}
    finally:
        pool.shutdown()
    assert sizes == {1 << 20}
