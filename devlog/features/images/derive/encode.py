"""Encodes an image in smaller sizes: bytes in, bytes out. Only this module loads Pillow, usually in a worker.

Images are not trusted. The header is checked before anything is decoded, only the formats of the web are opened, and
an image that cannot be decoded leads to a result with a problem, not to an exception.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from math import inf
from typing import TYPE_CHECKING, Any

from devlog.engine.memory import NOT_ENOUGH, limited_memory
from devlog.model.derived import Made

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("PNG", "JPEG", "WEBP", "AVIF", "GIF")
"""The formats that are opened."""

PIXELS = 40_000_000
"""Images with more pixels than this are not decoded."""

_TALLEST = 12_000_000  # pixels of one encoded image: a very tall one would take half a minute as AVIF
_SIDE = 16_383  # the maximum side of a WebP image in pixels
_SCANS = 100  # of a JPEG: progressive ones have about ten; each decodes all pixels again, even if it has few bytes
_TAGS = 100  # of a color profile; one with more is not read at all
_PROFILE = 4096  # maximum bytes of a color profile that each variant contains
_WORTH = 0.9

# Bits per pixel of a file, which determine how an image is best encoded.
_FLAT = 2.5  # for originals with more, lossless encoding is never smaller
_LINES = 1.0  # originals with less have lines and flat areas, and lossless is nearly always smaller
_FEW = 0.5  # a lossless result with less needs no lossy trial
_SHARE = 0.2  # the minimum size of a lossless file, as a fraction of the original's

_TURNED = ("AVIF", "JPEG", "PNG")  # formats whose orientation browsers apply

DAMAGED = "it is damaged or truncated"
TOO_MANY_SCANS = f"it has more than {_SCANS} scans"
TOO_LARGE = f"it has more than {PIXELS // 1_000_000} megapixels"


class _UnfitError(Exception):
    """The image has no variants. The message says why; it is empty if nothing is wrong with the image."""


def encode(parts: Mapping[str, Any], files: Sequence[bytes]) -> Made:
    """Make smaller variants of an image, which is decoded once for all formats.

    Args:
        parts: ``formats`` contains ``webp`` or ``avif``, ``widths`` the wanted widths, ``quality`` is from 1 to 100.
        files: the bytes of the image.

    Returns:
        The encoded images, format by format, narrowest first; ``sizes`` has for each format the width, height and
        length of each. The last one is as wide as the largest wanted width, or as the original. If that would save
        too little, the format has no images.
    """
    (data,) = files
    return _careful(lambda: _encoded(data, tuple(parts["formats"]), tuple(parts["widths"]), parts["quality"]))


def look(parts: Mapping[str, Any], files: Sequence[bytes]) -> Made:
    """Report the problem that `encode` would report, without encoding anything."""
    (data,) = files

    def only_decode() -> Made:
        _decoded(data, max(parts["widths"]))
        return Made()

    return _careful(only_decode)


def _careful(make: Callable[[], Made]) -> Made:
    """The result of a function, or the problem that prevented it."""
    try:
        with limited_memory():
            return make()
    except _UnfitError as unfit:
        return Made(problem=str(unfit))
    except MemoryError:
        return Made(problem=NOT_ENOUGH, retry=True)


def _encoded(data: bytes, kinds: tuple[str, ...], widths: tuple[int, ...], quality: int) -> Made:
    from PIL import Image, features

    image, is_drawing, own_format = _decoded(data, max(widths))
    bits = 8 * len(data) / (image.width * image.height) if is_drawing else inf
    wanted = {
        kind: chosen_widths(image.width, widths, has_original=own_format == kind.upper())
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
    sets = {kind: _worthwhile(made[kind], len(data), has_original=own_format == kind.upper()) for kind in made}
    sizes = {kind: [(width, height, len(encoded)) for width, height, encoded in sets[kind]] for kind in sets}
    blobs = tuple(encoded for some in sets.values() for _, _, encoded in some)
    return Made({"sizes": sizes}, blobs) if blobs else Made()


def _worthwhile(made: list[tuple[int, int, bytes]], length: int, *, has_original: bool) -> list[tuple[int, int, bytes]]:
    """The images of one format, narrowest first, that are worth publishing beside an original of `length` bytes."""
    if not has_original:
        return made if made and len(made[-1][2]) <= _WORTH * length else []
    while made and len(made[-1][2]) > _WORTH * length:  # the original itself is in the set, and is smaller than these
        made = made[:-1]
    return made


def chosen_widths(width: int, widths: tuple[int, ...], *, has_original: bool) -> tuple[int, ...]:
    """The widths in which an image is encoded.

    A browser chooses from one set, so each set needs an image that is as good as the original: one of the same width,
    or of the largest wanted width. No image is enlarged, and no width is nearly the same as the largest.

    Args:
        width: the width of the original.
        widths: the wanted widths.
        has_original: whether the original is in the set, because it has the same format.
    """
    top = min(width, max(widths))
    narrow = [one for one in sorted(set(widths)) if one < 0.85 * top]
    return (*narrow, *(() if has_original and top == width else (top,)))


def _decoded(data: bytes, largest: int) -> tuple[Image, bool, str]:
    """A decoded image in RGB or RGBA, oriented as it is shown; whether it is a drawing, not a photo; its format."""
    from PIL import Image, ImageOps

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as Pillow's about unusual files
            with Image.open(BytesIO(data), formats=FORMATS) as image:
                own_format = str(image.format)
                _look_at_header(image)
                _look_at_scans(data)
                image.draft(image.mode, (largest, 1))
                image.load()
                if own_format in _TURNED:
                    ImageOps.exif_transpose(image, in_place=True)
                return _plain(image), own_format in ("PNG", "GIF"), own_format
    except (_UnfitError, MemoryError):
        raise
    except Image.DecompressionBombError as error:
        raise _UnfitError(TOO_LARGE) from error
    except Exception as error:  # malicious files make decoders raise about a dozen types
        raise _UnfitError(DAMAGED) from error


def _look_at_header(image: Image) -> None:
    """Reject an image before any pixels are decoded."""
    if image.width * image.height > PIXELS:
        raise _UnfitError(TOO_LARGE)
    if getattr(image, "is_animated", False):
        raise _UnfitError("")


def _look_at_scans(data: bytes) -> None:
    """Reject a JPEG with thousands of scans, which decode all pixels again though each has only a few bytes."""
    if data.startswith(b"\xff\xd8") and data.count(b"\xff\xda") > _SCANS:  # scan data never contains this marker
        raise _UnfitError(TOO_MANY_SCANS)


def _plain(image: Image) -> Image:
    """An image in RGB or RGBA without metadata, except for a small color profile."""
    profile = image.info.get("icc_profile") or b""
    if image.mode.startswith(("I", "F")):  # 16-bit gray, which `convert` would clip instead of scaling
        image = image.point(lambda value: value * (1 / 256)).convert("L")
        profile = b""
    if profile and (image.mode not in ("RGB", "RGBA") or len(profile) > _PROFILE or profile[16:20] != b"RGB "):
        image, profile = _in_srgb(image, profile), b""
    if image.mode not in ("RGB", "RGBA"):
        image = image.convert("RGBA" if image.has_transparency_data else "RGB")
    elif image.mode == "RGB" and image.has_transparency_data:
        image = image.convert("RGBA")
    if image.mode == "RGBA" and _is_opaque(image):
        image = image.convert("RGB")
    image.info = {"icc_profile": profile} if profile else {}
    return image


def _is_opaque(image: Image) -> bool:
    """Whether all pixels are opaque. Comparing bytes takes half as long as computing their minimum."""
    alpha = image.getchannel("A").tobytes()
    return alpha == b"\xff" * len(alpha)


def _in_srgb(image: Image, profile: bytes) -> Image:
    """An image converted from its color profile to sRGB; unchanged if the profile is unusable."""
    from PIL import ImageCms

    mode = "RGBA" if image.has_transparency_data else "RGB"
    space = profile[16:20]
    if _has_steps(profile):
        return image
    if space == b"RGB " and image.mode not in ("RGB", "RGBA"):
        image = image.convert(mode)
    try:
        srgb = ImageCms.createProfile("sRGB")
        source = ImageCms.ImageCmsProfile(BytesIO(profile))
        made = ImageCms.profileToProfile(image, source, srgb, outputMode=mode)
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        return image
    return made or image


def _has_steps(profile: bytes) -> bool:
    """Whether a color profile has multi-process elements, which no image on the web needs: it may contain any number of
    steps, and each takes time and memory before the first pixel (ICC.1:2022, section 10.16).
    """
    count = min(int.from_bytes(profile[128:132]), _TAGS)
    places = (int.from_bytes(profile[entry + 4 : entry + 8]) for entry in range(132, 132 + 12 * count, 12))
    return any(profile[place : place + 4] == b"mpet" for place in places)


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
