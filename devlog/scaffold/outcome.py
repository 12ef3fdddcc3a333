"""The result of creating a file or a site."""

from __future__ import annotations

import msgspec

from devlog.model.diagnostic import Diagnostic


class Outcome(msgspec.Struct, frozen=True):
    """The files that were written, and diagnostics.

    Attributes:
        files: the written files, relative to the site's folder.
        url: of the new page or site; empty if it has no page or its URL is unknown.
        kept: existing files, which were left unchanged.
        diagnostics: problems; if one of them is an error, writing stopped there.
    """

    files: tuple[str, ...] = ()
    url: str = ""
    kept: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether there was an error, so that not everything was written."""
        return any(item.severity == "error" for item in self.diagnostics)
