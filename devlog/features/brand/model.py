"""Values about the files of a brand."""

from __future__ import annotations

from typing import Literal

import msgspec

from devlog.model.diagnostic import Diagnostic

Kind = Literal["sans", "serif", "mono"]

FOLDER = "/brand/"
"""The permalink of the folder of all files of a brand."""

TAB, TOUCH, MANIFEST = 32, 180, (192, 512)
"""The sides of icons in pixels: of tabs, of the home screens of Apple's devices, and of web app manifests."""
SIDES = (TAB, TOUCH, *MANIFEST)


class Metrics(msgspec.Struct, frozen=True):
    """The metrics of a font, as fractions of its size.

    Attributes:
        ascent: the height above the baseline.
        descent: the depth below it, positive.
        line_gap: the gap that the font asks for between lines.
        width: the average width of a letter in English text, see `devlog.features.brand.derive.fonts.FREQUENCIES`.
    """

    ascent: float
    descent: float
    line_gap: float
    width: float


class BrandFile(msgspec.Struct, frozen=True):
    """A file to publish: the digest of its bytes, which are in the store, and its URL."""

    blob: str
    permalink: str
    type: str


class Face(msgspec.Struct, frozen=True):
    """A font file of a brand.

    Attributes:
        use: what it is for: ``text``, ``headings`` or ``code``.
        file: the file to publish.
        weights: the lightest and the boldest weight that it has; equal unless it is a variable font.
        italic: whether it is slanted.
        kind: the kind of font that replaces it until it is loaded.
        metrics: its metrics.
    """

    use: str
    file: BrandFile
    weights: tuple[int, int]
    italic: bool
    kind: Kind
    metrics: Metrics


class Logo(msgspec.Struct, frozen=True):
    """A logo, with its size in pixels."""

    file: BrandFile
    width: int
    height: int


class Icon(msgspec.Struct, frozen=True):
    """An icon; ``size`` is its width and height in pixels, 0 for an SVG."""

    file: BrandFile
    size: int


class BrandParts(msgspec.Struct, frozen=True):
    """The files of a brand, and problems with those that the configuration names."""

    logo: Logo | None = None
    logo_dark: Logo | None = None
    icons: tuple[Icon, ...] = ()
    faces: tuple[Face, ...] = ()
    problems: tuple[Diagnostic, ...] = ()

    @property
    def files(self) -> tuple[BrandFile, ...]:
        """All files to publish, each once."""
        logos = (self.logo, self.logo_dark)
        found = (item.file for item in (*logos, *self.icons, *self.faces) if item)
        return tuple({file.permalink: file for file in found}.values())
