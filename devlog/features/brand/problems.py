"""Messages about brands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import error, warning

if TYPE_CHECKING:
    from devlog.model.palette import Faint, Mode


def unusable_brand_file(span: Span, file: str, reason: str) -> Diagnostic:
    """A logo, an icon or a font that is missing or damaged, or that browsers could run."""
    return error("unusable-brand-file", span, f"“{file}” cannot be used for the brand: {reason}")


def no_fonttools(span: Span, command: str) -> Diagnostic:
    """Fonts are configured, and the packages that subset and compress them are not installed."""
    message = "the fonts of the brand are not used: fontTools and Brotli are not installed"
    return warning("no-fonttools", span, message, f"run “{command}”")


def no_icons(span: Span, package: str, command: str) -> Diagnostic:
    """The package that draws icons from the favicon is not installed."""
    message = f"the site has no touch icon and no web app manifest: {package} is not installed"
    return warning("no-icons", span, message, f"run “{command}”")


def small_favicon(span: Span, file: str, side: int) -> Diagnostic:
    """A favicon that has fewer pixels than the largest icon made of it."""
    hint = "use an SVG, or a square PNG of at least 512 pixels"
    return warning("small-favicon", span, f"icons are blurred: “{file}” is only {side} pixels wide or high", hint)


def bad_color(span: Span, key: str, value: str) -> Diagnostic:
    """A color in a notation that devlog does not know, or with transparency."""
    hint = "write “#7a2048”, “rgb(122 32 72)”, “oklch(0.42 0.13 0)” or the name of a color, without transparency"
    return error("bad-color", span, f"“{value}” is not a color, at “{key}”", hint)


def bad_brand_file(span: Span, file: str, endings: Iterable[str]) -> Diagnostic:
    """A logo, an icon or a font of a type that cannot be used."""
    return error("bad-brand-file", span, f"“{file}” does not end in {' or '.join(endings)}")


_OTHERS = {
    "accent": "“background”",
    "background": "“text” or “accent”",
    "code": "“text”",
    "text": "“background” or “code”",
}
"""The colors beside each one that texts have, or are on."""


def low_contrast(span: Span, found: Faint, modes: Mapping[Mode, str]) -> Diagnostic:
    """A color of the brand on which text, or as which text, is hard to read. It is used all the same.

    Args:
        span: where the color is set.
        found: the text.
        modes: what to write for each mode instead of one color for both; empty if one mode has the color.
    """
    message = f"the contrast of {found.text} on {found.on} is {shown_ratio(found.ratio)}:1 in {found.mode} mode"
    hint = f"WCAG AA asks for 4.5:1, which no color reaches here: change {_OTHERS[found.role]}, too"
    if found.better:
        table = ", ".join(f'{mode} = "{color}"' for mode, color in modes.items())
        written = f"{found.role} = {{ {table} }}" if modes else found.better.hex
        hint = f"WCAG AA asks for 4.5:1, which “{written}” reaches in {found.mode} mode"
    return warning("low-contrast", span, message, hint)


def shown_ratio(ratio: float) -> str:
    """A contrast ratio, rounded down, so that none looks sufficient that is not."""
    return f"{int(ratio * 100) / 100:g}"
