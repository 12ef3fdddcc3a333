"""Plans the files of rendered diagrams, and of scripts that render diagrams in browsers."""

from __future__ import annotations

from collections.abc import Iterator

from devlog.model.diagnostic import generated
from devlog.model.image import Drawings
from devlog.model.target import Blob
from devlog.plugin import Outline, PlannedFile


def plan_drawings(outline: Outline) -> Iterator[PlannedFile]:
    """The rendered diagrams, each once: different sources may render to the same image; and the scripts."""
    drawings = outline.derived.of(Drawings)
    blobs = {**{item.permalink: item.blob for item in drawings.files}, **drawings.script_files}
    for permalink, blob in sorted(blobs.items()):
        yield PlannedFile(permalink, "blob", {"blob": Blob(blob)}, span=generated("a diagram"))
