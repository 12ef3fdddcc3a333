"""Reads the SVG that a program wrote: determines its size, and keeps only what is needed to display it.

Pages show diagrams as images, in which nothing runs. But when somebody opens the file itself, its content would run
with the rights of the site, and programs render it from the text of a post, which is not trusted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from html import escape
from xml.parsers import expat

import msgspec

from devlog.model.bounded_xml import BoundedParser, ExcessError
from devlog.model.secrets import shortened

MAX_DEPTH = 200
"""The maximum nesting depth of elements."""
MAX_SIDE = 20_000
"""The maximum width and height in pixels."""

_SVG = "http://www.w3.org/2000/svg"
_XHTML = "http://www.w3.org/1999/xhtml"
_XLINK = "http://www.w3.org/1999/xlink"
_XML = "http://www.w3.org/XML/1998/namespace"

_ELEMENTS = {
    _SVG: frozenset(
        "svg g defs symbol use switch title desc style path rect circle ellipse line polyline polygon text tspan "
        "textPath marker linearGradient radialGradient stop clipPath mask pattern image a foreignObject filter feBlend "
        "feColorMatrix feComponentTransfer feComposite feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR "
        "feGaussianBlur feMerge feMergeNode feMorphology feOffset feTile".split()
    ),
    _XHTML: frozenset(
        "div span p br b strong i em u s code pre small sub sup ul ol li table thead tbody tr td th h1 h2 h3 h4 h5 h6 "
        "hr blockquote".split()
    ),
}
"""The elements that are kept: shapes, text and effects, and the text that some programs write as HTML."""

_LINKS = re.compile(r"(?:https?://|mailto:|[#/?.])", re.IGNORECASE)
_PICTURES = re.compile(r"data:image/(?:png|gif|jpeg|webp|avif);", re.IGNORECASE)
_BLANK = re.compile(r"[\x00-\x20]+")
# What makes a style sheet load other files, or run code in old browsers; escapes could hide both. D2 embeds its fonts.
_LOADS = re.compile(
    r"@import|\\|expression\s*\(|image-set\s*\(|url\((?!\s*[\"']?(?:#|data:(?:application/)?font[/-]))", re.IGNORECASE
)
_ASKS = frozenset({"background", "base", "ping", "src", "srcdoc"})
"""Attributes whose URL is requested."""
_LENGTH = re.compile(r"\s*\+?(\d+(?:\.\d*)?|\.\d+)(px|pt|pc|mm|cm|in|em|ex|rem)?\s*")
_PIXELS = {
    "": 1.0,
    "px": 1.0,
    "pt": 96 / 72,
    "pc": 16.0,
    "mm": 96 / 25.4,
    "cm": 96 / 2.54,
    "in": 96.0,
    "em": 16.0,
    "ex": 8.0,
    "rem": 16.0,
}


_COLORED = frozenset({"fill", "stroke", "color", "stop-color"})
"""Attributes whose values are colors. Those of filters are not among them: a shadow is dark in any mode."""
_DECLARATION = re.compile(
    r"(?<![\w-])((?:fill|stroke|color|stop-color|background|background-color|border|border-color|--[\w-]+)\s*:)([^;{}]*)",
    re.IGNORECASE,
)
"""A declaration of a style with colors: its property, and its value."""

_BLENDING = re.compile(r"(mix-blend-mode\s*:\s*)multiply", re.IGNORECASE)
"""Colors that darken what is below them, which cannot be seen on dark paper."""

Recolor = Callable[[str], str]
"""Returns a value of a style, such as of ``fill``, with other colors."""


class Drawing(msgspec.Struct, frozen=True):
    """An SVG: its XML, and its size in CSS pixels."""

    data: bytes
    width: int
    height: int


class BadDrawingError(Exception):
    """The output of a program is not a usable SVG; the message says why."""


def read_svg(data: bytes, recolor: Recolor | None = None) -> Drawing:
    """Read an SVG, and remove everything that could run code, load files or lead to unwanted places.

    Args:
        data: the SVG.
        recolor: changes its colors; `None` to keep them.

    Raises:
        BadDrawingError: it is not SVG, declares entities or attributes, nests too deep, has no size, or a parser would
            make too much of it.
    """
    reader = _Reader(recolor)
    try:
        reader.read(data)
    except ExcessError as error:
        raise BadDrawingError(str(error)) from error
    except expat.ExpatError as error:
        raise BadDrawingError(f"it is not SVG: {expat.errors.messages[error.code]}") from error
    except (LookupError, ValueError) as error:
        raise BadDrawingError("its encoding is unknown") from error
    width, height = _size(reader.root)
    return Drawing("".join(reader.parts).encode(), width, height)


class _Reader:
    """Writes the elements that it reads, unless they are not allowed."""

    def __init__(self, recolor: Recolor | None = None) -> None:
        self._recolor = recolor
        self.root: dict[str, str] = {}
        self.parts: list[str] = []
        self._names: list[str] = []  # of the open elements that are kept
        self._skipped = 0  # the number of open elements from the outermost removed one on
        self._masking = 0  # the number of open masks, whose colors are no colors: they tell what is shown
        self._style: list[str] | None = None

    def read(self, data: bytes) -> None:
        parser = BoundedParser()
        parser.reader.buffer_text = True
        parser.reader.EntityDeclHandler = self._refuse
        parser.reader.AttlistDeclHandler = self._refuse
        parser.reader.StartElementHandler = self._start
        parser.reader.EndElementHandler = self._end
        parser.reader.CharacterDataHandler = self._text
        parser.feed(data)
        parser.close()

    def _refuse(self, *_: object) -> None:
        raise BadDrawingError("it declares entities or attributes")

    def _start(self, full: str, given: dict[str, str]) -> None:
        namespace, _, name = full.rpartition(" ")
        if not self._names and not self._skipped:
            if (namespace, name) != (_SVG, "svg"):
                raise BadDrawingError(f"it is not SVG: it begins with “{shortened(name, 40)}”")
            self.root = given
        if len(self._names) >= MAX_DEPTH:
            raise BadDrawingError(f"it nests deeper than {MAX_DEPTH} levels")
        # Style sheets have no child elements: the text after one would still be part of the sheet.
        if self._skipped or self._style is not None or name not in _ELEMENTS.get(namespace, ()):
            self._skipped += 1
            return
        kept = _attributes(name, given)
        if self._recolor and not self._masking:
            kept = _recolored(kept if self._names else {"fill": "black", "color": "black"} | kept, self._recolor)
        attributes = "".join(f' {key}="{escape(value)}"' for key, value in kept.items())
        if not self._names:
            attributes = f' xmlns="{_SVG}"{attributes}'
        elif namespace == _XHTML and not self._in_html():
            attributes = f' xmlns="{_XHTML}"{attributes}'
        self._names.append(full)
        self._masking += name == "mask"
        self.parts.append(f"<{name}{attributes}>")
        if (namespace, name) == (_SVG, "style"):
            self._style = []

    def _in_html(self) -> bool:
        return self._names[-1].startswith(_XHTML)

    def _end(self, full: str) -> None:
        if self._skipped:
            self._skipped -= 1
            return
        name = self._names.pop().rpartition(" ")[2]
        self._masking -= name == "mask"
        if self._style is not None:
            sheet = "".join(self._style)
            if self._recolor:
                sheet = _recolored_style(sheet, self._recolor)
            self.parts.append("" if _LOADS.search(sheet) else escape(sheet, quote=False))
            self._style = None
        self.parts.append(f"</{name}>")

    def _text(self, text: str) -> None:
        if self._skipped:
            return
        if self._style is not None:
            self._style.append(text)
        else:
            self.parts.append(escape(text, quote=False))


def _recolored(attributes: dict[str, str], recolor: Recolor) -> dict[str, str]:
    found = {key: recolor(value) if key in _COLORED else value for key, value in attributes.items()}
    return found | {"style": _recolored_style(found["style"], recolor)} if "style" in found else found


def _recolored_style(style: str, recolor: Recolor) -> str:
    """A style sheet or the value of an attribute ``style``, with other colors."""
    return _BLENDING.sub(r"\1screen", _DECLARATION.sub(lambda found: found[1] + recolor(found[2]), style))


def _attributes(element: str, given: dict[str, str]) -> dict[str, str]:
    """The attributes of an element that are kept."""
    kept: dict[str, str] = {}
    for full, value in given.items():
        namespace, _, name = full.rpartition(" ")
        if name.lower().startswith("on") or namespace not in ("", _XLINK, _XML) or name.lower() in _ASKS:
            continue
        if name.lower() == "href":
            if _may_lead(element, value):
                kept.setdefault("href", value)
        elif not namespace and not _LOADS.search(value):
            kept.setdefault(name, value)
        elif namespace == _XML and name in ("lang", "space"):
            kept.setdefault(f"xml:{name}", value)
    return kept


def _may_lead(element: str, address: str) -> bool:
    """Whether a URL is allowed: any web URL for a link, embedded data for an image, else a part of the SVG."""
    plain = _BLANK.sub("", address)
    if element == "image":
        return bool(_PICTURES.match(plain))
    if element == "a":
        return bool(_LINKS.match(plain)) and not plain.startswith("//")
    return plain.startswith("#")


def _size(root: dict[str, str]) -> tuple[int, int]:
    """Width and height: the attributes if they are given, else the size of the view box."""
    view = [float(part) for part in re.findall(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?", root.get("viewBox", ""))]
    wide, high = (view[2], view[3]) if len(view) == 4 and min(view[2:]) > 0 else (0.0, 0.0)
    width, height = _pixels(root.get("width", "")), _pixels(root.get("height", ""))
    if width and not height and wide:
        height = width * high / wide
    elif height and not width and high:
        width = height * wide / high
    elif not width and not height:
        width, height = wide, high
    if not (width > 0 and height > 0):  # also catches NaN
        raise BadDrawingError("it has no size")
    if max(width, height) > MAX_SIDE:
        raise BadDrawingError(f"it is larger than {MAX_SIDE} pixels")
    return max(1, math.ceil(width)), max(1, math.ceil(height))


def _pixels(length: str) -> float:
    """A length in pixels; 0 if it depends on the page."""
    found = _LENGTH.fullmatch(length)
    return float(found[1]) * _PIXELS[found[2] or ""] if found else 0.0
