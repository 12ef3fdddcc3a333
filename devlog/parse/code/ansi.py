"""Converts terminal escape sequences for colors in code to classes of the theme.

A class names a color, and the theme defines it, so that all colors are readable on a light and on a dark background.
Each of the many colors of terminals becomes the nearest of seven. All other sequences (cursor, title, links) are
removed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from operator import itemgetter

import msgspec

ESCAPE = "␛"
"""The replacement of the escape character in a text, since feeds must not contain the real one."""
BELL = "␇"
"""The replacement of a bell that ends a sequence; feeds must not contain that either."""

_BEGINNING = re.compile("\x1b(?:(\\][^\n\x07\x1b]{0,400})\x07)?")
_WRITTEN = r"\\(?:e|E|033|x1[bB]|u001[bB])"
# Sequences for settings end with a letter; titles and links end with a bell or with a sequence of their own.
_END = rf"(?:{BELL}|\\a|\\007|\\x07|(?:{ESCAPE}|{_WRITTEN})\\\\?)"
_STRING = rf"[^\n{BELL}{ESCAPE}\\]{{0,400}}{_END}"
_CONTROL = rf"(?:\[([0-9;:]{{0,64}})([@-~])|\[[0-9;:<=>?]{{0,64}}[ -/]{{0,4}}[@-~]|\]{_STRING})"
# Strings for terminals, character sets (as in what `tput sgr0` prints), and modes: spelled out, “\e7” may be a path.
_REST = rf"{ESCAPE}(?:[PX^_k]{_STRING}|[()*+][0-9A-Z]|[=>78])?"
_SYMBOL = re.compile(rf"{ESCAPE}{_CONTROL}|{_REST}")
_EITHER = re.compile(rf"(?:{ESCAPE}|{_WRITTEN}){_CONTROL}|{_REST}")
# Prompts, by which a line that was typed is distinguished from output.
_PLACE = r"(?:\[[^\]\n]{1,80}\]|[\w.-]{1,40}@[\w.-]{1,60}(?:[: ]\S{1,80})?|sh[\w.-]{0,10})?"
_TYPED = re.compile(rf"(?:\(\S{{1,40}}\) ?)?{_PLACE} ?[$#%>] ")
_PROMPT = re.compile(r"[$#%>] ")

_COLORS = ("", "red", "green", "yellow", "blue", "magenta", "cyan", "")
"""The names of the first eight colors. Black and white become the text color, since each needs one background."""


class Style(msgspec.Struct, frozen=True):
    """The style of text; `paper` is its background color."""

    color: str = ""
    paper: str = ""
    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    strike: bool = False
    reverse: bool = False

    @property
    def classes(self) -> str:
        """The classes of a span, separated by spaces; empty for plain text."""
        color, paper = self.color, self.paper
        if self.reverse:
            color, paper = paper, color or "grey"
        names = (
            f"ansi-{color}" if color else "",
            f"ansi-on-{paper}" if paper else "",
            *(f"ansi-{name}" for name in ("bold", "dim", "italic", "underline", "strike") if getattr(self, name)),
        )
        return " ".join(name for name in names if name)


Changes = tuple[tuple[int, str], ...]
"""Offsets in a text, in order, each with the classes that apply from there on."""

Painted = tuple[str, Changes]
"""Text without escape sequences, and its changes of style."""


def with_marks(text: str, is_code: Callable[[int], bool] | None = None) -> str:
    """A text with `ESCAPE` and `BELL` for the characters that begin and end the sequences of terminals.

    Args:
        text: the text. Its length stays.
        is_code: whether code is at an offset; if given, sequences elsewhere stay as they are.
    """

    def mark(found: re.Match[str]) -> str:
        if is_code and not is_code(found.start()):
            return found[0]
        return ESCAPE if found[1] is None else f"{ESCAPE}{found[1]}{BELL}"

    return _BEGINNING.sub(mark, text) if "\x1b" in text else text


def paint(code: str, *, written: bool = True, typed: bool = False) -> Painted:
    """Remove the escape sequences from a text.

    Args:
        code: the text, in which `ESCAPE` replaces the escape character.
        written: whether to interpret sequences that are spelled out, such as ``\\e[31m`` or ``\\033[31m``.
        typed: whether lines may begin with a prompt: spelled-out sequences after a prompt were typed, and stay.

    Returns:
        The remaining text, and its changes of style.
    """
    if ESCAPE not in code and not (written and "\\" in code):
        return code, ()
    pattern = _EITHER if written else _SYMBOL
    parts: list[str] = []
    changes: list[tuple[int, str]] = []
    style, length = Style(), 0
    for line in code.splitlines(keepends=True):
        kept_from = _command_start(line, pattern) if typed and written else len(line)
        done = 0
        for found in pattern.finditer(line):
            if found.start() >= kept_from and not found[0].startswith(ESCAPE):
                continue
            parts.append(line[done : found.start()])
            length += found.start() - done
            done = found.end()
            if found[2] == "m":
                style = _apply(style, found[1])
                changes.append((length, style.classes))
        parts.append(line[done:])
        length += len(line) - done
    return "".join(parts), tuple(changes)


def _command_start(line: str, pattern: re.Pattern[str]) -> int:
    """The offset at which a typed command begins on a line; the line's length if it is output of a program."""
    if not _TYPED.match(pattern.sub("", line)):
        return len(line)
    prompt = _PROMPT.search(line)
    return prompt.end() if prompt else len(line)


def _apply(style: Style, numbers: str) -> Style:
    """The style after a sequence that changes it."""
    codes = [int(code or 0) % 1000 for code in re.split("[;:]", numbers.replace(":2::", ":2:"))]
    position = 0
    while position < len(codes):
        code = codes[position]
        if code in (38, 48, 58):  # the color of text, of the background, of underlines
            color, position = _extended(codes, position + 1, paper=code == 48)
            if code != 58:
                style = msgspec.structs.replace(style, **{"color" if code == 38 else "paper": color})
            continue
        style = _set(style, code)
        position += 1
    return style


_SWITCHES: dict[int, dict[str, bool]] = {
    1: {"bold": True},
    2: {"dim": True},
    3: {"italic": True},
    4: {"underline": True},
    7: {"reverse": True},
    9: {"strike": True},
    21: {"underline": True},
    22: {"bold": False, "dim": False},
    23: {"italic": False},
    24: {"underline": False},
    27: {"reverse": False},
    29: {"strike": False},
}


def _set(style: Style, code: int) -> Style:
    if code == 0:
        return Style()
    if code in _SWITCHES:
        return msgspec.structs.replace(style, **_SWITCHES[code])
    tens, ones = divmod(code, 10)
    if tens in (3, 9) and ones != 8:
        return msgspec.structs.replace(style, color=_basic(ones, bright=tens == 9) if ones < 8 else "")
    if tens in (4, 10) and ones != 8:
        return msgspec.structs.replace(style, paper=_basic(ones, bright=tens == 10, paper=True) if ones < 8 else "")
    return style


def _basic(number: int, *, bright: bool, paper: bool = False) -> str:
    """The name of one of the first sixteen colors."""
    if paper:
        return _COLORS[number] or "grey"
    return "grey" if bright and number == 0 else _COLORS[number]


def _extended(codes: list[int], position: int, *, paper: bool) -> tuple[str, int]:
    """The name of a color from the larger palettes, and the position after its numbers."""
    mode = codes[position] if position < len(codes) else 0
    if mode == 5:
        number = codes[position + 1] if position + 1 < len(codes) else 0
        return _indexed(number, paper=paper), position + 2
    if mode == 2:
        red, green, blue = (*codes[position + 1 : position + 4], 0, 0, 0)[:3]
        return _nearest(red, green, blue, paper=paper), position + 4
    return "", position + 1


def _indexed(number: int, *, paper: bool) -> str:
    if number < 16:
        return _basic(number % 8, bright=number > 7, paper=paper)
    if number > 231:
        grey = min(number - 232, 23) * 10 + 8
        return _nearest(grey, grey, grey, paper=paper)
    levels = (0, 95, 135, 175, 215, 255)
    number -= 16
    return _nearest(levels[number // 36], levels[number // 6 % 6], levels[number % 6], paper=paper)


_HUES = ((20, "red"), (70, "yellow"), (165, "green"), (200, "cyan"), (265, "blue"), (345, "magenta"), (361, "red"))


def _nearest(red: int, green: int, blue: int, *, paper: bool) -> str:
    """The name of the nearest color by hue; colors without a hue become grey, or the text color."""
    most, least = max(red, green, blue), min(red, green, blue)
    if most - least < 40:
        return "grey" if paper or 64 <= most <= 190 else ""
    spread = most - least
    if most == red:
        hue = 60 * (green - blue) / spread % 360
    elif most == green:
        hue = 60 * (blue - red) / spread + 120
    else:
        hue = 60 * (red - green) / spread + 240
    return next(name for limit, name in _HUES if hue < limit)


def spans(text: str, start: int, changes: Changes) -> Iterator[tuple[str, str]]:
    """Split a piece of text at its changes of style; each part comes with its classes.

    Args:
        text: the piece.
        start: its offset in the whole text.
        changes: the changes of the whole text, as returned by `paint`.
    """
    index = bisect_right(changes, start, key=itemgetter(0))
    classes = changes[index - 1][1] if index else ""
    position, end = start, start + len(text)
    while index < len(changes) and changes[index][0] < end:
        place, new = changes[index]
        if place > position:
            yield text[position - start : place - start], classes
        position, classes, index = place, new, index + 1
    yield text[position - start :], classes
