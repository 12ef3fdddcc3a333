"""Messages about images in other sizes and formats."""

from __future__ import annotations

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import info, warning


def unfit_image(span: Span, file: str, reason: str) -> Diagnostic:
    """An image from which no smaller variants can be made."""
    return warning("unfit-image", span, f"“{file}” is published only at its original size: {reason}")


def no_pillow(asked: Span | None, command: str) -> Diagnostic:
    """Images are published in one size; `asked` is where the configuration wants more, `command` installs Pillow."""
    message = "images are published in their original size only: Pillow is not installed"
    hint = f"run “{command}”"
    if asked:
        return warning("no-pillow", asked, message, hint)
    return info("one-size", Span("the images"), message, hint)
