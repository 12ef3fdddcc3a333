"""Messages about shortcodes."""

from __future__ import annotations

from collections.abc import Iterable

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import did_you_mean, warning


def unknown_shortcode(span: Span, name: str, known: Iterable[str], escaped: str, *, shown: str) -> Diagnostic:
    """A shortcode that devlog does not have: `shown` says what of it is; if nothing is, it stays as text."""
    hint = did_you_mean(name, known) or f"write {escaped} to show a shortcode as text"
    what = f"only {shown} is shown" if shown else "shown as text"
    return warning("unknown-shortcode", span, f"unknown shortcode “{name}”, {what}", hint)


def unpaired_shortcode(span: Span, tag: str, *, closing: bool) -> Diagnostic:
    """An opening or closing tag of a shortcode without the other."""
    what = "has no opening tag" if closing else "is never closed"
    return warning("unpaired-shortcode", span, f"“{tag[:80]}” {what}, and is shown as text")


def incomplete_shortcode(span: Span, name: str) -> Diagnostic:
    """A shortcode without the arguments that say what it shows."""
    message = f"the shortcode “{name}” is missing a required argument, and is shown as text"
    return warning("incomplete-shortcode", span, message)
