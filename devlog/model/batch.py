"""Takes items in batches that are limited by their number and by their size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def next_batch(items: Iterator[T], count: int, most: int, size: Callable[[T], int]) -> list[T]:
    """The next items, until there are `count`, or their sizes reach `most` together; empty if there are no more."""
    found: list[T] = []
    held = 0
    for item in islice(items, count):
        found.append(item)
        held += size(item)
        if held >= most:
            break
    return found
