"""The fragments by which links lead to lines of code, such as ``#page.py-L10``: what comes before the numbers."""

from __future__ import annotations

import re

from devlog.model.character_references import unescape

_BLOCK = re.compile(r'<div class="code(?: [^"]*)?"[^>]*>?(?:<div class="code-title">(?:<a [^>]*>)?([^<]*)<)?')


def line_anchors(html: str) -> set[str]:
    """The beginnings of fragments for lines of each code block: ``page.py-L``, or ``code-2-L`` without a title.

    ``themes/default/static/lines.js`` names blocks in the same way.

    Args:
        html: the page's text.
    """
    if '<div class="code' not in html:
        return set()
    found: set[str] = set()
    for number, block in enumerate(_BLOCK.finditer(html), 1):
        file = re.sub(r"\s+", "-", unescape(block[1] or "").strip().rpartition("/")[2])
        own = f"{file}-L"
        found.add(own if file and own not in found else f"code-{number}-L")
    return found
