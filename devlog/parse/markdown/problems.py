"""Diagnostics about Markdown: its code, formulas, links and raw HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import did_you_mean, info, nearest, warning


def unknown_language(span: Span, language: str, near: str) -> Diagnostic:
    """A fence names a language without syntax highlighting."""
    hint = f"did you mean “{near}”?" if near else "write “text” for plain text"
    return info("unknown-language", span, f"no syntax highlighting for “{language}”", hint)


def bad_formula(span: Span, reason: str, *, dollar: bool) -> Diagnostic:
    """A formula that cannot be converted. `dollar`: whether it is between single dollar signs, as prices may be."""
    reason = re.sub(r'"([^"]*)"|`([^`]*)`', lambda quoted: f"“{quoted[1] or quoted[2] or ''}”", reason).rstrip(".")
    hint = "write “\\$” for a literal dollar sign" if dollar else ""
    if reason.endswith("already defined"):  # for example “\R”, which some programs predefine and others do not
        hint = "use “\\renewcommand” to redefine it"
    message = f"formula shown as source: {reason[:1].lower()}{reason[1:]}"
    return warning("bad-formula", span, message, hint)


def unknown_label(span: Span) -> Diagnostic:
    """A formula refers to a label that no earlier equation has: only earlier equations already have a number."""
    return warning("bad-label", span, "no earlier equation has this label")


def repeated_label(span: Span) -> Diagnostic:
    """Two equations of a post have the same label, which can lead to only one of them."""
    return warning("bad-label", span, "an earlier equation has the same label, and links go to that one")


def kramdown_options(span: Span) -> Diagnostic:
    """Options of kramdown, which configure another program and have no effect in devlog."""
    return info("kramdown-options", span, "kramdown options have no effect")


def unsafe_url(span: Span, url: str, scheme: str) -> Diagnostic:
    """A link with a scheme that is not allowed."""
    message = f"the link “{url[:80]}” was removed: “{scheme}:” is not an allowed scheme"
    near = nearest(scheme, ("https", "http", "mailto"))
    hint = f"did you mean “{near}:”?" if near else "use https:, mailto: or a path inside the site"
    return warning("unsafe-url", span, message, hint)


def unsafe_html(span: Span, tag: str) -> Diagnostic:
    """An HTML element that the sanitizer removes."""
    hint = 'set html = "trusted" in the configuration to allow any HTML in every post'
    return warning("unsafe-html", span, f"the element <{tag}> was removed: it is not allowed in posts", hint)


def not_html(span: Span, name: str) -> Diagnostic:
    """A name in angle brackets that is not an HTML element."""
    hint = f"write it as code: `<{name}>`"
    return info("not-html", span, f"<{name}> is not HTML, and is shown as text", hint)


def unclosed_html(span: Span, name: str) -> Diagnostic:
    """An HTML element that hides its content and is never closed."""
    hint = f"write it as code: `<{name}>`"
    return info("unclosed-html", span, f"<{name}> is never closed, and is shown as text", hint)


def html_too_deep(span: Span, limit: int) -> Diagnostic:
    """Raw HTML that is nested more deeply than is safe to process."""
    return warning("html-too-deep", span, f"HTML nested more than {limit} deep is shown as text")


def unknown_admonition(span: Span, word: str, known: Iterable[str]) -> Diagnostic:
    """An admonition of a kind that devlog does not know."""
    hint = did_you_mean(word, known) or "use note, tip, important, warning or caution"
    return warning("unknown-admonition", span, f"unknown admonition “{word}”, shown as a note", hint)


def unclosed_admonition(span: Span, mark: str) -> Diagnostic:
    """A container of colons that is never closed, so that everything after it is inside."""
    hint = f"end it with a line “{mark}”"
    return warning("unclosed-admonition", span, "this admonition is never closed, and contains all that follows", hint)
