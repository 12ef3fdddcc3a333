"""The images of the README and of documents: the top of pages of the showcase, as readers with sharp screens see them.

``python -m tests.quality.readme_images`` takes them again, into ``docs/images``.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from quality.browsing import SCHEMES, chromium, tab
from quality.looks import LOOKS, build_look
from quality.server import serving
from quality.showcase import PAGES, build_showcase

if TYPE_CHECKING:
    from playwright.sync_api import Browser

IMAGES = Path(__file__).parent.parent.parent / "docs" / "images"
PAGE = "post-code"
LARGEST = 150_000
"""The most bytes that an image may have: a README is read over slow lines too."""

_COLORS = 64
_WIDTH, _HEIGHT, _SCALE = 1100, 760, 2
_BRAND_HEIGHT = 480


def shots() -> Iterator[tuple[str, bytes]]:
    """The file name of each image and its PNG.

    Returns:
        One image for each color scheme, at twice the size of the window, in few colors.
    """
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "public", "/lumen/") as url:
        build_showcase(Path(folder), url)
        with chromium() as browser:
            for scheme in SCHEMES:
                with tab(browser, url, width=_WIDTH, height=_HEIGHT, scale=_SCALE, scheme=scheme) as opened:
                    opened.open(PAGES[PAGE])
                    yield f"post-{scheme}.png", _packed(opened.page.screenshot(animations="disabled", caret="hide"))


def brand_shot(browser: Browser, url: str, name: str) -> bytes:
    """The PNG of the home page in a brand, dark if the brand is: `docs/images/brand-NAME.png`."""
    scheme = SCHEMES[name == "dark"]
    with tab(browser, url, width=_WIDTH, height=_BRAND_HEIGHT, scale=_SCALE, scheme=scheme) as opened:
        opened.open("")
        opened.open("")  # the first time, fonts may come too late for the page
        return _packed(opened.page.screenshot(animations="disabled", caret="hide"))


def brand_shots() -> Iterator[tuple[str, bytes]]:
    """The file name of the image of each brand and its PNG."""
    for name in LOOKS:
        with tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "public", "/lumen/") as url:
            build_look(Path(folder), url, name)
            with chromium() as browser:
                yield f"brand-{name}.png", brand_shot(browser, url, name)


def _packed(data: bytes) -> bytes:
    image = Image.open(io.BytesIO(data)).convert("RGB")
    few = image.quantize(_COLORS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    file = io.BytesIO()
    few.save(file, "PNG", optimize=True)
    return file.getvalue()


def main() -> int:
    """Write the images, and say how many bytes each has."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    for name, data in (*shots(), *brand_shots()):
        (IMAGES / name).write_bytes(data)
        print(f"{name}: {len(data):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
