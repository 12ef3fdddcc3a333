"""Messages about supersession and the status of posts."""

from __future__ import annotations

from collections.abc import Iterable

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import did_you_mean, error, info, warning


def supersedes_nothing(span: Span, target: str) -> Diagnostic:
    """A post supersedes, or is superseded by, something that is not a post of the site."""
    return warning("supersedes-nothing", span, f"“{target}” is not a post on this site, so nothing is superseded")


def supersedes_itself(span: Span) -> Diagnostic:
    """A post that supersedes itself."""
    return error("superseding-circle", span, "a post cannot supersede itself")


def superseding_circle(span: Span, files: Iterable[str]) -> Diagnostic:
    """Posts that supersede each other, so that none of them is the newest."""
    files = [*files]
    names = [f"“{file}”" for file in files]
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return error(
        "superseding-circle", span, f"these posts supersede each other: {shown}", others=sorted({*files} - {span.path})
    )


def contradicted_status(span: Span, file: str) -> Diagnostic:
    """A post whose status is current although another post supersedes it."""
    message = f"“status” is “current”, but “{file}” supersedes this post"
    return warning("contradicted-status", span, message, others=[file])


def no_successor(span: Span) -> Diagnostic:
    """A post that is marked as superseded although no post supersedes it."""
    hint = "set “supersedes” in the post that replaces it, or use “historical” if there is none"
    return info("no-successor", span, "this post is superseded, but no post supersedes it", hint)


def link_to_superseded(span: Span, target: str, newer: str) -> Diagnostic:
    """A link to a superseded post."""
    return info("link-to-superseded", span, f"“{target}” has been superseded", f"link to “{newer}” instead")


def unknown_part(span: Span, key: str, whole: str, known: Iterable[str]) -> Diagnostic:
    """An unknown key inside the value of another key."""
    hint = did_you_mean(key, known) or f"it may have {' and '.join(f'“{name}”' for name in known)}"
    return warning("unknown-key", span, f"unknown key “{key}” in “{whole}”", hint)


def unknown_status(span: Span, written: str, near: str) -> Diagnostic:
    """A status that is not one of the known values."""
    hint = f"did you mean “{near}”?" if near else "write “current”, “superseded” or “historical”"
    return warning("unknown-status", span, f"“{written}” is not a status; this value is ignored", hint)
