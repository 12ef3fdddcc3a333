"""The search of a site's texts: see the package for how it is used."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from devlog.config import Config
from devlog.disk.stat_cache import StatCache
from devlog.engine.store import Store
from devlog.engine.toolchain import toolchain
from devlog.inputs import Inputs, read_inputs
from devlog.model.diagnostic import Diagnostic
from devlog.model.slug import humanize
from devlog.search import find
from devlog.search.database import INDEX, Database, is_busy
from devlog.search.find import Chosen, Wish
from devlog.search.query import read_query
from devlog.search.refresh import Progress, Refresh, marks
from devlog.search.values import Entry, Hit, Section
from devlog.stages import CACHE, SEEN

LIMIT = 10
"""How many hits there are unless more are asked for."""

_PATIENCE = 0.5  # seconds to wait for what builds remember of files

T = TypeVar("T")


class Lookup:
    """A site's texts, to be searched.

    Attributes:
        inputs: what was read of the site when it was last looked at.
        is_current: whether the index is that of the site: not so while another process is bringing it up to date.
    """

    def __init__(self, root: Path, now: datetime) -> None:
        """
        Args:
            root: the site's folder.
            now: the moment that tells which texts are published, with a time zone.
        """
        self.is_current = False
        self.inputs: Inputs | None = None
        self._root = root
        self._now = now
        self._database = Database(root / INDEX, toolchain())

    def refresh(self, progress: Progress = lambda _stage, _done, _total: None, now: datetime | None = None) -> int:
        """Look at the files of the site, and read those that have changed.

        Args:
            progress: told how many texts have been read.
            now: the present moment, when it is no longer that of the beginning.

        Returns:
            How many were read.
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
        """What the files hold; what was learnt of them is remembered with what builds remember."""
        cache = None if self._database.in_memory else self._root / CACHE
        with closing(Store(cache, timeout=_PATIENCE)) as store:
            key = f"{SEEN} {toolchain()}"
            seen = StatCache(store.read([key]).get(key, b""))
            inputs = read_inputs(self._root, "", seen)
            if seen.changed:
                store.write({key: seen.encode()})
        return inputs

    @property
    def problems(self) -> tuple[Diagnostic, ...]:
        """Why the site may not be what its owner wants: what is wrong with its configuration."""
        if not self.inputs:
            return ()
        wrong = (item for item in self.inputs.diagnostics if item.span.path == self.inputs.config_file)
        return self.inputs.with_lines(self._root, [item for item in wrong if item.severity == "error"])

    def search(
        self,
        query: str = "",
        topic: str = "",
        author: str = "",
        tag: str = "",
        since: str = "",
        limit: int = LIMIT,
        *,
        drafts: bool = False,
    ) -> tuple[Hit, ...]:
        """Find texts, at most one place of each.

        Args:
            query: words, ``"phrases"``, and ``-words`` that must not be there; without any, all posts count. Where
                nothing has all of them, words that none has are taken for others, and then most of them suffice.
            topic: the path of a topic, whose sub-topics count too.
            author: a handle or a name.
            tag: as written or its slug.
            since: the first day that counts, as ``2026-05-03``.
            limit: how many places are wanted.
            drafts: whether texts count that are not published.

        Returns:
            The best first; without a query the newest.
        """
        wish = Wish(topic, author, tag, since, drafts)
        if not query.strip():
            return tuple(find.hit_of(entry) for entry in self._entries(wish, limit))
        wanted = read_query(query)

        def look(connection: sqlite3.Connection) -> tuple[Hit, ...]:
            chosen = find.choose(connection, wish, self._now)
            return tuple(find.hits(connection, chosen, wanted, limit, self._now)) if wanted.terms else ()

        return self._asked(look, ())

    def entries(
        self,
        topic: str = "",
        author: str = "",
        tag: str = "",
        since: str = "",
        limit: int = LIMIT,
        *,
        drafts: bool = False,
    ) -> tuple[Entry, ...]:
        """The newest posts; the filters are those of `search`."""
        return self._entries(Wish(topic, author, tag, since, drafts), limit)

    def _entries(self, wish: Wish, limit: int) -> tuple[Entry, ...]:
        def look(connection: sqlite3.Connection) -> tuple[Entry, ...]:
            chosen = find.choose(connection, wish, self._now)
            chosen = chosen._replace(condition=f"{chosen.condition} AND doc.kind IN ('post', 'page')")
            return tuple(find.entries(connection, chosen, limit, self._now))

        return self._asked(look, ())

    def entry(self, name: str, *, drafts: bool = False) -> Entry | None:
        """The text that a name means: its URL, with or without the site's address, or the path of its file."""
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
        """The sections of a text, in order, with those of its transcript."""
        return self._asked(lambda connection: find.sections(connection, entry), ())

    def topics(self) -> tuple[Entry, ...]:
        """The topics that have posts or a page: that page, or the name of those that have none."""
        shown = find.published(self._now, drafts=False)

        def look(connection: sqlite3.Connection) -> tuple[Entry, ...]:
            pages = find.entries(connection, Chosen(f"doc.kind = 'topic' AND {shown}"), -1, self._now)
            known = {entry.topic: entry for entry in pages}
            rows = connection.execute(f"SELECT DISTINCT topic FROM doc WHERE kind = 'post' AND {shown}")  # noqa: S608
            for (path,) in rows.fetchall():
                if path:
                    known.setdefault(path, _without_page(path))
            return tuple(known[path] for path in sorted(known))

        return self._asked(look, ())

    def close(self) -> None:
        """Let go of the index."""
        self._database.close()

    def _asked(self, ask: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """An answer of the index; of a damaged one, that of a new one."""
        try:
            return ask(self._database.connection)
        except Exception as error:  # of a damaged index; a fault of ours is raised again below
            if is_busy(error):
                return otherwise
        self._database.renew()

        def again(connection: sqlite3.Connection) -> T:
            if self.inputs:
                Refresh(connection, self._root, self.inputs, self._now, lambda _stage, _done, _total: None).run()
            return ask(connection)

        return self._database.trying(again)


def _urls(name: str, config: Config) -> Sequence[str]:
    """The URLs that a name may mean."""
    path = name.removeprefix(config.origin) if config.origin else name
    found = [path, config.base_path + path.removeprefix("/")]
    found += [f"{url.removesuffix('index.html')}" for url in found]
    found += [f"{url}/" for url in found if not url.endswith("/")]
    return [*found, *(config.origin + url for url in found if url.startswith("/"))]


def _without_page(path: str) -> Entry:
    title = humanize(path.rpartition("/")[2])
    return Entry(path, title, "", "", 0, "", path, (), (), "", "topic", "")
