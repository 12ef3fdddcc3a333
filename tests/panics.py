"""Libraries written in Rust that have a fault."""

from __future__ import annotations

from typing import Any

PanicException = type("PanicException", (BaseException,), {"__module__": "pyo3_runtime"})
"""As each library has it: a type of its own, which is not an `Exception`, and which cannot be imported."""


def panic(*_arguments: Any, **_named: Any) -> Any:
    """Fail as Rust does."""
    raise PanicException("index out of bounds: the len is 0 but the index is 0")
