"""Turning text into the parts of URLs."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_KEPT_IN_SLUGS = frozenset("-_.+#~@")

# The common kind of name, of which only the letter case and the spaces change.
_PLAIN = re.compile(r"[A-Za-z0-9_]+(?:[ .-][A-Za-z0-9_]+)*")


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

    ``.``, ``_``, ``+`` and ``#`` stay, so that ``torch.compile`` and ``C++`` keep their names; not a dot at an end,
    which would hide the file (``.NET``) or vanish on some systems.

    Returns:
        The segment in NFC; empty when nothing of the text can stand in a path.
    """
    if _PLAIN.fullmatch(text):
        return text.lower().replace(" ", "-")
    kept = []
    for char in unicodedata.normalize("NFC", text).strip().lower():
        if char.isalnum() or char in _KEPT_IN_SLUGS or unicodedata.category(char)[0] == "M":
            kept.append(char)
        elif (char.isspace() or char in "/\\&,:;") and kept and kept[-1] != "-":
            kept.append("-")
    return unicodedata.normalize("NFC", "".join(kept)).strip("-.")


def humanize(name: str) -> str:
    """A folder's or file's name as a title: ``dynamic_shapes`` becomes ``Dynamic Shapes``."""
    words = name.replace("_", " ").replace("-", " ").split()
    return " ".join(word[:1].upper() + word[1:] for word in words)
