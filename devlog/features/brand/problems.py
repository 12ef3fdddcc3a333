"""Messages about brands."""

from __future__ import annotations

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import error, warning


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
