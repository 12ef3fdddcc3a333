"""What parsing depends on besides the text."""

from __future__ import annotations

import msgspec


class ParseOptions(msgspec.Struct, frozen=True):
    """All of the configuration that parsing depends on.

    Attributes:
        html: what raw HTML may do: ``safe``, ``trusted`` or ``escape``.
        own_url: the site's absolute URL, empty when it has none.
        emoji: whether ``:rocket:`` is replaced.
        autolink: whether bare URLs become links.
        excerpt_words: how long an automatic excerpt is.
        marks: whether a comment before each block says on which line it stands, as only a preview wants it.
    """

    html: str = "safe"
    own_url: str = ""
    emoji: bool = True
    autolink: bool = True
    excerpt_words: int = 60
    marks: bool = False
