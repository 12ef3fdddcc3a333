"""The two stages that do most of the work, parsing and rendering: in parallel, and only what is new."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import msgspec

from devlog.engine.digests import Digester
from devlog.engine.executors import BATCH, Workers, run
from devlog.engine.store import Store
from devlog.engine.toolchain import toolchain
from devlog.model import problems
from devlog.model.diagnostic import Span
from devlog.model.document import Parsed
from devlog.model.source import Source
from devlog.model.target import Output, Target
from devlog.model.theme import Theme
from devlog.parse.options import ParseOptions
from devlog.parse.parse import ParsedRecord, parse_batch
from devlog.render.render import bodies_of, dependencies, render_batch

Progress = Callable[[str, int, int], None]
"""Called with a stage's name, how much of it is done, and how much there is."""


WRITE = 256
"""How many records go into the store at once."""


class Stages:
    """Parsing and rendering over a store.

    Attributes:
        parsed: how many texts were really parsed.
        rendered: how many targets were really rendered.
    """

    def __init__(self, store: Store, jobs: int, progress: Progress) -> None:
        """
        Args:
            store: remembers parsed texts and bodies.
            jobs: how many processes may work; 0 for one on each processor.
            progress: told how far a stage has come.
        """
        self.parsed = 0
        self.rendered = 0
        self._store = store
        self._workers = Workers(jobs, ("devlog.parse.parse", "devlog.render.render"))
        self._progress = progress
        self._digester = Digester()
        self._used: set[str] = set()
        self._sources: dict[str, Source] = {}
        self._options = ParseOptions()

    def parse(self, sources: Sequence[Source], options: ParseOptions) -> list[Parsed]:
        """Parse all sources, those that are new really, the others from memory."""
        self._options = options
        keys = [self._digester.key([toolchain(), options, source]) for source in sources]
        self._used.update(keys)
        known = self._store.read(keys)
        found = {key: msgspec.msgpack.decode(data, type=Parsed) for key, data in known.items()}
        bodies = self._store.has(parsed.document.body for parsed in found.values())
        missing = [
            (key, source)
            for key, source in zip(keys, sources, strict=True)
            if key not in found or found[key].document.body not in bodies
        ]
        fresh: dict[str, bytes] = {}
        for (key, _), record in zip(missing, self._parse([source for _, source in missing]), strict=True):
            found[key] = msgspec.msgpack.decode(record.parsed, type=Parsed)
            fresh |= {key: record.parsed} if record.remember else {}
            fresh[record.body_digest] = record.body
            if len(fresh) >= WRITE:
                self._store.write(fresh)
                fresh = {}
        self._store.write(fresh)
        for source, key in zip(sources, keys, strict=True):
            self._used.add(found[key].document.body)
            self._sources[found[key].document.body] = source
        return [found[key] for key in keys]

    def _parse(self, sources: Sequence[Source]) -> Iterable[ParsedRecord]:
        work = partial(parse_batch, options=self._options)
        for record in run(self._workers.executor(len(sources)), work, sources, _unparsed):
            self.parsed += 1
            self._progress("parse", self.parsed, len(sources))
            yield record

    def keys(self, targets: Iterable[Target], theme: Theme) -> dict[str, str]:
        """The key of each target, by path: equal keys mean equal outputs."""
        chain = toolchain()
        found = {}
        for target in targets:
            templates, values = dependencies(target, theme)
            parts = [chain, target.recipe, target.template, templates]
            for name, value in values:
                parts += (name, value)
            found[target.path] = self._digester.key(parts)
        return found

    def render(self, targets: Sequence[Target], theme: Theme) -> Iterable[Output]:
        """Render targets, in order."""
        work = partial(_render_jobs, theme=theme)
        for output in run(self._workers.executor(len(targets)), work, self._jobs_of(targets), _unrendered):
            self.rendered += 1
            self._progress("render", self.rendered, len(targets))
            yield output

    def _jobs_of(self, targets: Sequence[Target]) -> Iterator[_RenderJob]:
        """Targets with their bodies, which are read a batch at a time."""
        for start in range(0, len(targets), BATCH):
            some = targets[start : start + BATCH]
            bodies = self._bodies({digest for target in some for digest in bodies_of(target)})
            for target in some:
                yield _RenderJob(target, {digest: bodies[digest] for digest in bodies_of(target)})

    def _bodies(self, digests: set[str]) -> dict[str, bytes]:
        """Encoded bodies by digest."""
        bodies = self._store.read(sorted(digests))
        for digest in sorted(digests - bodies.keys()):  # damaged since it was last looked at
            record = parse_batch([self._sources[digest]], options=self._options)[0]
            self.parsed += 1
            bodies[digest] = record.body
            self._store.write({digest: record.body})
        return bodies

    def close(self) -> None:
        """End the workers, and let the store forget what no text of this build has."""
        self._workers.close()
        self._store.keep_only(self._used, slack=4)


class _RenderJob(msgspec.Struct, frozen=True):
    """A target and the encoded bodies that it needs: all that a worker gets."""

    target: Target
    bodies: dict[str, bytes]


def _render_jobs(jobs: Sequence[_RenderJob], theme: Theme) -> list[Output]:
    bodies: dict[str, bytes] = {}
    for job in jobs:
        bodies.update(job.bodies)
    return render_batch([job.target for job in jobs], theme, bodies)


def _unparsed(source: Source, reason: str) -> ParsedRecord:
    """The result for a source whose processing ended the process: an empty text with an error that names it."""
    problem = problems.worker_died(Span(source.file), reason)
    record = parse_batch([msgspec.structs.replace(source, text="")], ParseOptions())[0]
    parsed = msgspec.msgpack.decode(record.parsed, type=Parsed)
    parsed = msgspec.structs.replace(parsed, diagnostics=(problem,))
    return msgspec.structs.replace(record, parsed=msgspec.msgpack.encode(parsed), remember=False)


def _unrendered(job: _RenderJob, reason: str) -> Output:
    problem = problems.worker_died(Span(job.target.path), reason)
    return Output(job.target.path, b"", (problem,))
