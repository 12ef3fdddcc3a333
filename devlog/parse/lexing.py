"""The tokens of Pygments' lexers, found faster.

A `RegexLexer` tries the rules of its current state one after the other: some dozens of matches for each token.
An ordered alternation of the same expressions finds the same first rule in one match. `tokens` walks a lexer's
own table of rules that way. `tests/parse/test_lexing.py` compares the two, lexer by lexer.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from pygments.lexer import ExtendedRegexLexer, Lexer, RegexLexer
from pygments.token import Error, Whitespace, _TokenType

Token = tuple[int, _TokenType, str]
Match = Callable[[str, int], "re.Match[str] | None"]
Rule = tuple[Match, Any, Any]
"""A rule as Pygments keeps it: a compiled expression's `match`, what to do, and the state to go to."""

_EVERYTHING = re.compile(".+", re.DOTALL).match


def accelerated(lexer: Lexer) -> Callable[[str], Iterable[Token]]:
    """A function that does what the lexer's `get_tokens_unprocessed` does. Other lexers are taken as they are."""
    if not isinstance(lexer, RegexLexer) or isinstance(lexer, ExtendedRegexLexer):
        return lexer.get_tokens_unprocessed
    table = {state: _joined(rules) for state, rules in lexer._tokens.items()}  # type: ignore[attr-defined]
    if type(lexer).get_tokens_unprocessed is RegexLexer.get_tokens_unprocessed:
        return partial(_run, lexer, table)

    def run(fast: Lexer, everything: re.Match[str]) -> list[Token]:
        # Callbacks get the original lexer: one that lexes a part of the text starts in other states. What the
        # fast one has noted about the text before its first rule, they find there.
        vars(lexer).update({name: value for name, value in vars(fast).items() if name != "_tokens"})
        return _run(lexer, table, everything.string)

    # To Pygments the fast lexer has a single rule, which matches the whole text. So whatever a lexer does
    # with the tokens of its rules afterwards (C tells types from names) it still does.
    fast = copy.copy(lexer)
    fast._tokens = {"root": [(_EVERYTHING, run, None)]}  # type: ignore[attr-defined]
    return fast.get_tokens_unprocessed


class _Rules:
    """Neighbouring rules as one expression.

    Each alternative ends in an empty group; the number of the last group that took part tells which of them
    matched. (A group around each would hide from the engine with which letters an alternative can begin.)
    """

    __slots__ = ("by_group", "match")

    def __init__(self, rules: Sequence[Rule], flags: int) -> None:
        self.by_group: dict[int | None, Rule] = {}
        parts: list[str] = []
        groups = 0
        for rule in rules:
            pattern = _expression(rule)
            assert pattern is not None
            groups += pattern.groups + 1
            self.by_group[groups] = rule
            parts.append(f"{_scoped(pattern, flags)}()")
        self.match: Match = re.compile("|".join(parts), flags).match


_Step = tuple[Match, "dict[int | None, Rule] | None", Rule | None]

# What an alternation could not hold unchanged: references to groups, and groups with names.
_NOT_JOINABLE = re.compile(r"\\[1-9]|\(\?P|\(\?\(")
_LEADING_FLAGS = re.compile(r"\(\?([aiLmsux]+)\)")
_SCOPED = ((re.IGNORECASE, "i"), (re.MULTILINE, "m"), (re.DOTALL, "s"), (re.VERBOSE, "x"))


def _scoped(pattern: re.Pattern[str], flags: int) -> str:
    """An expression that keeps its own flags inside one with other flags."""
    source = _LEADING_FLAGS.sub("", pattern.pattern, count=1)
    on = "".join(letter for flag, letter in _SCOPED if pattern.flags & flag and not flags & flag)
    off = "".join(letter for flag, letter in _SCOPED if flags & flag and not pattern.flags & flag)
    ending = "\n" if pattern.flags & re.VERBOSE else ""  # ends a comment
    return f"(?{on}{'-' + off if off else ''}:{source}{ending})"


def _expression(rule: Rule) -> re.Pattern[str] | None:
    """The compiled expression of a rule, if it can stand in an alternation."""
    pattern = getattr(rule[0], "__self__", None)
    if not isinstance(pattern, re.Pattern) or _NOT_JOINABLE.search(pattern.pattern):
        return None
    inner = _LEADING_FLAGS.search(pattern.pattern)
    if inner and inner.start() > 0:
        return None
    return pattern if not pattern.flags & (re.ASCII | re.LOCALE) else None


def _joined(rules: Sequence[Rule]) -> tuple[_Step, ...]:
    """The rules of a state with all neighbours joined that can be."""
    steps: list[_Step] = []
    run: list[Rule] = []

    def finish() -> None:
        if len(run) > 1:
            pattern = _expression(run[0])
            joined = _Rules(run, pattern.flags & ~re.UNICODE if pattern else 0)
            steps.append((joined.match, joined.by_group, None))
        else:
            steps.extend((rule[0], None, rule) for rule in run)
        run.clear()

    for rule in rules:
        if _expression(rule) is None:
            finish()
            steps.append((rule[0], None, rule))
        else:
            run.append(rule)
    finish()
    return tuple(steps)


def _run(  # noqa: PLR0912 - one loop, as in Pygments: calls for each token would cost what joining gains
    lexer: Lexer, table: Mapping[str, tuple[_Step, ...]], text: str
) -> list[Token]:
    """The loop of `RegexLexer.get_tokens_unprocessed` over joined rules, from the state ``root``."""
    tokens: list[Token] = []
    add = tokens.append
    position = 0
    stack = ["root"]
    steps = table["root"]
    while True:
        for match, by_group, rule in steps:
            found = match(text, position)
            if not found:
                continue
            if rule is None:
                assert by_group is not None
                exact, action, state = by_group[found.lastindex]
            else:
                exact, action, state = rule
            end = found.end()
            if action is not None:
                if type(action) is _TokenType:
                    add((position, action, text[position:end]))
                else:
                    # A callback reads groups by number, so it gets the match of its own expression.
                    own = found if rule is not None else exact(text, position)
                    tokens.extend(action(lexer, own))
                    end = own.end()  # type: ignore[union-attr]
            position = end
            if state is not None:
                _enter(stack, state)
                steps = table[stack[-1]]
            break
        else:
            if position >= len(text):
                return tokens
            if text[position] == "\n":  # at the end of a line that no rule knows, begin anew
                stack = ["root"]
                steps = table["root"]
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
