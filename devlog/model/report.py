"""The reports of a build and of a check: what was done, the problems found, and the time that it took."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from devlog.model.diagnostic import Diagnostic
from devlog.model.site import Skipped


class Report(msgspec.Struct, frozen=True):
    """The result of a build.

    Attributes:
        title: the title of the site.
        output: the output folder, as configured.
        posts: the number of published posts.
        pages: the number of HTML pages of the site, including redirects.
        feeds: the number of its feeds.
        outputs: the number of its files.
        written: the paths of new and changed files, sorted.
        unchanged: the number of unchanged files.
        removed: the paths of removed files, sorted.
        parsed: the number of sources that were parsed, not read from the cache.
        rendered: the number of files that were rendered.
        skipped: the posts that were not published, with the reasons.
        diagnostics: the problems, sorted; if there is an error, nothing was written, unless the system
            failed while the site was being published file by file.
        seconds: the duration of each stage, in order.
        indexed: the number of pages that were indexed for the search; 0 if its index was up to date.
        indexing: how many seconds indexing took, in parallel with the other stages.
    """

    title: str
    output: str
    posts: int
    pages: int
    feeds: int
    outputs: int
    written: tuple[str, ...]
    unchanged: int
    removed: tuple[str, ...]
    parsed: int
    rendered: int
    skipped: tuple[Skipped, ...]
    diagnostics: tuple[Diagnostic, ...]
    seconds: dict[str, float]
    indexed: int = 0
    indexing: float = 0.0

    @property
    def failed(self) -> bool:
        """Whether there is an error."""
        return has_error(self.diagnostics)


class CheckReport(msgspec.Struct, frozen=True):
    """The result of a check, as it is reported.

    Attributes:
        title: the title of the site.
        posts: the number of published posts.
        diagnostics: the problems, sorted.
        seconds: how long the check took.
        fixable: how many of the problems ``devlog check --fix`` would fix.
    """

    title: str
    posts: int
    diagnostics: tuple[Diagnostic, ...]
    seconds: float
    fixable: int = 0


def has_error(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether one of them is an error."""
    return any(diagnostic.severity == "error" for diagnostic in diagnostics)
