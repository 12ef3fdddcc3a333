"""A server of a site, and what a reader does with its search in a browser."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import Page

BASE = "/devlogs/"
POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; object-src 'none'; base-uri 'none'"
PATIENCE = 30_000
DONE = ".search[data-state=done]"


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder below the base path."""

    asked: list[str]

    def translate_path(self, path: str) -> str:
        path = urlsplit(path).path
        return super().translate_path(path[len(BASE) - 1 :] if path.startswith(BASE) else "/nothing-there")

    def do_GET(self) -> None:
        self.asked.append(urlsplit(self.path).path)
        super().do_GET()

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def served(folder: Path, base: type[Handler] = Handler) -> Iterator[tuple[str, list[str]]]:
    """A server of a folder: its address, and what it was asked for."""
    asked: list[str] = []
    handler = type("Serving", (base,), {"asked": asked})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
    finally:
        server.shutdown()
        server.server_close()


def asked_for(tab: Page, query: str, where: str = "dialog") -> list[str]:
    """The addresses that a query leads to."""
    tab.evaluate("where => { document.querySelector(`${where} .search`).dataset.state = 'waiting' }", where)
    tab.fill(f"{where} .search-field", query)
    tab.wait_for_selector(f"{where} {DONE}")
    return links(tab, where)


def links(tab: Page, where: str = "dialog") -> list[str]:
    found = tab.eval_on_selector_all(f"{where} .search-link", "all => all.map(link => link.href)")
    return [
        "".join((urlsplit(link).path, "#" * bool(urlsplit(link).fragment), urlsplit(link).fragment)) for link in found
    ]


def opened(tab: Page) -> Page:
    tab.keyboard.press("/")
    tab.wait_for_selector("dialog.search-dialog[open]")
    return tab
