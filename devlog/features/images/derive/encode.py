"""Encoding a picture in smaller sizes: bytes in, bytes out. Only here Pillow is loaded, most often in a worker.

Pictures are not trusted. Their header is looked at before anything is decoded, only the formats of the web are opened,
and what cannot be decoded is an answer, not an exception.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from math import inf
from typing import TYPE_CHECKING, Any

from devlog.model.derived import Made

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("PNG", "JPEG", "WEBP", "AVIF", "GIF")
"""What is opened at all."""

PIXELS = 40_000_000
"""A picture with more pixels is not decoded."""

_TALLEST = 12_000_000  # pixels of one encoded picture: a tall one would take half a minute as AVIF
_SIDE = 16_383  # of a WebP
_MEMORY = 3 << 30
_SCANS = 100  # of a JPEG: a progressive one has about ten, and each goes over all pixels, however few bytes it has
_TAGS = 100  # of a color profile: of one that has more, nothing is read
_PROFILE = 4096  # bytes of a color profile that each of the small pictures may carry
_WORTH = 0.9

# Bits of a file for each pixel, which tell how an image is best encoded.
_FLAT = 2.5  # an original that has more is never smaller without loss
_LINES = 1.0  # one of so few shows lines and areas, and is nearly always smaller without loss
_FEW = 0.5  # so few without loss are not worth a trial with it
_SHARE = 0.2  # so much of its original a file without loss has at least

_TURNED = ("AVIF", "JPEG", "PNG")  # of which browsers, too, obey the orientation

DAMAGED = "it is damaged or truncated"
TOO_MANY_SCANS = f"it has more than {_SCANS} scans"
TOO_LARGE = f"it has more than {PIXELS // 1_000_000} megapixels"


class _UnfitError(Exception):
    """A picture is left as it is. The message says why; it is empty where nothing is wrong with it."""


def encode(parts: Mapping[str, Any], files: Sequence[bytes]) -> Made:
    """Make smaller pictures of one. It is decoded once for all formats.

    Args:
        parts: ``formats`` are of ``webp`` and ``avif``, ``widths`` are those wanted, ``quality`` goes from 1 to 100.
        files: the bytes of the picture.

    Returns:
        The encoded pictures, format by format, narrowest first; ``sizes`` holds for each format the width, height and
        length of each. The last one is as wide as the largest wanted, or as the original, unless that would not be
        worth it: then the format has none.
    """
    (data,) = files
    return _careful(lambda: _encoded(data, tuple(parts["formats"]), tuple(parts["widths"]), parts["quality"]))


def look(parts: Mapping[str, Any], files: Sequence[bytes]) -> Made:
    """Say what `encode` would say is wrong with a picture, and encode nothing."""
    (data,) = files

    def only_decode() -> Made:
        _decoded(data, max(parts["widths"]))
        return Made()

    return _careful(only_decode)


def _careful(make: Callable[[], Made]) -> Made:
    """What is made, or why it cannot be."""
    try:
        with _limited_memory():
            return make()
    except _UnfitError as unfit:
        return Made(problem=str(unfit))
    except MemoryError:
        return Made(problem="there is not enough memory for it", retry=True)


def _encoded(data: bytes, kinds: tuple[str, ...], widths: tuple[int, ...], quality: int) -> Made:
    from PIL import Image, features

    picture, is_drawing, own_format = _decoded(data, max(widths))
    bits = 8 * len(data) / (picture.width * picture.height) if is_drawing else inf
    wanted = {
        kind: chosen_widths(picture.width, widths, has_original=own_format == kind.upper())
        for kind in kinds
        if features.check(kind)  # a build of Pillow may be without it
    }
    made: dict[str, list[tuple[int, int, bytes]]] = {kind: [] for kind in wanted}
    small = picture
    for width in sorted(set().union(*wanted.values()), reverse=True):
        height = max(1, round(picture.height * width / picture.width))
        if width * height > _TALLEST or height > _SIDE:
            return Made()
        if width < picture.width:  # from the next larger one: nobody sees a difference, and it has far fewer pixels
            filtering = Image.Resampling.BICUBIC if small is picture else Image.Resampling.LANCZOS
            small = small.resize((width, height), filtering, reducing_gap=3.0)
            small.info = {**picture.info}
        for kind, of_kind in wanted.items():
            if width in of_kind:
                if kind == "avif":
                    encoded = _avif(small, quality, is_drawing)
                else:
                    encoded = _webp(small, quality, bits if small is picture else inf)
                made[kind].insert(0, (width, height, encoded))
    sets = {kind: _worthwhile(made[kind], len(data), has_original=own_format == kind.upper()) for kind in made}
    sizes = {kind: [(width, height, len(encoded)) for width, height, encoded in sets[kind]] for kind in sets}
    blobs = tuple(encoded for some in sets.values() for _, _, encoded in some)
    return Made({"sizes": sizes}, blobs) if blobs else Made()


def _worthwhile(made: list[tuple[int, int, bytes]], length: int, *, has_original: bool) -> list[tuple[int, int, bytes]]:
    """Those of one format, from narrow to wide, that a browser gains by, beside an original of so many bytes."""
    if not has_original:
        return made if made and len(made[-1][2]) <= _WORTH * length else []
    while made and len(made[-1][2]) > _WORTH * length:  # the original itself is in the set, and is smaller
        made = made[:-1]
    return made


def chosen_widths(width: int, widths: tuple[int, ...], *, has_original: bool) -> tuple[int, ...]:
    """The widths in which a picture is encoded.

    A browser takes all from one set, so the set needs a picture that is as good as the original: one of the same
    width, or of the largest that is wanted. No picture is made larger, and none that is nearly as wide as the next.

    Args:
        width: of the original.
        widths: those that are wanted.
        has_original: whether the original itself is in the set, being of the same format.
    """
    top = min(width, max(widths))
    narrow = [one for one in sorted(set(widths)) if one < 0.85 * top]
    return (*narrow, *(() if has_original and top == width else (top,)))


def _decoded(data: bytes, largest: int) -> tuple[Image, bool, str]:
    """A picture in RGB or RGBA, turned as it is shown; whether it is drawn rather than taken; and its format."""
    from PIL import Image, ImageOps

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Pillow finds odd
            with Image.open(BytesIO(data), formats=FORMATS) as picture:
                own_format = str(picture.format)
                _look_at_header(picture)
                _look_at_scans(data)
                picture.draft(picture.mode, (largest, 1))
                picture.load()
                if own_format in _TURNED:
                    ImageOps.exif_transpose(picture, in_place=True)
                return _plain(picture), own_format in ("PNG", "GIF"), own_format
    except (_UnfitError, MemoryError):
        raise
    except Image.DecompressionBombError as error:
        raise _UnfitError(TOO_LARGE) from error
    except Exception as error:  # whatever decoders raise: files made to harm them bring about a dozen kinds
        raise _UnfitError(DAMAGED) from error


def _look_at_header(picture: Image) -> None:
    """Refuse a picture before anything of it is decoded."""
    if picture.width * picture.height > PIXELS:
        raise _UnfitError(TOO_LARGE)
    if getattr(picture, "is_animated", False):
        raise _UnfitError("")


def _look_at_scans(data: bytes) -> None:
    """Refuse a JPEG of which a few bytes have all of its pixels gone over again, thousands of times."""
    if data.startswith(b"\xff\xd8") and data.count(b"\xff\xda") > _SCANS:  # the bytes of a scan never hold that mark
        raise _UnfitError(TOO_MANY_SCANS)


def _plain(picture: Image) -> Image:
    """A picture in RGB or RGBA without metadata; only a small color profile stays."""
    profile = picture.info.get("icc_profile") or b""
    if picture.mode.startswith(("I", "F")):  # 16 bits of grey, which `convert` would cut off and not scale
        picture = picture.point(lambda value: value * (1 / 256)).convert("L")
        profile = b""
    if profile and (picture.mode not in ("RGB", "RGBA") or len(profile) > _PROFILE or profile[16:20] != b"RGB "):
        picture, profile = _in_srgb(picture, profile), b""
    if picture.mode not in ("RGB", "RGBA"):
        picture = picture.convert("RGBA" if picture.has_transparency_data else "RGB")
    elif picture.mode == "RGB" and picture.has_transparency_data:
        picture = picture.convert("RGBA")
    if picture.mode == "RGBA" and _is_opaque(picture):
        picture = picture.convert("RGB")
    picture.info = {"icc_profile": profile} if profile else {}
    return picture


def _is_opaque(picture: Image) -> bool:
    """Whether nothing can be seen through. To compare bytes takes half as long as to look for the least of them."""
    alpha = picture.getchannel("A").tobytes()
    return alpha == b"\xff" * len(alpha)


def _in_srgb(picture: Image, profile: bytes) -> Image:
    """A picture with the colors that its profile says; as it is if the profile is of no use."""
    from PIL import ImageCms

    mode = "RGBA" if picture.has_transparency_data else "RGB"
    space = profile[16:20]
    if _has_steps(profile):
        return picture
    if space == b"RGB " and picture.mode not in ("RGB", "RGBA"):
        picture = picture.convert(mode)
    try:
        srgb = ImageCms.createProfile("sRGB")
        source = ImageCms.ImageCmsProfile(BytesIO(profile))
        made = ImageCms.profileToProfile(picture, source, srgb, outputMode=mode)
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        return picture
    return made or picture


def _has_steps(profile: bytes) -> bool:
    """Whether a color profile has lists of steps, as no image on the web needs: there may be any number of them, and
    each takes time and memory before the first pixel (ICC.1:2022, section 10.16).
    """
    count = min(int.from_bytes(profile[128:132]), _TAGS)
    places = (int.from_bytes(profile[entry + 4 : entry + 8]) for entry in range(132, 132 + 12 * count, 12))
    return any(profile[place : place + 4] == b"mpet" for place in places)


def _avif(picture: Image, quality: int, is_drawing: bool) -> bytes:
    """An image as AVIF, which looks as good as WebP at less.

    Args:
        picture: what is written.
        quality: that of WebP.
        is_drawing: whether fine lines are to keep their colors, as those of charts and screenshots.
    """
    out = BytesIO()
    own = max(1, quality - 15)
    subsampling = "4:4:4" if is_drawing else "4:2:0"
    profile = picture.info.get("icc_profile", b"")
    # One thread: others work on other images, and the bytes stay the same.
    picture.save(out, "AVIF", quality=own, speed=8, max_threads=1, subsampling=subsampling, icc_profile=profile)
    return out.getvalue()


def _webp(picture: Image, quality: int, bits: float) -> bytes:
    """An image as WebP, without loss where that is smaller.

    Both are tried only where the original does not tell which one it is.

    Args:
        picture: what is written.
        quality: if it is written with loss.
        bits: of the original for each pixel; infinity for what is surely smaller with loss.
    """
    pixels = picture.width * picture.height
    exact = _exact(picture) if bits <= _LINES else b""
    if exact and 8 * len(exact) <= _FEW * pixels:
        return exact
    out = BytesIO()
    picture.save(out, "WEBP", quality=quality, method=2, icc_profile=picture.info.get("icc_profile", b""))
    lossy = out.getvalue()
    if not exact and bits <= _FLAT and 8 * len(lossy) > _SHARE * bits * pixels:
        exact = _exact(picture)
    return min(lossy, exact or lossy, key=len)


def _exact(picture: Image) -> bytes:
    """An image as WebP without loss."""
    out = BytesIO()
    profile = picture.info.get("icc_profile", b"")
    picture.save(out, "WEBP", lossless=True, quality=60, method=3, icc_profile=profile)
    return out.getvalue()


@contextmanager
def _limited_memory() -> Iterator[None]:
    """Let a worker have no more memory than decoding can need; where several threads share a process, do nothing."""
    from multiprocessing import parent_process  # with all that starts processes

    if parent_process() is None:
        yield
        return
    try:
        import resource
    except ImportError:  # Windows
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = _MEMORY if hard == resource.RLIM_INFINITY else min(_MEMORY, hard)
    try:
        if soft == resource.RLIM_INFINITY or soft > limit:
            resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
