"""Worker processes: started clean, deaf to Ctrl-C, gone when we are gone, and killed when they do not answer."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import util
from pathlib import Path
from typing import Any

if sys.platform == "linux":
    import fcntl

_INTERRUPTING = {getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)}
"""The signals that end a command by an exception, wherever it is."""

_PIPE = 1 << 20
"""Bytes that a pipe holds: as many as Linux gives anybody, if nobody has told it otherwise."""


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold Ctrl-C, and other requests to end, back for a moment.

    Where it is used: a process that is being started is in no list yet, so nobody could end it; an exception out of a
    pool's own code would keep the pool, and so its semaphores, until the process ends; and what is started meanwhile
    has these signals blocked. They reach all processes of a terminal, but only the main one should act.
    """
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def start(jobs: int) -> ProcessPoolExecutor:
    """A pool of processes, which are started as work comes. `begin` comes first.

    Args:
        jobs: how many.
    """
    if sys.platform == "win32":  # elsewhere the server's start sees to it
        os.environ["PYTHONSAFEPATH"] = "1"
    # Never plain fork: a copy of a process with threads or open databases can hang.
    context = multiprocessing.get_context("spawn" if sys.platform == "win32" else "forkserver")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin)
    _widen(pool)
    return pool


def _widen(pool: Any) -> None:
    """Let whole batches lie in the pipes to and from the processes, where the system allows it.

    Of a batch that does not fit, each next 64 kB waits for both sides: for a process that has read what is there, while
    it could already work, and for a thread of this one, which gets its turn when the others let go of the interpreter.
    """
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):  # no public way leads to them; one user may fill so many pages
            for queue in (pool._call_queue, pool._result_queue):
                fcntl.fcntl(queue._writer, fcntl.F_SETPIPE_SZ, _PIPE)


def begin(preload: Sequence[str] = ()) -> None:
    """Start what will start the processes, unless it runs. It loads modules first; nobody waits for it.

    Args:
        preload: what it loads. Only the first call can say so.
    """
    if sys.platform != "win32":
        if preload:
            multiprocessing.get_context("forkserver").set_forkserver_preload(list(preload))
        _start_server()


def clear() -> None:
    """Remove what multiprocessing has made, before the process ends without Python's own clearing up.

    That is the folder in which the server is reached, which each build would leave among the temporary files, and the
    semaphores of a pool that an exception still holds. No process can be started after it.
    """
    util._run_finalizers(0)  # type: ignore[attr-defined] # no public way; semaphores have 0, what waits for threads less
    folder = multiprocessing.current_process()._config.get("tempdir")  # type: ignore[attr-defined] # no public way
    if folder:
        with suppress(OSError):
            for socket in Path(folder).iterdir():
                socket.unlink()
            Path(folder).rmdir()


def kill(pool: ProcessPoolExecutor) -> None:
    """End a pool at once, whatever its processes are doing. What they had not finished fails."""
    for process in list((pool._processes or {}).values()):  # there is no public way before Python 3.14
        process.kill()
    # One may have been in the midst of a result. Its reader waits for the rest until all who could write are gone,
    # and this process is one of them.
    results: Any = pool._result_queue
    results._writer.close()
    pool.shutdown(wait=True, cancel_futures=True)


if sys.platform != "win32":

    def _start_server() -> None:
        """Start the server that forks workers, unless it runs."""
        from multiprocessing import forkserver, resource_tracker

        with _safe_path():
            with uninterrupted():  # a hangup of the terminal is not for the tracker either
                resource_tracker.ensure_running()
            with uninterrupted():  # again: the tracker's start has ended with Ctrl-C let through
                forkserver.ensure_running()

    @contextmanager
    def _safe_path() -> Iterator[None]:
        """Have what is started meanwhile import nothing from the folder that the command runs in.

        That is often a repository of somebody else. Python would look there first, since multiprocessing gives it its
        program on the command line: a file named as a module of its library would run.
        """
        before = os.environ.get("PYTHONSAFEPATH")
        os.environ["PYTHONSAFEPATH"] = "1"
        try:
            yield
        finally:
            if before is None:
                del os.environ["PYTHONSAFEPATH"]
            else:
                os.environ["PYTHONSAFEPATH"] = before


def _begin() -> None:
    """Make a new process a good worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where it was not blocked
    if sys.platform != "win32":  # a broken pool ends its processes in this way, and waits for their end
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    # Spare it the search for circles among what it imported, which stays, and among short-lived tokens.
    gc.freeze()
    gc.set_threshold(50_000)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Wait for the end of the main process, then end this one.

    A killed process cannot tell its workers to stop: they would wait for ever for work, and hold on to what they
    have inherited.
    """
    if hasattr(signal, "pthread_sigmask"):  # alarms are the main thread's: a system call of another is no use to them
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
