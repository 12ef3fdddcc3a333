"""Messages about executors and their workers."""

from __future__ import annotations

from collections.abc import Iterable

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import did_you_mean, error


def unknown_executor(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """A name that is no executor's."""
    known = [*known, "package.module:factory", "dask://HOST:PORT"]
    hint = did_you_mean(name, known) or f"executors: {', '.join(known)}"
    return error("bad-executor", span, f"unknown executor “{name}”", hint)


def bad_executor(span: Span, name: str, reason: str, near: str = "") -> Diagnostic:
    """An executor that cannot be made."""
    hint = f"did you mean “{near}”?" if near else ""
    return error("bad-executor", span, f"“{name}” cannot be used: {reason}", hint)


def missing_extra(span: Span, name: str, command: str) -> Diagnostic:
    """A part of devlog that must be installed for this."""
    return error("missing-extra", span, f"“{name}” needs packages that are not installed", f"run “{command}”")


def no_scheduler(span: Span, name: str, reason: str) -> Diagnostic:
    """A cluster that does not answer."""
    return error("no-workers", span, f"no scheduler answers at “{name}”: {reason}")


def no_workers(span: Span, name: str, reason: str) -> Diagnostic:
    """An executor that does no work at all."""
    hint = "a scheduler and its workers need the same devlog, Python and libraries as this process"
    return error("no-workers", span, f"the executor “{name}” cannot do any work: {reason}", hint)


def other_toolchain(span: Span, reason: str) -> Diagnostic:
    """A worker whose results could differ from ours."""
    hint = "give workers the same devlog, Python and libraries as this process"
    return error("other-toolchain", span, f"a worker would produce different output: {reason}", hint)
