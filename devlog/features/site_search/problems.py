"""Messages about the search of the published site."""

from __future__ import annotations

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import error, info, warning


def no_search(span: Span, command: str, *, asked: bool) -> Diagnostic:
    """The package that indexes pages is not installed.

    Args:
        span: where the configuration turns the search on, or its file.
        command: the command that installs the package.
        asked: whether the configuration turns the search on explicitly.
    """
    message = "the site has no search: pagefind-bin is not installed"
    if asked:
        return warning("no-search", span, message, f"run “{command}”")
    return info("no-search", span, message, f"run “{command}”, or set “enabled = false” in [search]")


def search_cannot_start(span: Span, reason: str) -> Diagnostic:
    """The indexer is installed, but it cannot be started."""
    return warning("no-search", span, f"the site has no search because its indexer cannot be started: {reason}")


def search_failed(span: Span, reason: str) -> Diagnostic:
    """The indexer failed after the build had written pages with a search box."""
    hint = "use “--no-search” to build without search"
    return error("search-failed", span, f"search indexing failed: {reason}", hint)
