"""A brand for tests: fonts with few letters, a logo, and a site that shows them."""

from __future__ import annotations

from io import BytesIO

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen

LETTERS = "".join(map(chr, range(0x20, 0x7F))) + "éłж漢字"
UNITS = 1000

_SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}">{}</svg>\n'
LOGO = _SVG.format(80, 40, '<rect width="80" height="40" fill="#7a2048"/>')
ICON = _SVG.format(64, 64, '<circle cx="32" cy="32" r="32" fill="#7a2048"/>')


def font(*, weight: int = 400, italic: bool = False, letters: str = LETTERS, width: int = 600) -> bytes:
    """A TrueType font whose letters are all boxes of one width.

    Args:
        weight: its weight.
        italic: whether it says that it is slanted.
        letters: the letters that it has.
        width: the width of each, in thousandths of the size.
    """
    names = [".notdef", *(f"uni{ord(letter):04X}" for letter in letters)]
    pen = TTGlyphPen(None)
    pen.moveTo((50, 0))
    pen.lineTo((50, 700))
    pen.lineTo((width - 50, 700))
    pen.lineTo((width - 50, 0))
    pen.closePath()
    box = pen.glyph()
    builder = FontBuilder(UNITS, isTTF=True)
    builder.setupGlyphOrder(names)
    builder.setupCharacterMap({ord(letter): f"uni{ord(letter):04X}" for letter in letters})
    builder.setupGlyf(dict.fromkeys(names, box))
    builder.setupHorizontalMetrics(dict.fromkeys(names, (width, 50)))
    builder.setupHorizontalHeader(ascent=900, descent=-300)
    style = "Bold" if weight > 600 else "Regular"
    builder.setupNameTable({"familyName": "Boxes", "styleName": f"{style} Italic" if italic else style})
    builder.setupOS2(usWeightClass=weight, fsSelection=1 if italic else 64)
    builder.setupPost()
    builder.setupHead(unitsPerEm=UNITS, created=0, modified=0)
    out = BytesIO()
    builder.font.recalcTimestamp = False
    builder.save(out)
    return out.getvalue()


CONFIG = """\
title = "Lumen"
base_url = "https://lumen.example.org/log/"
content_security_policy = true

[brand]
logo = "brand/logo.svg"
logo_dark = "static/white.svg"
favicon = "brand/icon.svg"
accent = { light = "#7a2048", dark = "oklch(0.85 0.1 350)" }
background = { light = "rgb(255 253 248)", dark = "#15101a" }
text = { light = "black", dark = "#efe6ec" }

[brand.fonts]
text = ["brand/regular.ttf", "brand/bold.ttf", "brand/italic.ttf"]
"""

POST = "content/storage/2026-05-01-first.md"


def brand_site() -> dict[str, str | bytes]:
    """The files of a site with a brand."""
    return {
        "devlog.toml": CONFIG,
        "brand/logo.svg": LOGO,
        "static/white.svg": LOGO.replace("#7a2048", "#ffffff"),
        "brand/icon.svg": ICON,
        "brand/regular.ttf": font(),
        "brand/bold.ttf": font(weight=700, width=650),
        "brand/italic.ttf": font(italic=True),
        "content/storage/_index.md": "---\ntitle: Storage\n---\n",
        POST: "---\ntitle: First\nauthor: Ada Quill (@adaquill)\n---\nA letter: &zhcy;.\n",
    }
