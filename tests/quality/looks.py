"""Three invented brands over the showcase: light and airy, dark and dense, and a serif with a header of full width.

Their fonts are those of Debian's package fonts-dejavu.
"""

from __future__ import annotations

from pathlib import Path

from sites import NOW, write_site

from devlog.build import Options, build
from devlog.model.report import Report
from quality.showcase import showcase

FONTS = Path("/usr/share/fonts/truetype/dejavu")

LOOKS = {
    "airy": """\
[brand]
logo = "brand/kite.svg"
favicon = "brand/kite.svg"
accent = { light = "#0b63c5", dark = "#8cc1ff" }
background = { light = "#ffffff", dark = "#0f1720" }
text = { light = "#24323f", dark = "#dbe6f0" }
code = { light = "#f3f7fb", dark = "#17222e" }

[brand.fonts]
text = ["brand/DejaVuSans.ttf", "brand/DejaVuSans-Bold.ttf"]
headings = "brand/DejaVuSans-ExtraLight.ttf"
code = "brand/DejaVuSansMono.ttf"
""",
    "dark": """\
[brand]
logo = "brand/forge.svg"
wordmark = true
favicon = "brand/kite.svg"
accent = "oklch(0.84 0.15 85)"
background = "#0c0f0a"
text = "#d6dccf"
code = "#151a12"

[brand.fonts]
text = ["brand/DejaVuSansCondensed.ttf", "brand/DejaVuSansCondensed-Bold.ttf"]
code = ["brand/DejaVuSansMono.ttf", "brand/DejaVuSansMono-Bold.ttf"]
""",
    "serif": """\
[brand]
logo = "brand/leaf-ink.svg"
logo_dark = "brand/leaf.svg"
favicon = "brand/leaf.svg"
accent = { light = "#8a1c2b", dark = "#f2a6a0" }
background = { light = "#fbf6ec", dark = "#1c1713" }
text = { light = "#2b211a", dark = "#eee3d3" }
code = { light = "#f4ecdc", dark = "#28211b" }

[brand.fonts]
text = ["brand/DejaVuSerif.ttf", "brand/DejaVuSerif-Bold.ttf", "brand/DejaVuSerif-Italic.ttf"]
headings = "brand/DejaVuSerifCondensed-Bold.ttf"

[header]
full_width = true
""",
}
"""The configuration of each brand, by a short name."""

_SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}">{}</svg>\n'
_LEAF = (
    '<path d="M32 4C54 18 58 42 32 60 6 42 10 18 32 4z" fill="{}"/><path d="M32 14v46" stroke="{}" stroke-width="3"/>'
)
_IMAGES = {
    "brand/kite.svg": _SVG.format(
        64, 64, '<path d="M32 4 56 26 32 60 8 26z" fill="#0b63c5"/><path d="M32 4v56L8 26z" fill="#8cc1ff"/>'
    ),
    "brand/forge.svg": _SVG.format(
        196,
        40,
        '<g fill="#f2c14e"><path d="M4 6h24v7H12v6h14v7H12v9H4zM36 6h30v29H36zM74 6h30v29h-9l-6-10h-7v10h-8z"/>'
        '<path d="M112 6h32v7h-24v15h16v-5h-8v-6h16v18h-32zM152 6h28v7h-20v4h18v7h-18v4h20v7h-28z"/></g>'
        '<path d="M44 13h14v15H44zM82 13h14v6H82z" fill="#0c0f0a"/>',
    ),
    "brand/leaf.svg": _SVG.format(64, 64, _LEAF.format("#f2a6a0", "#1c1713")),
    "brand/leaf-ink.svg": _SVG.format(64, 64, _LEAF.format("#8a1c2b", "#fbf6ec")),
}

PAGES = ("", "storage/2026-05-20-everything/", "404.html")
"""The pages of the showcase that are looked at in each brand. That of an episode is none of them: Chromium's own player
moves its bar once it knows how long the audio is.
"""


def build_look(root: Path, base_url: str, name: str) -> Report:
    """Write the showcase with one of the brands, or as it is, into a folder, and build it without a search."""
    files = showcase(root, base_url)
    look = LOOKS.get(name, "")
    fonts = {file.name for file in FONTS.iterdir() if f'"brand/{file.name}"' in look}
    brand = {f"brand/{font}": (FONTS / font).read_bytes() for font in fonts}
    write_site(root, {**files, **_IMAGES, **brand, "devlog.toml": f"{files['devlog.toml']}\n{look}"})
    return build(Options(root=root, now=NOW, jobs=1, drafts=True, future=True, search=False))
