"""The search of the preview: its index is made in the background, once somebody searches."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock

from devlog.engine.store import Store
from devlog.engine.toolchain import toolchain
from devlog.model.media import media_type
from devlog.model.search import FOLDER
from devlog.search.index import Making, ReadBodies, index_key
from devlog.search.service import ServiceError
from devlog.search.words import WORDS
from devlog.serve import pages
from devlog.serve.answers import Answer, File
from devlog.serve.snapshot import Snapshot
from devlog.stages import CACHE

FIRST = tuple(FOLDER + name for name in ("pagefind-entry.json", "facets.json", WORDS))
"""What says something else under the same name when texts have changed: the moment to look at them again."""

KEPT = 2
"""So many indexes are kept: a tab that has begun to read one goes on with it."""


class Searching:
    """Answers with files of the index. `ask` may be called from any thread; only who searches waits for it."""

    def __init__(self, root: Path) -> None:
        """
        Args:
            root: the site's folder.
        """
        self._root = root
        self._lock = Lock()
        self._is_closed = False
        self._making: Making | None = None  # the last one that was begun
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="search")
        self._made: list[tuple[str, Making, frozenset[str]]] = []  # key, index and names of files; the newest first

    def ask(self, snapshot: Snapshot, path: str) -> Future[Answer] | None:
        """The answer for a decoded path of a request; `None` when it is not about the index.

        Args:
            snapshot: of the site as it is.
            path: of the request.
        """
        name = path.removeprefix(snapshot.base_path)
        if not path.startswith(snapshot.base_path + FOLDER) or not snapshot.planner.is_searchable:
            return None
        known = None if name.startswith(FIRST) else self._file(name)
        if known:
            future: Future[Answer] = Future()
            future.set_result(known)
            return future
        return self._thread.submit(self._answer, snapshot, name)

    def _file(self, name: str) -> Answer | None:
        name = name.removeprefix(FOLDER)
        for _, making, names in tuple(self._made):
            if name in names:
                return File(making.folder, name, follow=False, media_type=media_type(name), is_own=True)
        return None

    def _answer(self, snapshot: Snapshot, name: str) -> Answer:
        try:
            self._follow(snapshot)
        except ServiceError:
            return pages.failed()
        return self._file(name) or pages.not_found()

    def _follow(self, snapshot: Snapshot) -> None:
        """Make the index of a site unless it is there. Texts that are not read yet come into the next one."""
        config = snapshot.inputs.config
        records = tuple(record for record in snapshot.planner.records() if record.body)
        key = index_key(records, config.language, toolchain())
        if self._made and self._made[0][0] == key:
            return
        with self._lock:
            if self._is_closed:
                raise ServiceError("the preview is closed")
            making = self._making = Making(records, config.language, self._reading)
        try:
            names = frozenset(making.paths())
        except ServiceError:
            making.close()
            raise
        self._made.insert(0, (key, making, names))
        for _, old, _ in self._made[KEPT:]:
            old.close()
        del self._made[KEPT:]

    @contextmanager
    def _reading(self) -> Iterator[ReadBodies]:
        with closing(Store(self._root / CACHE)) as store:
            yield store.contents

    def close(self) -> None:
        """End what is being made, and leave nothing behind."""
        with self._lock:
            self._is_closed = True
        if self._making:
            self._making.close()
        self._thread.shutdown(cancel_futures=True)
        for _, made, _ in self._made:
            made.close()
