"""Executors by name: ``inline``, ``processes``, ``package.module:factory``, ``dask://HOST:PORT``."""

from __future__ import annotations

import importlib
import importlib.util
import logging
import re
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from typing import Any

import msgspec

from devlog.engine import problems
from devlog.installation import installation
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import nearest

INLINE = "inline"
PROCESSES = "processes"

PLACE = Span("--executor")
"""Where problems with executors are reported."""

_FACTORY = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_DASK = re.compile(r"dask://(?P<address>(?:[^\s/:\[\]]+|\[[0-9a-fA-F:.]+\]):[0-9]{1,5})/?")
_ANSWER_SECONDS = 5


class NoWorkersError(Exception):
    """There is nobody to do the work."""

    def __init__(self, problem: Diagnostic) -> None:
        super().__init__(problem.message)
        self.problem = problem


class Opened(msgspec.Struct, frozen=True):
    """An executor in use.

    Attributes:
        executor: takes work.
        close: gives it back; called with whether work may still be under way that nobody waits for.
        slots: how many items of work can be done at once, as far as that can be told.
        alive: whether it can still be hoped that work comes back.
    """

    executor: Executor
    close: Callable[[bool], None]
    slots: int = 16
    alive: Callable[[], bool] = lambda: True


Opener = Callable[[], Opened]


def choose(name: str) -> Opener | None:
    """What opens the executor of this name; `None` for the two kinds that are always there.

    Raises:
        NoWorkersError: the name is wrong, or something is not installed.
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
    # Impure, or equal arguments would be searched for, which takes longer than sending them.
    executor = client.get_executor(pure=False)

    def close(busy: bool) -> None:
        before = logging.root.manager.disable
        logging.disable()  # it would tell of each piece of work that is given up
        try:
            with suppress(Exception):  # the scheduler may be gone already
                executor.shutdown(wait=not busy)
            with suppress(Exception):
                client.close(_ANSWER_SECONDS)
        finally:
            logging.disable(before)

    # When a scheduler dies, its client gives up, but what was sent to it is never done.
    return Opened(executor, close, sum(client.nthreads().values()), lambda: client.status not in {"closing", "closed"})


def error_line(error: BaseException) -> str:
    """An error in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
