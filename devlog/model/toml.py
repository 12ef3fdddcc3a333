"""Reads TOML from untrusted files with `tomllib`, but first rejects input that could crash the process. It also finds
the positions of keys, which `tomllib` does not return.

For each dot of a key `tomllib` creates a table, without a limit. Freeing tables that are nested thousands of levels
deep can overflow a thread's stack, and then CPython 3.13 crashes.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple

MAX_NESTING = 100
"""The maximum nesting of tables and lists; files that people write are far below it."""

# An unclosed multi-line string ends the scan, as it ends that of `tomllib`. An unclosed single-line string extends to
# the end of its line, so that no part of it is scanned again.
_STRING_OR_COMMENT = (
    r'"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*(?:"{3,5}|\\?\Z)'
    r"|'''[^']*(?:'(?!'')[^']*)*(?:'{3,5}|\Z)"
    r'|"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*(?:"|\\?(?=\n)|\\?\Z)'
    r"|'[^'\n]*(?:'|(?=\n)|\Z)"
    r"|#[^\n]*"
)
_TOKEN = re.compile(rf"{_STRING_OR_COMMENT}|(?P<sign>[\[\]{{}}.=,\n])", re.DOTALL)
_WORD = re.compile(rf"{_STRING_OR_COMMENT}|(?P<word>[\w.+-]+)", re.DOTALL)
_LARGEST = 2**63
"""Integers have 64 bits: TOML demands an error for one that has more, and few other formats could take it."""
_PART = r"""(?:"[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\n]*'|[\w-]+)"""
_PATH = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_BEGIN = re.compile(rf"[ \t]*(?:(?P<bracket>\[\[?)[ \t]*(?P<table>{_PATH})[ \t]*\]\]?|(?P<key>{_PATH})[ \t]*=)")


class TomlError(ValueError):
    """A text is not valid TOML; the message says why, and ends with the position as `tomllib` formats it."""


class TomlDepthError(TomlError):
    """Tables and lists are nested too deeply."""


def load_toml(text: str, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """Read a TOML text.

    Args:
        text: any text, which need not be valid.
        parse_float: converts the text of each float into a value.

    Returns:
        Its keys and values.

    Raises:
        TomlDepthError: if its tables and lists are nested more than `MAX_NESTING` deep.
        TomlError: if it is not valid, or an integer has more than 64 bits.
    """
    entry = _too_deep(text)
    if entry >= 0:
        reason = f"Tables and lists are nested more than {MAX_NESTING} levels deep"
        raise TomlDepthError(f"{reason}{_position(text, entry)}")
    try:
        tree = tomllib.loads(text, parse_float=parse_float)
    except ValueError as error:  # also one of Python's, which rejects numbers with thousands of digits
        raise TomlError(str(error)) from None
    if _is_too_large(tree):
        offset = next((word.start("word") for word in _WORD.finditer(text) if _is_large_number(word["word"])), 0)
        raise TomlError(f"Integer has more than 64 bits{_position(text, offset)}")
    return tree


def _is_too_large(value: Any) -> bool:
    """Whether a value is, or contains, an integer of more than 64 bits."""
    if isinstance(value, dict | list):
        return any(map(_is_too_large, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int) and not -_LARGEST <= value < _LARGEST


def _is_large_number(word: str | None) -> bool:
    try:
        return word is not None and _is_too_large(int(word, 0))
    except ValueError:
        return False


def _position(text: str, offset: int) -> str:
    """The end of a message, in the form of `tomllib`."""
    line, column = text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
    return f" (at line {line}, column {column})"


def _too_deep(text: str) -> int:
    """The offset at which the nesting exceeds the limit, or -1."""
    if text.count(".") + text.count("[") + text.count("{") <= MAX_NESTING:
        return -1
    depth = _Depth()
    for token in _TOKEN.finditer(text):
        sign = token["sign"]
        if sign and depth.after(sign) > MAX_NESTING:
            return token.start()
    return -1


class _Depth:
    """Counts how many tables and lists enclose a position in a text, one sign at a time."""

    def __init__(self) -> None:
        self._table = 0  # the depth of the table in the last header
        self._opened: list[int] = []  # for each open bracket: 1 for itself, plus the dots of the key before it
        self._inside = 0  # the sum of these
        self._dots = 0  # the dots so far of the key or number at this position
        self._in_header = self._in_value = False

    def after(self, sign: str) -> int:
        """The depth after the next sign of the text. Call it for all signs in order."""
        if sign == "\n":
            self._dots = 0
            if not self._opened:
                self._in_header = self._in_value = False
        elif sign == ".":
            if self._in_header:
                self._table += 1
            else:
                self._dots += 1
        elif sign == "=":
            self._in_value = True
        elif not self._in_header:
            self._bracket_or_comma(sign)
        return self._table + self._inside + self._dots

    def _bracket_or_comma(self, sign: str) -> None:
        if sign == "[" and not self._in_value:
            self._in_header, self._table = True, 1
            return
        if sign in "[{":
            self._opened.append(self._dots + 1)
            self._inside += self._dots + 1
        elif sign != "," and self._opened:
            self._inside -= self._opened.pop()
        self._dots = 0


class TomlEntry(NamedTuple):
    """A key or a table header in a text, with its offsets.

    Attributes:
        path: the names of its tables, and its own name. The name of an array of tables is followed by an index.
        header: the header of its table, as written; empty for a key before the first header.
        is_table: whether it is a header itself.
        start: the offset of its name, or of its bracket.
        value: the offset after its “=”, or after the header.
        end: the offset of the next key or header, or of the end of the text.
    """

    path: tuple[str | int, ...]
    header: str
    is_table: bool
    start: int
    value: int
    end: int

    @property
    def names(self) -> tuple[str, ...]:
        """The path without indexes."""
        return tuple(part for part in self.path if isinstance(part, str))


def toml_entries(text: str, *, is_valid: bool = True) -> list[TomlEntry]:
    """Find the keys and table headers of a text, except keys inside inline tables.

    Args:
        text: any text.
        is_valid: whether it is valid TOML. If not, every line that looks like a key or a header is included, because
            the end of an unclosed string or array is unknown.
    """
    lines = _statements(text) if is_valid else _lines(text)
    begun = [found for line in lines if (found := _BEGIN.match(text, line))]
    header, table = "", tuple[str | int, ...]()
    counts: dict[tuple[str | int, ...], int] = {}
    made = []
    ends = [*(found.start() for found in begun[1:]), len(text)]
    for found, end in zip(begun, ends, strict=False):  # without any key, `ends` still has one item
        if found["table"]:
            header, table = found[0].strip(), _parts(found["table"])
            if found["bracket"] == "[[":
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            made.append(TomlEntry(table, header, True, found.start("bracket"), found.end(), end))
        else:
            path = (*table, *_parts(found["key"]))
            made.append(TomlEntry(path, header, False, found.start("key"), found.end(), end))
    return made


def _parts(dotted: str) -> tuple[str | int, ...]:
    """The names in a key or a header, as many as tables can be nested: each key below a header has a copy of them."""
    return tuple(_name(part[0]) for part in islice(re.finditer(_PART, dotted), MAX_NESTING + 2))


def _name(part: str) -> str:
    """The name that a part of a key stands for."""
    if part[0] == '"' and "\\" in part:
        with suppress(ValueError):  # the text need not be valid
            return str(tomllib.loads(f"name = {part}")["name"])
    return part[1:-1] if part[0] in "\"'" else part


def _lines(text: str) -> Iterator[int]:
    """The offsets of the lines of a text."""
    start = 0
    while start >= 0:
        yield start
        start = text.find("\n", start) + 1 or -1


def _statements(text: str) -> Iterator[int]:
    """The offsets of the lines of a text that are not inside an array, an inline table or a multi-line string."""
    yield 0
    depth = 0
    for token in _TOKEN.finditer(text):
        sign = token["sign"]
        if sign == "\n" and depth == 0:
            yield token.end()
        elif sign and sign in "[{":
            depth += 1
        elif sign and sign in "]}":
            depth -= 1
