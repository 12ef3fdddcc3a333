"""Messages about executors and workers."""

from __future__ import annotations

from collections.abc import Iterable

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import did_you_mean, error


def unknown_executor(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """The name of an executor is unknown."""
    known = [*known, "package.module:factory", "dask://HOST:PORT"]
    hint = did_you_mean(name, known) or f"executors: {', '.join(known)}"
    return error("bad-executor", span, f"unknown executor “{name}”", hint)


def bad_executor(span: Span, name: str, reason: str, near: str = "") -> Diagnostic:
    """An executor that cannot be created."""
    hint = f"did you mean “{near}”?" if near else ""
    return error("bad-executor", span, f"“{name}” cannot be used: {reason}", hint)


def missing_extra(span: Span, name: str, command: str) -> Diagnostic:
    """An executor that needs an extra of devlog that is not installed."""
    return error("missing-extra", span, f"“{name}” needs packages that are not installed", f"run “{command}”")


def no_scheduler(span: Span, name: str, reason: str) -> Diagnostic:
    """A Dask scheduler that does not respond."""
    return error("no-workers", span, f"no scheduler answers at “{name}”: {reason}")


def no_workers(span: Span, name: str, reason: str) -> Diagnostic:
    """An executor that completes no work at all."""
    hint = "a scheduler and its workers need the same devlog, Python and libraries as this process"
    return error("no-workers", span, f"the executor “{name}” cannot do any work: {reason}", hint)


def other_toolchain(span: Span, reason: str) -> Diagnostic:
    """A worker whose results could differ from those of this process, because its toolchain differs."""
    hint = "give workers the same devlog, Python, libraries and build of Pillow as this process"
    return error("other-toolchain", span, f"a worker would produce different output: {reason}", hint)
