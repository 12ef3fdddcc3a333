"""The search index of a build: begun when it is known what the site says, ready before the site is published."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from devlog.assemble.plan import Planner
from devlog.config import Config
from devlog.disk.manifest import Entry
from devlog.disk.write import Planned, Staging
from devlog.engine.store import Store
from devlog.engine.toolchain import toolchain
from devlog.model import problems
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.record import decoded
from devlog.model.search import FOLDER
from devlog.stages import CACHE, Stages

if TYPE_CHECKING:  # loaded by the methods that need it: not all sites have a search
    from devlog.search.index import Making, ReadBodies

SEARCH = "search"
"""The name under which is remembered which files the last index had."""

PLACE = Span("the search")


class _Known(msgspec.Struct, frozen=True):
    """The last index: its key and the paths of its files."""

    key: str
    paths: tuple[str, ...]


class Indexing:
    """Makes the index beside the build, unless there is one of the same texts already. It is to be closed.

    Attributes:
        key: of the index; empty without one.
        kept: its files with their entries in the manifest, when they all are there already.
        texts: how many texts were indexed; 0 when none had to be.
        diagnostics: why there is no index.
    """

    def __init__(self, root: Path, stages: Stages) -> None:
        """
        Args:
            root: the site's folder.
            stages: have the texts, and remember.
        """
        self.key = ""
        self.kept: dict[str, Entry] = {}
        self.texts = 0
        self.diagnostics: list[Diagnostic] = []
        self._root = root
        self._stages = stages
        self._making: Making | None = None
        self._paths: tuple[str, ...] = ()

    def begin(self, config: Config, planner: Planner, there: Mapping[str, Entry]) -> Planner:
        """Begin to make the index, if the site is to have one.

        Args:
            config: of the site.
            planner: knows its texts.
            there: the files that the last build left, by path.

        Returns:
            The plan; its pages offer no search if the indexer turns out not to work here.
        """
        if not planner.is_searchable:
            return planner
        from devlog.search.index import Making, index_key
        from devlog.search.service import ServiceError

        records = tuple(planner.records())
        self.key = index_key(records, config.language, toolchain())
        known = decoded(self._stages.recall(SEARCH), _Known) or _Known("", ())
        kept = {path: there[path] for path in known.paths if path in there and there[path].key == self.key}
        if known.key == self.key and len(kept) == len(known.paths):
            self.kept = kept
            return planner
        try:
            self._making = Making(records, config.language, self._reading)
        except ServiceError as error:
            self.key = ""
            self.diagnostics.append(problems.search_cannot_start(PLACE, str(error)))
            return planner.without_search()
        self.texts = len(records)
        return planner

    @contextmanager
    def _reading(self) -> Iterator[ReadBodies]:
        """Reads bodies in another thread than that of the stages."""
        with closing(Store(self._root / CACHE)) as store:
            yield store.contents

    @property
    def count(self) -> int:
        """How many files the index has."""
        return len(self.kept) or len(self._paths)

    @property
    def seconds(self) -> float:
        """How long it took beside everything else."""
        return round(self._making.seconds, 4) if self._making else 0.0

    def publish(self, stage: Staging, others: Iterable[str]) -> list[Diagnostic]:
        """Wait until the index is ready, and add its files if they are new.

        Args:
            stage: where they go.
            others: the paths of all other files.

        Returns:
            What is wrong; nothing of the site can be published then.
        """
        taken = min((path for path in others if path[: len(FOLDER)].casefold() == FOLDER), default="")
        if taken:
            return [problems.search_folder_taken(PLACE, taken)]
        if not self._making:
            return []
        from devlog.search.service import ServiceError

        try:
            names = self._names(self._making)
        except ServiceError as error:
            return [problems.search_failed(PLACE, str(error))]
        for name in names:
            stage.add(Planned(FOLDER + name, self.key, (self._making.folder / name).read_bytes()))
        self._paths = tuple(FOLDER + name for name in names)
        return []

    def _names(self, making: Making) -> tuple[str, ...]:
        from devlog.search.index import MissingTextError

        try:
            return making.paths()
        except MissingTextError:  # the store is in memory, or was damaged a moment ago
            self._making = self._made_again(making)
            return self._making.paths()

    def _made_again(self, making: Making) -> Making:
        """The same index of texts that this thread has read, all at once."""
        from devlog.search.index import Making

        records = making.records
        making.close()
        bodies = self._stages.bodies({digest for text in records for digest in (text.body, text.transcript) if digest})
        held: AbstractContextManager[ReadBodies] = nullcontext(lambda digests: {d: bodies[d] for d in digests})
        return Making(records, making.language, lambda: held)

    def remember(self) -> None:
        """Keep in mind what was published."""
        if self._paths:
            self._stages.remember(SEARCH, msgspec.msgpack.encode(_Known(self.key, self._paths)))

    def close(self) -> None:
        """End what is not done."""
        if self._making:
            self._making.close()
