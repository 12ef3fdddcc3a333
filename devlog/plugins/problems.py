"""Messages about plugins that fail."""

from __future__ import annotations

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import error
from devlog.model.surrogates import without_surrogates


def plugin_failed(span: Span, what: str, reason: str) -> Diagnostic:
    """A function of a plugin raised an exception, or returned an invalid value."""
    return error("plugin-failed", span, f"{what} failed: {without_surrogates(reason)}")
