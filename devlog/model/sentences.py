"""Where sentences end, to shorten a text without stopping in the middle of one."""

from __future__ import annotations

import re

_END = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s|$)|[。！？｡।॥؟۔]+[」』”’)）]*")
_NO_END = re.compile(
    r"(?:\b(?:approx|cf|ca|dr|e\.g|eg|etc|fig|figs|i\.e|ie|jr|mr|mrs|ms|no|nos|prof|resp|sec|sr|st|viz|vol|vs)|\b[a-z])\.$",
    re.IGNORECASE,
)
"""Abbreviations and initials, whose period ends no sentence."""
_LONGEST_ABBREVIATION = 8


def sentences_end(text: str, limit: int) -> int:
    """The length of the whole sentences at the beginning of a text.

    What follows a sentence may begin with anything but a small letter: scripts without capitals have sentences, too.

    Args:
        text: the text, with single spaces.
        limit: the maximum length, in characters.

    Returns:
        The index after the last sentence that ends within `limit`; 0 if none does.
    """
    last = 0
    for found in _END.finditer(text, 0, min(len(text), limit + 1)):
        end = found.end()
        if end > limit:
            break
        following = text[end : end + 2].lstrip()[:1]
        before = text[max(0, end - _LONGEST_ABBREVIATION) : end]
        if not following.islower() and not (following and _NO_END.search(before)):
            last = end
    return last


def whole_sentences(text: str, limit: int) -> str:
    """The sentences in the first `limit` characters of a text; empty if they fill less than half of these."""
    end = sentences_end(text, limit)
    return text[:end] if end * 2 >= limit else ""
