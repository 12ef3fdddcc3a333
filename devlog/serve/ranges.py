"""Parses the ``Range`` header of requests, which players of audio and video use to seek."""

from __future__ import annotations

import re

# Only a single range: lists of thousands of small ranges have kept servers busy for minutes.
_RANGE = re.compile(rb"bytes=([0-9]{0,18})-([0-9]{0,18})", re.IGNORECASE)


def chosen(header: bytes, length: int) -> range | None:
    """The bytes that a ``Range`` header requests.

    Args:
        header: its value; empty if there is none.
        length: of the whole file, in bytes.

    Returns:
        The positions of the bytes to send; an empty range if the requested ones do not exist. `None` for the whole
        file: if there is no header, if it has several ranges or another unit, or if it is malformed.
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
