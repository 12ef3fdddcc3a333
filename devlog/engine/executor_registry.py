"""Finds executors by name: ``inline``, ``processes``, ``package.module:factory``, ``dask://HOST:PORT``."""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from devlog.engine import problems
from devlog.installation import installation
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.error_line import error_line
from devlog.model.problems import nearest

if TYPE_CHECKING:
    from concurrent.futures import Executor

INLINE = "inline"
PROCESSES = "processes"

PLACE = Span("--executor")
"""The span of problems with executors."""

_FACTORY = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_DASK = re.compile(r"dask://(?P<address>(?:[^\s/:\[\]]+|\[[0-9a-fA-F:.]+\]):[0-9]{1,5})/?")
_ANSWER_SECONDS = 5


class NoWorkersError(Exception):
    """No executor can do the work."""

    def __init__(self, problem: Diagnostic) -> None:
        super().__init__(problem.message)
        self.problem = problem


class Opened(msgspec.Struct, frozen=True):
    """An executor in use.

    Attributes:
        executor: the executor that work is submitted to.
        close: closes it; called with whether work may still be running whose results are not needed.
        slots: how many batches can run at the same time, as far as is known.
        alive: returns whether submitted work may still return.
    """

    executor: Executor
    close: Callable[[bool], None]
    slots: int = 16
    alive: Callable[[], bool] = lambda: True


Opener = Callable[[], Opened]


def choose(name: str) -> Opener | None:
    """A function that opens the executor of this name; `None` for the two that are always available.

    Raises:
        NoWorkersError: if the name is wrong, or something is not installed.
    """
    if name in {INLINE, PROCESSES}:
        return None
    if name.startswith("dask:"):
        return _dask(name)
    if ":" in name:
        return _factory(name)
    raise NoWorkersError(problems.unknown_executor(PLACE, name, (INLINE, PROCESSES)))


def _factory(name: str) -> Opener:
    if not _FACTORY.fullmatch(name):
        raise NoWorkersError(problems.unknown_executor(PLACE, name, (INLINE, PROCESSES)))
    module_name, _, path = name.partition(":")
    try:
        found: Any = importlib.import_module(module_name)
    except Exception as error:  # the module's own code runs here
        raise NoWorkersError(problems.bad_executor(PLACE, name, error_line(error))) from error
    for part in path.split("."):
        if not hasattr(found, part):
            near = nearest(part, dir(found))
            raise NoWorkersError(problems.bad_executor(PLACE, name, f"there is no “{part}”", near))
        found = getattr(found, part)
    if not callable(found):
        raise NoWorkersError(problems.bad_executor(PLACE, name, f"“{path}” cannot be called"))

    def opener() -> Opened:
        from concurrent.futures import Executor

        try:
            made = found()
        except Exception as error:
            raise NoWorkersError(problems.bad_executor(PLACE, name, error_line(error))) from error
        if not isinstance(made, Executor):
            reason = f"it returned {type(made).__name__}, not a concurrent.futures.Executor"
            raise NoWorkersError(problems.bad_executor(PLACE, name, reason))
        return Opened(made, lambda busy: made.shutdown(wait=not busy, cancel_futures=True))

    return opener


def _dask(name: str) -> Opener:
    parts = _DASK.fullmatch(name)
    if not parts:
        raise NoWorkersError(problems.bad_executor(PLACE, name, "the address of a scheduler is dask://HOST:PORT"))
    if not importlib.util.find_spec("distributed"):
        raise NoWorkersError(problems.missing_extra(PLACE, name, installation().add_extra("dask")))
    return lambda: _open_dask(name, f"tcp://{parts['address']}")


def _open_dask(name: str, address: str) -> Opened:
    distributed: Any = importlib.import_module("distributed")
    try:
        client = distributed.Client(address, timeout=_ANSWER_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise NoWorkersError(problems.no_scheduler(PLACE, name, error_line(error))) from error
    # Pure functions would make Dask look for equal arguments, which takes longer than sending them.
    executor = client.get_executor(pure=False)

    def close(busy: bool) -> None:
        import logging

        before = logging.root.manager.disable
        logging.disable()  # the client would log each piece of work that is abandoned
        try:
            with suppress(Exception):  # the scheduler may have ended already
                executor.shutdown(wait=not busy)
            with suppress(Exception):
                client.close(_ANSWER_SECONDS)
        finally:
            logging.disable(before)

    # If a scheduler dies, its client closes, but the futures of submitted work never complete.
    return Opened(executor, close, sum(client.nthreads().values()), lambda: client.status not in {"closing", "closed"})
