"""Images as engineers put them into posts: screenshots, charts and photographs, the same ones each time.

Their widths, their shares of formats and of alpha channels, and about their lengths are those of the images of a real
blog. None is noise: what encoders do with noise says nothing about what they do with a picture.
"""

from __future__ import annotations

import math
import random
from bisect import bisect
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageChops, ImageColor, ImageDraw, ImageFilter, ImageFont

from .cache import CACHE
from .words import WORDS

WIDTHS = ((0.0, 420), (0.1, 943), (0.25, 1280), (0.5, 1672), (0.75, 2113), (0.9, 3000), (0.99, 4400), (1.0, 7431))
"""The width below which a share of the images lies."""
TALLEST = 5400

DARK = ("#16181d", "#d7dae0", "#7f8794", "#61afef", "#98c379", "#e5c07b", "#c678dd", "#e06c75")
LIGHT = ("#ffffff", "#24292f", "#6e7781", "#0550ae", "#116329", "#953800", "#8250df", "#cf222e")
"""Background, text, faint text, and colors."""


@dataclass(frozen=True)
class Drawn:
    """An image to be drawn.

    Attributes:
        number: in the endless row of images; all else follows from it.
        kind: ``screenshot``, ``chart``, ``rendering`` or ``photograph``.
        width, height: in pixels.
        has_alpha: whether a PNG has an alpha channel.
        is_clear: whether it can be seen through there.
    """

    number: int
    kind: str
    width: int
    height: int
    has_alpha: bool
    is_clear: bool

    @property
    def name(self) -> str:
        """Of the file."""
        return f"{self.kind}-{self.number}.{'jpg' if self.kind == 'photograph' else 'png'}"


def drawn(number: int) -> Drawn:
    """One image of the endless row."""
    rng = random.Random(f"image-{number}")
    width = _width((number * 0.618034) % 1)  # spread evenly, so that a few images have the shares of many
    kind = rng.choices(("screenshot", "chart", "rendering", "photograph"), (56, 33, 8, 3))[0]
    ratio = rng.uniform(0.3, 0.9) if kind == "screenshot" else rng.uniform(0.45, 0.75)
    height = max(160, min(TALLEST, round(width * ratio)))
    has_alpha = kind != "photograph" and rng.random() < 0.68
    return Drawn(number, kind, width, height, has_alpha, has_alpha and rng.random() < 0.15)


def _width(share: float) -> int:
    place = min(bisect([one[0] for one in WIDTHS], share), len(WIDTHS) - 1)
    (low, narrow), (high, wide) = WIDTHS[place - 1], WIDTHS[place]
    return round(narrow * (wide / narrow) ** ((share - low) / (high - low)))


def encoded(one: Drawn) -> bytes:
    """The file of an image."""
    rng = random.Random(f"drawing-{one.number}")
    draw = {"screenshot": _screenshot, "chart": _chart, "rendering": _rendering, "photograph": _photograph}
    image = draw[one.kind](rng, one.width, one.height)
    out = BytesIO()
    if one.kind == "photograph":
        image.save(out, "JPEG", quality=rng.choice((80, 88, 92)))
        return out.getvalue()
    if one.has_alpha:
        image = image.convert("RGBA")
        if one.is_clear:
            corners = Image.new("L", image.size)
            ImageDraw.Draw(corners).rounded_rectangle((0, 0, one.width - 1, one.height - 1), one.width // 40, 255)
            image.putalpha(corners)
    image.save(out, "PNG", compress_level=6)
    return out.getvalue()


def file_of(one: Drawn) -> Path:
    """The file of an image in the cache, where it is drawn only once."""
    path = CACHE / "pictures" / one.name
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encoded(one))
    return path


# -- what they show


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


