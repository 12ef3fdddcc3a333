"""Detects raw HTML with so many unclosed or misplaced elements that parsing it would take excessive time and memory.

The HTML standard reopens unclosed formatting elements, with their attributes, in each element that follows, and moves
content that a table cannot contain to before the table. Both may take time and memory quadratic in the length of the
text. The estimate here is never lower than what a parser that follows the standard does: an element that seems open
stays open until its own end tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from devlog.model.diagnostic import Span
from devlog.parse.html.raw_html import CLOSES, FOREIGN, HOLDS_HTML, LEAVES_FOREIGN, VOID
from devlog.parse.html.tokens import PLAIN_TEXT, RAW_TEXT, Token, tokens
from devlog.sanitize import TAGS

MOST_OPEN = 1_000
"""The maximum number of elements that may be open at once, including those that only seem open."""
MOST_MISPLACED = 20_000
"""The maximum number of pieces of content inside tables but outside cells."""
MOST_ATTRIBUTES = 2_000
"""The maximum number of attributes of one tag: each is compared with all before it."""
HARMLESS = 32_000
"""The length in characters up to which only reopened elements can take long."""

_ALWAYS = 1 << 20
_FACTOR = 64
_MOST = 16 << 20

FORMATTING = frozenset("a b big code em font i nobr s small strike strong tt u".split())
"""Formatting elements: they are reopened until their own end tag closes them."""
_REPEATS = 8
"""The maximum number of copies of each formatting element that a mismatched end tag creates."""
_CELLS = frozenset({"td", "th"})
_ENDED_BY = {
    "ul": frozenset({"li"}),
    "ol": frozenset({"li"}),
    "menu": frozenset({"li"}),
    "dl": frozenset({"dt", "dd"}),
    "tr": _CELLS,
    "tbody": _CELLS | {"tr"},
    "thead": _CELLS | {"tr"},
    "tfoot": _CELLS | {"tr"},
    "table": _CELLS | {"tr", "tbody", "thead", "tfoot", "colgroup"},
}
"""The elements that the end tag of another also closes, if that one is certainly open; any may close a paragraph."""
_NONE: frozenset[str] = frozenset()
_KEEPS_APART = frozenset("applet caption marquee object td template th".split())
"""Elements inside which a link does not close an enclosing link, as it does elsewhere."""
_HOLDS_CELLS = frozenset({"table", "tbody", "thead", "tfoot", "tr"})
_HOLDS_TEXT = RAW_TEXT | PLAIN_TEXT | {"plaintext"}


class TangledError(Exception):
    """Raised for a body whose raw HTML is tangled.

    Attributes:
        span: the first raw HTML of the body.
    """

    def __init__(self, span: Span) -> None:
        super().__init__(span)
        self.span = span


def may_grow(html: str, raw: int) -> bool:
    """Whether a body is large enough for `is_tangled` to be worth its time.

    Args:
        html: the whole body.
        raw: the number of characters of raw HTML in it.
    """
    return len(html) > HARMLESS or raw * html.count("<") * _REPEATS > _ALWAYS


def is_tangled(html: str) -> bool:
    """Whether sanitizing a text could take too long, or produce too much output.

    Args:
        html: any text.
    """
    allowed = _allowed(len(html))
    if _is_neat(html, allowed):
        return False
    reader = _Reader(allowed)
    return any(reader.read(token, html) for token in tokens(html))


def repeats_too_much(urls: Iterable[str], length: int) -> bool:
    """Whether repeated URLs make the output too long: sanitizing repeats placeholders that are shorter than the URLs.

    Args:
        urls: the URLs in the sanitized text: each of them once for every occurrence after its first.
        length: the length of the text as written.
    """
    return sum(map(len, urls)) > _allowed(length)


def _allowed(length: int) -> int:
    """The number of repeated characters that a text of this length may produce."""
    return min(max(_ALWAYS, _FACTOR * length), _MOST)


# Tags that all HTML parsers read alike: nothing in them looks like another tag, or like the end of a quoted value.
_NEAT = re.compile(r'<(/?)([a-z][a-z0-9]*)((?:[ \n]+[a-z][a-z-]*(?:="[^"<>]*")?)*)[ \n]*/?>')
_IN_TABLES = frozenset("caption col colgroup tbody thead tfoot tr td th".split())


def _is_neat(html: str, allowed: int) -> bool:
    """Whether a text needs no further check, as most do: all elements are closed and properly nested."""
    opened: list[str] = []
    repeated: list[int] = []
    again = count = done = 0
    for found in _NEAT.finditer(html):
        end, name, attributes = found.groups()
        last = opened[-1] if opened else ""
        if name not in TAGS or len(attributes) > MOST_ATTRIBUTES or len(opened) >= MOST_OPEN:
            return False
        if last in _HOLDS_CELLS and (not (end or name in _IN_TABLES) or html[done : found.start()].strip()):
            return False
        if name in _IN_TABLES and not end and last not in _HOLDS_CELLS:
            return False
        if again:
            allowed -= again * _REPEATS
        if end and name != last:
            return False
        if end:
            opened.pop()
            again -= repeated.pop() if name in FORMATTING else 0
        elif name not in VOID:
            opened.append(name)
            if name in FORMATTING:
                repeated.append(len(attributes) + len(name) + 2)
                again += repeated[-1]
        count, done = count + 1, found.end()
    return not opened and count == html.count("<") and allowed >= 0


class _Open(NamedTuple):
    """An element that may be open.

    Attributes:
        name: in lower case.
        repeated: the length of its tag if the element may be reopened, else 0.
        is_foreign: whether a tag in it may close itself, as in SVG and MathML.
    """

    name: str
    repeated: int
    is_foreign: bool


_NOTHING = _Open("", 0, is_foreign=False)


class _Reader:
    """Tracks the elements that may be open at a position, and how much output reopening them has produced so far."""

    def __init__(self, allowed: int) -> None:
        self._left = allowed
        self._open: list[_Open] = []
        self._last = _NOTHING
        self._counts: dict[str, int] = {}
        self._again = 0  # the total length of all tags that may be reopened, except links
        self._link = 0  # the length of the longest tag of a link
        self._links = self._apart = 0  # the number of open links, and of open elements that keep links apart
        self._is_lost = False  # whether an element that seems open may be closed already
        self._in_doubt = False  # whether that may be true of a table cell
        self._misplaced = 0
        self._has_drawing = self._has_hidden = False

    def read(self, token: Token, html: str) -> bool:
        """Process a token of `html`; returns whether it exceeds a limit."""
        if token.kind == "text":
            self._place(token.text)
            self._has_hidden = self._has_hidden or (self._last.name in _HOLDS_TEXT and "<" in token.text)
        elif token.kind == "comment":
            self._has_hidden = self._has_hidden or html.startswith("<![", token.start)
        elif token.kind == "start":
            self._start(token)
        elif token.kind == "end":
            self._end(token.name)
        return (
            self._left < 0
            or len(self._open) - max(0, self._links - self._apart - 1) > MOST_OPEN
            or self._misplaced > MOST_MISPLACED
            or len(token.written) > MOST_ATTRIBUTES
            or (self._has_drawing and self._has_hidden)  # what looks like text may be tags there
        )

    def _place(self, text: str) -> None:
        """Count content that is in a table but possibly outside a cell."""
        if self._counts.get("table") and (self._in_doubt or self._last.name in _HOLDS_CELLS) and text.strip():
            self._misplaced += 1

    def _repeat(self, times: int) -> None:
        """Count the length of all tags that may be reopened."""
        self._left -= (self._again + self._link * min(self._links, self._apart + 1)) * times

    def _start(self, token: Token) -> None:
        name = token.name
        self._place(name)
        self._repeat(_REPEATS if name in ("a", "nobr") else 1)
        if not self._is_lost and (name in LEAVES_FOREIGN or (name == "font" and token.written)):
            while self._last.is_foreign:
                self._pop()
        self._has_drawing = self._has_drawing or name in FOREIGN
        while self._last.name in CLOSES.get(name, ()):
            self._pop()
        if (
            name == "select"
            or (name in ("button", "table") and self._counts.get(name))
            or (name in _IN_TABLES and self._last.name not in _HOLDS_CELLS)
        ):  # open elements may be closed implicitly
            self._is_lost = self._in_doubt = True
        is_foreign = name in FOREIGN or (self._last.is_foreign and name not in HOLDS_HTML)
        if name in VOID or (token.closes_itself and is_foreign and not self._is_lost):
            return
        length = token.end - token.start if name in FORMATTING else 0
        if name == "a":
            self._link, length = max(self._link, length), 0
        self._last = _Open(name, length, is_foreign)
        self._open.append(self._last)
        self._count(name, 1)
        self._again += length

    def _count(self, name: str, step: int) -> None:
        self._counts[name] = self._counts.get(name, 0) + step
        self._links += step * (name == "a")
        self._apart += step * (name in _KEEPS_APART)

    def _end(self, name: str) -> None:
        self._repeat(1)
        if self._last.is_foreign and name in ("p", "br"):
            self._is_lost = True
        if not self._counts.get(name):
            return
        ended = _NONE if self._is_lost else _ENDED_BY.get(name, _NONE)
        while self._last.name != name and (self._last.name == "p" or self._last.name in ended):
            self._pop()
        if self._last.name != name:
            self._is_lost = self._in_doubt = True
            self._repeat(_REPEATS)
            return
        self._pop()
        if name == "table" and not self._counts["table"]:
            self._in_doubt = False

    def _pop(self) -> None:
        name, length, _ = self._open.pop()
        self._last = self._open[-1] if self._open else _NOTHING
        self._count(name, -1)
        self._again -= length
