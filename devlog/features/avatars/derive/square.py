"""Makes a small square image of a fetched one, which is not trusted. Runs in a worker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

from devlog.engine.untrusted_images import careful, decoded
from devlog.model.derived import Made

_QUALITY = 80


def square(parts: Mapping[str, Any], files: Sequence[bytes]) -> Made:
    """Encode the middle of an image as WebP, without metadata.

    Args:
        parts: ``side``, the largest width and height in pixels.
        files: the bytes of the image.

    Returns:
        The image, or why it is not used.
    """
    (data,) = files
    made = careful(lambda: Made(blobs=(_encoded(data, parts["side"]),)))
    return made if made.blobs or made.problem else Made(problem="it is animated")


def _encoded(data: bytes, side: int) -> bytes:
    from PIL import Image

    image, _, _ = decoded(data, 2 * side)
    length = min(image.size)
    left, top = ((whole - length) // 2 for whole in image.size)
    middle = image.crop((left, top, left + length, top + length))
    small = middle.resize((side, side), Image.Resampling.LANCZOS, reducing_gap=3.0) if length > side else middle
    out = BytesIO()
    small.save(out, "WEBP", quality=_QUALITY, method=4, icc_profile=image.info.get("icc_profile", b""))
    return out.getvalue()
