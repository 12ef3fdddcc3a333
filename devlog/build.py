"""The pipeline, top to bottom: read, compare, parse, assemble, plan, render, write.

Only the first and the last step touch the site's files. Parsing and rendering are remembered by content; the
middle is small and runs in full, unless nothing at all has changed since the last build (see `receipt`).
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path

import msgspec

from devlog import receipt
from devlog.assemble.plan import Planner
from devlog.assemble.site import Visibility
from devlog.disk.guard import another_site, check_output
from devlog.disk.lock import lock
from devlog.disk.manifest import Entry, Manifest, digest_of_manifest, load_manifest, unchanged
from devlog.disk.read import read_source
from devlog.disk.seen import Seen
from devlog.disk.write import Copy, Planned, Published, Staging, staging
from devlog.engine.named import PROCESSES, NoWorkersError
from devlog.engine.store import Store
from devlog.engine.toolchain import toolchain
from devlog.enrich import enriched
from devlog.indexing import Indexing
from devlog.inputs import Inputs, ask_git_dates, judge, read_inputs
from devlog.model import problems
from devlog.model import target as model
from devlog.model.diagnostic import Diagnostic
from devlog.model.digest import digest_bytes
from devlog.model.record import decoded
from devlog.model.report import Report, has_error
from devlog.stages import CACHE, RECEIPT, RELATED, SEEN, Progress, Stages

PER_LIST = 32
"""For so many posts, about, there is a page of a list that is another one with one post more."""


class Options(msgspec.Struct, frozen=True):
    """What the command line decides.

    Attributes:
        root: the site's folder.
        now: the moment that tells which posts are in the future, with a time zone.
        output: replaces the configured output folder.
        base_url: replaces the configured one.
        drafts: show drafts.
        future: show posts of the future.
        expired: show expired posts.
        strict: warnings are errors.
        jobs: how many processes; 0 for one on each processor.
        cache: whether what earlier builds worked out counts.
        executor: the name of who works when there is much to do.
        search: whether readers get a search, if the configuration does not say otherwise.
    """

    root: Path
    now: datetime
    output: str = ""
    base_url: str = ""
    drafts: bool = False
    future: bool = False
    expired: bool = False
    strict: bool = False
    jobs: int = 0
    cache: bool = True
    executor: str = PROCESSES
    search: bool = True


def build(
    options: Options,
    progress: Progress = lambda _stage, _done, _total: None,
    keep: Callable[[object], None] = lambda _value: None,
) -> Report:
    """Build a site.

    Args:
        options: what to build, and how.
        progress: told how far the build has come.
        keep: given all that the site was made of, which a process that ends anyway need not free.

    Returns:
        What was done. If the diagnostics hold an error, the output folder is as it was before.
    """
    try:
        return _build(options, progress, keep)
    except NoWorkersError as error:
        return Report("", options.output, 0, 0, 0, 0, (), 0, (), 0, 0, (), (error.problem,), {})


class _Start(msgspec.Struct, frozen=True):
    """Where a build begins.

    Attributes:
        inputs: what was read.
        output: the output folder.
        diagnostics: what is wrong before anything is built.
        manifest: what the last build wrote.
        there: what of that is still as it was written.
        key: see `receipt.key_of`.
        last: the last build.
    """

    inputs: Inputs
    output: str
    diagnostics: tuple[Diagnostic, ...]
    manifest: Manifest
    there: dict[str, Entry]
    key: str
    last: receipt.Receipt | None


def _build(options: Options, progress: Progress, keep: Callable[[object], None]) -> Report:
    clock = _Clock()
    with (
        lock(options.root) as locked,
        _store(options) as store,
        closing(Stages(store, options.jobs, progress, options.executor)) as stages,
        closing(Indexing(options.root, stages, progress)) as index,
    ):
        start = _start(options, stages, clock, locked)
        keep((start, stages))
        last, clone = start.last, start.inputs.config.source_checkout
        if last and last.holds(options.root, clone, start.output, start.key, options.now, start.manifest, start.there):
            published = _publish_nothing(options, start)
            found = start.diagnostics + last.diagnostics + published.diagnostics
            return _report(options, start, last, found, published, clock, stages, index)
        return _make(options, start, stages, index, clock, keep)


def _start(options: Options, stages: Stages, clock: _Clock, locked: Diagnostic | None) -> _Start:
    """Read all that there is."""
    with clock("read"):
        inputs = _read(options, stages)
        output = options.output or inputs.config.output
        wrong = check_output(options.root, output, inputs.folders(options.root))
        found = [*([locked] if locked else []), *inputs.diagnostics, *wrong]
    with clock("compare"):
        manifest, damaged = load_manifest(options.root, output)
        there = unchanged(options.root, output, manifest) if options.cache else {}
        key = receipt.key_of(options.root, inputs, _visibility(options), output)
        last = decoded(stages.recall(RECEIPT), receipt.Receipt)
        other = another_site(manifest, inputs.owner(options.root, output))
        found += [problems.unsafe_output(output, other)] if other and not wrong else []
    return _Start(inputs, output, (*found, *damaged), manifest, there, key, last)


def _make(
    options: Options,
    start: _Start,
    stages: Stages,
    index: Indexing,
    clock: _Clock,
    keep: Callable[[object], None],
) -> Report:
    """Build what is new."""
    inputs, output, there = start.inputs, start.output, start.there
    config, theme = inputs.config, inputs.loaded.theme
    found, published = [*start.diagnostics], Published()

    with clock("parse"):
        theme_use = stages.theme_use(theme)
        parsed = stages.parse(inputs.content.sources, partial(read_source, options.root), inputs.parse_options())
        stages.prepare(theme)
        found += [*theme_use.diagnostics, *(diagnostic for item in parsed for diagnostic in item.diagnostics)]

    with clock("assemble"):
        git = ask_git_dates(options.root, config, parsed)
        assembled = inputs.assemble(parsed, git.dates, _visibility(options))
        stages.wake(_lists_to_change(start.last, len(assembled.site.posts)))
        plain = Planner(config, assembled, theme, inputs.own_url, stages.recall(RELATED))
        planner = index.begin(config, enriched(options.root, inputs, plain, stages), there)
        keep(planner)
        found += index.diagnostics

    owner = inputs.owner(options.root, output)
    with staging(options.root, output, start.manifest, inputs=inputs.folders(options.root), owner=owner) as stage:
        with clock("render"):
            wanted = not has_error(judge(found, config, strict=options.strict))
            targets = planner.targets()
            if theme_use.is_broken:  # nothing can be rendered, but all that is wrong is to be told
                deque(targets, maxlen=0)
            current = {path: entry.key for path, entry in there.items()}
            for item in stages.render(stages.stale(targets, theme_use, current), theme):
                found += item.diagnostics
                if wanted and not item.diagnostics:
                    for path, data in item.files():
                        if current.get(path) != stages.keys[path]:  # of a page and its twin, one may be there
                            stage.add(Planned(path, stages.keys[path], data))
            found += [*planner.diagnostics, *stages.diagnostics]
            if related := planner.related:
                stages.remember(RELATED, related)
            stages.dismiss()

        keys = {**stages.keys, **{copy.path: _key(copy) for copy in planner.copies}}
        done = receipt.Receipt(
            key=start.key,
            since=options.now,
            until=receipt.until(config, parsed, options.now),
            told=receipt.told(git, planner.sources),
            posts=len(assembled.site.posts),
            pages=sum(planner.recipes[recipe] for recipe in ("page", "redirect")),
            feeds=sum(planner.recipes[recipe] for recipe in ("rss", "atom", "json_feed")),
            outputs=sum(planner.recipes.values()) + len(planner.copies),
            skipped=assembled.site.skipped,
            diagnostics=tuple(found[len(start.diagnostics) :]),
        )
        if index.key and not has_error(judge(found, config, strict=options.strict)):
            with clock("search"):  # what it takes longer than all else
                found += index.publish(stage)

        with clock("write"):
            kept = {path: entry for path, entry in there.items() if keys.get(path) == entry.key} | index.kept
            if not has_error(judge(found, config, strict=options.strict)):
                missing = (_copy(options.root, inputs, copy) for copy in planner.copies if copy.path not in kept)
                published = _commit(stage, kept, missing)
                found += published.diagnostics
                index.remember()

    done = msgspec.structs.replace(done, outputs=done.outputs + index.count)
    is_published = not has_error(judge(found, config, strict=options.strict))
    if is_published and stages.settled and not (index.diagnostics or published.diagnostics):
        _remember(options, start, stages, done)
    stages.forget()
    return _report(options, start, done, found, published, clock, stages, index)


def _lists_to_change(last: receipt.Receipt | None, posts: int) -> int:
    """About how many pages of lists are others than in the last build, since there are more posts or fewer."""
    return posts // PER_LIST if last and last.posts != posts else 0


def _publish_nothing(options: Options, start: _Start) -> Published:
    """Leave the site as it is, and take away what a build that was killed has left."""
    folders, owner = start.inputs.folders(options.root), start.inputs.owner(options.root, start.output)
    with staging(options.root, start.output, start.manifest, inputs=folders, owner=owner) as stage:
        return stage.commit(start.there)


def _remember(options: Options, start: _Start, stages: Stages, done: receipt.Receipt) -> None:
    """Keep in mind what was built, and of what."""
    files = digest_of_manifest(options.root, start.output)
    stages.remember(RECEIPT, msgspec.msgpack.encode(msgspec.structs.replace(done, files=files)))


def _report(
    options: Options,
    start: _Start,
    done: receipt.Receipt,
    found: Iterable[Diagnostic],
    published: Published,
    clock: _Clock,
    stages: Stages,
    index: Indexing,
) -> Report:
    """What was done."""
    inputs = start.inputs
    judged = judge([*found], inputs.config, strict=options.strict)
    return Report(
        title=inputs.config.title,
        output=start.output,
        posts=done.posts,
        pages=done.pages,
        feeds=done.feeds,
        outputs=done.outputs,
        written=published.written,
        unchanged=len(published.unchanged),
        removed=published.removed,
        parsed=stages.parsed,
        rendered=stages.rendered,
        skipped=done.skipped,
        diagnostics=inputs.with_lines(options.root, judged),
        seconds=clock.seconds,
        indexed=index.texts,
        indexing=index.seconds,
    )


def _visibility(options: Options) -> Visibility:
    return Visibility(options.now, options.drafts, options.future, options.expired)


def _read(options: Options, stages: Stages) -> Inputs:
    """All that the site is made of; what was learnt of files is remembered."""
    seen = Seen(stages.recall(SEEN))
    inputs = read_inputs(options.root, options.base_url, seen)
    if seen.changed:
        stages.remember(SEEN, seen.encode())
    return inputs if options.search else inputs.without_search()


def _commit(stage: Staging, kept: Mapping[str, Entry], copies: Iterable[Planned]) -> Published:
    """Publish what is staged, with copies, beside what is there."""
    for copy in copies:
        stage.add(copy)
    return stage.commit(kept)


def _copy(root: Path, inputs: Inputs, copy: model.Copy) -> Planned:
    """A planned copy with the folder that its file lies in."""
    if copy.folder == "theme" and copy.file in inputs.loaded.scripts:
        return Planned(copy.path, _key(copy), inputs.loaded.scripts[copy.file])
    place = inputs.place_of(root, copy)
    content = Copy(place.root, place.file, copy.digest, follow=place.follow, strip=copy.strip)
    return Planned(copy.path, _key(copy), content)


def _key(copy: model.Copy) -> str:
    """What a copy depends on: how metadata are taken out is ours."""
    return digest_bytes(f"{toolchain()} {copy.digest}".encode()) if copy.strip else copy.digest


@contextmanager
def _store(options: Options) -> Iterator[Store]:
    store = Store(options.root / CACHE, read=options.cache)
    try:
        yield store
    finally:
        store.close()


class _Clock:
    """Seconds spent in each stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        begin = time.perf_counter()
        yield
        self.seconds[stage] = round(time.perf_counter() - begin, 4)
