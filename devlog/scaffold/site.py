"""The site that something is made for, as far as it is known already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path

import msgspec

from devlog.assemble.site import Assembled, Visibility
from devlog.assemble.urls import url
from devlog.disk.folder import is_there
from devlog.disk.read import read_source, read_text
from devlog.disk.stat_cache import StatCache
from devlog.engine.executor_registry import INLINE
from devlog.engine.store import Store
from devlog.inputs import CONFIGURATIONS, Inputs, read_inputs
from devlog.model.diagnostic import Diagnostic
from devlog.model.document import Parsed
from devlog.model.source import Source, SourceFile
from devlog.scaffold import problems
from devlog.stages import CACHE, SEEN, Stages

PREVIEW = "http://127.0.0.1:8000"
"""Where ``devlog serve`` shows a site unless it is told otherwise."""

_PATIENCE = 0.5


class Existing(msgspec.Struct, frozen=True):
    """A site as it is.

    Attributes:
        root: its folder.
        now: the moment that decides what day it is.
        inputs: what was read of it.
        parsed: what its texts say about themselves.
        assembled: what they make together, with all that is not published.
    """

    root: Path
    now: datetime
    inputs: Inputs
    parsed: tuple[Parsed, ...]
    assembled: Assembled

    @property
    def content(self) -> str:
        """The content folder, relative to the site's."""
        return self.inputs.config.content

    @property
    def topics(self) -> tuple[str, ...]:
        """The paths of all topics, sorted."""
        return tuple(sorted(topic.path for topic in self.assembled.site.topics))

    def problem(self) -> tuple[Diagnostic, ...]:
        """Why nothing can be made for this site: there is none, or its configuration does not say what it is."""
        if not is_site(self.root):
            return (problems.no_site(str(self.root)),)
        wrong = (item for item in self.inputs.diagnostics if item.span.path == self.inputs.config_file)
        return tuple(item for item in wrong if item.severity == "error")

    def with_text(self, file: str, text: str) -> tuple[Parsed, Assembled]:
        """What a new text says, and the site with it."""
        from devlog.parse.parse import parse

        source = Source(file.removeprefix(f"{self.content}/"), file, text)
        parsed = parse(source, self.inputs.parse_options())[0]
        return parsed, _assemble(self.inputs, (*self.parsed, parsed), self.now)

    def address(self, permalink: str) -> str:
        """Where the preview will show a page."""
        return PREVIEW + url(self.inputs.config, permalink)


def is_site(folder: Path) -> bool:
    """Whether a folder is one that devlog can build: it has a configuration or a content folder."""
    return any(_configures(folder / name) for name in CONFIGURATIONS) or is_there(folder / "content", folder=True)


def _configures(file: Path) -> bool:
    """Whether a file is there and holds a configuration of devlog."""
    if file.name == CONFIGURATIONS[0]:
        return is_there(file)
    text = read_text(file.parent, file.name) if is_there(file) else ""
    return isinstance(text, str) and "[tool.devlog" in text


def find_root(folder: Path) -> Path:
    """The folder of the site that a folder belongs to: the nearest one above it, else itself."""
    absolute = folder.absolute()
    if is_site(absolute):
        return folder
    for here in absolute.parents:
        below = absolute.relative_to(here).parts[0]
        if any(_configures(here / name) for name in CONFIGURATIONS) or below == "content":
            return here
    return folder


def read_site(root: Path, now: datetime, most: int | None = None) -> Existing:
    """Read a site. What the store does not know of its texts is read from their front matter; nothing is written.

    Args:
        root: its folder.
        now: the present moment.
        most: how many texts at most are read that the store does not know; the last by name.
    """
    with _store(root) as store, closing(Stages(store, 1, lambda *_: None, INLINE)) as stages:
        inputs = read_inputs(root, "", StatCache(stages.recall(SEEN)))
        read = partial(read_source, root)
        sources = inputs.content.sources
        known = stages.known(sources, read, inputs.parse_options())
        parsed = [*known.values(), *_sketches([item for item in sources if item not in known], root, inputs, most)]
    return Existing(root, now, inputs, tuple(parsed), _assemble(inputs, parsed, now))


def _assemble(inputs: Inputs, parsed: Sequence[Parsed], now: datetime) -> Assembled:
    return inputs.assemble(parsed, {}, Visibility(now, drafts=True, future=True, expired=True))


def _sketches(sources: list[SourceFile], root: Path, inputs: Inputs, most: int | None) -> Iterator[Parsed]:
    if not sources:
        return
    from devlog.parse.head import sketch
    from devlog.parse.parse import parse  # with the Markdown parser

    options = inputs.parse_options()
    by_name = sorted(sources, key=lambda source: (source.path.rpartition("/")[2], source.path), reverse=True)
    for source in by_name[:most]:
        text = read_source(root, source)
        if isinstance(text, Source):
            yield sketch(text, options) or parse(text, options)[0]


@contextmanager
def _store(root: Path) -> Iterator[Store]:
    """What builds have remembered; a site that was never built is left without a store."""
    path = root / CACHE
    store = Store(path if is_there(path) else None, timeout=_PATIENCE)
    try:
        yield store
    finally:
        store.close()
