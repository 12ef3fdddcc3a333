"""Parses TOML front matter: `load_toml` reads the values, and a scan of the lines finds the span of each."""

from __future__ import annotations

import re
from collections import defaultdict, deque

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.merge_conflict import CONFLICT
from devlog.model.toml import TomlDepthError, TomlEntry, TomlError, load_toml, toml_entries
from devlog.parse.front_matter import problems
from devlog.parse.front_matter.lines import Lines
from devlog.parse.front_matter.tree import MAX_DEPTH, Entry, Mapping, Node, Scalar, Sequence

_POSITION = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)")

_VISIBLE = re.compile(r"\S")

_MOST_HEADERS = 2**23
"""How many characters of headers are read again with the keys below them, each with its own copy: with a very long
header and very many keys, only the first mistake of a text is found."""

_MOST_SEARCHED, _NEAR = 2**27, 1000
"""How many characters are searched for the places of values; afterwards, only so many for each. A value that differs
from what is written, such as one with escapes, is nowhere, and is searched up to the end of its table."""

Table = dict[str, object]
Path = tuple[str, ...]


class _Number(str):
    """A number as written."""

    __slots__ = ()


def read_toml(text: str, file: str, line: int, depth: int = MAX_DEPTH) -> tuple[Mapping, tuple[Diagnostic, ...]]:
    """Read a block of TOML.

    A block with a mistake is read again key by key, so that the mistake does not hide the others.

    Args:
        text: the block without its fences.
        file: the file's name in messages.
        line: the line of the file on which the block begins, counted from 1.
        depth: the maximum nesting depth of lists and tables.

    Returns:
        The keys, and the problems found.
    """
    table, problem = _load(text, "", file, line)
    lines = Lines(text, file, line)
    if problem is not None and (conflict := CONFLICT.search(text)):  # key by key, both versions would be reported
        place = lines.span(conflict.start(), len(conflict[0]))
        return Mapping((), Span(file, line, 1)), (problems.conflict_in_front_matter(place, "TOML"),)
    keys = [entry for entry in toml_entries(text, is_valid=problem is None) if not entry.is_table]
    found: list[Diagnostic] = []
    if problem is not None:
        table, found = {}, [problem]
        if sum(len(entry.header) for entry in keys) <= _MOST_HEADERS:
            table, faults = _load_each(text, file, keys, lines)
            found = faults or found
    reader = _Tree(text, lines, keys, depth)
    root = reader.mapping(table, (), 0, len(text), 1)
    return root, (*found, *reader.problems)


def _load_each(text: str, file: str, keys: list[TomlEntry], lines: Lines) -> tuple[Table, list[Diagnostic]]:
    """Parse each key on its own."""
    table: Table = {}
    found: list[Diagnostic] = []
    for entry in keys:
        first = lines.span(entry.start, 0).line
        part, fault = _load(text[entry.start : entry.end], entry.header, file, first)
        again = _clash(table, part)
        if fault is not None:
            found.append(fault)
        elif again:
            found.append(problems.duplicate_key(Span(file, first, 1, len(again)), again, 0))
        _merge(table, part)
    return table, found


def _load(text: str, header: str, file: str, line: int) -> tuple[Table, Diagnostic | None]:
    """Parse TOML, with the table `header` on a line of its own before the text."""
    head = f"{header}\n" if header else ""
    try:
        return load_toml(head + text, parse_float=_Number), None
    except TomlError as error:
        message = str(error)
        match = _POSITION.search(message)
        last = line + text.rstrip("\n").count("\n")
        if match and match[1]:
            span = Span(file, min(line + int(match[1]) - 1 - head.count("\n"), last), int(match[2]))
        else:
            span = Span(file, last)
        if isinstance(error, TomlDepthError):
            return {}, problems.front_matter_too_deep(span, MAX_DEPTH)
        reason = _POSITION.sub("", message)
        if "Illegal character '\\n'" in reason:
            reason = "the quotation mark is never closed"
        return {}, problems.front_matter_syntax(span, "TOML", reason[:1].lower() + reason[1:])


