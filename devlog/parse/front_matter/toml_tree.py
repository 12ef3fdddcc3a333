"""Parses TOML front matter: `load_toml` reads the values, and a scan of the lines finds the span of each."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict, deque

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.toml import TomlDepthError, TomlEntry, TomlError, load_toml, toml_entries
from devlog.parse.front_matter import problems
from devlog.parse.front_matter.tree import MAX_DEPTH, Entry, Mapping, Node, Scalar, Sequence

_POSITION = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)")

_VISIBLE = re.compile(r"\S")

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
    keys = [entry for entry in toml_entries(text, is_valid=problem is None) if not entry.is_table]
    found: list[Diagnostic] = []
    if problem is not None:
        table = {}
        for entry in keys:
            chunk = text[entry.start : entry.end]
            first = line + text.count("\n", 0, entry.start)
            part, fault = _load(chunk, entry.header, file, first)
            again = _clash(table, part)
            if fault is not None:
                found.append(fault)
            elif again:
                found.append(problems.duplicate_key(Span(file, first, 1, len(again)), again, 0))
            table = _merged(table, part)
        found = found or [problem]
    reader = _Tree(text, file, line, keys, depth)
    root = reader.mapping(table, (), 0, len(text), 1)
    return root, (*found, *reader.problems)


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


def _merged(table: Table, part: Table) -> Table:
    merged = dict(table)
    for key, value in part.items():
        mine = merged.get(key)
        if isinstance(mine, dict) and isinstance(value, dict):
            merged[key] = _merged(mine, value)
        else:
            merged.setdefault(key, value)
    return merged


class _Tree:
    """Builds the tree of a parsed table; each key is matched with its next entry in the text."""

    def __init__(self, text: str, file: str, line: int, keys: list[TomlEntry], depth: int) -> None:
        self.text = text
        self.file = file
        self.line = line
        self.depth = depth
        self._newlines = [found.start() for found in re.finditer("\n", text)]
        self.problems: list[Diagnostic] = []
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
                name, first, last = self._span(entry.start, len(key)), entry.value, entry.end
            else:
                found = self.text.find(key, start, end)
                first, last = (found + len(key), end) if found >= 0 else (start, end)
                name = self._span(found, len(key)) if found >= 0 else self._span(start, 0)
            entries.append(Entry(Scalar(key, name), self._node(value, (*path, key), first, last, depth + 1)))
            start = max(start, first if not known else start)
        return Mapping(tuple(entries), self._span(start, 0))

    def _node(self, value: object, path: Path, start: int, end: int, depth: int) -> Node:
        if isinstance(value, dict | list) and depth > self.depth:
            self.problems.append(problems.front_matter_too_deep(self._span(start, 0), self.depth))
            return Scalar("", self._span(start, 0), plain=True)
        if isinstance(value, dict):
            return self.mapping(value, path, start, end, depth)
        if isinstance(value, list):
            span = self._span(self._skip(start), 1)
            items = []
            for item in value:
                node = self._node(item, path, start, end, depth + 1)
                items.append(node)
                start = max(start, self._offset(node.span) + node.span.length)
            return Sequence(tuple(items), span)
        return self._scalar(value, start, end)

    def _scalar(self, value: object, start: int, end: int) -> Scalar:
        if isinstance(value, int) and value.bit_length() > 64:
            text = hex(value)  # Python refuses to write thousands of decimal digits
        else:
            text = str(value).lower() if isinstance(value, bool) else str(value)
        plain = isinstance(value, _Number) or not isinstance(value, str)
        found = self.text.find(text, start, end)
        if found < 0:
            first = self._skip(start)
            line = self.text[first:end].split("\n", 1)[0].rstrip()
            return Scalar(text, self._span(first, len(line)), plain)
        return Scalar(text, self._span(found, len(text)), plain)

    def _skip(self, start: int) -> int:
        """The offset of the next character that is not white space."""
        found = _VISIBLE.search(self.text, start)
        return found.start() if found else len(self.text)

    def _offset(self, span: Span) -> int:
        number = span.line - self.line
        return (self._newlines[number - 1] + 1 if number else 0) + span.column - 1

    def _span(self, start: int, length: int) -> Span:
        column = start - self.text.rfind("\n", 0, start)
        return Span(self.file, self.line + bisect_left(self._newlines, start), column, length)
