"""Parses JSON front matter. The standard library gives no positions of values, so this is a parser of its own."""

from __future__ import annotations

import json
import re

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.surrogates import HINT, unpaired_surrogate
from devlog.parse.front_matter import problems
from devlog.parse.front_matter.lines import Lines
from devlog.parse.front_matter.tree import MAX_DEPTH, Entry, Mapping, Node, Scalar, Sequence

_TOKEN = re.compile(r'[ \t\n]*(?:(?P<string>"[^"\\\n]*(?:\\.[^"\\\n]*)*")|(?P<plain>[\w.+-]+)|(?P<mark>[\[\]{},:]))')
_BRACKET = re.compile(r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"?|[\[\]{}]')
_STRING = re.compile(r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"')
_PLAIN = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


class _SyntaxError(Exception):
    """Raised when parsing cannot continue; the argument is the problem."""

    def __init__(self, problem: Diagnostic) -> None:
        super().__init__()
        self.problem = problem


def json_end(text: str) -> int:
    """Find the end of a JSON object.

    Args:
        text: text that begins with the opening brace.

    Returns:
        The offset after the closing brace, or -1.
    """
    depth = 0
    for match in _BRACKET.finditer(text):
        depth += {"{": 1, "[": 1, "]": -1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return match.end()
    return -1


def torn_string(text: str) -> int:
    """The end of the first line of an object that contains an unclosed string; -1 if there is none."""
    for match in _BRACKET.finditer(text.partition("\n\n")[0]):
        if match[0].startswith('"') and not _STRING.fullmatch(match[0]):
            return match.end()
    return -1


def read_json(text: str, file: str, line: int, depth: int = MAX_DEPTH) -> tuple[Mapping, tuple[Diagnostic, ...]]:
    """Read a JSON object.

    Args:
        text: the object; anything else is a syntax error, since it may be a key that says that the post is a draft.
        file: the file's name in messages.
        line: the line of the file on which it begins, counted from 1.
        depth: the maximum nesting depth of lists and mappings.

    Returns:
        The keys up to the first syntax error, and the problems found.
    """
    reader = _Reader(text, file, line, depth)
    try:
        reader.document()
    except _SyntaxError as error:
        reader.problems.append(error.problem)
    return Mapping(tuple(reader.top.values()), Span(file, line, 1, 1)), tuple(reader.problems)


class _Reader:
    """A recursive-descent parser for a text."""

    def __init__(self, text: str, file: str, line: int, depth: int) -> None:
        self.text = text
        self.depth = depth
        self._lines = Lines(text, file, line)
        self.end = 0
        self.top: dict[str, Entry] = {}
        self.problems: list[Diagnostic] = []

    def document(self) -> None:
        """Read the whole text, which is one object."""
        start = len(self.text) - len(self.text.lstrip(" \t\n"))
        if self.text[start : start + 1] != "{":
            raise self._unexpected("an object in braces", self.text[start : start + 1], start)
        self.node(1)
        rest = self.text[self.end :].lstrip(" \t\n")
        if rest:
            span = self._lines.span(len(self.text) - len(rest), 1)
            raise _SyntaxError(problems.after_object(span))

    def node(self, depth: int) -> Node:
        """Read a value."""
        kind, symbol, start = self._next()
        if kind == "string":
            return self._string(symbol, start)
        if kind == "plain" and _PLAIN.fullmatch(symbol):
            return Scalar(symbol, self._lines.span(start, len(symbol)), plain=True)
        if symbol not in ("{", "["):
            raise self._unexpected("a value", symbol, start)
        if depth > self.depth:
            raise _SyntaxError(problems.front_matter_too_deep(self._lines.span(start, 1), self.depth))
        return self._mapping(start, depth) if symbol == "{" else self._sequence(start, depth)

    def _mapping(self, start: int, depth: int) -> Mapping:
        entries = self.top if depth == 1 else dict[str, Entry]()
        while True:
            kind, symbol, place = self._next()
            if symbol == "}" and not entries:
                break
            if kind != "string":
                raise self._unexpected("a key in double quotes", symbol, place)
            key = self._string(symbol, place)
            _, symbol, colon = self._next()
            if symbol != ":":
                raise self._unexpected("“:”", symbol, colon)
            value = self.node(depth + 1)
            if key.text in entries:
                first = entries[key.text].key.span.line
                self.problems.append(problems.duplicate_key(key.span, key.text, first))
            entries.setdefault(key.text, Entry(key, value))
            if self._closes("}"):
                break
        return Mapping(tuple(entries.values()), self._lines.span(start, 1))

    def _sequence(self, start: int, depth: int) -> Sequence:
        items: list[Node] = []
        while True:
            before = self.end
            if self._next()[1] == "]" and not items:
                break
            self.end = before
            items.append(self.node(depth + 1))
            if self._closes("]"):
                break
        return Sequence(tuple(items), self._lines.span(start, 1))

    def _closes(self, bracket: str) -> bool:
        _, symbol, start = self._next()
        if symbol not in (bracket, ","):
            raise self._unexpected(f"“,” or “{bracket}”", symbol, start)
        return symbol == bracket

    def _string(self, symbol: str, start: int) -> Scalar:
        try:
            text: str = json.loads(symbol, strict=False)
        except ValueError:
            message = "unknown escape in this string"
            raise self._error(message, start, len(symbol), "write \\\\ for a backslash") from None
        if half := unpaired_surrogate(symbol):
            message = f"“{half[0]}” is half of a surrogate pair"
            self.problems.append(self._error(message, start + half.start(), len(half[0]), HINT).problem)
            text = text.encode("utf-8", "replace").decode()
        exact = len(text) == len(symbol) - 2
        return Scalar(text, self._lines.span(start + 1, len(text)) if exact else self._lines.span(start, len(symbol)))

    def _next(self) -> tuple[str, str, int]:
        """The next token: (kind, text, offset)."""
        match = _TOKEN.match(self.text, self.end)
        if match is None:
            rest = self.text[self.end :]
            start = self.end + len(rest) - len(rest.lstrip())
            raise self._unexpected("a value or a mark", self.text[start : start + 1], start)
        kind = match.lastgroup or ""
        self.end = match.end()
        return kind, match[kind], match.start(kind)

    def _unexpected(self, expected: str, symbol: str, start: int) -> _SyntaxError:
        found = f", found “{symbol}”" if symbol.strip() else ""
        return self._error(f"{expected} expected{found}", start, len(symbol))

    def _error(self, message: str, start: int, length: int, hint: str = "") -> _SyntaxError:
        return _SyntaxError(problems.front_matter_syntax(self._lines.span(start, length), "JSON", message, hint))
