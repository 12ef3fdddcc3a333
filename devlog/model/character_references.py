"""Decodes character references, such as ``&amp;`` and ``&#233;``, as HTML does."""

from __future__ import annotations

import re

_LEFT = re.compile("[\x81\x8d\x8f\x90\x9d]")
_LONG = re.compile(r"(?<=&#)[0-9]{9,}")


def unescape(text: str) -> str:
    """Replace the character references in a text.

    The standard library raises an exception for numbers with more digits than Python converts to an integer (4,300 by
    default), although any number beyond Unicode stands for U+FFFD.

    Numbers of control characters and of noncharacters are removed, as in the standard library, which leaves five that
    Windows-1252 has no letters for. HTML keeps them; here they would appear in titles, lists and terminals as
    characters that the authors did not type.

    Args:
        text: text of HTML outside of tags, or in the value of an attribute.
    """
    if "&" not in text:
        return text
    from html import unescape as replaced  # with thousands of names: a build that changes nothing needs none

    return _LEFT.sub("", replaced(_LONG.sub(lambda found: found[0].lstrip("0")[:8] or "0", text)))
