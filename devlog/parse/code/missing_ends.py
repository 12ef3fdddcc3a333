"""Rules of lexers that look for the end of a comment or a string only once, if it is missing.

Such a rule, as ``/[*][\\s\\S]*?[*]/``, matches what opens a comment, and then tries its end at each character that
follows. Where none matches, it would look through the same characters from each further opening: the time for lines of
``/*`` grows with the square of their number. But what it has not found after one opening, it cannot find after a later
one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from typing import Any

Match = Callable[[str, int, int], "re.Match[str] | None"]

try:
    _parser = import_module("re._parser")
except ImportError:  # it is not a public module; without it, every rule is left unchanged
    _parser = None  # type: ignore[assignment]

_ANYTHING = re.compile(r"(?:\.|\[\\s\\S\]|\[\\S\\s\]|\[\\w\\W\]|\[\\W\\w\])[*+]\?")
"""How expressions spell out what may stand before an end."""
_DEEPEST = 3
"""The maximum number of groups that an end is in."""


@cache
def frugal(match: Match) -> Match:
    """The `match` of a rule, with the same results; one that remembers where an end is missing, if it looks for one."""
    pattern = getattr(match, "__self__", None)
    opening = _opening(pattern) if isinstance(pattern, re.Pattern) else None
    return _Search(match, opening.match) if opening else match


class _Search:
    """A rule that looks for an end. One call only reads and replaces what is remembered, so threads may share it."""

    def __init__(self, match: Match, opening: Match) -> None:
        self._match, self._opening = match, opening
        self._missed = ("", 0, 0)  # the text, the end of what was seen of it, and from where on no end is there

    def __call__(self, text: str, position: int, seen: int) -> re.Match[str] | None:
        opening = self._opening(text, position, seen)
        if opening is None:
            return None
        missed, end, start = self._missed
        known = missed is text and end == seen
        if known and position >= start:
            return None
        found = self._match(text, position, seen)
        if found is None:
            self._missed = text, seen, min(opening.end(), start) if known else opening.end()
        return found


def _opening(pattern: re.Pattern[str]) -> re.Pattern[str] | None:
    """What an expression matches before it looks for an end; `None` if it does not, or for one that varies."""
    if _parser is None or not _ANYTHING.search(pattern.pattern):
        return None
    nodes = _flat(_parser.parse(pattern.pattern, pattern.flags))
    index = next((index for index, node in enumerate(nodes) if _looks(*node, pattern.flags)), -1)
    if index < 0 or repr(nodes[index + 1 :]) in _ENDS_OF_LINES or "GROUPREF" in repr(nodes[index + 1 :]):
        return None
    for found in _ANYTHING.finditer(pattern.pattern):
        for depth in range(_DEEPEST + 1):
            expression = pattern.pattern[: found.start()] + ")" * depth
            try:
                if repr(_flat(_parser.parse(expression, pattern.flags))) == repr(nodes[:index]):
                    return re.compile(expression, pattern.flags)
            except re.error:  # it is cut in a group or in a set of characters
                continue
    return None


def _flat(nodes: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """The nodes of a sequence, with those of its groups in the place of the groups."""
    flat: list[tuple[Any, Any]] = []
    for operation, value in nodes:
        if operation.name == "SUBPATTERN" and not (value[1] or value[2]):
            flat += _flat(value[3])
        else:
            flat.append((operation, value))
    return flat


_ENDS_OF_LINES = frozenset(repr(list(_parser.parse(end))) for end in (r"\n", "$")) if _parser else frozenset[str]()
"""Ends that are never far: lines have a limit."""


def _looks(operation: Any, value: Any, flags: int) -> bool:
    """Whether a node matches any number of any characters, as few as possible."""
    if operation.name != "MIN_REPEAT" or value[1] is not _parser.MAXREPEAT or len(value[2]) != 1:
        return False
    repeated, characters = value[2][0]
    if repeated.name == "ANY":
        return bool(flags & re.DOTALL)
    if repeated.name != "IN":
        return False
    categories = {inner.name for kind, inner in characters if kind.name == "CATEGORY"}
    return any(name.replace("CATEGORY_", "CATEGORY_NOT_") in categories for name in categories)
