"""What is handed to all that makes something of a site's files, before its pages are planned."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

from devlog.assemble.claims import Claims, claims_of_files
from devlog.assemble.references import References
from devlog.disk import problems
from devlog.disk.read import read_bytes
from devlog.inputs import Inputs
from devlog.model.derived import Derived
from devlog.model.diagnostic import Diagnostic
from devlog.model.digest import digest_bytes
from devlog.model.site import Site
from devlog.model.target import Copy
from devlog.stages import Stages

Effort = Literal["make", "look", "recall"]
"""What is done about an image of which nothing is remembered: make other sizes, see whether one could, or nothing."""


class Deriving(NamedTuple):
    """A site of which something is to be made, and who makes it.

    Attributes:
        root: the site's folder.
        repository: the folder that a configured repository checkout is relative to.
        inputs: what was read.
        site: as assembled.
        references: know which files the texts show.
        stages: do the work, or remember what came of it.
        effort: to be made with images; `None` for no images at all: diagrams are drawn by programs of others.
        before: what was made before an edit, in a preview: nothing is made anew that an edit of a post does not touch.
    """

    root: Path
    repository: Path
    inputs: Inputs
    site: Site
    references: References
    stages: Stages
    effort: Effort | None = "make"
    before: Derived | None = None

    def claims(self) -> Claims:
        """Which permalinks the files of the site and of its theme have."""
        return claims_of_files(self.site, self.inputs.loaded.theme)

    def read(self, copy: Copy) -> bytes | Diagnostic:
        """The bytes of a file, or why they cannot be had."""
        location = self.inputs.location_of(self.root, copy)
        data = read_bytes(location.root, location.file)
        if isinstance(data, bytes) and digest_bytes(data) != copy.digest:
            return problems.changed_while_building(copy.file)
        return data
