"""Matches the opening and closing tags of paired shortcodes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from devlog.model.included import is_inclusion
from devlog.model.shortcode_tag import Shortcode, read_shortcode
from devlog.parse.code.find_code import CodeRanges
from devlog.parse.dialects.zola import read_call, read_escaped_call
from devlog.parse.shortcodes.syntax import read_escaped

VERBATIM = frozenset({"highlight", "code", "mermaid"})
"""The shortcodes whose content is code, in which only their own closing tag is a tag."""

_START = re.compile(r"\{[{%]")
_CLOSING = re.compile(r"\{\{[<%]\s*/|\{%-?\s*end\b")
_CODE = re.compile(r"\{\{[<%]\s*code\b", re.IGNORECASE)
_END_OF_CALL = re.compile(r"\{%-?\s*end\s*-?%\}")


class Pair(NamedTuple):
    """The offsets at which the content of a shortcode and its closing tag end."""

    inside_end: int
    end: int


def read_tag(text: str, position: int, *, zola: bool) -> tuple[Shortcode, int] | None:
    """The tag that starts at `position` and the position after it; `None` if there is none."""
    return read_shortcode(text, position) or (read_call(text, position) if zola else None)


def read_escape(text: str, position: int, *, zola: bool) -> tuple[str, int] | None:
    """The unescaped text of an escaped tag at `position`, and the position after it; `None` if there is none."""
    return read_escaped(text, position) or (read_escaped_call(text, position) if zola else None)


def find_pairs(text: str, *, zola: bool) -> dict[int, Pair]:
    """The pairs of tags in a text, by the offset of the opening tag.

    A closing tag belongs to the last open tag with its name, or in Zola to the last open tag with any name. So an
    opening tag that is never closed does not affect others.
    """
    pairs: dict[int, Pair] = {}
    if not _CLOSING.search(text):
        return pairs
    opened: dict[str, list[int]] = {}
    ends = _Ends(text)
    for start, shortcode, end in _tags(text, ends, zola=zola):
        name = _closed_by(shortcode)
        if shortcode.role == "open" and shortcode.name in VERBATIM:
            if pair := ends.of(shortcode, name, end):
                pairs[start] = pair
        elif shortcode.role == "open":
            opened.setdefault(name, []).append(start)
        elif shortcode.role == "close" and opened.get(name):
            pairs[opened[name].pop()] = Pair(start, end)
    return pairs


def _closed_by(shortcode: Shortcode) -> str:
    """The name of the tag that closes a shortcode."""
    return "end" if shortcode.text.startswith("{%") else shortcode.name


def _tags(text: str, ends: _Ends, *, zola: bool) -> Iterator[tuple[int, Shortcode, int]]:
    """The tags of a text outside code, each with its start and end."""
    code = CodeRanges(text)
    found = _START.search(text)
    while found:
        start, end = found.start(), found.start() + 1
        if start not in code:
            escaped = read_escape(text, start, zola=zola)
            read = None if escaped else read_tag(text, start, zola=zola)
            if escaped:
                end = escaped[1]
            elif read:
                shortcode, end = read
                yield start, shortcode, end
                verbatim = shortcode.role == "open" and shortcode.name in VERBATIM
                pair = ends.of(shortcode, _closed_by(shortcode), end) if verbatim else None
                end = pair.inside_end if pair else end
        found = _START.search(text, end)


class _Ends:
    """Finds the closing tags of shortcodes whose content is code; each is looked for only once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._next: dict[str, tuple[int, Pair | None]] = {}  # by name: the last search, and what it found

    def of(self, shortcode: Shortcode, name: str, position: int) -> Pair | None:
        """The closing tag of a shortcode whose content is code, and which ends at `position`; `None` if it has none.

        A tag that includes a file rarely has one: the next closing tag may belong to another opening tag before it.
        """
        pair = self.after(name, position)
        if pair and is_inclusion(shortcode) and _CODE.search(self._text, position, pair.inside_end):
            return None
        return pair

    def after(self, name: str, position: int) -> Pair | None:
        """The next closing tag with a name; `None` if there is none."""
        searched, known = self._next.get(name, (position + 1, None))
        if searched <= position and (known is None or position <= known.inside_end):
            return known
        pattern = _END_OF_CALL if name == "end" else _closing_tag(name)
        found = pattern.search(self._text, position)
        pair = Pair(found.start(), found.end()) if found else None
        self._next[name] = position, pair
        return pair


def _closing_tag(name: str) -> re.Pattern[str]:
    return re.compile(rf"\{{\{{[<%]\s*/\s*{re.escape(name)}\s*[>%]\}}\}}", re.IGNORECASE)


Write = Callable[[Shortcode, str | None], tuple[str, str | None]]
"""``(tag, content)`` to the replacements of the opening and closing tag.

The second replacement is `None` if the first replaces the whole shortcode, including its content. The content of a tag
without a partner is `None`.
"""


def replace_shortcodes(text: str, write: Write, *, zola: bool = False) -> str:
    """`text` with the tags of shortcodes replaced by the results of `write`; tags in code are replaced too."""
    if "{{" not in text and "{%" not in text:
        return text
    pairs = find_pairs(text, zola=zola)
    closings: dict[int, tuple[int, str]] = {}
    parts: list[str] = []
    done, found = 0, _START.search(text)
    while found:
        start, end = found.start(), found.start() + 1
        read = read_tag(text, start, zola=zola)
        if start in closings:
            end, html = closings[start]
            parts += (text[done:start], html)
            done = end
        elif read:
            shortcode, end = read
            pair = pairs.get(start)
            opening, closing = write(shortcode, text[end : pair.inside_end] if pair else None)
            parts += (text[done:start], opening)
            if pair and closing is None:
                end = pair.end
            elif pair:
                closings[pair.inside_end] = (pair.end, closing or "")
            done = end
        found = _START.search(text, end)
    return "".join(parts) + text[done:]
