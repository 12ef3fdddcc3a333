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
        return _oklch(text[1:] if len(text) == 7 else "".join(2 * digit for digit in text[1:]))
    try:
        degrees = float(text)
    except ValueError:
        return None, 0
    return (degrees % 360, 1) if math.isfinite(degrees) else (None, 0)


def _oklch(digits: str) -> tuple[float, float]:
    """The hue and chroma in OKLCH of an sRGB color, given as six hexadecimal digits."""
    red, green, blue = (_linear(int(digits[place : place + 2], 16) / 255) for place in (0, 2, 4))
    long = math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    medium = math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    short = math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    a = 1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short
    b = 0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short
    return math.degrees(math.atan2(b, a)) % 360, math.hypot(a, b)


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)
