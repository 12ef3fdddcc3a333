"""Limits on the output of one text: a short link may stand for a long URL, and a definition is used many times."""

from __future__ import annotations

_ALWAYS = 1 << 20
INCLUDED_ALWAYS = 1 << 18
"""Less than for anything else: a post of 30 bytes can include a file that a thousand others include too. In bytes."""
_FACTOR = 64
_MOST = 16 << 20

_USUAL_HTML = 128 << 10
"""What a short post may bring into all feeds together, in bytes: a folder above it has three more, for a few bytes."""
_USUAL_FACTOR = 32


def most_expanded(length: int, always: int = _ALWAYS) -> int:
    """The maximum number of characters that the references of a text may expand to.

    Args:
        length: the length of the text in characters.
        always: as many are allowed in a short text.
    """
    return min(max(always, _FACTOR * length), _MOST)


def is_unusual(html: int, length: int, lists: int) -> bool:
    """Whether a text has far more HTML than usual for the number of feeds that have the whole body.

    Args:
        html: the size of its HTML in bytes.
        length: the length of its file in characters.
        lists: the number of lists of posts that it is in and whose feeds have whole bodies. Fewer than two count as
            two, since most posts are in the list of the site and in that of a topic.
    """
    return html > max(_USUAL_HTML // max(lists, 2), _USUAL_FACTOR * length)


def size_of(text: str) -> int:
    """The number of bytes of a text in the output."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def length_in_html(url: str) -> int:
    """The number of characters of a URL in HTML, which escapes some of them."""
    return len(url) + 5 * (url.count("&") + url.count("'"))
