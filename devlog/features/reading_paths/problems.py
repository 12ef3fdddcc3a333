"""Messages about reading paths."""

from __future__ import annotations

from collections.abc import Iterable

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import did_you_mean, warning


def unknown_step_key(span: Span, key: str, known: Iterable[str]) -> Diagnostic:
    """An unknown key in a step of a reading path."""
    hint = did_you_mean(key, known) or "a step may have “post”, “why” and “before”"
    return warning("unknown-key", span, f"unknown key “{key}” in a step of a reading path", hint)


def not_a_post(span: Span, target: str) -> Diagnostic:
    """A step of a reading path leads to something that is not a post of the site."""
    return warning("not-a-post", span, f"“{target}” is not a post on this site, so the path leaves it out")


def before_nothing(span: Span, target: str) -> Diagnostic:
    """Something to read before leads to a file or a list instead of a post or page."""
    message = f"“{target}” is not a post or page on this site, so it cannot be a prerequisite"
    return warning("not-a-post", span, message)


def repeated_step(span: Span, target: str, line: int) -> Diagnostic:
    """A post is on the same reading path twice."""
    message = f"“{target}” is on this path already, as the step on line {line}"
    return warning("repeated-step", span, message, "remove one of them")


def before_itself(span: Span) -> Diagnostic:
    """A reading path or one of its posts is its own prerequisite."""
    return warning("before-itself", span, "a path or post cannot be its own prerequisite")


def path_without_page(span: Span) -> Diagnostic:
    """The front matter of a post, a topic or the home page declares a reading path."""
    hint = "move it to a page, such as a file “start.md” in the content folder"
    return warning("path-without-page", span, "only a plain page can be a reading path", hint)


def superseded_step(span: Span, target: str, newer: str) -> Diagnostic:
    """A step of a reading path leads to a superseded post."""
    hint = f"use “{newer}” instead" if newer else ""
    return warning("superseded-step", span, f"“{target}” has been superseded", hint)


def late_prerequisite(span: Span, target: str, number: int, own: int) -> Diagnostic:
    """A step of a reading path needs a post that is a later step of it."""
    message = f"“{target}” is to be read before step {own}, but it is step {number} of this path"
    return warning("late-prerequisite", span, message)


def circular_prerequisites(span: Span, target: str, titles: Iterable[str]) -> Diagnostic:
    """Reading paths or posts on them are prerequisites of each other; `titles` are those of the circle, in order."""
    chain = " → ".join(f"“{title}”" for title in titles)
    message = f"“{target}” closes a circle of prerequisites: {chain}"
    return warning("circular-prerequisites", span, message, "remove one of them")
