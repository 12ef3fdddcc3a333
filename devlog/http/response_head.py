"""Reads the head of an HTTP response: its status and a few fields. It tolerates malformed answers."""

from __future__ import annotations

import asyncio
import re

import msgspec

MOST_BYTES = 64 * 1024
"""The maximum size of the head in bytes; the body is never read."""

_STATUS = re.compile(rb"HTTP/\d(?:\.\d)? +(\d{3})(?!\d)")
_FIELDS = (b"location", b"retry-after", b"date")
_INTERIM = 8  # the maximum number of responses, including interim ones (1xx)


class NotHttpError(Exception):
    """The received data is not an HTTP response."""


class Head(msgspec.Struct, frozen=True):
    """The head of a response. If a field occurs twice, the first one counts.

    Attributes:
        status: the HTTP status.
        location: the target of a redirect.
        retry_after: the value of ``Retry-After``, as written.
        date: the value of ``Date``, as written.
        sets_cookie: whether it sets a cookie.
    """

    status: int
    location: str = ""
    retry_after: str = ""
    date: str = ""
    sets_cookie: bool = False


async def read_head(reader: asyncio.StreamReader) -> Head:
    """Read a response up to its body, and skip interim responses (1xx).

    Raises:
        NotHttpError: the data is not an HTTP response.
        ConnectionError: the server closes the connection without a response.
    """
    left = MOST_BYTES
    for _ in range(_INTERIM):
        first = await _line(reader)
        if not first:
            raise ConnectionResetError
        status = _STATUS.match(first)
        if not status:
            raise NotHttpError
        fields: dict[bytes, bytes] = {}
        while (line := await _line(reader)) and (stripped := line.rstrip(b"\r\n")):
            left -= len(line)
            if left < 0:
                break  # the status is known, and the remaining fields are ignored
            name, _, value = stripped.partition(b":")
            fields.setdefault(name.strip().lower(), value.strip())
        code = int(status[1])
        if not 100 <= code < 200:
            location, retry_after, date = (fields.get(name, b"").decode("utf-8", "replace") for name in _FIELDS)
            return Head(code, location, retry_after, date, b"set-cookie" in fields)
    raise NotHttpError


async def _line(reader: asyncio.StreamReader) -> bytes:
    """The next line; empty at the end of the data, and if the line is too long."""
    try:
        return await reader.readline()
    except ValueError:
        return b""
