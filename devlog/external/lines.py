"""Reading the head of an answer: its status and the few fields that matter. Servers are taken as they are."""

from __future__ import annotations

import asyncio
import re

import msgspec

MOST_BYTES = 64 * 1024
"""So much of an answer is read; of its body nothing."""

_STATUS = re.compile(rb"HTTP/\d(?:\.\d)? +(\d{3})(?!\d)")
_FIELDS = (b"location", b"retry-after", b"date")
_INTERIM = 8  # so many answers may announce the real one


class NotHttpError(Exception):
    """What came is no answer of a web server."""


class Head(msgspec.Struct, frozen=True):
    """What an answer says before its body; of a field that is given twice, the first counts.

    Attributes:
        status: three digits.
        location: where it redirects to.
        retry_after: as written.
        date: when it was made, as written.
        sets_cookie: whether it wants to know us again.
    """

    status: int
    location: str = ""
    retry_after: str = ""
    date: str = ""
    sets_cookie: bool = False


async def read_head(reader: asyncio.StreamReader) -> Head:
    """Read an answer up to its body, and pass over those that only announce it.

    Raises:
        NotHttpError: this is something else.
        ConnectionError: the other side ends the connection before it says anything.
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
                break  # the status stands, whatever else it would say
            name, _, value = stripped.partition(b":")
            fields.setdefault(name.strip().lower(), value.strip())
        code = int(status[1])
        if not 100 <= code < 200:
            location, retry_after, date = (fields.get(name, b"").decode("utf-8", "replace") for name in _FIELDS)
            return Head(code, location, retry_after, date, b"set-cookie" in fields)
    raise NotHttpError


async def _line(reader: asyncio.StreamReader) -> bytes:
    """The next line; empty at the end, and where a line is too long to be one."""
    try:
        return await reader.readline()
    except ValueError:
        return b""
