"""Colors as style sheets write them: their sRGB values, their contrast, and mixtures.

Follows CSS Color Module Level 4 (W3C) for the notations and for OKLCH, and WCAG 2.2 for contrast.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

import msgspec

Rgb = tuple[int, int, int]

LEAST_CONTRAST = 4.5
"""The contrast that text needs at level AA of WCAG."""

_HEX = re.compile(r"#([0-9a-f]{3}|[0-9a-f]{6})")
_NUMBER = r"[+-]?(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})"
_RGB = re.compile(
    rf"rgb\(\s{{0,9}}({_NUMBER})(%?)(?:\s{{0,9}},\s{{0,9}}|\s{{1,9}})({_NUMBER})(%?)(?:\s{{0,9}},\s{{0,9}}|\s{{1,9}})"
    rf"({_NUMBER})(%?)\s{{0,9}}\)"
)
_OKLCH = re.compile(rf"oklch\(\s{{0,9}}({_NUMBER})(%?)\s{{1,9}}({_NUMBER})(%?)\s{{1,9}}({_NUMBER})(?:deg)?\s{{0,9}}\)")
_FULL_CHROMA = 0.4
"""The chroma that is 100 %."""


class Color(msgspec.Struct, frozen=True):
    """A color.

    Attributes:
        css: its notation for style sheets.
        rgb: red, green and blue, 0 to 255; for a color that sRGB does not have, the nearest one of less chroma.
    """

    css: str
    rgb: Rgb

    @property
    def hex(self) -> str:
        """The color as ``#rrggbb``."""
        return "#{:02x}{:02x}{:02x}".format(*self.rgb)


def read_color(text: str) -> Color | None:
    """Read a color: ``#rgb``, ``#rrggbb``, ``rgb()``, ``oklch()`` or the name of a color, all without transparency.

    Returns:
        The color, or `None` if the text is none of these.
    """
    plain = text.strip().lower()
    if found := _HEX.fullmatch(plain):
        return _of_hex(found[1])
    if found := _RGB.fullmatch(plain):
        red, green, blue = (_byte(float(found[at]) * (2.55 if found[at + 1] else 1)) for at in (1, 3, 5))
        return Color(f"#{red:02x}{green:02x}{blue:02x}", (red, green, blue))
    if found := _OKLCH.fullmatch(plain):
        lightness = min(max(float(found[1]) * (0.01 if found[2] else 1), 0.0), 1.0)
        chroma = max(float(found[3]) * (_FULL_CHROMA / 100 if found[4] else 1), 0.0)
        degrees = float(found[5]) % 360
        css = f"oklch({_short(lightness)} {_short(chroma)} {_short(degrees)})"
        return Color(css, from_oklch(lightness, chroma, degrees))
    if plain.isalpha():
        from devlog.model.color_names import hex_of_names  # a table that few sites need

        digits = hex_of_names().get(plain)
        return _of_hex(digits) if digits else None
    return None


def _of_hex(digits: str) -> Color:
    full = digits if len(digits) == 6 else "".join(2 * digit for digit in digits)
    return Color(f"#{full}", (int(full[:2], 16), int(full[2:4], 16), int(full[4:], 16)))


def _byte(value: float) -> int:
    return round(min(max(value, 0.0), 255.0))


def _short(value: float) -> str:
    return f"{value:.5f}".rstrip("0").rstrip(".")


# -- contrast


def contrast(one: Color, other: Color) -> float:
    """The contrast ratio of two colors, from 1 to 21 (WCAG 2.2)."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def luminance(color: Color) -> float:
    """The relative luminance of a color, from 0 to 1 (WCAG 2.2)."""
    red, green, blue = (_decoded(part / 255) for part in color.rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def mixed(one: Color, other: Color, part: float) -> Color:
    """A mixture in OKLab, as ``color-mix(in oklab, …)`` makes it; `part` is that of the first color, 0 to 1."""
    pairs = zip(_oklab(one.rgb), _oklab(other.rgb), strict=True)
    lightness, a, b = (first * part + second * (1 - part) for first, second in pairs)
    red, green, blue = (_byte(255 * _encoded(value)) for value in _linear(lightness, a, b))
    return Color(f"#{red:02x}{green:02x}{blue:02x}", (red, green, blue))


# -- OKLCH


@lru_cache(maxsize=512)
def from_oklch(lightness: float, chroma: float, degrees: float) -> Rgb:
    """The nearest sRGB color, found by reducing chroma as far as necessary.

    Args:
        lightness: 0 to 1.
        chroma: from 0; above about 0.37, no screen shows it.
        degrees: the hue.
    """
    for step in range(33):
        own = chroma * (1 - step / 32)
        parts = _linear(lightness, own * math.cos(math.radians(degrees)), own * math.sin(math.radians(degrees)))
        if all(-0.0005 <= part <= 1.0005 for part in parts):
            break
    red, green, blue = (_byte(255 * _encoded(part)) for part in parts)
    return red, green, blue


def to_oklch(rgb: Rgb) -> tuple[float, float, float]:
    """The lightness, the chroma and the hue in degrees of an sRGB color."""
    lightness, a, b = _oklab(rgb)
    return lightness, math.hypot(a, b), math.degrees(math.atan2(b, a)) % 360


def _oklab(rgb: Rgb) -> tuple[float, float, float]:
    red, green, blue = (_decoded(part / 255) for part in rgb)
    long = math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    medium = math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    short = math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def _linear(lightness: float, a: float, b: float) -> tuple[float, float, float]:
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )


def _encoded(part: float) -> float:
    part = min(max(part, 0.0), 1.0)
    return 12.92 * part if part <= 0.0031308 else float(1.055 * part ** (1 / 2.4) - 0.055)


def _decoded(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)
