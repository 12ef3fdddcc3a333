"""Faster versions of Pygments' lexers, with the same tokens.

A `RegexLexer` tries the rules of its current state one after the other: dozens of matches for each token.
Most of them cannot match at the next character, or only at the start of a line. `_beginnings` derives that from a
regular expression, so that few rules remain to be tried, in the same order. `tests/parse/test_lexing.py` compares
the tokens of both, lexer by lexer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, reduce
from importlib import import_module
from operator import or_
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from pygments.lexer import Lexer, RegexLexer
from pygments.scanner import EndOfText, Scanner
from pygments.token import Error, Whitespace, _TokenType

from devlog.parse.code.missing_ends import Match, frugal

Token = tuple[int, _TokenType, str]
Rule = tuple[Match, Any, Any]
"""A rule as Pygments stores it: the `match` of a compiled expression, an action, and the next state."""

LOOK = 8 * 1024
"""Rules see at least so many characters of what follows, and at most twice as many. Many look for the end of a comment
or a string: where it is missing, they would look through all that follows, again and again."""
_MOST_STILL = 100
"""After so many matches of nothing at one place, a lexer is taken to change its states there without end."""


def accelerated(lexer: Lexer) -> Callable[[str], Iterable[Token]]:
    """The lexer's `get_tokens_unprocessed`, which is faster from now on, unless the lexer has a loop of its own.

    So are the lexers that it makes for parts of its text, or runs for them.
    """
    RegexLexer.get_tokens_unprocessed = _tokens_of  # type: ignore[method-assign,assignment]
    Scanner.scan = _scan  # type: ignore[method-assign,assignment]
    return lexer.get_tokens_unprocessed


plain_tokens: Callable[..., Iterable[Token]] = RegexLexer.get_tokens_unprocessed
plain_scan: Callable[..., bool] = Scanner.scan
"""Pygments' own methods, in the places of which `_tokens_of` and `_scan` are."""


def _tokens_of(lexer: RegexLexer, text: str, stack: Sequence[str] = ("root",)) -> list[Token]:
    """The method of all lexers that have no other loop. Many call it, and postprocess the tokens of their rules."""
    return _run(lexer, _table(lexer), text, stack)


def _table(lexer: Any) -> dict[str, _State]:
    """The rules of a lexer, which most have in common with all of their kind."""
    return _states(lexer._tokens) if "_tokens" in vars(lexer) else _table_of_kind(type(lexer))  # type: ignore[arg-type]


@cache
def _table_of_kind(kind: Any) -> dict[str, _State]:
    return _states(kind._tokens)


def _states(tokens: Mapping[str, Sequence[Rule]]) -> dict[str, _State]:
    return {state: _State(rules) for state, rules in tokens.items()}


@cache
def _match(pattern: str, flags: int) -> Match:
    return frugal(re.compile(pattern, flags).match)


def _scan(scanner: Scanner, pattern: str) -> bool:
    """The method of scanners (Pascal's lexer has one), which looks only once for an end that is missing."""
    if scanner.eos:
        raise EndOfText
    scanner.last = scanner.match
    found = _match(pattern, scanner.flags)(scanner.data, scanner.pos, scanner.data_length)
    if found is None:
        return False
    scanner.start_pos, scanner.pos, scanner.match = found.start(), found.end(), found.group()
    return True


# Positions at which a match can begin, as bits: one for each ASCII character that may come next and one for all other
# characters, the same again for the start of a line, and one for the end of the text, at the start of a line or not.
_ASCII = (1 << 128) - 1
_OTHER = 1 << 128
_END = 1 << 129
_LINE_START = 130  # the shift of the bits for the start of a line
_CHARACTERS = _ASCII | _OTHER
_AT_LINE_START = _CHARACTERS << _LINE_START | _END
_EVERYWHERE = _AT_LINE_START | _CHARACTERS

# The bits of letters and of character classes (\d, \s, \w and their opposites).
_UPPER, _LOWER = (sum(1 << ord(letter) for letter in letters) for letters in (ascii_uppercase, ascii_lowercase))
_CLASSES: dict[str, int] = {}
for _name, _expression in (("DIGIT", r"\d"), ("SPACE", r"\s"), ("WORD", r"\w")):
    _within = sum(1 << code for code in range(128) if re.match(_expression, chr(code)))
    _CLASSES["CATEGORY_" + _name] = _within | _OTHER
    _CLASSES["CATEGORY_NOT_" + _name] = _CHARACTERS & ~_within


