"""Diagnostics about shortcodes."""

from __future__ import annotations

from collections.abc import Iterable

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import did_you_mean, warning


def unknown_shortcode(span: Span, name: str, known: Iterable[str], escaped: str, *, shown: str) -> Diagnostic:
    """A shortcode that devlog does not know. `shown`: the part of it that is shown; if empty, it stays as text."""
    hint = did_you_mean(name, known) or f"write {escaped} to show a shortcode as text"
    what = f"only {shown} is shown" if shown else "shown as text"
    return warning("unknown-shortcode", span, f"unknown shortcode “{name}”, {what}", hint)


def unpaired_shortcode(span: Span, tag: str, *, closing: bool) -> Diagnostic:
    """An opening tag of a shortcode without a closing tag, or the reverse."""
    what = "has no opening tag" if closing else "is never closed"
    return warning("unpaired-shortcode", span, f"“{tag[:80]}” {what}, and is shown as text")


def incomplete_shortcode(span: Span, name: str) -> Diagnostic:
    """A shortcode without a required argument."""
    message = f"the shortcode “{name}” is missing a required argument, and is shown as text"
    return warning("incomplete-shortcode", span, message)
