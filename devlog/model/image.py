"""Images that devlog makes: originals in other sizes and formats, and drawn diagrams."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from devlog.model.diagnostic import Diagnostic
from devlog.model.digest import digest_bytes


class ImageFile(msgspec.Struct, frozen=True):
    """An image that was made.

    Attributes:
        permalink: where it is published.
        type: its media type.
        width: in pixels of CSS for a drawing, else of the image.
        height: likewise.
        blob: the digest under which the store has its bytes.
    """

    permalink: str
    type: str
    width: int
    height: int
    blob: str


def diagram_key(language: str, text: str) -> str:
    """The key of a diagram: equal ones have one image."""
    return digest_bytes(f"{language}\0{text}".encode())


class ImageVariants(msgspec.Struct, frozen=True):
    """Other sizes and formats of a site's images.

    Attributes:
        by_digest: those of an image, by the digest of its file.
        problems: which could not be made, and why.
    """

    by_digest: Mapping[str, tuple[ImageFile, ...]] = {}
    problems: tuple[Diagnostic, ...] = ()


class Drawings(msgspec.Struct, frozen=True):
    """The diagrams of a site that were drawn.

    Attributes:
        by_key: what a diagram's text was drawn as, by the diagram's key.
        problems: which are not shown as images, and why.
    """

    by_key: Mapping[str, ImageFile] = {}
    problems: tuple[Diagnostic, ...] = ()
