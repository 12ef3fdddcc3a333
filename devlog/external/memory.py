"""Remembering which addresses were alive, in the site's store."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from devlog.engine.store import Store
from devlog.model.record import decoded
from devlog.stages import ANSWERS, CACHE

FRESH = timedelta(days=7)
"""So long an address that was alive is not asked again."""


class Known(msgspec.Struct, frozen=True, array_like=True):
    """When an address was found alive, and where its page has moved for good."""

    asked: datetime
    moved: str = ""

    def is_fresh(self, now: datetime) -> bool:
        """Whether that still counts."""
        return timedelta(0) <= now - self.asked < FRESH


def recall(root: Path, now: datetime) -> dict[str, Known]:
    """What is known of addresses and still counts."""
    with closing(Store(root / CACHE)) as store:
        data = store.read([ANSWERS]).get(ANSWERS, b"")
    known = decoded(data, dict[str, Known]) or {}
    return {url: item for url, item in known.items() if item.is_fresh(now)}


def remember(root: Path, known: Mapping[str, Known]) -> None:
    """Keep what is known."""
    with closing(Store(root / CACHE)) as store:
        store.write({ANSWERS: msgspec.msgpack.encode(known)})
