"""A Markdown text that is written block by block, with the line of the notebook from which each line comes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from devlog.features.notebooks.parse.notebook import Line, lines_of
from devlog.parse.code.ansi import with_marks
from devlog.parse.html.tokens import tokens

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]")
_MAY_STAY_OPEN = re.compile(r"^ {0,3}(?:```|~~~|<[!?A-Za-z])", re.MULTILINE)
_BLANK_LINE = re.compile(r"\n(?=[ \t\r]*\n)")
_FENCE = re.compile(r"`{3,}")
_CALL = re.compile(r"\{\{(?=[<%])|\{%")


class MarkdownText:
    """A text that is being written.

    Args:
        html: whether raw HTML is part of it.

    Attributes:
        lines: its lines so far.
        length: about how many characters they have.
    """

    def __init__(self, *, html: bool = True) -> None:
        self._with_html = html
        self.lines: list[Line] = []
        self.length = 0

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(f"{line.text}\n" for line in self.lines)

    @property
    def places(self) -> tuple[int, ...]:
        """For each line, that of the notebook."""
        return tuple(line.at for line in self.lines)

    def add(self, lines: Iterable[Line]) -> None:
        """Add a block, with a blank line before it."""
        self._separate()
        new = [*lines]
        self.lines += new
        self.length += sum(len(line.text) + 1 for line in new)

    def write(self, text: str, at: int) -> None:
        """Add a block that the notebook does not have in these words; `at` is the line that it is about."""
        self.add(Line(line, at) for line in lines_of(text))

    def markdown(self, lines: Sequence[Line]) -> None:
        """Add Markdown that the notebook has in these words, and end what it leaves open."""
        self.add(lines)
        text = "\n".join(line.text for line in lines)
        if _MAY_STAY_OPEN.search(text):
            from devlog.features.notebooks.parse.cell_ends import end_of  # few cells need the parser

            if end := end_of(text, html=self._with_html):
                self.lines.append(Line(end, lines[-1].at))

    def fence(self, info: str, lines: Sequence[Line], at: int) -> None:
        """Add a block of code."""
        longest = max((len(run) for line in lines for run in _FENCE.findall(line.text)), default=2)
        marks = "`" * (longest + 1)
        self.add((Line(f"{marks}{info}", at), *lines, Line(marks, lines[-1].at if lines else at)))

    def html(self, html: str, at: int) -> None:
        """Add a block of raw HTML, which ends at the first blank line, and in which nothing else means anything."""
        whole = "\n".join(line for line in lines_of(_with_visible_blanks(html)) if line.strip())
        self.write(_CALL.sub(lambda call: "".join(f"&#{ord(letter)};" for letter in call[0]), whole), at)

    def _separate(self) -> None:
        if self.lines and self.lines[-1].text:
            self.lines.append(Line("", self.lines[-1].at))


def _with_visible_blanks(html: str) -> str:
    """HTML with references instead of the line breaks before blank lines, where readers see these: in ``<pre>``."""
    if "<pre" not in html.lower() or not _BLANK_LINE.search(html):
        return html
    parts: list[str] = []
    open_pres = done = 0
    for token in tokens(html):
        if token.name == "pre":
            open_pres = open_pres + 1 if token.kind == "start" else max(0, open_pres - 1)
        elif token.kind == "text" and open_pres:
            parts += (html[done : token.start], _BLANK_LINE.sub("&#10;", html[token.start : token.end]))
            done = token.end
    return "".join((*parts, html[done:]))


def printed(text: str) -> list[str]:
    """The lines of an output as a terminal shows them, with their colors.

    Of a line that was written again and again, as by a progress bar, the last version stays.
    """
    lines = _CONTROL.sub("", with_marks(text)).rstrip("\n").split("\n")
    return [line.rstrip("\r").rpartition("\r")[2] for line in lines]
