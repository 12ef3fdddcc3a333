"""Which plugin is at fault when one fails, and where."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from types import CodeType, TracebackType
from typing import Any

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.error_line import error_line
from devlog.model.theme import PluginRef
from devlog.plugins import problems


def faults() -> tuple[type[BaseException], ...]:
    """The exceptions of a plugin's code that are reported as its faults.

    Call it in an ``except`` clause: by then, what the plugin has raised is imported. Canceled work is no `Exception` in
    asyncio, which is large, and which nothing else in a build needs.
    """
    asyncio = sys.modules.get("asyncio.exceptions")
    return (Exception, SystemExit, *((asyncio.CancelledError,) if asyncio else ()))


def blame(ref: PluginRef, error: BaseException) -> int:
    """The line of a plugin's file in the innermost frame of an exception that is in the file; 0 if none is."""
    frames = [frame for frame in _frames(error.__traceback__) if ref.text and frame[0] == ref.module_name]
    return frames[-1][1] if frames else 0


def blamed(refs: Sequence[PluginRef], error: BaseException) -> PluginRef | None:
    """The plugin whose code an exception passed through, the innermost one; `None` if it was none of them."""
    tops = {ref.module_name: ref for ref in refs}
    for name, _ in reversed(list(_frames(error.__traceback__))):
        found = tops.get(name) or tops.get(name.partition(".")[0])
        if found:
            return found
    return None


def fault(
    ref: PluginRef, what: str, error: BaseException | str, function: Callable[..., Any] | None = None
) -> Diagnostic:
    """The problem about a function of a plugin that has failed.

    Args:
        ref: the plugin.
        what: the function, such as ``the rule “lumen.needs-summary”``.
        error: the exception that it raised, or why its result is invalid.
        function: the function itself. On its first line are reported: an invalid result, and an exception that devlog's
            own code raised on it, such as for a result that is no list.
    """
    if isinstance(error, str):
        return problems.plugin_failed(span_of(ref, _first_line(ref, function)), what, error)
    line = blame(ref, error) or _first_line(ref, function)
    return problems.plugin_failed(span_of(ref, line), what, error_line(error))


class FaultError(Exception):
    """A function of a plugin has failed in the middle of devlog's own work.

    Attributes:
        problem: the problem to report.
    """

    def __init__(self, problem: Diagnostic) -> None:
        super().__init__(problem.message)
        self.problem = problem


def _first_line(ref: PluginRef, function: Callable[..., Any] | None) -> int:
    """The line of a plugin's file on which a function begins; 0 if it is from elsewhere."""
    code = getattr(function, "__code__", None)
    is_own = ref.text and getattr(function, "__module__", "") == ref.module_name
    return code.co_firstlineno if is_own and isinstance(code, CodeType) else 0


def span_of(ref: PluginRef, line: int = 0) -> Span:
    return Span(ref.name, line) if ref.text else Span(f"the plugin “{ref.name}”")


def _frames(trace: TracebackType | None) -> Iterator[tuple[str, int]]:
    """The module and the line of each frame, outermost first."""
    while trace is not None:
        yield str(trace.tb_frame.f_globals.get("__name__", "")), trace.tb_lineno
        trace = trace.tb_next