def _screenshot(rng: random.Random, width: int, height: int) -> Image.Image:
    """A window with code, a log or a table in it; one in five holds a picture as well."""
    colors = rng.choice((DARK, DARK, LIGHT))
    image = Image.new("RGB", (width, height), colors[0])
    draw = ImageDraw.Draw(image)
    size = rng.choice((13, 15, 18, 24, 28))
    font, line = _font(size), round(size * 1.5)
    draw.rectangle((0, 0, width, 2 * line), _mixed(colors[0], colors[2], 0.25))
    for place, color in enumerate(("#ff5f57", "#febc2e", "#28c840")):
        draw.ellipse((12 + place * line, line // 2, 12 + place * line + line, line // 2 + line), color)
    side = rng.choice((0, 0, width // 5))
    if side:
        draw.rectangle((0, 2 * line, side, height), _mixed(colors[0], colors[2], 0.12))
        for row in range(3 * line, height - line, line):
            draw.text((12, row), " ".join(rng.choices(WORDS, k=2)), colors[2], font)
    for row in range(3 * line, height - line, line):
        if rng.random() < 0.12:
            continue
        x = side + 16 + rng.choice((0, 0, 1, 1, 2, 3)) * 2 * size
        end = side + (width - side) * rng.uniform(0.25, 0.95)
        while x < end:
            word = rng.choice(WORDS) + rng.choice(("", "", "_", "()", ":", " =", ",", f" {rng.randrange(65536):#06x}"))
            draw.text((x, row), word, rng.choice((colors[1], colors[1], *colors[2:])), font)
            x += draw.textlength(word, font) + size // 2
    if rng.random() < 0.2:
        wide, tall = width // 3, height // 3
        image.paste(_photograph(rng, wide, tall), (width - wide - line, height - tall - line))
    return image


def _chart(rng: random.Random, width: int, height: int) -> Image.Image:
    """Bars, lines or points between axes, drawn twice as large and made smaller, as plots are smoothed."""
    scale = 2 if width * height < 6_000_000 else 1
    wide, tall = width * scale, height * scale
    image = Image.new("RGB", (wide, tall), rng.choice(("#ffffff", "#ffffff", "#ffffff", "#11131a")))
    ink = "#24292f" if image.getpixel((0, 0)) == (255, 255, 255) else "#d7dae0"
    draw = ImageDraw.Draw(image)
    size = max(11, width // 70) * scale
    font = _font(size)
    left, top, right, bottom = 5 * size, 3 * size, wide - 2 * size, tall - 4 * size
    for step in range(6):
        y = bottom - (bottom - top) * step / 5
        draw.line((left, y, right, y), _mixed(ink, "#808080", 0.8), scale)
        draw.text((size, y - size / 2), f"{step * 20} ms", ink, font)
    draw.text((wide / 3, size / 2), " ".join(rng.choices(WORDS, k=5)).capitalize(), ink, font)
    palette = ("#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2")
    kind = rng.choice(("bars", "lines", "points", "heat"))
    count = rng.randint(4, 14)
    if kind == "bars":
        for place in range(count):
            x = left + (right - left) * (place + 0.2) / count
            draw.rectangle(
                (x, bottom - (bottom - top) * rng.random(), x + (right - left) * 0.6 / count, bottom),
                palette[place % 2],
            )
            draw.text((x, bottom + size / 2), rng.choice(WORDS), ink, font)
    elif kind == "heat":
        cells = rng.randint(12, 48)
        for row in range(cells):
            for column in range(cells):
                x, y = left + (right - left) * column / cells, top + (bottom - top) * row / cells
                heat = 0.5 + 0.5 * math.sin(row / 5 + column / 7) * rng.uniform(0.7, 1)
                box = (x, y, x + (right - left) / cells, y + (bottom - top) / cells)
                draw.rectangle(box, _mixed("#2c0a5e", "#f7d13d", heat))
    else:
        for series in range(rng.randint(1, 5)):
            level, points = rng.random(), []
            for place in range(200):
                level = min(1, max(0, level + rng.gauss(0, 0.03)))
                points.append((left + (right - left) * place / 199, bottom - (bottom - top) * level))
            if kind == "lines":
                draw.line(points, palette[series], 3 * scale, joint="curve")
            else:
                for x, y in points:
                    dot = 4 * scale
                    draw.ellipse((x - dot, y - dot, x + dot, y + dot), palette[series])
            draw.text((right - 8 * size, top + series * 1.4 * size), rng.choice(WORDS), palette[series], font)
    return image.reduce(scale) if scale > 1 else image


def _rendering(rng: random.Random, width: int, height: int) -> Image.Image:
    """Shaded bodies on a smooth ground, as a simulation or a slide shows them."""
    image = _slope(width, height, rng.choice((("#0b1d3a", "#4f86c6"), ("#fdf6e3", "#c8b88a"), ("#101010", "#444b55"))))
    for _ in range(rng.randint(4, 14)):
        side = round(min(width, height) * rng.uniform(0.1, 0.4))
        ball = Image.radial_gradient("L").resize((side, side), Image.Resampling.BICUBIC)
        color = Image.new("RGB", (side, side), f"hsl({rng.randrange(360)}, 60%, 55%)")
        shaded = ImageChops.multiply(color, Image.merge("RGB", [ImageChops.invert(ball)] * 3))
        mask = Image.new("L", (side, side))
        ImageDraw.Draw(mask).ellipse((1, 1, side - 2, side - 2), 255)
        place = (rng.randrange(max(1, width - side)), rng.randrange(max(1, height - side)))
        image.paste(shaded, place, mask.filter(ImageFilter.GaussianBlur(1)))
    return image


def _photograph(rng: random.Random, width: int, height: int) -> Image.Image:
    """Surfaces of several grains under uneven light, with soft edges between them and a little of a sensor's noise."""
    image = _slope(width, height, (f"hsl({rng.randrange(360)}, 30%, 75%)", f"hsl({rng.randrange(360)}, 35%, 30%)"))
    for _ in range(6):
        mask = Image.new("L", (width, height))
        corners = [
            (rng.randrange(-width // 4, width * 5 // 4), rng.randrange(height)) for _ in range(rng.randint(3, 7))
        ]
        ImageDraw.Draw(mask).polygon(corners, 220)
        mask = mask.filter(ImageFilter.GaussianBlur(max(1, width // rng.choice((60, 200, 600)))))
        image.paste(f"hsl({rng.randrange(360)}, {rng.randint(10, 50)}%, {rng.randint(15, 80)}%)", (0, 0), mask)
    for grain, strength in ((64, 0.16), (16, 0.1), (4, 0.06), (1, 0.02)):
        small = (max(2, width // grain), max(2, height // grain))
        noise = Image.frombytes("L", small, rng.randbytes(small[0] * small[1]))
        smooth = noise.filter(ImageFilter.GaussianBlur(1)).resize((width, height), Image.Resampling.BICUBIC)
        image = Image.blend(image, ImageChops.overlay(image, Image.merge("RGB", [smooth] * 3)), min(1, 4 * strength))
    return image


def _slope(width: int, height: int, colors: tuple[str, str]) -> Image.Image:
    """A field whose color changes from top to bottom."""
    slope = Image.linear_gradient("L").resize((width, height), Image.Resampling.BICUBIC)
    return Image.composite(Image.new("RGB", slope.size, colors[1]), Image.new("RGB", slope.size, colors[0]), slope)


def _mixed(one: str, other: str, share: float) -> tuple[int, ...]:
    pairs = zip(ImageColor.getrgb(one), ImageColor.getrgb(other), strict=True)
    return tuple(round(a + (b - a) * share) for a, b in pairs)
