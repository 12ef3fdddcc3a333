"""Parses author strings: lenient about the input, with one canonical form as output. No text is ever lost."""

from __future__ import annotations

import re

from devlog.model.diagnostic import Span
from devlog.model.document import Byline

_GROUP = re.compile(r"\((?:[^()]|\([^()]*\))*\)|\[[^\[\]]*\]|<[^<>]*>")
_SEPARATOR = re.compile("[,;]")
_AND = re.compile(r"\s(?:and|&)\s")
_NEXT_AND = re.compile(r"\s*(?:and|&)\s")
_LEADING_AND = re.compile(r"(?:and|&)\s+")
_LINK = re.compile(r"\[(?P<name>[^\[\]]+)\]\(\s*(?P<url>[^\s()]+)\s*\)\s*(?P<rest>.*)", re.DOTALL)
_HANDLE = re.compile(r"@([A-Za-z0-9_][A-Za-z0-9_.-]*)")
_WEB = re.compile(r"(?:https?://|mailto:)[^\s<>]+")
_MAIL = re.compile(r"[^\s<>@:]+@[^\s<>@:]+")
_MASK = "\0"


class _Part:
    """A part of the value: its text without surrounding white space, and the offset at which it begins."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text.strip()
        self.start = start + len(text) - len(text.lstrip())


def parse_authors(text: str, span: Span) -> tuple[Byline, ...]:
    """Parse the authors that a string names.

    Args:
        text: such as ``Ada Quill (@adaquill), Bea Moss <https://example.org>``.
        span: the span of the text.

    Returns:
        The authors in order. Text that cannot be parsed becomes a name.
    """
    exact = span.length == len(text)
    bylines = []
    for part in _split(text):
        place = Span(span.path, span.line, span.column + part.start, len(part.text)) if exact else span
        bylines.append(parse_author(part.text, place))
    return tuple(bylines)


def parse_author(text: str, span: Span) -> Byline:
    """Parse a string that names one author.

    Args:
        text: such as ``Ada Quill (@adaquill)``; commas do not separate authors.
        span: the span of the text.

    Returns:
        The author.
    """
    rest, found = text.strip(), dict[str, str]()
    link = _LINK.fullmatch(rest)
    if link and link["name"].strip() and (url := link_url(link["url"])):
        found["url"] = url
        rest = f"{link['name'].strip()} {link['rest']}".strip()
    while True:
        shorter, kind, value = _last_mark(rest)
        named = shorter or kind == "handle" or "handle" in found
        if not kind or kind in found or not named:
            break
        rest, found[kind] = shorter, value
        if not rest:
            break
    name = " ".join(rest.split())
    return Byline(
        name=name,
        handle=found.get("handle", ""),
        span=span,
        aside=found.get("aside", ""),
        url=found.get("url", ""),
        team=is_team(name),
        written=text,
    )


def is_team(name: str) -> bool:
    """Whether a name is that of a team: its last word is “team”."""
    return name.lower().endswith(" team")


def _split(text: str) -> list[_Part]:
    """Split at the separators outside parentheses and brackets."""
    masked = _GROUP.sub(lambda match: _MASK * len(match[0]), text)
    pieces = _pieces(masked)
    several = sum(1 for start, end in pieces if masked[start:end].strip()) > 1
    parts = []
    for index, (start, end) in enumerate(pieces):
        last = several and index == len(pieces) - 1
        if several and index:
            indent = len(masked[start:end]) - len(masked[start:end].lstrip())
            leading = _LEADING_AND.match(masked, start + indent, end)
            start = leading.end() if leading else start  # noqa: PLW2901 - the piece without its "and"
        for left, right in _cut_names(masked, start, end, last):
            part = _Part(text[left:right], left)
            if part.text:
                parts.append(part)
    return parts


def _pieces(masked: str) -> list[tuple[int, int]]:
    """The ranges between commas; with semicolons, a comma can be part of a name, as in “Quill, Ada; Reed, Bo”."""
    pieces, start, only_commas = [], 0, ";" not in masked
    for match in _SEPARATOR.finditer(masked):
        is_certain = only_commas or match[0] == ";"
        if is_certain or _is_marked(masked[start : match.start()]) or _NEXT_AND.match(masked, match.end()):
            pieces.append((start, match.start()))
            start = match.end()
    return [*pieces, (start, len(masked))]


def _cut_names(masked: str, start: int, end: int, last: bool) -> list[tuple[int, int]]:
    """Split at each “and” that joins two people rather than two words of one name."""
    if is_team(masked[start:end].strip(f" \t\n{_MASK}")):
        return [(start, end)]
    pieces = []
    for match in _AND.finditer(masked, start, end):
        left, right = masked[start : match.start()].strip(), masked[match.end() : end].strip()
        if left and right and (last or _is_marked(left) or (_is_full_name(left) and _is_full_name(right))):
            pieces.append((start, match.start()))
            start = match.end()
    return [*pieces, (start, end)]


def _is_marked(name: str) -> bool:
    """Whether a name ends with a handle, a link or other text in parentheses."""
    words = name.rsplit(maxsplit=1)
    return bool(words) and (words[-1].endswith(_MASK) or words[-1].startswith("@"))


def _is_full_name(name: str) -> bool:
    """Whether a name has two or more words, all capitalized."""
    words = name.replace(_MASK, " ").split()
    return len(words) > 1 and all(word[0].isupper() for word in words)


def _last_mark(text: str) -> tuple[str, str, str]:
    """The last addition to a name: (the text before it, ``handle`` or ``aside`` or ``url``, its value)."""
    if text.endswith(")"):
        start = _opening(text)
        inner = text[start + 1 : -1].strip()
        handle = _HANDLE.fullmatch(inner)
        if start >= 0 and handle:
            return text[:start].rstrip(), "handle", handle[1].lower()
        if start >= 0 and inner:
            return text[:start].rstrip(), "aside", inner
        return text, "", ""
    if text.endswith(">") and "<" in text:
        start = text.rindex("<")
        url = link_url(text[start + 1 : -1].strip())
        return (text[:start].rstrip(), "url", url) if url else (text, "", "")
    words = text.split()
    word = words[-1] if words else ""
    before = text[: len(text) - len(word)].rstrip()
    unclosed = _HANDLE.fullmatch(word.lstrip("("))
    return (before, "handle", unclosed[1].lower()) if unclosed else (text, "", "")


def _opening(text: str) -> int:
    """The offset of the parenthesis that the last character closes; -1 if there is none."""
    depth = 0
    for index in range(len(text) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(text[index], 0)
        if depth == 0:
            return index
    return -1


def link_url(text: str) -> str:
    """The URL, or a ``mailto:`` URL for an email address; empty if it is not safe to link."""
    if _WEB.fullmatch(text):
        return text
    return f"mailto:{text}" if _MAIL.fullmatch(text) else ""
