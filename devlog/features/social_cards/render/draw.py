"""Draws a social card. Of the modules that render, only this one and `font_fallback` load Pillow."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from devlog.features.social_cards.model import HEIGHT, WIDTH, Card, Layout, Words
from devlog.features.social_cards.render.colors import rgb
from devlog.features.social_cards.render.font_fallback import SizedFont, face_for
from devlog.features.social_cards.render.png import indexed_png
from devlog.model.target import Blob, Resources, Target

if TYPE_CHECKING:
    from PIL import Image

_SMALL = 16
"""With at most this number of colors, a card takes half the bytes and half the time."""

_FEW_SHADES = 4
_MANY_SHADES = 15
"""The number of shades from the paper to a text color. A few make letters smooth enough at the usual size of cards."""

_STEP = 0.94
"""The ratio between two font sizes that are tried in a row."""

# Chinese and Japanese letters, between which a line may break without a space.
_IDEOGRAPH = "\u2e80-\u2fff\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
# Marks that stay with the letter before them.
_CLOSING = "、。，．・：；？！）」』】〕〉》ー…‥々ゝゞヽヾ％"
_PIECE = re.compile(rf"[{_IDEOGRAPH}][{_CLOSING}]*|[^\s{_IDEOGRAPH}]+|\s+")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")


class Set(msgspec.Struct, frozen=True):
    """A text after layout.

    Attributes:
        lines: the lines of the text.
        size: the font size.
        places: the position of each line: its left end, and the height of its baseline.
    """

    lines: tuple[str, ...]
    size: int
    places: tuple[tuple[float, float], ...]


def card(target: Target, resources: Resources) -> bytes:
    """The recipe for a card."""
    (layout,) = target.context["layout"]
    shown: Card = target.context["card"]
    regular, bold, background = (
        resources.blobs[file.digest] if isinstance(file, Blob) else b""
        for file in map(target.context.get, ("font", "bold", "background"))
    )
    try:
        return _drawn(shown, layout, Fonts(regular, bold), background)
    except (OSError, RuntimeError):  # from FreeType or Raqm: a letter of a damaged font may fail in some sizes alone
        return _drawn(shown, layout, Fonts(), background)


def _drawn(shown: Card, layout: Layout, fonts: Fonts, background: bytes) -> bytes:
    return _on_picture(shown, layout, fonts, background) if background else _on_paper(shown, layout, fonts)


class Fonts(NamedTuple):
    """The font files of a card, each empty for the font in Pillow; without a bold one, the other is drawn bolder."""

    regular: bytes = b""
    bold: bytes = b""


# -- text layout


class _Piece(NamedTuple):
    """A text without a line break opportunity, and its width."""

    text: str
    width: float


def set_text(words: Words, text: str, font_file: bytes) -> Set:
    """Lay out a text in its box: as large as possible, truncated at a word if it is too long for the smallest size.

    Args:
        words: the box and the style of its text.
        text: the text.
        font_file: the font file; empty for the font in Pillow.
    """
    text = " ".join(text[:_MOST].split())  # Raqm lays out no text of separators of paragraphs
    measure = face_for(font_file, _MEASURE, text)
    text = measure.spelled(text)
    pieces = [_Piece(piece, measure.length(piece) / _MEASURE) for piece in _pieces(text)]
    size = float(words.size[0])
    while True:
        points = max(words.size[1], round(size))
        font = face_for(font_file, points, text)
        room = words.box[2] - 2 * _stroke(words, points)
        lines, fits = _lines(words, pieces, font, room)
        if fits or points == words.size[1]:
            break
        size *= _STEP
    most = _most(words, points)
    if len(lines) > most:
        lines = [*lines[: most - 1], _cut(" ".join(lines[most - 1 :]), font, room)]
    return Set(tuple(lines), points, tuple(_places(words, lines, font)))


_MEASURE = 64
"""The font size in which letters are measured once for all sizes."""


def _most(words: Words, size: int) -> int:
    """The number of lines that fit in the box."""
    return max(1, min(words.lines, int((words.box[3] - size * 1.2) // (size * words.leading)) + 1))


def _lines(words: Words, pieces: Sequence[_Piece], font: SizedFont, room: float) -> tuple[list[str], bool]:
    """The lines of a text in one size, with lengths as even as possible, and whether they fit."""
    scaled = [_Piece(piece.text, piece.width * font.size) for piece in pieces]
    if any(piece.width > room for piece in scaled):
        if font.size > words.size[1]:
            return [], False
        parts = [part for piece in scaled for part in _broken(piece, font, room)]
        return _filled(parts, room), False
    lines = _balanced(scaled, room)
    return lines, len(lines) <= _most(words, font.size) and all(font.length(line) <= room for line in lines)


def _places(words: Words, lines: Sequence[str], font: SizedFont) -> list[tuple[float, float]]:
    left, top, width, height = words.box
    ascent, descent = font.metrics
    step = font.size * words.leading
    used = ascent + descent + step * (len(lines) - 1)
    start = top + {"top": 0.0, "middle": (height - used) / 2, "bottom": height - used}[words.place]
    stroke = _stroke(words, font.size)
    found = []
    for index, line in enumerate(lines):
        align = "right" if words.align == "left" and _RIGHT_TO_LEFT.match(line) else words.align
        free = width - 2 * stroke - font.length(line)
        shift = {"left": 0.0, "center": free / 2, "right": free}[align]
        found.append((float(round(left + stroke + shift)), float(round(start + ascent + index * step))))
    return found


def _stroke(words: Words, size: int) -> float:
    return round(words.weight * size, 1)


def _pieces(text: str) -> list[str]:
    """The pieces between which lines may break. Long identifiers may also break after their separators."""
    found: list[str] = []
    for piece in _PIECE.findall(text):
        found += _PART.findall(piece) if len(piece) > _LONG else [piece]
    return found


_LONG = 20
_MOST = 1000
"""The maximum number of letters; no box has room for more."""
_PART = re.compile(r"[^._/:=-]*[._/:=-]+|[^._/:=-]+")


def _balanced(pieces: Sequence[_Piece], width: float) -> list[str]:
    """The lines of a text: as few as possible, with lengths as even as possible."""
    lines = _filled(pieces, width)
    low, high = width * 0.4, width
    while len(lines) > 1 and high - low > width * 0.02:
        middle = (low + high) / 2
        if len(_filled(pieces, middle)) > len(lines):
            low = middle
        else:
            high = middle
    return _filled(pieces, high)


def _broken(piece: _Piece, font: SizedFont, width: float) -> Iterator[_Piece]:
    """A piece that is wider than a line, broken between any letters."""
    rest = piece.text
    while rest:
        end = max(1, bisect_right(range(1, len(rest) + 1), width, key=partial(_length, font, rest)))
        yield _Piece(rest[:end], font.length(rest[:end]))
        rest = rest[end:]


def _length(font: SizedFont, text: str, end: int) -> float:
    return font.length(text[:end])


def _filled(pieces: Sequence[_Piece], width: float) -> list[str]:
    """The lines of a text, each filled as far as possible."""
    lines, line, length = [], "", 0.0
    for piece, own in pieces:
        if line and length + own > width and not piece.isspace():
            lines.append(line.strip())
            line, length = "", 0.0
        if line or not piece.isspace():
            line, length = line + piece, length + own
    return [*lines, line.strip()] if line.strip() else lines


def _cut(text: str, font: SizedFont, width: float) -> str:
    """A text truncated to fit into a line, with an ellipsis."""
    dots = "…" if font.has("…") else "..."
    if font.length(text) <= width:
        return text
    for parts in (_PIECE.findall(text), text):
        if end := bisect_right(range(1, len(parts) + 1), width, key=partial(_length_cut, font, parts, dots)):
            return _begun(parts, dots, end)
    return dots


def _length_cut(font: SizedFont, parts: Sequence[str], dots: str, end: int) -> float:
    return font.length(_begun(parts, dots, end))


def _begun(parts: Sequence[str], dots: str, end: int) -> str:
    """The first parts of a text, with an ellipsis."""
    return "".join(parts[:end]).rstrip(" .,;:–—") + dots


# -- drawing


def _texts(shown: Card, layout: Layout, fonts: Fonts) -> Iterator[tuple[Words, str, bytes]]:
    """The texts of a card, each with its box and its font file."""
    for words in layout.text:
        if text := getattr(shown, words.field):
            if words.weight and fonts.bold:
                yield msgspec.structs.replace(words, weight=0), words.before + text, fonts.bold
            else:
                yield words, words.before + text, fonts.regular


def _on_paper(shown: Card, layout: Layout, fonts: Fonts) -> bytes:
    """A card with few colors: each letter is drawn in shades between the background and its own color."""
    from PIL import Image, ImageChops

    inks = list(dict.fromkeys(words.color for words in layout.text))
    flat = [name for name in dict.fromkeys(shape.color for shape in layout.shape) if name not in inks]
    shades = _FEW_SHADES if 1 + len(flat) + _FEW_SHADES * len(inks) <= _SMALL else _MANY_SHADES
    paper = _color(layout, "paper", shown)
    palette = [paper, *(_color(layout, name, shown) for name in flat)]
    index = {name: place for place, name in enumerate(flat, 1)}
    for name in inks:
        ink = _color(layout, name, shown)
        palette += [_mixed(paper, ink, shade / shades) for shade in range(1, shades + 1)]
        index[name] = len(palette) - 1
    image = Image.new("P", (WIDTH, HEIGHT), 0)
    for shape in layout.shape:
        left, top, width, height = shape.box
        image.paste(index[shape.color], (left, top, left + width, top + height))
    for words, text, font_file in _texts(shown, layout, fonts):
        draw = _shared if words.field in _COMMON else _shaded
        drawn = draw(words, text, font_file, index[words.color], shades)
        left, top = drawn.place
        below = image.crop((left, top, left + drawn.shades.width, top + drawn.shades.height))
        # Where a text leaves the card as it is, its index is 0, and inks have the highest ones.
        image.paste(ImageChops.lighter(below, drawn.shades), drawn.place)
    return indexed_png(image, palette)


class _Shaded(NamedTuple):
    """A text to put on paper: the color indexes of its shades, 0 beside letters, and its position."""

    shades: Image.Image
    place: tuple[int, int]


_COMMON = frozenset({"topic", "authors", "site"})
"""Fields that have the same text on many cards. Titles are large, and each is different."""


def _shaded(words: Words, text: str, font_file: bytes, ink: int, shades: int) -> _Shaded:
    """Draw a text in shades of a color.

    Args:
        words: the box and the style of its text.
        text: the text.
        font_file: the font file; empty for the font in Pillow.
        ink: the index of the full color, which comes after those of the lighter shades.
        shades: the number of shades.
    """
    mask, place = _mask(words, set_text(words, text, font_file), font_file)
    return _Shaded(mask.point(_indexes(ink, shades), "P"), place)


_shared = lru_cache(maxsize=256)(_shaded)


@lru_cache(maxsize=16)
def _indexes(ink: int, shades: int) -> list[int]:
    """The color index for each of the 256 levels of a mask."""
    return [0] + [ink - shades + max(1, round(level * shades / 255)) for level in range(1, 256)]


def _on_picture(shown: Card, layout: Layout, fonts: Fonts, data: bytes) -> bytes:
    from PIL import Image

    image = _picture(data).copy()
    for shape in layout.shape:
        left, top, width, height = shape.box
        image.paste(_color(layout, shape.color, shown), (left, top, left + width, top + height))
    for words, text, font_file in _texts(shown, layout, fonts):
        mask, place = _mask(words, set_text(words, text, font_file), font_file)
        image.paste(_color(layout, words.color, shown), place, mask)
    out = BytesIO()
    image.quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(out, "PNG", compress_level=5)
    return out.getvalue()


@lru_cache(maxsize=2)
def _picture(data: bytes) -> Image.Image:
    from PIL import Image

    image = Image.open(BytesIO(data), formats=["PNG"])
    return image.convert("RGB")


def _mask(words: Words, lines: Set, font_file: bytes) -> tuple[Image.Image, tuple[int, int]]:
    """The coverage of a text as a mask, which may extend beyond its box, and the position of the mask on the card."""
    from PIL import Image

    left, top, width, height = words.box
    margin = lines.size // 2
    mask = Image.new("L", (width + 2 * margin, height + 2 * margin), 0)
    for line, (x, y) in zip(lines.lines, lines.places, strict=True):
        font = face_for(font_file, lines.size, line)
        font.draw(mask, (x - left + margin, y - top + margin), line, _stroke(words, lines.size))
    box = mask.getbbox() or (0, 0, 1, 1)
    return mask.crop(box), (left - margin + box[0], top - margin + box[1])


def _color(layout: Layout, name: str, shown: Card) -> tuple[int, int, int]:
    given = layout.colors[name]
    of_brand, usual = given if isinstance(given, tuple) else ("", given)
    return rgb(shown.brand.get(of_brand, usual), {"topic": shown.topic_hue, "accent": shown.accent_hue})


def _mixed(one: tuple[int, int, int], other: tuple[int, int, int], part: float) -> tuple[int, int, int]:
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(one, other, strict=True))
    return red, green, blue
