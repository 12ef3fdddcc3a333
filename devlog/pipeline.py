"""The pipeline up to the plan: read, parse, assemble, derive, plan. Whoever needs a site takes these steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from devlog.assemble.plan import Planner
from devlog.assemble.references import References, link_index
from devlog.assemble.site import Assembled, Visibility
from devlog.derive import derive, derive_anew
from devlog.deriving import Deriving, Effort
from devlog.disk.read import read_source
from devlog.disk.stat_cache import StatCache
from devlog.engine.executor_registry import PROCESSES
from devlog.engine.store import Store
from devlog.inputs import GitDates, Inputs, ask_git_dates, read_inputs
from devlog.model.derived import Derived
from devlog.model.document import Parsed
from devlog.parse.record import Text
from devlog.stages import CACHE, SEEN, Progress, Stages


class Session:
    """A site and what works for it. Each step takes what those before it gave, and changes none of that.

    Attributes:
        root: the site's folder.
        stages: do the work, or remember what came of it.
    """

    def __init__(
        self, root: Path, stages: Stages, effort: Effort | None = "make", repository: Path | None = None
    ) -> None:
        """
        Args:
            root: the site's folder.
            stages: do the work, or remember what came of it.
            effort: to be made with images; `None` for no images at all.
            repository: the folder whose git history tells when texts were added, and to which the configured checkout
                is relative, where that is not `root`.
        """
        self.root = root
        self.stages = stages
        self._effort = effort
        self._repository = repository or root

    def read(self, base_url: str = "", configuration: str = "") -> Inputs:
        """All that the site is made of; what was learnt of files is remembered.

        Args:
            base_url: replaces the configured base URL unless empty.
            configuration: the text of a ``devlog.toml`` that is tried out, whatever the site has.
        """
        seen = StatCache(self.stages.recall(SEEN))
        inputs = read_inputs(self.root, base_url, seen, configuration=configuration)
        if seen.changed:
            self.stages.remember(SEEN, seen.encode())
        return inputs

    def texts(self, inputs: Inputs) -> list[Text]:
        """The parsed sources, with the facts that checks want."""
        return self.stages.texts(inputs.content.sources, partial(read_source, self.root), inputs.parse_options())

    def parse(self, inputs: Inputs) -> list[Parsed]:
        """The parsed sources."""
        return [text.parsed for text in self.texts(inputs)]

    def assemble(self, inputs: Inputs, parsed: Sequence[Parsed], visibility: Visibility) -> tuple[Assembled, GitDates]:
        """The site that the texts make, and what git was asked for that."""
        git = ask_git_dates(self._repository, inputs.config, parsed)
        return inputs.assemble(parsed, git.dates, visibility), git

    def derive(self, inputs: Inputs, assembled: Assembled) -> tuple[References, Derived]:
        """Where the references of the texts lead, and what is made of files."""
        plain = References(inputs.config, assembled, link_index(inputs.config, assembled, inputs.own_url))
        return derive(self._deriving(inputs, assembled, plain))

    def derive_anew(self, inputs: Inputs, planner: Planner) -> Derived:
        """What is made of files after an edit in a preview, whose plan has the texts as they are now."""
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
        """The plan of the site; `related` is what an earlier one gave by that name."""
        theme = inputs.loaded.theme
        return Planner(inputs.config, assembled, theme, references, derived, inputs.own_url, related)


@contextmanager
def stages_of(
    store: Path, progress: Progress, jobs: int = 0, executor: str = PROCESSES, *, cache: bool = True
) -> Iterator[Stages]:
    """What does the work for a command, and remembers the results.

    Args:
        store: the file in which it remembers them.
        progress: told how far a stage has come.
        jobs: how many processes may work; 0 for one on each processor.
        executor: its name.
        cache: whether what earlier commands worked out counts.

    Raises:
        NoWorkersError: there is no such executor.
    """
    with closing(Store(store, read=cache)) as remembered, closing(Stages(remembered, jobs, progress, executor)) as made:
        yield made


def store_of(root: Path) -> Path:
    """Where the store of a site lies."""
    return root / CACHE
