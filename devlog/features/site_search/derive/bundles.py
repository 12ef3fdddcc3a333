"""Cutting what can be found into bundles. Each has an index of its own, and readers search all of them as one.

An index takes memory and time by the number of its texts. Of bundles, only those are made anew of which a text has
changed, and the rest stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import msgspec

from devlog.features.site_search.model import Record

SMALLEST, USUAL, LARGEST = 384, 64, 448
"""A bundle has at least `SMALLEST` texts, about `USUAL` more, and at most `LARGEST`. Larger ones take more memory to
make, and more of them cost readers more requests."""


class Bundle(msgspec.Struct, frozen=True):
    """Some of the texts of a site.

    Attributes:
        name: of its folder in the folder of the index; empty for the first, which lies in that folder itself.
        records: the texts, the oldest first.
    """

    name: str
    records: tuple[Record, ...]


def cut(records: Sequence[Record]) -> tuple[Bundle, ...]:
    """The bundles of a site, the oldest first.

    They are cut by age, so that new posts come into the last one. Where they are cut is told by URLs alone: a post that
    comes or goes moves the borders near it, and not those of all bundles behind it.

    Args:
        records: all that can be found.
    """
    found: list[Bundle] = []
    some: list[Record] = []
    for record in sorted(records, key=lambda record: (record.date, record.url)):
        if len(some) == LARGEST or (len(some) >= SMALLEST and _digest(record)[0] < 256 // USUAL):
            found.append(_bundle(some, is_first=not found))
            some = []
        some.append(record)
    return (*found, _bundle(some, is_first=not found)) if some else tuple(found)


def _bundle(some: Sequence[Record], *, is_first: bool) -> Bundle:
    return Bundle("" if is_first else _digest(some[0]).hex(), tuple(some))


def _digest(record: Record) -> bytes:
    """Of the URL of a text; the first byte is 0 for one text in `USUAL`."""
    return blake2b(record.url.encode(), digest_size=6).digest()
