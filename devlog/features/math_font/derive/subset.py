"""Takes the glyphs of formulas from STIX Two Math, which the package ziamath has."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from devlog.model.derived import Made
from devlog.model.digest import digest_bytes

FONT = "fonts/STIXTwoMath-Regular.ttf"

_SIGNS = (
    "¬±×÷·°´¨¯ˆˇ˘˙˚˜ıȷ‖†‡•…′″‴⁗‾⁄ℂℍℏℎℑℒℓℕ℘ℙℚℛℜℝℤℬℰℱℋℐℳℵℶ∀∁∂∃∄∅∆∇∈∉∋∌∏∐∑−∓∗∘∙√∝∞∠∣∤∥∦∧∨∩∪∫∬∭∮∴∵∼≃≅≈≔≕≜≝≠≡≤≥≪≫≺≻⊂⊃⊄⊆⊇⊈⊊⊎⊏⊑"
    "⊓⊔⊕⊖⊗⊙⊢⊣⊤⊥⊨⊩⋀⋁⋂⋃⋄⋅⋆⋮⋯⋱⌈⌉⌊⌋⎰⎱⏜⏝⏞⏟⏠⏡⏴⏵□△▷▽◁⟂⟦⟧⟨⟩⟮⟯⟵⟶⟷⟸⟹⟺⟼⧸⨀⨁⨂⨄⨆⩽⩾⪯⪰"
)
_RANGES = (
    (0x20, 0x7E),  # ASCII
    (0x300, 0x30C),  # accents
    (0x391, 0x3D6),  # Greek
    (0x20D6, 0x20DC),  # arrows and dots above
    (0x2190, 0x21A6),
    (0x21D0, 0x21D5),  # arrows
    (0x1D400, 0x1D467),  # bold and italic letters
    (0x1D49C, 0x1D4B5),  # script capitals
    (0x1D538, 0x1D56B),  # letters with double strokes
    (0x1D6A8, 0x1D71B),  # bold and italic Greek
)
_NAMES = (0, 1, 2, 3, 4, 5, 6, 13, 14)
"""The names that are kept: those of the font, its copyright and its license."""
# Whoever has a font for formulas loads nothing: browsers load a font when those before it in the list are missing.
_STYLE = """\
@font-face {{ font-family: "devlog math"; src: url("math-{digest}.woff2") format("woff2"); font-display: swap; }}
math {{
  font-family: "Latin Modern Math", "STIX Two Math", "Cambria Math", "Noto Sans Math", "DejaVu Math TeX Gyre",
    "devlog math", math;
}}
"""


def make_font(_parts: Mapping[str, Any], _files: Sequence[bytes] = ()) -> Made:
    """Make the font of formulas: with the signs and letters that these have, and with all sizes of what stretches.

    Returns:
        The font as WOFF2, a style sheet that uses it, and the notice of its license.
    """
    font = _font_file()
    if font is None:
        return Made(problem=f"ziamath has no “{FONT}”")
    subset, fonts = import_module("fontTools.subset"), import_module("fontTools.ttLib")
    options = subset.Options(
        layout_features=[], hinting=False, name_IDs=list(_NAMES), glyph_names=False, recalc_timestamp=False
    )
    # What is left of the tables about ligatures and kerning is not needed, and takes most of the time.
    options.drop_tables += ["DSIG", "GDEF", "GPOS", "GSUB"]
    written = io.BytesIO()
    # Opened lazily, it keeps its file open: until it is closed, or somebody collects garbage.
    with fonts.TTFont(font, lazy=True, recalcTimestamp=False) as whole:
        notice = "\n\n".join(dict.fromkeys(str(name) for name in whole["name"].names if name.nameID in (4, 0, 13, 14)))
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes={*map(ord, _SIGNS), *(code for a, b in _RANGES for code in range(a, b + 1))})
        subsetter.subset(whole)
        whole.flavor = "woff2"
        whole.save(written)
    data = written.getvalue()
    style = _STYLE.format(digest=digest_bytes(data))
    return Made({}, (data, style.encode(), f"{notice}\n".encode()))


def _font_file() -> Path | None:
    """The font; `None` if the package does not have it there."""
    spec = find_spec("ziamath")
    places = spec.submodule_search_locations if spec else None
    file = Path(next(iter(places)), FONT) if places else None
    return file if file and file.is_file() else None
