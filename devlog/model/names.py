"""Compares names that people write, and finds the files that they name."""

from __future__ import annotations

import posixpath
from collections.abc import Container
from urllib.parse import unquote

from devlog.model.short_texts import cache_of_short


@cache_of_short(8192)  # few names, on many posts
def fold(name: str) -> str:
    """A form of a name in which spellings that differ only in letter case and repeated spaces are equal."""
    return " ".join(name.split()).casefold()


def named_file(path: str, target: str, known: Container[str]) -> str:
    """The file that a source file names: relative to it, or else to the content folder; empty if there is none.

    Args:
        path: the path of the source file, below the content folder.
        target: the name as written, or as a link has it.
        known: the paths of all files.
    """
    for name in (target, unquote(target)):
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
        for found in (beside, posixpath.normpath(name.lstrip("/"))):
            if found in known:
                return found
    return ""
