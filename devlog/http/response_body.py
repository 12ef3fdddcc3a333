"""Reads the body of an HTTP response, up to a maximum size."""

from __future__ import annotations

import asyncio
import re

from devlog.http.response_head import Head, NotHttpError

_PART = 16 * 1024
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;|\r?\n)")
_DIGITS = re.compile(r"[0-9]{1,15}", re.ASCII)


class TooLargeError(Exception):
    """The body has more bytes than allowed."""


async def read_body(reader: asyncio.StreamReader, head: Head, most: int) -> bytes:
    """Read the body of a response whose head was read.

    Args:
        reader: of the connection.
        head: of the response.
        most: the maximum number of bytes.

    Raises:
        TooLargeError: it is longer.
        NotHttpError: its parts are malformed.
        ConnectionError: it breaks off.
    """
    try:
        if head.coding:
            return await _chunks(reader, head.coding, most)
        if head.length:
            return await _exactly(reader, head.length, most)
    except asyncio.IncompleteReadError:
        raise ConnectionResetError from None
    found = bytearray()
    while part := await reader.read(_PART):
        found += part
        if len(found) > most:
            raise TooLargeError
    return bytes(found)


async def _exactly(reader: asyncio.StreamReader, length: str, most: int) -> bytes:
    if not _DIGITS.fullmatch(length):
        raise NotHttpError
    if int(length) > most:
        raise TooLargeError
    return await reader.readexactly(int(length))


async def _chunks(reader: asyncio.StreamReader, coding: str, most: int) -> bytes:
    if coding.strip().lower() != "chunked":
        raise NotHttpError
    found = bytearray()
    while True:
        size = _SIZE.match(await _line(reader))
        if not size:
            raise NotHttpError
        count = int(size[1], 16)
        if not count:
            return bytes(found)
        if len(found) + count > most:
            raise TooLargeError
        found += await reader.readexactly(count)
        if (await _line(reader)).strip():
            raise NotHttpError


async def _line(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readline()
    except ValueError as error:  # it is too long
        raise NotHttpError from error
