"""Diagnostics about shortcodes."""

from __future__ import annotations

import re
from collections.abc import Iterable

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.included import Obstacle
from devlog.model.problems import did_you_mean, error, warning
from devlog.model.secrets import shortened


def unknown_shortcode(span: Span, name: str, known: Iterable[str], escaped: str, *, shown: str) -> Diagnostic:
    """A shortcode that devlog does not know. `shown`: the part of it that is shown; if empty, it stays as text."""
    hint = did_you_mean(name, known) or f"write {escaped} to show a shortcode as text"
    what = f"only {shown} is shown" if shown else "shown as text"
    return warning("unknown-shortcode", span, f"unknown shortcode “{name}”, {what}", hint)


def unpaired_shortcode(span: Span, tag: str, *, closing: bool) -> Diagnostic:
    """An opening tag of a shortcode without a closing tag, or the reverse."""
    what = "has no opening tag" if closing else "is never closed"
    return warning("unpaired-shortcode", span, f"“{shortened(tag, 80)}” {what}, and is shown as text")


def incomplete_shortcode(span: Span, name: str) -> Diagnostic:
    """A shortcode without a required argument."""
    message = f"the shortcode “{name}” is missing a required argument, and is shown as text"
    return warning("incomplete-shortcode", span, message)


def long_shortcode(span: Span, name: str, most: int) -> Diagnostic:
    """A tag of a shortcode with very long arguments, which are not read."""
    message = f"the tag of the shortcode “{name}” has more than {most:,} characters, and is shown as text"
    return warning("incomplete-shortcode", span, message, "shorten its arguments, or put long text between two tags")


def no_value(span: Span, target: str) -> Diagnostic:
    """The shortcode `param` names nothing that can be shown in a text."""
    message = f"the shortcode “param” has no value for “{shortened(target, 80)}”, and is shown as text"
    hint = "it shows strings, numbers and booleans: of your own keys, title, description, summary, image and [params]"
    return warning("incomplete-shortcode", span, message, hint)


def lost_argument(span: Span, name: str, text: str) -> Diagnostic:
    """A shortcode in a line of text with a text, such as a caption, that only a block of its own shows."""
    message = f"“{shortened(text, 80)}” is not shown: the shortcode “{name}” is in a line of text"
    return warning("lost-argument", span, message, "put the shortcode on lines of its own")


def bad_shortcode(span: Span, reason: str) -> Diagnostic:
    """A file in `templates/shortcodes/` that does not define a shortcode."""
    return warning("bad-shortcode", span, f"not used as a shortcode: {reason}")


def bad_parameter(span: Span, name: str, reason: str) -> Diagnostic:
    """A parameter that a shortcode of the site declares in a wrong way."""
    return warning("bad-shortcode", span, f"the parameter “{name}” is not used: {reason}")


def shortcode_template(span: Span, name: str, reason: str, known: Iterable[str]) -> Diagnostic:
    """The template of a shortcode cannot be rendered."""
    undefined = re.fullmatch(r"'(\w{1,80})' is undefined", reason)
    hint = f"it knows {', '.join(known)}" if undefined else ""
    if undefined:
        reason, hint = f"“{undefined[1]}” is undefined", did_you_mean(undefined[1], known) or hint
    return error("shortcode-template", span, f"the template of the shortcode “{name}” fails: {reason}", hint)


def unknown_argument(span: Span, name: str, argument: str, known: Iterable[str]) -> Diagnostic:
    """An argument that a shortcode of the site does not declare."""
    hint = did_you_mean(argument, known) or (f"it has {', '.join(known)}" if known else "")
    return warning("bad-argument", span, f"the shortcode “{name}” has no parameter for “{argument}”", hint)


def missing_argument(span: Span, name: str, argument: str) -> Diagnostic:
    """A shortcode of the site without an argument that it needs."""
    return warning("bad-argument", span, f"the shortcode “{name}” needs the argument “{argument}”")


def bad_argument(span: Span, name: str, argument: str, wanted: str, given: str, choices: Iterable[str]) -> Diagnostic:
    """An argument of a shortcode of the site that is not of its type, or not one of the choices."""
    message = f"“{argument}” of the shortcode “{name}” must be {wanted}"
    return warning("bad-argument", span, message, did_you_mean(given, choices))


_OBSTACLES: dict[Obstacle, tuple[str, str]] = {
    "missing": (
        "there is no such file",
        "it is looked for beside the post, then in the content folder, then in the commit of “source_checkout”",
    ),
    "outside": (
        "its path leads elsewhere",
        "only files of the content folder and of “source_checkout” can be included",
    ),
    "link": ("it is a symbolic link that leads out of the repository", "include the file itself"),
    "large": ("it is larger than 1 MiB", ""),
    "not-text": ("it is not text in UTF-8", ""),
    "no-checkout": (
        "the checkout of the source cannot be read",
        "set “source_checkout” to a clone of the repository, without a “commit” for files of the site",
    ),
    "bad-commit": ("“{commit}” cannot be a commit or a tag", "write at least seven digits of a commit, or a tag"),
    "no-commit": ("it is not in the commit “{commit}” of the source checkout", "write a commit or a tag that has it"),
}


def not_included(span: Span, name: str, commit: str, obstacle: Obstacle) -> Diagnostic:
    """A file that a post includes and that is not shown, or lines of it that are not there; the page lacks the code."""
    reason, hint = _OBSTACLES[obstacle]
    return warning("broken-inclusion", span, f"cannot include “{name}”: {reason.replace('{commit}', commit)}", hint)


def too_many_included(span: Span, most: int) -> Diagnostic:
    """A post that includes very many files: the last ones are not shown."""
    return warning("broken-inclusion", span, f"a post can include at most {most} files")


def inline_inclusion(span: Span, name: str) -> Diagnostic:
    """A file that is included in the middle of a paragraph."""
    return warning(
        "broken-inclusion", span, f"cannot include “{name}” in a paragraph", "put the tag on a line of its own"
    )


def bad_lines(span: Span, written: str) -> Diagnostic:
    """Lines of an included file that are not written as such."""
    hint = "write lines as in 10-24, 10- or 5,8-9"
    return warning("broken-inclusion", span, f"“{written}” does not say which lines to include", hint)


def lines_beyond_end(span: Span, name: str, written: str, count: int) -> Diagnostic:
    """Lines of an included file that it does not have: what there is of them is shown."""
    lines = "1 line" if count == 1 else f"{count:,} lines"
    return warning("broken-inclusion", span, f"“{name}” has only {lines}, not “{written}”")


def no_region(span: Span, name: str, region: str) -> Diagnostic:
    """A region of an included file that is not there."""
    hint = f"a comment “region {region}” begins it, and “endregion” ends it"
    return warning("broken-inclusion", span, f"“{name}” has no region “{region}”", hint)


def no_recording(span: Span, name: str) -> Diagnostic:
    """A file that is shown as a recording of a terminal, and is none."""
    hint = "it must be a .cast file in version 1, 2 or 3 of asciinema's format"
    return warning("broken-inclusion", span, f"“{name}” is not a recording of a terminal", hint)
