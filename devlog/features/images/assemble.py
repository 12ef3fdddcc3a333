"""Plans the files of images in other sizes and formats."""

from __future__ import annotations

from collections.abc import Iterator

from devlog.model.diagnostic import generated
from devlog.model.image import ImageVariants
from devlog.model.target import Blob
from devlog.plugin import Outline, PlannedFile


def plan_images(outline: Outline) -> Iterator[PlannedFile]:
    """Images in other sizes and formats, each once: copies of one file share them."""
    variants = outline.derived.of(ImageVariants).by_digest.values()
    blobs = {item.permalink: item.blob for some in variants for item in some if item.blob}
    for permalink, blob in sorted(blobs.items()):
        yield PlannedFile(permalink, "blob", {"blob": Blob(blob)}, span=generated("a smaller image"))
