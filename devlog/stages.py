"""Parsing, deriving and rendering over the store: in parallel, and only items whose results are not cached."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice
from typing import Annotated, NamedTuple, TypeVar

import msgspec

from devlog import problems
from devlog.cache_keys import CacheKeys
from devlog.disk import problems as disk_problems
from devlog.disk.plugins import changed
from devlog.engine import executors
from devlog.engine.database import is_busy, is_read_only
from devlog.engine.executor_registry import PROCESSES
from devlog.engine.executors import BATCH, LARGE, Failure, Workers
from devlog.engine.store import FEW, NO_CONTENTS, SMALL, Store
from devlog.engine.time_left import TimeLeft
from devlog.engine.toolchain import toolchain
from devlog.jobs import MakeJob, RenderJob, is_apart, load_templates, make_jobs, parse_jobs, render_jobs, with_plugins
from devlog.model.batch import next_batch
from devlog.model.derived import Made, MadeRecord, OwnerOf, Work
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.digest import digest_bytes
from devlog.model.document import Body, Parsed
from devlog.model.record import decoded
from devlog.model.source import Source, SourceFile
from devlog.model.target import MARKDOWN, Copy, Output, Target
from devlog.model.theme import PluginRef, Theme
from devlog.parse.options import ParseOptions
from devlog.parse.record import LastCode, ParsedRecord, ParsedSource
from devlog.render.template_dependencies import ThemeUse, blobs_of, bodies_of
from devlog.template_cache import TemplateCache
from devlog.warm_up import LOAD

T = TypeVar("T")
R = TypeVar("R")

Read = Callable[[Sequence[SourceFile]], Iterator[Source | Diagnostic]]
"""Yields some sources with their texts, or why they can no longer be read, each as late as it is asked for."""

Make = Callable[[Sequence[Work]], Iterable[Made]]
"""Derives the results of some work items, in their order."""

ReadFile = Callable[[Copy], bytes | Diagnostic]
"""Returns the bytes of a file of the site, or why they cannot be read."""

Progress = Callable[[str, int, int], None]
"""Called with the name of a stage, the number of finished items, and their total; 0 if that is unknown."""


CACHE = ".devlog/cache.db"
"""The path of a site's store, relative to the site's folder."""

STAT_CACHE = "files"
"""The name of the cached file stats."""

BUILD_RECORD = "last build"
"""The name of the record of the last build."""

RELATED = "related posts"
"""The name of the cached lists of related posts."""

ANSWERS = "links to other sites"
"""The key of the cached responses of other sites, which no build reads."""

MADE_BY = "toolchain"
"""The key of the toolchain that last wrote to the store."""

CHECKED = "keys of checks"
"""The key of the list of the records that checks have used since the last one that removed some."""

WRITE = 128
"""How many parsed sources are written to the store at once, with their bodies, unless these are large."""

_NAMED = 3
"""How many packages and modules that have changed are named."""

_AGAIN_SECONDS = 300.0

_THEME = "theme"
"""The first word of the names of what is known about themes, and in place of a function, as which they are wanted."""

_SLACK = 4
"""How many times as much as is needed may stay in the store."""

_VERSIONS = 3
"""How many versions of a source, of the theme, of the set of sources, and of the wanted results of a function stay in
the store of what one process makes again and again."""

_NO_BODY = msgspec.msgpack.encode(Body(()))
"""An empty body, in place of one that can no longer be made."""


def _unusable(error: Exception) -> Diagnostic:
    """The diagnostic for a cache that cannot be used because of an error."""
    reason, hint = (error.strerror or str(error)).lower() if isinstance(error, OSError) else str(error), ""
    if is_busy(error):
        reason, hint = "another process has locked it", "wait until that has finished"
    elif isinstance(error, PermissionError) or is_read_only(error):
        reason = "this user may only read it"
        hint = "give everybody who builds this site write access to the file and its folder, or delete the file"
    return problems.unusable_cache(CACHE, reason, hint)


class Stages:
    """Parsing, deriving and rendering over a store.

    Attributes:
        parsed: the number of sources that were parsed, not read from the cache.
        rendered: the number of targets that were rendered.
        keys: the key of each target that `stale` has compared, by path: equal keys mean equal outputs.
        diagnostics: problems with items whose cached data was damaged, and that had to be parsed or derived again to
            render pages.
        plugins: the site's plugins.
        changed_code: the packages and modules that this process may run, and that have changed since it found them, as
            of when it last did work. Once there are some, nothing is stored under a key any more.
        uses_codecs: whether results depend on the libraries with which Pillow reads and writes images.
    """

    def __init__(
        self,
        store: Store,
        jobs: int,
        progress: Progress,
        executor: str = PROCESSES,
        seconds: float = 0,
    ) -> None:
        """
        Args:
            store: caches parsed sources and bodies.
            jobs: the maximum number of worker processes; 0 for one per processor.
            progress: called with the stage, the number of finished items and the total.
            executor: the name of the executor.
            seconds: the time limit for one source or page, and for work on a file; 0 for the engine's default, which is
                also that of work for the site as a whole, such as a font: no author can make that longer.

        Raises:
            NoWorkersError: there is no such executor.
        """
        self.parsed = 0
        self.rendered = 0
        self.plugins: tuple[PluginRef, ...] = ()
        self.changed_code: frozenset[str] = frozenset()
        self._cacheable = True
        self.uses_codecs = False
        self.keys: dict[str, str] = {}
        self.diagnostics: list[Diagnostic] = []
        self._store = store
        self._workers = Workers(jobs, LOAD, executor, seconds)
        self._patient = Workers(jobs, LOAD, executor) if seconds else self._workers
        self._seconds = seconds or executors.SECONDS
        self._progress = progress
        self._cache_keys = CacheKeys()
        self._plugin = ""  # the key of the plugin that asks for work
        self._used: set[str] = set()
        self._sources: dict[str, dict[str, SourceFile]] = {}  # by the digest of the body, and by file
        self._works: dict[str, _Noted] = {}  # by the digests of their results
        # Of the sources that this process has parsed, by file: the keys and the bodies of their versions, oldest first.
        self._versions: dict[str, list[tuple[str, ...]]] = {}
        self._files: deque[frozenset[str]] = deque(maxlen=_VERSIONS)  # the last sets of all sources that a site had
        # Of work and of themes: the digests of what this process has made, by key, and the keys of the last requests,
        # by function.
        self._made_here: dict[str, tuple[str, ...]] = {}
        self._requests: dict[str, deque[frozenset[str]]] = {}
        self._given_up: dict[str, tuple[float, MadeRecord]] = {}  # by key: a preview would wait for it at each edit
        self._unread: dict[str, Diagnostic] = {}
        self._last_code: dict[str, bytes] = {}  # the encoded `LastCode` of the sources to parse, by key
        self._templates: dict[str, TemplateCache] = {}  # of the theme, by its key
        self._options = ParseOptions()
        self._read: Read
        self._read_file: ReadFile

    def begin(self) -> None:
        """Start another round of work, as a preview does after each change: reset the counters and diagnostics.

        If the file of the store was removed meanwhile, or another process has made it anew, work goes on with that.
        """
        self._store.follow(chain(self._sources, self._works))
        self.parsed = self.rendered = 0
        self._cacheable = True
        self.uses_codecs = False
        self.diagnostics = []
        self._unread = {}
        self._used = set()  # only `forget` needs it, which previews never call: it would grow with each edit
        self._cache_keys = CacheKeys()

    @property
    def cacheable(self) -> bool:
        """Whether all results are cacheable: running the same work again would give the same results."""
        return self.runs_what_counts() and self._cacheable

    def runs_what_counts(self) -> bool:
        """Whether this process has run only code by which results count: once some has changed, it may not be so.

        Results of such code would be stored under the keys of the code that this process found first.
        """
        self.changed_code = self.changed_code or changed(self.plugins)
        return not self.changed_code

    @property
    def advice(self) -> str:
        """What to tell whoever has started a command that goes on running; empty unless code has changed."""
        if not self.changed_code:
            return ""
        names = ", ".join(sorted(self.changed_code)[:_NAMED])
        more = f" and {len(self.changed_code) - _NAMED} more" if len(self.changed_code) > _NAMED else ""
        return (
            f"Code has changed since the start: {names}{more}. "
            "Restart devlog to run it; until then, no results are cached."
        )

    def _write(self, records: Mapping[str, bytes], contents: Mapping[str, bytes] = NO_CONTENTS) -> None:
        """Store records by their keys, unless code has changed, and contents by their digests."""
        self._store.write(NO_CONTENTS if self.changed_code else records, contents)

    def known(self, sources: Sequence[SourceFile], read: Read, options: ParseOptions) -> dict[SourceFile, Parsed]:
        """The cached results of those sources that need not be parsed."""
        self._options, self._read = options, read
        keys = self._cache_keys.of_sources(sources, options)
        found = self._remembered(keys, sources)
        known = {source: found[key].parsed for key, source in zip(keys, sources, strict=True) if key in found}
        for source, parsed in known.items():
            self._sources.setdefault(parsed.document.body, {})[source.file] = source
        return known

    def _remembered(self, keys: Sequence[str], sources: Sequence[SourceFile]) -> dict[str, ParsedSource]:
        """The cached records of some sources by their keys, of those whose bodies are in the store too."""
        by_key = dict(zip(keys, sources, strict=True))
        records = ((key, decoded(data, ParsedSource)) for key, data in self._store.read(keys).items())
        found = {key: text for key, text in records if text and text.parsed.is_of(by_key[key].path, by_key[key].file)}
        bodies = self._store.has(text.parsed.document.body for text in found.values())
        return {key: text for key, text in found.items() if text.parsed.document.body in bodies}

    def parse(self, sources: Sequence[SourceFile], read: Read, options: ParseOptions) -> list[Parsed]:
        """Parse the sources that are not in the cache, and return the results for all.

        Args:
            sources: the sources of the content folder.
            read: reads some of them.
            options: the site's parse options.
        """
        return [text.parsed for text in self.texts(sources, read, options)]

    def texts(self, sources: Sequence[SourceFile], read: Read, options: ParseOptions) -> list[ParsedSource]:
        """Parse as `parse` does, and return the facts for checks too."""
        self._options = options
        self._read = read
        keys = self._cache_keys.of_sources(sources, options)
        self._used.update(keys)
        self._used.update(_code_key(source.file) for source in sources)
        found = self._remembered(keys, sources)
        missing = {key: source for key, source in zip(keys, sources, strict=True) if key not in found}
        self._last_code = self._store.read(_code_key(source.file) for source in missing.values())
        fresh: dict[str, bytes] = {}
        bodies: dict[str, bytes] = {}
        held = 0
        for (key, source), record in zip(missing.items(), self._parse(tuple(missing.values()), options), strict=True):
            found[key] = _decode(record.text)
            if record.remember:
                fresh[key] = record.text
                self._versions.setdefault(source.file, []).append((key, record.body_digest))
            fresh |= {_code_key(source.file): record.code} if record.code else {}
            self._cacheable = self._cacheable and record.remember
            bodies[record.body_digest] = record.body
            held += len(record.body)
            if len(bodies) >= WRITE or held >= LARGE:
                self._write_parsed(fresh, bodies)
                fresh, bodies, held = {}, {}, 0
        self._write_parsed(fresh, bodies)
        for source, key in zip(sources, keys, strict=True):
            body = found[key].parsed.document.body
            self._used.add(body)
            self._sources.setdefault(body, {})[source.file] = source
        return [found[key] for key in keys]

    def _write_parsed(self, records: Mapping[str, bytes], bodies: Mapping[str, bytes]) -> None:
        """Store what was parsed. Records are adjacent: most builds read all of them, but few bodies."""
        if records:
            self.runs_what_counts()
        self._write(records, bodies)

    def remove_old_versions(self, files: Iterable[str], shown: Iterable[Parsed], blobs: Iterable[str] = ()) -> None:
        """Remove from the store what this process has made of earlier versions of files: a preview parses each save.

        The last versions stay, since a writer may undo an edit, or move a folder back.

        Args:
            files: of all sources.
            shown: the texts whose bodies may be rendered. One of them may be an earlier version, which stays in view
                while a file has an error; and files with the same text have one body.
            blobs: the digests of derived files that are shown, but were not wanted by the last requests, because an
                earlier site stays in view.
        """
        _note_latest(self._files, frozenset(files))
        wanted = {key for last in self._requests.values() for keys in last for key in keys}
        unwanted = {key: digests for key, digests in self._made_here.items() if key not in wanted}
        gone = self._versions.keys() - self._files[-1]
        gone = gone.difference(*self._files) if gone else gone
        many = [file for file, known in self._versions.items() if len(known) > _VERSIONS]
        if unwanted or gone or many:
            needed = {*blobs, *(parsed.document.body for parsed in shown)}
            self._remove_old_results(unwanted, needed)
            self._remove_old_texts(gone, many, needed)

    def _remove_old_results(self, unwanted: Mapping[str, tuple[str, ...]], needed: set[str]) -> None:
        """Remove what this process has derived, or found in themes, if no recent request wanted it.

        Args:
            unwanted: the digests of results by key.
            needed: the digests of contents that stay, with the records that name them.
        """
        old = {key: digests for key, digests in unwanted.items() if needed.isdisjoint(digests)}
        if old:
            self._made_here = {key: digests for key, digests in self._made_here.items() if key not in old}
            self._remove({*old, *chain(*old.values())} - {*chain(*self._made_here.values())})

    def _remove_old_texts(self, gone: set[str], many: Iterable[str], needed: set[str]) -> None:
        """Remove all versions of some sources, and the oldest ones of others, but not bodies that are needed."""
        old = {_code_key(file) for file in gone}
        for file in {*gone, *many}:
            known = self._versions.pop(file)
            recent = [] if file in gone else known[-_VERSIONS:]
            rest = {*chain(*known)}.difference(*recent)
            old |= rest - needed
            if left := rest & needed:  # remembered until nothing shows these bodies
                recent = [tuple(sorted(left)), *recent]
            if recent:
                self._versions[file] = recent
        self._remove(old)

    def _remove(self, names: set[str]) -> None:
        """Remove records and contents from the store, and what is known about them.

        Args:
            names: the keys of the records, and the digests of the contents.
        """
        self._store.remove(names)
        for name in names:
            self._sources.pop(name, None)
            if name in self._works and self._works[name].key in names:  # else other work has had the same result
                del self._works[name]

    def _parse(self, sources: Sequence[SourceFile], options: ParseOptions) -> Iterator[ParsedRecord]:
        work = with_plugins(partial(parse_jobs, options=options), options.plugins)
        records = self._workers.run(work, self._texts(sources), partial(self._unparsed, options))
        for source, record in zip(sources, records, strict=True):
            self.parsed += 1
            self._progress("Reading posts", self.parsed, len(sources))
            problem = self._unread.get(source.file)
            yield _without_text(source, problem, options) if problem else record

    def _texts(self, sources: Sequence[SourceFile]) -> Iterator[Source]:
        """Read sources, as late as they are needed: those of a large site are never in memory all at once."""
        for source, text in zip(sources, self._read(sources), strict=True):
            if isinstance(text, Diagnostic):
                self._unread[source.file] = text
                yield Source(source.path, source.file, "")
                continue
            self._unread.pop(source.file, None)  # an earlier attempt to read it may have failed
            yield msgspec.structs.replace(text, highlighted=self._highlighted(source))

    def _highlighted(self, source: SourceFile) -> dict[str, str]:
        """The highlighted code of the last version of a source, by key."""
        last = decoded(self._last_code.get(_code_key(source.file)), LastCode)
        body = decoded(self._store.contents([last.body]).get(last.body), Body) if last else None
        return last.html(body) if last and body else {}

    @contextmanager
    def asked_by(self, plugin: PluginRef) -> Iterator[None]:
        """A context in which a plugin asks for work: results that another version of its code has made do not count."""
        self._plugin = self._cache_keys.of_plugin(plugin)
        try:
            yield
        finally:
            self._plugin = ""

    def derive(
        self,
        works: Sequence[Work],
        read: ReadFile,
        make: Make | None = None,
        stage: str = "Reading files",
        owner_of: OwnerOf | None = None,
    ) -> list[MadeRecord]:
        """Run the work items that are not in the cache, and return the results of all.

        Args:
            works: the work items.
            read: reads a file that they need.
            make: runs the missing items instead of the workers, for work that only waits for other programs.
            stage: the name of the stage in reports of progress, for users.
            owner_of: returns the file for which a work item is done: problems with items without files name it, and
                all items of a file share a time limit, unless `make` runs them.
        """
        self._read_file = read
        keys = self._keys_of(works)
        found = self._derived(works, keys)
        given_up = {key: failed for key in keys if key not in found and (failed := self._given_up_lately(key))}
        self._cacheable = self._cacheable and not given_up
        found |= given_up
        missing = {key: work for key, work in zip(keys, works, strict=True) if key not in found}
        all_made = zip(missing, (make or partial(self._make, owner_of=owner_of))(tuple(missing.values())), strict=True)
        for number, (key, made) in enumerate(all_made, start=1):
            self._progress(stage, number, len(missing))
            digests = tuple([digest_bytes(data) for data in made.blobs])
            blobs = dict(zip(digests, made.blobs, strict=True))
            found[key] = MadeRecord(made.facts, digests, made.problem, made.line)
            self._cacheable = self._cacheable and not made.retry
            if not made.retry:
                self._given_up.pop(key, None)
                self._write({key: msgspec.msgpack.encode(found[key])}, blobs)
                self._made_here[key] = digests
        if missing and not self.runs_what_counts():
            self._store.remove(missing)
        self._note_requests(works, keys)
        self._note_derived(works, keys, found, owner_of)
        return [found[key] for key in keys]

    def _keys_of(self, works: Sequence[Work]) -> list[str]:
        self.uses_codecs = self.uses_codecs or any(work.codecs for work in works)
        return [self._cache_keys.of_work(work, self._plugin) for work in works]

    def _note_requests(self, works: Sequence[Work], keys: Sequence[str]) -> None:
        """Record which work is wanted now."""
        wanted: dict[str, set[str]] = {}
        for work, key in zip(works, keys, strict=True):
            wanted.setdefault(work.function, set()).add(key)
        for function, found in wanted.items():
            self._note_request(function, frozenset(found))

    def _note_request(self, function: str, keys: frozenset[str]) -> None:
        _note_latest(self._requests.setdefault(function, deque(maxlen=_VERSIONS)), keys)

    def derived_before(self, works: Sequence[Work], read: ReadFile) -> list[MadeRecord | None]:
        """The cached results of some work items, `None` for those without; runs none of them.

        Args:
            works: the work items.
            read: reads a file that they need: `render` runs an item again if its result is damaged by then.
        """
        self._read_file = read
        keys = self._keys_of(works)
        found = self._derived(works, keys)
        self._note_derived(works, keys, found)
        return [found.get(key) for key in keys]

    def _derived(self, works: Sequence[Work], keys: Sequence[str]) -> dict[str, MadeRecord]:
        """The cached results of some work items by their keys, of those whose bytes are all in the store."""
        self._used.update(keys)
        by_key = dict(zip(keys, works, strict=True))
        records = self._store.read(keys).items()
        decoded_records = ((key, decoded(data, MadeRecord)) for key, data in records)
        found = {key: record for key, record in decoded_records if record and by_key[key].made(record)}
        present = self._store.has(digest for derived in found.values() for digest in derived.blobs)
        return {key: derived for key, derived in found.items() if present.issuperset(derived.blobs)}

    def _note_derived(
        self,
        works: Sequence[Work],
        keys: Sequence[str],
        found: Mapping[str, MadeRecord],
        owner_of: OwnerOf | None = None,
    ) -> None:
        """Record which blobs are used, and which work items produce them."""
        for key, work in zip(keys, works, strict=True):
            if key in found:
                self._used.update(found[key].blobs)
                file = work.files[0].file if work.files else owner_of(work) if owner_of else ""
                self._works.update(dict.fromkeys(found[key].blobs, _Noted(key, work, file)))

    def _make(self, works: Sequence[Work], owner_of: OwnerOf | None = None) -> Iterator[Made]:
        left = TimeLeft(self._seconds)

        def job(work: Work) -> MakeJob:
            if owner_of and left.is_over(owner_of(work)):
                return MakeJob(work, (), left.problem)
            return self._make_job(work)

        is_of_files = owner_of is not None or any(work.files for work in works)
        made = (self._workers if is_of_files else self._patient).run(
            make_jobs,
            map(job, works),
            partial(self._unmade, self._seconds if is_of_files else executors.SECONDS),
            heavy=True,
            apart=is_apart,
            again=lambda lost: job(lost.work),
        )
        for work, one in zip(works, made, strict=True):
            if owner_of:
                left.take(owner_of(work), one.seconds)
            yield one

    def _make_job(self, work: Work) -> MakeJob:
        """A work item with the bytes of its files, which are read as late as they are needed."""
        read = [self._read_file(file) for file in work.files]
        wrong = next((item for item in read if isinstance(item, Diagnostic)), None)
        return MakeJob(work, tuple(item for item in read if isinstance(item, bytes)), wrong.message if wrong else "")

    def _unmade(self, seconds: float, job: MakeJob, failure: Failure) -> Made:
        reason = "it ended the process" if failure == "died" else f"it takes longer than {seconds:g} seconds"
        now = time.monotonic()
        self._given_up = {key: one for key, one in self._given_up.items() if now - one[0] < _AGAIN_SECONDS}
        self._given_up[self._cache_keys.of_work(job.work, self._plugin)] = now, MadeRecord({}, (), reason)
        return Made(problem=reason, retry=True, seconds=seconds)

    def _given_up_lately(self, key: str) -> MadeRecord | None:
        """The result of work that was too slow, or whose process died; after some minutes it is tried again."""
        when, made = self._given_up.get(key, (0.0, None))
        return made if made and time.monotonic() - when < _AGAIN_SECONDS else None

    def unusable(self) -> tuple[Diagnostic, ...]:
        """Why the results of this process are not stored for others; empty if they are."""
        error = self._store.failure
        return (_unusable(error),) if error else ()

    @property
    def has_given_up(self) -> bool:
        """Whether work was too slow, or its process died, and is to be tried again."""
        return bool(self._given_up)

    def forget_given_up(self) -> bool:
        """Let work be tried again that was given up some minutes ago; returns whether there is any."""
        lately = {key: one for key, one in self._given_up.items() if self._given_up_lately(key)}
        found, self._given_up = len(lately) < len(self._given_up), lately
        return found

    def recall(self, name: str) -> bytes:
        """The data that was stored under a name; empty if there is none."""
        key = _named(name)
        self._used.add(key)
        return self._store.read([key]).get(key, b"")

    def keep(self, name: str) -> None:
        """Keep the data that was stored under a name, even if this build has not read it."""
        self._used.add(_named(name))

    def remember(self, name: str, data: bytes) -> None:
        """Store data under a name for the next build, unless code has changed."""
        self._write({_named(name): data})

    def wake(self, work: int) -> None:
        """Start workers in the background if there is enough work for them.

        Args:
            work: the expected number of items.
        """
        if work >= executors.SMALL:
            self._workers.wake()

    def prepare(self, theme: Theme) -> None:
        """Let idle workers load the templates: if they had sources to parse, they will have pages to render."""
        if self.parsed >= executors.SMALL:
            self._workers.prepare(partial(load_templates, theme, self._templates_of(theme).codes))

    def dismiss(self) -> None:
        """Let workers exit while the build does the rest."""
        self._workers.dismiss()

    def theme_use(self, theme: Theme) -> ThemeUse:
        """The dependencies of a theme's templates, from the cache if possible."""
        name = f"{_THEME} {self._cache_keys.of_theme(theme)}"
        key = _named(name)
        self._note_request(_THEME, frozenset({key}))
        if known := decoded(self.recall(name), ThemeUse):
            return known
        templates = self._templates_of(theme)
        found = templates.use or templates.examine()
        self._made_here[key] = ()
        self.runs_what_counts()
        self.remember(name, msgspec.msgpack.encode(found))
        return found

    def _templates_of(self, theme: Theme) -> TemplateCache:
        """The compiled templates of a theme. Only the last theme's are kept, because a preview loads many versions."""
        key = f"{self._cache_keys.of_theme(theme)} {toolchain()}"
        if key not in self._templates:
            self._templates = {key: TemplateCache(theme, key, read=self._store.reads)}
        return self._templates[key]

    def stale(self, targets: Iterable[Target], theme: ThemeUse, current: Mapping[str, str]) -> Iterator[Target]:
        """The targets that must be rendered.

        Args:
            targets: all targets of the site.
            theme: the dependencies of the site's templates.
            current: the keys of the outputs in the output folder, by path.
        """
        for target in targets:
            of_markdown, key = self._cache_keys.of_target(target, theme)
            self.keys[target.path] = key
            if target.markdown:
                self.keys[target.markdown] = of_markdown
            if target.markdown and current.get(target.markdown) != of_markdown:
                yield target
            elif current.get(target.path) != key:
                yield target.without_markdown()

    def key(self, target: Target, theme: ThemeUse) -> str:
        """The key of a target: equal keys mean equal outputs."""
        return self._cache_keys.of_target(target, theme)[1]

    def render(
        self, targets: Iterable[Target], theme: Theme, bodies: Mapping[str, bytes] | None = None
    ) -> Iterable[Output]:
        """Render targets, in order.

        Args:
            targets: the targets to render.
            theme: the site's theme.
            bodies: encoded bodies by digest, which replace those in the store.
        """
        work = with_plugins(partial(render_jobs, theme=theme), theme.plugins)
        jobs = self._jobs_of(iter(targets), bodies or {})
        first = list(islice(jobs, 1))
        if not first:
            return
        templates = self._templates_of(theme)
        templates.load()
        for output in self._workers.run(work, chain(first, jobs), self._unrendered):
            self.rendered += 1
            self._progress("Writing pages", self.rendered, 0)
            yield output
        if not self.changed_code:
            templates.keep()

    def _jobs_of(self, targets: Iterator[Target], given: Mapping[str, bytes]) -> Iterator[RenderJob]:
        """Targets with their bodies, which are read from the store in batches of a limited size."""
        while some := list(islice(targets, BATCH)):
            sizes = self._store.lengths({name for target in some for name in _data_of(target)})
            waiting = iter(some)
            while part := next_batch(waiting, BATCH, LARGE, partial(_size, sizes)):
                data = {**self.bodies({name for target in part for name in bodies_of(target)} - given.keys()), **given}
                data |= self._blobs({digest for target in part for digest in blobs_of(target)})
                for target in part:
                    yield RenderJob(target, {name: data[name] for name in _data_of(target)})

    def bodies(self, names: set[str]) -> dict[str, bytes]:
        """Encoded bodies by digest, or by the name that a filling has for one without its HTML."""
        without_html = {name for name in names if name.startswith(MARKDOWN)}
        found = self._bodies(names - without_html)
        digests = sorted(name.removeprefix(MARKDOWN) for name in without_html)
        sizes = self._store.lengths(digests)
        waiting = iter(digests)
        while some := next_batch(waiting, BATCH, LARGE, lambda digest: sizes.get(digest, 0)):
            found |= {MARKDOWN + digest: _only_markdown(body) for digest, body in self._bodies(set(some)).items()}
        return found

    def _bodies(self, digests: set[str]) -> dict[str, bytes]:
        """Encoded bodies by digest."""
        contents = self._store.contents(sorted(digests))
        bodies = {digest: data for digest, data in contents.items() if Body.is_encoded(data)}
        for digest in sorted(digests - bodies.keys()):  # damaged since it was last read, or named by a forged record
            if digest in self._works:
                bodies[digest] = self._made_again(digest) or _NO_BODY
                continue
            for source in self._sources[digest].values():  # all had this text, and some may have changed
                record = next(self._parse([source], self._options))
                if record.body_digest == digest:
                    break
            bodies[digest] = record.body
            if record.body_digest == digest:
                self._store.write({}, {digest: record.body})
            else:  # the file has changed or cannot be read any more, and the new body must not be published
                self._store.remove(self._cache_keys.of_sources([source], self._options))  # the next build parses it
                self.diagnostics += _decode(record.text).parsed.diagnostics
                self.diagnostics.append(disk_problems.changed_while_building(source.file))
        return bodies

    def bodies_if_known(self, digests: set[str]) -> dict[str, bytes]:
        """Encoded bodies by digest, of those that this process knows: others may be of an earlier site."""
        return self.bodies(digests & (self._sources.keys() | self._works.keys()))

    def made(self, digest: str) -> bytes:
        """Bytes that `derive` has produced; empty if they were damaged, and cannot be made again."""
        return self._blobs({digest})[digest]

    def _blobs(self, digests: set[str]) -> dict[str, bytes]:
        """The bytes that `derive` has produced, by digest."""
        found = self._store.contents(sorted(digests))
        for digest in sorted(digests - found.keys()):  # the stored bytes were damaged after they were last read
            found[digest] = self._made_again(digest)
        return found

    def _made_again(self, digest: str) -> bytes:
        """Bytes that `derive` has produced, produced again; empty if they are others now, which is reported."""
        noted = self._works[digest]
        made = {digest_bytes(data): data for data in next(self._make([noted.work])).blobs}
        if digest not in made:  # the file has changed, or the program that draws it has drawn something else
            self._store.remove([noted.key])  # the next build derives it
            self.diagnostics.append(disk_problems.changed_while_building(noted.file or noted.work.function))
        return made.get(digest, b"")

    def marked(self, source: SourceFile, read: Read, options: ParseOptions) -> bytes | None:
        """The encoded body of a source, with marks for the source lines of its blocks. It is not cached.

        Returns:
            `None` if the file cannot be read, or parsing takes too long.
        """
        self._read = read
        record = next(self._parse([source], msgspec.structs.replace(options, marks=True)))
        return record.body if record.remember else None

    def _unparsed(self, options: ParseOptions, source: Source, failure: Failure) -> ParsedRecord:
        """The result for a source that cannot be processed."""
        return _without_text(source, self._failed(source.file, failure), options)

    def _unrendered(self, job: RenderJob, failure: Failure) -> Output:
        return Output(job.target.path, b"", (self._failed(job.target.path, failure),))

    def _failed(self, path: str, failure: Failure) -> Diagnostic:
        if failure == "died":
            return problems.worker_died(Span(path))
        return problems.too_slow(Span(path, failure.line), self._seconds)

    def forget(self) -> None:
        """Remove from the store what this build did not use. Call it at the end, when that is known.

        The store may hold four times as many entries and bytes as this build needs, because another branch or other
        options may need the rest again. It may hold no more than needed if another version of devlog, or this one with
        other libraries, has written it: no build will need those entries.
        """
        own = toolchain().encode()
        maker = self._store.read([MADE_BY]).get(MADE_BY, b"")
        if maker != own:
            self._store.write({MADE_BY: own})
        slack = 1 if maker not in (b"", own) else _SLACK
        self._store.keep_only(self._used | {ANSWERS, CHECKED, MADE_BY}, slack=slack)

    def forget_checked(self) -> None:
        """Remove from the store what earlier checks have used, and this one has not. Call it at the end of a check.

        A check does not know what builds need besides, such as images. So it removes only what a check has used, if
        that is more than four times as many entries or bytes as this one needs.
        """
        known = decoded(self._store.read([CHECKED]).get(CHECKED), _Checks) or _Checks()
        both = known.keys | self._used
        size = known.size + self._size(self._used - known.keys)
        needed = known.needed
        if size > _SLACK * max(needed, SMALL):  # else what this check needs is not counted: most have few new keys
            needed = self._size(self._used)
        if len(both) > _SLACK * max(len(self._used), FEW) or size > _SLACK * max(needed, SMALL):
            self._store.remove(both - self._used)
            both = self._used
            size = needed = self._size(both)
        now = _Checks(both, size, needed)
        if now != known:
            self._store.write({CHECKED: msgspec.msgpack.encode(now)})

    def _size(self, names: set[str]) -> int:
        """How many bytes the stored records and contents of some names have."""
        return sum(self._store.lengths(names).values())

    def close(self) -> None:
        """Stop the workers."""
        self._workers.close()
        self._patient.close()


