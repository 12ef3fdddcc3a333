"""The streams of updates that open tabs listen to."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from functools import reduce
from threading import Lock

import msgspec

from devlog.serve.answers import Update

STREAMS = 300
"""How many tabs may listen at once."""

WAITING = 16
"""How many updates wait for a tab that does not read; then they become one."""

BEAT = b": still here\n\n"
"""Sent when there is nothing to tell, so that a tab that has gone is noticed."""


class _Message(msgspec.Struct, frozen=True):
    """An update, and how it is sent: encoded once for all tabs."""

    update: Update
    frame: bytes


class Stream:
    """What one tab is told. It belongs to the event loop it was made in."""

    def __init__(self, page: str, beat: float) -> None:
        self.page = page
        self.loop = asyncio.get_running_loop()
        self._beat = beat
        self._waiting: deque[_Message] = deque()
        self._news = asyncio.Event()

    def put(self, message: _Message) -> None:
        """Let a message wait for its turn. A tab that does not read gets what it missed in one."""
        self._waiting.append(message)
        if len(self._waiting) > WAITING:
            missed = reduce(merge, (waiting.update for waiting in self._waiting))
            self._waiting = deque([_message(missed)])
        self._news.set()

    def begin(self, hello: Update) -> bytes:
        """The first message as it is sent; what it already knows of is told with it and not once more."""
        known = [message.update for message in self._waiting if message.update.number <= hello.number]
        self._waiting = deque(message for message in self._waiting if message.update.number > hello.number)
        return frame(reduce(merge, [*known, hello]))

    async def next(self) -> bytes:
        """What to send next: a message or, after a while without any, a sign of life."""
        while not self._waiting:
            self._news.clear()
            try:
                async with asyncio.timeout(self._beat):
                    await self._news.wait()
            except TimeoutError:
                return BEAT
        return self._waiting.popleft().frame


class Hub:
    """All streams. Every method may be called from any thread, but for `join`."""

    def __init__(self, beat: float = 15.0) -> None:
        """Make a hub without streams.

        Args:
            beat: the seconds after which a silent stream gives a sign of life.
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
        """Forget a stream."""
        with self._lock:
            self._streams.discard(stream)

    def pages(self) -> frozenset[str]:
        """The pages that open tabs show."""
        with self._lock:
            return frozenset(stream.page for stream in self._streams)

    def publish(self, update: Update) -> None:
        """Tell every tab."""
        message = _message(update)
        with self._lock:
            streams = tuple(self._streams)
        for stream in streams:
            with suppress(RuntimeError):  # the loop has ended meanwhile, and the tab with it
                stream.loop.call_soon_threadsafe(stream.put, message)


def merge(older: Update, newer: Update) -> Update:
    """One update that tells what two tell."""
    files = tuple(dict.fromkeys(older.files + newer.files))
    return Update(newer.number, {**older.changed, **newer.changed}, files, newer.problems, newer.scroll)


def frame(update: Update) -> bytes:
    """An update as it is sent in an event stream."""
    return b"event: update\nid: %d\ndata: %b\n\n" % (update.number, msgspec.json.encode(update))


def _message(update: Update) -> _Message:
    return _Message(update, frame(update))
