"""The arguments of functions that derive data from a site's files before its pages are planned."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

from devlog.assemble.claims import Claims, claims_of_files
from devlog.assemble.references import References
from devlog.config_file.spans import SpanOf
from devlog.disk import problems
from devlog.disk.read import read_bytes
from devlog.inputs import Inputs, digest_of, read_configuration
from devlog.model.derived import Derived
from devlog.model.diagnostic import Diagnostic
from devlog.model.digest import digest_bytes
from devlog.model.site import Site
from devlog.model.target import Copy
from devlog.stages import Stages

Effort = Literal["make", "look", "recall"]
"""What to do about an image that is not in the cache: make other sizes, only check whether that is possible, or
nothing."""


MADE = "made"
"""The `folder` of a `Copy` whose bytes are the result of other work, by their digest."""


class Deriving(NamedTuple):
    """A site to derive data from, and the stages that do the work.

    Attributes:
        root: the site's folder.
        repository: the folder that a configured repository checkout is relative to.
        inputs: the inputs of the build.
        site: the assembled site.
        references: the resolved links of posts, which tell what files they show.
        stages: run work items, or return their cached results.
        effort: what to do about images that are not in the cache; `None` to derive no images at all, not even
            diagrams, which third-party programs draw.
        before: in a preview, the data that was derived before an edit: data that an edit of a post does not affect is
            not derived again.
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
        """The permalinks that the files of the site and of its theme claim."""
        return claims_of_files(self.site, self.inputs.loaded.theme)

    def spans(self) -> SpanOf:
        """A function that returns where the configuration sets a key. If it has changed meanwhile, the build fails.

        A preview may go on with the last good configuration, and follows any change.
        """
        file, span_of = self.inputs.config_file, read_configuration(self.root)[2]
        digest = digest_of(self.root, file)
        # A trial of `devlog adopt` has no file yet.
        if self.before is None and digest and digest != self.inputs.config_digest:
            self.stages.diagnostics.append(problems.changed_while_building(file))
        return span_of

    def named(self, file: str, limit: int) -> Copy | Diagnostic:
        """A file that the configuration names, as works refer to it, or why it cannot be read.

        Args:
            file: its path in the site's folder.
            limit: the maximum size in bytes.
        """
        data = read_bytes(self.root, file, limit=limit)
        if isinstance(data, Diagnostic):
            return data
        digest = digest_bytes(data)
        known = self.inputs.named[file] == digest  # else the record of this build would be about another file
        return Copy("", "site", file, digest) if known else problems.changed_while_building(file)

    def read(self, copy: Copy) -> bytes | Diagnostic:
        """The bytes of a file, or why they cannot be read."""
        if copy.folder == MADE:
            return self.stages.made(copy.digest)
        if copy.inside:
            data = self.inputs.read_contained(self.root, copy.file, copy.inside)
        else:
            location = self.inputs.location_of(self.root, copy)
            data = read_bytes(location.root, location.file)
        if isinstance(data, bytes) and digest_bytes(data) != copy.digest:
            return problems.changed_while_building(copy.file)
        return data
