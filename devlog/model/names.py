"""Names that people write: of authors, topics, series."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=8192)  # few names, on many posts
def fold(name: str) -> str:
    """What two spellings of one name have in common: neither letter case nor doubled spaces make another name."""
    return " ".join(name.split()).casefold()
