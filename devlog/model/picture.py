"""Pictures that devlog makes: originals in other sizes and formats, and diagrams."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from devlog.model.diagnostic import Diagnostic


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


class Pictures(msgspec.Struct, frozen=True):
    """All pictures that were made for a site.

    Attributes:
        images: other sizes and formats of a picture, by the digest of its file.
        diagrams: what a diagram's text was drawn as, by the diagram's key.
        problems: what could not be made, and why.
    """

    images: Mapping[str, tuple[Picture, ...]] = {}
    diagrams: Mapping[str, Picture] = {}
    problems: tuple[Diagnostic, ...] = ()
