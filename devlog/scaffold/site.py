"""Reads the existing site for which something is created, as far as needed."""

from __future__ import annotations

import posixpath
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path

import msgspec

from devlog.assemble.site import Assembled, Visibility
from devlog.assemble.urls import url
from devlog.disk.folder import is_there
from devlog.disk.ignore import compile_ignore
from devlog.disk.read import read_source
from devlog.disk.site_folder import is_site
from devlog.disk.stat_cache import StatCache
from devlog.engine.executor_registry import INLINE
from devlog.engine.store import Store
from devlog.engine.work import time_limit
from devlog.inputs import Inputs, content_rules, read_inputs
from devlog.model.derived import Derived
from devlog.model.diagnostic import Diagnostic
from devlog.model.document import Parsed
from devlog.model.git_dates import GitDates
from devlog.model.source import Source, SourceFile
from devlog.out_of_time import OutOfTimeError
from devlog.parse.options import ParseOptions
from devlog.scaffold import problems
from devlog.stages import CACHE, STAT_CACHE, Stages

PREVIEW = "http://127.0.0.1:8000"
"""The default URL of ``devlog serve``."""

_PATIENCE = 0.5

_SECONDS = 10.0
"""The time limit for parsing all bodies that tell a title."""

_SECONDS_IN_SHELL = 2.0
"""That for reading front matter while somebody waits for the completion of a word."""


class Existing(msgspec.Struct, frozen=True):
    """An existing site.

    Attributes:
        root: its folder.
        now: the current time, which determines the day.
        inputs: of the site.
        parsed: its parsed posts and pages; those that are not in the cache only as sketches, or without their title.
        assembled: the assembled site, including unpublished posts.
    """

    root: Path
    now: datetime
    inputs: Inputs
    parsed: tuple[Parsed, ...]
    assembled: Assembled

    @property
    def content(self) -> str:
        """The content folder, relative to the site's folder."""
        return self.inputs.config.content

    @property
    def topics(self) -> tuple[str, ...]:
        """The paths of all topics, sorted."""
        return tuple(sorted(topic.path for topic in self.assembled.site.topics))

    def folder_of(self, topic: str) -> str:
        """The folder of a topic, which may be a mounted one, relative to the site's folder; "" is the whole site."""
        known = (item.folder for item in self.assembled.site.topics if item.path == topic)
        return next(known, self.inputs.config.in_content(topic)).rstrip("/")

    def problem(self) -> tuple[Diagnostic, ...]:
        """The errors that prevent any change to this site: there is no site, or its configuration is invalid."""
        if not is_site(self.root):
            return (problems.no_site(str(self.root)),)
        wrong = (item for item in self.inputs.diagnostics if item.span.path == self.inputs.config_file)
        return tuple(item for item in wrong if item.severity == "error")

    def with_text(self, file: str, text: str) -> tuple[Parsed, Assembled]:
        """Parse a new source, and assemble the site with it. If parsing takes too long, it has only that error.

        Args:
            file: the path of the source, relative to the site's folder.
            text: its content.
        """
        from devlog.parse.head import outline

        source = Source(self._path_of(file), file, text)
        result = self.inputs.parse(source)
        if isinstance(result, Diagnostic):
            empty = outline(msgspec.structs.replace(source, text=""), self.inputs.parse_options())
            parsed = msgspec.structs.replace(empty, diagnostics=(result,))
        else:
            parsed = result[0]
        return parsed, _assemble(self.inputs, (*self.parsed, parsed), self.now)

    def _path_of(self, file: str) -> str:
        """The path of a file in the content, given the one relative to the site's folder."""
        return self.inputs.config.mounted(file) or file.removeprefix(f"{self.content}/")

    def _is_ignored(self, file: str) -> bool:
        """Whether a new file, or a folder above it, is ignored; a mounted folder itself never is."""
        config = self.inputs.config
        plugins = (plugin for _, plugin in self.inputs.plugins)
        ignored, _ = compile_ignore(config.ignore, rules=content_rules(config, plugins))
        path = self._path_of(file)
        mount = next((place for place, folder in config.mounts.items() if file.startswith(f"{folder}/")), "")
        if ignored.content(posixpath.basename(path), path, is_folder=False):
            return True
        while len(path := posixpath.dirname(path)) > len(mount):
            if ignored.content(posixpath.basename(path), path, is_folder=True):
                return True
        return False

    def refusals(self, assembled: Assembled, file: str) -> tuple[Diagnostic, ...]:
        """The errors about a new source: it would be ignored, or something else has its URL, or a similar one.

        Files that plugins plan are not considered: nothing here runs their code.

        Args:
            assembled: the site with the source.
            file: the path of the source, relative to the site's folder.
        """
        from devlog.assemble.plan import Planner
        from devlog.assemble.references import References, link_index

        if is_there(self.root / file, follow=False):
            return ()  # it will be kept, and the other message is clearer
        if self._is_ignored(file):
            return (problems.ignored_file(file),)
        config, theme = self.inputs.config, msgspec.structs.replace(self.inputs.loaded.theme, plugins=())
        references = References(config, assembled, link_index(config, assembled, self.inputs.own_url))
        planner = Planner(config, assembled, theme, references, Derived())
        deque(planner.claims(), maxlen=0)
        about = (item for item in planner.refused if file in (item.span.path, *item.others))
        return tuple(item for item in about if item.severity == "error")

    def address(self, permalink: str) -> str:
        """The URL of a page in the preview."""
        return PREVIEW + url(self.inputs.config, permalink)


