"""Which pictures of a site are made smaller, and what is published of what came of it. No picture is opened here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import count, islice

import msgspec

from devlog.config import Images
from devlog.features.images.derive.encode import PIXELS, TOO_LARGE
from devlog.model.derived import MadeRecord, Work
from devlog.model.digest import digest_bytes
from devlog.model.image import ImageFile
from devlog.model.media import media_type
from devlog.model.source import Asset
from devlog.model.target import Copy

TYPES = frozenset({"image/png", "image/jpeg", "image/webp", "image/avif", "image/gif"})
"""What can be made smaller."""

FOLDER = "/images"
_ENOUGH = 10_000
"""So many bytes and fewer are soon loaded."""

_SAFE = 4_000_000
"""So many pixels and fewer are made sooner than a process starts, and take neither much memory nor long."""


class Shown(msgspec.Struct, frozen=True):
    """A picture of the site that a text shows.

    Attributes:
        asset: the picture.
        permalink: where it is published.
        copy: how it is.
    """

    asset: Asset
    permalink: str
    copy: Copy


def is_candidate(asset: Asset, images: Images) -> bool:
    """Whether a file is a picture of which others could be made."""
    if asset.size is None or asset.length <= _ENOUGH or media_type(asset.path) not in TYPES:
        return False
    return bool(images.widths and images.formats)


def is_too_large(asset: Asset) -> str:
    """Why a picture is not even opened; empty if it is."""
    size = asset.size
    return TOO_LARGE if size and size.width * size.height > PIXELS else ""


def work(shown: Shown, images: Images) -> Work:
    """What is to be made of a picture, in all formats."""
    kinds = list(dict.fromkeys(images.formats))
    parts = {"formats": kinds, "widths": sorted(set(images.widths)), "quality": images.quality}
    return Work("devlog.features.images.derive.encode:encode", parts, (shown.copy,), _is_large(shown))


def look(shown: Shown, images: Images) -> Work:
    """What finds out whether anything is wrong with a picture, and makes nothing of it."""
    parts = {"widths": sorted(set(images.widths))}
    return Work("devlog.features.images.derive.encode:look", parts, (shown.copy,), _is_large(shown))


def _is_large(shown: Shown) -> bool:
    size = shown.asset.size
    return size is not None and size.width * size.height > _SAFE


def files(shown: Shown, images: Images, made: MadeRecord, is_free: Callable[[str], bool]) -> tuple[ImageFile, ...]:
    """What is published beside a picture: the best format first, and in each from narrow to wide.

    Args:
        shown: the original.
        images: as configured.
        made: what came of its `work`.
        is_free: tells whether nothing else is published under a permalink.
    """
    sizes = made.facts.get("sizes", {})
    blobs = iter(made.blobs)
    sets = [_set(shown, images, kind, sizes[kind], islice(blobs, len(sizes[kind]))) for kind in sizes]
    good: list[tuple[ImageFile, ...]] = []
    lightest = 0
    for some, weight in reversed(sets):  # browsers take the first that they know, so that must be the lightest
        if some and (not lightest or weight < lightest):
            good.insert(0, some)
            lightest = weight
    return tuple(_placed(picture, is_free) for some in good for picture in some)


def _set(
    shown: Shown, images: Images, kind: str, sizes: Sequence[tuple[int, int, int]], blobs: Iterable[str]
) -> tuple[tuple[ImageFile, ...], int]:
    """The pictures of one format, the original among them if it is of that format, and the bytes of the widest."""
    if not sizes:
        return (), 0
    name = digest_bytes(f"{shown.asset.digest} {images.quality}".encode())[:16]
    found = [
        ImageFile(f"{FOLDER}/{name}-{width}.{kind}", f"image/{kind}", width, height, blob)
        for (width, height, _), blob in zip(sizes, blobs, strict=True)
    ]
    size = shown.asset.size
    if media_type(shown.asset.path) == f"image/{kind}" and size and size.width <= max(images.widths):
        found.append(ImageFile(shown.permalink, f"image/{kind}", size.width, size.height, ""))
        return tuple(found), shown.asset.length
    return tuple(found), sizes[-1][2]


def _placed(picture: ImageFile, is_free: Callable[[str], bool]) -> ImageFile:
    """A picture under a name that nothing of the site has."""
    stem, _, ending = picture.permalink.rpartition(".")
    if not picture.blob or is_free(picture.permalink):
        return picture
    free = (name for number in count(2) if is_free(name := f"{stem}-{number}.{ending}"))
    return msgspec.structs.replace(picture, permalink=next(free))
