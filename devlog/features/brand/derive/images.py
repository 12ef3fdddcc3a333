"""Checks logos and favicons, and draws the icons of phones and of web app manifests. Loads Pillow and resvg."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

from devlog.engine.untrusted_images import UnfitError, UnknownFormatError, careful, decoded
from devlog.features.brand.model import MANIFEST, SIDES, TOUCH
from devlog.model.active_content import Look
from devlog.model.derived import Made
from devlog.model.media import image_size
from devlog.native import NativeFaultError, call

if TYPE_CHECKING:
    from PIL import Image

_LONGEST = 4096
"""The longest side in pixels of an image from which icons are made, unless it is a square."""
_MARGIN = 0.1
"""The margin of an icon on a background of its own, as a fraction of its side."""
_INSIDE = re.compile(r"#|data:image/(?:png|jpeg|gif|webp)[;,]", re.IGNORECASE)
_OPAQUE = 255


def image(parts: Mapping[str, Any], files: Sequence[bytes]) -> Made:
    """Check an image that is published as it is.

    Args:
        parts: ``name``: its name, whose suffix tells its type.
        files: the image.

    Returns:
        ``width`` and ``height`` among the facts, and the image.
    """
    if reason := _unsafe(parts["name"], files[0]):
        return Made(problem=reason)
    size = image_size(files[0])
    if size is None:
        return Made(problem="its size is unknown; an SVG needs a “viewBox”, or a “width” and a “height” in pixels")
    return Made({"width": size.width, "height": size.height}, (files[0],))


def icons(parts: Mapping[str, Any], files: Sequence[bytes]) -> Made:
    """Draw icons of all `SIDES`, in this order.

    Args:
        parts: ``name``, the name of the favicon; ``background``, the color behind touch icons, as ``#rrggbb``.
        files: the favicon.

    Returns:
        The icons as PNG, and ``side`` among the facts, the smaller side of the favicon in pixels; 0 for an SVG.
    """
    return careful(lambda: _icons(parts, files[0]))


def _icons(parts: Mapping[str, Any], data: bytes) -> Made:
    is_svg = parts["name"].lower().endswith(".svg")
    try:
        image, _, _ = decoded(_drawn(data) if is_svg else data, formats=("PNG",), moving=True)
    except UnknownFormatError as error:
        raise UnfitError("it is not a PNG") from error
    except ValueError as error:
        raise UnfitError(f"it is not a readable image ({error})") from error
    square = _square(image.convert("RGBA"))
    made = tuple(
        _png(_touch(square, side, parts["background"]) if side == TOUCH else _at(square, side)) for side in SIDES
    )
    return Made({"side": 0 if is_svg else min(image.size)}, made)


def _unsafe(name: str, data: bytes) -> str:
    """Why an image must not be published; empty if it may be."""
    look = Look(name)
    look.feed(data)
    return look.reason()


def _drawn(data: bytes) -> bytes:
    """An SVG as PNG. Raises ValueError."""
    import resvg_py

    size = image_size(data)
    if size is None:
        raise ValueError("its size is unknown")
    if _leads_outside(data):  # resvg would read any file
        raise ValueError("it refers to another file")
    is_wide = size.width >= size.height
    width, height = (MANIFEST[-1], None) if is_wide else (None, MANIFEST[-1])
    text = data.decode("utf-8-sig")
    try:
        return bytes(call(resvg_py.svg_to_bytes, svg_string=text, skip_system_fonts=True, width=width, height=height))
    except NativeFaultError as error:
        raise ValueError("resvg failed on it") from error


def _leads_outside(data: bytes) -> bool:
    """Whether an SVG shows other files."""
    from xml.parsers.expat import ExpatError

    from devlog.model.bounded_xml import BoundedParser, ExcessError

    found: list[str] = []

    def note(_name: str, attributes: dict[str, str]) -> None:
        found.extend(value for key, value in attributes.items() if key.rpartition(" ")[2] == "href")

    parser = BoundedParser()
    parser.reader.StartElementHandler = note
    try:
        parser.feed(data)
        parser.close()
    except (ExpatError, ExcessError) as error:
        raise ValueError(str(error)) from error
    return not all(_INSIDE.match(value.strip()) for value in found)


def _square(image: Image.Image) -> Image.Image:
    """An image in the middle of a square without colors.

    It is made smaller first: a square around a line of a million pixels would not fit into memory.
    """
    from PIL import Image

    if image.width == image.height:
        return image
    side = max(image.size)
    if side > _LONGEST:
        width, height = (max(1, round(length * _LONGEST / side)) for length in image.size)
        image, side = image.resize((width, height), Image.Resampling.LANCZOS), _LONGEST
    square = Image.new("RGBA", (side, side))
    square.paste(image, ((side - image.width) // 2, (side - image.height) // 2))
    return square


def _at(square: Image.Image, side: int) -> Image.Image:
    from PIL import Image

    return square.resize((side, side), Image.Resampling.LANCZOS)


def _touch(square: Image.Image, side: int, background: str) -> Image.Image:
    """An icon without transparency, which home screens would show as black."""
    from PIL import Image

    if square.getchannel("A").getextrema()[0] == _OPAQUE:
        return _at(square, side).convert("RGB")
    margin = round(side * _MARGIN)
    icon = Image.new("RGB", (side, side), background)
    inner = _at(square, side - 2 * margin)
    icon.paste(inner, (margin, margin), inner)
    return icon


def _png(image: Image.Image) -> bytes:
    out = BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()
