"""Plans the files of the font of formulas."""

from __future__ import annotations

from collections.abc import Iterator

from devlog.model.diagnostic import generated
from devlog.model.image import MathFont
from devlog.model.target import Blob
from devlog.plugin import Outline, PlannedFile


def plan_math_font(outline: Outline) -> Iterator[PlannedFile]:
    """The font, its style sheet and its license, if a page has formulas."""
    for permalink, blob in outline.derived.of(MathFont).files.items():
        yield PlannedFile(permalink, "blob", {"blob": Blob(blob)}, span=generated("the math font"))
