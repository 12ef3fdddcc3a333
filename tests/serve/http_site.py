"""A small site with secrets around it, and a server that shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sites import build_site, write_site

from devlog.model.digest import digest_bytes
from devlog.model.media import media_type
from devlog.serve import app, guard
from devlog.serve.answers import Answer, Data, Elsewhere, File, Page, Site, Update
from devlog.serve.hub import Hub
from devlog.serve.server import Server, bind

CANARY = "canary-of-lumen"
"""Stands in every file that no answer may ever have a byte of."""

LARGE = 24 << 20
"""More bytes than the system keeps for a client that does not read."""

SCRIPT = b"// the preview's script\n"

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


def preview(root: Path) -> Table:
    """What answers for the site in a folder."""
    report = build_site(root)
    assert not report.failed, report.diagnostics
    output = root / "public"
    answers: dict[str, Answer] = {}
    for file in sorted(path for path in output.rglob("*") if path.is_file()):
        name = file.relative_to(output).as_posix()
        path = f"{BASE}/{name.removesuffix('index.html') if name.rpartition('/')[2] == 'index.html' else name}"
        data = file.read_bytes()
        if (root / "static" / name).is_file():
            answers[path] = File(root, f"static/{name}", False, len(data), digest_bytes(data), media_type(name))
        elif name.endswith(".html"):
            answers[path] = Page(data, digest_bytes(data), 404 if name == "404.html" else 200)
            answers[path.rstrip("/") or "/"] = answers[path] if not path.endswith("/") else Elsewhere(path)
        elif name.endswith((".xml", ".json", ".txt")):
            answers[path] = Data(data, media_type(name))
        elif not name.startswith("."):
            answers[path] = File(output, name, False, len(data), digest_bytes(data), media_type(name))
    missing = answers.get(f"{BASE}/404.html")
    return Table(answers, missing if isinstance(missing, Page) else None)


class Running(NamedTuple):
    """A server that answers."""

    port: int
    hub: Hub
    server: Server
    log: list[str]


@contextmanager
def serving(
    site: Site, *, beat: float = 15.0, policy: str = guard.POLICY, connections: int = 512, head_seconds: float = 20.0
) -> Iterator[Running]:
    """A server for a site, on a port of its own."""
    log: list[str] = []
    hub = Hub(beat)
    server = Server(log.append, connections=connections, head_seconds=head_seconds)
    listener = bind("127.0.0.1", 0)
    port = listener.getsockname()[1]
    server.start(app.App(site, hub, guard.allow(port), log.append, policy=policy, scripts={app.SCRIPT: SCRIPT}), listener)
    try:
        assert server.started.wait(30)
        yield Running(port, hub, server, log)
    finally:
        server.stop()
