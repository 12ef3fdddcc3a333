"""Lets programs below Python print into a pipe that nobody reads: those that plugins start, and native extensions.

They write to the descriptor that they inherit, and wait as long as a pipe is full. So they get a pipe that a thread of
this process empties, and what nobody reads of the other one is left out.
"""

from __future__ import annotations

import io
import os
import signal
import stat
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from devlog.engine.printing import SECONDS, Unwaiting
from devlog.threads import start


@contextmanager
def relayed(*numbers: int) -> Iterator[None]:
    """Relay what is written to some descriptors meanwhile, each if it is a pipe or a socket.

    Others never stay full, or only as long as somebody wants that: a terminal that is halted, say. Worker processes
    that are started meanwhile inherit the relay.

    Args:
        numbers: of standard output and standard error, or of one of them.
    """
    pipes = [number for number in numbers if _may_be_full(number)]
    is_one = all(os.path.sameopenfile(pipes[0], number) for number in pipes)
    with ExitStack() as relays:
        for together in [pipes] if is_one and pipes else [[number] for number in pipes]:  # their lines stay in order
            relays.enter_context(_relay(*together))
        yield


def _may_be_full(number: int) -> bool:
    """Whether a descriptor is that of a pipe or a socket."""
    with suppress(OSError):
        mode = os.fstat(number).st_mode
        return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
    return False


@contextmanager
def _relay(*numbers: int) -> Iterator[None]:
    reader, writer = os.pipe()
    own = os.dup(numbers[0])
    thread = threading.Thread(target=_pass_on, args=(reader, own), name="devlog-relay", daemon=True)
    try:
        start(thread)
    except OSError:  # waiting is better than saying nothing
        for opened in (reader, writer, own):
            os.close(opened)
        yield
        return
    for number in numbers:
        os.dup2(writer, number)
    os.close(writer)
    try:
        yield
    finally:
        for number in numbers:
            os.dup2(own, number)
        thread.join(2 * SECONDS)  # programs that go on may keep the pipe open


def _pass_on(reader: int, own: int) -> None:
    if hasattr(signal, "pthread_sigmask"):  # signals must interrupt the main thread
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    stream = Unwaiting(io.FileIO(own, "w", closefd=False), "relay")
    while data := os.read(reader, 1 << 16):
        stream.write(data)
