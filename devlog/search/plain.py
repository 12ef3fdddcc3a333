"""Strips the markup of Markdown and HTML without parsing it, and keeps each line at its position in the file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from devlog.model.character_references import unescape
from devlog.parse.html.raised import as_power
from devlog.parse.html.ruby import Readings
from devlog.search.emphasis import without_emphasis

# All patterns are bounded, so that their time is linear in the length of any text.

# The start of code, which contains no headings: a fence, a highlighted block of Jekyll or Hugo, an element.
_OPENING = re.compile(
    r"(?P<fence>(?<!`)`{3,}(?!`)(?=[^`\n]*$)|~{3,})[^\n]*$"
    r"|\{%-?[ \t]{0,9}(?P<tag>highlight|raw)\b[^\n]{0,200}?%\}"
    r"|\{\{[<%][ \t]{0,9}(?P<code>highlight)\b[^\n]{0,200}?[%>]\}\}"
    r"|<(?P<element>pre|script|style|textarea)\b[^\n<>]*>",
    re.MULTILINE | re.IGNORECASE,
)
_INDENT = re.compile(" *")
_BEFORE_FENCE = re.compile(r"[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*")
_PIECE = re.compile(
    r"(?P<ticks>`(?<!``)`{0,19})(?!`)(?P<span>.{1,1000}?(?<!`))(?P=ticks)(?!`)"
    r"|<!--.*?(?:-->|\Z)"
    r"|!\[(?P<alt>[^\]\[\n]*)\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\]\n]*\])"
    r"|(?P<index>(?<=[A-Za-z0-9_)\]])\[[^\]\[\n]*\](?=\[))"  # as in `a[i][j]`, which is rarely a link
    r"|\[(?P<link>(?:[^\]\[\n]|\[[^\]\[\n]*\]|\n(?!\n))*)\]"
    r"(?:\((?P<to>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s[^()\n]*)?\)|\[[^\]\n]*\])"
    r"|<(?P<auto>(?:https?|mailto|ftp):[^<>\s]+)>"
    r"|(?<=[^\s<>(])<sup>(?P<power>[^\s<>&]{1,20})</sup>"
    r"|</?(?P<tag>[A-Za-z][A-Za-z0-9]*)(?![A-Za-z0-9])[^<>]*>"
    r"|\{\{[<%].{0,300}?[%>]\}\}"
    r"|\{%.{0,300}?%\}"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])",
    re.DOTALL,
)
_BEFORE = re.compile(
    r"[ \t]*(?:>[ \t]?)*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?(?:#{1,6}(?=[ \t]|$))?[ \t]*"
)
_NOTHING = re.compile(
    r"[ \t]*(?![ \t])"
    r"(?:=+|-{3,}|\*{3,}|_{3,}|\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?)?|\[[^\]]+\]:[ \t]+\S.*)[ \t]*"
)
_ATTRIBUTES = re.compile(r"\{:?[ \t]*[#.][^{}]*\}\Z")
_INLINE = frozenset(
    "a abbr b bdi bdo cite code del dfn em i ins kbd mark q rb rp rt ruby s samp small span strong sub sup tt u "
    "var".split()
)
_STARTING = frozenset("0123456789>-+*#=_|[: ")
_URL = re.compile(r"https?://[^\s<>\"'`)\]]+")
_HIDDEN = "*_`~|#&<>-+\\[]{}=:"
_HIDE = {ord(character): 0xE000 + place for place, character in enumerate(_HIDDEN)}
_EMPHASIS = chr(0xE000 + len(_HIDDEN))
_SHOW = re.compile(f"[\ue000-{chr(0xE000 + len(_HIDDEN) - 1)}]")


class Piece:
    """A range of a text that is either prose or code.

    Attributes:
        start: the offset of its start.
        end: the offset of its end.
        is_code: whether it is code, including the lines of its fences.
    """

    __slots__ = ("end", "is_code", "start")

    def __init__(self, start: int, end: int, *, is_code: bool) -> None:
        self.start, self.end, self.is_code = start, end, is_code


def pieces(text: str) -> Iterator[Piece]:
    """Split a text into consecutive pieces of prose and code; code begins and ends at the start of a line."""
    at = begin = looked_at = 0
    indent = -1  # the offset of the first word of the line at `begin`; -1 if it is not computed yet
    for opening in _OPENING.finditer(text):
        # Searches back only to the last opening, since a line can have any number of them.
        if line := text.rfind("\n", looked_at, opening.start()) + 1:
            begin, indent = line, -1
        looked_at = opening.start()
        if opening["element"] and indent < 0:
            indent = _INDENT.match(text, begin).end()  # type: ignore[union-attr]  # it always matches
        if opening.start() < at or not _stands_first(text, begin, indent, opening):
            continue
        if begin > at:
            yield Piece(at, begin, is_code=False)
        closing = _closing(opening).search(text, opening.end())
        end = text.find("\n", closing.end()) + 1 if closing else len(text)
        at = end or len(text)
        yield Piece(begin, at, is_code=True)
    if at < len(text):
        yield Piece(at, len(text), is_code=False)


def _stands_first(text: str, line: int, indent: int, opening: re.Match[str]) -> bool:
    """Whether the start of code is at a valid position of its line, which begins at `line`.

    Args:
        text: the whole text.
        line: the offset of the line.
        indent: the offset of the first word of the line.
        opening: the start of code.
    """
    if opening["fence"]:
        before = _BEFORE_FENCE.match(text, line, opening.start())
        return before is not None and before.end() == opening.start()
    return not opening["element"] or opening.start() == indent


def _closing(opening: re.Match[str]) -> re.Pattern[str]:
    if fence := opening["fence"]:
        return re.compile(rf"^[ \t>]*{fence[0]}{{{len(fence)},}}[ \t]*$", re.MULTILINE)
    if opening["element"]:
        return re.compile(rf"</{opening['element']}>", re.IGNORECASE)
    if opening["code"]:
        return re.compile(r"\{\{[<%][ \t]*/[ \t]*highlight")
    return re.compile(rf"\{{%-?[ \t]*end{opening['tag'].lower()}\b")


def plain(text: str, targets: list[str] | None = None, *, is_block: bool = True) -> str:
    """Prose without its markup, with the same number of lines.

    Args:
        text: Markdown or HTML.
        targets: the targets of links are appended to it.
        is_block: whether lines may begin with block markup, such as list markers.
    """

    readings = Readings()

    def shown(found: re.Match[str]) -> str:
        kind = found.lastgroup
        if kind == "index":
            return found[0]
        if kind == "power":
            return as_power(found["power"])
        if kind in {"span", "alt", "auto", "escaped"}:
            return found[kind].translate(_HIDE)
        if kind in {"to", "link"}:
            if targets is not None and found["to"]:
                targets.append(found["to"])
            return found["link"] + "\n" * (found[0].count("\n") - found["link"].count("\n"))
        lines = "\n" * found[0].count("\n")
        name = found["tag"].lower() if kind == "tag" else ""
        bracket = readings.instead(name, is_end=found[0][1] == "/")
        return bracket + (lines or (" " if name and name not in _INLINE else ""))

    # The marks stay in place until the lines are done: what is behind them does not begin a line.
    text = without_emphasis(_PIECE.sub(shown, text), _EMPHASIS)
    if is_block:
        text = _without_cells(text) if "|" in text else text
        text = "\n".join(
            [_line(line) if line[:1] in _STARTING or line[-1:] == "}" else line for line in text.split("\n")]
        )
    text = text.replace(_EMPHASIS, "")
    if "&" in text:
        text = unescape(text)
    return _SHOW.sub(lambda found: _HIDDEN[ord(found[0]) - 0xE000], text)


def _line(line: str) -> str:
    """A line without the markup of lists, quotations and headings."""
    if _NOTHING.fullmatch(line):
        return ""
    before = _BEFORE.match(line)
    line = line[before.end() :] if before else line
    return _ATTRIBUTES.sub("", line) if line[-1:] == "}" else line


def _without_cells(text: str) -> str:
    """A text without the borders of the cells of tables; in other lines, ``|`` is shown."""
    lines = text.split("\n")
    in_table = False
    for number, line in enumerate(lines):
        if "|" in line and "-" in line and not line.strip("|-: \t>"):
            in_table = True
            if number:
                lines[number - 1] = lines[number - 1].replace("|", " ")
        elif not line.strip(" \t>"):
            in_table = False
        elif in_table or line.lstrip(" \t>").startswith("|"):
            lines[number] = line.replace("|", " ")
    return "\n".join(lines)


def one_line(text: str) -> str:
    """A text on one line, with each run of whitespace replaced by a single space."""
    return " ".join(text.split())


def urls(text: str) -> list[str]:
    """The URLs in a text."""
    return _URL.findall(text) if "://" in text else []
