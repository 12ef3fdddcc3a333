"""Drawing a social card. For cards, only this module and `card_files` load Pillow."""

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
from devlog.features.social_cards.render.font_fallback import Face, face_for
from devlog.features.social_cards.render.png import indexed_png
from devlog.model.target import Blob, Resources, Target

if TYPE_CHECKING:
    from PIL import Image

_SMALL = 16
"""So many colors take half the bytes, and half the time, of more."""

_FEW_SHADES = 4
_MANY_SHADES = 15
"""From the paper to an ink: of few, letters are smooth enough at the size in which cards are shown."""

_COVERED = [0] + [255] * 255

_STEP = 0.94
"""From one size of letters that is tried to the next."""

# Between which letters a line may break though there is no space: those of Chinese and Japanese.
_IDEOGRAPH = "\u2e80-\u2fff\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
# Marks stay with the letter before them.
_CLOSING = "、。，．・：；？！）」』】〕〉》ー…‥々ゝゞヽヾ％"
_PIECE = re.compile(rf"[{_IDEOGRAPH}][{_CLOSING}]*|[^\s{_IDEOGRAPH}]+|\s+")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")


class Set(msgspec.Struct, frozen=True):
    """A text as it is set.

    Attributes:
        lines: of the text.
        size: of the letters.
        places: of the lines: the left end, and the height of the line on which letters stand.
    """

    lines: tuple[str, ...]
    size: int
    places: tuple[tuple[float, float], ...]


def card(target: Target, resources: Resources) -> bytes:
    """The recipe of a card."""
    (layout,) = target.context["layout"]
    shown: Card = target.context["card"]
    font, background = target.context.get("font"), target.context.get("background")
    data = resources.blobs[font.digest] if isinstance(font, Blob) else b""
    if isinstance(background, Blob):
        return _on_picture(shown, layout, data, resources.blobs[background.digest])
    return _on_paper(shown, layout, data)


# -- setting


class _Piece(NamedTuple):
    """What a line cannot be broken in, and how wide it is."""

    text: str
    width: float


def set_text(words: Words, text: str, font: bytes) -> Set:
    """Set a text into its box: as large as it can be, cut at a word if even the smallest size is too large.

    Args:
        words: the box, and how its text looks.
        text: what it says.
        font: the font's file; empty for the one that comes with Pillow.
    """
    measure = face_for(font, _MEASURE, text)
    text = measure.spelled(text[:_MOST])
    pieces = [_Piece(piece, measure.length(piece) / _MEASURE) for piece in _pieces(text)]
    size = float(words.size[0])
    while True:
        points = max(words.size[1], round(size))
        face = face_for(font, points, text)
        room = words.box[2] - 2 * _stroke(words, points)
        lines, fits = _lines(words, pieces, face, room)
        if fits or points == words.size[1]:
            break
        size *= _STEP
    most = _most(words, points)
    if len(lines) > most:
        lines = [*lines[: most - 1], _cut(" ".join(lines[most - 1 :]), face, room)]
    return Set(tuple(lines), points, tuple(_places(words, lines, face)))


_MEASURE = 64
"""The size in which letters are measured once for all sizes."""