class _Checks(msgspec.Struct, frozen=True, array_like=True):
    """What checks have used since the last one that removed some.

    Attributes:
        keys: of the records and contents.
        size: how many bytes these have.
        needed: how many of these bytes a check needed when they were last counted.
    """

    keys: set[str] = msgspec.field(default_factory=set)
    size: Annotated[int, msgspec.Meta(ge=0)] = 0
    needed: Annotated[int, msgspec.Meta(ge=0)] = 0


class _Noted(NamedTuple):
    """A work item, its key, and the file that problems with it name; empty if there is none."""

    key: str
    work: Work
    file: str


def _data_of(target: Target) -> Iterator[str]:
    """The names of the bodies, and the digests of the other bytes, that rendering a target needs."""
    return chain(bodies_of(target), blobs_of(target))


def _size(sizes: Mapping[str, int], target: Target) -> int:
    """How many bytes rendering a target needs, except for bodies without HTML."""
    return sum([sizes.get(name, 0) for name in _data_of(target)])


class _Markdown(msgspec.Struct):
    """What `Body` has besides HTML."""

    markdown: tuple[bytes | int, ...] = ()


def _only_markdown(body: bytes) -> bytes:
    """An encoded body without its HTML."""
    return msgspec.msgpack.encode(Body((), msgspec.msgpack.decode(body, type=_Markdown).markdown))


def _note_latest(last: deque[frozenset[str]], keys: frozenset[str]) -> None:
    """Add a set to the last ones; one of these that is the latest again is not there twice."""
    if keys in last:
        last.remove(keys)
    last.append(keys)


def _named(name: str) -> str:
    """The key of the data that is stored under a name."""
    return f"{name} {toolchain()}"


def _code_key(file: str) -> str:
    """The key of the `LastCode` of a source."""
    return _named(f"code in {file}")


def _decode(data: bytes) -> ParsedSource:
    return msgspec.msgpack.decode(data, type=ParsedSource)


def _without_text(source: Source | SourceFile, problem: Diagnostic, options: ParseOptions) -> ParsedRecord:
    """The result for a source that cannot be read or parsed: an empty text with the problem. It is not cached."""
    record = parse_jobs([Source(source.path, source.file, "")], options)[0]
    text = _decode(record.text)
    text = msgspec.structs.replace(text, parsed=msgspec.structs.replace(text.parsed, diagnostics=(problem,)))
    return msgspec.structs.replace(record, text=msgspec.msgpack.encode(text), remember=False)
