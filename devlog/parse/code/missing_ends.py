r"""Rules of lexers that look for the end of a comment or a string only once, if it is missing.

Such a rule, as ``/[*][\s\S]*?[*]/`` or ``"(\\.|[^"\\])*"``, matches what opens a comment or a string, then what can be
inside of it, and then its end. Where there is none, it would look through the same characters from each further
opening: the time for lines of ``/*`` or ``\"`` grows with the square of their number. But where all from one opening to
a later one can be inside, an end for the later one would be one for the first as well. Of a rule with several branches,
as ``{.*?}|[(][*].*?[*][)]``, each is such a rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from itertools import dropwhile
from string import printable
from typing import Any, NamedTuple

Match = Callable[[str, int, int], "re.Match[str] | None"]
Nodes = list[tuple[Any, Any]]
"""A part of a parsed expression."""

try:
    _parser, _compiler = import_module("re._parser"), import_module("re._compiler")
except ImportError:  # they are not public modules; without them, every rule is left unchanged
    _parser = _compiler = None  # type: ignore[assignment]


_NEAR = 100
"""A place where an end is missing is remembered for so many characters, even if later ones are found."""


@cache
def frugal(match: Match) -> Match:
    """The `match` of a rule, with the same results; one that remembers where an end is missing, if it looks for one."""
    pattern = getattr(match, "__self__", None)
    if not _parser or not isinstance(pattern, re.Pattern):
        return match
    branches = _branches(pattern)
    if not branches:
        parts = _parts(_Tree(_parser.parse(pattern.pattern, pattern.flags), pattern.flags))
        return _Search(match, parts) if parts else match
    found = [(branch.whole().match, _parts(branch)) for branch in branches]
    if not any(parts for _, parts in found):
        return match
    first, *others = (_Search(one, parts) if parts else one for one, parts in found)

    def match_branches(text: str, position: int, seen: int) -> re.Match[str] | None:
        result = first(text, position, seen)
        for other in others:
            if result is not None:
                break
            result = other(text, position, seen)
        return result

    return match_branches


def _branches(pattern: re.Pattern[str]) -> list[_Tree]:
    """The branches of an expression that consists of nothing else; none for others."""
    parsed = _parser.parse(pattern.pattern, pattern.flags)
    if len(parsed) != 1 or parsed[0][0].name != "BRANCH":
        return []
    return [_Tree(branch, pattern.flags) for branch in parsed[0][1][1]]


class _Parts(NamedTuple):
    """The parts of an expression that looks for an end.

    Attributes:
        opening: matches what comes first.
        ends_once: whether the opening can end at one place only.
        inside: matches what can be inside, or a part of it; if the opening can end at several places, anything, or a
            run of characters behind an opening that is the longest possible.
        repeats: whether the end repeats a part of the opening, so that each opening may have another end.
    """

    opening: re.Pattern[str]
    ends_once: bool
    inside: re.Pattern[str]
    repeats: bool


class _Search:
    """A rule that looks for an end. What it remembers holds for one text, so threads may share it."""

    def __init__(self, match: Match, parts: _Parts) -> None:
        self._match, self._ends_once, self._repeats = match, parts.ends_once, parts.repeats
        self._opening, self._inside = parts.opening.match, parts.inside.fullmatch
        # The text, the end of what was seen of it, and the end of the last opening that has none, for each kind of end.
        self._missed: tuple[str, int, dict[str | Any, int]] = ("", 0, {})

    def __call__(self, text: str, position: int, seen: int) -> re.Match[str] | None:
        missed, end, places = self._missed
        known = missed is text and end == seen
        if not known:
            if found := self._match(text, position, seen):  # the most frequent case
                return found
            places = {}
            self._missed = text, seen, places
        opening = self._opening(text, position, seen)
        if opening is None:
            return None
        kind, place = opening[0] if self._repeats else "", opening.end()
        first = places.pop(kind, seen + 1)
        reached = first <= (place if self._ends_once else position) and self._inside(text, first, place) is not None
        if known and not reached and (found := self._match(text, position, seen)):
            if place - first < _NEAR:
                places[kind] = first
            return found
        places[kind] = place
        return None


def _parts(tree: _Tree) -> _Parts | None:
    """The parts of an expression; `None` for one that looks for no end, or whose parts do not tell."""
    before, repeated, after = tree.split()
    if not repeated or not after:
        return None
    operation, (_, most, inner) = repeated[0]
    once = tree.ends_once(before)
    named = _values("GROUPREF", after) - _groups(after)
    if named and (not once or not named <= _groups(before) or _names(before) & _AROUND):
        return None
    if _names(inner) & _DEPENDENT or _names(tree.nodes) & _DECIDING:
        return None
    if not once and not tree.is_anything(inner) and not (_is_character(inner) and tree.ends_in_run(before)):
        return None
    return _Parts(tree.compiled(before), once, tree.compiled([(operation, (0, most, inner))]), bool(named))


_CHARACTERS = frozenset({"LITERAL", "NOT_LITERAL", "IN", "ANY"})
_AROUND = frozenset({"AT", "ASSERT", "ASSERT_NOT"})
_DEPENDENT = _AROUND | {"GROUPREF"}
"""Nodes that match depending on what is elsewhere."""
_DECIDING = frozenset({"ATOMIC_GROUP", "POSSESSIVE_REPEAT", "GROUPREF_EXISTS"})
"""Nodes with which an expression may not match in every way that it could."""


class _Tree:
    """A parsed expression."""

    def __init__(self, parsed: Any, flags: int) -> None:
        self.nodes: Nodes = list(parsed)
        self._state, self._flags = parsed.state, flags

    def whole(self) -> re.Pattern[str]:
        """The whole expression."""
        return self.compiled(self.nodes)

    def compiled(self, nodes: Nodes) -> re.Pattern[str]:
        """The expression of a part. Its groups have the same numbers as in the whole."""
        return _compiler.compile(_parser.SubPattern(self._state, nodes), self._flags)  # type: ignore[no-any-return]

    def split(self) -> tuple[Nodes, Nodes, Nodes]:
        """What is before the first repetition that looks far, this repetition (empty without one), and what follows.

        The groups that it is in are dissolved.
        """
        return self._split(self.nodes)

    def _split(self, nodes: Nodes) -> tuple[Nodes, Nodes, Nodes]:
        for index, (operation, value) in enumerate(nodes):
            before, after = nodes[:index], nodes[index + 1 :]
            if self._looks_far(operation, value):
                return before, [(operation, value)], after
            if operation.name == "SUBPATTERN" and not (value[1] or value[2]):
                inner_before, repeated, inner_after = self._split(list(value[3]))
                if repeated:
                    return before + inner_before, repeated, inner_after + after
        return nodes, [], []

    def _looks_far(self, operation: Any, value: Any) -> bool:
        """Whether a node matches any number of characters beyond the end of a line, and not only white space."""
        if operation.name not in ("MAX_REPEAT", "MIN_REPEAT") or value[1] is not _parser.MAXREPEAT:
            return False
        match = self.compiled([(operation, value)]).fullmatch
        return any(match(f"{character}\n") for character in printable if not character.isspace())

    def ends_once(self, nodes: Nodes) -> bool:
        """Whether a part can end at one place only: where its length varies, its last character is nowhere else."""
        varying = list(dropwhile(self._is_fixed, nodes))
        if not varying:
            return True
        operation, value = varying[-1]
        while operation.name == "SUBPATTERN" and value[3]:
            operation, value = value[3][-1]
        if operation.name != "LITERAL":
            return False
        others = [node for node in _all(varying) if node[0].name in _CHARACTERS][:-1]
        last = {chr(value), chr(value).swapcase()}
        return not any(self.compiled([node]).match(character) for node in others for character in last)

    def ends_in_run(self, nodes: Nodes) -> bool:
        """Whether a part can end at one place only, but for a greedy run of single characters, which ends anywhere."""
        if not nodes:
            return False
        *first, (operation, value) = nodes
        while operation.name == "SUBPATTERN" and not (value[1] or value[2]) and len(value[3]) == 1:
            operation, value = value[3][0]
        return operation.name == "MAX_REPEAT" and _is_character(value[2]) and self.ends_once(first)

    def is_anything(self, nodes: Nodes) -> bool:
        """Whether a part matches any character."""
        (operation, value), *others = nodes
        if operation.name == "ANY" and not others:
            return bool(self._flags & re.DOTALL)
        names = {name.name for kind, name in value if kind.name == "CATEGORY"} if operation.name == "IN" else set()
        return not others and any(name.replace("CATEGORY_", "CATEGORY_NOT_") in names for name in names)

    def _is_fixed(self, node: tuple[Any, Any]) -> bool:
        least, most = _parser.SubPattern(self._state, [node]).getwidth()
        return bool(least == most)


def _is_character(nodes: Nodes) -> bool:
    """Whether a part matches one character."""
    return len(nodes) == 1 and nodes[0][0].name in _CHARACTERS


def _all(nodes: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    """All nodes of a part, at all levels."""
    for operation, value in nodes:
        yield operation, value
        if operation.name == "BRANCH":
            for branch in value[1]:
                yield from _all(branch)
        elif isinstance(value, _parser.SubPattern):
            yield from _all(value)
        elif isinstance(value, tuple) and isinstance(value[-1], _parser.SubPattern):
            yield from _all(value[-1])


def _names(nodes: Iterable[tuple[Any, Any]]) -> set[str]:
    return {operation.name for operation, _ in _all(nodes)}


def _values(name: str, nodes: Iterable[tuple[Any, Any]]) -> set[Any]:
    return {value for operation, value in _all(nodes) if operation.name == name}


def _groups(nodes: Iterable[tuple[Any, Any]]) -> set[Any]:
    """The numbers of the groups in a part."""
    return {value[0] for operation, value in _all(nodes) if operation.name == "SUBPATTERN"}
