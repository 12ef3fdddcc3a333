"""What a build did, found and took."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from devlog.model.diagnostic import Diagnostic
from devlog.model.site import Skipped


class Report(msgspec.Struct, frozen=True):
    """The result of a build.

    Attributes:
        title: of the site.
        output: the output folder, as configured.
        posts: how many posts are published.
        pages: how many HTML pages the site has, redirects included.
        feeds: how many feeds it has.
        outputs: how many files it has.
        written: paths of new and changed files, sorted.
        unchanged: how many files stayed as they were.
        removed: paths of files that are gone, sorted.
        parsed: how many texts were really parsed.
        rendered: how many files were really rendered.
        skipped: the posts that were left out, and why.
        diagnostics: what is wrong, sorted; after an error nothing was written.
        seconds: by stage, in order.
        indexed: how many texts were indexed for the search; 0 where its index is still right.
        indexing: how many seconds that took, beside everything else.
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


def has_error(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether one of them is an error."""
    return any(diagnostic.severity == "error" for diagnostic in diagnostics)
