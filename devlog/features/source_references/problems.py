"""Messages about source references."""

from __future__ import annotations

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import error, info, warning

_FATES = {"moved": "has moved", "changed": "has changed", "gone": "has been removed"}


def stale_citation(span: Span, place: str, state: str, now: str) -> Diagnostic:
    """Source that is cited without a commit, and has changed since the post was written."""
    hint = f"it is now at “{now}”" if state == "moved" else f"see “{now}”" if now else ""
    message = f"“{place}” {_FATES[state]} since this was written"
    return warning("stale-citation", span, message, hint)


def changed_source(span: Span, place: str, state: str, now: str) -> Diagnostic:
    """Source that is cited at a commit, and has changed since that commit."""
    hint = f"it is now at “{now}”" if state == "moved" else f"see “{now}”" if now else ""
    return info("changed-source", span, f"“{place}” {_FATES[state]} since this commit", hint)


def no_checkout(span: Span, folder: str, reason: str) -> Diagnostic:
    """The repository checkout that the configuration names cannot be read."""
    hint = f"source references are not checked; clone the repository into “{folder}”, or remove “source_checkout”"
    return warning("no-checkout", span, f"cannot read the repository checkout “{folder}”: {reason}", hint)


def committed_checkout(span: Span, folder: str, reason: str) -> Diagnostic:
    """The configuration names a folder that commits of the site can make lead to any repository of the machine."""
    hint = "source references are not checked; name a folder outside the site's repository, or one that it ignores"
    return warning("no-checkout", span, f"cannot read the repository checkout “{folder}”: {reason}", hint)


def unknown_checkout(span: Span, folder: str, reason: str) -> Diagnostic:
    """The configuration names a folder of which it is not known whether commits of the site put it there."""
    message = f"cannot read the repository checkout “{folder}”: {reason}"
    return warning("no-checkout", span, message, "source references are not checked")


def many_citations(span: Span, most: int) -> Diagnostic:
    """A post that cites very many places in the source: changes of the last ones are not reported."""
    return info("unchecked-source", span, f"only the first {most:,} source references of a post are checked")


def long_source(span: Span, file: str, most: int) -> Diagnostic:
    """A cited file that is very long: changes of places in it are not reported. `span` is the first citation of it."""
    message = f"source references to “{file}” are not checked: it has more than {most:,} lines or 2 MB"
    return info("unchecked-source", span, message)


def many_lines(span: Span, count: int, most: int) -> Diagnostic:
    """Citations for which very many lines would have to be compared. `span` is the first of them."""
    message = f"{count:,} source references are not checked: a build compares at most {most:,} lines"
    return info("unchecked-source", span, message, "build again to check more, or cite fewer versions of long files")


def many_definitions(span: Span, folder: str, most: int) -> Diagnostic:
    """A repository checkout with very many definitions: symbols that only its last files define are not found."""
    message = f"symbols are looked up only in the first {most:,} definitions of the repository checkout “{folder}”"
    return info("unchecked-source", span, message)


def no_source_repository(config_file: str) -> Diagnostic:
    """A command about the source of a site whose configuration names no repository, or turns source references off."""
    return error(
        "no-source-repository",
        Span(config_file),
        "no source repository is configured",
        "set “source_repo” or “refs.repo”, without “refs.enabled = false”",
    )
