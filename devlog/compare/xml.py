"""Parses feeds and sitemaps as untrusted input: without entity declarations, fetches or unlimited growth.

What a parser keeps of each element that is open, or of each value in JSON, takes much more memory than it takes bytes
in the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any, NoReturn
from xml.parsers import expat

import msgspec

from devlog.model.bounded_xml import BoundedParser, ExcessError
from devlog.model.json_depth import MAX_NESTING, JsonDepthError, JsonSizeError, check_json_depth, check_json_size

_TEXT = 4000
_ENTRIES = 100_000
_VALUES = 30 * _ENTRIES
_MARK = b"\xef\xbb\xbf"  # the byte order mark of UTF-8
# Matched one by one: a repetition of this expression would backtrack, and try to read comments in other ways.
_BEFORE_ROOT = re.compile(rb"\s*<(?:\?[^>]*|!--.*?--|![^>]*)>", re.DOTALL)
_ROOT = re.compile(rb"\s*<(?:[\w.-]+:)?([\w.-]+)")
_JSON_FEED = re.compile(rb'"version"\s*:\s*"https?:\\?/\\?/jsonfeed\.org\\?/version')
_FORMATS = {b"rss": "RSS", b"feed": "Atom", b"RDF": "RSS"}


class RefusedError(Exception):
    """Raised for input that cannot be read; the message has the reason."""


class FeedEntry(msgspec.Struct, frozen=True):
    """An entry of a feed: the id by which readers recognize it, and its link."""

    id: str
    link: str


class Feed(msgspec.Struct, frozen=True):
    """A feed: its format, ``RSS``, ``Atom`` or ``JSON``, and its entries."""

    format: str
    entries: tuple[FeedEntry, ...]


class SiteMap(msgspec.Struct, frozen=True):
    """The page URLs in a sitemap, and the URLs of other sitemaps in a sitemap index."""

    pages: tuple[str, ...] = ()
    maps: tuple[str, ...] = ()


def feed_format(head: bytes) -> str:
    """The format of the feed that begins with these bytes; empty if it is not a feed."""
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return "JSON" if _JSON_FEED.search(head) else ""
    return _FORMATS.get(_root(head), "")


def _root(head: bytes) -> bytes:
    place = len(_MARK) if head.startswith(_MARK) else 0
    while before := _BEFORE_ROOT.match(head, place):
        place = before.end()
    found = _ROOT.match(head, place)
    return found[1] if found else b""


def read_feed(kind: str, chunks: Iterable[bytes]) -> Feed:
    """Read a feed.

    Args:
        kind: its format, from `feed_format`.
        chunks: its bytes.

    Raises:
        RefusedError: it is damaged, or uses features that feeds do not need.
    """
    if kind == "JSON":
        return _json_feed(b"".join(chunks))
    reader = _Entries()
    _parse(chunks, reader.start, reader.end, reader.text)
    return Feed(kind, tuple(reader.entries))


def read_site_map(chunks: Iterable[bytes]) -> SiteMap:
    """Read a sitemap or a sitemap index.

    Raises:
        RefusedError: it is damaged, or uses features that sitemaps do not need.
    """
    reader = _Locations()
    _parse(chunks, reader.start, reader.end, reader.text)
    return SiteMap(tuple(reader.found["url"]), tuple(reader.found["sitemap"]))


def _json_feed(data: bytes) -> Feed:
    try:
        check_json_depth(data)
        check_json_size(data, _VALUES)
        tree: Any = json.loads(data.decode("utf-8-sig", "surrogatepass"))
    except (JsonDepthError, JsonSizeError) as error:
        raise RefusedError(str(error)) from None
    except (ValueError, RecursionError):
        raise RefusedError("it is not valid JSON") from None
    items = tree.get("items") if isinstance(tree, dict) else None
    if not isinstance(items, list):
        raise RefusedError("it has no list of entries")
    rows = [item for item in items[:_ENTRIES] if isinstance(item, dict)]
    entries = (FeedEntry(_text(row.get("id")) or _text(row.get("url")), _text(row.get("url"))) for row in rows)
    return Feed("JSON", tuple(entries))


def _text(value: Any) -> str:
    """A JSON value as text, for ids and URLs: ids may be numbers."""
    return str(value)[:_TEXT].strip() if isinstance(value, str | int | float) else ""


def _parse(
    chunks: Iterable[bytes],
    start: Callable[[str, dict[str, str]], None],
    end: Callable[[str], None],
    text: Callable[[str], None],
) -> None:
    parser = BoundedParser()
    reader = parser.reader
    reader.buffer_text = True
    reader.StartElementHandler = start
    reader.EndElementHandler = end
    reader.CharacterDataHandler = text
    reader.EntityDeclHandler = _refuse
    reader.AttlistDeclHandler = _refuse
    try:
        for chunk in chunks:
            parser.feed(chunk)
        parser.close()
    except ExcessError as error:
        raise RefusedError(str(error)) from None
    except (LookupError, ValueError):
        raise RefusedError("its encoding is unknown") from None
    except expat.ExpatError as error:
        raise RefusedError(f"it is not valid XML ({expat.ErrorString(error.code)}, line {error.lineno})") from None


def _refuse(*_declaration: object) -> NoReturn:
    raise RefusedError("it declares entities or attributes")


class _Collector:
    """Collects the text of elements that are direct children of certain others."""

    def __init__(self) -> None:
        self._depth = 0
        self._inside = 0
        self._parts: list[str] | None = None
        self._size = 0

    def _enter(self) -> None:
        """Note that an element begins; raises RefusedError if it is nested too deeply."""
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise RefusedError(f"it is nested more than {MAX_NESTING} levels deep")

    def text(self, text: str) -> None:
        if self._parts is not None and self._size < _TEXT:
            self._parts.append(text)
            self._size += len(text)

    def _collect(self) -> None:
        self._parts, self._size = [], 0

    def _collected(self) -> str | None:
        """The collected text, if the ending element is the one whose text was collected; else `None`."""
        if self._parts is None or self._depth != self._inside + 1:
            return None
        text = "".join(self._parts).strip()[:_TEXT]
        self._parts = None
        return text


class _Entries(_Collector):
    def __init__(self) -> None:
        super().__init__()
        self.entries: list[FeedEntry] = []
        self._known: dict[str, str] = {}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._enter()
        local = _local(name)
        if not self._inside:
            if local in {"item", "entry"}:
                self._inside = self._depth
                about = next((value for key, value in attributes.items() if _local(key) == "about"), "")
                self._known = {"guid": about[:_TEXT]} if about else {}
        elif self._depth == self._inside + 1:
            if local == "link" and "href" in attributes:
                if attributes.get("rel", "alternate") == "alternate":
                    self._known.setdefault("link", attributes["href"].strip()[:_TEXT])
            elif local in {"guid", "id", "link"} and not _is_foreign(name):
                self._collect()

    def end(self, name: str) -> None:
        text = self._collected()
        if text:
            self._known.setdefault(_local(name).replace("guid", "id"), text)
        if self._depth == self._inside:
            self._inside = 0
            known = self._known
            link = known.get("link", "")
            if len(self.entries) < _ENTRIES:
                self.entries.append(FeedEntry(known.get("id") or known.get("guid") or link, link))
        self._depth -= 1


class _Locations(_Collector):
    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, list[str]] = {"url": [], "sitemap": []}
        self._kind = ""
        self._root = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._enter()
        local = _local(name)
        if self._depth == 1 and local not in {"urlset", "sitemapindex"}:
            raise RefusedError(f"its first element is “{local[:_TEXT]}”, and not that of a sitemap")
        if not self._inside and local in self.found:
            self._inside, self._kind = self._depth, local
        elif self._inside and self._depth == self._inside + 1 and local == "loc" and not _is_foreign(name):
            self._collect()

    def end(self, name: str) -> None:
        text = self._collected()
        if text:
            self.found[self._kind].append(text)
        if self._depth == self._inside:
            self._inside = 0
        self._depth -= 1


def _local(name: str) -> str:
    return name.rpartition(" ")[2]


def _is_foreign(name: str) -> bool:
    """Whether an element belongs to an extension, such as ``media:link``, rather than to the format itself."""
    space = name.rpartition(" ")[0]
    return bool(space) and not re.search(r"w3\.org/2005/Atom|purl\.org/(?:rss|atom)|sitemap", space)
