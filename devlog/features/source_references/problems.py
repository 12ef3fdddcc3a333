"""Messages about what posts say of the project's source."""

from __future__ import annotations

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import info, warning

_FATES = {"moved": "has moved", "changed": "has changed", "gone": "has been removed"}


def stale_citation(span: Span, place: str, state: str, now: str) -> Diagnostic:
    """A place in the source, cited without a commit, at which something else stands by now."""
    hint = f"it is now at “{now}”" if state == "moved" else f"see “{now}”" if now else ""
    message = f"“{place}” {_FATES[state]} since this was written"
    return warning("stale-citation", span, message, hint)


def changed_source(span: Span, place: str, state: str, now: str) -> Diagnostic:
    """A place in the source, cited as of a commit, which is no longer so."""
    hint = f"it is now at “{now}”" if state == "moved" else f"see “{now}”" if now else ""
    return info("changed-source", span, f"“{place}” {_FATES[state]} since this commit", hint)


def no_checkout(span: Span, folder: str, reason: str) -> Diagnostic:
    """The repository checkout that the configuration names cannot be read."""
    hint = f"source references are not checked; clone the repository into “{folder}”, or remove “source_checkout”"
    return warning("no-checkout", span, f"cannot read the repository checkout “{folder}”: {reason}", hint)


def many_citations(span: Span, most: int) -> Diagnostic:
    """A post cites very many places in the source: changes of the last ones are not reported."""
    return info("unchecked-source", span, f"only the first {most:,} source references of a post are checked")


def long_source(span: Span, file: str, most: int) -> Diagnostic:
    """A cited file is very long: changes of places in it are not reported. `span` cites the first of them."""
    message = f"source references to “{file}” are not checked: it has more than {most:,} lines or 2 MB"
    return info("unchecked-source", span, message)
