"""Diagnostics about syntax of other generators."""

from __future__ import annotations

from collections.abc import Iterable

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import did_you_mean, info, warning


def liquid_tag(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """A Liquid tag that devlog does not know."""
    hint = did_you_mean(name, known) or "wrap a tag in {% raw %} … {% endraw %} to show it as text"
    return warning("liquid-tag", span, f"unknown tag “{name}” was removed", hint)


def liquid_logic(span: Span, name: str) -> Diagnostic:
    """A Liquid tag for a computation, a condition or a loop."""
    hint = "write what should be shown, without the tag"
    shown = "shown once, without its values" if name in ("for", "tablerow") else "shown"
    return warning("liquid-tag", span, f"the tag “{name}” is not evaluated; everything inside it is {shown}", hint)


def liquid_unclosed(span: Span, name: str) -> Diagnostic:
    """A Liquid tag without its end tag."""
    return warning("liquid-unclosed", span, f"the tag “{name}” is never closed", f"add {{% end{name} %}} after it")


def liquid_include(span: Span, name: str, *, has_text: bool) -> Diagnostic:
    """An include of a template of another generator, which devlog does not have."""
    left = "only the text passed to it is shown" if has_text else "nothing is shown for it"
    return warning("liquid-include", span, f"unknown include “{name}”; {left}")


def liquid_figure(span: Span, name: str) -> Diagnostic:
    """An include or a tag of another generator with an image, which is shown as a figure."""
    return info("liquid-figure", span, f"“{name}” is shown as a figure")


def liquid_variable(span: Span, written: str) -> Diagnostic:
    """A Liquid expression whose value is unknown."""
    hint = "define “site.…” values in [params], and “page.…” values in the front matter"
    return warning("liquid-variable", span, f"“{written}” has no known value, and is shown as is", hint)


def liquid_in_code(span: Span, written: str) -> Diagnostic:
    """Liquid syntax in code, where it is rarely meant to be evaluated."""
    return info("liquid-in-code", span, f"“{written}” is shown as is, like all Liquid in the code of this post")