class _State(dict[str, tuple[Rule, ...]]):
    """The rules of a state that can match at a character; a key with "\\n" before the character means a line's start.

    Computed lazily: most states are never entered, and few characters begin a token in each.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = rules

    def __missing__(self, key: str) -> tuple[Rule, ...]:
        if key[-1:] > "\x80":  # all characters beyond ASCII share one entry
            return self[key[:-1] + "\x80"]
        place = 1 << ord(key[-1]) if key else _END
        if len(key) > 1:
            place <<= _LINE_START
        possible = (rule for rule in self.rules if _beginnings(getattr(rule[0], "__self__", None)) & place)
        self[key] = tuple((frugal(match), action, state) for match, action, state in possible)
        return self[key]


try:
    _parser = import_module("re._parser")
except ImportError:  # it is not a public module; without it, every rule is tried
    _parser = None  # type: ignore[assignment]


@cache
def _beginnings(pattern: re.Pattern[str] | None) -> int:
    """The positions at which `pattern` can match; unknown cases count as possible."""
    if _parser is None or not isinstance(pattern, re.Pattern):
        return _EVERYWHERE
    begins, empty = _sequence(_parser.parse(pattern.pattern, pattern.flags), pattern.flags)
    return begins | empty


def _sequence(nodes: Iterable[tuple[Any, Any]], flags: int) -> tuple[int, int]:
    """The positions at which a sequence of nodes can consume a first character, and at which it can match nothing."""
    begins, empty = 0, _EVERYWHERE
    for operation, value in nodes:
        its_begins, its_empty = _node(operation.name, value, flags)
        begins |= its_begins & empty
        empty &= its_empty
        if not empty:
            break
    return begins, empty


def _node(operation: str, value: Any, flags: int) -> tuple[int, int]:
    """The result of `_sequence` for one node of a parsed expression."""
    if operation in ("LITERAL", "NOT_LITERAL", "IN", "ANY"):
        characters = _characters(operation, value, flags)
        return characters | characters << _LINE_START, 0
    if operation == "BRANCH":
        branches = [_sequence(branch, flags) for branch in value[1]]
        return reduce(or_, (begins for begins, _ in branches)), reduce(or_, (empty for _, empty in branches))
    if operation == "SUBPATTERN":
        _, on, off, inner = value
        return _sequence(inner, (flags | on) & ~off)
    if operation in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        least, _, inner = value
        begins, empty = _sequence(inner, flags)
        return begins, empty if least else _EVERYWHERE
    if operation in ("AT", "ASSERT", "ASSERT_NOT"):
        return 0, _condition(operation, value, flags)
    return _EVERYWHERE, _EVERYWHERE


def _condition(operation: str, value: Any, flags: int) -> int:
    """The positions at which a node that consumes no characters can match."""
    if operation == "AT":
        return _AT_LINE_START if value.name in ("AT_BEGINNING", "AT_BEGINNING_STRING") else _EVERYWHERE
    direction, inner = value
    if operation == "ASSERT" and direction > 0:
        begins, empty = _sequence(inner, flags)
        return begins | empty
    return _EVERYWHERE


def _characters(operation: str, value: Any, flags: int) -> int:
    """The characters that a node for a single character can match."""
    if operation == "ANY":
        return _CHARACTERS
    items = [(item.name, inner) for item, inner in value] if operation == "IN" else [("LITERAL", value)]
    bits = 0
    for kind, inner in items:
        if kind == "LITERAL":
            bits |= 1 << min(inner, 128)
        elif kind == "RANGE":
            bits |= (2 << min(inner[1], 128)) - (1 << min(inner[0], 128))
        elif kind == "CATEGORY" and inner.name in _CLASSES and not flags & re.ASCII:
            bits |= _CLASSES[inner.name]
        elif kind != "NEGATE":
            return _CHARACTERS
    if operation == "NOT_LITERAL" or ("NEGATE", None) in items:
        bits = _CHARACTERS & ~(bits & _ASCII)
    return _any_case(bits) if flags & re.IGNORECASE else bits


def _any_case(bits: int) -> int:
    """Letters in both cases. Some non-ASCII letters match an ASCII letter: the Kelvin sign matches k."""
    if bits & _OTHER:
        return bits | _UPPER | _LOWER
    upper, lower = bits & _UPPER, bits & _LOWER
    return bits | upper << 32 | lower >> 32 | (_OTHER if upper | lower else 0)


def _run(  # noqa: C901, PLR0912 - one loop, as in Pygments: a call for each token would cost the time saved
    lexer: Lexer, table: Mapping[str, _State], text: str, stack: Sequence[str] = ("root",)
) -> list[Token]:
    """The loop of `RegexLexer.get_tokens_unprocessed`, with fewer rules to try, which see less."""
    tokens: list[Token] = []
    add = tokens.append
    position, size = 0, len(text)
    seen = moved = 0  # the end of what rules see, and where it moves on
    still = 0  # how many matches of nothing came last
    states = list(stack)
    rules = table[states[-1]]
    while True:
        key = ""
        if position < size:
            if position >= moved:
                seen = min(position + 2 * LOOK, size)
                moved = seen - LOOK if seen < size else size
            key = text[position]
            if text[position - 1] == "\n" or not position:
                key = "\n" + key
        for match, action, state in rules[key]:
            found = match(text, position, seen)
            if found is None:
                continue
            end = found.end()
            if end > position:
                still = 0
            elif (still := still + 1) > _MOST_STILL:
                continue
            if type(action) is _TokenType:
                add((position, action, text[position:end]))
            elif action is not None:
                tokens.extend(action(lexer, found))
            position = end
            if state is not None:
                if state == -1 and len(states) > 1:  # the most frequent case, without a call
                    states.pop()
                else:
                    _enter(states, state)
                rules = table[states[-1]]
            break
        else:
            if position >= size:
                return tokens
            if text[position] == "\n":  # at a line break that no rule matches, start again
                states = ["root"]
                rules = table["root"]
                add((position, Whitespace, "\n"))
            else:
                add((position, Error, text[position]))
            position += 1
            still = 0


def _enter(stack: list[str], state: Any) -> None:
    """Enter the next state of a rule: a number pops states, a tuple is a list of steps."""
    if isinstance(state, tuple):
        for step in state:
            if step == "#pop":
                if len(stack) > 1:
                    stack.pop()
            else:
                stack.append(stack[-1] if step == "#push" else step)
    elif isinstance(state, int):
        if abs(state) >= len(stack):
            del stack[1:]
        else:
            del stack[state:]
    else:  # only "#push" remains: names are in tuples
        stack.append(stack[-1])
