"""Controls Pagefind's indexer, a program that receives requests on standard input."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from base64 import b64decode, b64encode
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from devlog.model.batch import next_batch
from devlog.model.surrogates import without_surrogates
from devlog.packages import version
from devlog.programs import limit_memory
from devlog.threads import start

PATIENCE = 120.0
"""The time limit for an index in seconds, to which `PATIENCE_PER_TEXT` is added for each post."""

PATIENCE_PER_TEXT = 0.1

MEMORY = 3 << 30
"""The maximum memory of the indexer in bytes: three times what `bundles.MOST_BYTES` of different words take."""

AT_ONCE = 32
"""The maximum number of pages to send at once. The answers to them are far smaller than the buffer of a pipe."""

BYTES_AT_ONCE = 4 << 20
"""How many characters these have, unless a single one has more."""

CHUNK = 1000
"""The approximate number of word occurrences in each chunk. A reader loads one chunk for each word and bundle. With
Pagefind's default of 20,000 a chunk would have 40 kB; smaller chunks lengthen the list of chunks, which is loaded
first."""


class ServiceError(Exception):
    """The indexer is not available, or has failed; the message says why."""


def installed() -> bool:
    """Whether the program is installed."""
    return bool(version("pagefind-bin"))


def program() -> str:
    """The path of the program. Raises ServiceError if it is not installed."""
    try:
        from pagefind_bin import get_executable  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError as error:
        raise ServiceError("it is not installed") from error
    return str(get_executable())


class IndexFile(msgspec.Struct, frozen=True):
    """A file of an index; its path is relative to the index's folder."""

    path: str
    content: bytes


class _Listing(msgspec.Struct, frozen=True):
    files: tuple[IndexFile, ...]


class _Files(msgspec.Struct, frozen=True):
    payload: _Listing


class Service:
    """A running indexer with one index, for use in a ``with`` block, by one thread."""

    def __init__(self, program: str, folder: Path, language: str, texts: int) -> None:
        """Start the program. Raises ServiceError.

        Args:
            program: its path, from `program`.
            folder: an empty folder for the program to work in.
            language: the language of all posts.
            texts: the number of posts.
        """
        self._number = 0
        self._received = bytearray()
        self._process = _start(program, folder)
        # A program that does not answer must not block a build forever.
        self._timer = threading.Timer(PATIENCE + PATIENCE_PER_TEXT * texts, self._process.kill)
        self._timer.daemon = True
        try:
            start(self._timer)
        except OSError as error:
            self.close()
            raise ServiceError(str(error.strerror).lower()) from error
        try:
            self._index = self._call({"type": "NewIndex", "config": {"force_language": language}})["index_id"]
        except ServiceError:
            self.close()
            raise

    def add(self, pages: Iterable[tuple[str, str]]) -> None:
        """Index pages, given by URL and HTML. The next ones are prepared while the program processes the last ones.

        Many pages are sent at a time: whenever this thread waits, other threads run before it can continue.
        """
        rest = iter(pages)
        waiting = 0
        while some := next_batch(rest, AT_ONCE, BYTES_AT_ONCE, lambda page: len(page[1])):
            self._take(waiting)
            requests = [
                {"type": "AddFile", "index_id": self._index, "url": url, "file_contents": html, "file_path": None}
                for url, html in some
            ]
            self._ask(*requests)
            waiting = len(requests)
        self._take(waiting)

    def _take(self, answers: int) -> None:
        for _ in range(answers):
            self._answer()

    def files(self) -> tuple[IndexFile, ...]:
        """The files of the index.

        devlog writes them, not the program: the program reports that it is finished while it is still writing, and
        files that it has not written by its end are lost.
        """
        self._ask({"type": "GetFiles", "index_id": self._index})
        try:
            return msgspec.json.decode(self._message(), type=_Files).payload.files
        except (ValueError, msgspec.DecodeError) as error:
            raise ServiceError("it gave an answer that is none") from error

    def stop(self) -> None:
        """Kill the program in any state. May be called from another thread."""
        self._timer.cancel()
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Kill the program, and close its streams."""
        self.stop()
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                with suppress(OSError):  # from flushing data that it cannot receive any more
                    stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _call(self, payload: dict[str, Any]) -> dict[str, Any]:
        self._ask(payload)
        return self._answer()

    def _ask(self, *payloads: dict[str, Any]) -> None:
        """Send requests: each is JSON in base64, and ends with a comma."""
        messages = []
        for payload in payloads:
            self._number += 1
            messages.append(b64encode(json.dumps({"message_id": self._number, "payload": payload}).encode()) + b",")
        assert self._process.stdin
        try:
            rest = memoryview(b"".join(messages))
            while rest:
                rest = rest[self._process.stdin.write(rest) :]
        except OSError as error:
            raise ServiceError(self._ended()) from error

    def _answer(self) -> dict[str, Any]:
        try:
            payload: dict[str, Any] = json.loads(self._message())["payload"]
        except (ValueError, KeyError, TypeError) as error:
            raise ServiceError("it gave an answer that is none") from error
        if payload.get("type") == "Error":
            raise ServiceError(str(payload.get("message", "it gave no reason")))
        return payload

    def _message(self) -> bytes:
        """The answer to the oldest request without an answer; raises ValueError if it is not base64.

        All files of an index come as one message, which is not copied while it is received.
        """
        assert self._process.stdout
        received = self._received
        seen = 0
        while (end := received.find(b",", seen)) < 0:
            seen = len(received)
            piece = self._process.stdout.read(1 << 16)
            if not piece:
                raise ServiceError(self._ended())
            received += piece
        self._received = received[end + 1 :]
        del received[end:]
        return b64decode(received)

    def _ended(self) -> str:
        code = self._process.poll()
        return "it took too long, or was killed" if code is None or code < 0 else f"it ended with status {code}"


def _start(program: str, folder: Path) -> subprocess.Popen[bytes]:
    """Start the program in an environment without configuration for other uses of it.

    Any variable that is not UTF-8 would end it, such as that with the current folder (``PWD``).
    """
    own = {
        name: value
        for name, value in os.environ.items()
        if not name.upper().startswith("PAGEFIND_") and without_surrogates(name + value) == name + value
    }
    try:
        process = subprocess.Popen(  # noqa: S603 - the program of an installed package
            [program, "--service"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env={**own, "PAGEFIND_UNSTABLE_INDEX_CHUNK_SIZE": str(CHUNK)},
        )
    except OSError as error:
        raise ServiceError((error.strerror or str(error)).lower()) from error
    limit_memory(process.pid, MEMORY)
    return process
