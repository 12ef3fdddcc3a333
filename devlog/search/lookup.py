"""The public interface of the search: see the package's docstring for examples."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from devlog.config import Config
from devlog.disk.plugins import changed
from devlog.disk.stat_cache import StatCache
from devlog.engine.store import Store
from devlog.engine.toolchain import toolchain
from devlog.inputs import Inputs, read_inputs
from devlog.model.diagnostic import Diagnostic
from devlog.model.slug import humanize
from devlog.search import find
from devlog.search.database import INDEX, Database, is_busy
from devlog.search.find import Chosen
from devlog.search.query import read_query
from devlog.search.refresh import Progress, Refresh, marks
from devlog.search.values import NO_FILTERS, Entry, Filters, Hit, Section
from devlog.stages import CACHE, STAT_CACHE

LIMIT = 10
"""The default maximum number of hits."""

_PATIENCE = 0.5  # seconds to wait for the cache of builds, which has the stat cache

T = TypeVar("T")


class Lookup:
    """Searches a site's posts, and looks up posts, sections and topics.

    Attributes:
        inputs: of the site, as of the last refresh.
        is_current: whether the index matches the site; false while another process is updating it.
    """

    def __init__(self, root: Path, now: datetime) -> None:
        """
        Args:
            root: the site's folder.
            now: the current time, with a time zone, which decides which posts are published.
        """
        self.is_current = False
        self.inputs: Inputs | None = None
        self._root = root
        self._now = now
        self._database = Database(root / INDEX, toolchain())

    def refresh(self, progress: Progress = lambda _stage, _done, _total: None, now: datetime | None = None) -> int:
        """Update the index: examine the site's files, and read those that have changed.

        Args:
            progress: called with the stage, the number of sources read and the total.
            now: the current time, if it should replace the earlier one.

        Returns:
            The number of sources read.
        """
        self._now = now or self._now
        inputs = self.inputs = self._look()
        self.is_current = False

        def bring_up(connection: sqlite3.Connection) -> int:
            return Refresh(connection, self._root, inputs, self._now, progress).run()

        try:
            count = self._database.trying(bring_up)
        except sqlite3.DatabaseError as error:
            if not is_busy(error):
                raise
            return 0
        self.is_current = True
        return count

    def _look(self) -> Inputs:
        """The inputs of the site. The stat cache is stored in the same file as the cache of builds.

        Once code has changed that this process may run, nothing is stored any more: other processes would take it for
        what the earlier code has found.
        """
        cache = None if self._database.in_memory else self._root / CACHE
        with closing(Store(cache, timeout=_PATIENCE)) as store:
            key = f"{STAT_CACHE} {toolchain()}"
            stat_cache = StatCache(store.read([key]).get(key, b""))
            inputs = read_inputs(self._root, "", stat_cache)
            if changed(ref for ref, _ in inputs.plugins):
                self._database.leave_file()
            elif stat_cache.changed:
                store.write({key: stat_cache.encode()})
        return inputs

    @property
    def problems(self) -> tuple[Diagnostic, ...]:
        """The errors that may affect results: of the site's configuration, and what cannot be read."""
        if not self.inputs:
            return ()
        errors = (item for item in self.inputs.diagnostics if item.severity == "error")
        wrong = [item for item in errors if item.span.path == self.inputs.config_file or item.code == "unreadable"]
        return self.inputs.with_lines(self._root, wrong)

    def search(self, query: str = "", filters: Filters = NO_FILTERS, limit: int = LIMIT) -> tuple[Hit, ...]:
        """Search posts, with at most one hit per post.

        Args:
            query: words, ``"phrases"``, and ``-words`` to exclude; if empty, all posts match. If no post matches all of
                it, words that occur nowhere are replaced by similar ones, and then matching most of them suffices.
            filters: what limits the search.
            limit: the maximum number of hits.

        Returns:
            The hits, the best first; without a query, the newest first.
        """
        if not query.strip():
            return tuple(find.hit_of(entry) for entry in self.entries(filters, limit))
        wanted = read_query(query)

        def look(connection: sqlite3.Connection) -> tuple[Hit, ...]:
            chosen = find.choose(connection, filters, self._now)
            return tuple(find.hits(connection, chosen, wanted, limit, self._now)) if wanted.terms else ()

        return self._asked(look, ())

    def entries(self, filters: Filters = NO_FILTERS, limit: int = LIMIT) -> tuple[Entry, ...]:
        """The newest posts; filters and limit are those of `search`."""

        def look(connection: sqlite3.Connection) -> tuple[Entry, ...]:
            chosen = find.choose(connection, filters, self._now)
            chosen = chosen._replace(condition=f"{chosen.condition} AND doc.kind IN ('post', 'page')")
            return tuple(find.entries(connection, chosen, limit, self._now))

        return self._asked(look, ())

    def entry(self, name: str, *, drafts: bool = False) -> Entry | None:
        """The post with a name: its URL or permalink, its id, or the path of its file; `None` if there is none."""
        plain = name.strip().partition("#")[0].partition("?")[0]
        if not plain:
            return None
        urls = _urls(plain, self.inputs.config) if self.inputs else [plain]
        paths = [plain.removeprefix("./"), plain.strip("/")]
        named = f"(doc.url IN ({marks(urls)}) OR doc.path IN ({marks(paths)}) OR doc.file IN ({marks(paths)}))"
        condition = f"{named} AND {find.published(self._now, drafts=drafts)}"
        chosen = Chosen(condition, (*urls, *paths, *paths))
        return self._asked(lambda asked: next(find.entries(asked, chosen, 1, self._now), None), None)

    def sections(self, entry: Entry) -> tuple[Section, ...]:
        """The sections of a post, in order, including those of its transcript."""
        return self._asked(lambda connection: find.sections(connection, entry), ())

    def topics(self) -> tuple[Entry, ...]:
        """The topics that have posts or a page: entries of their pages, or only the names of those without one."""
        shown = find.published(self._now, drafts=False)

        def look(connection: sqlite3.Connection) -> tuple[Entry, ...]:
            pages = find.entries(connection, Chosen(f"doc.kind = 'topic' AND {shown}"), -1, self._now)
            known = {entry.topic: entry for entry in pages}
            one_of_each = Chosen(f"doc.kind = 'post' AND doc.topic != '' AND {shown} GROUP BY doc.topic")
            for post in find.entries(connection, one_of_each, -1, self._now):
                known.setdefault(post.topic, _without_page(post.topic))
            return tuple(known[path] for path in sorted(known))

        return self._asked(look, ())

    def close(self) -> None:
        """Close the index."""
        self._database.close()

    def _asked(self, ask: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """The result of a query; if the index is damaged, that of a rebuilt one.

        Args:
            ask: the query.
            otherwise: the result while another process is writing to the index.
        """
        try:
            return ask(self._database.connection)
        except Exception as error:  # a damaged index can raise any type; a bug in devlog is raised again below
            if is_busy(error):
                return otherwise
        self._database.renew()

        def again(connection: sqlite3.Connection) -> T:
            if self.inputs:
                Refresh(connection, self._root, self.inputs, self._now, lambda _stage, _done, _total: None).run()
            return ask(connection)

        return self._database.trying(again)


def _urls(name: str, config: Config) -> Sequence[str]:
    """All URLs that a name can stand for."""
    path = name.removeprefix(config.origin) if config.origin else name
    found = [path, config.base_path + path.removeprefix("/")]
    found += [f"{url.removesuffix('index.html')}" for url in found]
    found += [f"{url}/" for url in found if not url.endswith("/")]
    return [*found, *(config.origin + url for url in found if url.startswith("/"))]


def _without_page(path: str) -> Entry:
    title = humanize(path.rpartition("/")[2])
    return Entry(path, title, "", "", 0, "", path, (), (), "", "topic", "")
