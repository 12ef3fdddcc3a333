"""What a reader's line has to carry for a post of this repository's own log."""

from __future__ import annotations

import gzip
import re
import shutil
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from lxml import html
from sites import build_site, read_tree

REPOSITORY = Path(__file__).parents[2]
KILOBYTE = 1000
BUDGETS = {"html": 20 * KILOBYTE, "css": 11.25 * KILOBYTE, "js": 8 * KILOBYTE}
PLAYER = {"html": 0, "css": 1.7 * KILOBYTE, "js": 2.4 * KILOBYTE}
"""What an episode may take besides: its player."""
CHART = {"html": 0, "css": 0.4 * KILOBYTE, "js": 0}
"""What a post with a chart may take besides: the style of the chart."""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    root = tmp_path_factory.mktemp("own")
    for file in ("devlog.toml", "reference.py"):
        shutil.copy(REPOSITORY / file, root)
    for folder in ("content", "static", "docs", "templates"):
        shutil.copytree(REPOSITORY / folder, root / folder)
    report = build_site(root, future=True, search=True)
    assert [item for item in report.diagnostics if item.severity == "error"] == []
    return read_tree(root / "public")


def packed(data: bytes) -> int:
    """How many bytes are sent."""
    return len(gzip.compress(data, 9, mtime=0))


def sizes(tree: dict[str, bytes], path: str) -> dict[str, int]:
    """What a page and all that it loads take, by kind; what only a search loads does not count."""
    page = html.document_fromstring(tree[path])
    styles = page.xpath("//link[@rel='stylesheet']/@href")
    scripts = [url for url in page.xpath("//script/@src") if not re.search(r"/search\b", url)]
    return {
        "html": packed(tree[path]),
        "css": sum(packed(tree[urlsplit(url).path.lstrip("/")]) for url in styles),
        "js": sum(packed(tree[urlsplit(url).path.lstrip("/")]) for url in scripts),
    }


@pytest.mark.slow
def test_posts_keep_within_the_budget(tree: dict[str, bytes]) -> None:
    posts = [path for path, data in tree.items() if path.endswith(".html") and b'<body class="kind-post' in data]
    assert len(posts) > 10
    found = {path: sizes(tree, path) for path in posts}
    assert all(size["css"] > KILOBYTE and size["html"] > KILOBYTE and size["js"] > 0 for size in found.values())
    episodes = {path for path in posts if b"<audio " in tree[path] and b"/episode." in tree[path]}
    charts = {path for path in posts if b'<svg class="plot"' in tree[path]}
    more = ((episodes, PLAYER), (charts, CHART))
    over = {
        path: size
        for path, size in found.items()
        if any(size[kind] > BUDGETS[kind] + sum(own[kind] for some, own in more if path in some) for kind in BUDGETS)
    }
    assert over == {}
    assert all("episode." not in url for path in set(posts) - episodes for url in _loaded(tree[path]))
    assert all("chart." not in url for path in set(posts) - charts for url in _loaded(tree[path]))


def _loaded(page: bytes) -> list[str]:
    found = html.document_fromstring(page)
    return [*found.xpath("//link[@rel='stylesheet']/@href"), *found.xpath("//script/@src")]
