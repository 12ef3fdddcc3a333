"""Character references, such as ``&amp;`` and ``&#233;``, read as HTML reads them."""

from __future__ import annotations

import re
from html import unescape as _unescape

_LONG = re.compile(r"(?<=&#)[0-9]{9,}")


def unescape(text: str) -> str:
    """A text with its character references replaced.

    The standard library raises on numbers of more digits than Python makes an integer of (4,300 unless it is told
    otherwise), although any number beyond Unicode stands for U+FFFD.

    Numbers of control characters and of noncharacters stand for nothing, as in the standard library. HTML keeps them;
    here they would reach titles, lists and terminals as characters that their writers did not type.

    Args:
        text: of HTML, outside of tags or in the value of an attribute.
    """
    if "&" not in text:
        return text
    return _unescape(_LONG.sub(lambda found: found[0].lstrip("0")[:8] or "0", text))