def read_site(root: Path, now: datetime, most: int | None = None) -> Existing:
    """Read a site. Sources that are not in the cache are read only as sketches; nothing is written.

    Args:
        root: its folder.
        now: the current time.
        most: the maximum number of sources to read that are not in the cache, the last ones by name, of which only the
            front matter is read, and no more of them than can be read at once; `None` for all.
    """
    with _store(root) as store, closing(Stages(store, 1, lambda *_: None, INLINE)) as stages:
        inputs = read_inputs(root, "", StatCache(stages.recall(STAT_CACHE)))
        sources = inputs.content.sources
        known = stages.known(sources, lambda some: (read_source(root, item) for item in some), inputs.parse_options())
        new = [item for item in sources if item not in known]
        more = _sketches(new, root, inputs) if most is None else _outlines(new, root, inputs, most)
        parsed = [*known.values(), *more]
    return Existing(root, now, inputs, tuple(parsed), _assemble(inputs, parsed, now))


def _assemble(inputs: Inputs, parsed: Sequence[Parsed], now: datetime) -> Assembled:
    return inputs.assemble(parsed, GitDates(), Visibility(now, drafts=True, future=True, expired=True))


def _sketches(sources: list[SourceFile], root: Path, inputs: Inputs) -> Iterator[Parsed]:
    """Sketches of sources. Those whose body tells more are parsed, within `_SECONDS`; the rest lacks what it tells."""
    if not sources:
        return
    from devlog.parse.head import sketch
    from devlog.parse.parse import parse  # imports the Markdown parser

    options = inputs.parse_options()
    rest: list[SourceFile] = []
    for source, text in _texts(sources, root):
        if found := sketch(text, options):
            yield found
        else:
            rest.append(source)
    parsed = _in_time(_SECONDS, (text for _, text in _texts(rest, root)), lambda text: parse(text, options)[0])
    yield from parsed
    known = {found.path for found in parsed}
    for _, text in _texts([source for source in rest if source.path not in known], root):
        yield _outline_of(text, options)


def _outlines(sources: list[SourceFile], root: Path, inputs: Inputs, most: int) -> Iterator[Parsed]:
    """Only the front matter of the last sources by name: as many as can be read within `_SECONDS_IN_SHELL`."""
    if not sources or not most:
        return
    from devlog.parse.head import outline

    options = inputs.parse_options()
    by_name = sorted(sources, key=lambda source: (source.path.rpartition("/")[2], source.path), reverse=True)
    texts = (text for _, text in _texts(by_name[:most], root))
    yield from _in_time(_SECONDS_IN_SHELL, texts, lambda text: outline(text, options))


def _texts(sources: Iterable[SourceFile], root: Path) -> Iterator[tuple[SourceFile, Source]]:
    """The sources that can be read, with their texts, one at a time."""
    for source in sources:
        text = read_source(root, source)
        if isinstance(text, Source):
            yield source, text


def _in_time(seconds: float, texts: Iterable[Source], read: Callable[[Source], Parsed]) -> list[Parsed]:
    """The first of some sources: as many as can be read in a time, since any of them may be somebody else's."""
    found: list[Parsed] = []
    with suppress(OutOfTimeError), time_limit(seconds):
        for text in texts:
            found.append(read(text))  # noqa: PERF401 (what is read before the end of the time counts)
    return found


def _outline_of(text: Source, options: ParseOptions) -> Parsed:
    """The front matter of a source; of one that must be converted first, which may take long too, only its name."""
    from devlog.parse.convert import convert_source_of
    from devlog.parse.head import outline

    return outline(msgspec.structs.replace(text, text="") if convert_source_of(text.path, options) else text, options)


@contextmanager
def _store(root: Path) -> Iterator[Store]:
    """The cache of builds. If the site was never built, no cache file is created."""
    path = root / CACHE
    store = Store(path if is_there(path) else None, timeout=_PATIENCE)
    try:
        yield store
    finally:
        store.close()
