"""Converts colors of layouts to RGB."""

from __future__ import annotations

from collections.abc import Mapping

from devlog.features.social_cards.model import HEX, OKLCH
from devlog.model.css_color import Rgb, from_oklch


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
    return from_oklch(float(found[1]), float(found[2]), degrees)
