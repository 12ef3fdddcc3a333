"""Diagnostics about outputs that are compared."""

from __future__ import annotations

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import error, warning


def no_output(folder: str) -> Diagnostic:
    """The site has not been built."""
    message = "no output of the new site found here"
    return error("nothing-to-compare", Span(folder), message, "build the site first, or pass its folder with --new")


def no_pages(folder: str) -> Diagnostic:
    """A folder that does not contain the output of a site."""
    return error("nothing-to-compare", Span(folder), "no HTML pages found in this folder or below it")


def same_output(folder: str) -> Diagnostic:
    """The old and the new output are the same folder."""
    hint = "keep the output of the old site in another folder, and pass it with --old"
    return error("nothing-to-compare", Span(folder), "the old and the new output are the same folder", hint)


def not_a_site_map(file: str, reason: str) -> Diagnostic:
    """A file given as a sitemap that cannot be read as one."""
    return error("nothing-to-compare", Span(file), f"cannot be read as a sitemap: {reason}")


def no_own_address(file: str, number: int, base: str, likely: str) -> Diagnostic:
    """A sitemap without URLs, or with URLs of another site only; `likely` is their common prefix."""
    message = f"none of the {number:,} URLs is below “{base}”" if number else "contains no URLs"
    hint = f"pass the URL of the old site; “--base-url {likely}” fits all URLs" if likely else ""
    return error("nothing-to-compare", Span(file), message, hint)


def not_compared(file: str, reason: str) -> Diagnostic:
    """A part of an output that could not be compared."""
    return warning("not-compared", Span(file), f"was not compared: {reason}")
