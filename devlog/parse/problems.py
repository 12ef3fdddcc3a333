"""Diagnostics about a source as a whole."""

from __future__ import annotations

from collections.abc import Iterable

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import error, warning
from devlog.model.secrets import shortened


def control_character(span: Span, char: str) -> Diagnostic:
    """A control character that XML does not allow. devlog removed it from the output."""
    hint = "delete it: it is invisible, but feed readers reject it"
    return warning("control-character", span, f"removed control character U+{ord(char):04X}", hint)


def impossible_date(span: Span, written: str) -> Diagnostic:
    """A file name that begins with a date that does not exist, so that it has none."""
    hint = "rename the file: a date is written as YYYY-MM-DD"
    return warning("impossible-date", span, f"“{written}” in the file name is not a date", hint)


def tangled_html(span: Span) -> Diagnostic:
    """Raw HTML that could make a page far larger than its source; `span` is the first raw HTML of the file."""
    message = "HTML shown as text: too many elements are unclosed or misplaced"
    return warning("tangled-html", span, message, "close each element inside the one in which it was opened")


def internal_error(span: Span, reason: str, plugins: Iterable[str] = ()) -> Diagnostic:
    """A bug in devlog that a post triggered, or in a plugin that changes Markdown, whose output may be invalid."""
    listed = " and ".join(f"“{name}”" for name in plugins)
    hint = "this is a bug in devlog: please report it with the file"
    if listed:
        hint = f"this is a bug in devlog or in {listed}: please report it with the file if it stays without the latter"
    return error("internal-error", span, f"devlog failed on this file: {shortened(reason, 200)}", hint)


def expands_too_much(span: Span, limit: int) -> Diagnostic:
    """A page would become far larger than its source, because of many references to one long definition, table rows
    with missing cells or long files that it includes; `span` is the block that exceeds the limit."""
    what = "link definitions, abbreviations, parameters, empty cells and included files"
    message = f"{what} expand to more than {limit:,} characters"
    hint = "shorten the URL or the title that is used many times, or the table, or include fewer lines of the files"
    return error("expands-too-much", span, message, hint)


def converts_too_long(span: Span, limit: int) -> Diagnostic:
    """A source in another format, such as a notebook, has more text than a post may have."""
    return error("expands-too-much", span, f"its text and output have more than {limit:,} characters")
