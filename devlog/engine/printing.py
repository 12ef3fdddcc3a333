"""Lets plugins print wherever they run, whether or not anybody reads it."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

_NAMES = ("stdout", "stderr", "__stdout__", "__stderr__")


class _Unfailing(io.RawIOBase):
    """Writes into another stream, and drops what that does not take: its reader has gone, or its disk is full.

    Args:
        stream: the other one. It stays open.
        name: of the stream.
    """

    def __init__(self, stream: Any, name: str) -> None:
        super().__init__()
        self._stream = stream
        self.name = name

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return bool(self._stream.isatty())

    def fileno(self) -> int:
        number: int = self._stream.fileno()
        return number

    def write(self, data: Any) -> int:
        with suppress(OSError, ValueError):  # a closed stream raises the latter
            written = self._stream.write(data)
            if written is not None:  # a pipe that does not block may be full
                return int(written)
        return len(data)


def unfailing(stream: TextIO) -> TextIO:
    """A stream that writes into another one, and to which printing raises no error of the system.

    It has a buffer of its own, so that what cannot be written is not tried again with what others print there.
    """
    buffer = getattr(stream, "buffer", None)
    if buffer is None:  # only in memory
        return stream
    raw = _Unfailing(getattr(buffer, "raw", buffer), getattr(stream, "name", ""))
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding=stream.encoding, errors="backslashreplace", line_buffering=True
    )


def print_without_errors(*, only_to_stderr: bool = False) -> None:
    """Let everything that is printed from now on go to streams that raise no errors.

    Args:
        only_to_stderr: whether standard output is for something else.
    """
    flush()
    err = unfailing(sys.stderr)
    out = err if only_to_stderr else unfailing(sys.stdout)
    for name, stream in zip(_NAMES, (out, err) * 2, strict=True):
        setattr(sys, name, stream)


@contextmanager
def printing_without_errors(*, only_to_stderr: bool = False) -> Iterator[None]:
    """Do the same for a while, in which plugins run. Their errors in printing would look like faults of theirs."""
    before = {name: getattr(sys, name) for name in _NAMES}
    print_without_errors(only_to_stderr=only_to_stderr)
    try:
        yield
    finally:
        flush()
        for name, stream in before.items():
            setattr(sys, name, stream)


def flush() -> None:
    """Write what standard output and standard error have in their buffers, if that is possible."""
    for name in _NAMES:
        with suppress(OSError, ValueError):
            if stream := getattr(sys, name):
                stream.flush()
