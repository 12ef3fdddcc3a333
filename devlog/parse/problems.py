"""Messages about a source as a whole."""

from __future__ import annotations

from collections.abc import Iterable

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import error, warning


def control_character(span: Span, char: str) -> Diagnostic:
    """A character that XML cannot hold, which was left out."""
    hint = "delete it: it is invisible, but feed readers reject it"
    return warning("control-character", span, f"removed control character U+{ord(char):04X}", hint)


def tangled_html(span: Span) -> Diagnostic:
    """Raw HTML of which a page could become far larger than its source; `span` is the first of it."""
    message = "HTML shown as text: too many elements are unclosed or misplaced"
    return warning("tangled-html", span, message, "close each element inside the one in which it was opened")


def internal_error(span: Span, reason: str, plugins: Iterable[str] = ()) -> Diagnostic:
    """A fault of devlog that a post brought to light, or of plugins that change Markdown: they may leave nonsense."""
    listed = " and ".join(f"“{name}”" for name in plugins)
    hint = "this is a bug in devlog: please report it with the file"
    if listed:
        hint = f"this is a bug in devlog or in {listed}: please report it with the file if it stays without the latter"
    return error("internal-error", span, f"devlog failed on this file: {reason[:200]}", hint)


def expands_too_much(span: Span, limit: int) -> Diagnostic:
    """References to one long definition make far more of a page than its source has, or rows of tables that leave out
    cells; `span` is the block too many."""
    message = f"link definitions, abbreviations, parameters and empty cells expand to more than {limit:,} characters"
    hint = "shorten the URL or the title that is used many times, or the table"
    return error("expands-too-much", span, message, hint)
