"""The images of the README and of documents show the theme as it is, and are small enough for a README."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from PIL import Image
from selection import FEATURES

from quality.browsing import CHROMIUM
from quality.pictures import TOLERATED, difference, shrunk
from quality.readme_images import IMAGES, LARGEST, shots

FONTS = Path("/usr/share/fonts/truetype/dejavu/DejaVuSansMono-Oblique.ttf")
README = Path(__file__).parents[2] / "README.md"


def test_the_documents_show_each_image_and_no_other() -> None:
    documents = (README, *README.parent.glob("docs/*.md"))
    shown = [name for file in documents for name in re.findall(r"\bimages/([\w.-]+\.png)\)", file.read_text("utf-8"))]
    shown += re.findall(r"docs/images/([\w.-]+)", README.read_text("utf-8"))
    assert set(shown) == {file.name for file in IMAGES.iterdir()}


def test_the_images_are_small() -> None:
    sizes = {file.name: file.stat().st_size for file in IMAGES.iterdir()}
    assert sizes
    assert max(sizes.values()) <= LARGEST, sizes


@pytest.mark.browser
@pytest.mark.feature(*FEATURES)
@pytest.mark.skipif(not CHROMIUM.exists(), reason="chromium-headless-shell is not installed")
@pytest.mark.skipif(not FONTS.exists(), reason="Debian's package fonts-dejavu is not installed")
def test_the_images_show_the_theme_as_it_is() -> None:
    for name, data in shots():
        stored = (IMAGES / name).read_bytes()
        share, _ = difference(shrunk(stored), shrunk(data))
        again = "if that is how it should be: python -m tests.quality.readme_images"
        assert share <= TOLERATED, f"{name}: {share:.2%} differ; {again}"
        assert Image.open(io.BytesIO(data)).size == Image.open(io.BytesIO(stored)).size
