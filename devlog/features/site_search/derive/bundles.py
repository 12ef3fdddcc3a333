"""Splits the searchable posts into bundles. Each bundle has an index of its own, and readers search all as one.

The memory and time for an index grow with the number of its posts. Only bundles in which a post has changed are indexed
again; the others stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import msgspec

from devlog.features.site_search.model import Record

SMALLEST, USUAL, LARGEST = 384, 64, 448
"""A bundle has at least `SMALLEST` posts, about `USUAL` more, and at most `LARGEST`. Larger bundles take more memory to
index, and more bundles cost readers more requests."""


MOST_BYTES = 16 << 20
"""How many bytes of text make a bundle, however few posts these are: an index takes sixty times as much memory."""


class Bundle(msgspec.Struct, frozen=True):
    """Some of the searchable posts and pages of a site.

    Attributes:
        name: the name of its folder in the index folder; empty for the first one, which is in the index folder itself.
        records: the records, oldest first.
    """

    name: str
    records: tuple[Record, ...]


def cut(records: Sequence[Record]) -> tuple[Bundle, ...]:
    """The bundles of a site, oldest first.

    They are split by age, so that new posts belong to the last one. Only URLs determine the borders, unless posts are
    very long: a new or deleted post moves the borders near it, but not those of all later bundles.

    Args:
        records: all records of the site.
    """
    found: list[Bundle] = []
    some: list[Record] = []
    held = 0
    for record in sorted(records, key=lambda record: (record.date, record.url)):
        is_full = len(some) == LARGEST or held + record.size > MOST_BYTES
        if some and (is_full or (len(some) >= SMALLEST and _digest(record)[0] < 256 // USUAL)):
            found.append(_bundle(some, is_first=not found))
            some, held = [], 0
        some.append(record)
        held += record.size
    return (*found, _bundle(some, is_first=not found)) if some else tuple(found)


def _bundle(some: Sequence[Record], *, is_first: bool) -> Bundle:
    return Bundle("" if is_first else _digest(some[0]).hex(), tuple(some))


def _digest(record: Record) -> bytes:
    """The digest of a record's URL; it is below the threshold for one record in `USUAL`."""
    return blake2b(record.url.encode(), digest_size=6).digest()
