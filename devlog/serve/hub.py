"""The event streams of open tabs, which send them updates."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from functools import reduce
from threading import Lock

import msgspec

from devlog.serve.responses import Update

STREAMS = 300
"""The maximum number of tabs that are connected at once."""

WAITING = 16
"""The maximum number of queued updates for a tab that does not read; beyond it, they are merged into one."""

BEAT = b": still here\n\n"
"""Sent when there are no updates, so that closed connections are noticed."""


class _Message(msgspec.Struct, frozen=True):
    """An update and its encoded form, which is shared by all tabs."""

    update: Update
    frame: bytes


class Stream:
    """The queue of updates for one tab. It belongs to the event loop it was created in."""

    def __init__(self, page: str, beat: float) -> None:
        self.page = page
        self.loop = asyncio.get_running_loop()
        self._beat = beat
        self._waiting: deque[_Message] = deque()
        self._news = asyncio.Event()

    def put(self, message: _Message) -> None:
        """Queue a message. If the tab does not read, its queued messages are merged into one."""
        self._waiting.append(message)
        if len(self._waiting) > WAITING:
            missed = reduce(merge, (waiting.update for waiting in self._waiting))
            self._waiting = deque([_message(missed)])
        self._news.set()

    def begin(self, hello: Update) -> bytes:
        """The first message, encoded. Queued updates that are not newer are merged into it, and not sent again."""
        known = [message.update for message in self._waiting if message.update.number <= hello.number]
        self._waiting = deque(message for message in self._waiting if message.update.number > hello.number)
        return frame(reduce(merge, [*known, hello]))

    async def next(self) -> bytes:
        """The next bytes to send: a message or, after a while without any, `BEAT`."""
        while not self._waiting:
            self._news.clear()
            try:
                async with asyncio.timeout(self._beat):
                    await self._news.wait()
            except TimeoutError:
                return BEAT
        return self._waiting.popleft().frame


class Hub:
    """The event streams of all tabs. Every method except `join` may be called from any thread."""

    def __init__(self, beat: float = 15.0) -> None:
        """Make a hub without streams.

        Args:
            beat: the number of seconds without updates after which `BEAT` is sent.
        """
        self._beat = beat
        self._lock = Lock()
        self._streams: set[Stream] = set()

    def join(self, page: str) -> Stream | None:
        """A new stream for a tab that shows a page; `None` if there are too many."""
        with self._lock:
            if len(self._streams) >= STREAMS:
                return None
            stream = Stream(page, self._beat)
            self._streams.add(stream)
            return stream

    def leave(self, stream: Stream) -> None:
        """Remove a stream."""
        with self._lock:
            self._streams.discard(stream)

    def pages(self) -> frozenset[str]:
        """The pages that open tabs show."""
        with self._lock:
            return frozenset(stream.page for stream in self._streams)

    def publish(self, update: Update) -> None:
        """Send an update to every tab."""
        message = _message(update)
        with self._lock:
            streams = tuple(self._streams)
        for stream in streams:
            with suppress(RuntimeError):  # the loop has been closed meanwhile, and the stream with it
                stream.loop.call_soon_threadsafe(stream.put, message)


def merge(older: Update, newer: Update) -> Update:
    """Two updates merged into one."""
    files = tuple(dict.fromkeys(older.files + newer.files))
    changed, moved = {**older.changed, **newer.changed}, {**older.moved, **newer.moved}
    return Update(newer.number, changed, files, newer.problems, newer.scroll, moved, newer.counts)


def frame(update: Update) -> bytes:
    """An update, encoded as a server-sent event."""
    return b"event: update\nid: %d\ndata: %b\n\n" % (update.number, msgspec.json.encode(update))


def _message(update: Update) -> _Message:
    return _Message(update, frame(update))
