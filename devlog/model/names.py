"""Names that people write: of authors, topics, series, files."""

from __future__ import annotations

import posixpath
from collections.abc import Container
from functools import lru_cache


@lru_cache(maxsize=8192)  # few names, on many posts
def fold(name: str) -> str:
    """What two spellings of one name have in common: neither letter case nor doubled spaces make another name."""
    return " ".join(name.split()).casefold()


def named_file(path: str, target: str, known: Container[str]) -> str:
    """Which file a text names: one beside it, or else below the content folder; empty for none.

    Args:
        path: of the text, below the content folder.
        target: as written.
        known: the paths of all that there are.
    """
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return next((name for name in (beside, posixpath.normpath(target.lstrip("/"))) if name in known), "")
