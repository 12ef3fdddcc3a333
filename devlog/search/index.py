"""Indexes of bundles, made in the background while the build does something else."""

from __future__ import annotations

import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from hashlib import blake2b
from pathlib import Path

import msgspec

from devlog.model.document import Body
from devlog.model.outpath import check_out_path
from devlog.model.search import Record
from devlog.packages import version
from devlog.search.bundles import Bundle
from devlog.search.page import facets, mark, page
from devlog.search.service import Service, ServiceError
from devlog.search.words import WORDS, Words, word_files


class MissingTextError(ServiceError):
    """A text cannot be read in the thread that makes the index."""


ReadBodies = Callable[[Sequence[str]], Mapping[str, bytes]]
"""Gives encoded bodies by their digests; called in the thread that makes the index."""

Reading = Callable[[], AbstractContextManager[ReadBodies]]
"""Gives what reads bodies, in the thread that makes the index."""

BATCH = 64
"""How many bodies are held at once."""

_SPARE = ("pagefind-ui.", "pagefind-modular-ui.", "pagefind-component-ui.", "pagefind-highlight.")
"""What Pagefind writes besides for sites whose pages bring no search of their own."""

_PROGRAM = ("pagefind.js", "pagefind-worker.js", "wasm.")
"""What reads an index: the first bundle has it for all."""


def index_key(records: Sequence[Record], language: str, toolchain: str) -> str:
    """The key of the index of a bundle: equal keys mean equal files."""
    data = msgspec.msgpack.encode((toolchain, version("pagefind-bin"), language, records))
    return blake2b(data, digest_size=16).hexdigest()


class Made(msgspec.Struct, frozen=True):
    """The index of a bundle.

    Attributes:
        paths: of its files, relative to the folder of the index.
        words: in how many of its texts each word stands.
    """

    paths: tuple[str, ...]
    words: dict[str, int]


class Making:
    """Indexes in the making, one bundle after the other. It is to be closed, whether they are done or not.

    Attributes:
        bundles: of which there will be indexes.
        language: of the site.
        folder: holds their files until it is closed.
        seconds: how long they took; complete when all are done.
    """

    def __init__(self, bundles: Sequence[Bundle], language: str, read: Reading) -> None:
        """Begin. Raises ServiceError when the indexer cannot be started.

        Args:
            bundles: what is to be found; at least one.
            language: of the site.
            read: called for each bundle, in the thread that makes its index.
        """
        self.bundles = bundles
        self.language = language
        self.seconds = 0.0
        self._begin = time.perf_counter()
        self._lock = threading.Lock()
        self._is_closed = False
        try:
            self._temporary = tempfile.TemporaryDirectory(prefix="devlog-search-", ignore_cleanup_errors=True)
        except OSError as error:
            raise ServiceError(f"no temporary folder can be made: {error.strerror}") from error
        self.folder = Path(self._temporary.name)
        try:
            self._service = Service(self.folder, language, len(bundles[0].records))
        except BaseException:
            self._temporary.cleanup()
            raise
        # One at a time: what each takes of memory is most of what a build takes.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="index")
        self._made: dict[str, Future[Made]] = {}
        service: Service | None = self._service
        for bundle in bundles:
            self._made[bundle.name] = self._thread.submit(self._make, bundle, service, read)
            service = None

    def _make(self, bundle: Bundle, service: Service | None, read: Reading) -> Made:
        try:
            with service or self._started(bundle) as running, read() as bodies:
                words = Words()
                running.add(_pages(bundle.records, self.language, bodies, words))
                files = running.files()
            folder = f"{bundle.name}/" if bundle.name else ""
            spare = _SPARE + _PROGRAM if bundle.name else _SPARE
            paths = [self._write(folder, file.path, file.content) for file in files if not file.path.startswith(spare)]
        except (ServiceError, OSError) as error:
            raise error if isinstance(error, ServiceError) else ServiceError(error.strerror or str(error)) from error
        except Exception as error:  # whatever the program answers
            raise ServiceError(f"{type(error).__name__}: {error}") from error
        finally:
            self.seconds = time.perf_counter() - self._begin
        return Made(tuple(sorted(paths)), words.counts)

    def _started(self, bundle: Bundle) -> Service:
        """A service for a bundle; there is never more than one."""
        service = Service(self.folder, self.language, len(bundle.records))
        with self._lock:
            self._service = service
            is_closed = self._is_closed
        if is_closed:
            service.close()
            raise ServiceError("it was ended")
        return service

    def _write(self, folder: str, path: str, data: bytes) -> str:
        if check_out_path(path):
            raise ServiceError(f"it made a file of the name {path!r}")
        file = self.folder / folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        return folder + path

    def made(self, bundle: Bundle) -> Made:
        """Wait for the index of a bundle.

        Raises:
            ServiceError: it could not be made.
        """
        return self._made[bundle.name].result()

    def close(self) -> None:
        """Stop if it is not done, and leave nothing behind."""
        with self._lock:
            self._is_closed = True
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._service.stop()
        self._thread.shutdown()
        self._temporary.cleanup()


def shared_files(bundles: Sequence[Bundle], words: Iterable[Mapping[str, int]]) -> dict[str, bytes]:
    """The files of an index that are about all of its bundles, by their paths in its folder.

    Args:
        bundles: all of them.
        words: of each, in how many of its texts each word stands.
    """
    counts = Counter[str]()
    for some in words:
        counts.update(some)
    shelves = word_files(counts)
    records = [record for bundle in bundles for record in bundle.records]
    names = [bundle.name for bundle in bundles if bundle.name]
    return {**shelves, "facets.json": facets_file(records, shelves, names)}


def facets_file(records: Sequence[Record], shelves: Iterable[str], bundles: Sequence[str] = ()) -> bytes:
    """By what results can be narrowed: the values of each kind, with their marks and how many texts have them.

    Args:
        records: of all texts.
        shelves: the paths of the files of words; their names are told, so that nobody asks for one that is not there.
        bundles: the names of all bundles but the first.
    """
    counts = {kind: Counter[str]() for kind in ("topic", "author", "tag", "year", "status")}
    for record in records:
        for kind, value in set(facets(record)):
            counts[kind][value] += 1
    found = {
        kind: [(value, mark(kind, value), values[value]) for value in sorted(values, key=lambda v: (v.casefold(), v))]
        for kind, values in counts.items()
    }
    found["year"].reverse()
    names = [path.removeprefix(WORDS).removesuffix(".json") for path in shelves]
    return msgspec.json.encode({**found, "words": names, "bundles": bundles})


def _pages(records: Sequence[Record], language: str, read: ReadBodies, words: Words) -> Iterator[tuple[str, str]]:
    decode = msgspec.msgpack.Decoder(Body).decode
    for start in range(0, len(records), BATCH):
        some = records[start : start + BATCH]
        bodies = read([digest for record in some for digest in (record.body, record.transcript) if digest])
        for record in some:
            if record.body not in bodies or (record.transcript and record.transcript not in bodies):
                raise MissingTextError("a text is no longer in the cache")
            spoken = decode(bodies[record.transcript]) if record.transcript else None
            html = page(record, decode(bodies[record.body]), language, spoken)
            words.add(html)
            yield record.url, html
