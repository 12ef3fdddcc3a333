"""Keeps answers of forges beside the site's other caches. A damaged or missing one is asked for again."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import msgspec

from devlog.engine.store import Store
from devlog.model.digest import digest_bytes
from devlog.model.record import decoded

FILE = ".devlog/forge.db"
"""The path of the cache, relative to the site's folder."""

LONGEST_ETAG = 500
"""So many characters of an ETag are kept. A host refuses requests with fields of any length."""

_LONGEST_URL = 8_000
_LARGEST_TOTAL = 10**12
_MOST = 400
"""So many answers are kept; the oldest go first."""
_MOST_BYTES = 60_000_000
_NAMES = "names"


class Kept(msgspec.Struct, frozen=True, array_like=True):
    """An answer. One whose ETag cannot be sent again, or whose next page cannot be asked for, is a miss.

    Attributes:
        asked: when it was, in seconds since 1970.
        etag: by which the host recognizes it.
        following: the URL of the next page.
        total: how many items all pages have; -1 if that is not known.
        body: as it came.
    """

    asked: float
    etag: Annotated[str, msgspec.Meta(pattern=r"\A[ -~]*\Z", max_length=LONGEST_ETAG)]
    following: Annotated[str, msgspec.Meta(pattern=r"\A[!-~]*\Z", max_length=_LONGEST_URL)]
    total: Annotated[int, msgspec.Meta(ge=-1, le=_LARGEST_TOTAL)]
    body: bytes


class _Entry(msgspec.Struct, frozen=True, array_like=True):
    asked: float
    size: Annotated[int, msgspec.Meta(ge=0)]


class Cache:
    """Answers by URL, of one kind of reader: with a token, others are given than without."""

    def __init__(self, root: Path | None, *, has_token: bool = False) -> None:
        """
        Args:
            root: the site's folder; `None` to keep nothing on disk.
            has_token: whether a token is sent.
        """
        self._path = root / FILE if root else None
        self._kind = "token" if has_token else "public"
        self._new: dict[str, Kept] = {}

    def read(self, url: str) -> Kept | None:
        """The answer that is kept for a URL."""
        key = self._key(url)
        if key in self._new:
            return self._new[key]
        if self._path is None or not self._path.is_file():
            return None
        with closing(Store(self._path)) as store:
            return decoded(store.read([key]).get(key), Kept)

    def write(self, url: str, kept: Kept) -> None:
        """Keep an answer; `save` writes it to the disk."""
        self._new[self._key(url)] = kept

    def save(self) -> None:
        """Write what is new, and remove the oldest answers if there are too many."""
        if self._path is None or not self._new:
            return
        with closing(Store(self._path)) as store:
            now = max(kept.asked for kept in self._new.values())
            names = decoded(store.read([_NAMES]).get(_NAMES), dict[str, _Entry]) or {}
            names = {key: entry for key, entry in names.items() if entry.asked <= now}  # no forged one stays for ever
            names |= {key: _Entry(kept.asked, len(kept.body)) for key, kept in self._new.items()}
            left, size = dict[str, _Entry](), 0
            for key in sorted(names, key=lambda key: (-names[key].asked, key))[:_MOST]:
                size += names[key].size
                if size > _MOST_BYTES:
                    break
                left[key] = names[key]
            written = {key: msgspec.msgpack.encode(kept) for key, kept in self._new.items() if key in left}
            store.write({**written, _NAMES: msgspec.msgpack.encode(left)})
            store.keep_only({*left, _NAMES}, slack=1)
        self._new = {}

    def _key(self, url: str) -> str:
        return digest_bytes(f"{self._kind} {url}".encode())
