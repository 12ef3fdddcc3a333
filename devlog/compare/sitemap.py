"""Reads a sitemap instead of an output, for old sites whose files are not available."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from gzip import GzipFile
from io import BytesIO
from pathlib import Path
from posixpath import commonprefix

from devlog.compare import problems, urls
from devlog.compare.tree import Item, Kind, Tree, shown
from devlog.compare.xml import RefusedError, SiteMap, read_site_map
from devlog.disk import problems as disk_problems
from devlog.disk.folder import Cursor, Folder, describe
from devlog.model.diagnostic import Diagnostic

_BYTES = 64 << 20
_MAPS = 1000
_GZIP = b"\x1f\x8b"
_PIECE = 1 << 16
_FILE = re.compile(r"\.(?!x?html?$)[A-Za-z][A-Za-z0-9]{1,4}$")


def read_addresses(file: Path, name: str, base: urls.Base) -> Tree | Diagnostic:
    """Read a sitemap or, if it is a sitemap index, all sitemaps that it lists.

    Args:
        file: the sitemap.
        name: its name in messages.
        base: the base URL of the site; other URLs are ignored.

    Returns:
        A tree of URLs without files, or the problem if there is nothing to compare.
    """
    found = _locations(file, name, base)
    if isinstance(found, Diagnostic):
        return found
    bases = (base,)
    paths = sorted({path for url in found if (path := urls.below(url, bases)) is not None})
    if not paths:
        return problems.no_own_address(shown(name), len(found), f"{base.host}{base.path}", _prefix(found))
    items = {path: Item(_kind(path)) for path in paths}
    outside = sum(urls.below(url, bases) is None for url in found)
    problems_found = (problems.not_compared(shown(name), f"{outside:,} of its URLs are elsewhere"),) if outside else ()
    return Tree(name, None, bases, items, problems_found)


def _kind(path: str) -> Kind:
    if urls.is_list(path):
        return "list"
    return "file" if _FILE.search(path) else "page"


def _locations(file: Path, name: str, base: urls.Base) -> tuple[str, ...] | Diagnostic:
    """The URLs of all pages in a sitemap and in the sitemaps that it lists."""
    found: list[str] = []
    waiting, seen = [file.name], {file.name}
    with Folder.open(file.parent) as top, Cursor(top) as cursor:
        while waiting:
            path = waiting.pop()
            folder, _, last = path.rpartition("/")
            own = name if path == file.name else f"{name}: {path}"
            try:
                site_map = read_site_map(_unpacked(cursor.enter(folder).read(last, limit=_BYTES)))
            except RefusedError as error:
                return problems.not_a_site_map(shown(own), str(error))
            except OSError as error:
                return disk_problems.unreadable(shown(own), describe(error))
            found += site_map.pages
            new = [part for part in _parts(site_map, file.parent, base) if part not in seen]
            seen.update(new)
            waiting += dict.fromkeys(new)
            if len(seen) > _MAPS:
                return problems.not_a_site_map(shown(own), f"with it there are more than {_MAPS:,} of them")
    return tuple(found)


def _unpacked(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The bytes of a sitemap, of which many sites have only one that is compressed with gzip.

    Raises:
        RefusedError: it is damaged, or too large without compression.
    """
    rest = iter(pieces)
    first = next(rest, b"")
    if not first.startswith(_GZIP):
        yield first
        yield from rest
        return
    length = 0
    try:
        with GzipFile(fileobj=BytesIO(first + b"".join(rest))) as file:
            while piece := file.read(_PIECE):
                length += len(piece)
                if length > _BYTES:
                    raise RefusedError(f"it is larger than {_BYTES >> 20} MiB without its compression")
                yield piece
    except EOFError:
        raise RefusedError("its compression with gzip ends too early") from None
    except (OSError, zlib.error):
        raise RefusedError("its compression with gzip is damaged") from None


def _parts(site_map: SiteMap, folder: Path, base: urls.Base) -> list[str]:
    """The files of the sitemaps in an index: at the same path as on the site if they exist there, else beside it."""
    paths = [urls.below(url, (base,)) or urls.canonical(url) for url in site_map.maps]
    return [path[1:] if _is_there(folder, path[1:]) else path.rpartition("/")[2] for path in paths]


def _is_there(folder: Path, path: str) -> bool:
    try:
        return ".." not in path.split("/") and (folder / path).is_file()
    except OSError:  # such as for a name that is too long
        return False


def _prefix(addresses: tuple[str, ...]) -> str:
    """The common folder of all URLs, as a likely base URL; empty if there is none."""
    prefix = commonprefix(addresses)
    prefix = prefix[: prefix.rfind("/") + 1]
    return prefix if prefix.count("/") > 2 else ""
