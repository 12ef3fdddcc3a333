"""Parses YAML front matter from the events of a YAML parser.

Loading YAML the usual way crashes on deep nesting, doubles the work with each merge key, silently drops duplicate
keys and converts ``no``, ``3.10`` and ``2026-01-01`` to other types. Events have none of these problems, and have
positions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, Protocol

import yaml

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.merge_conflict import CONFLICT
from devlog.parse.front_matter import problems
from devlog.parse.front_matter.tree import MAX_DEPTH, Entry, Mapping, Node, Scalar, Sequence
from devlog.parse.front_matter.yaml_parser import parse_yaml

KEY = re.compile(
    r"""(?:"[^"\n]*"[ \t]*|'[^'\n]*'[ \t]*|[^\s\-#&*!|>'"%@`\[\]{},:?][^:\n]*):(?:[ \t]|$)""", re.MULTILINE
)
"""A key with its colon."""
_KEY_LINE = re.compile(f"^{KEY.pattern}", re.MULTILINE)

_BREAKS = str.maketrans("\r\x85\u2028\u2029", "    ")  # line breaks only in YAML
_COMMENT = re.compile(r"[ \t]+(#[^\s#].*)")
_DATUM = re.compile(r"[0-9][0-9T:.+Z-]*|true|false", re.IGNORECASE)  # such a value does not continue
_ENTRY = re.compile(r"(?P<key>[^:]+:[ \t]+)(?P<value>.*[^ \t])")
_MERGED = "<<"
_MOST_REPEATED = 10_000
"""How many values aliases may repeat: each may repeat others, so that ten lines could stand for billions."""
_QUOTE_IT = "put the whole value in quotes"
_END_IT = "if the front matter ends here, leave only “---” on the line, otherwise remove it"


Position = tuple[int, int]
"""A line and a column, both counted from 0."""


class _Mark(Protocol):
    """A position as provided by the YAML parser."""

    line: int
    column: int


class _Fault(NamedTuple):
    """A translation of a message of the YAML parser.

    Attributes:
        sign: the part of the message by which it is recognized.
        message: devlog's message.
        hint: devlog's hint.
        at_context: whether the problem is at the position of the message's context.
    """

    sign: str
    message: str
    hint: str = ""
    at_context: bool = False


_FAULTS = (
    _Fault("mapping values are not allowed", "“: ” inside a value without quotes", _QUOTE_IT),
    _Fault("unexpected end of stream", "the quotation mark is never closed", "close it", at_context=True),
    _Fault("flow sequence", "the list that begins here is never closed", "close it with “]”", at_context=True),
    _Fault("flow mapping", "the mapping that begins here is never closed", "close it with “}”", at_context=True),
    _Fault("flow node", "a list or mapping is never closed", "close it; a value that begins with # needs quotes"),
    _Fault("could not find expected ':'", "“key: value” expected", at_context=True),
    _Fault("did not find expected key", "there is text after the end of the value", _QUOTE_IT),
    _Fault("block sequence entries", "a list must begin on a line of its own"),
    _Fault("<document start>", "the keys do not begin in the same column", "line them up"),
    _Fault("alias", "a value cannot begin with “*”", _QUOTE_IT, at_context=True),
    _Fault("anchor", "a value cannot begin with “&”", _QUOTE_IT, at_context=True),
)


class _TooDeepError(Exception):
    """Raised when the nesting limit is exceeded, since the parser must not produce further events then."""

    def __init__(self, position: Position) -> None:
        super().__init__()
        self.position = position


def read_yaml(
    text: str, file: str, line: int, depth: int = MAX_DEPTH, *, aliases: bool = False
) -> tuple[Node | None, tuple[Diagnostic, ...]]:
    """Read a block of YAML.

    A block with a mistake is read again entry by entry, so that the mistake does not hide the others.

    Args:
        text: the block without its fences.
        file: the file's name in messages.
        line: the line of the file on which the block begins, counted from 1.
        depth: the maximum nesting depth of lists and mappings.
        aliases: whether to read aliases (``*a``) and merge keys (``<<``), as in configurations of other programs.

    Returns:
        The root, None for an empty block, and the problems found.
    """
    text = text.translate(_BREAKS)
    whole = _Reader(text, file, line, depth, aliases=aliases)
    root = whole.read()
    if not whole.broken:
        return root, tuple(whole.problems)
    if conflict := CONFLICT.search(text):  # entry by entry, both versions would be reported
        place = Span(file, line + text.count("\n", 0, conflict.start()), 1, len(conflict[0]))
        return root, (problems.conflict_in_front_matter(place, "YAML"),)
    starts = [match.start() for match in _KEY_LINE.finditer(text)]
    if not starts:
        return root, tuple(whole.problems)
    found: list[Diagnostic] = []
    entries: dict[str, Entry] = {}
    for start, end in zip([0, *starts], [*starts, len(text)], strict=True):
        reader = _Reader(text[start:end], file, line, depth, aliases=aliases)
        line += text.count("\n", start, end)
        node = reader.read()
        found += reader.problems
        if isinstance(node, Mapping):
            for entry in node.entries:
                found += _duplicates(entry, entries)
                entries.setdefault(entry.key.text, entry)
        elif node is not None and not reader.broken:
            found.append(problems.front_matter_syntax(node.span, "YAML", "“key: value” expected"))
    root = Mapping(tuple(entries.values()), Span(file, whole.line, 1))
    return root, tuple(found or whole.problems)


class _Reader:
    """One pass over the events of a text."""

    def __init__(self, text: str, file: str, line: int, depth: int, *, aliases: bool) -> None:
        self.lines = text.removesuffix("\n").split("\n")
        self.events = parse_yaml(text)
        self.file = file
        self.line = line
        self.depth = depth
        self.aliases = aliases
        self.anchored: dict[str, tuple[Node, int, int]] = {}  # with the number of its values, and their depth
        self.repeated = 0
        self.problems: list[Diagnostic] = []
        self.broken = False

    def read(self) -> Node | None:
        """The root of the first document, as far as it can be read."""
        root: Node | None = None
        try:
            for event in self.events:
                if isinstance(event, yaml.DocumentStartEvent) and event.explicit:
                    self._refuse(event, "a document mark (“---”)", _END_IT)
                elif isinstance(event, yaml.NodeEvent):
                    node = self._node(event, 1)
                    root = node if root is None else root
        except _TooDeepError as error:
            self.broken = True
            self.problems.append(problems.front_matter_too_deep(self._span(error.position), self.depth))
        except yaml.YAMLError as error:
            self.broken = True
            self.problems.append(self._syntax(error))
        return root

    def _node(self, event: yaml.Event, depth: int) -> Node:
        span = self._of(event)
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event, span, depth)
        if not isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent):
            return Scalar("", span, plain=True)
        if event.anchor and not self.aliases:
            self._refuse(event, f"an anchor (“&{event.anchor}”)", _QUOTE_IT)
        if event.tag:
            self._refuse(event, "a YAML tag (“!…”)", _QUOTE_IT)
        node = self._value(event, span, depth)
        if event.anchor and self.aliases:
            self.anchored[event.anchor] = (node, *_extent(node))
        return node

    def _alias(self, event: yaml.AliasEvent, span: Span, depth: int) -> Node:
        """The value that an alias repeats; nothing, and a problem, if it has none, or is in it, or repeats too much."""
        found = self.anchored.get(event.anchor or "")
        node, size, height = found or (None, 0, 0)
        self.repeated += size
        if node is None or self.repeated > _MOST_REPEATED:
            self._refuse(event, f"an alias (“*{event.anchor}”)", _QUOTE_IT)
            return Scalar("", span, plain=True)
        if depth + height - 1 > self.depth:
            raise _TooDeepError(_position(event.start_mark))
        return node

    def _value(self, event: yaml.ScalarEvent | yaml.CollectionStartEvent, span: Span, depth: int) -> Node:
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event, span)
        if depth > self.depth:
            raise _TooDeepError(_position(event.start_mark))
        if isinstance(event, yaml.SequenceStartEvent):
            return Sequence(tuple(self._items(depth)), span)
        return self._mapping(span, depth)

    def _items(self, depth: int) -> Iterator[Node]:
        for event in self.events:
            if isinstance(event, yaml.SequenceEndEvent):
                return
            yield self._node(event, depth + 1)

    def _mapping(self, span: Span, depth: int) -> Mapping:
        entries: dict[str, Entry] = {}
        for event in self.events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            key = self._node(event, depth + 1)
            value = self._node(next(self.events), depth + 1)
            if not isinstance(key, Scalar) or not key.text.strip():
                self.problems.append(problems.bad_key(key.span))
                continue
            entry = Entry(Scalar(key.text.strip(), key.span, key.plain), value)
            self.problems += _duplicates(entry, entries)
            entries.setdefault(entry.key.text, entry)
        if self.aliases and (merged := entries.pop(_MERGED, None)):
            tables = merged.value.items if isinstance(merged.value, Sequence) else (merged.value,)
            for table in tables:
                for entry in table.entries if isinstance(table, Mapping) else ():
                    entries.setdefault(entry.key.text, entry)
        return Mapping(tuple(entries.values()), span)

    def _scalar(self, event: yaml.ScalarEvent, span: Span) -> Scalar:
        plain = not event.style
        text: str = event.value
        if event.style in ("'", '"') and span.length == len(text) + 2:
            span = Span(span.path, span.line, span.column + 1, len(text))
        row, column = _position(event.end_mark)
        if plain and text and row < len(self.lines):
            comment = None if _DATUM.fullmatch(text) else _COMMENT.match(self.lines[row], column)
            if comment:
                place = Span(self.file, self.line + row, comment.start(1) + 1, len(comment[1]))
                self.problems.append(problems.comment_in_value(place, comment[1]))
        return Scalar(text, span, plain)

    def _of(self, event: yaml.Event) -> Span:
        """The span of an event, up to the end of its first line."""
        start, end = _position(event.start_mark), _position(event.end_mark)
        if end[0] > start[0] and start[0] < len(self.lines):
            return self._span(start, len(self.lines[start[0]]) - start[1])
        return self._span(start, end[1] - start[1])

    def _span(self, start: Position, length: int = 0) -> Span:
        row = min(start[0], len(self.lines) - 1)  # some errors are detected after the last line
        column = start[1] + 1 if row == start[0] else 0
        return Span(self.file, self.line + row, column, max(length, 0))

    def _refuse(self, event: yaml.Event, feature: str, hint: str) -> None:
        self.problems.append(problems.yaml_feature(self._of(event), feature, hint))

    def _syntax(self, error: yaml.YAMLError) -> Diagnostic:
        """The problem for an error of the YAML parser, in words for authors."""
        if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
            return problems.front_matter_syntax(Span(self.file, self.line), "YAML", "it cannot be read")
        message, hint, position = _explain(error, self.lines)
        return problems.front_matter_syntax(self._span(position), "YAML", message, hint)


def _extent(node: Node) -> tuple[int, int]:
    """The number of values in a value with itself, and the depth of lists and mappings in it."""
    if isinstance(node, Scalar):
        return 1, 0
    inner = node.items if isinstance(node, Sequence) else [entry.value for entry in node.entries]
    extents = [_extent(each) for each in inner]
    return 1 + sum(size for size, _ in extents), 1 + max((height for _, height in extents), default=0)


def _duplicates(entry: Entry, entries: dict[str, Entry]) -> tuple[Diagnostic, ...]:
    first = entries.get(entry.key.text)
    if first is None:
        return ()
    return (problems.duplicate_key(entry.key.span, entry.key.text, first.key.span.line),)


def _explain(error: yaml.MarkedYAMLError, lines: list[str]) -> tuple[str, str, Position]:
    """Convert an error of the YAML parser to (message, hint, position)."""
    problem, position = error.problem or "", _position(error.problem_mark)
    row, column = position
    line = lines[row] if row < len(lines) else ""
    character = line[column : column + 1]
    if "\t" in line[: len(line) - len(line.lstrip())] or character == "\t":
        return "a tab is used as indentation", "indent with spaces", position
    if character and any(sign in problem for sign in ("cannot start any token", "expected node content")):
        return f"a value cannot begin with “{character}”", _quoted(line), position
    if "mapping values are not allowed" in problem and ": " not in line[:column]:
        return "this key does not line up with the others", "begin it in the column of the others", position
    for fault in _FAULTS:
        if fault.sign in f"{error.context or ''} {problem}":
            earlier = fault.at_context and error.context_mark is not None
            place = _position(error.context_mark) if earlier else position
            return fault.message, _quoted(line) if fault.hint == _QUOTE_IT else fault.hint, place
    return problem or "it cannot be read", "", position


def _position(mark: _Mark | None) -> Position:
    return (mark.line, mark.column) if mark is not None else (0, 0)


def _quoted(line: str) -> str:
    """A hint with the line, its value in quotes."""
    match = _ENTRY.fullmatch(line.rstrip())
    if match is None:
        return _QUOTE_IT
    value = match["value"]
    if value[0] == value[-1] == "'" and value.count("'") == 3:  # an apostrophe in single quotes
        value = value[1:-1]
    quoted = f'"{value}"' if not set(value) & {'"', "\\"} else "'" + value.replace("'", "''") + "'"
    return f"write {match['key'].rstrip()} {quoted}"
