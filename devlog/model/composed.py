"""Converts text to Unicode's composed form (NFC), in which names are compared, and the letters of a text are found."""

from __future__ import annotations

from unicodedata import normalize

LONGEST = 4096
"""The maximum number of characters to normalize: no system has longer paths. Reordering combining marks takes time that
grows with the square of their number."""


def composed(text: str) -> str:
    """Text in NFC.

    Args:
        text: a name, such as a path or a fragment, or a text that is usually short, such as a title or a description.

    Returns:
        The composed text; one that is longer than `LONGEST` is returned unchanged, since it can be no name.
    """
    return normalize("NFC", text) if len(text) <= LONGEST else text
