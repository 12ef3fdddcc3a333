"""Messages about Markdown: code, formulas, links and raw HTML in it."""

from __future__ import annotations

import re

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import info, nearest, warning


def unknown_language(span: Span, language: str, near: str) -> Diagnostic:
    """A fence names a language that has no highlighting."""
    hint = f"did you mean “{near}”?" if near else "write “text” for plain text"
    return info("unknown-language", span, f"no syntax highlighting for “{language}”", hint)


def bad_formula(span: Span, reason: str, *, dollar: bool) -> Diagnostic:
    """A formula that cannot be read: `dollar` says that it stands between single dollars, as prices might."""
    reason = re.sub(r'"([^"]*)"|`([^`]*)`', lambda quoted: f"“{quoted[1] or quoted[2] or ''}”", reason).rstrip(".")
    hint = "write “\\$” for a literal dollar sign" if dollar else ""
    if reason.endswith("already defined"):  # by those who know “\R” from one program and not from another
        hint = "use “\\renewcommand” to redefine it"
    message = f"formula shown as source: {reason[:1].lower()}{reason[1:]}"
    return warning("bad-formula", span, message, hint)


def unknown_label(span: Span) -> Diagnostic:
    """A formula refers to an equation that does not stand before it: only those have a number already."""
    return warning("bad-label", span, "no earlier equation has this label")


def repeated_label(span: Span) -> Diagnostic:
    """Two equations of a post have one label, which can lead to one of them only."""
    return warning("bad-label", span, "an earlier equation has the same label, and links go to that one")


def kramdown_options(span: Span) -> Diagnostic:
    """Options of kramdown, which set up another program."""
    return info("kramdown-options", span, "kramdown options have no effect")


def unsafe_url(span: Span, url: str, scheme: str) -> Diagnostic:
    """A link with a scheme that is not allowed."""
    message = f"the link “{url[:80]}” was removed: “{scheme}:” is not an allowed scheme"
    near = nearest(scheme, ("https", "http", "mailto"))
    hint = f"did you mean “{near}:”?" if near else "use https:, mailto: or a path inside the site"
    return warning("unsafe-url", span, message, hint)


def unsafe_html(span: Span, tag: str) -> Diagnostic:
    """An element that the sanitiser removes."""
    hint = 'set html = "trusted" in the configuration to allow any HTML in every post'
    return warning("unsafe-html", span, f"the element <{tag}> was removed: it is not allowed in posts", hint)


def not_html(span: Span, name: str) -> Diagnostic:
    """Something in angle brackets that is no element of HTML."""
    hint = f"write it as code: `<{name}>`"
    return info("not-html", span, f"<{name}> is not HTML, and is shown as text", hint)


def unclosed_html(span: Span, name: str) -> Diagnostic:
    """An element that hides its content and is never closed."""
    hint = f"write it as code: `<{name}>`"
    return info("unclosed-html", span, f"<{name}> is never closed, and is shown as text", hint)


def html_too_deep(span: Span, limit: int) -> Diagnostic:
    """Raw HTML that nests deeper than is safe to process."""
    return warning("html-too-deep", span, f"HTML nested more than {limit} deep is shown as text")
