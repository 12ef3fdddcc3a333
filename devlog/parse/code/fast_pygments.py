"""The tokens of Pygments' lexers, found faster.

A `RegexLexer` tries the rules of its current state one after the other: some dozens of matches for each token.
Most of them cannot begin with the character that comes next, or only at the start of a line. `_beginnings` reads
that off an expression, so that few rules are left to try, in the same order. `tests/parse/test_lexing.py` compares
the tokens of both, lexer by lexer.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial, reduce
from importlib import import_module
from operator import or_
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from pygments.lexer import DelegatingLexer, ExtendedRegexLexer, Lexer, RegexLexer
from pygments.token import Error, Whitespace, _TokenType

Token = tuple[int, _TokenType, str]
Match = Callable[[str, int], "re.Match[str] | None"]
Rule = tuple[Match, Any, Any]
"""A rule as Pygments keeps it: a compiled expression's `match`, what to do, and the state to go to."""

_EVERYTHING = re.compile(".+", re.DOTALL).match


def accelerated(lexer: Lexer) -> Callable[[str], Iterable[Token]]:
    """A function that does what the lexer's `get_tokens_unprocessed` does. Other lexers are taken as they are."""
    return _fast(lexer).get_tokens_unprocessed  # type: ignore[no-any-return]


def _fast(lexer: Lexer) -> Any:
    """A copy of the lexer that is faster, itself or in the lexers it hands parts of the text to."""
    fast: Any = copy.copy(lexer)
    if isinstance(lexer, DelegatingLexer):
        fast.root_lexer, fast.language_lexer = _fast(fast.root_lexer), _fast(fast.language_lexer)
    elif hasattr(lexer, "_innerLexerCls"):  # what is typed after the prompt of a shell
        inner = _fast(lexer._innerLexerCls(**lexer.options))
        fast._innerLexerCls = lambda **_: inner
    elif isinstance(lexer, RegexLexer) and not isinstance(lexer, ExtendedRegexLexer):
        _replace_loop(fast, lexer)
    return fast


def _replace_loop(fast: Any, lexer: RegexLexer) -> None:
    """Make the copy `fast` use `_run`. Callbacks get it too, so that what they lex again is lexed fast."""
    table = {state: _State(rules) for state, rules in fast._tokens.items()}
    method: Any = type(lexer).get_tokens_unprocessed
    if method is RegexLexer.get_tokens_unprocessed:
        fast.get_tokens_unprocessed = partial(_run, fast, table)
        return

    # To Pygments this lexer has a single rule, which matches the whole text. So whatever a lexer does with the
    # tokens of its rules afterwards (C tells types from names) it still does.
    def run(fast: Lexer, everything: re.Match[str]) -> list[Token]:
        return _run(fast, table, everything.string)

    def get_tokens_unprocessed(text: str, stack: Sequence[str] = ("root",)) -> Iterable[Token]:
        if tuple(stack) == ("root",):
            return method(fast, text)  # type: ignore[no-any-return]
        return method(lexer, text, stack)  # type: ignore[no-any-return]

    fast._tokens = {"root": [(_EVERYTHING, run, None)]}
    fast.get_tokens_unprocessed = get_tokens_unprocessed


# Where a match can begin, as bits: one for each ASCII character that may come next and one for all other characters,
# the same once more for the start of a line, and one for the end of the text, whether or not that starts a line.
_ASCII = (1 << 128) - 1
_OTHER = 1 << 128
_END = 1 << 129
_LINE_START = 130  # by how much to shift
_CHARACTERS = _ASCII | _OTHER
_AT_LINE_START = _CHARACTERS << _LINE_START | _END
_EVERYWHERE = _AT_LINE_START | _CHARACTERS

# In which of them the letters and the classes of characters (\d, \s, \w and their opposites) are.
_UPPER, _LOWER = (sum(1 << ord(letter) for letter in letters) for letters in (ascii_uppercase, ascii_lowercase))
_CLASSES: dict[str, int] = {}
for _name, _expression in (("DIGIT", r"\d"), ("SPACE", r"\s"), ("WORD", r"\w")):
    _within = sum(1 << code for code in range(128) if re.match(_expression, chr(code)))
    _CLASSES["CATEGORY_" + _name] = _within | _OTHER
    _CLASSES["CATEGORY_NOT_" + _name] = _CHARACTERS & ~_within


