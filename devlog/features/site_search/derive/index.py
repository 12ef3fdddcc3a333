"""Builds the index of a bundle, and the files that all bundles share."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from html import escape
from pathlib import Path

import msgspec

from devlog.features.site_search.derive.bundles import Bundle
from devlog.features.site_search.derive.indexed_page import facets, mark, page
from devlog.features.site_search.derive.service import IndexFile, Service, ServiceError
from devlog.features.site_search.derive.words import WORDS, Words, word_files
from devlog.features.site_search.model import Record
from devlog.model.active_content import Look
from devlog.model.batch import next_batch
from devlog.model.document import Body
from devlog.model.outpath import check_out_path
from devlog.packages import version


class MissingTextError(ServiceError):
    """The process that builds the index cannot read a body."""


ReadBodies = Callable[[Sequence[str]], Mapping[str, bytes]]
"""Returns encoded bodies by their digests."""

BATCH = 64
"""The maximum number of posts whose bodies are in memory at once."""

BATCH_BYTES = 1 << 20
"""How many bytes of text these have, unless a single one has more: their HTML may be many times as long."""

_SPARE = tuple(f"pagefind-{name}." for name in ("ui", "modular-ui", "component-ui", "highlight", "worker"))
"""Files of Pagefind that devlog does not need: its own search interface, and search in a worker."""

_PROGRAM = ("pagefind.js", "wasm.")
"""The program that reads an index: the first bundle has it for all."""


def index_key(records: Sequence[Record], language: str, toolchain: str) -> str:
    """The key of a bundle's index: equal keys mean equal files."""
    data = msgspec.msgpack.encode((toolchain, version("pagefind-bin"), language, records))
    return blake2b(data, digest_size=16).hexdigest()


class Made(msgspec.Struct, frozen=True):
    """The index of a bundle.

    Attributes:
        paths: its files, relative to the index folder.
        words: the number of its posts that contain each word.
    """

    paths: tuple[str, ...]
    words: dict[str, int]


def make_index(bundle: Bundle, language: str, program: str, folder: Path, read: ReadBodies) -> Made:
    """Build the index of a bundle.

    Args:
        bundle: the records to index.
        language: the language of the site.
        program: the path of the indexer.
        folder: the index folder, in which the bundle has a folder of its own.
        read: returns bodies by digest.

    Raises:
        MissingTextError: a body cannot be read.
        ServiceError: the index could not be built for another reason.
    """
    words = Words()
    spare = _SPARE + _PROGRAM if bundle.name else _SPARE
    try:
        with Service(program, folder, language, len(bundle.records)) as service:
            service.add(_pages(bundle.records, language, read, words))
            files = [file for file in service.files() if not file.path.startswith(spare)]
        paths = [_written(folder, f"{bundle.name}/" if bundle.name else "", file) for file in files]
    except ServiceError:
        raise
    except OSError as error:
        raise ServiceError(error.strerror or str(error)) from error
    except Exception as error:  # such as for malformed answers of the program
        raise ServiceError(f"{type(error).__name__}: {error}") from error
    return Made(tuple(sorted(paths)), words.counts)


def _written(folder: Path, inside: str, file: IndexFile) -> str:
    if check_out_path(file.path):
        raise ServiceError(f"it made a file of the name {file.path!r}")
    place = folder / inside / file.path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(_without_tags(file) if file.path.startswith("fragment/") else file.content)
    return inside + file.path


def _without_tags(file: IndexFile) -> bytes:
    """The content of a fragment, in which no server finds a page.

    It is compressed JSON with words of authors, under a suffix that servers do not know. Apache, with mod_mime_magic,
    looks into it.
    """
    look = Look(file.path)
    look.feed(file.content)
    if not look.reason():
        return file.content
    return gzip.compress(gzip.decompress(file.content).replace(b"<", rb"\u003c"), mtime=0)


def shared_files(bundles: Sequence[Bundle], words: Iterable[Mapping[str, int]]) -> dict[str, bytes]:
    """The files of an index that concern all of its bundles, by their paths in the index folder.

    Args:
        bundles: all bundles.
        words: for each bundle, the number of its posts that contain each word.
    """
    counts = Counter[str]()
    for some in words:
        counts.update(some)
    shelves = word_files(counts)
    records = [record for bundle in bundles for record in bundle.records]
    names = [bundle.name for bundle in bundles if bundle.name]
    return {**shelves, "facets.json": facets_file(records, shelves, names)}


def facets_file(records: Sequence[Record], shelves: Iterable[str], bundles: Sequence[str] = ()) -> bytes:
    """The values by which results can be filtered, of each kind, with their marks and the number of posts with them.

    Args:
        records: the records of the whole site.
        shelves: the paths of the word files. The file lists their names, so that no missing one is requested.
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
    rest = iter(records)
    while some := next_batch(rest, BATCH, BATCH_BYTES, lambda record: record.size):
        bodies = read([digest for record in some for digest in (record.body, record.transcript) if digest])
        for record in some:
            if not {record.body, record.transcript} - {""} <= bodies.keys():
                raise MissingTextError("a text is no longer in the cache")
            spoken = decode(bodies[record.transcript]) if record.transcript else None
            body = decode(bodies[record.body]) if record.body else Body((f"<p>{escape(record.text, quote=False)}</p>",))
            html = page(record, body, language, spoken)
            words.add(html)
            yield record.url, html
