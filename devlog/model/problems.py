"""The constructors of all messages, and the one message of several packages that may not import each other.

Each package and feature has its messages in a module of this name, one function each. A message is one sentence
without a period. Text that the user wrote is in “typographic quotes”. A hint says what to do, and is given only if it
is certain to be right. The code of a problem is stable, because configurations refer to it.

Secrets in messages and hints are masked here, so that no command can forget it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from devlog.model.closest import Words, closest
from devlog.model.diagnostic import Diagnostic, Fix, Span
from devlog.model.language import likely_tag
from devlog.model.secrets import masked


def error(code: str, span: Span, message: str, hint: str = "", others: Iterable[str] = ()) -> Diagnostic:
    """An error: something cannot be published correctly."""
    return Diagnostic(code, "error", masked(message), span, masked(hint), others=tuple(others))


def warning(
    code: str, span: Span, message: str, hint: str = "", fix: Fix | None = None, others: Iterable[str] = ()
) -> Diagnostic:
    """A warning: something looks wrong, but may be intended."""
    return Diagnostic(code, "warning", masked(message), span, masked(hint), fix=fix, others=tuple(others))


def info(code: str, span: Span, message: str, hint: str = "", fix: Fix | None = None) -> Diagnostic:
    """A note: something is worth knowing."""
    return Diagnostic(code, "info", masked(message), span, masked(hint), fix=fix)


def files_of(span: Span) -> tuple[str, ...]:
    """The file of a span, as other file of a problem; none if it stands for something that devlog makes."""
    return (span.path,) if span.is_file else ()


def nearest(word: str, known: Iterable[str] | Words) -> str:
    """The known word that `word` was most likely meant to be; empty when none is near."""
    if len(word) < 3:  # “as” is as near to “ps” as to “sas”
        return ""
    return closest(word, known, 0.7)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint with the most similar known word; empty if none is similar."""
    near = nearest(word, known)
    return f"did you mean “{near}”?" if near else ""


def language_hint(value: str) -> str:
    """A hint for a value that is no language tag: the tag that was most likely meant, or what one looks like."""
    tag = likely_tag(value)
    return f"write “{tag}”" if tag else "write a tag such as “en” or “pt-BR”"


def some_files(files: Sequence[str]) -> str:
    """The first three files of a list, and the number of the others."""
    named = ", ".join(f"“{file}”" for file in files[:3])
    return f"{named} and {len(files) - 3:,} more" if len(files) > 3 else named


def bad_message(span: Span, key: str, reason: str, hint: str = "") -> Diagnostic:
    """A message in a theme's catalog that cannot be used."""
    return error("bad-message", span, f"invalid message “{key}”: {reason}", hint)
