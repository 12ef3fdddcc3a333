"""Provides the font of formulas if a page has some, and the extra ``math`` is installed."""

from __future__ import annotations

from devlog.deriving import Deriving
from devlog.features.math_font import problems
from devlog.model.derived import Facts, Work
from devlog.model.image import MathFont
from devlog.model.target import Copy
from devlog.packages import version

PACKAGES = ("ziamath", "fonttools", "brotli")
"""The packages that have the font, make it smaller and compress it."""


def derive_math_font(work: Deriving) -> MathFont:
    """The font of formulas with its style sheet and its license; without any if the site needs none."""
    if work.effort is None or not any(parsed.document.formulas for parsed in work.references.sources()):
        return MathFont()
    versions = {name: version(name) for name in PACKAGES}
    if not all(versions.values()):
        return MathFont()
    wanted = Work("devlog.features.math_font.derive.subset:make_font", {"packages": versions}, (), True, _Files)
    (made,) = work.stages.derive((wanted,), _nothing_to_read)
    if made.problem:
        return MathFont(problems=(problems.no_math_font(made.problem),))
    font, style, notice = made.blobs
    sheet = f"/fonts/math-{style}.css"
    return MathFont(sheet, {f"/fonts/math-{font}.woff2": font, sheet: style, "/fonts/math-font.txt": notice})


class _Files(Facts, frozen=True):
    """The font, its style sheet and its license, as files."""

    def fits(self, work: Work, blobs: int) -> bool:
        return blobs == 3


def _nothing_to_read(_file: Copy) -> bytes:
    return b""
