"""Characters that change the direction of text, in what stands beside other text, such as a title, and in code.

Text from right to left needs none of them: browsers find its direction by its letters. What is left open, or turns
letters around, also reorders what follows the value in plain text such as feeds, `llms.txt` and terminals. In code,
any of them can make readers see another order than the one that runs (“Trojan Source”, CVE-2021-42574).
"""

from __future__ import annotations

import re

DIRECTIONAL = re.compile("[\u202a-\u202e\u2066-\u2069]")
_EMBEDDING = re.compile("[\u202a-\u202e]")
"""Embeddings and overrides, which isolates have replaced, and what ends them."""
_END = "\u2069"


def without_directions(text: str) -> tuple[str, str]:
    """A value in which every isolate ends and nothing else changes the direction.

    Returns:
        The value, and the first character that was removed; empty if there was none.
    """
    removed = turning(text)
    if not removed:
        return text, ""
    left_out = set(removed)
    kept = "".join(char for index, char in enumerate(text) if index not in left_out)
    return kept, text[removed[0]]


def turning(text: str) -> list[int]:
    """The indexes of the characters by which a text turns around others: all but isolates that end in it."""
    if text.isascii():
        return []
    removed = {found.start() for found in _EMBEDDING.finditer(text)}
    opened: list[int] = []
    for found in DIRECTIONAL.finditer(text):
        if found.start() in removed:
            continue
        if found[0] != _END:
            opened.append(found.start())
        elif opened:
            opened.pop()
        else:
            removed.add(found.start())
    return sorted(removed | set(opened))
