"""The colors of a brand in each mode, and pairs of them that are hard to read.

The default theme's own colors stand here too, because most brands set only some: `tests/brand/test_palette.py` compares
them with its style sheet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec

from devlog.model.css_color import LEAST_CONTRAST, Color, contrast, from_oklch, luminance, mixed, read_color, to_oklch

Mode = Literal["light", "dark"]
ROLES = ("accent", "background", "text", "code")
MODES: tuple[Mode, ...] = ("light", "dark")

THEME: Mapping[Mode, Mapping[str, str]] = {
    "light": {
        "accent": "oklch(0.45 0.105 160)",
        "background": "oklch(0.988 0.003 160)",
        "text": "oklch(0.25 0.014 180)",
        "code": "oklch(0.958 0.006 165)",
        "comment": "oklch(0.49 0.02 175)",
    },
    "dark": {
        "accent": "oklch(0.83 0.11 160)",
        "background": "oklch(0.205 0.013 185)",
        "text": "oklch(0.91 0.008 165)",
        "code": "oklch(0.245 0.013 185)",
        "comment": "oklch(0.71 0.025 175)",
    },
}
"""The colors of the default theme. Comments are the faintest text in code."""

TOPIC: Mapping[Mode, tuple[float, float]] = {"light": (0.48, 0.11), "dark": (0.8, 0.09)}
"""The lightness and the chroma of the names of topics in the default theme; their hues are `TOPIC_HUES`."""
TOPIC_HUES = range(15, 360, 30)

_MIDDLE = 0.18
"""The luminance that looks half as bright as white."""
_STEPS = 200
"""How many steps of lightness there are between black and white, where a color is looked for that can be read."""


class Roles(msgspec.Struct, frozen=True):
    """The colors that a brand sets in one mode; `None` for those of the theme."""

    accent: Color | None = None
    background: Color | None = None
    text: Color | None = None
    code: Color | None = None


class Palette(msgspec.Struct, frozen=True):
    """The colors of a brand.

    Attributes:
        light: its colors in light mode; `None` if the site has no light mode.
        dark: likewise in dark mode.
    """

    light: Roles | None = Roles()
    dark: Roles | None = Roles()

    @property
    def modes(self) -> dict[Mode, Roles]:
        """The colors of each mode that the site has."""
        return {mode: roles for mode in MODES if (roles := getattr(self, mode)) is not None}

    @property
    def only(self) -> Mode | None:
        """The only mode of the site; `None` if it has both."""
        modes = list(self.modes)
        return modes[0] if len(modes) == 1 else None

    @property
    def is_empty(self) -> bool:
        """Whether all colors are those of the theme."""
        return self == Palette()

    @property
    def first(self) -> Roles:
        """The colors for images and programs that know no modes: those of light mode, if there is one."""
        return next(iter(self.modes.values()))


def palette(colors: Mapping[str, Mapping[Mode, Color]]) -> Palette:
    """The colors of a brand by mode.

    Args:
        colors: the colors of each role in one or both modes. If the background is the same in both, the site has only
            the mode that fits it, because the theme's other colors are either for light or for dark backgrounds.
    """
    roles = {mode: Roles(**{role: given[mode] for role, given in colors.items() if mode in given}) for mode in MODES}
    background = colors.get("background", {})
    if len(background) == 2 and background["light"] == background["dark"]:
        own = _mode_of(background["light"])
        return Palette(roles["light"] if own == "light" else None, roles["dark"] if own == "dark" else None)
    return Palette(roles["light"], roles["dark"])


def _mode_of(background: Color) -> Mode:
    """The mode that a background fits."""
    return "light" if luminance(background) > _MIDDLE else "dark"


def of_theme(mode: Mode, role: str) -> Color:
    """A color of the default theme."""
    color = read_color(THEME[mode][role])
    assert color
    return color


CODE_PART = 0.05
"""The part of the text color in the background of code, if a brand sets the background of pages only."""


def code_paper(mode: Mode, roles: Roles) -> Color:
    """The background of code in a mode."""
    if roles.code or not roles.background:
        return roles.code or of_theme(mode, "code")
    return mixed(roles.text or of_theme(mode, "text"), roles.background, CODE_PART)


class Faint(msgspec.Struct, frozen=True):
    """A text that is hard to read on its background.

    Attributes:
        role: the color to blame, of those that the brand sets.
        mode: the mode.
        text: what the text is, in words.
        on: what it is on, in words.
        ratio: the contrast.
        better: the nearest color of that role with which this text, and all others that it concerns, can be read;
            `None` if there is none, unless other colors change, too.
    """

    role: str
    mode: Mode
    text: str
    on: str
    ratio: float
    better: Color | None = None


_PAIRS = (
    ("text", "background", "text", "the background"),
    ("accent", "background", "links", "the background"),
    ("text", "code", "code", "the background of code"),
    ("comment", "code", "comments in code", "the background of code"),
)
"""The role of a text and that of its background, with their names."""


def faint(colors: Palette, *, topics: bool, theme: bool) -> Iterator[Faint]:
    """Pairs of colors whose contrast is below that of WCAG AA, of which a brand sets at least one.

    Args:
        colors: the colors of the brand.
        topics: whether topics have colors of the theme.
        theme: whether the other colors are those of the default theme; if not, only pairs that the brand sets count.
    """
    for mode, roles in colors.modes.items():
        found = [*_faint_in(mode, roles, topics=topics, theme=theme)]
        better: dict[str, Color | None] = {}
        for role in {item.role for item in found}:
            others = {(item.text, item.on) for item in found if item.role != role}
            for color in _of_other_lightness(getattr(roles, role)):
                changed = msgspec.structs.replace(roles, **{role: color})
                left = _faint_in(mode, changed, topics=topics, theme=theme)
                # the only background decides which mode the site has
                is_of_mode = role != "background" or not colors.only or _mode_of(color) == mode
                if is_of_mode and others.issuperset((item.text, item.on) for item in left):
                    better[role] = color
                    break
        yield from (msgspec.structs.replace(item, better=better.get(item.role)) for item in found)


def _of_other_lightness(color: Color) -> Iterator[Color]:
    """Colors that differ in their lightness, the nearest first; black and white are the last ones."""
    lightness, chroma, degrees = to_oklch(color.rgb)
    for step in range(1, _STEPS + 1):
        for other in (lightness - step / _STEPS, lightness + step / _STEPS):
            if -1 / _STEPS < other < 1 + 1 / _STEPS:
                rgb = from_oklch(min(max(other, 0.0), 1.0), chroma, degrees)
                yield Color("#{:02x}{:02x}{:02x}".format(*rgb), rgb)


def _faint_in(mode: Mode, roles: Roles, *, topics: bool, theme: bool) -> Iterator[Faint]:
    """The pairs of one mode; for the arguments, see `faint`."""
    own: dict[str, Color] = {role: color for role in ROLES if (color := getattr(roles, role)) is not None}
    shown = {role: own.get(role) or of_theme(mode, role) for role in THEME[mode]}
    shown["code"] = code_paper(mode, roles)
    for text, behind, name, on in _PAIRS:
        wanted = [role for role in (text, behind) if role in own]
        if not wanted or (len(wanted) < 2 and not theme):
            continue
        front, back = shown[text], shown[behind]
        ratio = contrast(front, back)
        if ratio < LEAST_CONTRAST:
            yield Faint(wanted[0], mode, name, on, ratio)
    background = own.get("background")
    if background and topics and theme:
        ratio = min(contrast(label, background) for label in topic_colors(mode))
        if ratio < LEAST_CONTRAST:
            yield Faint("background", mode, "names of topics", "the background", ratio)


def topic_colors(mode: Mode) -> Iterator[Color]:
    """The colors of the names of topics in the default theme."""
    lightness, chroma = TOPIC[mode]
    for degrees in TOPIC_HUES:
        yield Color(f"oklch({lightness} {chroma} {degrees})", from_oklch(lightness, chroma, degrees))
