"""Tells whether a site can have a search."""

from __future__ import annotations

from collections.abc import Callable

from devlog.features.site_search import problems
from devlog.features.site_search.model import TEMPLATE
from devlog.installation import installation
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.theme import Theme
from devlog.packages import version


def is_possible(theme: Theme, span_of: Callable[..., Span]) -> tuple[bool, tuple[Diagnostic, ...]]:
    """Whether a site can have a search, and the reason to report if it cannot.

    Args:
        theme: the theme of the site; without a template for the search page, it wants no search.
        span_of: returns the span of a key of the configuration.
    """
    if not any(template.name == TEMPLATE for template in theme.templates):
        return False, ()
    if version("pagefind-bin"):
        return True, ()
    span, command = span_of("search", "enabled"), installation().add_package("pagefind-bin")
    return False, (problems.no_search(span, command, asked=span.line > 0),)