class _State(dict[str, tuple[Rule, ...]]):
    """The rules of a state that can match where a character comes next; "\\n" before it stands for a line's start.

    Worked out as characters come up: most states are never entered, and few characters begin a token in each.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = rules

    def __missing__(self, key: str) -> tuple[Rule, ...]:
        if key[-1:] > "\x80":  # all characters beyond ASCII share one entry
            return self[key[:-1] + "\x80"]
        place = 1 << ord(key[-1]) if key else _END
        if len(key) > 1:
            place <<= _LINE_START
        self[key] = tuple(rule for rule in self.rules if _beginnings(getattr(rule[0], "__self__", None)) & place)
        return self[key]


try:
    _parser = import_module("re._parser")
except ImportError:  # it is no public module; without it every rule is tried
    _parser = None  # type: ignore[assignment]


@cache
def _beginnings(pattern: re.Pattern[str] | None) -> int:
    """Where `pattern` can match, or may: what is not known counts as possible."""
    if _parser is None or not isinstance(pattern, re.Pattern):
        return _EVERYWHERE
    begins, empty = _sequence(_parser.parse(pattern.pattern, pattern.flags), pattern.flags)
    return begins | empty


def _sequence(nodes: Iterable[tuple[Any, Any]], flags: int) -> tuple[int, int]:
    """Where nodes in a row can take a first character, and where they can do without one."""
    begins, empty = 0, _EVERYWHERE
    for operation, value in nodes:
        its_begins, its_empty = _node(operation.name, value, flags)
        begins |= its_begins & empty
        empty &= its_empty
        if not empty:
            break
    return begins, empty


def _node(operation: str, value: Any, flags: int) -> tuple[int, int]:
    """What `_sequence` tells, for one node of a parsed expression."""
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
    """Where a node that takes no characters can hold."""
    if operation == "AT":
        return _AT_LINE_START if value.name in ("AT_BEGINNING", "AT_BEGINNING_STRING") else _EVERYWHERE
    direction, inner = value
    if operation == "ASSERT" and direction > 0:
        begins, empty = _sequence(inner, flags)
        return begins | empty
    return _EVERYWHERE


def _characters(operation: str, value: Any, flags: int) -> int:
    """The characters that a node for a single one stands for."""
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
    """Letters in both cases. Some beyond ASCII count as one within: the sign for Kelvin is a k."""
    if bits & _OTHER:
        return bits | _UPPER | _LOWER
    upper, lower = bits & _UPPER, bits & _LOWER
    return bits | upper << 32 | lower >> 32 | (_OTHER if upper | lower else 0)


def _run(  # noqa: PLR0912 - one loop, as in Pygments: calls for each token would cost what it gains
    lexer: Lexer, table: Mapping[str, _State], text: str, stack: Sequence[str] = ("root",)
) -> list[Token]:
    """The loop of `RegexLexer.get_tokens_unprocessed`, with fewer rules to try."""
    tokens: list[Token] = []
    add = tokens.append
    position, size = 0, len(text)
    states = list(stack)
    rules = table[states[-1]]
    while True:
        key = ""
        if position < size:
            key = text[position]
            if text[position - 1] == "\n" or not position:
                key = "\n" + key
        for match, action, state in rules[key]:
            found = match(text, position)
            if found is None:
                continue
            end = found.end()
            if type(action) is _TokenType:
                add((position, action, text[position:end]))
            elif action is not None:
                tokens.extend(action(lexer, found))
            position = end
            if state is not None:
                if state == -1 and len(states) > 1:  # the most frequent way to go, spared a call
                    states.pop()
                else:
                    _enter(states, state)
                rules = table[states[-1]]
            break
        else:
            if position >= size:
                return tokens
            if text[position] == "\n":  # at the end of a line that no rule knows, begin anew
                states = ["root"]
                rules = table["root"]
                add((position, Whitespace, "\n"))
            else:
                add((position, Error, text[position]))
            position += 1


def _enter(stack: list[str], state: Any) -> None:
    """Go to a state as a rule says: a number pops, a tuple is a list of steps."""
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
    else:  # only "#push" is left: names come in tuples
        stack.append(stack[-1])
