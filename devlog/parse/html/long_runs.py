"""Breaks very long runs of letters: shaping one takes a browser the square of its length, and blocks the page."""

from __future__ import annotations

import re

_MOST = 500
# Letters outside of ASCII that may join or combine. Between Chinese, Japanese and Korean ones, a line may break anyway.
_JOINING = (
    r"[^\s<>\x00-\x7f\u2e80-\u303f\u3041-\u3096\u309b-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
    r"\U00020000-\U0003ffff]"
)
_RUN = re.compile(rf"<[^>]*>?|{_JOINING}{{{_MOST}}}")
_HAS_RUN = re.compile(f"{_JOINING}{{{_MOST}}}")


def with_breaks(html: str) -> str:
    """HTML in which no text has more than 500 letters that may join or combine without a break opportunity."""
    if html.isascii() or not _HAS_RUN.search(html):
        return html
    return _RUN.sub(lambda found: found[0] if found[0][0] == "<" else f"{found[0]}<wbr>", html)
