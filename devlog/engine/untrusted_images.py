"""Opens images that are not trusted, with Pillow, usually in a worker.

The header is checked before anything is decoded, only the formats of the web are opened, and an image that cannot be
decoded leads to a result with a problem, not to an exception.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from io import BytesIO
from typing import TYPE_CHECKING

from devlog.engine.memory import NOT_ENOUGH, limited_memory
from devlog.model.derived import Made
from devlog.model.media import ON_THEIR_SIDE, exif_orientation

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFile import ImageFile

FORMATS = ("PNG", "JPEG", "WEBP", "AVIF", "GIF")
"""The formats that are opened."""

PIXELS = 40_000_000
"""Images with more pixels than this are not decoded."""

_SCANS = 100  # of a JPEG: progressive ones have about ten; each decodes all pixels again, even if it has few bytes
_TAGS = 100  # of a color profile; one with more is not read at all
_PROFILE = 4096  # maximum bytes of a color profile that is kept

_BYTES = 8
"""How many bytes decoders need for each pixel, at most."""
_TURNED = ("AVIF", "JPEG", "PNG")  # formats whose orientation browsers apply

_DEPTH = 24  # the position of the bit depth in a PNG

DAMAGED = "it is damaged or truncated"
TOO_MANY_SCANS = f"it has more than {_SCANS} scans"
DEEP = "it has a transparent color and 16 bits per channel"
TOO_LARGE = f"it has more than {PIXELS // 1_000_000} megapixels"


class UnfitError(Exception):
    """The image is not used. The message says why; it is empty if nothing is wrong with the image."""


class UnknownFormatError(UnfitError):
    """It is no image, or one in a format that is not opened."""


def careful(make: Callable[[], Made]) -> Made:
    """The result of a function, or the problem that prevented it."""
    try:
        with limited_memory():
            return make()
    except UnfitError as unfit:
        return Made(problem=str(unfit))
    except MemoryError:
        return Made(problem=NOT_ENOUGH, retry=True)


def decoded(
    data: bytes, largest: int = PIXELS, *, formats: tuple[str, ...] = FORMATS, moving: bool = False
) -> tuple[Image, bool, str]:
    """A decoded image in RGB or RGBA, oriented as it is shown; whether it is a drawing, not a photo; its format.

    Args:
        data: the bytes of the image.
        largest: the width that is needed: photos that are much wider may be decoded in fewer pixels.
        formats: the formats that are opened, some of `FORMATS`.
        moving: whether to take the first frame of an animation, which is not used otherwise.

    Raises:
        UnfitError: the image is not used.
        MemoryError: there is too little memory for it.
    """
    from PIL import Image, UnidentifiedImageError

    pixels = 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as Pillow's about unusual files
            with _opened(data, formats) as image:
                own_format = str(image.format)
                _look_at_header(image, moving=moving)
                _look_at_scans(data)
                pixels = image.width * image.height
                orientation = _orientation(image)
                image.draft(image.mode, (1, largest) if orientation in ON_THEIR_SIDE else (largest, 1))
                image.load()
                _scale_transparency(image, data)
                return _plain(_turned(image, orientation)), own_format in ("PNG", "GIF"), own_format
    except (UnfitError, MemoryError):
        raise
    except Image.DecompressionBombError as error:
        raise UnfitError(TOO_LARGE) from error
    except Exception as error:  # malicious files make decoders raise about a dozen types
        # Raises a MemoryError if that was the reason, which not all decoders say, some even while they read the header.
        bytearray(_BYTES * (pixels or PIXELS))
        is_unknown = isinstance(error, UnidentifiedImageError)
        raise (UnknownFormatError if is_unknown else UnfitError)(DAMAGED) from error


def _opened(data: bytes, formats: tuple[str, ...]) -> ImageFile:
    """An image whose header has been read."""
    from PIL import Image
    from PIL.JpegImagePlugin import JpegImageFile

    if "JPEG" in formats and data.startswith(b"\xff\xd8"):
        return JpegImageFile(BytesIO(data))  # `Image.open` takes a second picture, as phones add it, for an animation
    return Image.open(BytesIO(data), formats=formats)


def _look_at_header(image: Image, *, moving: bool) -> None:
    """Reject an image before any pixels are decoded."""
    if image.width * image.height > PIXELS:
        raise UnfitError(TOO_LARGE)
    if not moving and getattr(image, "is_animated", False):
        raise UnfitError("")


def _look_at_scans(data: bytes) -> None:
    """Reject a JPEG with thousands of scans, which decode all pixels again though each has only a few bytes."""
    if data.startswith(b"\xff\xd8") and data.count(b"\xff\xda") > _SCANS:  # scan data never contains this marker
        raise UnfitError(TOO_MANY_SCANS)


def _orientation(image: Image) -> int:
    """How an image that is not loaded yet is turned by browsers.

    Pillow's own functions also obey XMP and ImageMagick's profiles, which browsers do not.
    """
    exif = image.info.get("exif") or b""
    return exif_orientation(exif.removeprefix(b"Exif\0\0")) if image.format in _TURNED else 0


def _scale_transparency(image: Image, data: bytes) -> None:
    """Scale the transparent color of a PNG to 8 bits, as Pillow has scaled the pixels, but not that color."""
    color = image.info.get("transparency")
    if image.format != "PNG" or color is None or image.mode not in ("L", "I;16", "RGB"):
        return
    depth = data[_DEPTH]
    if depth == 16:  # other colors are the same one in 8 bits
        raise UnfitError(DEEP)
    if image.mode == "L":
        top = 2**depth - 1
        image.info["transparency"] = (color & top) * 255 // top


def _turned(image: Image, orientation: int) -> Image:
    """An image as it is shown, for a value of the EXIF tag “Orientation”; other values than 2 to 8 change nothing."""
    from PIL.Image import Transpose

    ways = {
        2: Transpose.FLIP_LEFT_RIGHT,
        3: Transpose.ROTATE_180,
        4: Transpose.FLIP_TOP_BOTTOM,
        5: Transpose.TRANSPOSE,
        6: Transpose.ROTATE_270,
        7: Transpose.TRANSVERSE,
        8: Transpose.ROTATE_90,
    }
    way = ways.get(orientation)
    return image if way is None else image.transpose(way)


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
