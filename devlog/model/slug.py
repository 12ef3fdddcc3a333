"""Turning text into the parts of URLs."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_KEPT_IN_SLUGS = frozenset("-_.+#~@")


def anchor(text: str) -> str:
    """The fragment of a heading, by GitHub's algorithm, which Hugo shares.

    Letters, digits and marks of every script, ``-`` and ``_`` stay, in lower case; spaces become ``-``,
    which do not collapse; everything else is dropped.
    """
    kept = []
    for char in text.strip().lower():
        if char.isspace():
            kept.append("-")
        elif char.isalnum() or char in "-_" or unicodedata.category(char)[0] == "M":
            kept.append(char)
    return "".join(kept)


@lru_cache(maxsize=8192)  # few tags and topics, on many posts
def slug(text: str) -> str:
    """A text as one segment of a path: lower-case, spaces as ``-``, letters of every script kept.

    ``.``, ``_``, ``+`` and ``#`` stay, so that ``torch.compile`` and ``C++`` keep their names.

    Returns:
        The segment in NFC; empty when nothing of the text can stand in a path.
    """
    kept = []
    for char in unicodedata.normalize("NFC", text).strip().lower():
        if char.isalnum() or char in _KEPT_IN_SLUGS or unicodedata.category(char)[0] == "M":
            kept.append(char)
        elif (char.isspace() or char in "/\\&,:;") and kept and kept[-1] != "-":
            kept.append("-")
    segment = unicodedata.normalize("NFC", "".join(kept)).strip("-")
    return segment.rstrip(".") if segment.strip(".") else ""


def humanize(name: str) -> str:
    """A folder's or file's name as a title: ``dynamic_shapes`` becomes ``Dynamic Shapes``."""
    words = name.replace("_", " ").replace("-", " ").split()
    return " ".join(word[:1].upper() + word[1:] for word in words)
