"""The real preview of a site, in a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from http_raw import Got, ask
from sites import write_site

REPOSITORY = Path(__file__).parents[2]

DEADLINE = 60.0
"""Seconds after which something that has not happened never will."""

BASE = "/devlogs/"
PATH = f"{BASE}kernels/2026-05-04-a/"
FILE = "content/kernels/2026-05-04-a.md"

TEXT = """\
---
title: Under the log
date: 2026-05-04
author: Ada Quill (@adaquill)
tags: [storage]
---

The planner reads the statistics.

It keeps them for a day.
"""

CONFIG = f"""\
title = "Lumen"
base_url = "https://lumen.example{BASE}"
"""

SITE: dict[str, str | bytes] = {
    "devlog.toml": CONFIG,
    "content/_index.md": "---\ntitle: Lumen\n---\n",
    "content/kernels/_index.md": "---\ntitle: Kernels\n---\n",
    FILE: TEXT,
    "content/kernels/2026-05-05-b.md": TEXT.replace("Under the log", "Another log"),
    "static/extra.css": "body { color: rgb(1, 1, 1) }\n",
}


def write(folder: Path, **more: str | bytes) -> Path:
    """Write the small site; `more` replaces files of it or adds some. Returns its root."""
    return write_site(folder, {**SITE, **more})


def until(condition: Callable[[], object], what: Callable[[], object] | str, seconds: float = DEADLINE) -> None:
    """Wait for something that must come true."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"in vain: {what if isinstance(what, str) else what()}")
        time.sleep(0.02)


def devlog(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command of devlog that ends by itself, in a site's folder."""
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    return subprocess.run(
        [sys.executable, "-m", "devlog", *words],
        cwd=root, env=environment, capture_output=True, text=True, timeout=DEADLINE, check=False,
    )  # fmt: skip


class Serving:
    """A preview that runs.

    Attributes:
        out: the lines it has written to the standard output.
        err: those it has written to the terminal.
    """

    def __init__(self, root: Path, *options: str, command: Sequence[str | Path] = (), **environment: str) -> None:
        """Start it, with the site's root as the current folder.

        Args:
            root: the site's folder.
            options: of the command.
            command: that runs devlog, if it is not the one of this checkout.
            environment: replaces variables.
        """
        self.out: list[str] = []
        self.err: list[str] = []
        self.root = root
        inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        own = {} if command else {"PYTHONPATH": str(REPOSITORY)}
        self.process = subprocess.Popen(
            [*(command or (sys.executable, "-m", "devlog")), "serve", *options],
            cwd=root,
            env={**inherited, **own, "LC_ALL": "C.UTF-8", **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,  # its children are those of its group
        )
        self._readers = [self._read(self.process.stdout, self.out), self._read(self.process.stderr, self.err)]

    def _read(self, stream: IO[str] | None, lines: list[str]) -> threading.Thread:
        assert stream is not None
        source = stream

        def follow() -> None:
            with source:
                lines.extend(line.rstrip("\n") for line in iter(source.readline, ""))

        thread = threading.Thread(target=follow, daemon=True)
        thread.start()
        return thread

    @property
    def address(self) -> str:
        """The address, once it is told."""
        until(lambda: self.out or self.process.poll() is not None, self.told)
        assert self.out, self.told()
        return self.out[0]

    @property
    def port(self) -> int:
        match = re.fullmatch(r"http://[^/]+:(\d+)/.*", self.address)
        assert match, self.address
        return int(match[1])

    def told(self) -> str:
        """All that it has said until now."""
        return "\n".join([*self.out, *self.err])

    def changes(self) -> list[str]:
        """The terminal's lines of changes, without the time of day."""
        return [line[9:] for line in tuple(self.err) if re.match(r"\d\d:\d\d:\d\d ", line)]

    def get(self, path: str = PATH, method: str = "GET", **headers: str) -> Got:
        """What is answered for a path."""
        return ask(self.port, path, method, {name.replace("_", "-"): value for name, value in headers.items()})

    def page(self, path: str = PATH) -> str:
        """A page as it is answered, without the preview's script."""
        text = self.get(path).body.decode()
        return re.sub(r'<script [^>]*src="/__devlog__/[^>]*></script>', "", text)

    def until_page(self, text: str, path: str = PATH, status: int = 200) -> None:
        """Wait until a page has a text."""

        def has_it() -> bool:
            got = self.get(path)
            return got.status == status and text in got.body.decode()

        until(has_it, lambda: f"{text!r} in {path}\n{self.told()}")

    def until_told(self, pattern: str, *, after: int = 0) -> str:
        """Wait until a line of the terminal matches; returns it."""
        found: list[str] = []

        def is_told() -> bool:
            found[:] = [line for line in tuple(self.err)[after:] if re.search(pattern, line)]
            return bool(found)

        until(is_told, lambda: f"{pattern}\n{self.told()}")
        return found[0]

    def write(self, file: str, text: str | bytes) -> None:
        """Write a file of the site, in one step: on a busy machine, the preview would show it while it is empty."""
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        changed = path.with_name(f".{path.name}.new")
        changed.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
        changed.replace(path)

    def edit(self, old: str, new: str, file: str = FILE) -> None:
        """Replace something in a text of the site, in one step."""
        text = (self.root / file).read_text("utf-8")
        assert old in text
        self.write(file, text.replace(old, new))

    def end(self, number: int = signal.SIGINT) -> int:
        """Send a signal, and wait until it has ended; returns the exit code."""
        self.process.send_signal(number)
        code = self.process.wait(DEADLINE)
        for reader in self._readers:
            reader.join(DEADLINE)
        return code

    def has_group(self) -> bool:
        """Whether it, or a child of it, is still there."""
        try:
            os.killpg(self.process.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def kill(self) -> None:
        """End it, whatever it does, and all of its children."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(DEADLINE)
        for reader in self._readers:
            reader.join(DEADLINE)


@contextmanager
def serving(root: Path, *options: str, command: Sequence[str | Path] = (), **environment: str) -> Iterator[Serving]:
    """A preview on a port of its own, which answers."""
    port = () if "--port" in options else ("--port", "0")
    running = Serving(root, *options, *port, command=command, **environment)
    try:
        assert running.address
        yield running
    finally:
        running.kill()
