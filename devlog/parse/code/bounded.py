"""Bounds the rules of Pygments' lexers that try all words of a block, or all ways to read it, again and again."""

from __future__ import annotations

import copy
import re
from functools import cache
from typing import Any

from pygments.lexer import DelegatingLexer, Lexer, RegexLexer

_WORDS = r"\s+)+?)"
_FEW_WORDS = r"\s+){1,20}?)"
"""So many words, modifiers and types, stand before the name of a method at most."""
_DIGITS = r"(\\[0-7]+|"
_ALL_DIGITS = r"(\\[0-7]+(?![0-7])|"
"""All digits behind a backslash belong to it: with a choice for each, time doubles with each escape (Fortran)."""

_OPEN_ESCAPE = re.compile(r"""\\\\\\\\\|\\\\([!">])\|\[\^\1\]""")
_ESCAPE = r"\\\\\\\\|\\\\\1|\\\\(?![\\\\\1])|[^\1\\\\]"
"""A backslash that could also stand for itself, and one that cannot (Perl, Objective-J)."""

_FRAME = r'^(?=  File "[^"]+", line \d+)'
_WHOLE_FRAME = _FRAME + r'(?=  File "[^"]+", line \d+(?:, in .+)?\n|[^:]+: .+\n)'
"""The first line of a frame, where the rules that follow match it too: or else the lexer returns here without end."""


def bounded(lexer: Lexer) -> Lexer:
    """A lexer that takes linear time where `lexer` looks for a method behind any number of words (Java, Groovy …)."""
    if isinstance(lexer, DelegatingLexer):
        both: Any = copy.copy(lexer)
        both.root_lexer, both.language_lexer = bounded(both.root_lexer), bounded(both.language_lexer)
        return both  # type: ignore[no-any-return]
    kind = _bounded(type(lexer))
    return kind(**lexer.options) if kind is not type(lexer) else lexer


@cache
def _bounded(kind: type[Lexer]) -> type[Lexer]:
    own: Any = vars(kind).get("tokens")
    if not issubclass(kind, RegexLexer) or not isinstance(own, dict):
        return kind
    states = {state: [_rule(rule) for rule in rules] for state, rules in own.items()}
    return type(kind.__name__, (kind,), {"tokens": states}) if states != own else kind


def _rule(rule: Any) -> Any:
    if isinstance(rule, tuple) and isinstance(rule[0], str):
        expression = rule[0].replace(_WORDS, _FEW_WORDS).replace(_DIGITS, _ALL_DIGITS).replace(_FRAME, _WHOLE_FRAME)
        return (_OPEN_ESCAPE.sub(_ESCAPE, expression), *rule[1:])
    return rule
