"""A file that a post includes: its lines and regions, found once for all tags that show parts of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

from devlog.model.included import IncludedText
from devlog.parse.code.recording import text_of

Range = tuple[int, int]
"""The first and the last line of a part of a file, counted from 1."""

_BEGIN = re.compile(r"\W*(?:pragma\s+)?region\b:?")
_END = re.compile(r"\W*(?:pragma\s+)?end\s?region\b")


class Included:
    """A file that a post includes, with what is made of its text once for all tags that show parts of it."""

    def __init__(self, item: IncludedText) -> None:
        """
        Args:
            item: the file.
        """
        self.item = item

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the file."""
        return self.item.text.removesuffix("\n").split("\n") if self.item.text else []

    def length(self, ranges: Sequence[Range]) -> int:
        """The number of characters in some ranges of lines."""
        return sum(self._ends[last] - self._ends[first - 1] for first, last in ranges)

    @cached_property
    def _ends(self) -> list[int]:
        return [0, *accumulate(len(line) + 1 for line in self.lines)]

    @cached_property
    def recorded(self) -> str | None:
        """The text of a recording of a terminal; `None` if the file is none."""
        return text_of(self.item.text)

    def region(self, name: str) -> Range | None:
        """The lines between the comments ``region NAME`` and ``endregion``, as editors fold them; `None` if empty."""
        labels = self._regions.get(_up_to_word(name), {})
        fits = (
            found for label, found in labels.items() if label.startswith(name) and not _WORD.search(label, len(name))
        )
        first, last = next(fits, (1, 0))
        return (first, last) if first <= last else None

    @cached_property
    def _regions(self) -> dict[str, dict[str, Range]]:
        """The lines of the first region with each label, by the label up to its last letter or digit."""
        found: dict[str, dict[str, Range]] = {}
        opened: list[tuple[str, int]] = []
        for number, line in enumerate(self.lines, start=1):
            if _END.match(line):
                label, begin = opened.pop() if opened else ("", 0)
                labels = found.get(_up_to_word(label), {})
                if labels.get(label, (0, 0))[0] == begin + 1:
                    labels[label] = begin + 1, number - 1
            elif begins := _BEGIN.match(line):
                label = line[begins.end() :].lstrip() if line[begins.end() :][:1].isspace() else ""
                opened.append((label, number))
                if label:
                    found.setdefault(_up_to_word(label), {}).setdefault(label, (number + 1, 0))
        return found


_WORD = re.compile(r"\w")
_TO_WORD = re.compile(r".*\w", re.DOTALL)


def _up_to_word(label: str) -> str:
    """A text up to its last letter or digit."""
    found = _TO_WORD.match(label)
    return found[0] if found else ""
