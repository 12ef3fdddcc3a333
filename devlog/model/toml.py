"""TOML of files that anybody may have written: `tomllib` reads it, but never sees what could end the process. It
gives no positions: these are looked for here.

For each dot of a key `tomllib` makes a table, however many there are, and freeing tables that are nested thousands deep
takes more of a thread's stack than there may be: CPython 3.13 crashes then.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

MAX_NESTING = 100
"""How deep tables and lists may be nested; what people write is far from it."""

# An unclosed text ends the scan, as it ends that of `tomllib`; one of a single line goes on to the end of that, so that
# no part of it is looked at again.
_TOKEN = re.compile(
    r'"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*(?:"{3,5}|\\?\Z)'
    r"|'''[^']*(?:'(?!'')[^']*)*(?:'{3,5}|\Z)"
    r'|"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*(?:"|\\?(?=\n)|\\?\Z)'
    r"|'[^'\n]*(?:'|(?=\n)|\Z)"
    r"|#[^\n]*"
    r"|(?P<sign>[\[\]{}.=,\n])",
    re.DOTALL,
)
_PART = r"""(?:"[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\n]*'|[\w-]+)"""
_PATH = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_BEGIN = re.compile(rf"[ \t]*(?:(?P<bracket>\[\[?)[ \t]*(?P<table>{_PATH})[ \t]*\]\]?|(?P<key>{_PATH})[ \t]*=)")


class TomlError(ValueError):
    """A text is not TOML; the message says why, and ends with the place as `tomllib` gives it."""


class TomlDepthError(TomlError):
    """Tables and lists are nested too deep."""


def load_toml(text: str, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """Read a TOML text.

    Args:
        text: whatever it is.
        parse_float: makes a value of each float as it is written.

    Returns:
        Its keys and values.

    Raises:
        TomlDepthError: its tables and lists are nested more than `MAX_NESTING` deep.
        TomlError: it is not valid.
    """
    entry = _too_deep(text)
    if entry >= 0:
        line, column = text.count("\n", 0, entry) + 1, entry - text.rfind("\n", 0, entry)
        reason = f"Tables and lists are nested more than {MAX_NESTING} levels deep"
        raise TomlDepthError(f"{reason} (at line {line}, column {column})")
    try:
        return tomllib.loads(text, parse_float=parse_float)
    except ValueError as error:  # not only its own: Python refuses numbers of thousands of digits
        raise TomlError(str(error)) from None


def _too_deep(text: str) -> int:
    """The offset at which the nesting passes the limit, or -1."""
    if text.count(".") + text.count("[") + text.count("{") <= MAX_NESTING:
        return -1
    depth = _Depth()
    for token in _TOKEN.finditer(text):
        sign = token["sign"]
        if sign and depth.after(sign) > MAX_NESTING:
            return token.start()
    return -1


class _Depth:
    """How many tables and lists are around a place of a text, counted sign by sign."""

    def __init__(self) -> None:
        self._table = 0  # what the last header names
        self._opened: list[int] = []  # for each open bracket: itself, and the dots of the key before it
        self._inside = 0  # the sum of these
        self._dots = 0  # of the key, or of the number, at this place
        self._in_header = self._in_value = False

    def after(self, sign: str) -> int:
        """The depth behind a sign, which follows the one that was given last."""
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
    """Where a key of a text stands, or the header of a table, by offsets.

    Attributes:
        path: the names of the tables that it stands in, and its own. Behind that of a list of tables stands a number.
        header: that of its table, as written; empty for a key at the beginning of the text.
        is_table: whether it is such a header itself.
        start: where its name begins, or its bracket.
        value: what is behind its “=”, or behind the header.
        end: where the line of the next key or header begins.
    """

    path: tuple[str | int, ...]
    header: str
    is_table: bool
    start: int
    value: int
    end: int

    @property
    def names(self) -> tuple[str, ...]:
        """The path without numbers."""
        return tuple(part for part in self.path if isinstance(part, str))


def toml_entries(text: str, *, is_valid: bool = True) -> list[TomlEntry]:
    """Where the keys and tables of a text stand, but for keys inside inline tables.

    Args:
        text: whatever it is.
        is_valid: whether it is TOML. If not, each line counts that looks as if it had a key or a header: nobody can
            tell where a text or a list ends that is not closed.
    """
    lines = _statements(text) if is_valid else _lines(text)
    begun = [found for line in lines if (found := _BEGIN.match(text, line))]
    header, table = "", tuple[str | int, ...]()
    counts: dict[tuple[str | int, ...], int] = {}
    made = []
    ends = [*(found.start() for found in begun[1:]), len(text)]
    for found, end in zip(begun, ends, strict=False):  # of no key, there is still an end
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
    return tuple(part[1:-1] if part[0] in "\"'" else part for part in re.findall(_PART, dotted))


def _lines(text: str) -> Iterator[int]:
    """Where the lines of a text begin."""
    start = 0
    while start >= 0:
        yield start
        start = text.find("\n", start) + 1 or -1


def _statements(text: str) -> Iterator[int]:
    """Where the lines of a text begin that are not inside a list, a table or a text of several lines."""
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
