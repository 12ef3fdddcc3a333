"""Where the colored square of a topic is, for names of both directions on pages of both directions."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image
from quality.browsing import tab
from quality.server import serving
from sites import build_site, write_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

TOPICS = ("Pages (x)", "قواعد البيانات")
PAINT = """
a[class*="hue-"] { background: #fff !important; color: #00f !important; text-decoration: none !important; }
a[class*="hue-"]::before { background: #f00 !important; }
"""
_EM = 14
"""A little more than the size of the letters."""


def _site(root: Path, language: str) -> None:
    files = {"devlog.toml": f'title = "Lumen"\nlanguage = "{language}"\n'}
    for index, title in enumerate(TOPICS):
        files[f"content/{index}/_index.md"] = f"---\ntitle: {title}\n---\n"
        files[f"content/{index}/a.md"] = f"---\ntitle: A post\ndate: 2026-05-0{index + 1}\n---\nText.\n"
    build_site(write_site(root, files))


def _spans(label: Any) -> dict[str, tuple[int, int]]:
    """From where to where the square and the letters are painted, in pixels."""
    image = Image.open(io.BytesIO(label.screenshot())).convert("RGB")
    found: dict[str, list[int]] = {"square": [], "letters": []}
    for x in range(image.width):
        for y in range(image.height):
            red, green, blue = image.getpixel((x, y))
            if red > 200 and green < 60 and blue < 60:
                found["square"].append(x)
            elif blue > 200 and red < 60:
                found["letters"].append(x)
    return {name: (min(places), max(places)) for name, places in found.items()}


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("language", ["en", "ar"])
def test_the_square_of_a_topic_is_beside_its_name(browser: Browser, tmp_path: Path, language: str, width: int) -> None:
    _site(tmp_path, language)
    with serving(tmp_path / "public") as url, tab(browser, url, width=width) as opened:
        for path in ("", "archive/"):
            opened.open(path)
            opened.page.add_style_tag(content=PAINT)
            labels = opened.page.locator('main a[class*="hue-"]').all()
            assert {label.inner_text() for label in labels} == set(TOPICS)
            for label in labels:
                spans = _spans(label)
                first, second = sorted(spans.values(), reverse=language == "ar")
                assert first == spans["square"], (path, label.inner_text(), spans)
                gap = second[0] - first[1] if language == "en" else first[0] - second[1]
                assert 2 < gap < _EM, (path, label.inner_text(), spans)
