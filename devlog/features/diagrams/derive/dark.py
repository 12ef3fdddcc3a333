"""Makes the version of a drawing for dark mode: the same shapes, with all colors mirrored between light and dark.

Programs draw on light paper, and each has other ways to draw on dark paper, or none. What they have drawn can be turned
over as a whole: light becomes dark and the other way round, hues stay. So what was readable stays readable, also where
the text of a post asks for a color.
"""

from __future__ import annotations

import colorsys
import re
from functools import lru_cache

from devlog.features.diagrams.derive.svg import read_svg
from devlog.model.color_names import hex_of_names
from devlog.model.css_color import Rgb, from_oklch, to_oklch
from devlog.model.derived import Made

_LIGHTEST, _DARKEST = 0.93, 0.21
"""The lightness in OKLCH that black and white get: nearly that of the text and the paper of the built-in themes."""
_DARK_ITSELF = b"prefers-color-scheme"


def drawn(data: bytes, *, dark: bool) -> Made:
    """What is published of an SVG that a program wrote.

    Args:
        data: the SVG.
        dark: whether to make a version for dark mode. There is none of a drawing that adapts to the mode itself.

    Returns:
        One or two files, the one for light mode first, and their ``width`` and ``height``.

    Raises:
        BadDrawingError: it is not a usable SVG.
    """
    light = read_svg(data)
    facts = {"width": light.width, "height": light.height}
    if not dark or _DARK_ITSELF in light.data:
        return Made(facts, (light.data,))
    return Made(facts, (light.data, read_svg(light.data, mirrored).data))


_COLOR = re.compile(
    r"url\([^()]{0,200}\)|#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})(?![0-9a-z_-])"
    r"|(?<![\w#.-])(?:(?:rgb|hsl)a?\([^()]{1,80}\)|[a-z]{3,20}(?![\w(.-]))",
    re.IGNORECASE,
)
"""What may be a color in a value, or a reference, which may look like one."""
_NUMBER = re.compile(r"([-+]?\d*\.?\d+(?:e[-+]?\d+)?)(%|deg)?", re.IGNORECASE)


def mirrored(value: str) -> str:
    """A value of a style, such as of ``fill``, with all its colors mirrored."""
    return _COLOR.sub(lambda found: _mirrored(found[0].lower()) or found[0], value)


@lru_cache(maxsize=1024)
def _mirrored(color: str) -> str:
    """A color in the other lightness; empty for a word that names no color."""
    parsed = _parsed(color)
    if parsed is None:
        return ""
    red, green, blue = _turned_over(*parsed[:3])
    code = f"#{red:02x}{green:02x}{blue:02x}"
    return code if parsed[3] >= 1 else f"{code}{round(max(0.0, parsed[3]) * 255):02x}"


def _parsed(color: str) -> tuple[float, float, float, float] | None:
    """Red, green, blue and opacity from 0 to 1; `None` for a word that names no color."""
    if color.startswith("#"):
        digits = color[1:] if len(color) > 5 else "".join(2 * digit for digit in color[1:])
        parts = [int(digits[place : place + 2], 16) / 255 for place in range(0, len(digits), 2)]
        return parts[0], parts[1], parts[2], parts[3] if len(parts) > 3 else 1.0
    if color.startswith("url("):
        return None
    if "(" not in color:
        named = hex_of_names().get(color)
        return _parsed(f"#{named}") if named else None
    numbers = [(float(number), unit) for number, unit in _NUMBER.findall(color.partition("(")[2])]
    if len(numbers) not in (3, 4):
        return None
    opacity = 1.0 if len(numbers) == 3 else numbers[3][0] / (100 if numbers[3][1] == "%" else 1)
    values = [number for number, _ in numbers[:3]]
    if color.startswith("hsl"):
        red, green, blue = colorsys.hls_to_rgb(values[0] / 360 % 1, _within(values[2] / 100), _within(values[1] / 100))
        return red, green, blue, opacity
    red, green, blue = (_within(number / (100 if unit == "%" else 255)) for number, unit in numbers[:3])
    return red, green, blue, opacity


def _within(value: float) -> float:
    return min(1.0, max(0.0, value))


def _turned_over(red: float, green: float, blue: float) -> Rgb:
    """A color with mirrored lightness, and as much of its chroma as sRGB has at that lightness."""
    lightness, chroma, hue = to_oklch((round(255 * red), round(255 * green), round(255 * blue)))
    return from_oklch(_LIGHTEST - (_LIGHTEST - _DARKEST) * _within(lightness), chroma, hue)
