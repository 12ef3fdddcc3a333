"""Describes exceptions in messages."""

from __future__ import annotations

from devlog.model.surrogates import without_surrogates


def error_line(error: BaseException) -> str:
    """The type and message of an exception, in one line that any report can contain."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # a plugin may define its own exception type, whose `__str__` may raise
        text = ""
    return without_surrogates(f"{type(error).__name__}: {text}" if text else type(error).__name__)
