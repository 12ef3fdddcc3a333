"""A build, top to bottom: read, compare, parse, assemble, derive, plan, render, write.

Only the first and the last step touch the site's files. The results of parsing and rendering are cached by content;
the middle is small and runs in full, unless nothing at all has changed since the last build (see `build_record`).
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

import msgspec

from devlog import build_record
from devlog.assemble.plan import Planner
from devlog.assemble.site import Visibility
from devlog.build_record import BuildRecord
from devlog.config import Config
from devlog.disk import problems
from devlog.disk.guard import another_site, check_output
from devlog.disk.lock import lock
from devlog.disk.manifest import Entry, Manifest, digest_of_manifest, load_manifest, unchanged
from devlog.disk.write import Copy, Planned, Published, Staging, staging
from devlog.engine.executor_registry import PROCESSES, NoWorkersError
from devlog.engine.toolchain import toolchain
from devlog.inputs import Inputs, judge
from devlog.model import target as model
from devlog.model.diagnostic import Diagnostic
from devlog.model.digest import digest_bytes
from devlog.model.document import Parsed
from devlog.model.git_dates import GitDates
from devlog.model.metadata import without_metadata
from devlog.model.minify import minified
from devlog.model.record import decoded
from devlog.model.report import Report, has_error
from devlog.pipeline import Session, stages_of, store_of
from devlog.plugins.features import site_search
from devlog.render.template_dependencies import ThemeUse
from devlog.stages import BUILD_RECORD, RELATED, Progress, Stages

PER_LIST = 32
"""About how many posts there are for each list page that changes when one post is added or removed."""


class Options(msgspec.Struct, frozen=True):
    """The options of a build, from the command line.

    Attributes:
        root: the site's folder.
        now: the current time, with a time zone: it decides which posts are scheduled and which have expired.
        output: the output folder, instead of the configured one; empty to use that.
        base_url: the base URL, instead of the configured one; empty to use that.
        drafts: whether to publish drafts.
        future: whether to publish scheduled posts.
        expired: whether to publish expired posts.
        strict: whether to treat warnings as errors.
        jobs: the number of worker processes; 0 for one per processor.
        cache: whether to use the results of earlier builds.
        executor: the name of the executor, which runs parsing and rendering if there is enough to do.
        search: whether to build the site search; if not, the configuration cannot turn it on.
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
        progress: called with the stage, the number of finished items and the total.
        keep: called with the objects that the build holds. A process that is about to exit can keep references to
            them, so that it spends no time on freeing them.

    Returns:
        A report of the build. If its diagnostics contain an error, the output folder is unchanged.
    """
    try:
        return _build(options, progress, keep)
    except NoWorkersError as error:
        return Report("", options.output, 0, 0, 0, 0, (), 0, (), 0, 0, (), (error.problem,), {})


class _Start(msgspec.Struct, frozen=True):
    """The state of the site and of its output folder before anything is built.

    Attributes:
        inputs: the inputs of the build.
        output: the output folder.
        diagnostics: diagnostics so far.
        manifest: the files that the last build wrote.
        unchanged_files: the entries of the manifest whose files are unchanged; none if the cache is not used.
        key: the digest of the inputs, see `build_record.key_of`.
        last: the record of the last build; `None` if there is none.
    """

    inputs: Inputs
    output: str
    diagnostics: tuple[Diagnostic, ...]
    manifest: Manifest
    unchanged_files: dict[str, Entry]
    key: str
    last: BuildRecord | None


class _Running(msgspec.Struct, frozen=True):
    """A running build.

    Attributes:
        options: what to build, and how.
        session: the steps up to the plan, and the stages.
        index: the index of the site search.
        clock: measures the time of each stage.
    """

    options: Options
    session: Session
    index: Index
    clock: _Clock

    @property
    def stages(self) -> Stages:
        """The stages, which parse, derive and render."""
        return self.session.stages


def _build(options: Options, progress: Progress, keep: Callable[[object], None]) -> Report:
    store = store_of(options.root)
    with (
        lock(options.root) as locked,
        stages_of(store, progress, options.jobs, options.executor, cache=options.cache) as stages,
        closing(_index(options.root, stages, progress)) as index,
    ):
        running = _Running(options, Session(options.root, stages), index, _Clock())
        start = _start(running, locked)
        keep((start, stages))
        if start.last and _is_done(options, start, start.last):
            published = _publish_nothing(options, start)
            found = start.diagnostics + start.last.diagnostics + published.diagnostics
            return _report(running, start, start.last, found, published)
        return _make(running, start, keep)


def _is_done(options: Options, start: _Start, last: BuildRecord) -> bool:
    """Whether nothing at all has changed since the last build."""
    return last.holds(options.root, start.inputs.config, start.key, options.now) and last.is_published(
        options.root, start.output, start.manifest, start.unchanged_files
    )


def _start(running: _Running, locked: Diagnostic | None) -> _Start:
    """Read the inputs, the manifest and the record of the last build."""
    options, session, clock = running.options, running.session, running.clock
    with clock("read"):
        inputs = session.read(options.base_url)
        inputs = inputs if options.search else inputs.without_search()
        output = options.output or inputs.config.output
        wrong = check_output(options.root, output, inputs.folders(options.root))
        found = [*([locked] if locked else session.stages.unusable()), *inputs.diagnostics, *wrong]
    with clock("compare"):
        manifest, damaged = load_manifest(options.root, output)
        unchanged_files = unchanged(options.root, output, manifest) if options.cache else {}
        key = build_record.key_of(inputs, _visibility(options), output)
        last = decoded(session.stages.recall(BUILD_RECORD), BuildRecord)
        other = another_site(manifest, inputs.owner(options.root, output))
        found += [problems.unsafe_output(output, other)] if other and not wrong else []
    return _Start(inputs, output, (*found, *damaged), manifest, unchanged_files, key, last)


class Index:
    """The index of the site search, which is built in parallel with the pages.

    This class is the empty index of a site without a search. The feature that builds an index returns its own class.

    Attributes:
        key: the key of the whole index; empty if there is none.
        kept: the index files in the output folder that stay, with their entries in the manifest.
        pages: the number of pages that were indexed; 0 if the index was up to date.
        count: the number of files of the index.
        seconds: how long indexing took, in parallel with the rest of the build.
        diagnostics: why there is no index.
    """

    key = ""
    pages = count = 0
    seconds = 0.0

    def __init__(self) -> None:
        self.kept: dict[str, Entry] = {}
        self.diagnostics: list[Diagnostic] = []

    def begin(self, _config: Config, _planner: Planner, _there: Mapping[str, Entry]) -> bool:
        """Start to build the missing files of the index. Return whether pages may offer a search."""
        return True

    def publish(self, _stage: Staging) -> list[Diagnostic]:
        """Wait until the index is ready, and stage its new files. Return the diagnostics."""
        return []

    def remember(self) -> None:
        """Store what was published, for the next build."""

    def close(self) -> None:
        """Stop indexing if it is still running."""


def _index(root: Path, stages: Stages, progress: Progress) -> Index:
    search = site_search()
    index: Index = search.build(root, stages, progress) if search else Index()
    return index


class _Planned(msgspec.Struct, frozen=True):
    """The results of the steps from parsing to planning.

    Attributes:
        planner: plans the files of the site.
        parsed: the parsed sources.
        git: the dates that git returned.
        theme_use: the dependencies of the theme's templates.
        diagnostics: diagnostics so far.
    """

    planner: Planner
    parsed: list[Parsed]
    git: GitDates
    theme_use: ThemeUse
    diagnostics: tuple[Diagnostic, ...]


def _make(running: _Running, start: _Start, keep: Callable[[object], None]) -> Report:
    """Build what has changed since the last build."""
    options, stages, index, clock = running.options, running.stages, running.index, running.clock
    inputs, published = start.inputs, Published()
    planned = _plan(running, start)
    keep(planned.planner)
    found = [*planned.diagnostics]
    owner = inputs.owner(options.root, start.output)
    folders = inputs.folders(options.root)

    def is_fit() -> bool:
        return not has_error(judge(found, inputs.config, strict=options.strict))

    with staging(options.root, start.output, start.manifest, inputs=folders, owner=owner) as stage:
        stage.keep_apart(start.inputs.config.output)
        with clock("render"):
            found += _render(start, planned, stages, stage, is_wanted=is_fit())
        done = _record(running, start, planned, found)
        if index.key and is_fit():
            with clock("search"):  # only the time that indexing takes beyond the other stages
                found += index.publish(stage)
        with clock("write"):
            if is_fit():
                published = _publish(running, start, planned.planner, stage)
                found += published.diagnostics

    done = msgspec.structs.replace(done, outputs=done.outputs + (index.count if is_fit() else 0))
    if is_fit() and stages.cacheable and not (index.diagnostics or published.diagnostics):
        _remember(options, start, stages, done)
    running.session.forget_changed(found)
    if planned.parsed:  # a content folder that is empty for a moment does not make the cache worthless
        stages.forget()
    return _report(running, start, done, found, published)


def _plan(running: _Running, start: _Start) -> _Planned:
    """Parse, assemble, derive and plan, then start to build the search index."""
    inputs, session, stages, index = start.inputs, running.session, running.stages, running.index
    theme = inputs.loaded.theme
    with running.clock("parse"):
        theme_use = stages.theme_use(theme)
        parsed = session.parse(inputs)
        stages.prepare(theme)
    with running.clock("assemble"):
        assembled, git = session.assemble(inputs, parsed, _visibility(running.options))
        stages.wake(_lists_to_change(start.last, len(assembled.site.posts)))
        references, derived = session.derive(inputs, assembled)
        related = stages.recall(RELATED)
        planner = session.plan(inputs, assembled, references, derived, related)
        if not index.begin(inputs.config, planner, start.unchanged_files):
            planner = session.plan(inputs.without_search(), assembled, references, derived, related)
    of_texts = (diagnostic for item in parsed for diagnostic in item.diagnostics)
    found = (*start.diagnostics, *theme_use.diagnostics, *of_texts, *index.diagnostics)
    return _Planned(planner, parsed, git, theme_use, found)


def _render(start: _Start, planned: _Planned, stages: Stages, stage: Staging, *, is_wanted: bool) -> list[Diagnostic]:
    """Render the targets that are out of date, and stage their outputs if `is_wanted`.

    Returns:
        The diagnostics of rendering and of the plan.
    """
    planner, theme_use = planned.planner, planned.theme_use
    found: list[Diagnostic] = []
    targets = planner.targets()
    if theme_use.is_broken:  # nothing can be rendered, but planning every target reports all other problems
        deque(targets, maxlen=0)
    current = {path: entry.key for path, entry in start.unchanged_files.items()}
    for item in stages.render(stages.stale(targets, theme_use, current), start.inputs.loaded.theme):
        found += item.diagnostics
        if is_wanted and not item.diagnostics:
            for path, data in item.files():
                if current.get(path) != stages.keys[path]:  # a page or its Markdown version alone may be up to date
                    stage.add(Planned(path, stages.keys[path], data))
    if related := planner.related:
        stages.remember(RELATED, related)
    stages.dismiss()
    return [*found, *planner.diagnostics, *stages.diagnostics]


def _publish(running: _Running, start: _Start, planner: Planner, stage: Staging) -> Published:
    """Publish the staged files and the copies, and keep the files that are up to date."""
    keys = {**running.stages.keys, **{copy.path: _key(copy) for copy in planner.copies}}
    kept = {path: entry for path, entry in start.unchanged_files.items() if keys.get(path) == entry.key}
    kept |= running.index.kept
    for copy in planner.copies:
        if copy.path not in kept:
            stage.add(_copy(running.options.root, start.inputs, copy))
    published = stage.commit(kept)
    running.index.remember()
    return published


def _record(running: _Running, start: _Start, planned: _Planned, found: Sequence[Diagnostic]) -> BuildRecord:
    """The record of this build."""
    planner, site, now = planned.planner, planned.planner.site, running.options.now
    return BuildRecord(
        key=start.key,
        since=now,
        until=build_record.until(start.inputs.config, planned.parsed, now),
        external=build_record.external_state(planned.git, planner.derived, uses_codecs=running.stages.uses_codecs),
        posts=len(site.posts),
        pages=sum(planner.recipes[recipe] for recipe in ("page", "redirect")),
        feeds=sum(planner.recipes[recipe] for recipe in ("rss", "atom", "json_feed")),
        outputs=sum(planner.recipes.values()) + len(planner.copies),
        skipped=site.skipped,
        diagnostics=tuple(found[len(start.diagnostics) :]),
    )


def _lists_to_change(last: BuildRecord | None, posts: int) -> int:
    """About how many list pages have changed since the last build because the number of posts has."""
    return posts // PER_LIST if last and last.posts != posts else 0


def _publish_nothing(options: Options, start: _Start) -> Published:
    """Keep the output as it is, and remove what an interrupted build has left behind."""
    folders, owner = start.inputs.folders(options.root), start.inputs.owner(options.root, start.output)
    with staging(options.root, start.output, start.manifest, inputs=folders, owner=owner) as stage:
        stage.keep_apart(start.inputs.config.output)
        return stage.commit(start.unchanged_files)


def _remember(options: Options, start: _Start, stages: Stages, done: BuildRecord) -> None:
    """Store the record of this build."""
    files = digest_of_manifest(options.root, start.output)
    stages.remember(BUILD_RECORD, msgspec.msgpack.encode(msgspec.structs.replace(done, files=files)))


def _report(
    running: _Running, start: _Start, done: BuildRecord, found: Iterable[Diagnostic], published: Published
) -> Report:
    """The report of the build."""
    inputs, options = start.inputs, running.options
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
        parsed=running.stages.parsed,
        rendered=running.stages.rendered,
        skipped=done.skipped,
        diagnostics=inputs.with_lines(options.root, judged),
        seconds=running.clock.seconds,
        indexed=running.index.pages,
        indexing=running.index.seconds,
    )


def _visibility(options: Options) -> Visibility:
    return Visibility(options.now, options.drafts, options.future, options.expired)


def _copy(root: Path, inputs: Inputs, copy: model.Copy) -> Planned:
    """A planned copy, with the location or the content of the file that it copies."""
    if copy.folder == "theme" and copy.file in inputs.loaded.scripts:
        script = inputs.loaded.scripts[copy.file]
        return Planned(copy.path, _key(copy), minified(copy.file, script) if copy.minify else script)
    if copy.inside:
        data = inputs.read_contained(root, copy.file, copy.inside)
        if isinstance(data, bytes) and digest_bytes(data) == copy.digest:
            return Planned(copy.path, _key(copy), without_metadata(data) if copy.strip else data)
    location = inputs.location_of(root, copy)  # what it does not contain any more has other bytes, which is reported
    content = Copy(location.root, location.file, copy.digest, location.follow, copy.strip, copy.minify)
    return Planned(copy.path, _key(copy), content)


def _key(copy: model.Copy) -> str:
    """The key of a copy. If it is stripped or minified, the toolchain is part of it, since that does both."""
    return digest_bytes(f"{toolchain()} {copy.digest}".encode()) if copy.strip or copy.minify else copy.digest


class _Clock:
    """Seconds spent in each stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        begin = time.perf_counter()
        yield
        self.seconds[stage] = round(time.perf_counter() - begin, 4)
