"""Comparing screenshots: small, forgiving to what nobody sees, strict with what moved."""

from __future__ import annotations

import io

from PIL import Image, ImageChops, ImageFilter

SCALE = 2
COLORS = 64
TALLEST = 5000
"""Pixels of a screen, from the top, that are looked at."""

NOTICED = 40
"""So much of 255 must a channel differ for a pixel to count, after a look from a step away."""
TOLERATED = 0.002
"""The share of pixels that may count."""


def shrunk(data: bytes) -> Image.Image:
    """A screenshot at half its size."""
    image = Image.open(io.BytesIO(data)).convert("RGB")
    size = (max(1, image.width // SCALE), max(1, image.height // SCALE))
    return image.resize(size, Image.Resampling.BOX)


def packed(image: Image.Image) -> bytes:
    """A picture in few colors, as a PNG."""
    few = image.quantize(COLORS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    file = io.BytesIO()
    few.save(file, "PNG", optimize=True)
    return file.getvalue()


def difference(old: Image.Image, new: Image.Image) -> tuple[float, Image.Image]:
    """The share of pixels that differ, and a picture that shows where."""
    size = (max(old.width, new.width), max(old.height, new.height))
    first, second = (_padded(image.convert("RGB"), size).filter(ImageFilter.BoxBlur(1)) for image in (old, new))
    red, green, blue = ImageChops.difference(first, second).split()
    most = ImageChops.lighter(ImageChops.lighter(red, green), blue).point(lambda value: 255 * (value >= NOTICED))
    changed = Image.composite(most, Image.new("L", size, 255), _both(old, new, size))
    shown = Image.blend(second, Image.new("RGB", size, (255, 255, 255)), 0.7)
    shown.paste((220, 0, 60), mask=changed)
    return changed.histogram()[255] / (size[0] * size[1]), shown


def _both(old: Image.Image, new: Image.Image, size: tuple[int, int]) -> Image.Image:
    """Where both pictures are: what only one of them has differs, whatever it shows."""
    mask = Image.new("L", size, 0)
    mask.paste(255, (0, 0, min(old.width, new.width), min(old.height, new.height)))
    return mask


def _padded(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    canvas = Image.new("RGB", size)
    canvas.paste(image)
    return canvas
