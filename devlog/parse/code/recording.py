"""Makes text of recordings of terminals, as asciinema writes them: what the terminal shows at the end.

A small terminal replays the output: lines that a program overwrites, such as those of a progress bar, are there once.
What a full-screen program shows is left out, as terminals leave it out when such a program ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from devlog.parse.code.ansi import ESCAPE

MOST_LINES = 2_000
"""The maximum number of lines to show."""

_TOKEN = re.compile(
    r"\x1b\[([0-9;:<=>?]{0,64})[ -/]{0,4}([@-~])"
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[()#*+][ -~]?|\x1b."
    r"|([\x00-\x1f\x7f])|([^\x00-\x1f\x7f]+)",
    re.DOTALL,
)
_FULL_SCREEN = frozenset({"?47", "?1047", "?1049"})
_LONGEST_STYLE = 80


def text_of(recording: str) -> str | None:
    """The text that a recording ends with, in which `ESCAPE` begins changes of style; `None` if it is no recording.

    Args:
        recording: a file in version 1, 2 or 3 of asciinema's format.
    """
    try:
        width, height, outputs = _read(recording)
    except (msgspec.MsgspecError, ValueError, TypeError, KeyError, RecursionError):
        return None
    terminal = _Terminal(min(max(width, 20), 400), min(max(height, 5), 200))
    for output in outputs:
        terminal.show(output)
        if len(terminal.lines) > MOST_LINES:
            break
    return terminal.text()


def _read(recording: str) -> tuple[int, int, list[str]]:
    """The width and the height of the terminal, and its output."""
    first, _, rest = recording.partition("\n")
    try:
        head: dict[str, Any] = msgspec.json.decode(first, type=dict[str, Any])
    except msgspec.DecodeError:  # version 1 is a single value on several lines
        head, rest = msgspec.json.decode(recording, type=dict[str, Any]), ""
    version = head["version"]
    if version == 1:
        pairs = msgspec.convert(head["stdout"], list[tuple[float, str]])
        return int(head["width"]), int(head["height"]), [text for _, text in pairs]
    size = head["term"] if version == 3 else head
    names = ("cols", "rows") if version == 3 else ("width", "height")
    return int(size[names[0]]), int(size[names[1]]), list(_events(rest))


def _events(lines: str) -> Iterator[str]:
    for line in lines.split("\n"):
        if line.startswith("["):
            _, kind, data = msgspec.json.decode(line, type=tuple[float, str, str])
            if kind == "o":
                yield data


class _Terminal:
    """A terminal that remembers the lines that have left its screen.

    Attributes:
        lines: the lines, each a list of pairs of a style and a character.
    """

    def __init__(self, width: int, height: int) -> None:
        self.lines: list[list[tuple[str, str]]] = [[]]
        self._width, self._height = width, height
        self._row = self._column = 0
        self._style = ""
        self._is_away = False  # whether a program uses the whole screen

    @property
    def _top(self) -> int:
        return max(0, len(self.lines) - self._height)

    def show(self, output: str) -> None:
        """Process some output."""
        for token in _TOKEN.finditer(output):
            if token[2]:
                self._control(token[1], token[2])
            elif self._is_away or len(self.lines) > MOST_LINES:
                continue
            elif token[3]:
                self._move(token[3])
            elif token[4]:
                for character in token[4]:
                    self._put(character)

    def text(self) -> str:
        """All lines, without blanks at their ends and empty lines around them."""
        written: list[str] = []
        for line in self.lines[:MOST_LINES]:
            parts: list[str] = []
            style = ""
            end = len("".join(character for _, character in line).rstrip())
            for own, character in line[:end]:
                if own != style:
                    parts.append(f"{ESCAPE}[0m{own}")
                    style = own
                parts.append(character)
            written.append("".join(parts) + (f"{ESCAPE}[0m" if style else ""))
        return "\n".join(written).strip("\n")

    def _put(self, character: str) -> None:
        if self._column >= self._width:
            self._move("\n")
        line = self.lines[self._row]
        line.extend([("", " ")] * (self._column - len(line)))
        line[self._column : self._column + 1] = [(self._style, character)]
        self._column += 1

    def _move(self, control: str) -> None:
        if control == "\n":
            self._row, self._column = self._row + 1, 0
            if self._row == len(self.lines):
                self.lines.append([])
        elif control == "\r":
            self._column = 0
        elif control == "\b":
            self._column = max(0, self._column - 1)
        elif control == "\t":
            self._column = min(self._column - self._column % 8 + 8, self._width - 1)

    def _control(self, values: str, kind: str) -> None:
        if kind in "hl" and values in _FULL_SCREEN:
            self._is_away = kind == "h"
        elif self._is_away:
            return
        elif kind == "m":
            resets = re.match("0*(?:;|$)", values) is not None or len(self._style) > _LONGEST_STYLE
            self._style = f"{'' if resets else self._style}{ESCAPE}[{values}m" if values.strip("0;") else ""
        elif kind in "ABCDGHf":
            self._go(
                kind, [int(value[:4]) if value.isascii() and value.isdigit() else 1 for value in values.split(";")]
            )
        elif kind in "JKP":
            self._erase(kind, values)

    def _go(self, kind: str, values: list[int]) -> None:
        """Move the cursor, within the screen."""
        count = max(1, values[0])
        row, column = self._row, self._column
        if kind in "AB":
            row += -count if kind == "A" else count
        elif kind in "CD":
            column += count if kind == "C" else -count
        elif kind == "G":
            column = count - 1
        else:
            row, column = self._top + count - 1, max(1, values[1] if len(values) > 1 else 1) - 1
        self._row = min(max(row, self._top), len(self.lines) - 1)
        self._column = min(max(column, 0), self._width - 1)

    def _erase(self, kind: str, values: str) -> None:
        line = self.lines[self._row]
        if kind == "P":
            del line[self._column : self._column + (int(values[:4]) if values.isdecimal() else 1)]
        elif kind == "K" and values in ("", "0"):
            del line[self._column :]
        elif kind == "K":
            end = len(line) if values == "2" else self._column + 1
            line[:end] = [("", " ")] * min(end, len(line))
        elif values in ("", "0"):
            del line[self._column :]
            del self.lines[self._row + 1 :]
        elif values in ("2", "3"):
            self._row, self._column = self._top, 0
            self.lines[self._row :] = [[]]
