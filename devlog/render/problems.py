"""Messages about templates and recipes."""

from __future__ import annotations

from collections.abc import Iterable

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import did_you_mean, error, warning
from devlog.model.surrogates import without_surrogates


def template_error(span: Span, message: str, hint: str = "") -> Diagnostic:
    """A template with an error."""
    return error("template-error", span, without_surrogates(message), without_surrogates(hint))


def unknown_recipe(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """A plan of a plugin that wants a file with a recipe that does not exist."""
    return error("unknown-recipe", span, f"unknown recipe “{name}”", did_you_mean(name, known))


def unknown_message(span: Span, key: str, known: Iterable[str]) -> Diagnostic:
    """A message of a catalog that no template or script uses."""
    return warning("unknown-message", span, f"no template or script has a message “{key}”", did_you_mean(key, known))
