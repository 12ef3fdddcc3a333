"""The pipeline up to the plan: read, parse, assemble, derive, plan.

Every command that needs a site runs these steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from devlog.assemble.plan import Planner
from devlog.assemble.references import References, link_index
from devlog.assemble.site import Assembled, Visibility
from devlog.derive import derive, derive_anew
from devlog.deriving import Deriving, Effort
from devlog.disk.included import read_with_included
from devlog.disk.stat_cache import StatCache
from devlog.engine.executor_registry import PROCESSES
from devlog.engine.store import Store
from devlog.inputs import Inputs, ask_git_dates, read_inputs, wanted_git_dates
from devlog.model.derived import Derived
from devlog.model.diagnostic import Diagnostic
from devlog.model.document import Parsed
from devlog.model.git_dates import GitDates
from devlog.model.source import Source, SourceFile
from devlog.parse.record import ParsedSource
from devlog.stages import CACHE, STAT_CACHE, Progress, Stages


class Session:
    """The steps of the pipeline for one site. Each step takes the results of earlier steps, and changes none of them.

    Attributes:
        root: the site's folder.
        stages: parse, derive and render, or return cached results.
    """

    def __init__(
        self, root: Path, stages: Stages, effort: Effort | None = "make", repository: Path | None = None
    ) -> None:
        """
        Args:
            root: the site's folder.
            stages: parse, derive and render, or return cached results.
            effort: what to do about images that are not in the cache; `None` to derive no images at all.
            repository: the folder whose git history has the dates of posts, and to which the configured repository
                checkout is relative; `root` by default.
        """
        self.root = root
        self.stages = stages
        self._effort = effort
        self._repository = repository or root
        self._stat_cache = StatCache()

    def read(self, base_url: str = "", configuration: str = "") -> Inputs:
        """Read all inputs of the site, and cache their file stats.

        Args:
            base_url: replaces the configured base URL unless empty.
            configuration: the text of a ``devlog.toml`` to try instead of the site's configuration; empty to use that.
        """
        self._stat_cache = stat_cache = StatCache(self.stages.recall(STAT_CACHE))
        inputs = read_inputs(self.root, base_url, stat_cache, configuration=configuration, repository=self._repository)
        self.stages.plugins = inputs.loaded.theme.plugins
        if stat_cache.changed:
            self.stages.remember(STAT_CACHE, stat_cache.encode())
        return inputs.with_included(self._repository)

    def forget_changed(self, found: Iterable[Diagnostic]) -> None:
        """Drop the cached file stats of files that turned out to have other bytes than when they were read."""
        if self._stat_cache.forget_changed(found):
            self.stages.remember(STAT_CACHE, self._stat_cache.encode())

    def texts(self, inputs: Inputs) -> list[ParsedSource]:
        """The parsed sources, with the facts that checks need."""

        def read(sources: Sequence[SourceFile]) -> Iterator[Source | Diagnostic]:
            return read_with_included(self.root, inputs.included_checkout(self._repository), sources)

        return self.stages.texts(inputs.content.sources, read, inputs.parse_options())

    def parse(self, inputs: Inputs) -> list[Parsed]:
        """The parsed sources."""
        return [text.parsed for text in self.texts(inputs)]

    def assemble(self, inputs: Inputs, parsed: Sequence[Parsed], visibility: Visibility) -> tuple[Assembled, GitDates]:
        """Assemble the site from its parsed sources. Also return the dates that git returned."""
        git = ask_git_dates(self._repository, inputs.config, wanted_git_dates(inputs.config, parsed))
        return inputs.assemble(parsed, git, visibility), git

    def derive(self, inputs: Inputs, assembled: Assembled) -> tuple[References, Derived]:
        """Resolve the links of the sources, and derive data from the site's files."""
        plain = References(inputs.config, assembled, link_index(inputs.config, assembled, inputs.own_url))
        return derive(self._deriving(inputs, assembled, plain))

    def derive_anew(self, inputs: Inputs, planner: Planner) -> Derived:
        """Derive data again after an edit in a preview; `planner` has the current posts."""
        return derive_anew(self._deriving(inputs, planner.assembled, planner.references), planner.derived)

    def _deriving(self, inputs: Inputs, assembled: Assembled, references: References) -> Deriving:
        site, stages = assembled.site, self.stages
        return Deriving(self.root, self._repository, inputs, site, references, stages, self._effort)

    def plan(
        self,
        inputs: Inputs,
        assembled: Assembled,
        references: References,
        derived: Derived,
        related: bytes | None = None,
    ) -> Planner:
        """Plan the site. `related` is the `Planner.related` of an earlier plan, if there is one."""
        theme = inputs.loaded.theme
        return Planner(inputs.config, assembled, theme, references, derived, related)


@contextmanager
def stages_of(
    store: Path, progress: Progress, jobs: int = 0, executor: str = PROCESSES, *, cache: bool = True
) -> Iterator[Stages]:
    """The stages for one command. They and their store are closed at the end.

    Args:
        store: the file of the store, which caches results.
        progress: called with the stage, the number of finished items and the total.
        jobs: the maximum number of worker processes; 0 for one per processor.
        executor: the name of the executor.
        cache: whether to use the results of earlier commands.

    Raises:
        NoWorkersError: there is no such executor.
    """
    with closing(Store(store, read=cache)) as remembered, closing(Stages(remembered, jobs, progress, executor)) as made:
        yield made


def store_of(root: Path) -> Path:
    """The path of a site's store."""
    return root / CACHE
