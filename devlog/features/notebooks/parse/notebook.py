"""Reads the notebook format, version 4: https://nbformat.readthedocs.io/en/latest/format_description.html.

The format is JSON with few required fields, so that reading it needs none of Jupyter's packages. What is unknown is
skipped, and what has another type than documented is a problem of its cell.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Any, TypeVar

import msgspec

from devlog.model.json_depth import JsonDepthError, JsonSizeError, check_json_depth, check_json_size
from devlog.model.secrets import shortened

VERSION = 4
"""The major version of the format that is read."""

MAX_CELLS = 5_000
MAX_OUTPUTS = 1_000
"""The maximum number of outputs of a cell."""
MAX_SOURCE = 4 << 20
"""The maximum size of a cell's text in bytes, as JSON: a page has less."""
MAX_VALUES = 5_000_000
"""The maximum number of values in a notebook, most of which are usually numbers of an output."""

_BETWEEN = re.compile(rb"[\s,\[]*")

T = TypeVar("T")


class NotebookError(Exception):
    """A notebook, a cell or an output is not one; the message says why.

    Args:
        reason: a part of a sentence.
        version: the version of the format, if that is the reason.
    """

    def __init__(self, reason: str, version: int = 0) -> None:
        super().__init__(reason)
        self.version = version


class Line(msgspec.Struct, frozen=True):
    """A line of a cell, and the line of the file that contains it."""

    text: str
    at: int


class Part(msgspec.Struct, frozen=True):
    """A part of a notebook that is not decoded yet: its JSON, and its offset in the file."""

    json: bytes
    offset: int


class Cell(msgspec.Struct, frozen=True):
    """A cell.

    Attributes:
        number: its number, counted from 1.
        at: its line in the file.
        kind: ``markdown``, ``code`` or ``raw``; all others are unknown.
        lines: its text.
        metadata: what the author and the programs have noted about it.
        attachments: the content of attached files, by name, then by media type.
        outputs: its outputs.
    """

    number: int
    at: int
    kind: str
    lines: tuple[Line, ...]
    metadata: dict[str, Any] = {}
    attachments: dict[str, dict[str, msgspec.Raw]] = {}
    outputs: tuple[Part, ...] = ()


RESULTS = frozenset({"display_data", "execute_result"})
"""The types of outputs that have forms of a result."""


class Output(msgspec.Struct, frozen=True):
    """An output of a cell.

    Attributes:
        output_type: ``stream``, ``display_data``, ``execute_result`` or ``error``.
        name: the name of a stream.
        text: the text of a stream.
        data: the forms of the same result, by media type.
        metadata: what is noted about these, by media type.
        ename: the name of an error.
        evalue: its message.
        traceback: where it occurred, with terminal colors.
    """

    output_type: str
    name: str = ""
    text: str | list[str] = ""
    data: dict[str, msgspec.Raw] = {}
    metadata: dict[str, Any] = {}
    ename: str = ""
    evalue: str = ""
    traceback: list[str] = []


class _Cell(msgspec.Struct):
    cell_type: str
    source: msgspec.Raw = msgspec.Raw(b'""')
    metadata: dict[str, Any] = {}
    attachments: dict[str, dict[str, msgspec.Raw]] = {}
    outputs: list[msgspec.Raw] = []


class _Notebook(msgspec.Struct):
    nbformat: int
    cells: list[msgspec.Raw] = []
    metadata: msgspec.Raw = msgspec.Raw(b"{}")


