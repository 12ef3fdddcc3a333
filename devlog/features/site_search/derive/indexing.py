"""Builds the search index of a build: starts when the site is assembled, and finishes before it is published."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from devlog.assemble.plan import Planner
from devlog.config import Config
from devlog.disk.manifest import Entry
from devlog.disk.write import Planned, Staging
from devlog.engine.toolchain import toolchain
from devlog.features.site_search import problems
from devlog.features.site_search.assemble import records
from devlog.features.site_search.derive.bundles import Bundle, cut
from devlog.features.site_search.derive.words import are_counts
from devlog.features.site_search.model import FOLDER
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.digest import digest_bytes
from devlog.model.record import decoded
from devlog.stages import CACHE, Progress, Stages

if TYPE_CHECKING:  # methods import these when needed: not all sites have a search
    from devlog.features.site_search.derive.index import Made
    from devlog.features.site_search.derive.indexing_process import Making

SEARCH = "search"
"""The key in the store for the files of the last index."""

PLACE = Span("the search")

_SHARED = "shared"
"""The name of the part that all bundles share, in place of a bundle's name."""


class _Part(msgspec.Struct, frozen=True):
    """The index of a bundle, or the part that all share: its key and the paths of its files."""

    key: str
    paths: tuple[str, ...]


class _Known(msgspec.Struct, frozen=True):
    """The last index: its parts by the names of their bundles."""

    parts: dict[str, _Part] = {}


