"""Messages about what other generators have besides Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import did_you_mean, info, warning


def liquid_tag(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """A tag of Liquid that devlog does not have."""
    hint = did_you_mean(name, known) or "wrap a tag in {% raw %} … {% endraw %} to show it as text"
    return warning("liquid-tag", span, f"unknown tag “{name}” was removed", hint)


def liquid_logic(span: Span, name: str) -> Diagnostic:
    """A tag of Liquid that computes, chooses or repeats."""
    hint = "write what should be shown, without the tag"
    shown = "shown once, without its values" if name in ("for", "tablerow") else "shown"
    return warning("liquid-tag", span, f"the tag “{name}” is not evaluated; everything inside it is {shown}", hint)


def liquid_unclosed(span: Span, name: str) -> Diagnostic:
    """A tag of Liquid whose end is missing."""
    return warning("liquid-unclosed", span, f"the tag “{name}” is never closed", f"add {{% end{name} %}} after it")


def liquid_include(span: Span, name: str, *, has_text: bool) -> Diagnostic:
    """An include, which is a template of another generator."""
    left = "only the text passed to it is shown" if has_text else "nothing is shown for it"
    return warning("liquid-include", span, f"unknown include “{name}”; {left}")


def liquid_figure(span: Span, name: str) -> Diagnostic:
    """An include or a tag of another generator that names an image."""
    return info("liquid-figure", span, f"“{name}” is shown as a figure")


def liquid_variable(span: Span, written: str) -> Diagnostic:
    """Something that Liquid would have replaced by a value."""
    hint = "define “site.…” values in [params], and “page.…” values in the front matter"
    return warning("liquid-variable", span, f"“{written}” has no known value, and is shown as is", hint)


def liquid_in_code(span: Span, written: str) -> Diagnostic:
    """What looks like Liquid in code, where hardly anyone means it to be replaced."""
    return info("liquid-in-code", span, f"“{written}” is shown as is, like all Liquid in the code of this post")
