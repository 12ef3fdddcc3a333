"""Messages about templates and recipes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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


def unknown_block(span: Span, name: str, extended: str, known: Sequence[str]) -> Diagnostic:
    """A block of a template that extends another, which has no such block."""
    hint = did_you_mean(name, known) or (f"it has {', '.join(known)}" if known else "it has no blocks")
    message = f"the block “{name}” is never rendered: “{extended}” has no such block"
    return warning("unknown-block", span, without_surrogates(message), without_surrogates(hint))


def outside_blocks(span: Span, extended: str) -> Diagnostic:
    """Text of a template that extends another, outside of its blocks."""
    message = f"text outside of blocks is never rendered, since the template extends “{extended}”"
    return warning("outside-blocks", span, without_surrogates(message), "move it into a block, or delete it")
