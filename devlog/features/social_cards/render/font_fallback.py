"""Font fallback: composes accented letters that a font lacks from marks, and replaces some signs by other letters."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from io import BytesIO
from itertools import pairwise, zip_longest
from math import ceil, floor
from typing import TYPE_CHECKING, NamedTuple

from devlog.model.composed import composed

if TYPE_CHECKING:
    from PIL import Image
    from PIL.ImageFont import FreeTypeFont

_SHAPED = re.compile("[\u0590-\u08ff\u0900-\u109f\u1780-\u17ff\ufb1d-\ufdff\ufe70-\ufefc]")
"""Letters whose form or order depends on the letters around them."""

SPELLED = {
    "\u00a0": " ",
    "\u00ad": "",
    "–": "-",
    "—": "-",
    "‐": "-",
    "‑": "-",
    "−": "-",
    "×": "x",
    "→": "->",
    "←": "<-",
    "⇒": "=>",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "≈": "~",
    "•": "·",
    "„": "“",
    "‚": "‘",
    "ß": "ss",
    "ẞ": "SS",
    "æ": "ae",
    "Æ": "AE",
    "œ": "oe",
    "Œ": "OE",
    "ı": "i",
    "đ": "d",
    "Đ": "D",
    "ø": "o",
    "Ø": "O",
    "ł": "l",
    "Ł": "L",
    "þ": "th",
    "Þ": "Th",
    "ð": "d",
    "Ð": "D",
    "²": "2",
    "³": "3",
    "¹": "1",
    "µ": "u",
}
"""Replacements for signs that a font lacks."""


class Mark(NamedTuple):
    """A part of an accent: a letter of the font, scaled, mirrored or moved. Lengths are fractions of the font size.

    Attributes:
        letter: a letter of the font.
        scale: its size.
        shift: how far it is moved to the right.
        is_mirrored: whether left and right are swapped.
        is_below: whether it is below the letter.
    """

    letter: str
    scale: float = 1.0
    shift: float = 0.0
    is_mirrored: bool = False
    is_below: bool = False


_MARKS = {
    "\u0301": (Mark("´"),),
    "\u0300": (Mark("´", is_mirrored=True),),
    "\u0308": (Mark(".", 0.9, -0.1), Mark(".", 0.9, 0.1)),
    "\u0302": (Mark("´", 0.9, -0.055), Mark("´", 0.9, 0.055, is_mirrored=True)),
    "\u030c": (Mark("´", 0.9, -0.055, is_mirrored=True), Mark("´", 0.9, 0.055)),
    "\u0306": (Mark("´", 0.9, -0.055, is_mirrored=True), Mark("´", 0.9, 0.055)),
    "\u030b": (Mark("´", 1, -0.07), Mark("´", 1, 0.07)),
    "\u0303": (Mark("~", 0.75),),
    "\u0304": (Mark("-", 0.9),),
    "\u0307": (Mark(".", 0.9),),
    "\u030a": (Mark("°", 0.75),),
    "\u0327": (Mark(",", 0.8, 0.0, is_below=True),),
    "\u0326": (Mark(",", 0.8, 0.0, is_below=True),),
    "\u0328": (Mark(",", 0.8, 0.08, is_mirrored=True, is_below=True),),
    "\u0323": (Mark(".", 0.9, is_below=True),),
}


_BOLD = re.compile("bold|black|heavy", re.IGNORECASE)
_SLANTED = re.compile("italic|oblique", re.IGNORECASE)
"""Parts of the names of styles; a semibold one is bold enough."""


class SizedFont:
    """A font in one size."""

    def __init__(self, data: bytes, size: int, *, shaped: bool = False) -> None:
        """
        Args:
            data: the font file; empty for the font in Pillow. Raises OSError if it is not a font.
            size: the font size in pixels.
            shaped: whether to join and reorder letters as some scripts need. Not all systems can do that.
        """
        self.size = size
        self._data = data
        self._shaped = shaped
        self._font = _font(data, size, shaped=shaped)

    def has(self, letter: str) -> bool:
        """Whether the font itself has a letter."""
        return letter.isascii() or _has(self._data, letter)

    def can_write(self, letter: str) -> bool:
        """Whether a letter can be drawn, directly or through a fallback."""
        if self.has(letter):
            return True
        if letter in SPELLED:
            return all(map(self.has, SPELLED[letter]))
        base, marks = parts(letter)
        return base != letter and self.has(base) and all(mark in _MARKS for mark in marks)

    def spelled(self, text: str) -> str:
        """A text in which signs that the font lacks are replaced."""
        if text.isascii():
            return text
        text = composed(text)
        return "".join(letter if self.has(letter) else SPELLED.get(letter, letter) for letter in text)

    def length(self, text: str) -> float:
        """The width of a line."""
        bare = self._bare(text)
        if self._shaped or not bare:
            return float(self._font.getlength(bare))
        steps = (_step(self._data, self.size, one, other) for one, other in pairwise(bare))
        return sum(steps, _step(self._data, self.size, bare[-1], ""))

    @property
    def is_bold(self) -> bool:
        """Whether the font says that its style is an upright bold one."""
        style = self._font.getname()[1] or ""
        return bool(_BOLD.search(style)) and not _SLANTED.search(style)

    @property
    def metrics(self) -> tuple[int, int]:
        """How far letters extend above and below the baseline."""
        return self._font.getmetrics()

    def _bare(self, text: str) -> str:
        """A line without the marks that `draw` adds itself."""
        if text.isascii():
            return text
        return "".join(letter if self.has(letter) else parts(letter)[0] for letter in text)

    def draw(self, mask: Image.Image, at: tuple[float, float], text: str, stroke: float) -> None:
        """Draw a line of text.

        Args:
            mask: an image of mode ``L``.
            at: the left end of the line and the height of its baseline.
            text: the line.
            stroke: how much bolder than the font to draw it.
        """
        bare = self._bare(text)
        if self._shaped:
            from PIL import ImageDraw

            ImageDraw.Draw(mask).text(at, bare, 255, self._font, anchor="ls", stroke_width=stroke)
        else:
            self._draw_letters(mask, at, bare, stroke)
        if text.isascii():
            return
        for index, letter in enumerate(text):
            if not self.has(letter):
                x = at[0] + self.length(text[:index])
                self._add_marks(mask, (x, at[1]), letter, stroke)

    def _draw_letters(self, mask: Image.Image, at: tuple[float, float], text: str, stroke: float) -> None:
        x, y = at
        for letter, following in zip_longest(text, text[1:], fillvalue=""):
            drawn = _letter(self._data, self.size, letter, stroke)
            if drawn.image:
                mask.paste(255, (round(x) + drawn.left, round(y) + drawn.top), drawn.image)
            x += _step(self._data, self.size, letter, following)

    def _add_marks(self, mask: Image.Image, at: tuple[float, float], letter: str, stroke: float) -> None:
        base, marks = parts(letter)
        left, top, right, bottom = self._font.getbbox(base, anchor="ls", stroke_width=stroke)
        above = [mark for name in marks for mark in _MARKS.get(name, ()) if not mark.is_below]
        if base in "ij" and above:  # remove the dot
            top = self._font.getbbox("x", anchor="ls", stroke_width=stroke)[1]
            dot = self._font.getbbox(base, anchor="ls", stroke_width=stroke)[1]
            mask.paste(0, (round(at[0] + left), round(at[1] + dot), round(at[0] + right) + 1, round(at[1] + top)))
        for mark in (mark for name in marks for mark in _MARKS.get(name, ())):
            drawn = self._mark(mark, stroke)
            x = at[0] + (left + right) / 2 + mark.shift * self.size - drawn.width / 2
            gap = max(1, round(self.size * 0.045))
            y = at[1] + (bottom + gap // 2 if mark.is_below else top - gap - drawn.height)
            mask.paste(255, (round(x), round(y)), drawn)

    def _mark(self, mark: Mark, stroke: float) -> Image.Image:
        """A mark alone, as a mask that is just large enough."""
        from PIL import Image, ImageDraw

        size = max(6, round(self.size * mark.scale))
        drawn = Image.new("L", (size * 2, size * 2), 0)
        font = _font(self._data, size, shaped=False)
        ImageDraw.Draw(drawn).text((size // 2, size * 1.3), mark.letter, 255, font, anchor="ls", stroke_width=stroke)
        drawn = drawn.crop(drawn.getbbox())
        return drawn.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if mark.is_mirrored else drawn


def face_for(data: bytes, size: int, text: str) -> SizedFont:
    """The face for a text. Shaping is only used for texts that need it, since not all systems can do it."""
    return SizedFont(data, size, shaped=bool(_SHAPED.search(text)))


@lru_cache(maxsize=4096)
def parts(letter: str) -> tuple[str, str]:
    """A letter without its marks, and the marks."""
    apart = unicodedata.normalize("NFD", letter)
    return apart[:1], apart[1:]


@lru_cache(maxsize=256)
def _font(data: bytes, size: int, *, shaped: bool) -> FreeTypeFont:
    from PIL import ImageFont, features

    engine = ImageFont.Layout.RAQM if shaped and features.check_feature("raqm") else ImageFont.Layout.BASIC
    return ImageFont.truetype(BytesIO(data or _own()), size, layout_engine=engine)


_EDGE = 2
"""How many pixels a bolder letter may extend beyond its bounding box, which is rounded."""


class _Letter(NamedTuple):
    """An image of a letter, and its position relative to the start of the letter on the baseline."""

    image: Image.Image | None
    left: int
    top: int


@lru_cache(maxsize=4096)
def _letter(data: bytes, size: int, letter: str, stroke: float) -> _Letter:
    """A letter of a font, cached: drawing a bold one takes longer than everything else on a card.

    A bolder letter is one that is drawn several times, beside itself: upright strokes grow more than level ones, as in
    a font's own bold, and corners stay sharp. An outline around the letter would round them.
    """
    from PIL import Image, ImageChops, ImageDraw

    font = _font(data, size, shaped=False)
    left, top, right, bottom = font.getbbox(letter, anchor="ls")
    edge = _EDGE + ceil(stroke)
    left, top = floor(left) - edge, floor(top) - edge
    empty = Image.new("L", (ceil(right) + edge - left, ceil(bottom) + edge - top), 0)
    image = empty
    for across, down in _shifts(stroke):
        one = empty.copy()
        ImageDraw.Draw(one).text((across - left, down - top), letter, 255, font, anchor="ls")
        image = ImageChops.lighter(image, one)
    box = image.getbbox()
    return _Letter(image.crop(box), left + box[0], top + box[1]) if box else _Letter(None, 0, 0)


_LEVEL_PART = 0.4
"""How much level strokes of a bolder letter grow, compared with upright ones."""


@lru_cache(maxsize=256)
def _shifts(stroke: float) -> tuple[tuple[float, float], ...]:
    """Where a letter is drawn to be bolder by `stroke` at each side: closer together than its strokes are wide."""
    if not stroke:
        return ((0.0, 0.0),)
    down = _LEVEL_PART * stroke
    return tuple((across, y) for across in (-stroke, stroke) for y in (-down, down))


@lru_cache(maxsize=16384)
def _step(data: bytes, size: int, letter: str, following: str) -> float:
    """The distance from the start of a letter to the start of the following one."""
    font = _font(data, size, shaped=False)
    return float(font.getlength(letter + following) - font.getlength(following))


@cache
def _own() -> bytes:
    from PIL import ImageFont

    font = ImageFont.load_default(16)
    assert isinstance(font, ImageFont.FreeTypeFont), "Pillow was built without FreeType"
    return bytes(font.font_bytes)


@lru_cache(maxsize=8192)
def _has(data: bytes, letter: str) -> bool:
    """Whether a font has a letter. A missing letter looks the same as a letter that no font has."""
    font = _font(data, 24, shaped=False)
    drawn = _drawn(font, letter)
    return drawn != _drawn(font, "\U0010fffd") and any(drawn[1])


def _drawn(font: FreeTypeFont, letter: str) -> tuple[tuple[int, int], bytes]:
    mask, _ = font.getmask2(letter, "L")
    return mask.size, bytes(mask)
