"""Pictures that devlog makes: originals in other sizes and formats, and diagrams."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from devlog.model.card import CardKit
from devlog.model.diagnostic import Diagnostic
from devlog.model.digest import digest_bytes


class Picture(msgspec.Struct, frozen=True):
    """A picture that was made.

    Attributes:
        permalink: where it is published.
        type: its media type.
        width: in pixels of CSS for a drawing, else of the picture.
        height: likewise.
        blob: the digest under which the store has its bytes.
    """

    permalink: str
    type: str
    width: int
    height: int
    blob: str


def diagram_key(language: str, text: str) -> str:
    """The key of a diagram: equal ones have one picture."""
    return digest_bytes(f"{language}\0{text}".encode())


class Pictures(msgspec.Struct, frozen=True):
    """All pictures that were made for a site.

    Attributes:
        images: other sizes and formats of a picture, by the digest of its file.
        diagrams: what a diagram's text was drawn as, by the diagram's key.
        problems: which images could not be made, and why.
        undrawn: which diagrams are not shown as pictures, and why.
        cards: what social cards are made of; `None` for a site without any.
        unfit: why there are no cards, though there should be.
    """

    images: Mapping[str, tuple[Picture, ...]] = {}
    diagrams: Mapping[str, Picture] = {}
    problems: tuple[Diagnostic, ...] = ()
    undrawn: tuple[Diagnostic, ...] = ()
    cards: CardKit | None = None
    unfit: tuple[Diagnostic, ...] = ()
