"""Unicode's composed form (NFC), in which names of files, paths and fragments are compared."""

from __future__ import annotations

from unicodedata import normalize

LONGEST = 4096
"""So many characters are composed: no system has longer paths. Bringing marks into their order takes time that grows
with the square of how many there are."""


def composed(text: str) -> str:
    """A name in NFC; one that is longer than any is left as it is."""
    return normalize("NFC", text) if len(text) <= LONGEST else text
