"""Caches functions of texts that are nearly always short, such as names and titles.

A cache that is limited by the number of its entries is not limited in bytes if a text can be as long as a post: a
process that runs for days would keep each version of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

V = TypeVar("V")

LONGEST = 200
"""The maximum length of a text whose result is cached."""


def cache_of_short(maxsize: int) -> Callable[[Callable[[str], V]], Callable[[str], V]]:
    """A decorator that caches what a function returns for short texts; for others, the function runs each time.

    Args:
        maxsize: the maximum number of results. Each must be about as long as its text.
    """

    def decorate(function: Callable[[str], V]) -> Callable[[str], V]:
        cached = lru_cache(maxsize=maxsize)(function)

        @wraps(function)
        def call(text: str) -> V:
            return cached(text) if len(text) <= LONGEST else function(text)

        return call

    return decorate
