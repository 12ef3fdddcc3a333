"""Reads a font, and makes a smaller file of it with only the letters of the site. Loads fontTools, in a worker."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any

from devlog.features.brand.model import Metrics
from devlog.model.derived import Made

if TYPE_CHECKING:
    from fontTools.ttLib import TTFont

FREQUENCIES = dict(
    zip(
        " etaoinshrdlcumwfgypbvkjxqz",
        (200, 127, 91, 82, 75, 70, 67, 63, 61, 60, 43, 40, 28, 28, 24, 24, 22, 20, 20, 19, 15, 10, 8, 2, 2, 1, 1),
        strict=True,
    )
)
"""How often a letter or a space stands in English text, out of about 1,200."""

ALWAYS = "".join(map(chr, (*range(0x20, 0x7F), *range(0xA0, 0x180), *range(0x2010, 0x2028), *range(0x2030, 0x203B))))
"""Characters that each font keeps: those of European languages in Latin script, and punctuation. So most edits change
neither a font nor its URL."""

_NUMERALS = ("lnum", "onum", "pnum", "tnum")
_NAMES = [*range(15)]
"""The names in a font that are kept: those of the font itself, its authors and its license."""
_TYPO_METRICS = 1 << 7
_ITALIC = 1
_SERIFS = range(2, 11)
_TEXT = 2
_LARGEST = 10.0
"""The largest measure of a font that can be true, as a fraction of its size."""


def font(parts: Mapping[str, Any], files: Sequence[bytes]) -> Made:
    """Read a font, and make the file to publish.

    Args:
        parts: ``letters``: the letters to keep besides `ALWAYS`; `None` to publish the file as it is.
        files: the font file.

    Returns:
        The metrics among the facts, and the file.
    """
    with _quiet():
        return _made(parts["letters"], files[0])


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep off the terminal what fontTools logs, and warnings. A malformed font makes tens of thousands of lines.

    What makes a font unusable is an exception, and so a problem.
    """
    log = logging.getLogger("fontTools")
    level = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(level)


def _made(letters: str | None, data: bytes) -> Made:
    from fontTools.ttLib import TTFont

    try:
        opened = TTFont(BytesIO(data), recalcTimestamp=False, recalcBBoxes=False)
        facts = _facts(opened)
        if reason := _unusable(Metrics(*facts["metrics"])):
            return Made(problem=reason)
        if letters is None:
            return Made(facts, (data,))
        return Made({**facts, "suffix": "woff2"}, (_subset(opened, letters),))
    except MemoryError:
        raise
    except Exception as error:  # of any type: a damaged font fails anywhere in the library
        return Made(problem=f"it is not a readable font ({type(error).__name__}: {error})")


def _unusable(metrics: Metrics) -> str:
    """Why no installed font can be scaled to the metrics of a font; empty if one can."""
    if not 0 < metrics.width <= _LARGEST:
        return "its letters have no usable width"
    heights = metrics.ascent, metrics.descent, metrics.line_gap
    return "" if all(-_LARGEST <= height <= _LARGEST for height in heights) else "its letters have no usable height"


def _facts(opened: TTFont) -> dict[str, Any]:
    units = opened["head"].unitsPerEm
    os2, across = opened["OS/2"], opened["hhea"]
    if os2.fsSelection & _TYPO_METRICS:
        ascent, descent, gap = os2.sTypoAscender, os2.sTypoDescender, os2.sTypoLineGap
    else:
        ascent, descent, gap = across.ascent, across.descent, across.lineGap
    weights = [os2.usWeightClass] * 2
    axes = opened["fvar"].axes if "fvar" in opened else ()
    for axis in axes:
        if axis.axisTag == "wght":
            weights = [round(axis.minValue), round(axis.maxValue)]
    return {
        "weights": [min(max(weight, 1), 1000) for weight in weights],
        "italic": bool(os2.fsSelection & _ITALIC),
        "kind": _kind(opened),
        "metrics": [ascent / units, -descent / units, gap / units, average_width(opened)],
    }


def average_width(opened: TTFont) -> float:
    """The average width of the letters of English text, as a fraction of the font's size."""
    names, widths, units = opened.getBestCmap(), opened["hmtx"], opened["head"].unitsPerEm
    known = {letter: count for letter, count in FREQUENCIES.items() if ord(letter) in names}
    total = sum(widths[names[ord(letter)]][0] * count for letter, count in known.items())
    return float(total) / sum(known.values()) / units if known else 0.5


def _kind(opened: TTFont) -> str:
    """The kind of font that looks most like it."""
    panose = opened["OS/2"].panose
    if opened["post"].isFixedPitch:
        return "mono"
    name = opened["name"].getDebugName(1) or ""
    is_serif = panose.bFamilyType == _TEXT and panose.bSerifStyle in _SERIFS
    return "serif" if is_serif or ("Serif" in name and "Sans" not in name) else "sans"


def _subset(opened: TTFont, letters: str) -> bytes:
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib.tables.otBase import USE_HARFBUZZ_REPACKER

    options = Options()
    options.flavor = "woff2"
    options.drop_tables += ["SVG"]  # it would need another package
    options.layout_features = [*options.layout_features, *_NUMERALS]
    options.name_IDs = _NAMES
    options.notdef_outline = True
    subsetter = Subsetter(options)
    subsetter.populate(text=ALWAYS + letters)
    subsetter.subset(opened)
    opened.flavor = "woff2"
    opened.cfg[USE_HARFBUZZ_REPACKER] = False  # the bytes must not depend on whether that is installed, too
    out = BytesIO()
    opened.save(out)
    return out.getvalue()
