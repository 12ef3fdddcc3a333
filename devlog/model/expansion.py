"""Limits on the output of one text: a short link may stand for a long URL, and a definition is used many times."""

from __future__ import annotations

_ALWAYS = 1 << 20
INCLUDED_ALWAYS = 1 << 18
"""Less than for anything else: a post of 30 bytes can include a file that a thousand others include too."""
_FACTOR = 64
_MOST = 16 << 20

_USUAL_HTML = 64 << 10
_USUAL_FACTOR = 32


def most_expanded(length: int, always: int = _ALWAYS) -> int:
    """The maximum number of characters that the references of a text may expand to.

    Args:
        length: the length of the text in characters.
        always: as many are allowed in a short text.
    """
    return min(max(always, _FACTOR * length), _MOST)


def is_unusual(html: int, length: int) -> bool:
    """Whether a text has far more HTML than usual: each topic above a post has three feeds with the whole body.

    Args:
        html: the length of its HTML in characters.
        length: the length of its file in characters.
    """
    return html > max(_USUAL_HTML, _USUAL_FACTOR * length)


def length_in_html(url: str) -> int:
    """The number of characters of a URL in HTML, which escapes some of them."""
    return len(url) + 5 * (url.count("&") + url.count("'"))
