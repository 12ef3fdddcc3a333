"""Tells which characters of a source backslashes escape."""

from __future__ import annotations


def is_escaped(source: str, position: int) -> bool:
    """Whether an odd number of backslashes precedes a character."""
    before = position
    while before > 0 and source[before - 1] == "\\":
        before -= 1
    return (position - before) % 2 == 1
