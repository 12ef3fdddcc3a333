"""The location of the built-in themes and of the documents."""

from __future__ import annotations

from functools import cache
from pathlib import Path


def built_in_themes() -> Path:
    """The folder of the built-in themes: inside the installed package, or beside it in a checkout."""
    return _inside_or_beside("themes")


def documents() -> Path:
    """The folder of the documents, in which each key is described: likewise."""
    return _inside_or_beside("docs")


@cache  # asked for each static file of a theme
def _inside_or_beside(name: str) -> Path:
    package = Path(__file__).resolve().parent
    inside = package / name
    return inside if inside.is_dir() else package.parent / name
