"""A server in the form of the preview's, driven by hand: a test says what each page is and what tabs are told."""

from __future__ import annotations

import hashlib
import queue
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from devlog.serve import guard
from devlog.serve.app import EVENTS, read_scripts, with_script
from devlog.serve.hub import frame
from devlog.serve.overlay import MOST
from devlog.serve.policy import Policy
from devlog.serve.responses import Page, Problem, Update

SCRIPTS = read_scripts()

POLICY = Policy(paths=None).page()
"""As where posts are trusted: the site has scripts anywhere."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser may leave in the middle of an answer."""


class Lumen:
    """A small site on a port of its own.

    Attributes:
        files: what is published as it is, by path: the media type and the bytes.
        asked: what was asked for, in order: the path, and whether by the script instead of by a visit.
        before: what happens before a path is answered.
        hold: pages are answered only while it is set.
        problems: there are now.
        refusing: the status that streams are refused with; 0 for none.
        refused: how many streams were.
        failing: how many times the script's look at a page is still to fail.
        base: the address.
    """

    def __init__(self) -> None:
        self.files: dict[str, tuple[str, bytes]] = {}
        self.asked: list[tuple[str, bool]] = []
        self.refusing = 0
        self.refused = 0
        self.failing = 0
        self.before: dict[str, Callable[[], None]] = {}
        self.hold = threading.Event()
        self.hold.set()
        self.problems: tuple[Problem, ...] = ()
        self._pages: dict[str, Page] = {}
        self._streams: list[tuple[str, queue.Queue[Update | None]]] = []
        self._number = 0
        self._lock = threading.RLock()
        self._server: _Server | None = None
        self._port = 0
        self.start()

    def start(self) -> None:
        """Listen, on the same port as before if there was one."""
        lumen = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                lumen._answer(self)

            def log_message(self, *words: Any) -> None:
                pass

        self._server = _Server(("127.0.0.1", self._port), Handler)
        self._port = self._server.server_address[1]
        self.base = f"http://127.0.0.1:{self._port}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        """Go away, as a server that was ended: every stream breaks off."""
        if self._server:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
        for _, waiting in self._streams:
            waiting.put(None)

    def put(self, path: str, html: str, **facts: Any) -> None:
        """Say what a page is, without telling anybody."""
        data = html.encode("utf-8")
        key = hashlib.blake2b(data + repr(sorted(facts.items())).encode(), digest_size=8).hexdigest()
        self._pages[path] = Page(data, key, **facts)

    def remove(self, path: str) -> None:
        """Say that a page is gone, and tell."""
        with self._lock:
            del self._pages[path]
            self.tell({path: None})

    def change(self, path: str, html: str, *, scroll: bool = True, files: tuple[str, ...] = (), **facts: Any) -> None:
        """Say what a page is now, and tell every tab."""
        with self._lock:
            self.put(path, html, **facts)
            self.tell({path: self._pages[path].key}, files, scroll=scroll)

    def report(self, *problems: Problem) -> None:
        """Say which problems there are, and tell every tab."""
        with self._lock:
            self.problems = problems
            self.tell({})

    def _counts(self) -> dict[str, int]:
        return dict(Counter(problem.severity for problem in self.problems))

    def tell(self, changed: Mapping[str, str | None], files: tuple[str, ...] = (), *, scroll: bool = True) -> None:
        """Send an update to every tab."""
        with self._lock:
            self._number += 1
            update = Update(self._number, dict(changed), files, self.problems[:MOST], scroll, counts=self._counts())
            for _, waiting in self._streams:
                waiting.put(update)

    def listening(self) -> list[str]:
        """The pages of the streams that are open."""
        return sorted(page for page, _ in self._streams)

    def fetched(self, path: str) -> int:
        """How often the script asked for a page."""
        return self.asked.count((path, True))

    def visited(self, path: str) -> int:
        """How often a tab was sent to a page."""
        return self.asked.count((path, False))

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        url = urlsplit(handler.path)
        path = unquote(url.path)
        self.before.pop(path, lambda: None)()
        if path == EVENTS:
            self._stream(handler, parse_qs(url.query)["page"][0])
            return
        page = self._pages.get(path) or Page(b"<!doctype html><title>None</title><p>Nothing here.", "none", 404)
        by_script = handler.headers["Sec-Fetch-Mode"] != "navigate"
        self.asked.append((path, by_script))
        if path in SCRIPTS:
            _send(handler, 200, "text/javascript", SCRIPTS[path])
        elif path in self.files:
            _send(handler, 200, *self.files[path])
        elif self.failing and by_script and path in self._pages:
            self.failing -= 1
            _send(handler, 500, "text/plain", b"no\n")
        else:
            self.hold.wait(10)
            _send(handler, page.status, "text/html; charset=utf-8", b"".join(with_script(page, path, "p")))

    def _stream(self, handler: BaseHTTPRequestHandler, page: str) -> None:
        if self.refusing:
            self.refused += 1
            _send(handler, self.refusing, "text/plain", b"no\n")
            return
        waiting: queue.Queue[Update | None] = queue.Queue()
        stream = (page, waiting)
        with self._lock:  # an update is in the first message or comes after it: none falls between the two
            key = self._pages[page].key if page in self._pages else None
            changed: dict[str, str | None] = {page: key} if key else {}
            waiting.put(Update(self._number, changed, (), self.problems[:MOST], counts=self._counts()))
            self._streams.append(stream)
        try:
            _head(handler, 200, "text/event-stream", None)
            for data in _pieces(waiting):
                handler.wfile.write(data)
                handler.wfile.flush()
        except OSError:
            pass
        finally:
            with self._lock:
                self._streams.remove(stream)


def _pieces(waiting: queue.Queue[Update | None]) -> Iterator[bytes]:
    """What a stream sends until the server goes: signs of life often, so that a tab that leaves is soon noticed."""
    while True:
        try:
            update = waiting.get(timeout=0.03)
        except queue.Empty:
            yield b": here\n\n"
            continue
        if update is None:
            return
        yield frame(update)


def _head(handler: BaseHTTPRequestHandler, status: int, media_type: str, length: int | None) -> None:
    handler.send_response(status)
    handler.send_header("Content-Type", media_type)
    if length is not None:
        handler.send_header("Content-Length", str(length))
    for name, value in guard.protection(POLICY):
        handler.send_header(name.decode(), value.decode())
    handler.end_headers()


def _send(handler: BaseHTTPRequestHandler, status: int, media_type: str, data: bytes) -> None:
    _head(handler, status, media_type, len(data))
    handler.wfile.write(data)


def until(condition: Callable[[], bool], what: str, seconds: float = 30.0) -> None:
    """Wait for something on the server's side."""
    moment = threading.Event()
    for _ in range(int(seconds / 0.02)):
        if condition():
            return
        moment.wait(0.02)
    raise AssertionError(f"in vain: {what}")
