"""Finds the marks of emphasis in Markdown without parsing it: those that have a partner, as in CommonMark."""

from __future__ import annotations

import re
import unicodedata

# A run of marks, or the end of what a paragraph can be.
_RUN = re.compile(r"\*+|_+|~~+|\n(?=[ \t>]*(?:\n|[-+*][ \t]|[#|]|\d{1,9}[.)][ \t]))")


def without_emphasis(text: str, instead: str) -> str:
    """A text in which each mark of emphasis is replaced; those that are shown, as in ``obj._private``, stay.

    Args:
        text: Markdown without code.
        instead: a character.
    """
    if "*" not in text and "_" not in text and "~~" not in text:
        return text
    found, paragraph = list[tuple[int, int]](), _Paragraph()
    for match in _RUN.finditer(text):
        if match[0] == "\n":
            found += paragraph.marks
            paragraph = _Paragraph()
        else:
            paragraph.add(_Run(text, match))
    shown, at = list[str](), 0
    for start, end in sorted([*found, *paragraph.marks]):
        shown += (text[at:start], instead * (end - start))
        at = end
    return "".join([*shown, text[at:]])


class _Run:
    """Marks of one kind, as in ``**``: those that have no partner yet, and whether they open and close emphasis."""

    __slots__ = ("closes", "end", "kind", "length", "opens", "start")

    def __init__(self, text: str, match: re.Match[str]) -> None:
        self.start, self.end = match.span()
        self.kind = match[0][0]
        self.length = self.end - self.start
        before, after = text[self.start - 1 : self.start] or " ", text[self.end : self.end + 1] or " "
        is_end, is_start = _is_punctuation(before), _is_punctuation(after)
        left = not after.isspace() and (not is_start or before.isspace() or is_end)
        right = not before.isspace() and (not is_end or after.isspace() or is_start)
        inside = self.kind == "_" and left and right
        self.opens = left and (not inside or is_end)
        self.closes = right and (not inside or is_start)

    def fits(self, closing: _Run) -> bool:
        """Whether two runs may be partners: as in `x*y**2`, not if their lengths differ and one could be either."""
        is_either = (self.opens and self.closes) or (closing.opens and closing.closes)
        return not is_either or (self.length + closing.length) % 3 > 0 or self.length % 3 == closing.length % 3 == 0


class _Paragraph:
    """Pairs the runs of a paragraph.

    Attributes:
        marks: the ranges of the marks that have a partner.
    """

    def __init__(self) -> None:
        self.marks: list[tuple[int, int]] = []
        self._openers: dict[str, list[_Run]] = {"*": [], "_": [], "~": []}
        self._fruitless: dict[tuple[str, bool, int], int] = {}  # before which offsets nothing fits such a run

    def add(self, run: _Run) -> None:
        """Pair a run with those before it, and keep what is left of it for those behind it."""
        while run.closes and run.start < run.end and (opener := self._partner(run)):
            used = min(opener.end - opener.start, run.end - run.start)
            opener.end -= used
            self.marks += ((opener.end, opener.end + used), (run.start, run.start + used))
            run.start += used
            for known in self._openers.values():  # what begins inside ends inside
                while known and known[-1].start > opener.start:
                    known.pop()
            if opener.start == opener.end:
                self._openers[run.kind].pop()
        if run.opens and run.start < run.end:
            self._openers[run.kind].append(run)

    def _partner(self, run: _Run) -> _Run | None:
        key = (run.kind, run.opens, run.length % 3)
        for opener in reversed(self._openers[run.kind]):
            if opener.start < self._fruitless.get(key, 0):
                break
            if opener.fits(run):
                return opener
        self._fruitless[key] = run.start
        return None


def _is_punctuation(character: str) -> bool:
    return not character.isalnum() and unicodedata.category(character)[0] in "PS"