def _clash(table: Table, part: Table) -> str:
    """The first key that both define, unless both values are tables or both are lists; empty if there is none."""
    for key, value in part.items():
        if key in table:
            mine = table[key]
            if isinstance(mine, dict) and isinstance(value, dict):
                return _clash(mine, value)
            return "" if isinstance(mine, list) and isinstance(value, list) else key
    return ""


def _merge(table: Table, part: Table) -> None:
    """Add the keys of another table to a table, which keeps its own values; in place, for linear time."""
    for key, value in part.items():
        mine = table.setdefault(key, value)
        if isinstance(mine, dict) and isinstance(value, dict) and mine is not value:
            _merge(mine, value)


class _Tree:
    """Builds the tree of a parsed table; each key is matched with its next entry in the text."""

    def __init__(self, text: str, lines: Lines, keys: list[TomlEntry], depth: int) -> None:
        self.text = text
        self.depth = depth
        self.problems: list[Diagnostic] = []
        self._lines = lines
        self._searched = 0
        self._ends: dict[int, int] = {}
        self._entries: dict[Path, deque[TomlEntry]] = defaultdict(deque)
        for entry in keys:
            self._entries[entry.names].append(entry)

    def mapping(self, table: Table, path: Path, start: int, end: int, depth: int) -> Mapping:
        """The tree of a table whose text is between two offsets."""
        entries = []
        for key, value in table.items():
            known = self._entries.get((*path, key))
            if known:
                entry = known.popleft()
                name, first, last = self._lines.span(entry.start, len(key)), entry.value, entry.end
            else:
                found = self._find(key, start, end)
                first, last = (found + len(key), end) if found >= 0 else (start, end)
                name = self._lines.span(found, len(key)) if found >= 0 else self._lines.span(start, 0)
            entries.append(Entry(Scalar(key, name), self._node(value, (*path, key), first, last, depth + 1)))
            start = max(start, first if not known else start)
        return Mapping(tuple(entries), self._lines.span(start, 0))

    def _node(self, value: object, path: Path, start: int, end: int, depth: int) -> Node:
        if isinstance(value, dict | list) and depth > self.depth:
            self.problems.append(problems.front_matter_too_deep(self._lines.span(start, 0), self.depth))
            return Scalar("", self._lines.span(start, 0), plain=True)
        if isinstance(value, dict):
            return self.mapping(value, path, start, end, depth)
        if isinstance(value, list):
            span = self._lines.span(self._skip(start), 1)
            items = []
            for item in value:
                node = self._node(item, path, start, end, depth + 1)
                items.append(node)
                start = max(start, self._lines.offset(node.span) + node.span.length)
            return Sequence(tuple(items), span)
        return self._scalar(value, start, end)

    def _scalar(self, value: object, start: int, end: int) -> Scalar:
        if isinstance(value, int) and value.bit_length() > 64:
            text = hex(value)  # Python refuses to write thousands of decimal digits
        else:
            text = str(value).lower() if isinstance(value, bool) else str(value)
        plain = isinstance(value, _Number) or not isinstance(value, str)
        found = self._find(text, start, end)
        if found < 0:
            first = self._skip(start)
            return Scalar(text, self._lines.span(first, max(0, self._line_end(first, end) - first)), plain)
        return Scalar(text, self._lines.span(found, len(text)), plain)

    def _find(self, text: str, start: int, end: int) -> int:
        """The offset of a text between two others, or -1."""
        far = self._searched > _MOST_SEARCHED
        end = min(end, start + len(text) + _NEAR) if far else end
        found = self.text.find(text, start, end)
        self._searched += max(0, (end if found < 0 else found) - start)
        return found

    def _skip(self, start: int) -> int:
        """The offset of the next character that is not white space."""
        end = start + _NEAR if self._searched > _MOST_SEARCHED else len(self.text)
        found = _VISIBLE.search(self.text, start, end)
        skipped = found.start() if found else min(end, len(self.text))
        self._searched += max(0, skipped - start)
        return skipped

    def _line_end(self, start: int, end: int) -> int:
        """The offset after the last visible character of a line, of which only what is before `end` counts."""
        after = min(end, self._lines.end(start))
        known = self._ends.get(after, after)
        while known > start and self.text[known - 1].isspace():
            known -= 1
        self._ends[after] = known
        return known
