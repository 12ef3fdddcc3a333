"""Messages about avatars that are fetched."""

from __future__ import annotations

from collections.abc import Sequence

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import error, info, warning


def no_avatar(span: Span, names: Sequence[str], reason: str) -> Diagnostic:
    """An avatar could not be fetched from another host, or is not an image that can be used."""
    shown = f"“{names[0]}” and {len(names) - 1:,} more are" if len(names) > 1 else f"“{names[0]}” is"
    return info("no-avatar", span, f"{shown} shown with initials, because no avatar was fetched: {reason}")


def avatars_need_pillow(span: Span, command: str) -> Diagnostic:
    """Avatars are to be fetched, and the package that opens images is not installed; `command` installs it."""
    return warning("avatars-need-pillow", span, "no avatars are fetched: Pillow is not installed", f"run “{command}”")


def bad_avatar_url(span: Span, value: str) -> Diagnostic:
    """A template for the URLs of avatars that is not the URL of a web page, or has no place for the handle."""
    hint = "write a URL such as “https://codeberg.org/{handle}.png”, or “” to fetch only URLs of the authors file"
    return error("bad-avatar-url", span, f"“{value}” is not a URL with “{{handle}}”", hint)
