"""Generated images and fonts: other sizes and formats of a site's images, drawn diagrams, the font of formulas."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from devlog.model.diagnostic import Diagnostic
from devlog.model.digest import digest_bytes

MODES = {
    "gh-dark-mode-only": "dark",
    "gh-light-mode-only": "light",
    "only-dark": "dark",
    "only-light": "light",
}
"""Fragments by which GitHub and others show an image only in light or only in dark mode."""


class ImageFile(msgspec.Struct, frozen=True):
    """A generated image.

    Attributes:
        permalink: the permalink at which it is published.
        type: its media type.
        width: its width, in CSS pixels for a drawing, otherwise in pixels of the image.
        height: its height, in the same unit.
        blob: the digest of its bytes, which is their key in the store.
    """

    permalink: str
    type: str
    width: int
    height: int
    blob: str


def diagram_key(language: str, text: str) -> str:
    """The key of a diagram: equal diagrams share one image."""
    return digest_bytes(f"{language}\0{text}".encode())


class ImageVariants(msgspec.Struct, frozen=True):
    """Other sizes and formats of a site's images.

    Attributes:
        by_digest: the variants of an image, by the digest of its file.
        problems: the images that could not be converted, and why.
    """

    by_digest: Mapping[str, tuple[ImageFile, ...]] = {}
    problems: tuple[Diagnostic, ...] = ()

    @property
    def permalinks(self) -> frozenset[str]:
        """The permalinks of the variants."""
        return frozenset(file.permalink for files in self.by_digest.values() for file in files)


class Drawings(msgspec.Struct, frozen=True):
    """The drawn diagrams of a site.

    Attributes:
        by_key: the image of a diagram, by the diagram's key.
        dark: its image for dark mode, likewise; none for a diagram that looks the same in both modes.
        found: what draws each language, without those for which the configuration names a script; empty if nothing
            does.
        scripts: the permalink of the script that draws a language in readers' browsers, for languages that nothing
            else draws.
        script_files: the digests of the bytes of these scripts and of their licenses, by permalink.
        problems: the diagrams that are not shown as images, and why.
    """

    by_key: Mapping[str, ImageFile] = {}
    dark: Mapping[str, ImageFile] = {}
    found: Mapping[str, str] = {}
    scripts: Mapping[str, str] = {}
    script_files: Mapping[str, str] = {}
    problems: tuple[Diagnostic, ...] = ()

    @property
    def files(self) -> tuple[ImageFile, ...]:
        """All images; some may be equal."""
        return (*self.by_key.values(), *self.dark.values())

    @property
    def permalinks(self) -> frozenset[str]:
        """The permalinks of the images, and of the scripts."""
        return frozenset((*(item.permalink for item in self.files), *self.script_files))


class MathFont(msgspec.Struct, frozen=True):
    """The font of formulas.

    Attributes:
        style: the permalink of the style sheet that uses it; empty if there is no font.
        files: the digests of the bytes of its files, by permalink.
        problems: why it could not be made.
    """

    style: str = ""
    files: Mapping[str, str] = {}
    problems: tuple[Diagnostic, ...] = ()
