"""Reads the head of an HTTP response: its status and a few fields. It tolerates malformed answers."""

from __future__ import annotations

import asyncio
import re
from urllib.parse import quote

import msgspec

MOST_BYTES = 64 * 1024
"""The maximum size of the head in bytes."""

_STATUS = re.compile(rb"HTTP/\d(?:\.\d)? +(\d{3})(?!\d)")
_FIELDS = {
    "location": b"location",
    "retry_after": b"retry-after",
    "date": b"date",
    "type": b"content-type",
    "length": b"content-length",
    "coding": b"transfer-encoding",
}
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
        type: the value of ``Content-Type``, as written.
        length: the value of ``Content-Length``, as written.
        coding: the value of ``Transfer-Encoding``, as written.
    """

    status: int
    location: str = ""
    retry_after: str = ""
    date: str = ""
    sets_cookie: bool = False
    type: str = ""
    length: str = ""
    coding: str = ""


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
            known = {name: _text(fields.get(field, b"")) for name, field in _FIELDS.items()}
            return Head(code, sets_cookie=b"set-cookie" in fields, **known)
    raise NotHttpError


def _text(value: bytes) -> str:
    """The value of a field. Old servers redirect to bytes of their own encoding, which a URL has percent-encoded."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return quote(value, safe=bytes(range(128)))


async def _line(reader: asyncio.StreamReader) -> bytes:
    """The next line; empty at the end of the data, and if the line is too long."""
    try:
        return await reader.readline()
    except ValueError:
        return b""
