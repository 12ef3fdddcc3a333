"""Pages look as they did when somebody looked at them last; and the comparison sees what it should."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image, ImageDraw
from selection import FEATURES

from quality.pictures import TOLERATED, difference, packed, shrunk
from quality.screenshots import OUT, faults, stored

FONTS = Path("/usr/share/fonts/truetype/dejavu/DejaVuSansMono-Oblique.ttf")


@pytest.mark.browser
@pytest.mark.feature(*FEATURES)
@pytest.mark.skipif(not FONTS.exists(), reason="Debian's package fonts-dejavu is not installed")
def test_pages_look_as_they_did() -> None:
    found = faults(OUT)
    assert not found, "\n".join([*found, "If that is how it should be: python -m tests.quality.screenshots --update"])


def test_stored_screenshots_are_small() -> None:
    files = stored()
    assert files
    assert sum(file.stat().st_size for file in files) < 3_000_000


def page(*, left: int = 40, height: int = 800, ink: str = "#1c2422") -> Image.Image:
    """Lines as of a text, at half the size of a screen."""
    image = Image.new("RGB", (195, height), "#fafcfa")
    draw = ImageDraw.Draw(image)
    for line in range(height // 12):
        for word in range(5):
            draw.rectangle((left + word * 28, line * 12 + 3, left + word * 28 + 22, line * 12 + 6), fill=ink)
    return image


def compared(old: Image.Image, new: Image.Image) -> float:
    """The share that differs when the old one was stored."""
    return difference(Image.open(io.BytesIO(packed(old))).convert("RGB"), new)[0]


def test_the_same_page_does_not_differ() -> None:
    assert compared(page(), page()) == 0


def test_what_nobody_sees_does_not_count() -> None:
    assert compared(page(), page(ink="#222a28")) == 0


@pytest.mark.parametrize(
    "changed",
    [page(left=44), page(height=824), page(ink="#7a8a84"), page().crop((0, 12, 195, 812))],
    ids=["moved", "longer", "paler", "a line less"],
)
def test_what_somebody_sees_counts(changed: Image.Image) -> None:
    assert compared(page(), changed) > TOLERATED


def test_a_small_part_of_a_long_page_counts() -> None:
    changed = page(height=2400)
    ImageDraw.Draw(changed).rectangle((40, 600, 160, 640), fill="#fafcfa")
    share, shown = difference(page(height=2400), changed)
    assert share > TOLERATED
    assert shown.getpixel((50, 605)) == (220, 0, 60)
    assert shown.getpixel((5, 5)) != (220, 0, 60)


def test_screenshots_are_halved() -> None:
    file = io.BytesIO()
    Image.new("RGB", (391, 5), "#ffffff").save(file, "PNG")
    assert shrunk(file.getvalue()).size == (195, 2)
