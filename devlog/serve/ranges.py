"""The part of a file that a request asks for: players of sound and film seek by it."""

from __future__ import annotations

import re

# One range only: lists of thousands of small ones have kept servers busy for minutes.
_RANGE = re.compile(rb"bytes=([0-9]{0,18})-([0-9]{0,18})", re.IGNORECASE)


def chosen(header: bytes, length: int) -> range | None:
    """What a ``Range`` header asks for.

    Args:
        header: its value; empty when there is none.
        length: of the whole, in bytes.

    Returns:
        The places of the bytes to send; an empty range if there are none at the places named. `None` for the whole:
        there is no header, it names several ranges or another unit, or it is malformed.
    """
    match = _RANGE.fullmatch(header.strip())
    if match is None:
        return None
    first, last = match.groups()
    if not first:
        return range(max(length - int(last), 0), length) if last else None
    if last and int(last) < int(first):
        return None
    return range(int(first), min(int(last) + 1, length) if last else length)
