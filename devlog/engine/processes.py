"""Worker processes: they start without state, ignore Ctrl-C, end with the main process, and are killed if they hang."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import util
from typing import Any, TypeVar

from devlog.engine.printing import print_without_errors

if sys.platform == "linux":
    import fcntl

T = TypeVar("T")

_INTERRUPTING = {getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)}
"""The signals that end a command by an exception at any point."""

GONE = (BrokenExecutor, OSError, EOFError, MemoryError)
"""The exceptions of submitting work to a pool after one of its processes died. While the pool shuts down, its pipe may
already be closed, and the server that starts processes may have ended, or find no room for another process: these cause
the other exceptions."""

_QUIET = "devlog.engine.quiet_server"

_UNFIT = 113
"""The exit code of a process that could not set itself up, which no other program is known to use."""


class NoPoolError(OSError):
    """The system does not let a pool be created: there are no semaphores without a writable ``/dev/shm``, and no server
    without a place for its socket, or with too many processes, threads or open files."""


_SHORT = ("/tmp", "/dev/shm")  # noqa: S108 # a new folder is made there, which only this user can open
"""Other folders for the server's socket. The path of a socket has about a hundred bytes, which a temporary folder may
exceed; that folder may also be on a file system without sockets."""


_PIPE = 1 << 20
"""The capacity of a pipe in bytes: by default, the maximum that Linux allows to unprivileged processes."""


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Delay Ctrl-C and other requests to end for a moment.

    There are three reasons. A process that is being started is not registered yet, so nothing could end it. An
    exception raised inside the pool's own code would keep the pool alive, and its semaphores, until the process ends.
    And processes that are started in this context inherit the blocked signals: these reach all processes of a
    terminal, but only the main one should act on them.
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
    """Create a pool of processes, which start when work is submitted, and its threads. Call `begin` first.

    Args:
        jobs: the number of processes.

    Raises:
        NoPoolError: the system does not have what a pool needs.
    """
    if sys.platform == "win32":  # on other systems, it is set when the server starts
        os.environ["PYTHONSAFEPATH"] = "1"
    # Plain fork is not safe: a copy of a process with threads or open databases can hang.
    context = multiprocessing.get_context("spawn" if sys.platform == "win32" else "forkserver")
    try:
        pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin)
    except (ImportError, NotImplementedError, OSError) as error:
        raise NoPoolError(str(error)) from error
    _start_threads(pool)
    _widen(pool)
    return pool


def _start_threads(pool: Any) -> None:
    """Start the threads of a pool before its processes. If the pool did so, with the first work, a failure would leave
    it half open: nobody would end its processes, or nobody would notice that work never gets to them.

    Raises:
        NoPoolError: the system lets no more threads be started.
    """
    try:
        pool._start_executor_manager_thread()  # there is no public API
    except RuntimeError as error:
        pool._executor_manager_thread = None  # nobody can wait for it
        raise NoPoolError(str(error)) from error
    try:
        pool._call_queue._start_thread()
    except RuntimeError as error:
        pool.shutdown()
        raise NoPoolError(str(error)) from error


def submit(pool: Any, function: Callable[..., T], *arguments: Any) -> Future[T]:
    """Let a process of a pool call a function; this may start the process.

    Raises:
        Exception: one of `GONE`.
    """
    before = len(pool._processes or ())  # there is no public API
    future: Future[T] = pool.submit(function, *arguments)
    if len(pool._processes or ()) > before:
        # The pool's thread may already wait, and then does not notice the end of a process that was started later.
        with pool._shutdown_lock:
            pool._executor_manager_thread_wakeup.wakeup()
    return future


def _widen(pool: Any) -> None:
    """Enlarge the pipes to and from the processes, so that whole batches fit, if the system allows it.

    If a batch does not fit, each further 64 kB waits for both sides: for the process to read what is in the pipe, while
    it could already work, and for a thread of this process, which must wait until others release the interpreter.
    """
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):  # there is no public API; the system limits pipe pages per user
            for queue in (pool._call_queue, pool._result_queue):
                fcntl.fcntl(queue._writer, fcntl.F_SETPIPE_SZ, _PIPE)


def begin(preload: Sequence[str] = ()) -> None:
    """Start the server that forks the processes in the background, unless it runs already.

    Args:
        preload: modules that the server loads first. Only those of the first call are loaded.

    Raises:
        NoPoolError: the server cannot be started.
    """
    if sys.platform != "win32":
        if preload:
            multiprocessing.get_context("forkserver").set_forkserver_preload([_QUIET, *preload])
        try:
            _start_server()
        except OSError as error:
            raise NoPoolError(str(error)) from error


def clear() -> None:
    """Remove what multiprocessing has created, before the process exits without Python's own cleanup.

    This is the folder with the server's socket, which each build would leave among the temporary files, and the
    semaphores of a pool that an exception still references. No process can be started afterwards.
    """
    util._run_finalizers(0)  # type: ignore[attr-defined] # no public API; 0 includes semaphores, not waits for threads
    _remove_folder()


def _remove_folder() -> None:
    """Remove the folder of the server's socket now, as multiprocessing does at the end. Another server has another."""
    internal: Any = util  # no public API
    for finalizer in list(internal._finalizer_registry.values()):
        if finalizer._callback is internal._remove_temp_dir:
            with suppress(OSError):
                finalizer()


