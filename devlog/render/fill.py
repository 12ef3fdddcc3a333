"""Filling the holes of a body."""

from __future__ import annotations

import re
from html import escape

from devlog.model.document import Anchor, Body
from devlog.model.target import Filling, Place

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_SAFE_SCHEMES = ("http:", "https:", "link:")


def fill(body: Body, filling: Filling) -> str:
    """A body as HTML for its page."""
    parts: list[str] = []
    for piece in body.pieces:
        if isinstance(piece, str):
            parts.append(piece)
        elif isinstance(piece, Anchor):
            parts.append(f' <a class="anchor" href="#{escape(piece.id)}" aria-label="Link to this section">#</a>')
        else:
            parts.append(_attribute(filling.places[piece], filling.places[piece].url))
    return "".join(parts)


def fill_absolute(body: Body, filling: Filling, origin: str) -> str:
    """A body as HTML that can be shown anywhere: every URL absolute, no heading links to itself."""
    parts: list[str] = []
    for piece in body.pieces:
        if isinstance(piece, str):
            parts.append(piece)
            continue
        if isinstance(piece, Anchor):
            continue
        place = filling.places[piece]
        url = place.url
        if url.startswith("#"):
            url = filling.page_url + url
        elif url.startswith("/") and not url.startswith("//"):
            url = origin + url
        parts.append(_attribute(place, url))
    return "".join(parts)


def _attribute(place: Place, url: str) -> str:
    scheme = _SCHEME.match(url)
    if scheme and scheme[0].lower() not in _SAFE_SCHEMES:  # a last look: nothing else may come this far
        url = ""
    if not place.attribute:
        return escape(url)
    written = f'{place.attribute}="{escape(url)}"'
    if place.kind == "image":
        if place.size:
            written += f' width="{place.size.width}" height="{place.size.height}"'
        written += ' loading="lazy"'
    return written
