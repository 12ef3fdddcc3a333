"""Colors that are given by their hue alone, so that a theme decides their lightness and chroma."""

from __future__ import annotations

import math
import re
from hashlib import blake2b

NAMED_HUES = {"red": 25, "amber": 65, "green": 162, "blue": 250, "violet": 300}
"""The named accent colors, with their hues in OKLCH."""

MUTED = 0.06
GREY = 0.02
"""Below these chromas a color counts as muted, and as gray."""

_HEX = re.compile(r"#([0-9a-f]{3}|[0-9a-f]{6})", re.IGNORECASE)


def hue(name: str) -> int:
    """A hue (0-359) for a topic or an author: always the same for the same name."""
    return int.from_bytes(blake2b(name.encode(), digest_size=4).digest()) % 360


def accent(setting: str | float) -> str:
    """Convert the setting of the accent color into words for the attribute ``data-accent``.

    The hue is rounded to five degrees and split into words that add up to it, so that a style sheet does not need a
    rule for each hue: 235 is ``200 30 5``. ``muted`` stands for a color with little chroma, ``grey`` for one without
    any.

    Args:
        setting: a name, a hue in degrees, or a color as ``#rrggbb`` or ``#rgb``.

    Returns:
        The words; empty if the setting is none of these, so that the style sheet uses its default hue.
    """
    degrees, chroma = _measure(setting)
    if degrees is None:
        return ""
    if chroma < GREY:
        return "grey"
    steps = round(degrees / 5) * 5 % 360
    words = [str(part) for part in (steps // 100 * 100, steps % 100 // 10 * 10, steps % 10) if part]
    return " ".join([*(words or ["0"]), *(["muted"] if chroma < MUTED else [])])


def _measure(setting: str | float) -> tuple[float | None, float]:
    """The hue and the chroma of a setting; the hue is `None` if the setting is not valid."""
    text = str(setting).strip().lower()
    if text in NAMED_HUES:
        return NAMED_HUES[text], 1
    if _HEX.fullmatch(text):
        from devlog.model.css_color import read_color, to_oklch

        color = read_color(text)
        assert color
        _, chroma, degrees = to_oklch(color.rgb)
        return degrees, chroma
    try:
        degrees = float(text)
    except ValueError:
        return None, 0
    return (degrees % 360, 1) if math.isfinite(degrees) else (None, 0)
