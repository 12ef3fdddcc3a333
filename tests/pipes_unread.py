"""Pipes that nobody reads."""

from __future__ import annotations

import os
from contextlib import suppress


def fill(writer: int) -> None:
    """Fill a pipe until a write would wait."""
    os.set_blocking(writer, False)
    for size in (1 << 16, 1):
        with suppress(BlockingIOError):
            while True:
                os.write(writer, b"-" * size)
    os.set_blocking(writer, True)


def read_available(reader: int) -> bytes:
    """What is in a pipe now."""
    os.set_blocking(reader, False)
    found = b""
    with suppress(BlockingIOError):
        while data := os.read(reader, 1 << 16):
            found += data
    os.set_blocking(reader, True)
    return found
