"""Makes the version of a drawing for dark mode: the same shapes, with all colors mirrored between light and dark.

Programs draw on light paper, and each has other ways to draw on dark paper, or none. What they have drawn can be turned
over as a whole: light becomes dark and the other way round, hues stay. So what was readable stays readable, also where
the text of a post asks for a color.
"""

from __future__ import annotations

import colorsys
import math
import re
from functools import lru_cache

from devlog.features.diagrams.derive.svg import read_svg
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
        return _named(color)
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


def _named(color: str) -> tuple[float, float, float, float] | None:
    from PIL import ImageColor  # has the names of CSS

    if color not in ImageColor.colormap:
        return None
    red, green, blue = (part / 255 for part in ImageColor.getrgb(color)[:3])
    return red, green, blue, 1.0


def _within(value: float) -> float:
    return min(1.0, max(0.0, value))


def _turned_over(red: float, green: float, blue: float) -> tuple[int, int, int]:
    """A color with mirrored lightness, and as much of its chroma as sRGB has at that lightness."""
    long, medium, short = (
        math.cbrt(sum(weight * _linear(value) for weight, value in zip(row, (red, green, blue), strict=True)))
        for row in _TO_CONES
    )
    lightness, a, b = (sum(w * v for w, v in zip(row, (long, medium, short), strict=True)) for row in _TO_LAB)
    turned = _LIGHTEST - (_LIGHTEST - _DARKEST) * _within(lightness)
    share, step = 1.0, 0.5
    while step > 0.001 and not _is_in_srgb(_rgb(turned, a * share, b * share)):
        share, step = share - step, step / 2
    while step > 0.001:  # as much as there is room for
        more = share + step
        share, step = more if more <= 1 and _is_in_srgb(_rgb(turned, a * more, b * more)) else share, step / 2
    found = [round(255 * _encoded(_within(value))) for value in _rgb(turned, a * share, b * share)]
    return found[0], found[1], found[2]


# The matrices of OKLab: https://bottosson.github.io/posts/oklab/
_TO_CONES = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
_TO_LAB = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)
_FROM_LAB = (
    (1.0, 0.3963377774, 0.2158037573),
    (1.0, -0.1055613458, -0.0638541728),
    (1.0, -0.0894841775, -1.2914855480),
)
_FROM_CONES = (
    (4.0767416621, -3.3077115913, 0.2309699292),
    (-1.2684380046, 2.6097574011, -0.3413193965),
    (-0.0041960863, -0.7034186147, 1.7076147010),
)


def _is_in_srgb(values: list[float]) -> bool:
    return all(-1e-4 <= value <= 1.0001 for value in values)


def _rgb(lightness: float, a: float, b: float) -> list[float]:
    cones = [sum(w * v for w, v in zip(row, (lightness, a, b), strict=True)) ** 3 for row in _FROM_LAB]
    return [sum(w * v for w, v in zip(row, cones, strict=True)) for row in _FROM_CONES]


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)


def _encoded(value: float) -> float:
    return value * 12.92 if value <= 0.0031308 else float(1.055 * value ** (1 / 2.4) - 0.055)