class Indexing:
    """Builds the new parts of the index in parallel with the build. Must be closed.

    Attributes:
        key: the key of the whole index; empty without one.
        kept: existing files that stay, with their entries in the manifest.
        pages: the number of posts that were indexed; 0 if none had to be.
        diagnostics: why there is no index.
    """

    def __init__(self, root: Path, stages: Stages, progress: Progress) -> None:
        """
        Args:
            root: the site's folder.
            stages: access to bodies and to the store.
            progress: called with the progress while the build waits for the index.
        """
        self.key = ""
        self.kept: dict[str, Entry] = {}
        self.pages = 0
        self.diagnostics: list[Diagnostic] = []
        self._root = root
        self._stages = stages
        self._progress = progress
        self._making: Making | None = None
        self._language = ""
        self._bundles: tuple[Bundle, ...] = ()
        self._keys: dict[str, str] = {}
        self._words: dict[str, dict[str, int]] = {}  # of unchanged bundles, if others have changed
        self._made: dict[str, Made] = {}
        self._parts: dict[str, _Part] = {}

    def begin(self, config: Config, planner: Planner, present: Mapping[str, Entry]) -> bool:
        """Start to build the new parts of the index, if the site has a search.

        Args:
            config: the configuration of the site.
            planner: the plan of the site.
            present: the files of the last build, by path.

        Returns:
            Whether pages may have a search box: not if the indexer cannot be started.
        """
        if not planner.is_searchable:
            return True
        from devlog.features.site_search.derive.index import index_key
        from devlog.features.site_search.derive.indexing_process import Making
        from devlog.features.site_search.derive.service import ServiceError

        self._language = config.language
        self._bundles = cut(tuple(records(planner)))
        self._keys = {item.name: index_key(item.records, config.language, toolchain()) for item in self._bundles}
        self.key = self._keys[_SHARED] = digest_bytes(" ".join(self._keys.values()).encode())
        self._parts = self._present(present)
        new = self._new()
        try:
            self._making = Making(new, config.language, self._root / CACHE) if new else None
        except ServiceError as error:
            self.key, self._parts = "", {}
            self.diagnostics.append(problems.search_cannot_start(PLACE, str(error)))
            return False
        self.pages = sum(len(item.records) for item in new)
        self.kept = {path: present[path] for part in self._parts.values() for path in part.paths}
        return True

    def _present(self, present: Mapping[str, Entry]) -> dict[str, _Part]:
        """The parts of the last index that are still valid, with all files that were published with them."""
        known = decoded(self._stages.recall(SEARCH), _Known) or _Known()
        files: defaultdict[str, set[str]] = defaultdict(set)
        for path, entry in present.items():
            files[entry.key].add(path)
        return {
            name: part
            for name, part in known.parts.items()
            if part.key == self._keys.get(name) and part.paths and files[part.key] == set(part.paths)
        }

    def _new(self) -> list[Bundle]:
        """The bundles to index. Of the others, only the words are needed, and only if there are new bundles."""
        if self._parts.keys() == self._keys.keys():
            for name in self._parts:
                self._stages.keep(self._words_of(name))
            return []
        self._parts.pop(_SHARED, None)
        posts = {item.name: len(item.records) for item in self._bundles}
        for name in tuple(self._parts):
            words = decoded(self._stages.recall(self._words_of(name)), dict[str, int])
            if words is not None and are_counts(words, posts[name]):
                self._words[name] = words
            else:
                del self._parts[name]
        return [item for item in self._bundles if item.name not in self._parts]

    def _words_of(self, name: str) -> str:
        """The key in the store for the words of a bundle."""
        return f"{SEARCH} words {self._keys[name]}"

    @property
    def count(self) -> int:
        """The number of files in the index."""
        return sum(len(part.paths) for part in self._parts.values())

    @property
    def seconds(self) -> float:
        """The time in seconds that indexing took in parallel with the build."""
        return round(self._making.seconds, 4) if self._making else 0.0

    def publish(self, stage: Staging) -> list[Diagnostic]:
        """Wait until the index is ready, and add its new files.

        Args:
            stage: the staging folder for the files.

        Returns:
            Diagnostics; if there are any, the site cannot be published.
        """
        if _SHARED in self._parts:
            return []
        from devlog.features.site_search.derive.index import shared_files
        from devlog.features.site_search.derive.service import ServiceError

        try:
            for bundle in self._making.bundles if self._making else ():
                self._add(stage, bundle)
        except ServiceError as error:
            return [problems.search_failed(PLACE, str(error))]
        words = self._words | {name: made.words for name, made in self._made.items()}
        shared = shared_files(self._bundles, [words[item.name] for item in self._bundles])
        for path, data in shared.items():
            stage.add(Planned(FOLDER + path, self.key, data))
        self._parts[_SHARED] = _Part(self.key, tuple(FOLDER + path for path in shared))
        return []

    def _add(self, stage: Staging, bundle: Bundle) -> None:
        """Add the index of a bundle as soon as it is ready."""
        from devlog.features.site_search.derive.index import MissingTextError

        assert self._making
        done = sum(len(item.records) for item in self._bundles if item.name in self._made)
        self._progress("Indexing pages", done, self.pages)
        try:
            made = self._making.made(bundle)
        except MissingTextError:  # the store is in memory, or has just been damaged
            made = self._made_here(self._making.folder, bundle)
        key = self._keys[bundle.name]
        for path in made.paths:
            stage.add(Planned(FOLDER + path, key, (self._making.folder / path).read_bytes()))
        self._made[bundle.name] = made
        self._parts[bundle.name] = _Part(key, tuple(FOLDER + path for path in made.paths))

    def _made_here(self, folder: Path, bundle: Bundle) -> Made:
        """The index of a bundle, built in this process from bodies that it reads all at once."""
        from devlog.features.site_search.derive.index import make_index
        from devlog.features.site_search.derive.service import program

        digests = {digest for text in bundle.records for digest in (text.body, text.transcript) if digest}
        bodies = self._stages.bodies(digests)
        return make_index(bundle, self._language, program(), folder, lambda _: bodies)

    def remember(self) -> None:
        """Record what was published in the store."""
        if self.count > len(self.kept):
            self._stages.remember(SEARCH, msgspec.msgpack.encode(_Known(self._parts)))
        for name, made in self._made.items():
            self._stages.remember(self._words_of(name), msgspec.msgpack.encode(made.words))
            self._stages.keep(self._words_of(name))

    def close(self) -> None:
        """Stop indexing if it is not finished."""
        if self._making:
            self._making.close()
