"""Values about social cards, the images that other sites show for links to a page."""

from __future__ import annotations

import re
from typing import Literal, get_args

import msgspec

from devlog.model.diagnostic import Diagnostic, Span

WIDTH = 1200
HEIGHT = 630

Field = Literal["title", "topic", "authors", "date", "site", "description", "about"]
FIELDS: tuple[Field, ...] = get_args(Field)
Box = tuple[int, int, int, int]
"""Left, top, width and height, in pixels from the top left corner."""


HEX = re.compile(r"#[0-9a-fA-F]{6}")
OKLCH = re.compile(r"oklch\(\s*(0?\.\d{1,4}|[01])\s+(0?\.\d{1,4}|0)\s+(\d{1,3}|topic|accent)\s*\)")


BRAND = ("background", "text", "soft", "line", "accent")
"""The names of colors of a brand in layouts. Sites without a brand do not have them."""


def is_color(text: str) -> bool:
    """Whether a text is a valid color in a layout, apart from those of a brand."""
    return bool(HEX.fullmatch(text) or OKLCH.fullmatch(text))


class Shape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rectangle; ``color`` is the name of a color."""

    box: Box
    color: str


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text in a box.

    Attributes:
        field: the field of the card that has the text.
        box: the position of the box.
        size: the largest and the smallest font size.
        color: the name of a color.
        lines: the maximum number of lines.
        weight: how much bolder than the font the text is, as a fraction of the size; if the brand has a bold font,
            that one is used as it is.
        align: the horizontal alignment of lines.
        place: the vertical alignment of lines that do not fill the box.
        leading: the line height as a multiple of the size.
        before: a prefix, added if the text is not empty.
    """

    field: Field
    box: Box
    size: tuple[int, int]
    color: str
    lines: int = 1
    weight: float = 0
    align: Literal["left", "center", "right"] = "left"
    place: Literal["top", "middle", "bottom"] = "top"
    leading: float = 1.2
    before: str = ""


class Layout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The layout of a card: colors by name, shapes, then texts. ``paper`` is the background color.

    A color is written ``#rrggbb``, or ``oklch(0.45 0.1 160)`` where the hue may be ``topic`` or ``accent``. A list of
    two is a color of `BRAND`, and the color for sites without it.
    """

    colors: dict[str, str | tuple[str, str]]
    shape: tuple[Shape, ...] = ()
    text: tuple[Words, ...] = ()


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a card, without letters that the font lacks.

    Attributes:
        title: the title of the page.
        topic: the title of its topic; empty outside of topics.
        authors: the names of the authors.
        date: the date as pages show it.
        site: the title of the site; on the card of the home page, the host and path of the site.
        description: the description of the post.
        about: the description of the site, the topic or the author, on their own cards.
        topic_hue: the hue of the topic, in degrees.
        accent_hue: the hue of the accent color, in degrees.
        brand: the colors of the brand, as ``#rrggbb`` by their names in `BRAND`.
    """

    title: str
    topic: str = ""
    authors: str = ""
    date: str = ""
    site: str = ""
    description: str = ""
    about: str = ""
    topic_hue: int
    accent_hue: int
    brand: dict[str, str] = {}


class CardKit(msgspec.Struct, frozen=True):
    """The files from which the cards of a site are made, and the letters that their font lacks.

    Attributes:
        font: the digest of the font file; empty for the font in Pillow.
        bold: the digest of the font file for titles and what else is bolder; empty if the font is drawn bolder instead.
        background: the digest of a background image; empty for none.
        missing: the letters of the site that a font cannot show, sorted.
        title: where the configuration sets the title of the site, for messages.
        codecs: the digest of the libraries with which Pillow writes cards with a background image; empty without one.
    """

    font: str = ""
    bold: str = ""
    background: str = ""
    missing: str = ""
    title: Span = Span("")
    codecs: str = ""


class CardParts(msgspec.Struct, frozen=True):
    """Whether a site has cards, and the files from which they are made.

    Attributes:
        kit: these files; `None` for a site without cards.
        problems: why there are no cards although the configuration asks for them.
    """

    kit: CardKit | None = None
    problems: tuple[Diagnostic, ...] = ()
