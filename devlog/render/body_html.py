"""Fills the holes of a body with links, images and diagrams."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape

import msgspec

from devlog.model.catalog import Catalog
from devlog.model.document import Anchor, Body, Drawing, Image
from devlog.model.target import Filling, ResolvedLink
from devlog.model.urls import absolute, runs

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_SAFE_SCHEMES = ("http:", "https:", "link:")

FIRST_SCREEN = 1500
"""The approximate number of characters of HTML that are visible at once when a page opens."""

COLUMN = 776
"""The maximum width of images on a page, in CSS pixels, from which browsers choose a variant."""


IN_BODIES = frozenset({"diagram_as_text", "link_to_section"})
"""The keys of the messages that appear in filled bodies."""


def fill(body: Body, filling: Filling, t: Catalog) -> str:
    """A body as HTML for its page, with words from the message catalog."""
    parts: list[str] = []
    anchor = f'" aria-label="{escape(t("link_to_section"))}">#</a>'
    eager = True  # whether to load the next image at once: true for the first one, if it is on the first screen
    for piece in body.pieces:
        if isinstance(piece, str):
            parts.append(piece)
        elif isinstance(piece, Image):
            eager = eager and sum(map(len, parts)) < FIRST_SCREEN
            parts.append(_choice(piece, filling.link(piece.ref), lazy=not eager))
            eager = False
        elif isinstance(piece, Drawing):
            parts.append(_drawing(piece, filling, escape, t("diagram_as_text")))
        elif isinstance(piece, Anchor):
            parts.append(f' <a class="anchor" href="#{escape(piece.id)}{anchor}')
        else:
            link = filling.link(piece)
            parts.append(_attribute(link, link.url))
    return "".join(parts)


def fill_absolute(body: Body, filling: Filling, origin: str) -> str:
    """A body as HTML that can be shown anywhere: with absolute URLs, and without anchors and image variants."""
    parts: list[str] = []
    for piece in body.pieces:
        if isinstance(piece, str):
            parts.append(_DARK.sub("", piece) if "only-dark" in piece else piece)
            continue
        if isinstance(piece, Anchor):
            continue
        if isinstance(piece, Drawing):
            parts.append(_drawing(piece, filling, lambda url: escape(_absolute(url, filling, origin))))
            continue
        link = filling.link(piece.ref if isinstance(piece, Image) else piece)
        url = _absolute(link.url, filling, origin)
        if not isinstance(piece, Image):
            parts.append(_attribute(link, url))
        elif link.mode != "dark":  # feed readers would show both, usually on a light background
            parts.append(piece.start + _attribute(link, url) + piece.end)
    return "".join(parts)


_DARK = re.compile(r'<span class="only-dark"><img[^<>]*></span>')
"""An image of another site for dark mode."""


def _absolute(url: str, filling: Filling, origin: str) -> str:
    if url.startswith("#"):
        return filling.page_url + url
    return absolute(url, origin)


def _drawing(piece: Drawing, filling: Filling, written: Callable[[str], str], summary: str = "") -> str:
    """A diagram as an image, above its source in a block that `summary` opens; without an image, only the source."""
    drawn = filling.drawing(piece.number)
    if not drawn.url:
        return piece.source
    css = "diagram" if drawn.paper else "diagram clear"
    size = f'width="{drawn.width}" height="{drawn.height}" loading="lazy" decoding="async"'
    light, dark = (f'<img src="{written(url)}" alt="{escape(piece.alt)}" {size}' for url in (drawn.url, drawn.dark))
    # Feed readers, which get no words for the summary, would show both, usually on a light background.
    pair = f'{light} class="only-light">{dark} class="only-dark">' if drawn.dark and summary else ""
    image = pair or f"{light}>"
    text = f"<details><summary>{escape(summary)}</summary>\n{piece.source}</details>" if summary else ""
    caption = f"<figcaption>{escape(piece.title)}{text}</figcaption>" if piece.title or text else ""
    return f'<figure class="{css}"><div class="diagram-paper">{image}</div>{caption}</figure>\n'


def _choice(image: Image, link: ResolvedLink, *, lazy: bool) -> str:
    """An image with the variants that a browser may load instead; for a pair of images, one element for each mode."""
    if link.dark is None:
        return _picture(image, link, lazy=lazy)
    # Browsers do not load lazy images that are not shown.
    light = msgspec.structs.replace(link, mode="light", dark=None)
    return _picture(image, light, lazy=True) + _picture(image, link.dark, lazy=True)


def _picture(image: Image, link: ResolvedLink, *, lazy: bool) -> str:
    lazy = lazy or bool(link.mode)
    how = f'{_LATE if lazy else ""} decoding="async"'
    written = image.start + _attribute(link, link.url, how) + image.end
    if not link.choices and not link.mode:
        return written
    css = f' class="only-{link.mode}"' if link.mode else ""
    width = min(COLUMN, link.size.width) if link.size else COLUMN
    sizes = f"(min-width: {width}px) {width}px, 100vw"
    sources = "".join(
        f'<source type="{escape(choice.type)}" srcset="{escape(choice.srcset)}" sizes="{sizes}">'
        for choice in link.choices
    )
    return f"<picture{css}>{sources}{written}</picture>"


_LATE = ' loading="lazy"'


def _attribute(link: ResolvedLink, url: str, how: str = _LATE) -> str:
    scheme = _SCHEME.match(url)
    if (scheme and scheme[0].lower() not in _SAFE_SCHEMES) or runs(url):  # a safeguard: earlier stages remove these
        url = ""
    if not link.attribute:
        return escape(url)
    written = f'{link.attribute}="{escape(url)}"'
    if link.kind == "image":
        if link.size:
            written += f' width="{link.size.width}" height="{link.size.height}"'
        written += how
    return written