def _most(words: Words, size: int) -> int:
    """How many lines the box has room for."""
    return max(1, min(words.lines, int((words.box[3] - size * 1.2) // (size * words.leading)) + 1))


def _lines(words: Words, pieces: Sequence[_Piece], face: Face, room: float) -> tuple[list[str], bool]:
    """The lines of a text in one size, as even as they can be, and whether they fit."""
    scaled = [_Piece(piece.text, piece.width * face.size) for piece in pieces]
    if any(piece.width > room for piece in scaled):
        if face.size > words.size[1]:
            return [], False
        parts = [part for piece in scaled for part in _broken(piece, face, room)]
        return _filled(parts, room), False
    lines = _balanced(scaled, room)
    return lines, len(lines) <= _most(words, face.size) and all(face.length(line) <= room for line in lines)


def _places(words: Words, lines: Sequence[str], face: Face) -> list[tuple[float, float]]:
    left, top, width, height = words.box
    ascent, descent = face.metrics
    step = face.size * words.leading
    used = ascent + descent + step * (len(lines) - 1)
    start = top + {"top": 0.0, "middle": (height - used) / 2, "bottom": height - used}[words.place]
    stroke = _stroke(words, face.size)
    found = []
    for index, line in enumerate(lines):
        align = "right" if words.align == "left" and _RIGHT_TO_LEFT.match(line) else words.align
        free = width - 2 * stroke - face.length(line)
        shift = {"left": 0.0, "center": free / 2, "right": free}[align]
        found.append((float(round(left + stroke + shift)), float(round(start + ascent + index * step))))
    return found


def _stroke(words: Words, size: int) -> float:
    return round(words.weight * size, 1)


def _pieces(text: str) -> list[str]:
    """The pieces between which lines may break; long identifiers may break after their own marks, too."""
    found: list[str] = []
    for piece in _PIECE.findall(text):
        found += _PART.findall(piece) if len(piece) > _LONG else [piece]
    return found


_LONG = 20
_MOST = 1000
"""More letters than this fit into no box."""
_PART = re.compile(r"[^._/:=-]*[._/:=-]+|[^._/:=-]+")


def _balanced(pieces: Sequence[_Piece], width: float) -> list[str]:
    """The lines of a text: as few as there can be, and as even as they can be."""
    lines = _filled(pieces, width)
    low, high = width * 0.4, width
    while len(lines) > 1 and high - low > width * 0.02:
        middle = (low + high) / 2
        if len(_filled(pieces, middle)) > len(lines):
            low = middle
        else:
            high = middle
    return _filled(pieces, high)


def _broken(piece: _Piece, face: Face, width: float) -> Iterator[_Piece]:
    """A piece that is wider than a line, cut anywhere."""
    rest = piece.text
    while rest:
        end = max(1, bisect_right(range(1, len(rest) + 1), width, key=partial(_length, face, rest)))
        yield _Piece(rest[:end], face.length(rest[:end]))
        rest = rest[end:]


def _length(face: Face, text: str, end: int) -> float:
    return face.length(text[:end])


def _filled(pieces: Sequence[_Piece], width: float) -> list[str]:
    """Lines filled one after the other."""
    lines, line, length = [], "", 0.0
    for piece, own in pieces:
        if line and length + own > width and not piece.isspace():
            lines.append(line.strip())
            line, length = "", 0.0
        if line or not piece.isspace():
            line, length = line + piece, length + own
    return [*lines, line.strip()] if line.strip() else lines


def _cut(text: str, face: Face, width: float) -> str:
    """The beginning of a text that fits into a line, with an ellipsis."""
    dots = "…" if face.has("…") else "..."
    if face.length(text) <= width:
        return text
    for parts in (_PIECE.findall(text), text):
        if end := bisect_right(range(1, len(parts) + 1), width, key=partial(_length_cut, face, parts, dots)):
            return _begun(parts, dots, end)
    return dots


def _length_cut(face: Face, parts: Sequence[str], dots: str, end: int) -> float:
    return face.length(_begun(parts, dots, end))


def _begun(parts: Sequence[str], dots: str, end: int) -> str:
    """The first parts of a text, with an ellipsis."""
    return "".join(parts[:end]).rstrip(" .,;:–—") + dots


# -- drawing


def texts(shown: Card, layout: Layout, font: bytes) -> list[tuple[Words, Set]]:
    """All texts of a card as they are set."""
    return [(words, set_text(words, text, font)) for words, text in _texts(shown, layout)]


def _texts(shown: Card, layout: Layout) -> Iterator[tuple[Words, str]]:
    """What a card says where."""
    for words in layout.text:
        if text := getattr(shown, words.field):
            yield words, words.before + text


def _on_paper(shown: Card, layout: Layout, font: bytes) -> bytes:
    """A card of few colors: each letter is drawn as shades between the paper and its own color."""
    from PIL import Image

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
    for words, text in _texts(shown, layout):
        draw = _shared if words.field in _COMMON else _shaded
        drawn = draw(words, text, font, index[words.color], shades)
        image.paste(drawn.shades, drawn.place, drawn.covered)
    return indexed_png(image, palette)


class _Shaded(NamedTuple):
    """A text as it is pasted on paper: the indexes of its shades, where, and which pixels."""

    shades: Image.Image
    place: tuple[int, int]
    covered: Image.Image


_COMMON = frozenset({"topic", "authors", "site"})
"""What many cards say. Titles are large, and no two are the same."""


def _shaded(words: Words, text: str, font: bytes, ink: int, shades: int) -> _Shaded:
    """A text in shades of an ink.

    Args:
        words: the box, and how its text looks.
        text: what it says.
        font: the font's file; empty for the one that comes with Pillow.
        ink: the index of the full color; the lighter shades stand before it.
        shades: how many there are.
    """
    mask, place = _mask(words, set_text(words, text, font), font)
    return _Shaded(mask.point(_indexes(ink, shades)), place, mask.point(_COVERED))


_shared = lru_cache(maxsize=256)(_shaded)


@lru_cache(maxsize=16)
def _indexes(ink: int, shades: int) -> list[int]:
    """The index of the shade for each of 256 levels of a mask."""
    return [0] + [ink - shades + max(1, round(level * shades / 255)) for level in range(1, 256)]


def _on_picture(shown: Card, layout: Layout, font: bytes, data: bytes) -> bytes:
    from PIL import Image

    image = _picture(data).copy()
    for shape in layout.shape:
        left, top, width, height = shape.box
        image.paste(_color(layout, shape.color, shown), (left, top, left + width, top + height))
    for words, lines in texts(shown, layout, font):
        mask, place = _mask(words, lines, font)
        image.paste(_color(layout, words.color, shown), place, mask)
    out = BytesIO()
    image.quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(out, "PNG", compress_level=5)
    return out.getvalue()


@lru_cache(maxsize=2)
def _picture(data: bytes) -> Image.Image:
    from PIL import Image

    image = Image.open(BytesIO(data), formats=["PNG"])
    return image.convert("RGB")


def _mask(words: Words, lines: Set, font: bytes) -> tuple[Image.Image, tuple[int, int]]:
    """Where a text covers the card, and how much, as a picture of its box and of what hangs out of it."""
    from PIL import Image

    left, top, width, height = words.box
    margin = lines.size // 2
    mask = Image.new("L", (width + 2 * margin, height + 2 * margin), 0)
    for line, (x, y) in zip(lines.lines, lines.places, strict=True):
        face = face_for(font, lines.size, line)
        face.draw(mask, (x - left + margin, y - top + margin), line, _stroke(words, lines.size))
    box = mask.getbbox() or (0, 0, 1, 1)
    return mask.crop(box), (left - margin + box[0], top - margin + box[1])


def _color(layout: Layout, name: str, shown: Card) -> tuple[int, int, int]:
    return rgb(layout.colors[name], {"topic": shown.topic_hue, "accent": shown.accent_hue})


def _mixed(one: tuple[int, int, int], other: tuple[int, int, int], part: float) -> tuple[int, int, int]:
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(one, other, strict=True))
    return red, green, blue
