"""Converts colors of layouts to RGB."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache

from devlog.features.social_cards.model import HEX, OKLCH

Rgb = tuple[int, int, int]


def rgb(text: str, hues: Mapping[str, int]) -> Rgb:
    """The red, green and blue of a color (0-255).

    Args:
        text: ``#rrggbb``, or ``oklch(LIGHTNESS CHROMA HUE)``.
        hues: the hues that have names.
    """
    if HEX.fullmatch(text):
        return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)
    found = OKLCH.fullmatch(text)
    assert found, "layouts are checked when they are read"
    degrees = hues[found[3]] if found[3] in hues else int(found[3])
    return _from_oklch(float(found[1]), float(found[2]), degrees)


@lru_cache(maxsize=512)
def _from_oklch(lightness: float, chroma: float, degrees: int) -> Rgb:
    """The nearest color that a screen can show, found by reducing chroma as far as necessary."""
    for step in range(33):
        parts = _linear(lightness, chroma * (1 - step / 32), degrees)
        if all(-0.0005 <= part <= 1.0005 for part in parts):
            break
    red, green, blue = (_encoded(part) for part in parts)
    return red, green, blue


def _linear(lightness: float, chroma: float, degrees: int) -> tuple[float, float, float]:
    a, b = chroma * math.cos(math.radians(degrees)), chroma * math.sin(math.radians(degrees))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )


def _encoded(part: float) -> int:
    part = min(max(part, 0.0), 1.0)
    return round(255 * (12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055))
