"""Converts text to Unicode's composed form (NFC), in which file names, paths and fragments are compared."""

from __future__ import annotations

from unicodedata import normalize

LONGEST = 4096
"""The maximum number of characters to normalize: no system has longer paths. Reordering combining marks takes time that
grows with the square of their number."""


def composed(text: str) -> str:
    """A name in NFC; one that is longer than any path stays unchanged."""
    return normalize("NFC", text) if len(text) <= LONGEST else text
