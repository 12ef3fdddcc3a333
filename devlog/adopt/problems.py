"""Diagnostics about sites of other generators."""

from __future__ import annotations

from collections.abc import Iterable

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import error


def already_adopted(span: Span, differing: Iterable[str]) -> Diagnostic:
    """The site already has a devlog configuration; `differing` are the keys that an import would set differently."""
    keys = ", ".join(f"“{key}”" for key in differing)
    message = "this site already has a devlog configuration" + (f"; adopting would change {keys}" if keys else "")
    return error("already-adopted", span, message, "move it away to adopt the site again")


def foreign_config(span: Span, language: str, reason: str) -> Diagnostic:
    """The configuration of another generator cannot be read."""
    return error("foreign-config", span, f"this is not valid {language}: {reason}")


def foreign_alias(span: Span) -> Diagnostic:
    """The configuration of another generator has an alias of YAML without a value, or too many in all."""
    message = "this alias of YAML has no value, or those before it repeat too much, so devlog cannot tell what is set"
    return error("foreign-config", span, message, "write the value in place of the alias")


def nothing_to_adopt(span: Span, inner: str) -> Diagnostic:
    """There is no site of another generator and no Markdown file; `inner` is a folder that seems to contain a site."""
    message = "no Hugo, Jekyll or Zola site found here, and no Markdown files"
    hint = f"there seems to be a site in “{inner}”: use --root {inner}" if inner else ""
    if inner:
        message = "no Hugo, Jekyll or Zola site found in this folder"
    return error("nothing-to-adopt", span, message, hint)


def unsupported_generator(span: Span, name: str) -> Diagnostic:
    """The site is for a generator that resembles Jekyll, but whose sites cannot be imported."""
    hint = (
        'write a devlog.toml with “dialect = "jekyll"”, the folder with _posts as “content”, and the “permalinks” '
        "of the old site; then compare the outputs (docs/migration.md)"
    )
    return error("unsupported-generator", span, f"sites of {name} cannot be adopted", hint)
