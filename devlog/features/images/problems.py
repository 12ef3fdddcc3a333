"""Messages about images in other sizes and formats."""

from __future__ import annotations

from collections.abc import Sequence

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


def lacking_formats(asked: Span, kinds: Sequence[str]) -> Diagnostic:
    """The configuration wants images in formats that the installed build of Pillow lacks."""
    names = {"avif": "AVIF", "webp": "WebP"}
    message = f"no images are made as {' or '.join(names[kind] for kind in kinds)}: this build of Pillow lacks it"
    quoted = " and ".join(f"“{kind}”" for kind in kinds)
    return warning("no-image-format", asked, message, f"install a build of Pillow that has it, or remove {quoted}")
