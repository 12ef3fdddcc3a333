"""What cards are made of besides words: which letters a font has, and a picture for the background."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

from devlog.features.social_cards.model import HEIGHT, WIDTH
from devlog.model.derived import Made

_MOST_PIXELS = 40_000_000


def look_at_font(parts: Mapping[str, Any], files: Sequence[bytes]) -> Made:
    """Which of some letters a font does not have.

    Args:
        parts: ``letters``: the letters.
        files: the font, or nothing for the one that comes with Pillow.

    Returns:
        ``missing`` among the facts; and the font's bytes.
    """
    from devlog.features.social_cards.render.font_fallback import Face

    try:
        face = Face(files[0] if files else b"", 24)
        missing = [letter for letter in parts["letters"] if not face.can_write(letter)]
    except (OSError, ValueError) as error:
        return Made(problem=f"it is not a readable font ({error})")
    return Made({"missing": "".join(missing)}, tuple(files))


def look_at_picture(_parts: Mapping[str, Any], files: Sequence[bytes]) -> Made:
    """A picture cut to the size of a card."""
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Pillow finds odd
            image = Image.open(BytesIO(files[0]), formats=["PNG", "JPEG", "WEBP", "AVIF"])
            if image.width * image.height > _MOST_PIXELS:
                return Made(problem=f"it has more than {_MOST_PIXELS // 1_000_000} million pixels")
            cut = ImageOps.fit(image.convert("RGB"), (WIDTH, HEIGHT), Image.Resampling.LANCZOS)
    except UnidentifiedImageError:  # what it says names an object in memory
        return Made(problem="it is not a PNG, JPEG, WebP or AVIF")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        return Made(problem=f"it is not a readable image ({error})")
    out = BytesIO()
    cut.save(out, "PNG", compress_level=6)
    return Made(blobs=(out.getvalue(),))
