"""Decides which images of a site get variants, in which widths, and which results are published. Opens no image."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import count, islice

import msgspec

from devlog.config import Images
from devlog.engine.toolchain import image_libraries
from devlog.engine.untrusted_images import PIXELS, TOO_LARGE
from devlog.model.derived import Facts, MadeRecord, Work
from devlog.model.digest import digest_bytes
from devlog.model.image import ImageFile
from devlog.model.media import media_type
from devlog.model.source import Asset
from devlog.model.target import Copy

TYPES = frozenset({"image/png", "image/jpeg", "image/webp", "image/avif", "image/gif"})
"""The media types of images that can have variants."""

FOLDER = "/images"
_LIBRARIES = {"avif": "libavif", "webp": "libwebp"}
"""The library with which Pillow writes each format, if it was built with it."""

_ENOUGH = 10_000
"""Images with at most this number of bytes load quickly enough."""

_SAFE = 4_000_000
"""Images with at most this number of pixels take little memory, and less time than starting a process."""

_SAFE_LENGTH = 500_000
"""Images with at most this number of bytes take seconds at most, even an AVIF that consists of thousands of frames: a
library decodes all of them, and only a process can be ended meanwhile."""


class Shown(msgspec.Struct, frozen=True):
    """An image of the site that a source shows.

    Attributes:
        asset: the file of the image.
        permalink: its permalink.
        copy: how its file is found.
    """

    asset: Asset
    permalink: str
    copy: Copy


def is_candidate(asset: Asset, images: Images) -> bool:
    """Whether a file is an image that can have variants."""
    if asset.size is None or asset.length <= _ENOUGH or media_type(asset.path) not in TYPES:
        return False
    return bool(images.widths and images.formats)


def is_too_large(asset: Asset) -> str:
    """Why an image is too large to open; empty if it is not."""
    size = asset.size
    return TOO_LARGE if size and size.width * size.height > PIXELS else ""


def unwritable(images: Images) -> tuple[str, ...]:
    """The wanted formats that the installed build of Pillow lacks, in which no images are made."""
    return tuple(kind for kind in dict.fromkeys(images.formats) if _LIBRARIES[kind] not in image_libraries())


def work(shown: Shown, images: Images) -> Work:
    """The work that makes all variants of an image."""
    kinds = list(dict.fromkeys(images.formats))
    parts = {"formats": kinds, "widths": sorted(set(images.widths)), "quality": images.quality}
    return Work(
        "devlog.features.images.derive.encode:encode", parts, (shown.copy,), _is_large(shown), _Sizes, codecs=True
    )


class _Sizes(Facts, frozen=True):
    """The width, height and length of the variants in each format, and the format of the original."""

    sizes: dict[str, list[tuple[int, int, int]]] = msgspec.field(default_factory=dict)
    original: str = ""

    def fits(self, work: Work, blobs: int) -> bool:
        return blobs == sum(map(len, self.sizes.values())) and self.sizes.keys() <= {*work.parts["formats"]}


def look(shown: Shown, images: Images) -> Work:
    """The work that finds out whether an image has a problem, and encodes nothing."""
    parts = {"widths": sorted(set(images.widths))}
    return Work("devlog.features.images.derive.encode:look", parts, (shown.copy,), _is_large(shown), codecs=True)


def _is_large(shown: Shown) -> bool:
    size = shown.asset.size
    return size is not None and (size.width * size.height > _SAFE or shown.asset.length > _SAFE_LENGTH)


def files(shown: Shown, images: Images, made: MadeRecord, is_free: Callable[[str], bool]) -> tuple[ImageFile, ...]:
    """The variants that are published beside an image: the best format first, and in each format the narrowest first.

    Args:
        shown: the original.
        images: the configuration of images.
        made: the result of its `work`.
        is_free: whether nothing else is published at a permalink.
    """
    sizes = made.facts.get("sizes", {})
    blobs = iter(made.blobs)
    original = made.facts.get("original", "")
    sets = [
        _set(shown, images, kind, sizes[kind], islice(blobs, len(sizes[kind])), has_original=kind == original)
        for kind in sizes
    ]
    good: list[tuple[ImageFile, ...]] = []
    lightest = 0
    for some, weight in reversed(sets):  # browsers use the first format that they support, so it must be the smallest
        if some and (not lightest or weight < lightest):
            good.insert(0, some)
            lightest = weight
    return tuple(_placed(picture, is_free) for some in good for picture in some)


def _set(
    shown: Shown,
    images: Images,
    kind: str,
    sizes: Sequence[tuple[int, int, int]],
    blobs: Iterable[str],
    *,
    has_original: bool,
) -> tuple[tuple[ImageFile, ...], int]:
    """The images of one format, perhaps including the original, and the bytes of the widest image."""
    if not sizes:
        return (), 0
    name = digest_bytes(f"{shown.asset.digest} {images.quality}".encode())[:16]
    found = [
        ImageFile(f"{FOLDER}/{name}-{width}.{kind}", f"image/{kind}", width, height, blob)
        for (width, height, _), blob in zip(sizes, blobs, strict=True)
    ]
    size = shown.asset.size
    if has_original and size and size.width <= max(images.widths):
        found.append(ImageFile(shown.permalink, f"image/{kind}", size.width, size.height, ""))
        return tuple(found), shown.asset.length
    return tuple(found), sizes[-1][2]


def _placed(picture: ImageFile, is_free: Callable[[str], bool]) -> ImageFile:
    """An image at a permalink that nothing else in the site has."""
    stem, _, ending = picture.permalink.rpartition(".")
    if not picture.blob or is_free(picture.permalink):
        return picture
    free = (name for number in count(2) if is_free(name := f"{stem}-{number}.{ending}"))
    return msgspec.structs.replace(picture, permalink=next(free))


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