def lost() -> Future[Any]:
    """The future of work that no pool could take."""
    future = Future[Any]()
    future.set_exception(BrokenExecutor())
    return future


def kill(pool: ProcessPoolExecutor) -> bool:
    """End a pool at once, even if its processes are busy. Their unfinished work fails.

    Returns:
        Whether all its processes had what they need of the system.
    """
    ended = list((pool._processes or {}).values())  # there is no public API before Python 3.14
    for process in ended:
        process.kill()
    # A process may have been killed while it was writing a result. The reader waits for the rest until all writers of
    # the pipe are closed, and this process has one of them.
    results: Any = pool._result_queue
    results._writer.close()
    pool.shutdown(wait=True, cancel_futures=True)
    return all(process.exitcode != _UNFIT for process in ended)


if sys.platform != "win32":

    def _start_server() -> None:
        """Start the server that forks workers, unless it runs."""
        from multiprocessing import forkserver, resource_tracker

        with _safe_path():
            with uninterrupted():  # the tracker must not get a hangup of the terminal either
                resource_tracker.ensure_running()
            with uninterrupted():  # again, because starting the tracker unblocks Ctrl-C at its end
                try:
                    forkserver.ensure_running()
                except OSError:
                    if not any(_starts_in(folder) for folder in _SHORT):
                        raise

    def _starts_in(folder: str) -> bool:
        """Start the server with its socket below another folder than that for temporary files.

        Returns:
            Whether it started.
        """
        from multiprocessing import forkserver

        _remove_folder()
        before, tempfile.tempdir = tempfile.tempdir, folder
        try:
            forkserver.ensure_running()
        except OSError:
            return False
        finally:
            tempfile.tempdir = before
        return True

    @contextmanager
    def _safe_path() -> Iterator[None]:
        """Prevent processes that are started in this context from importing modules from the current folder.

        The current folder is often someone else's repository. Python would search it first, since multiprocessing
        passes the program on the command line: a file with the name of a standard module would run.
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
    """Set up a new worker process. It ends if the system does not let it start its thread."""
    sys.excepthook = sys.__excepthook__  # not that of the server
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # in case it is not blocked
    if sys.platform != "win32":  # a broken pool ends its processes with this signal, and waits for them
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    if sys.stdout and sys.stderr:
        print_without_errors()
    # Avoid garbage collection of imported modules, which stay, and of short-lived tokens.
    gc.freeze()
    gc.set_threshold(50_000)
    try:
        threading.Thread(target=_end_with_parent, daemon=True).start()
    except RuntimeError:  # it would outlive a killed main process
        os._exit(_UNFIT)


def _end_with_parent() -> None:
    """Wait for the end of the main process, then end this one.

    A killed process cannot tell its workers to stop: they would wait for work forever, and keep the resources that
    they have inherited.
    """
    if hasattr(signal, "pthread_sigmask"):  # alarms must reach the main thread, and not interrupt this one
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
