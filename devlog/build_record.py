"""The record of the last build: its inputs and its results. If none of them has changed, there is nothing to build.

Everything that a build reads is in its `Inputs`, so one digest of these tells whether anything has changed. The record
also has what the inputs lack: the time, the state of git, and the answers to external queries of features. Of such
queries it stores the answers, not their source: the next build repeats the queries. A query without an answer, or one
whose source cannot be inspected, makes the record invalid for later builds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from typing import Annotated
from zoneinfo import ZoneInfo

import msgspec

from devlog import packages
from devlog.assemble.dates import next_change
from devlog.assemble.site import Visibility
from devlog.config import Config
from devlog.disk.git import state_of
from devlog.disk.manifest import Entry, Manifest, digest_of_manifest
from devlog.engine.toolchain import codecs, time_zone, toolchain
from devlog.inputs import Inputs
from devlog.installation import installation
from devlog.model.derived import Answers, Derived
from devlog.model.diagnostic import Diagnostic
from devlog.model.document import Parsed
from devlog.model.git_dates import GitDates
from devlog.model.site import Skipped
from devlog.plugins.features import features


class ExternalState(msgspec.Struct, frozen=True):
    """The external queries of a build, which are not among its inputs, and the state that their answers depend on.

    Attributes:
        history: the state of the site's repository when the build read the dates of posts from it, see
            `devlog.disk.git.state_of`; `None` if it did not.
        of_features: the answers that features got, by the name of the feature.
        codecs: the digest of the libraries with which Pillow reads and writes images; empty if the build had no use
            for them. They are looked up only then, since they have to be loaded.
    """

    history: str | None
    of_features: dict[str, Answers]
    codecs: str = ""

    def holds(self, root: Path, config: Config, *, watching: bool = False) -> bool:
        """Whether the same queries would get the same answers now.

        Args:
            root: the site's folder.
            config: the site's configuration.
            watching: whether the caller watches the files of the checkout, so that queries whose answers change only
                with these need not be repeated: an edit in a preview must not wait for git.
        """
        if self.history is not None and self.history != state_of(root):
            return False
        if self.codecs and self.codecs != codecs():
            return False
        asking = {plugin.name: plugin.external_inputs for plugin in features() if plugin.external_inputs}
        return all(
            name in asking and known.digest != "" and known.digest == asking[name].ask_again(root, config, known.names)
            for name, known in self.of_features.items()
            if not (watching and name in asking and asking[name].of_checkout)
        )


def external_state(git: GitDates, derived: Derived, *, uses_codecs: bool) -> ExternalState:
    """The state of git if it was asked for dates, the answers that features got, and what images depend on."""
    known = {plugin.name: plugin.external_inputs.asked(derived) for plugin in features() if plugin.external_inputs}
    return ExternalState(
        git.state, {name: answers for name, answers in known.items() if answers}, codecs() if uses_codecs else ""
    )


_Moment = Annotated[datetime, msgspec.Meta(tz=True)]
"""A time with a time zone: that of a forged record may have none, and could not be compared."""


class BuildRecord(msgspec.Struct, frozen=True):
    """The record of a build that has published a complete site.

    Attributes:
        key: the digest of all inputs.
        since: the time of the build.
        until: the time at which the site changes because of a date in it; `None` if no date changes it.
        posts: the number of posts of the site, as in the `Report`.
        pages: the number of pages, as there.
        feeds: the number of feeds, as there.
        outputs: the number of output files, as there.
        skipped: the posts that were not published, with the reasons.
        diagnostics: the problems that the stages after reading found.
        external: the external queries and their answers.
        files: the digest of the manifest that the build wrote.
    """

    key: str
    since: _Moment
    until: _Moment | None
    posts: int
    pages: int
    feeds: int
    outputs: int
    skipped: tuple[Skipped, ...]
    diagnostics: tuple[Diagnostic, ...]
    external: ExternalState
    files: str = ""

    def holds(self, root: Path, config: Config, key: str, now: datetime) -> bool:
        """Whether another build would make the same site.

        Args:
            root: the site's folder.
            config: the site's configuration.
            key: the digest of the current inputs.
            now: the current time.
        """
        in_time = self.since <= now and (self.until is None or now < self.until)
        return self.key == key and in_time and self.external.holds(root, config)

    def is_published(self, root: Path, output: str, manifest: Manifest, unchanged_files: Mapping[str, Entry]) -> bool:
        """Whether the output folder still has the site as the build published it.

        Args:
            root: the site's folder.
            output: the output folder.
            manifest: its manifest.
            unchanged_files: the entries of the manifest whose files are unchanged.
        """
        whole = not manifest.pending and unchanged_files == manifest.entries
        return whole and digest_of_manifest(root, output) == self.files


_HINTED = ("pagefind-bin", "pillow", "tinytag")
"""Packages that hints tell how to install if they are missing. Such a hint depends on the installation and the current
folder."""
_HINTED_FOR_BRANDS = ("brotli", "fonttools", "resvg-py")
"""The same, for sites that name files of a brand."""


def key_of(inputs: Inputs, visibility: Visibility, output: str) -> str:
    """The digest of all inputs of a build, except the time.

    Args:
        inputs: the inputs that were read.
        visibility: the options for drafts, scheduled posts and expired posts.
        output: the output folder.
    """
    loaded, config = inputs.loaded, inputs.config
    hinted = (*_HINTED, *(_HINTED_FOR_BRANDS if config.brand.files else ()))
    parts = (
        toolchain(),
        packages.versions(),
        "" if all(map(packages.version, hinted)) else installation(),
        str(output),
        (visibility.drafts, visibility.future, visibility.expired),
        [getattr(inputs, name) for name in inputs.__struct_fields__ if name not in ("loaded", "config")],
        msgspec.structs.replace(config, params={}),
        msgspec.json.encode(config.params),  # as text, a time keeps its zone, and need not be a time of UTC's calendar
        (loaded.theme, sorted(loaded.roots), loaded.diagnostics),
        time_zone(config.timezone),
    )
    return blake2b(msgspec.msgpack.encode(parts), digest_size=16).hexdigest()


def until(config: Config, parsed: Iterable[Parsed], now: datetime) -> datetime | None:
    """The next time at which the same sources make a different site, because of their dates; `None` if never."""
    zone = ZoneInfo(config.timezone)
    changes = (next_change(item.front_matter, item.front_matter.date or item.name_date, now, zone) for item in parsed)
    return min(filter(None, changes), default=None)
