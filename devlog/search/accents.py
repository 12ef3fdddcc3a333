"""Removes accents from letters, and soft hyphens, and spells out letters such as ß, in the index and in queries alike.

The tokenizer of SQLite knows those of Latin letters only. Marks that make another letter of one, such as those of
Japanese kana, stay, and so do the syllables of Korean, which have a decomposed form too.
"""

from __future__ import annotations

import re
from functools import cache
from unicodedata import normalize

from devlog.model.composed import composed

_ACCENT = "\u00ad\u0300-\u036f"  # with the soft hyphen, which nobody sees within a word
_MAY_HAVE = re.compile(f"[\u00c0-\u058f{_ACCENT}\u1e00-\u22ff\u2a00-\u2aff\ufb00-\ufb17]")
"""The characters that may have accents or stand for several letters. Tests compare this with the whole of Unicode."""
_ACCENTS = re.compile(f"[{_ACCENT}]+")


def without_accents(text: str) -> str:
    """Text without accents and soft hyphens, in as many words as people see, and with ``ss`` for ß; the case stays.

    Args:
        text: of any length: letters are decomposed one by one, because reordering the marks of a whole text takes time
            that grows with the square of their number.
    """
    if text.isascii():
        return text
    return _MAY_HAVE.sub(lambda found: _plain(found[0]), composed(text))


@cache  # some thousand characters
def _plain(letter: str) -> str:
    plain = normalize("NFC", _ACCENTS.sub("", normalize("NFD", letter)))
    folded = plain.casefold()
    return folded if len(folded) > len(plain) else plain  # SQLite only replaces letters one by one
