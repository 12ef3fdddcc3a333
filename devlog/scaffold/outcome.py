"""What came of making something."""

from __future__ import annotations

import msgspec

from devlog.model.diagnostic import Diagnostic


class Outcome(msgspec.Struct, frozen=True):
    """What was written, and what is to be said about it.

    Attributes:
        files: what was written, relative to the site's folder.
        url: where it will be shown; empty when it has no page of its own, or nobody has said where.
        kept: what was there already and has been left as it is.
        diagnostics: what was wrong; with an error among them, writing stopped there.
    """

    files: tuple[str, ...] = ()
    url: str = ""
    kept: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether something is not there that should be."""
        return any(item.severity == "error" for item in self.diagnostics)
