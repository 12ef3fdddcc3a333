"""The search of the preview: builds the index in the background, as soon as somebody searches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from pathlib import Path
from threading import Lock

import msgspec

from devlog.engine.toolchain import toolchain
from devlog.features.site_search.assemble import records
from devlog.features.site_search.derive.bundles import Bundle, cut
from devlog.features.site_search.derive.index import Made, MissingTextError, index_key, make_index, shared_files
from devlog.features.site_search.derive.indexing_process import Making
from devlog.features.site_search.derive.service import ServiceError, program
from devlog.features.site_search.derive.words import WORDS
from devlog.features.site_search.model import FOLDER
from devlog.model.media import media_type
from devlog.serve import status_pages
from devlog.serve.responses import Answer, Data, File
from devlog.serve.snapshot import Snapshot
from devlog.stages import CACHE

FIRST = tuple(FOLDER + name for name in ("facets.json", WORDS))
ENTRY = "pagefind-entry.json"
"""The file whose content changes with the index under the same name; a request for it triggers an update."""

KEPT = 2
"""The number of index states to keep: an open tab goes on reading the state that it has begun with."""


class _State(msgspec.Struct, frozen=True):
    """The index of one state of the site.

    Attributes:
        key: the key of the state.
        makings: the indexing process that has the files of each bundle, by the bundle's name and key.
        made: the index of each bundle, likewise.
        folders: the folder of each of its files, by path.
        shared: the files that all bundles share.
    """

    key: str
    makings: dict[str, Making]
    made: dict[str, Made]
    folders: dict[str, Path]
    shared: dict[str, bytes]


class Searching:
    """Serves files of the index. `ask` may be called from any thread; only requests for the index wait for it."""

    def __init__(self, root: Path, bodies: Callable[[set[str]], Future[dict[str, bytes]]]) -> None:
        """
        Args:
            root: the site's folder.
            bodies: given digests, returns the bodies that the preview has, by digest. The main thread looks for them.
        """
        self._root = root
        self._bodies = bodies
        self._asked: Future[dict[str, bytes]] | None = None  # for the last of them
        self._lock = Lock()
        self._is_closed = False
        self._making: Making | None = None  # the last one that was started
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="search")
        self._states: list[_State] = []  # the newest first

    def ask(self, snapshot: Snapshot, path: str) -> Future[Answer] | None:
        """The answer to a request; `None` if the request is not about the index.

        Args:
            snapshot: the current snapshot of the site.
            path: the decoded path of the request.
        """
        name = path.removeprefix(snapshot.base_path)
        if not path.startswith(snapshot.base_path + FOLDER) or not snapshot.planner.is_searchable:
            return None
        known = None if name.startswith(FIRST) or name.endswith(ENTRY) else self._file(name)
        if known:
            future: Future[Answer] = Future()
            future.set_result(known)
            return future
        return self._thread.submit(self._answer, snapshot, name)

    def _file(self, name: str) -> Answer | None:
        name = name.removeprefix(FOLDER)
        for state in tuple(self._states):
            if name in state.shared:
                return Data(state.shared[name], media_type(name))
            if name in state.folders:
                return File(state.folders[name], name, follow=False, media_type=media_type(name), is_own=True)
        return None

    def _answer(self, snapshot: Snapshot, name: str) -> Answer:
        try:
            self._follow(snapshot)
        except ServiceError:
            return status_pages.failed()
        return self._file(name) or status_pages.not_found()

    def _follow(self, snapshot: Snapshot) -> None:
        """Build the index of a site unless it exists. Sources that are not parsed yet are added by a later update."""
        config = snapshot.inputs.config
        bundles = cut(tuple(record for record in records(snapshot.planner) if record.body or record.text))
        # The name is part of the key: paths begin with it, and only the first bundle, which has none, has the program.
        keys = {one.name: f"{one.name} {index_key(one.records, config.language, toolchain())}" for one in bundles}
        key = "\n".join(keys.values())
        last = self._states[0] if self._states else None
        if last and last.key == key:
            return
        makings = {one: last.makings[one] for one in keys.values() if last and one in last.makings}
        made = {one: last.made[one] for one in makings} if last else {}
        new = [bundle for bundle in bundles if keys[bundle.name] not in makings]
        if new:
            making = self._begun(new, config.language)
            try:
                made |= {keys[bundle.name]: self._made(making, bundle, config.language) for bundle in new}
            except ServiceError:
                making.close()
                raise
            makings |= {keys[bundle.name]: making for bundle in new}
        folders = {path: makings[one].folder for one in keys.values() for path in made[one].paths}
        shared = shared_files(bundles, [made[keys[bundle.name]].words for bundle in bundles])
        self._states.insert(0, _State(key, makings, made, folders, shared))
        self._forget()

    def _made(self, making: Making, bundle: Bundle, language: str) -> Made:
        try:
            return making.made(bundle)
        except MissingTextError:
            # The preview's store is in memory, or in a file that was removed; or another process has cleaned it up.
            return make_index(bundle, language, program(), making.folder, self._read)

    def _read(self, digests: Sequence[str]) -> dict[str, bytes]:
        with self._lock:
            if self._is_closed:  # the main thread waits for this one
                raise ServiceError("the preview is closed")
            self._asked = self._bodies({*digests})
        try:
            return self._asked.result()
        except CancelledError:
            raise ServiceError("the preview is closed") from None

    def _begun(self, bundles: list[Bundle], language: str) -> Making:
        with self._lock:
            if self._is_closed:
                raise ServiceError("the preview is closed")
            self._making = Making(bundles, language, self._root / CACHE)
            return self._making

    def _forget(self) -> None:
        """Delete files that only older states use."""
        kept = {making for state in self._states[:KEPT] for making in state.makings.values()}
        old = {making for state in self._states[KEPT:] for making in state.makings.values()}
        for making in old - kept:
            making.close()
        del self._states[KEPT:]

    def close(self) -> None:
        """Stop indexing, and delete all temporary files."""
        with self._lock:
            self._is_closed = True
        if self._asked:
            self._asked.cancel()
        if self._making:
            self._making.close()
        self._thread.shutdown(cancel_futures=True)
        for state in self._states:
            for making in state.makings.values():
                making.close()
