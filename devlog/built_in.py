"""Where the files lie that come with devlog, beside its code."""

from __future__ import annotations

from pathlib import Path


def built_in_themes() -> Path:
    """The folder of the themes that come with devlog: inside the installed package, or beside its source."""
    package = Path(__file__).resolve().parent
    inside = package / "themes"
    return inside if inside.is_dir() else package.parent / "themes"
