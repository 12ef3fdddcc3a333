"""Formats problems for people and programs."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import click

from devlog.model.diagnostic import Diagnostic

COLORS = {"error": "red", "warning": "yellow", "info": "cyan"}
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_UNESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Characters that JSON strings may contain unescaped, but that could control a terminal."""
_BRACKET = re.compile(r"(##\w{0,20})\[")
"""Matches old workflow commands of code hosts, which have an effect anywhere in a line."""
_COLONS = re.compile(
    r"(?<!\S):(?=:(?:add-mask|add-matcher|add-path|debug|echo|endgroup|error|group|internal-set-repo-path|notice"
    r"|remove-matcher|save-state|set-env|set-output|stop-commands|warning)(?:\s|::))",
    re.IGNORECASE,
)
"""Matches newer workflow commands. They have an effect only at the beginning of a line, but where a long text is
wrapped is not known here. ``::std::move`` is not one."""
_AT_ONCE = 1 << 16
"""How many characters of a JSON document are written at once."""
_WIDTH = 100
_NARROWEST = 30
_MARGIN = 12  # for the line number, and for the ellipses of a cut line


def printable(text: str) -> str:
    """`text` without characters that could control a terminal, or a code host that reads the output: they are escaped,
    as in ``\\x1b``.
    """
    return "".join(_printable(text))


def _printable(text: str) -> Sequence[str]:
    """Each character of a text as it is printed. What is escaped depends on those around it."""
    escapes = {
        **{found.start(): found[0].encode("unicode_escape").decode() for found in _CONTROL.finditer(text)},
        **{found.end() - 1: "\\x5b" for found in _BRACKET.finditer(text)},
        **{found.start(): "\\x3a" for found in _COLONS.finditer(text)},
    }
    return [escapes.get(at, char) for at, char in enumerate(text)] if escapes else text


class Rows(list[object]):
    """A list in a JSON document, each item of which is made when it is written.

    A post may have hundreds of thousands of problems, and an object for each takes gigabytes.
    """

    def __init__(self, items: Sequence[Any], make: Callable[[Any], object]) -> None:
        """
        Args:
            items: what the list is made of.
            make: makes an item of the list.
        """
        super().__init__()
        self._items = items
        self._make = make

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[object]:
        return map(self._make, self._items)


def json_text(document: object) -> str:
    """A JSON document that cannot control a terminal or a code host."""
    return "".join(_json_pieces(document))


def echo_json(document: object) -> None:
    """Print a JSON document, which is UTF-8 (RFC 8259) whatever the terminal, piece by piece."""
    for piece in _json_pieces(document):
        click.echo(piece.encode(), nl=False)
    click.echo()


def _json_pieces(document: object) -> Iterator[str]:
    """The pieces of a JSON document, none of which ends within a string."""
    pieces: list[str] = []
    size = 0
    for piece in json.JSONEncoder(ensure_ascii=False, indent=1).iterencode(document):
        pieces.append(piece)
        size += len(piece)
        if size > _AT_ONCE:
            yield _harmless("".join(pieces))
            pieces, size = [], 0
    yield _harmless("".join(pieces))


def _harmless(text: str) -> str:
    return json_escaped(_BRACKET.sub(r"\1\\u005b", text))


def json_escaped(text: str) -> str:
    """JSON in which characters that could control a terminal, and that JSON may contain as they are, are escaped."""
    return _UNESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def as_json(diagnostic: Diagnostic) -> dict[str, object]:
    """A problem as a JSON object for programs."""
    span = diagnostic.span
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "path": span.path.encode("utf-8", "backslashreplace").decode(),
        "line": span.line or None,
        "column": span.column or None,
        "message": diagnostic.message,
        "hint": diagnostic.hint or None,
    }


def as_annotation(diagnostic: Diagnostic, folder: str = "") -> str:
    """A problem as a workflow command of GitHub, whose text cannot contain another command.

    Args:
        diagnostic: the problem.
        folder: the site's folder in the repository: empty, or with a trailing slash.
    """
    span = diagnostic.span
    level = {"error": "error", "warning": "warning", "info": "notice"}[diagnostic.severity]
    fields = [f"file={_property(folder + span.path)}"]
    if span.line:
        fields.append(f"line={span.line}")
    if span.column:
        fields.append(f"col={span.column}")
        if span.length:
            fields.append(f"endColumn={span.column + span.length}")
    fields.append(f"title={_property(diagnostic.code)}")
    message = diagnostic.message + (f"\nhint: {diagnostic.hint}" if diagnostic.hint else "")
    data = "\n".join(printable(line) for line in message.split("\n"))
    return f"::{level} {','.join(fields)}::{_encoded(data)}"


def _encoded(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _encoded(printable(text)).replace(":", "%3A").replace(",", "%2C")


def as_text(diagnostic: Diagnostic) -> str:
    """A problem as text for people: location, message, the source line with the span marked, and a hint."""
    span = diagnostic.span
    place = ":".join([printable(span.path), *(str(number) for number in (span.line, span.column) if number)])
    color = COLORS[diagnostic.severity]
    label = click.style(f"{diagnostic.severity}[{diagnostic.code}]", fg=color, bold=True)
    lines = [f"{click.style(place, bold=True)}: {label}: {printable(diagnostic.message)}"]
    if diagnostic.line_text and not diagnostic.line_text.isspace():
        number = str(span.line)
        bar = click.style("|", dim=True)
        text, offset, width = _window(diagnostic.line_text, span.column, span.length)
        lines.append(f"  {number} {bar} {text}")
        if span.column:
            mark = click.style("^" * max(1, width), fg=color, bold=True)
            lines.append(f"  {' ' * len(number)} {bar} {' ' * offset}{mark}")
    if diagnostic.hint:
        lines.append(f"  {click.style('hint:', bold=True)} {printable(diagnostic.hint)}")
    return "\n".join(lines)


def _window(line: str, column: int, length: int) -> tuple[str, int, int]:
    """The part of a line around a span that fits the terminal, the offset of the span in it, and the span's width."""
    start = max(0, column - 1)
    end = min(len(line), start + max(1, length))
    width = _width()
    first = max(0, min(start - width // 3, len(line) - width)) if len(line) > width else 0
    last = min(len(line), first + width)
    shown = _printable(line[first:last].replace("\t", " "))  # as a whole: a command may begin before the span
    before = ("…" if first else "") + "".join(shown[: start - first])
    marked = "".join(shown[start - first : end - first])
    after = "".join(shown[max(start, end) - first :]) + ("…" if last < len(line) else "")
    return before + marked + after, _cells(before), _cells(marked)


def _width() -> int:
    """How many characters of a source line are shown: in a narrow terminal, as many as fit beside the line number."""
    if not sys.stderr.isatty():
        return _WIDTH
    from shutil import get_terminal_size

    return max(_NARROWEST, min(_WIDTH, get_terminal_size().columns - _MARGIN))


def _cells(text: str) -> int:
    """The width of `text` in columns of a terminal."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def count(number: int, noun: str) -> str:
    """A number with a noun: ``1 post``, ``1,200 posts``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
