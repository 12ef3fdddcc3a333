"""Examines the files of cards: finds the letters that a font lacks, and crops a background image."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

from devlog.engine.untrusted_images import UnfitError, UnknownFormatError, careful, decoded
from devlog.features.social_cards.model import HEIGHT, WIDTH
from devlog.model.derived import Made

_FORMATS = ("PNG", "JPEG", "WEBP", "AVIF")
_ASCII = [chr(number) for number in range(0x21, 0x7F)]
_SIZE = 24
"""The size in which letters are looked at."""


def look_at_font(parts: Mapping[str, Any], files: Sequence[bytes]) -> Made:
    """Find the letters that a font lacks.

    Args:
        parts: ``letters``: the letters to look for.
        files: the font file, or nothing for the font in Pillow.

    Returns:
        ``missing`` and ``bold``, whether its style is bold, among the facts, and the bytes of the font.
    """
    from PIL import Image

    from devlog.features.social_cards.render.font_fallback import SizedFont

    try:
        font = SizedFont(files[0] if files else b"", _SIZE)
        missing = [letter for letter in parts["letters"] if not font.can_write(letter)]
        bold = bool(files) and font.is_bold
        if files:  # a damaged font may show that only when its letters are drawn
            paper = Image.new("L", (2 * _SIZE, 2 * _SIZE))
            for letter in sorted({*_ASCII, *parts["letters"]}.difference(missing)):
                font.draw(paper, (0, _SIZE), letter, 0)
    except (OSError, ValueError) as error:
        return Made(problem=f"it is not a readable font ({error})")
    return Made({"missing": "".join(missing), "bold": bold}, tuple(files))


def look_at_picture(_parts: Mapping[str, Any], files: Sequence[bytes]) -> Made:
    """An image, cropped and resized to the size of a card."""
    return careful(lambda: Made(blobs=(_cut(files[0]),)))


def _cut(data: bytes) -> bytes:
    """The middle of an image as PNG, in the size of a card."""
    from PIL import Image, ImageOps

    try:
        image, _, _ = decoded(data, formats=_FORMATS, moving=True)
    except UnknownFormatError as error:
        raise UnfitError("it is not a PNG, JPEG, WebP or AVIF") from error
    cut = ImageOps.fit(image.convert("RGB"), (WIDTH, HEIGHT), Image.Resampling.LANCZOS)
    out = BytesIO()
    cut.save(out, "PNG", compress_level=6)
    return out.getvalue()
