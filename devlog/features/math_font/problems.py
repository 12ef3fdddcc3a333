"""Messages about the font of formulas."""

from __future__ import annotations

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import warning


def no_math_font(reason: str) -> Diagnostic:
    """The font of the extra “math” cannot be made smaller, so that formulas use the fonts that readers have."""
    return warning("no-math-font", Span("the math font"), f"formulas have no font of their own: {reason}")
