"""Messages about the search of the published site."""

from __future__ import annotations

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import error, warning


def search_cannot_start(span: Span, reason: str) -> Diagnostic:
    """The indexer is installed, but it cannot be started."""
    return warning("no-search", span, f"the site has no search because its indexer cannot be started: {reason}")


def search_failed(span: Span, reason: str) -> Diagnostic:
    """The indexer failed after the build had written pages with a search box."""
    hint = "use “--no-search” to build without search"
    return error("search-failed", span, f"search indexing failed: {reason}", hint)