class Notebook:
    """A notebook.

    Attributes:
        metadata: what the author and the programs have noted about it.
        metadata_at: the line of that in the file.
    """

    def __init__(self, text: str) -> None:
        """
        Args:
            text: the content of the file.

        Raises:
            NotebookError: if it is not a notebook in this version of the format.
        """
        self._data = text.encode("utf-8", "surrogatepass")
        try:
            check_json_depth(self._data)
            check_json_size(self._data, MAX_VALUES)
        except (JsonDepthError, JsonSizeError) as error:
            raise NotebookError(str(error)) from error
        found = _decode(self._data, _Notebook)
        if found.nbformat != VERSION:
            raise NotebookError(f"its format is {found.nbformat}", found.nbformat)
        if len(found.cells) > MAX_CELLS:
            raise NotebookError(f"it has more than {MAX_CELLS:,} cells")
        self._starts = [0, *(line.end() for line in re.finditer(b"\n", self._data))]
        self.parts: list[Part] = []
        at = 0
        for raw in found.cells:
            part = self._part(raw, at)
            self.parts.append(part)
            at = part.offset + len(part.json)
        own = bytes(found.metadata)
        self.metadata = _decode(own, dict[str, Any])
        self.metadata_at = self._line(max(self._data.rfind(own), 0))

    def cell(self, number: int) -> Cell:
        """A cell, counted from 1.

        Raises:
            NotebookError: if it is not one.
        """
        part = self.parts[number - 1]
        found = _decode(part.json, _Cell)
        if len(found.outputs) > MAX_OUTPUTS:
            raise NotebookError(f"it has more than {MAX_OUTPUTS:,} outputs")
        if len(bytes(found.source)) > MAX_SOURCE:
            raise NotebookError(f"its text is longer than {MAX_SOURCE:,} bytes")
        outputs, at = [], part.offset
        for raw in found.outputs:
            outputs.append(self._part(raw, at))
            at = outputs[-1].offset + len(outputs[-1].json)
        return Cell(
            number,
            self._line(part.offset),
            found.cell_type,
            self._lines(self._part(found.source, part.offset)),
            found.metadata,
            found.attachments,
            tuple(outputs),
        )

    def line_of(self, part: Part) -> int:
        """The line of the file on which a part begins."""
        return self._line(part.offset)

    def _part(self, raw: msgspec.Raw, at: int) -> Part:
        json = bytes(raw)
        begin = _BETWEEN.match(self._data, at).end()  # type: ignore[union-attr]  # it matches anything
        is_next = self._data.startswith(json, begin)  # this is faster than a search for something large
        return Part(json, begin if is_next else max(self._data.find(json, at), at))

    def _line(self, offset: int) -> int:
        return bisect_right(self._starts, offset)

    def _lines(self, part: Part) -> tuple[Line, ...]:
        """The lines of a text. It is a string, or a list of strings, each usually on a line of its own."""
        lines: list[Line] = []
        opened: list[str] = []  # the beginnings of a line that goes on in the next string
        opened_at = 0
        at = part.offset
        for raw in _decode(part.json, list[msgspec.Raw]) if part.json.startswith(b"[") else [msgspec.Raw(part.json)]:
            one = self._part(raw, at)
            at = one.offset + len(one.json)
            place = self._line(one.offset)
            first, *others = lines_of(_decode(one.json, str))
            opened.append(first)
            opened_at = place
            if others:
                lines.append(Line("".join(opened), place))
                lines += (Line(text, place) for text in others[:-1])
                opened = [others[-1]]
        last = "".join(opened)
        return (*lines, Line(last, opened_at)) if last else tuple(lines)


def read_output(part: Part) -> Output:
    """Decode an output.

    Raises:
        NotebookError: if it is not one.
    """
    return _decode(part.json, Output)


def lines_of(text: str) -> list[str]:
    """The lines of a text. A carriage return ends one, too: for parsers of Markdown, it does."""
    return re.split("\r\n|\r|\n", text)


def text_of(raw: msgspec.Raw) -> str:
    """The text of a value that is a string, or a list of strings.

    Raises:
        NotebookError: if it is neither.
    """
    try:
        found: str | list[str] = msgspec.json.decode(raw, type=str | list[str])
    except (msgspec.MsgspecError, ValueError) as error:
        raise NotebookError("what is not text") from error
    return found if isinstance(found, str) else "".join(found)


def _decode(data: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise NotebookError(_why(str(error))) from error


def _why(message: str) -> str:
    """The reason of a decoder in words: it names a path in the JSON, which is of use only with few words around it."""
    expected = re.fullmatch(r"Expected `(.+?)`, got `(.+?)`(?: - at `\$(.*)`)?", message, re.DOTALL)
    if expected:
        where = f"“{expected[3].lstrip('.')}” " if expected[3] else "it "
        return f"{where}is {_NAMES.get(expected[2], expected[2])} instead of {_NAMES.get(expected[1], expected[1])}"
    missing = re.search(r"missing required field `(\w+)`", message)
    return f"it has no “{missing[1]}”" if missing else f"it is not valid JSON ({shortened(message, 100)})"


_NAMES = {
    "array": "a list",
    "bool": "a truth value",
    "float": "a number",
    "int": "a number",
    "null": "null",
    "object": "an object",
    "str": "a string",
    "str | array": "a string or a list",
}
