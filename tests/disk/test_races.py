"""While a site is built, its folders and links to folders elsewhere change places again and again.

Nothing elsewhere is published, and nothing elsewhere is written, replaced or removed, whatever becomes of the build.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Self

import pytest
from lumen import CONFIG, DOT, lumen, post
from sites import build_site, read_tree, write_site

from devlog.disk import stat_cache

SECRET = "canary-4711"
ELSEWHERE = {
    "_index.md": f"---\ntitle: {SECRET}\n---\n",
    "2026-03-01-log-format.md": post(SECRET, "2026-03-01", body=SECRET),
    "2026-04-02-replay.md": post(SECRET, "2026-04-02", body=SECRET),
    "index.html": SECRET,
    "humans.txt": SECRET,
    "dot.png": DOT + SECRET.encode(),
    "feed.xml": SECRET,
    "cache.db": SECRET,
    "img/dot.png": DOT + SECRET.encode(),
    "2026/04/02/replay/index.html": SECRET,
}
PLACES = (
    "content/storage",
    "content/storage/2026-04-20-pages",
    "content/planner",
    "content",
    "static",
    "static/img",
    "public/storage",
    "public/tags",
    "public",
    ".devlog/spare/storage",
    ".devlog/spare",
    ".devlog/new",
)
"""Not ``.devlog`` itself: SQLite opens its files by name and when it needs them, so that a link which comes while it
works is followed. Whoever may rename that folder may change the configuration too. A link that is there before is seen.
"""


class Changing:
    """Lets folders of a site and links change places, in a thread of its own."""

    def __init__(self, root: Path, elsewhere: Path, chance: random.Random) -> None:
        self.count = 0
        self.quiet = threading.Lock()
        """Held by who wants all folders to be in their places."""
        self._root, self._elsewhere, self._chance = root, elsewhere, chance
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._go_on)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _go_on(self) -> None:
        while not self._stop.wait(self._chance.random() / 100):
            with self.quiet, suppress(OSError):
                self._change(self._root / self._chance.choice(PLACES))

    def _change(self, place: Path) -> None:
        aside = place.with_name(f".{place.name}.aside")
        place.rename(aside)
        try:
            place.symlink_to(self._elsewhere, target_is_directory=True)
            self._stop.wait(self._chance.random() / 100)
            place.unlink()
            self.count += 1
        finally:
            if place.is_dir() and not place.is_symlink():  # a build has made a new one meanwhile
                shutil.rmtree(aside)
            else:
                aside.rename(place)


def race(folder: Path, seed: int, builds: int) -> int:
    """Build a site while its folders change places; gives how often they did."""
    root = write_site(folder / "site", lumen())
    elsewhere = write_site(folder / "elsewhere", ELSEWHERE)
    before = read_tree(elsewhere)
    chance = random.Random(seed)
    with Changing(root, elsewhere, chance) as changing:
        for number in range(builds):
            text = CONFIG.replace("Notes from", f"Note {number} from")
            (root / "devlog.toml").write_text(text, "utf-8")  # all pages are others
            report = build_site(root, cache=chance.random() < 0.8)
            assert "internal-error" not in {item.code for item in report.diagnostics}
            with changing.quiet:
                assert read_tree(elsewhere) == before
                assert not any(SECRET.encode() in data for data in published(root))
    return changing.count


def published(root: Path) -> Iterator[bytes]:
    """The bytes of all files of the output; links are not followed."""
    assert not (root / "public").is_symlink()
    for file in (root / "public").rglob("*"):
        if file.is_file() and not file.is_symlink():
            yield file.read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="needs symbolic links")
def test_folders_change_places_with_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stat_cache, "SETTLED_NS", 0)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        assert race(tmp_path, 16, 12) > 0
    finally:
        sys.setswitchinterval(interval)
