"""Caches which external URLs worked, in the site's store."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from devlog.engine.store import Store
from devlog.http.request_url import address_of
from devlog.model.record import decoded
from devlog.stages import ANSWERS, CACHE

FRESH = timedelta(days=7)
"""How long a URL that worked is not requested again."""


class Known(msgspec.Struct, frozen=True, array_like=True):
    """The cached result for a URL that worked.

    Attributes:
        asked: the time of the check.
        moved: the new URL if the page has permanently moved; with a fragment if a redirect names one.
    """

    asked: datetime
    moved: str = ""

    def is_fresh(self, now: datetime) -> bool:
        """Whether the result is still valid. A time without a time zone, or no URL, is that of a forged record."""
        is_ours = self.asked.tzinfo is not None and (not self.moved or address_of(self.moved) is not None)
        return is_ours and timedelta(0) <= now - self.asked < FRESH


def recall(root: Path, now: datetime) -> dict[str, Known]:
    """Load the cached results that are still valid, by URL."""
    with closing(Store(root / CACHE)) as store:
        data = store.read([ANSWERS]).get(ANSWERS, b"")
    known = decoded(data, dict[str, Known]) or {}
    return {url: item for url, item in known.items() if item.is_fresh(now)}


def remember(root: Path, known: Mapping[str, Known]) -> None:
    """Store the results, by URL."""
    with closing(Store(root / CACHE)) as store:
        store.write({ANSWERS: msgspec.msgpack.encode(known)})
