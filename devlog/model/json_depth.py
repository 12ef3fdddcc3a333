"""Limits the nesting and the size of JSON from untrusted files, before a recursive parser reads it.

The parsers count their calls, but CPython 3.12 and 3.13 allow more of them than fit on the stack of a small thread.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, chain

MAX_NESTING = 100
"""The maximum nesting of objects and lists; no format that devlog reads needs a tenth of it."""

_STEPS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in _STEPS)
_PIECE = 1 << 20  # bytes


class JsonDepthError(ValueError):
    """Objects and lists are nested too deeply."""


class JsonSizeError(ValueError):
    """There are too many values."""


def check_json_size(data: bytes, most: int) -> None:
    """Reject JSON with more values than a program has memory for: an empty list of two bytes takes sixty there.

    Args:
        data: any data, which need not be valid JSON.
        most: how many values there may be.

    Raises:
        JsonSizeError: if there are more.
    """
    if _values(data) > most and sum(map(_values, _outside_strings(data))) > most:
        raise JsonSizeError(f"it has more than {most:,} values")


def _values(data: bytes) -> int:
    """Roughly how many values there are: one at each comma, and at the beginning of each list and object."""
    return sum(map(data.count, (b",", b"[", b"{")))


def check_json_depth(data: str | bytes) -> None:
    """Reject JSON that is nested too deeply for a recursive parser.

    Args:
        data: any data, which need not be valid JSON; bytes are UTF-8.

    Raises:
        JsonDepthError: if its objects and lists are nested more than `MAX_NESTING` deep.
    """
    written = data.encode("utf-8", "replace") if isinstance(data, str) else data
    if written.count(b"[") + written.count(b"{") <= MAX_NESTING:
        return
    brackets = chain.from_iterable(piece.translate(None, _NO_BRACKETS) for piece in _outside_strings(written))
    if max(accumulate(map(_STEPS.__getitem__, brackets)), default=0) > MAX_NESTING:
        raise JsonDepthError(f"it is nested more than {MAX_NESTING} levels deep")


def _outside_strings(data: bytes) -> Iterator[bytes]:
    """What is outside of strings, in pieces: there may be millions of strings. What follows an error may be wrong."""
    unescaped = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    inside = 0  # or 1 if a piece begins inside of a string
    for start in range(0, len(unescaped), _PIECE):
        parts = unescaped[start : start + _PIECE].split(b'"')
        yield b"".join(parts[inside::2])
        inside = (inside + len(parts) - 1) % 2
