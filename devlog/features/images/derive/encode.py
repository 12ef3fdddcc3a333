"""Encodes an image in smaller sizes: bytes in, bytes out, usually in a worker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from math import inf
from typing import TYPE_CHECKING, Any

from devlog.engine.untrusted_images import careful, decoded
from devlog.features.images.derive.variants import chosen_widths
from devlog.model.derived import Made

if TYPE_CHECKING:
    from PIL.Image import Image

_TALLEST = 12_000_000  # pixels of one encoded image: a very tall one would take half a minute as AVIF
_SIDE = 16_383  # the maximum side of a WebP image in pixels
_WORTH = 0.9

# Bits per pixel of a file, which determine how an image is best encoded.
_FLAT = 2.5  # for originals with more, lossless encoding is never smaller
_LINES = 1.0  # originals with less have lines and flat areas, and lossless is nearly always smaller
_FEW = 0.5  # a lossless result with less needs no lossy trial
_SHARE = 0.2  # the minimum size of a lossless file, as a fraction of the original's


def encode(parts: Mapping[str, Any], files: Sequence[bytes]) -> Made:
    """Make smaller variants of an image, which is decoded once for all formats.

    Args:
        parts: ``formats`` contains ``webp`` or ``avif``, ``widths`` the wanted widths, ``quality`` is from 1 to 100.
        files: the bytes of the image.

    Returns:
        The encoded images, format by format, narrowest first; ``sizes`` has for each format the width, height and
        length of each, and ``original`` is the format of the image itself, whatever its name says. The last one is as
        wide as the largest wanted width, or as the original, which may be in the set itself. If that would save too
        little, the format has no images.
    """
    (data,) = files
    return careful(lambda: _encoded(data, tuple(parts["formats"]), tuple(parts["widths"]), parts["quality"]))


def look(parts: Mapping[str, Any], files: Sequence[bytes]) -> Made:
    """Report the problem that `encode` would report, without encoding anything."""
    (data,) = files

    def only_decode() -> Made:
        decoded(data, max(parts["widths"]))
        return Made()

    return careful(only_decode)


def _encoded(data: bytes, kinds: tuple[str, ...], widths: tuple[int, ...], quality: int) -> Made:
    from PIL import Image, features

    image, is_drawing, own_format = decoded(data, max(widths))
    original = own_format.lower()
    bits = 8 * len(data) / (image.width * image.height) if is_drawing else inf
    wanted = {
        kind: chosen_widths(image.width, widths, has_original=kind == original)
        for kind in kinds
        if features.check(kind)  # not every build of Pillow has all formats
    }
    made: dict[str, list[tuple[int, int, bytes]]] = {kind: [] for kind in wanted}
    small = image
    for width in sorted(set().union(*wanted.values()), reverse=True):
        height = max(1, round(image.height * width / image.width))
        if width * height > _TALLEST or height > _SIDE:
            return Made()
        if width < image.width:  # the next larger image has far fewer pixels, and there is no visible difference
            filtering = Image.Resampling.BICUBIC if small is image else Image.Resampling.LANCZOS
            small = small.resize((width, height), filtering, reducing_gap=3.0)
            small.info = {**image.info}
        for kind, of_kind in wanted.items():
            if width in of_kind:
                if kind == "avif":
                    encoded = _avif(small, quality, is_drawing)
                else:
                    encoded = _webp(small, quality, bits if small is image else inf)
                made[kind].insert(0, (width, height, encoded))
    sets = {kind: _worthwhile(made[kind], len(data), has_original=kind == original) for kind in made}
    sizes = {kind: [(width, height, len(encoded)) for width, height, encoded in sets[kind]] for kind in sets}
    blobs = tuple(encoded for some in sets.values() for _, _, encoded in some)
    return Made({"sizes": sizes, "original": original}, blobs) if blobs else Made()


def _worthwhile(made: list[tuple[int, int, bytes]], length: int, *, has_original: bool) -> list[tuple[int, int, bytes]]:
    """The images of one format, narrowest first, that are worth publishing beside an original of `length` bytes."""
    if not has_original:
        return made if made and len(made[-1][2]) <= _WORTH * length else []
    while made and len(made[-1][2]) > _WORTH * length:  # the original itself is in the set, and is smaller than these
        made = made[:-1]
    return made


def _avif(image: Image, quality: int, is_drawing: bool) -> bytes:
    """An image as AVIF, which looks as good as WebP at a smaller size.

    Args:
        image: the image.
        quality: the quality for WebP, from which that for AVIF is derived.
        is_drawing: whether to keep the full color resolution for fine lines, as in charts and screenshots.
    """
    out = BytesIO()
    own = max(1, quality - 15)
    subsampling = "4:4:4" if is_drawing else "4:2:0"
    profile = image.info.get("icc_profile", b"")
    # One thread, because other processes encode other images, and because the output stays the same.
    image.save(out, "AVIF", quality=own, speed=8, max_threads=1, subsampling=subsampling, icc_profile=profile)
    return out.getvalue()


def _webp(image: Image, quality: int, bits: float) -> bytes:
    """An image as WebP, lossless if that is smaller.

    Both are tried only if the bits per pixel of the original do not decide it.

    Args:
        image: the image.
        quality: the quality of lossy encoding.
        bits: bits per pixel of the original; infinity if lossy encoding is certainly smaller.
    """
    pixels = image.width * image.height
    exact = _exact(image) if bits <= _LINES else b""
    if exact and 8 * len(exact) <= _FEW * pixels:
        return exact
    out = BytesIO()
    image.save(out, "WEBP", quality=quality, method=2, icc_profile=image.info.get("icc_profile", b""))
    lossy = out.getvalue()
    if not exact and bits <= _FLAT and 8 * len(lossy) > _SHARE * bits * pixels:
        exact = _exact(image)
    return min(lossy, exact or lossy, key=len)


def _exact(image: Image) -> bytes:
    """An image as lossless WebP."""
    out = BytesIO()
    profile = image.info.get("icc_profile", b"")
    image.save(out, "WEBP", lossless=True, quality=60, method=3, icc_profile=profile)
    return out.getvalue()
