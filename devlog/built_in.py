"""The location of the built-in themes."""

from __future__ import annotations

from pathlib import Path


def built_in_themes() -> Path:
    """The folder of the built-in themes: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent
    inside = package / "themes"
    return inside if inside.is_dir() else package.parent / "themes"
