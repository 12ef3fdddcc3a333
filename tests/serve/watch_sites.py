"""A small site that is watched, and what was told of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from saves import Folder

from devlog.serve.debounce import PATIENCE, Delays
from devlog.serve.watch import WatchedPaths, Watcher

DEADLINE = 30.0
"""Seconds after which something that has not happened never will."""
QUIET = 0.8
"""Seconds without another call that show that there was no more to tell."""
NEVER = 3600.0
"""As the time between two looks at all files: what is told was told because of events."""

PATIENT = Delays(*(3 * seconds for seconds in msgspec.structs.astuple(PATIENCE)))
"""A machine that runs tests may stop for longer in the middle of a save than a writer's."""

Texts = dict[str, bytes]


def read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


class Site(Folder):
    """A site's folder, its watcher, and a copy of the texts that is kept by reading what is told, and nothing else."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.told: list[frozenset[str]] = []
        self.slow = 0.0
        self.overlaps = 0
        self._bell = threading.Condition()
        self._inside = False
        self._watcher: Watcher | None = None
        self._copy: Texts = {}
        for name in ("a", "b", "c"):
            self.write(f"content/kernels/{name}.md", f"---\ntitle: {name}\n---\n\nWhat the Lumen team learned.\n")
        self.write("content/kernels/_index.md", "---\ntitle: Kernels\n---\n")
        self.write("static/style.css", "body { margin: 0 }\n")
        self.write("devlog.toml", 'title = "Lumen"\n')

    @property
    def watcher(self) -> Watcher:
        assert self._watcher is not None
        return self._watcher

    def paths(self, **more: object) -> WatchedPaths:
        folders = ("content", "static", "templates", "themes/plain")
        return WatchedPaths(
            **{"root": self.root, "folders": folders, "files": ("devlog.toml", "pyproject.toml"), **more}
        )

    def start(self, paths: WatchedPaths | None = None, *, scan_seconds: float = NEVER, **options: Any) -> Site:
        assert self._watcher is None
        options = {"scan_seconds": scan_seconds, "patience": PATIENT, **options}
        self._watcher = Watcher(paths or self.paths(), self._tell, **options)
        self._copy = self.disk()
        self._watcher.start()
        return self

    def stop(self) -> None:
        if self._watcher:
            self._watcher.stop()

    def disk(self) -> Texts:
        """All texts that there are now in what is watched by default."""
        tops = [self.path(folder) for folder in self.paths().folders]
        files = [path for top in tops for path in top.rglob("*")] + [self.path(name) for name in self.paths().files]
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes()
            for path in files
            if path.is_file() and not any(part[0] in ".#" for part in path.relative_to(self.root).parts)
        }

    @property
    def copy(self) -> Texts:
        with self._bell:
            return dict(self._copy)

    def _tell(self, names: frozenset[str]) -> None:
        assert names
        self.overlaps += self._inside
        self._inside = True
        texts = {name: read(self.root / name) for name in names}
        time.sleep(self.slow)
        self._inside = False
        with self._bell:
            self.told.append(names)
            for name, text in texts.items():
                self._copy.pop(name, None)
                if text is not None:
                    self._copy[name] = text
            self._bell.notify_all()

    def wait(self, condition: Callable[[], object]) -> None:
        """Wait until something holds."""
        until = time.monotonic() + DEADLINE
        with self._bell:
            while not condition():
                assert time.monotonic() < until, f"not within {DEADLINE} seconds; told: {self.told}"
                self._bell.wait(0.05)

    def settle(self, calls: int = 1) -> list[frozenset[str]]:
        """Wait for so many calls, and then for a quiet time; what was told since the last time."""
        self.wait(lambda: len(self.told) >= calls)
        seen = -1
        while seen != len(self.told):
            seen = len(self.told)
            time.sleep(QUIET)
        with self._bell:
            told, self.told = self.told, []
        return told
