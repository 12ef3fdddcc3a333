"""What the last build was made of, and what came of it: where all of that is as it was, there is nothing to build.

All that a build reads is in its `Inputs`, so that one digest of these says whether anything has changed. What they do
not hold, the date and what git knows, is noted with it, and what features ask besides. Of these, the answers are
noted and not where they are kept: the next build asks for them again. What was not answered, or cannot be seen, holds
for no other build.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec

from devlog import packages
from devlog.assemble.dates import next_change
from devlog.assemble.site import Visibility
from devlog.config import Config, Diagram
from devlog.disk.git import state_of
from devlog.disk.manifest import Entry, Manifest, digest_of_manifest
from devlog.engine.toolchain import time_zone, toolchain
from devlog.inputs import GitDates, Inputs
from devlog.installation import installation
from devlog.model.derived import Answers, Derived
from devlog.model.diagnostic import Diagnostic
from devlog.model.document import Parsed
from devlog.model.site import Skipped
from devlog.plugin import features
from devlog.programs import program_of


class ExternalState(msgspec.Struct, frozen=True):
    """What was asked for a site that is not among its inputs, and what decides on the answers.

    Attributes:
        history: the state of the site's repository while it was asked for the dates of texts, see
            `devlog.disk.git.state_of`; `None` where it was not asked.
        of_features: what features have asked, by their names.
    """

    history: str | None
    of_features: dict[str, Answers]

    def holds(self, root: Path, config: Config) -> bool:
        """Whether the answers would be the same.

        Args:
            root: the site's folder.
            config: of the site.
        """
        if self.history is not None and self.history != state_of(root):
            return False
        asking = {plugin.name: plugin.external_inputs for plugin in features() if plugin.external_inputs}
        return all(
            name in asking and known.digest != "" and known.digest == asking[name].ask_again(root, config, known.names)
            for name, known in self.of_features.items()
        )


def external_state(git: GitDates, derived: Derived) -> ExternalState:
    """What git was asked for dates, and what features have asked."""
    known = {plugin.name: plugin.external_inputs.asked(derived) for plugin in features() if plugin.external_inputs}
    return ExternalState(git.state, {name: answers for name, answers in known.items() if answers})


class BuildRecord(msgspec.Struct, frozen=True):
    """A build that left a whole site behind.

    Attributes:
        key: the digest of all that went into it.
        since: when it was made.
        until: from when on one of its dates makes another site; `None` where none does.
        posts: how many posts the site has; the other numbers are those of the `Report`.
        pages: likewise.
        feeds: likewise.
        outputs: likewise.
        skipped: the posts that were left out, and why.
        diagnostics: what the stages after reading found wrong.
        external: what is not among the inputs.
        files: the digest of the manifest that it left.
    """

    key: str
    since: datetime
    until: datetime | None
    posts: int
    pages: int
    feeds: int
    outputs: int
    skipped: tuple[Skipped, ...]
    diagnostics: tuple[Diagnostic, ...]
    external: ExternalState
    files: str = ""

    def holds(
        self,
        root: Path,
        config: Config,
        output: str,
        key: str,
        now: datetime,
        manifest: Manifest,
        there: Mapping[str, Entry],
    ) -> bool:
        """Whether a build would leave everything as it is.

        Args:
            root: the site's folder.
            config: of the site.
            output: the output folder.
            key: what would go into it.
            now: when it would be made.
            manifest: what was written into the output folder.
            there: what of that is still as it was written.
        """
        in_time = self.since <= now and (self.until is None or now < self.until)
        whole = not manifest.pending and there == manifest.entries
        if not (self.key == key and in_time and whole and digest_of_manifest(root, output) == self.files):
            return False
        return self.external.holds(root, config)


_HINTED = ("pagefind-bin", "pillow", "tinytag")
"""Packages of which a hint says how they are installed, where they are missing: here and now."""


def key_of(root: Path, inputs: Inputs, visibility: Visibility, output: str) -> str:
    """The digest of all that goes into a build of a site's folder, but for the date."""
    loaded = inputs.loaded
    parts = (
        toolchain(),
        packages.versions(),
        "" if all(map(packages.version, _HINTED)) else installation(),
        str(output),
        (visibility.drafts, visibility.future, visibility.expired),
        [getattr(inputs, name) for name in inputs.__struct_fields__ if name != "loaded"],
        (loaded.theme, sorted(loaded.roots), loaded.diagnostics),
        time_zone(inputs.config.timezone),
        [_drawing(root, diagram) for diagram in inputs.config.diagrams.values()],
    )
    return blake2b(msgspec.msgpack.encode(parts), digest_size=16).hexdigest()


def _drawing(root: Path, diagram: Diagram) -> tuple[str, str]:
    """The program that draws, and where the site lies, which some commands are told."""
    return program_of(diagram.command), str(root.resolve()) if diagram.names_root else ""


def until(config: Config, parsed: Iterable[Parsed], now: datetime) -> datetime | None:
    """From when on a build of the same texts makes another site, because of their dates; `None` for never."""
    zone = ZoneInfo(config.timezone)
    changes = (next_change(item.front_matter, item.front_matter.date or item.name_date, now, zone) for item in parsed)
    return min(filter(None, changes), default=None)
