"""The build pipeline held in memory: it updates the site after every change, and renders pages on request."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple, Protocol
from urllib.parse import quote

import msgspec

from devlog.assemble.claims import Claim
from devlog.assemble.site import Visibility
from devlog.build_record import external_state, until
from devlog.disk.checkout_folder import Refusal
from devlog.disk.git import state_of
from devlog.disk.site_folder import CONFIGURATIONS
from devlog.engine.jobs import REQUEST, Jobs
from devlog.engine.store import Store
from devlog.inputs import Inputs, WantedDates, ask_git_dates, judge, wanted_git_dates
from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.digest import digest_bytes
from devlog.model.document import Parsed
from devlog.model.git_dates import GitDates
from devlog.model.media import media_type
from devlog.model.metadata import without_metadata
from devlog.model.minify import minified
from devlog.model.recent import Recent
from devlog.model.report import has_error
from devlog.model.target import Copy, Filling, Target
from devlog.pipeline import Session
from devlog.plugins.features import site_search
from devlog.render.template_dependencies import ThemeUse
from devlog.serve import status_pages
from devlog.serve.changes import Change, differences
from devlog.serve.file_stats import Stamp
from devlog.serve.moves import Moves
from devlog.serve.overlay import editor_url, judged, problems
from devlog.serve.policy import Policy, policy_of
from devlog.serve.rendering import KEPT, OVERHEAD, Rendered, Rendering
from devlog.serve.repository import checkout_files, stats_of
from devlog.serve.responses import Answer, Data, File, Page, Problem, RedirectResponse, Update
from devlog.serve.snapshot import MarkdownVersion, Snapshot, planned
from devlog.serve.sources import Texts
from devlog.stages import CACHE, Stages

SECONDS = 3.0
"""Time limit for parsing a source or rendering a page, in seconds, so that none of them can block the preview."""

PATIENCE = 2.0
"""Seconds to wait for the cache while another process writes to it."""

TOO_MANY = 500
"""A page that depends on more unparsed posts than this is not shown until the background work has parsed them."""

_URL = "/:?#[]@!$&'()*+,;=%~"


class Options(msgspec.Struct, frozen=True):
    """The options of a preview that the command line sets.

    Attributes:
        root: the site's folder.
        origin: the scheme, host and port of the preview's URLs.
        drafts: whether to show drafts, scheduled posts and expired posts.
        now: returns the current time, which decides which posts are scheduled.
        jobs: the maximum number of processes that parse; 0 for one per processor.
        search: whether pages offer a search, unless the configuration turns it off.
    """

    root: Path
    origin: str
    drafts: bool = True
    now: Callable[[], datetime] = partial(datetime.now, UTC)
    jobs: int = 0
    search: bool = True


class _Environment(NamedTuple):
    """What determines a site, besides its files and what features ask: the time, its repository, the source.

    Attributes:
        since: when visibility was determined.
        until: when it changes; `None` for never.
        git: the dates that posts have from the site's repository.
        source: the checkout of the source, which posts may cite, or why it is not read: a commit of the site may have
            put it there.
        checkout: the files of git in it.
        stats: their file stats.
    """

    since: datetime
    until: datetime | None
    git: GitDates
    source: Path | Refusal | None
    checkout: tuple[Path, ...]
    stats: list[dict[str, Stamp]]

    def hold(self, options: Options, source: Path | Refusal | None, snapshot: Snapshot) -> bool:
        """Whether all are still as they were.

        Args:
            options: of the preview.
            source: the checkout as it is now.
            snapshot: the site. What features ask changes with each edit, such as which programs draw, so its answers
                count; they are asked for again as a build does.
        """
        now = options.now()
        if now < self.since or (self.until is not None and now >= self.until):
            return False
        if self.stats != stats_of(self.checkout) or self.source != source:
            return False
        external = external_state(self.git, snapshot.planner.derived, uses_codecs=False)
        return external.holds(options.root, snapshot.inputs.config, watching=True)


class Searching(Protocol):
    """Answers requests for the files of the search index."""

    def ask(self, snapshot: Snapshot, path: str) -> Future[Answer] | None:
        """The answer for the decoded path of a request; `None` if it is no file of the index. Safe from any thread."""

    def close(self) -> None:
        """Stop building the index."""


class Preview:
    """A site that is kept up to date with its files.

    `ask`, `policy` and `hello` may be called from any thread, everything else only from the main one.

    Attributes:
        diagnostics: all problems of the site, errors first.
        is_reading: whether `read_more` has work to do: some posts are only sketches yet, so their problems are still
            unknown.
    """

    def __init__(self, options: Options, jobs: Jobs, shown: Callable[[], Iterable[str]] = tuple) -> None:
        """
        Args:
            options: set by the command line.
            jobs: runs the work of `ask` and `hello` in the main thread.
            shown: returns the paths of the pages that open tabs show.
        """
        self._options = options
        self._jobs = jobs
        self._shown = shown
        self._store = Store(options.root / CACHE, timeout=PATIENCE)
        self._stages = Stages(self._store, options.jobs, lambda *_: None, seconds=SECONDS)
        # Resized images are shown only if a build has cached them, so that writers need not wait for the encoding.
        self._session = Session(options.root, self._stages, "recall")
        self._texts = Texts(options.root, options.origin, self._stages)
        self._inputs: Inputs | None = None  # the current state of the files; the snapshot may be older
        self._snapshot: Snapshot | None = None
        self._blocking: frozenset[object] = frozenset()  # blocking errors that the snapshot already has
        self._contained: dict[str, Mapping[str, bytes]] = {}  # in sources whose last good version is shown, by file
        self._environment: _Environment | None = None  # with which the snapshot was assembled
        self._rendering = Rendering(self._stages)
        search = site_search()
        self._searching: Searching | None = search.serve(options.root, self._bodies) if search else None
        # Answers by output path, each valid for its snapshot.
        self._ready = Recent[str, tuple[Snapshot, Page | Data]](KEPT, lambda ready: _size(ready[1]))
        self._found: list[Diagnostic] = []  # of the site, without those of rendering
        self._problems: tuple[Problem, ...] = ()
        self._keys: dict[str, str] = {}  # the keys that were sent to tabs, by path of the request
        self._git_dates = (WantedDates({}, {}), GitDates())
        self._policy: tuple[tuple[object, ...], Policy] = ((), Policy())
        self._moves = Moves()
        self._number = 0
        self._began = 0.0
        self.diagnostics: tuple[Diagnostic, ...] = ()
        self.is_reading = False

    @property
    def inputs(self) -> Inputs:
        """The inputs of the site that is shown."""
        assert self._snapshot
        return self._snapshot.inputs

    @property
    def posts(self) -> int:
        """The number of posts that are shown."""
        return self._snapshot.planner.posts if self._snapshot else 0

    @property
    def reading(self) -> int:
        """The number of posts and pages that are not parsed yet."""
        return len(self._texts.sketched)

    # -- callable from any thread

    def ask(self, path: str) -> Future[Answer]:
        """The answer for the decoded path of a request."""
        snapshot = self._snapshot
        found = snapshot.find(path) if snapshot else None
        if snapshot and isinstance(found, Copy) and not found.inside:  # what is inside a source must be read first
            return _done(self._file(snapshot, found))
        searching = self._searching
        if searching and snapshot and found is None and (asked := searching.ask(snapshot, path)):
            return asked
        if isinstance(found, RedirectResponse):
            return _done(found)
        if isinstance(found, Claim) and (ready := self._ready.get(found.path)) and ready[0] is snapshot:
            return _done(ready[1])
        return self._jobs.submit(REQUEST, self._answer, path)

    def policy(self) -> Policy:
        """The content security policy of pages as of now."""
        snapshot = self._snapshot
        if snapshot is None:
            return Policy()
        # An edit of a post's body leaves all of these objects unchanged.
        made_of = (snapshot.claims, snapshot.copies, snapshot.inputs.config, snapshot.inputs.loaded)
        known, policy = self._policy
        if len(known) != len(made_of) or any(old is not new for old, new in zip(known, made_of, strict=True)):
            policy = policy_of(snapshot)
            self._policy = (made_of, policy)
        return policy

    def hello(self, page: str) -> Future[Update]:
        """The first message for a tab that shows a page."""
        return self._jobs.submit(REQUEST, self._hello, page)

    def _bodies(self, digests: set[str]) -> Future[dict[str, bytes]]:
        """Those of the bodies with some digests that are known."""
        return self._jobs.submit(REQUEST, self._stages.bodies_if_known, digests)

    # -- requests

    def _hello(self, page: str) -> Update:
        self._forget_closed()  # a client may ask for any number of pages, one after the other
        key = self._key_of(page)
        if self._rendering.has_news:  # `news` notifies the other tabs
            self._problems = self._shown_problems()
        return self._update({page: key}, (), self._moved_from(page))

    def _moved_from(self, page: str) -> dict[str, str]:
        """Where a page is now that has moved while no tab was connected that shows it."""
        there = self._moves.known.get(page)
        return {page: there} if there and self._snapshot and self._snapshot.find(page) is None else {}

    def news(self) -> Update | None:
        """An update for tabs if a request found that a page fails to render, or renders again; else `None`."""
        if not self._rendering.has_news:
            return None
        self._rendering.has_news = False
        self._problems = self._shown_problems()
        return self._update({}, ())

    def _forget_closed(self) -> None:
        """Forget the keys of pages that no tab shows any more."""
        shown = frozenset(self._shown())
        self._keys = {path: key for path, key in self._keys.items() if path in shown}

    def _key_of(self, path: str) -> str | None:
        """The key of a page, which is recorded as sent to tabs; `None` if the answer is not a page."""
        answer = self._answer(path)
        key = answer.key if isinstance(answer, Page) else None
        if key:
            self._keys[path] = key
        return key

    def _answer(self, path: str) -> Answer:
        snapshot = self._snapshot
        if snapshot is None or snapshot.use.is_broken:
            return status_pages.nothing_yet()
        found = snapshot.find(path)
        if isinstance(found, Copy | RedirectResponse):
            return self._file(snapshot, found) if isinstance(found, Copy) else found
        if found is None:
            return self._not_planned(snapshot, path)
        if isinstance(found, Claim) and found.recipe == "redirect":
            return self._redirected(snapshot.planner.target(found).context["target"])
        return (
            self._rendered(found.page, as_markdown=True)
            if isinstance(found, MarkdownVersion)
            else self._rendered(found)
        )

    def _redirected(self, target: str) -> RedirectResponse:
        own = target.removeprefix(self._options.origin)
        return RedirectResponse(quote(own if own.startswith("/") else target, safe=_URL))

    def _not_planned(self, snapshot: Snapshot, path: str) -> Answer:
        """The answer for a path that is not planned: posts that are not parsed yet may add a file there."""
        name = path.removeprefix(snapshot.base_path)
        if not self._texts.sketched or not snapshot.planner.may_bring(name):
            return self._not_found(snapshot)
        if self.reading > TOO_MANY or not self._complete(self._texts.sketched.keys()):
            return status_pages.still_reading()
        return self._answer(path)

    def _not_found(self, snapshot: Snapshot) -> Answer:
        claim = snapshot.claims.get("404.html")
        answer = self._rendered(claim) if claim else status_pages.not_found()
        return msgspec.structs.replace(answer, status=404) if isinstance(answer, Page) else answer

    def _file(self, snapshot: Snapshot, copy: Copy) -> Answer:
        scripts = snapshot.inputs.loaded.scripts
        if copy.folder == "theme" and copy.file in scripts:
            script = scripts[copy.file]
            return Data(minified(copy.file, script) if copy.minify else script, media_type(copy.path), is_own=True)
        if copy.inside:
            data: bytes | Diagnostic | None = self._contained.get(copy.file, {}).get(copy.inside)
            if data is None:
                data = snapshot.inputs.read_contained(self._options.root, copy.file, copy.inside)
            if isinstance(data, Diagnostic) or digest_bytes(data) != copy.digest:
                return status_pages.still_reading()
            return Data(without_metadata(data) if copy.strip else data, media_type(copy.path))
        location = snapshot.inputs.location_of(self._options.root, copy)
        own = copy.folder == "theme"
        return File(location.root, location.file, location.follow, media_type(copy.path), copy.strip, copy.minify, own)

    def _rendered(self, claim: Claim, *, as_markdown: bool = False) -> Answer:
        """The current version of a page, its Markdown version or another rendered file; if it fails, the last one."""
        target = self._target(claim)
        if target is None:
            return status_pages.still_reading()
        assert self._snapshot
        snapshot = self._snapshot
        marked = self._marked(snapshot, claim, target)
        key = self._stages.key(target, snapshot.use) + "".join(map(digest_bytes, marked.values()))
        known = self._rendering.get(target, key, snapshot.inputs.loaded.theme, marked)
        if known is None:
            return status_pages.failed()
        if as_markdown:
            return Data(known.markdown, media_type(claim.markdown))
        is_page = claim.recipe == "page"
        answer = self._page(snapshot, claim, known) if is_page else Data(known.data, media_type(target.path))
        if known.key == key:
            self._ready.add(target.path, (snapshot, answer))
        return answer

    def _target(self, claim: Claim) -> Target | None:
        """The target of a file, after all posts that it shows are parsed; `None` if too many are not yet."""
        while True:
            assert self._snapshot
            snapshot = self._snapshot
            target, sketched = snapshot.planner.sketched(snapshot.claims.get(claim.path, claim))
            if not sketched:
                return target
            if len(sketched) > TOO_MANY or not self._complete(sketched):
                return None

    def _complete(self, paths: Iterable[str]) -> bool:
        """Replace sketches by parsed posts.

        Args:
            paths: of the posts.

        Returns:
            Whether all of them were replaced.
        """
        assert self._snapshot
        sketched = self._texts.sketched
        found = self._texts.complete([sketched[path] for path in sorted(paths) if path in sketched])
        missing = set(paths) - found.keys()
        # The snapshot may be older than the files: then some posts are already parsed, and others are deleted.
        found |= {text.path: text for text in self._texts.parsed.values() if text.path in missing} if missing else {}
        before = self._snapshot
        gone = missing - found.keys()
        found |= self._texts.gone([text for text in before.inputs.content.sources if text.path in gone]) if gone else {}
        completed = before.completed(found)
        if completed is None:  # link targets of plugins may depend on bodies
            sources = {**before.sources, **before.in_place_of_sketches(found)}
            completed = self._take(before.inputs, sources, before.use)
        self._show(completed)
        return found.keys() >= set(paths)

    def _marked(self, snapshot: Snapshot, claim: Claim, target: Target) -> dict[str, bytes]:
        """The body of a page with line marks, by the digest of the body without; empty if there is no editor."""
        content = target.context.get("content")
        if not snapshot.inputs.config.serve.editor or claim.recipe != "page" or not isinstance(content, Filling):
            return {}
        body = self._texts.marked(snapshot.planner.source_of(claim), content.body)
        return {content.body: body} if body else {}

    def _page(self, snapshot: Snapshot, claim: Claim, known: Rendered) -> Page:
        """A rendered page with the data that the preview adds to it."""
        post = snapshot.planner.post_of(claim)
        file = snapshot.planner.source_of(claim)
        return Page(
            html=known.data,
            key=known.digest,
            state=post.state if post else "",
            note=post.reason if post else "",
            editor=editor_url(snapshot.inputs.config.serve.editor, self._options.root, file, None) if file else "",
        )

    # -- changes

    @property
    def seconds_left(self) -> float | None:
        """After how many seconds a post appears or expires, although no file changes; `None` if none ever does."""
        if self._environment is None or self._environment.until is None:
            return None
        return (self._environment.until - self._options.now()).total_seconds()

    @property
    def advice(self) -> str:
        """What to tell the user about code that has changed since the start; empty if there is nothing to tell."""
        return self._stages.advice

    @property
    def is_incomplete(self) -> bool:
        """Whether something could not be read, parsed or derived, but perhaps can be later, although no file changes.

        The system may have had too many open files, for example.
        """
        inputs = self._inputs
        found = (*inputs.diagnostics, *inputs.loaded.diagnostics) if inputs else ()
        return self._texts.is_lost or self._stages.has_given_up or any(item.code == "unreadable" for item in found)

    def change(self, names: frozenset[str]) -> Change | None:
        """Update the site after a change of files.

        Args:
            names: of the files that may have changed; empty if any may have.

        Returns:
            The change; `None` if nothing has changed.
        """
        begin = self._began = time.perf_counter()
        self._stages.begin()
        self._forget_closed()
        self._rendering.retry()
        before, inputs_before, problems_before = self._snapshot, self._inputs, self._problems
        inputs = self._texts.look(inputs_before, names, before.inputs if before else None)
        self._stages.plugins = inputs.loaded.theme.plugins
        if not self._options.search:
            inputs = inputs.without_search()
        holds = self._holds() and not self._stages.forget_given_up()
        if inputs == inputs_before and holds and not self._texts.is_lost:
            return None
        kept = self._follow(inputs, holds=holds)
        self._inputs = inputs
        assert self._snapshot
        self._stages.remove_old_versions(
            self._texts.files,
            chain(self._texts.parsed.values(), self._snapshot.texts),
            self._snapshot.blobs if kept else (),
        )
        changed = self._look_at_pages()
        files = differences(inputs_before, inputs) if inputs_before else ()
        if before and not files and not changed and self._problems == problems_before:
            return None
        self._number += 1 if before else 0
        moved = self._moves.follow(before, self._snapshot, self._shown()) if before else {}
        update = self._update(changed, self._snapshot.changed_files(before) if before else (), moved)
        seconds = time.perf_counter() - begin
        return Change(files, self._stages.parsed, self._stages.rendered, seconds, update, kept=kept)

    def _holds(self) -> bool:
        """Whether the site depends on nothing that has changed except, perhaps, its files."""
        environment, snapshot = self._environment, self._snapshot
        if environment is None or snapshot is None:
            return False
        return environment.hold(self._options, self._texts.checkout, snapshot)

    def _follow(self, inputs: Inputs, *, holds: bool) -> bool:
        """Make a snapshot of new inputs, and show it unless it has new blocking errors.

        Args:
            inputs: the new inputs.
            holds: whether nothing else has changed that the site depends on.

        Returns:
            Whether the old snapshot stays.
        """
        old = self._snapshot
        # An unreadable configuration or plugin has no options for the parser, so the old ones are used.
        options = (inputs if old is None or inputs.tells_files else old.inputs).parse_options()
        if old and any(item.severity == "error" for item in inputs.loaded.diagnostics):
            known = old.inputs.parse_options()  # a theme.toml that cannot be read extends no theme, which may have both
            options = msgspec.structs.replace(options, words=known.words, shortcodes=known.shortcodes)
        self._texts.parse(inputs, options)
        self.is_reading = self.reading > 0
        sources = self._good_sources(inputs, old)
        theme = inputs.loaded.theme
        use = old.use if old and old.inputs.loaded.theme == theme else self._stages.theme_use(theme)
        environment = self._environment
        new = (old.followed(inputs, sources, use) if old and holds else None) or self._take(inputs, sources, use)
        # If the last good version of a post is used, problems of its links refer to lines that no longer exist.
        older = {text.file for text in sources.values()} - {
            parsed.file for parsed in self._texts.parsed.values() if sources[parsed.path] is parsed
        }
        self._keep_contained(old, older)
        of_plan = new.planner.diagnostics  # goes through all posts
        stoppers = _blocking(inputs, [*new.use.diagnostics, *of_plan])
        shown = [item for item in of_plan if item.span.path not in older]
        # What keeps the site as it was is told nevertheless: as of front matter in which no key has a line.
        still = [item for item in of_plan if item.span.path in older and item.sort_key in stoppers]
        shown += [msgspec.structs.replace(item, span=Span(item.span.path, min(item.span.line, 1))) for item in still]
        others = [*inputs.diagnostics, *new.use.diagnostics, *shown]
        self._found = others + [found for parsed in self._texts.parsed.values() for found in parsed.diagnostics]
        # Without templates no page can be shown, whatever the reason, which may be hidden behind another.
        is_worse = bool(stoppers - self._blocking) or new.use.is_broken
        if old and not old.use.is_broken and is_worse:
            differ = {path: sources[path] for path, text in old.sources.items() if sources.get(path, text) is not text}
            self._show(old.updated_where_possible(differ))
            self._environment = environment
            return True
        self._show(new)
        self._blocking = stoppers
        return False

    def _good_sources(self, inputs: Inputs, old: Snapshot | None) -> dict[str, Parsed]:
        """The current version of each post and page; the last good one of those with an error, or unreadable."""
        sources = {}
        for parsed in self._texts.parsed.values():
            good = (
                old.sources.get(parsed.path) if old and parsed.diagnostics and has_error(parsed.diagnostics) else None
            )
            sources[parsed.path] = good if good and good.document.body else parsed
        lost = [item.span.path for item in inputs.content.diagnostics if item.severity == "error"]
        for text in old.sources.values() if old and lost else ():
            if any(file in {".", text.file} or text.file.startswith(f"{file}/") for file in lost):
                sources.setdefault(text.path, text)
        return dict(sorted(sources.items())) if lost else sources

    def _keep_contained(self, old: Snapshot | None, older: Iterable[str]) -> None:
        """Keep the files in converted sources, such as images in notebooks, that can no longer be read from these.

        Args:
            old: the snapshot before the change.
            older: the sources whose last good version is shown.
        """
        known, self._contained = self._contained, {}
        for file in older:
            if file in known:
                self._contained[file] = known[file]
            elif old and old.inputs.converted([file]):
                files = old.inputs.contained(self._options.root, file)
                self._contained |= {} if isinstance(files, Diagnostic) else {file: files}

    def _show(self, snapshot: Snapshot) -> None:
        if snapshot is not self._snapshot:
            self._snapshot = snapshot
            self._ready.clear()

    def _take(self, inputs: Inputs, sources: Mapping[str, Parsed], use: ThemeUse) -> Snapshot:
        wanted = wanted_git_dates(inputs.config, sources.values())
        before, dates = self._git_dates
        if before != wanted or dates.state != (state_of(self._options.root) if any(wanted) else None):
            self._git_dates = (wanted, ask_git_dates(self._options.root, inputs.config, wanted))
        now, shown = self._options.now(), self._options.drafts
        checkout = checkout_files(self._options.root, inputs.config.source_checkout)
        changes = until(inputs.config, sources.values(), now)
        git = self._git_dates[1]
        self._environment = _Environment(now, changes, git, self._texts.checkout, checkout, stats_of(checkout))
        visibility = Visibility(now, drafts=shown, future=shown, expired=shown)
        assembled = inputs.assemble(tuple(sources.values()), git, visibility)
        planner = self._session.plan(inputs, assembled, *self._session.derive(inputs, assembled))
        return planned(inputs, sources, use, planner, self._session.derive_anew)

    def read_more(self) -> Change | None:
        """Parse some of the posts that are not parsed yet.

        Returns:
            The change, once all are parsed; until then `None`.
        """
        if self.reading:
            assert self._snapshot
            some = self._snapshot.completed(self._texts.complete_some())
            if some:  # else the site is assembled once all are there, or one of them is requested
                self._show(some)
        if self.reading:
            return None
        assert self._inputs
        self._stages.dismiss()
        kept = self._follow(self._inputs, holds=self._holds())
        changed = self._look_at_pages()
        self._number += 1
        seconds = time.perf_counter() - self._began
        return Change((), self._stages.parsed, self._stages.rendered, seconds, self._update(changed, ()), kept=kept)

    def remember(self) -> None:
        """Store the stat cache for the next build or preview."""
        self._texts.remember()

    def close(self) -> None:
        """Stop the workers and the search, and close the cache."""
        if self._searching:
            self._searching.close()
        self._stages.close()
        self._store.close()

    # -- updates for tabs

    def _look_at_pages(self) -> dict[str, str | None]:
        """Render the pages that tabs show and those that failed, and collect the problems.

        Returns:
            The paths of shown pages that have changed, with their new keys.
        """
        assert self._snapshot
        for path in self._rendering.failed:
            claim = self._snapshot.claims.get(path)
            if claim is None:
                self._rendering.forget(path)
            elif not self._snapshot.use.is_broken:
                self._rendered(claim)
        before = {path: self._keys.get(path) for path in sorted(self._shown())}
        changed = {path: key for path, old in before.items() if (key := self._key_of(path)) != old}
        self._rendering.has_news = False
        self._problems = self._shown_problems()
        return changed

    def _update(
        self, changed: dict[str, str | None], files: tuple[str, ...], moved: dict[str, str] | None = None
    ) -> Update:
        counts = Counter[str](diagnostic.severity for diagnostic in self.diagnostics)
        scroll = self.inputs.config.serve.scroll
        return Update(self._number, changed, files, self._problems, scroll, moved or {}, dict(counts))

    def _shown_problems(self) -> tuple[Problem, ...]:
        assert self._inputs
        assert self._snapshot
        inputs = self.inputs if self._inputs.is_unread else self._inputs
        found = [*self._found, *self._stages.diagnostics]
        # If the theme differs from that of the snapshot, errors of its templates are out of date.
        is_current = self._snapshot.inputs.loaded.theme == self._inputs.loaded.theme
        found += [item for item in self._rendering.diagnostics if is_current or item.code != "template-error"]
        self.diagnostics = judged(inputs, self._options.root, found)
        return problems(inputs, self._options.root, self.diagnostics)


def _blocking(inputs: Inputs, of_site: Iterable[Diagnostic]) -> frozenset[object]:
    """The blocking errors of a site: those of configuration, folders, theme and plan.

    If a changed site has new ones, the previous site stays. Errors of single files affect only these files.

    Args:
        inputs: the inputs of the site.
        of_site: the diagnostics of its theme and its plan.
    """
    own = [item for item in inputs.diagnostics if item.span.path in CONFIGURATIONS or item.code == "missing-folder"]
    found = [item for item in (*own, *inputs.loaded.diagnostics, *of_site) if item.severity == "error"]
    # What the configuration makes a warning stops no build. What it makes an error does, but a writer can go on.
    return frozenset(item.sort_key for item in judge(found, inputs.config, strict=False) if item.severity == "error")


def _size(answer: Page | Data) -> int:
    return len(answer.html if isinstance(answer, Page) else answer.data) + OVERHEAD


def _done(answer: Answer) -> Future[Answer]:
    future: Future[Answer] = Future()
    future.set_result(answer)
    return future
