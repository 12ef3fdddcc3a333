"""Social cards: the pictures that stand for pages elsewhere, where a link to one is shown."""

from __future__ import annotations

import re
from typing import Literal, get_args

import msgspec

from devlog.model.diagnostic import Diagnostic

WIDTH = 1200
HEIGHT = 630

Field = Literal["title", "topic", "authors", "date", "site", "description", "about"]
FIELDS: tuple[Field, ...] = get_args(Field)
Box = tuple[int, int, int, int]
"""Left, top, width and height, in pixels from the top left corner."""


HEX = re.compile(r"#[0-9a-fA-F]{6}")
OKLCH = re.compile(r"oklch\(\s*(0?\.\d{1,4}|[01])\s+(0?\.\d{1,4}|0)\s+(\d{1,3}|topic|accent)\s*\)")


def is_color(text: str) -> bool:
    """Whether a text is a color of a layout."""
    return bool(HEX.fullmatch(text) or OKLCH.fullmatch(text))


class Shape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rectangle; ``color`` is the name of one."""

    box: Box
    color: str


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text in a box.

    Attributes:
        field: which text.
        box: where.
        size: the sizes of letters between which it may be, the largest first.
        color: the name of one.
        lines: how many there may be.
        weight: how much bolder than the font it is, as a part of the size.
        align: from where the lines begin.
        place: where in the box they stand, if there are few.
        leading: from line to line, as a multiple of the size.
        before: put before the text, if there is one.
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
    """How a card looks: colors by name, shapes, then texts. ``paper`` is the color of all that is free.

    A color is written ``#rrggbb``, or ``oklch(0.45 0.1 160)`` where the hue may be ``topic`` or ``accent``.
    """

    colors: dict[str, str]
    shape: tuple[Shape, ...] = ()
    text: tuple[Words, ...] = ()


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """What a card says, without what its font has no letters for.

    Attributes:
        title: of the page.
        topic: its title; empty outside of topics.
        authors: their names.
        date: as pages write it.
        site: the site's title; on the card of the home page, where it is published.
        description: of the post.
        about: what the site, a topic or an author is about, on their own cards.
        topic_hue: in degrees.
        accent_hue: likewise.
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


class CardKit(msgspec.Struct, frozen=True):
    """What the cards of a site are made of besides words.

    Attributes:
        font: the digest of the font's bytes; empty for the one that comes with Pillow.
        background: the digest of an image's bytes; empty for none.
        missing: the letters of the site that cannot be written with the font, sorted.
    """

    font: str = ""
    background: str = ""
    missing: str = ""


class CardParts(msgspec.Struct, frozen=True):
    """Whether a site has cards, and of what they are made.

    Attributes:
        kit: that; `None` for a site without any.
        problems: why there are none, though there should be.
    """

    kit: CardKit | None = None
    problems: tuple[Diagnostic, ...] = ()
