"""Writes the style sheet of a brand: its colors and fonts, as values of the variables that themes use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from devlog.features.brand.model import FOLDER, Face, Kind, Metrics
from devlog.model.css_color import LEAST_CONTRAST, Color, contrast, mixed
from devlog.model.palette import CODE_PART, MODES, Mode, Palette, Roles, code_paper, of_theme

_BOLD = 600
"""The least weight of letters that look bold."""


def stylesheet(palette: Palette, faces: Sequence[Face]) -> str:
    """The style sheet of a brand; empty if it has neither colors nor fonts."""
    return "".join([*_fonts(faces), *_colors(palette)])


# -- colors

_VARIABLES = {"accent": "--accent", "background": "--paper", "text": "--ink", "code": "--code-paper"}
_SOFT = (0.68, 0.76, 0.84, 0.92, 1.0)
"""The parts of the text color that secondary text may have: the first that can be read is used."""


def _colors(palette: Palette) -> Iterator[str]:
    """The rules for colors, apart from printing: paper is white.

    Readers who ask for more contrast get that of the theme for what the brand does not set.
    """
    if palette.is_empty:
        return
    yield "@media not print {\n"
    yield from _rule(_exact(palette))
    soft = dict(_derived(palette))
    if soft:
        yield "@media not (prefers-contrast: more) {\n"
        yield from _rule(soft.items())
        yield "}\n"
    yield "}\n"


def _rule(values: Iterable[tuple[str, str]]) -> Iterator[str]:
    yield ":root {\n"
    yield from (f"  {name}: {value};\n" for name, value in values)
    yield "}\n"


def _exact(palette: Palette) -> Iterator[tuple[str, str]]:
    """The colors that the brand sets, and areas mixed from them."""
    if palette.only:
        yield "color-scheme", palette.only
    for role, name in _VARIABLES.items():
        given = {mode: color for mode, roles in palette.modes.items() if (color := getattr(roles, role))}
        if given:
            others = {mode: given.get(mode) or of_theme(mode, role) for mode in MODES}
            yield name, _both({mode: color.css for mode, color in others.items()}, palette)
    roles = palette.modes.values()
    if any(item.background for item in roles) and not any(item.code for item in roles):
        yield "--code-paper", f"color-mix(in oklab, var(--ink) {CODE_PART:.0%}, var(--paper))"
    if any(item.accent or item.background for item in roles):
        yield "--tint", "color-mix(in oklab, var(--accent) 9%, var(--paper))"
        yield "--selection", "color-mix(in oklab, var(--accent) 22%, var(--paper))"


def _derived(palette: Palette) -> Iterator[tuple[str, str]]:
    """Colors of secondary text and of lines, mixed from those that the brand sets."""
    roles = palette.modes.values()
    if any(item.background or item.text or item.code for item in roles):
        parts = {mode: _soft(mode, item) for mode, item in palette.modes.items()}
        mixes = {mode: f"color-mix(in oklab, var(--ink) {part:.0%}, var(--paper))" for mode, part in parts.items()}
        yield "--ink-soft", _both(mixes, palette)
        yield "--rule", "color-mix(in oklab, var(--ink) 15%, var(--paper))"
    if any(item.accent or item.background for item in roles):
        yield "--line", "color-mix(in oklab, var(--accent) 45%, var(--paper))"


def _both(values: dict[Mode, str], palette: Palette) -> str:
    """A value for each mode, or that of the only mode."""
    if palette.only:
        return values[palette.only]
    return values["light"] if values["light"] == values["dark"] else f"light-dark({values['light']}, {values['dark']})"


def _soft(mode: Mode, roles: Roles) -> float:
    """The part of the text color in secondary text, which stands on the background and on that of code."""
    text, paper = roles.text or of_theme(mode, "text"), roles.background or of_theme(mode, "background")
    behind = [paper, code_paper(mode, roles)]
    return next((part for part in _SOFT if _is_legible(mixed(text, paper, part), behind)), _SOFT[-1])


def _is_legible(color: Color, behind: Iterable[Color]) -> bool:
    return all(contrast(color, paper) >= LEAST_CONTRAST + 0.1 for paper in behind)  # browsers mix a little differently


# -- fonts


class Local(NamedTuple):
    """A font that many readers have installed: its names and the average width of its letters.

    Widths were measured as `devlog.features.brand.derive.fonts.average_width` does, in the fonts of Debian's packages
    fonts-liberation (whose letters are as wide as those of Arial, Times New Roman and Courier New), fonts-roboto,
    fonts-noto-core and fonts-dejavu.
    """

    name: str
    names: tuple[str, ...]
    width: float
    bold_names: tuple[str, ...]
    bold_width: float


LOCAL: dict[Kind, tuple[Local, ...]] = {
    "sans": (
        Local(
            "Arial",
            ("Arial", "ArialMT", "Helvetica", "Liberation Sans"),
            0.4442,
            ("Arial Bold", "Arial-BoldMT", "Helvetica Bold", "Liberation Sans Bold"),
            0.4807,
        ),
        Local("Roboto", ("Roboto",), 0.446, ("Roboto Bold",), 0.4523),
        Local("Noto Sans", ("Noto Sans",), 0.4753, ("Noto Sans Bold",), 0.5074),
        Local("DejaVu Sans", ("DejaVu Sans",), 0.5099, ("DejaVu Sans Bold",), 0.576),
    ),
    "serif": (
        Local(
            "Times",
            ("Times New Roman", "TimesNewRomanPSMT", "Liberation Serif"),
            0.4026,
            ("Times New Roman Bold", "TimesNewRomanPS-BoldMT", "Liberation Serif Bold"),
            0.4286,
        ),
        Local("Noto Serif", ("Noto Serif",), 0.4826, ("Noto Serif Bold",), 0.5123),
        Local("DejaVu Serif", ("DejaVu Serif",), 0.5153, ("DejaVu Serif Bold",), 0.569),
    ),
    "mono": (
        Local(
            "Courier",
            ("Courier New", "CourierNewPSMT", "Liberation Mono"),
            0.6001,
            ("Courier New Bold", "CourierNewPS-BoldMT", "Liberation Mono Bold"),
            0.6001,
        ),
        Local("DejaVu Sans Mono", ("Menlo", "DejaVu Sans Mono"), 0.6021, ("DejaVu Sans Mono Bold",), 0.6021),
    ),
}
"""Installed fonts that replace a font of a brand until it is loaded, by the kind of font, most common first."""

_GENERIC = {"sans": "sans-serif", "serif": "serif", "mono": "monospace"}
_USES = {"text": "--sans", "headings": "--headings", "code": "--mono"}
_FORMATS = {"woff2": "woff2", "woff": "woff", "ttf": "truetype", "otf": "opentype"}


def _fonts(faces: Sequence[Face]) -> Iterator[str]:
    """The fonts, installed fonts with the same metrics, and the variables that name them."""
    values = []
    for use, variable in _USES.items():
        own = [face for face in faces if face.use == use]
        if not own:
            continue
        family = f"Brand {use.capitalize()}"
        yield from (_face(family, face) for face in own)
        kind = own[0].kind
        yield from _replacements(family, own, kind)
        names = [family, *(f"{family} {local.name}" for local in LOCAL[kind])]
        values.append((variable, ", ".join([*(f'"{name}"' for name in names), _GENERIC[kind]])))
        if use == "headings":
            values.append(("--headings-weight", str(min(700, max(face.weights[1] for face in own)))))
    if values:
        yield from _rule(values)


def _face(family: str, face: Face) -> str:
    name = face.file.permalink.removeprefix(FOLDER)
    return _font_face(family, f'url({name}) format("{_FORMATS[name.rpartition(".")[2]]}")', face.weights, face.italic)


def _replacements(family: str, faces: Sequence[Face], kind: Kind) -> Iterator[str]:
    """Installed fonts, scaled so that text takes the same room as in the font of the brand."""
    upright = [face for face in faces if not face.italic] or faces
    regular = min(upright, key=lambda face: _distance(face, 400))
    bold = min(upright, key=lambda face: _distance(face, 700))
    has_bold = bold is not regular and bold.weights[1] >= _BOLD
    for local in LOCAL[kind]:
        name = f"{family} {local.name}"
        yield _replacement(name, local.names, regular.metrics, local.width, (1, 599) if has_bold else (1, 1000))
        if has_bold:
            yield _replacement(name, local.bold_names, bold.metrics, local.bold_width, (600, 1000))


def _distance(face: Face, weight: int) -> int:
    return max(face.weights[0] - weight, weight - face.weights[1], 0)


def _replacement(name: str, names: Iterable[str], metrics: Metrics, width: float, weights: tuple[int, int]) -> str:
    scale = metrics.width / width
    source = ", ".join(f'local("{one}")' for one in names)
    lines = {
        "size-adjust": scale,
        "ascent-override": metrics.ascent / scale,
        "descent-override": metrics.descent / scale,
        "line-gap-override": metrics.line_gap / scale,
    }
    return _font_face(name, source, weights, None, {key: f"{value:.2%}" for key, value in lines.items()})


def _font_face(
    family: str, source: str, weights: tuple[int, int], italic: bool | None, more: dict[str, str] | None = None
) -> str:
    """A rule for a font.

    ``optional`` lets the browser keep the replacement for a page if the font is late: text never moves.

    Args:
        family: its name.
        source: its sources.
        weights: the lightest and the boldest weight.
        italic: whether it is slanted; `None` for an installed font, which has all styles.
        more: other descriptors.
    """
    weight = str(weights[0]) if weights[0] == weights[1] else f"{weights[0]} {weights[1]}"
    lines = {"font-family": f'"{family}"', "src": source, "font-weight": weight, **(more or {})}
    if italic is not None:
        lines |= {"font-style": "italic" if italic else "normal", "font-display": "optional"}
    return "@font-face {\n" + "".join(f"  {key}: {value};\n" for key, value in lines.items()) + "}\n"
