"""A small site with secrets around it, and a server that shows it."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Self

from http_raw import PATIENCE, Got
from sites import write_site

from devlog.engine.jobs import CHANGE, Jobs
from devlog.serve import app, guard
from devlog.serve.hub import Hub
from devlog.serve.policy import ATTACHED, Policy
from devlog.serve.preview import Options, Preview
from devlog.serve.responses import Answer, Page, Site, Update
from devlog.serve.server import Server, bind

CANARY = "canary-of-lumen"
"""Stands in every file that no answer may ever have a byte of."""

LARGE = 24 << 20
"""More bytes than the system keeps for a client that does not read."""

SCRIPT = b"// the preview's script\n"

STRICT = Policy()

BASE = "/devlogs"

_CONFIG = f"""\
title = "Lumen"
base_url = "https://lumen.example{BASE}/"
"""

_POST = f"""\
---
title: Ünder the log
date: 2026-05-04
author: "Ada Quill (@adaquill)"
# {CANARY}
---
A page about the Lumen database.
"""


def write(folder: Path) -> Path:
    """Write a site, and secrets beside it; returns its root."""
    root = folder / "site"
    write_site(
        root,
        {
            "devlog.toml": _CONFIG,
            "content/_index.md": "---\ntitle: Lumen\n---\n",
            "content/kernels/_index.md": "---\ntitle: Kernels\n---\n",
            "content/kernels/2026-05-04-under.md": _POST,
            "static/notes.txt": "0123456789",
            "static/deep/er/notes.txt": "deep notes",
            "static/page.html": "<html><head></head><body>as it is</body></html>",
            "static/large.mp4": bytes(LARGE),
            ".env": f"KEY={CANARY}",
        },
    )
    write_site(
        folder,
        {"secret/canary.txt": CANARY, "site-secret/canary.txt": CANARY, "canary.txt": CANARY},
    )
    return root


def plant_links(root: Path) -> None:
    """Lead out of the site, after it was looked at."""
    (root / "static/link.txt").symlink_to(root.parent / "secret/canary.txt")
    (root / "static/linked").symlink_to(root.parent / "secret")
    (root / "public").mkdir()
    (root / "public/link.txt").symlink_to(root.parent / "secret/canary.txt")


class Table:
    """A site whose answers stand in a table."""

    def __init__(self, answers: Mapping[str, Answer], missing: Page | None = None) -> None:
        self.answers = answers
        self._missing = missing or Page(b"<html><head></head><body>No such page.</body></html>", "missing", 404)
        self.number = 0
        self.asked: list[str] = []

    def ask(self, path: str) -> Future[Answer]:
        self.asked.append(path)
        future: Future[Answer] = Future()
        future.set_result(self.answers.get(path, self._missing))
        return future

    def hello(self, page: str) -> Future[Update]:
        answer = self.answers.get(page)
        future: Future[Update] = Future()
        future.set_result(Update(self.number, {page: answer.key if isinstance(answer, Page) else None}, (), ()))
        return future


class Shown:
    """The real preview of a site, whose work is done by a thread of its own.

    Attributes:
        answers: for every path that there is.
        asked: the paths that were asked for.
    """

    def __init__(self, root: Path) -> None:
        self.answers: dict[str, Answer] = {}
        self.asked: list[str] = []
        self._root = root
        self._jobs = Jobs()
        self._preview: Preview | None = None
        self._ready = threading.Event()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="pipeline", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(60)
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping = True
        self._jobs.submit(CHANGE, int)
        self._thread.join(60)

    def _run(self) -> None:
        self._preview = preview = Preview(Options(self._root, "http://127.0.0.1:8000", jobs=1), self._jobs)
        try:
            preview.change(frozenset())
            assert preview.diagnostics == ()
            assert preview._snapshot is not None
            names = [*preview._snapshot.claims, *preview._snapshot.copies]
            paths = [f"{BASE}/{re.sub(r'(^|(?<=/))index.html$', '', name)}" for name in names]
            found = {path: preview.ask(path) for path in sorted(paths)}
            while self._jobs.step():
                pass
            self.answers = {path: future.result(0) for path, future in found.items()}
            self._ready.set()
            while not self._stopping:
                self._jobs.step(wait=True)
        finally:
            preview.close()

    def ask(self, path: str) -> Future[Answer]:
        assert self._preview is not None
        self.asked.append(path)
        return self._preview.ask(path)

    def policy(self) -> Policy:
        assert self._preview is not None
        return self._preview.policy()

    def hello(self, page: str) -> Future[Update]:
        assert self._preview is not None
        return self._preview.hello(page)


class Running(NamedTuple):
    """A server that answers."""

    port: int
    hub: Hub
    server: Server
    log: list[str]


@contextmanager
def serving(
    site: Site, *, beat: float = 15.0, policy: Policy = STRICT, connections: int = 512, head_seconds: float = 20.0
) -> Iterator[Running]:
    """A server for a site, on a port of its own."""
    log: list[str] = []
    hub = Hub(beat)
    server = Server(log.append, connections=connections, head_seconds=head_seconds)
    listener = bind("127.0.0.1", 0)
    port = listener.getsockname()[1]
    tell = site.policy if isinstance(site, Shown) else lambda: policy
    shown = app.App(site, hub, guard.allow(port), log.append, policy=tell, scripts={app.SCRIPT: SCRIPT})
    server.start(shown, listener)
    try:
        assert server.started.wait(30)
        yield Running(port, hub, server, log)
    finally:
        server.stop()


POST = f"{BASE}/kernels/2026-05-04-under/"

HTML = b"<!doctype html><html><head><title>T</title></head><body>text</body></html>"


def until(true: Callable[[], bool]) -> None:
    """Wait for something that must come true."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.01)


def update(number: int, files: tuple[str, ...] = (), **changed: str) -> Update:
    return Update(number, {f"/{page}/": key for page, key in changed.items()}, files, ())


PROTECTION = {
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


def protected(got: Got, policy: str = ATTACHED) -> bool:
    expected = {**PROTECTION, "content-security-policy": policy}
    return all(got.headers.get(name) == [value] for name, value in expected.items()) and not any(
        name.startswith("access-control-") or name == "server" for name in got.headers
    )
