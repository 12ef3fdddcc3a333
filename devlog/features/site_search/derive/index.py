"""The index of a bundle, and what the indexes of all bundles share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

import msgspec

from devlog.features.site_search.derive.bundles import Bundle
from devlog.features.site_search.derive.indexed_page import facets, mark, page
from devlog.features.site_search.derive.service import IndexFile, Service, ServiceError
from devlog.features.site_search.derive.words import WORDS, Words, word_files
from devlog.features.site_search.model import Record
from devlog.model.document import Body
from devlog.model.outpath import check_out_path
from devlog.packages import version


class MissingTextError(ServiceError):
    """A text cannot be read by what makes the index."""


ReadBodies = Callable[[Sequence[str]], Mapping[str, bytes]]
"""Gives encoded bodies by their digests."""

BATCH = 64
"""How many bodies are held at once."""

_SPARE = tuple(f"pagefind-{name}." for name in ("ui", "modular-ui", "component-ui", "highlight", "worker"))
"""What Pagefind writes besides for sites whose pages bring no search of their own, or search in a worker."""

_PROGRAM = ("pagefind.js", "wasm.")
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


def make_index(bundle: Bundle, language: str, program: str, folder: Path, read: ReadBodies) -> Made:
    """Make the index of a bundle.

    Args:
        bundle: what is to be found.
        language: of the site.
        program: the indexer.
        folder: where the index lies; the bundle has its own folder in it.
        read: gives bodies.

    Raises:
        MissingTextError: a text cannot be read.
        ServiceError: it could not be made for another reason.
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
    except Exception as error:  # whatever the program answers
        raise ServiceError(f"{type(error).__name__}: {error}") from error
    return Made(tuple(sorted(paths)), words.counts)


def _written(folder: Path, inside: str, file: IndexFile) -> str:
    if check_out_path(file.path):
        raise ServiceError(f"it made a file of the name {file.path!r}")
    place = folder / inside / file.path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(file.content)
    return inside + file.path


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
