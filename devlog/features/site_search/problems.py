"""Messages about the search of the published site."""

from __future__ import annotations

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import error, warning


def search_cannot_start(span: Span, reason: str) -> Diagnostic:
    """The indexer is installed, but does not run here."""
    return warning("no-search", span, f"the site has no search because its indexer cannot be started: {reason}")


def search_failed(span: Span, reason: str) -> Diagnostic:
    """The indexer gave up: the pages that are ready by then offer a search."""
    hint = "use “--no-search” to build without search"
    return error("search-failed", span, f"search indexing failed: {reason}", hint)
