"""An index, made in the background while the build does something else."""

from __future__ import annotations

import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from hashlib import blake2b
from pathlib import Path

import msgspec

from devlog.model.document import Body
from devlog.model.outpath import check_out_path
from devlog.model.search import Record
from devlog.packages import version
from devlog.search.page import facets, mark, page
from devlog.search.service import Service, ServiceError
from devlog.search.words import WORDS, Words


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


def index_key(records: Sequence[Record], language: str, toolchain: str) -> str:
    """The key of an index: equal keys mean equal files."""
    data = msgspec.msgpack.encode((toolchain, version("pagefind-bin"), language, records))
    return blake2b(data, digest_size=16).hexdigest()


class Making:
    """An index in the making. It is to be closed, whether it is done or not.

    Attributes:
        records: what is to be found.
        language: of the site.
        folder: holds its files until it is closed.
        seconds: how long it took; complete when it is done.
    """

    def __init__(self, records: Sequence[Record], language: str, read: Reading) -> None:
        """Begin. Raises ServiceError when the indexer cannot be started.

        Args:
            records: what is to be found.
            language: of the site.
            read: called once in the thread that makes the index.
        """
        self.records = records
        self.language = language
        self.seconds = 0.0
        self._begin = time.perf_counter()
        try:
            self._temporary = tempfile.TemporaryDirectory(prefix="devlog-search-", ignore_cleanup_errors=True)
        except OSError as error:
            raise ServiceError(f"no temporary folder can be made: {error.strerror}") from error
        self.folder = Path(self._temporary.name)
        try:
            self._service = Service(self.folder, language, len(records))
        except BaseException:
            self._temporary.cleanup()
            raise
        self._paths: list[str] = []
        self._problem: ServiceError | None = None
        self._thread = threading.Thread(target=self._run, args=(records, language, read), daemon=True)
        self._thread.start()

    def _run(self, records: Sequence[Record], language: str, read: Reading) -> None:
        words = Words()
        try:
            with self._service as service, read() as bodies:
                service.add(_pages(records, language, bodies, words))
                for file in service.files():
                    if not file.path.startswith(_SPARE):
                        self._write(file.path, file.content)
            shelves = words.files()
            for name, data in {**shelves, "facets.json": facets_file(records, shelves)}.items():
                self._write(name, data)
        except ServiceError as error:
            self._problem = error
        except Exception as error:  # in a thread nobody else would hear of it
            self._problem = ServiceError(f"{type(error).__name__}: {error}")
        self.seconds = time.perf_counter() - self._begin

    def _write(self, path: str, data: bytes) -> None:
        if check_out_path(path):
            raise ServiceError(f"it made a file of the name {path!r}")
        self._paths.append(path)
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)

    def paths(self) -> tuple[str, ...]:
        """Wait until it is done, and give the paths of its files, relative to the folder.

        Raises:
            ServiceError: it could not be made.
        """
        self._thread.join()
        if self._problem:
            raise self._problem
        return tuple(sorted(self._paths))

    def close(self) -> None:
        """Stop if it is not done, and leave nothing behind."""
        self._service.stop()
        self._thread.join()
        self._temporary.cleanup()


def facets_file(records: Sequence[Record], shelves: Iterable[str]) -> bytes:
    """By what results can be narrowed: the values of each kind, with their marks and how many texts have them.

    Args:
        records: of all texts.
        shelves: the paths of the files of words; their names are told, so that nobody asks for one that is not there.
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
    return msgspec.json.encode({**found, "words": names})


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
