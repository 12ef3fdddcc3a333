"""Calls libraries written in Rust, whose own faults are not exceptions that code expects.

A panic reaches Python as ``pyo3_runtime.PanicException``. That is a `BaseException`, as Ctrl-C is, so it would end the
command. Each library has a type of its own by this name, which cannot be imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


class NativeFaultError(Exception):
    """Native code has a fault, which the data that it was given brought to light."""


def call(
    function: Callable[_Parameters, _Result], *arguments: _Parameters.args, **named: _Parameters.kwargs
) -> _Result:
    """Call a function of a library that may be written in Rust.

    Args:
        function: the function.
        arguments: for it.
        named: likewise.

    Returns:
        What it returns.

    Raises:
        NativeFaultError: it panicked.
        BaseException: whatever else it raises.
    """
    try:
        return function(*arguments, **named)
    except BaseException as error:
        if _is_panic(error):
            raise NativeFaultError(str(error)) from error
        raise


def _is_panic(error: BaseException) -> bool:
    kind = type(error)
    return (kind.__module__, kind.__name__) == ("pyo3_runtime", "PanicException")
