"""Lets plugins print wherever they run, whether or not anybody reads it."""

from __future__ import annotations

import io
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from devlog.threads import start

SECONDS = 0.5
"""How long a print waits for the stream, if it is not behind already."""

MOST_WAITING = 1 << 20
"""The number of bytes that may wait for a stream."""

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


class Unwaiting(_Unfailing):
    """Writes into another stream in a thread, and waits no longer than a moment for it.

    Whoever starts a server may read only a part of what it prints: then the pipe is full, and writing never ends.
    """

    def __init__(self, stream: Any, name: str) -> None:
        super().__init__(stream, name)
        self._turn = threading.Condition()
        self._thread: threading.Thread | None = None
        self._waiting = bytearray()
        self._left_out = 0  # how many lines
        self._is_behind = False

    def write(self, data: Any) -> int:
        with self._turn:
            if self._thread is None:
                thread = threading.Thread(target=self._write_on, name="devlog-print", daemon=True)
                try:
                    start(thread)
                except OSError:  # waiting is better than saying nothing
                    return super().write(data)
                self._thread = thread
            if self._left_out or len(self._waiting) + len(data) > MOST_WAITING:
                self._left_out += bytes(data).count(b"\n")
            else:
                self._waiting += data
                self._turn.notify_all()
            # Usually lines are written when this returns, so those of two streams on one terminal are in order.
            if not self._is_behind:
                self._is_behind = not self._turn.wait_for(lambda: not self._waiting, SECONDS)
        return len(data)

    def _write_on(self) -> None:
        if hasattr(signal, "pthread_sigmask"):  # signals must interrupt the main thread
            signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        while True:
            with self._turn:
                self._turn.wait_for(lambda: self._waiting)
                data = bytes(self._waiting)
            written = super().write(data)
            with self._turn:
                del self._waiting[:written]
                if not self._waiting and self._left_out:
                    self._waiting += b"(%d lines left out: nobody read them)\n" % self._left_out
                    self._left_out = 0
                elif not self._waiting:
                    self._is_behind = False
                    self._turn.notify_all()


def unfailing(stream: TextIO, *, waits: bool = True) -> TextIO:
    """A stream that writes into another one, and to which printing raises no error of the system.

    It has a buffer of its own, so that what cannot be written is not tried again with what others print there.

    Args:
        stream: the other one.
        waits: whether to wait until somebody reads what the other one holds; if not, lines may be left out.
    """
    buffer = getattr(stream, "buffer", None)
    if buffer is None:  # only in memory
        return stream
    raw = (_Unfailing if waits else Unwaiting)(getattr(buffer, "raw", buffer), getattr(stream, "name", ""))
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding=stream.encoding, errors="backslashreplace", line_buffering=True
    )


def print_without_errors(*, only_to_stderr: bool = False, waits: bool = False) -> None:
    """Let everything that is printed from now on go to streams that raise no errors.

    Args:
        only_to_stderr: whether standard output is for something else.
        waits: whether to wait until somebody reads it. Servers and worker processes do not.
    """
    flush()
    err = unfailing(sys.stderr, waits=waits)
    out = err if only_to_stderr else unfailing(sys.stdout, waits=waits)
    for name, stream in zip(_NAMES, (out, err) * 2, strict=True):
        setattr(sys, name, stream)


@contextmanager
def printing_without_errors(*, only_to_stderr: bool = False, waits: bool = True) -> Iterator[None]:
    """Do the same for a while, in which plugins run. Their errors in printing would look like faults of theirs."""
    before = {name: getattr(sys, name) for name in _NAMES}
    print_without_errors(only_to_stderr=only_to_stderr, waits=waits)
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
