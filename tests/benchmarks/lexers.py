"""Looks for rules of Pygments' lexers that never end: ``python -m tests.benchmarks.lexers``.

A repetition that can read a text in two ways takes twice the time for each more such text, where what follows does not
match. This makes short texts that each part of a repetition matches, repeats them behind what leads to it, and measures
a processor's time, which no test may assert. It takes a few minutes; run it for a new version of Pygments.
`devlog/parse/code/bounded.py` rewrites what it finds.
"""

from __future__ import annotations

import random
import re
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from itertools import islice
from typing import Any

from pygments.lexer import DelegatingLexer, Lexer, RegexLexer

from devlog.parse.code.highlight import _ALIASES, LANGUAGES, new_lexer

from .report import say

_parser: Any = import_module("re._parser")
_compiler: Any = import_module("re._compiler")

LONG = 0.05
"""The seconds that `FEW` repetitions must take to be tried once more."""
FEW, MORE = 28, 34
GROWS = 4.0
_CHARACTERS = "a0\\\"'\n .-=({[<:;,!#$%&*/?@A_1x`|~^u\u00e9"
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT")
_random = random.Random(1)

Nodes = Sequence[tuple[Any, Any]]


class _LateError(Exception):
    """The time is up."""


def main() -> None:
    """Look through all rules."""
    signal.signal(signal.SIGVTALRM, _stop)
    seen: set[tuple[str, int]] = set()
    kinds: set[type[Lexer]] = set()
    for language in sorted({_ALIASES.get(name, name) for name in LANGUAGES}):
        for name, pattern in _patterns(new_lexer(language), kinds):
            if (pattern.pattern, pattern.flags) not in seen:
                seen.add((pattern.pattern, pattern.flags))
                if text := _endless(pattern):
                    say(f"{name}: {text!r} for {pattern.pattern!r}")
    say(f"{len(seen)} rules")


def _patterns(lexer: Any, kinds: set[type[Lexer]]) -> Iterator[tuple[str, re.Pattern[str]]]:
    """The expressions of a lexer and of those that it runs."""
    if type(lexer) in kinds:
        return
    kinds.add(type(lexer))
    if isinstance(lexer, DelegatingLexer):
        both: Any = lexer
        yield from _patterns(both.root_lexer, kinds)
        yield from _patterns(both.language_lexer, kinds)
    if hasattr(lexer, "_innerLexerCls"):
        yield from _patterns(lexer._innerLexerCls(**lexer.options), kinds)
    if isinstance(lexer, RegexLexer):
        for rules in lexer._tokens.values():  # type: ignore[attr-defined]
            for match, _, _ in rules:
                if isinstance(found := getattr(match, "__self__", None), re.Pattern):
                    yield type(lexer).__name__, found


def _endless(pattern: re.Pattern[str]) -> str:
    """A text for which an expression takes more than four times the time if it is a fifth longer; empty without one."""
    tree = _parser.parse(pattern.pattern, pattern.flags)
    for before, repeated in islice(_repetitions(tree, pattern.flags, [""]), 40):
        found = [text for text in _samples(repeated, pattern.flags, 30) if text]
        pairs = [first + second for first in found[:8] for second in found[:8]]
        for text in list(dict.fromkeys(found + pairs))[:80]:
            for start in before[:2]:
                for end in ("", "\n", "\x00", "\\"):
                    short, long = (f"{start}{text * count}{end}" for count in (FEW, MORE))
                    took = _time(lambda text=short: pattern.match(text), 0.5)  # type: ignore[misc]
                    if took > LONG and _time(lambda text=long: pattern.match(text), 3) > GROWS * took:  # type: ignore[misc]
                        return long
    return ""


def _time(function: Callable[[], object], limit: float) -> float:
    signal.setitimer(signal.ITIMER_VIRTUAL, limit)
    begin = time.process_time()
    try:
        function()
    except _LateError:
        return limit
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.process_time() - begin


def _stop(*_: object) -> None:
    raise _LateError


def _repetitions(nodes: Nodes, flags: int, before: list[str]) -> Iterator[tuple[list[str], Nodes]]:
    """What repetitions without end repeat, at all levels, and texts that lead there."""
    for index, (operation, value) in enumerate(nodes):
        lead = [first + second for first in before for second in _samples(list(nodes)[:index], flags, 3)][:4]
        inner = _inner(operation.name, value)
        if operation.name in _REPEATS and value[1] > 50:
            yield lead, value[2]
        for part in inner:
            yield from _repetitions(part, flags, lead)


def _inner(name: str, value: Any) -> list[Nodes]:
    if name in _REPEATS:
        return [value[2]]
    if name == "SUBPATTERN":
        return [value[3]]
    if name == "BRANCH":
        return list(value[1])
    return [value[1]] if name in ("ASSERT", "ASSERT_NOT") else []


def _samples(nodes: Nodes, flags: int, most: int = 12) -> list[str]:
    """Texts that a sequence matches, if no condition forbids them."""
    found = [""]
    for operation, value in nodes:
        texts = [text for text in _samples_of(operation, value, flags) if len(text) < 12]
        found = [first + second for first in found for second in dict.fromkeys(texts or [""])]
        found = _random.sample(found, most) if len(found) > most else found
    return list(dict.fromkeys(found))


def _samples_of(operation: Any, value: Any, flags: int) -> Iterable[str]:
    name = operation.name
    if name in ("LITERAL", "NOT_LITERAL", "IN", "ANY"):
        return _characters(operation, value, flags)
    if name in _REPEATS:
        inner = _samples(value[2], flags, 8)
        more = [text * (value[0] + 1) for text in inner] if value[1] > value[0] else []
        return [text * value[0] for text in inner[:4]] + more
    if name == "BRANCH":
        return [text for branch in value[1] for text in _samples(branch, flags, 6)]
    return _samples(value[3], flags) if name == "SUBPATTERN" else [""]


def _characters(operation: Any, value: Any, flags: int) -> list[str]:
    one = _compiler.compile(_parser.SubPattern(_parser.State(), [(operation, value)]), flags & re.DOTALL)
    characters = [*_CHARACTERS, *(chr(value) for value in [value] if isinstance(value, int))]
    if operation.name == "IN":
        characters += [chr(code) for kind, code in value if kind.name == "LITERAL"]
        characters += [chr(code[0]) for kind, code in value if kind.name == "RANGE"]
    return [character for character in dict.fromkeys(characters) if one.fullmatch(character)]


if __name__ == "__main__":
    main()
