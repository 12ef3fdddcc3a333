"""Messages about charts."""

from __future__ import annotations

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import did_you_mean, warning

_AS_CODE = "chart shown as text"


def unknown_plot(span: Span, kind: str, known: tuple[str, ...]) -> Diagnostic:
    """A fence asks for a kind of chart that devlog cannot draw."""
    hint = did_you_mean(kind, known) or f"write one of {', '.join(known)}"
    return warning("bad-plot", span, f"{_AS_CODE}: unknown kind “{kind}”", hint)


def bad_plot(span: Span, reason: str, hint: str = "") -> Diagnostic:
    """The data of a fence cannot be drawn."""
    return warning("bad-plot", span, f"{_AS_CODE}: {reason}", hint)
