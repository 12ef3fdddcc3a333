r"""Bounds the rules of Pygments' lexers that try all words of a block, or all ways to read it, again and again.

Where a repetition can read the same text in two ways, the time for a text that the whole rule does not match doubles
with each such place: sixty characters take years. ``python -m tests.benchmarks.lexers`` looks for such rules.
"""

from __future__ import annotations

from typing import Any

from pygments.lexer import RegexLexerMeta
from pygments.util import Future

_FRAME = r'^(?=  File "[^"]+", line \d+)'
_LISP_NAME = r"[\w!$%&*+-/<=>?@\[\]^{}~]"
_EMACS_NAME = r"[\w!$%&*+-/<=>?@^{}~|]"

_ESCAPED = (".", r"([\s\S])")
"""What may follow a backslash."""

_REWRITTEN = (
    # At most so many words, modifiers and types, stand before the name of a method (Java, Groovy …).
    (r"\s+)+?)", r"\s+){1,20}?)"),
    # So do at most so many spaces and comments, which have at most so many characters (Objective-J).
    (r"/[*](?:[^*]|[*][^/])*[*]/)*", r"/[*](?:[^*]|[*][^/]){0,200}[*]/){0,100}"),
    # At most so many names are in a list before an equals sign, which is looked for from each of them (Devicetree).
    (r"[a-zA-Z_][\w-]*)*\s*", r"[a-zA-Z_][\w-]*){0,100}\s*"),
    # Of the digits behind a backslash, only the first belongs to it (Fortran, Bash).
    (r"(\\[0-7]+|", r"(\\[0-7]|"),
    (r"(\\\\|\\[0-7]+|\\.|[^", r"(\\.|[^"),
    # A backslash that could also stand for itself (Perl, Objective-J, Racket, reStructuredText).
    *((rf"\\\\|\\{end}|[^{end}]", rf"\\\\|\\{end}|\\[^\\{end}]|[^{end}\\]") for end in '!">'),
    (r'"(\\?.)*?"', r'"(\\.|[^"\\])*"'),
    (r":(?:\\\\|\\:|[^:\n])+:", r":(?:\\.|[^:\n\\])+:"),
    # A backslash at the end of a line continues a comment, always (C).
    (r"//(?:.|(?<=\\)\n)*\n", r"//(?:.|(?<=\\)\n)*(?:(?<!\\)\n|\n\Z)"),
    # The end of a comment in one way, as `missing_ends` knows it (Objective-J, Protocol Buffers, Verilog …).
    *((rf"(\n|{every}*?[^\\]\n)", rf"({every}*?(?<!\\)\n)") for every in (r"[\s\S]", r"[\w\W]")),
    # One repetition in the place of several, and one without a condition, as it knows them (Apache, Groovy, PHP …).
    *(
        (rf"[^{end}\\]*(?:\\{escaped}[^{end}\\]*)*", rf"(?:\\{escaped}|[^{end}\\])*")
        for end in "\"'`"
        for escaped in _ESCAPED
    ),
    (r"((?!/\$).)*/\$", r".*?/\$"),
    (r"(?:(?:\\[^\n]|[^\\])*?\\\n)*?(?:\\.|[^\\])*?", r"(?:\\[\s\S]|[^\\])*?"),
    # Sets of characters that overlap (PHP; Lisp, where the range from + to / contains the dot).
    (r"(?:\w|[^\x00-\x7f])*", r"(?:\w|[^\x00-\x7f\w])*"),
    (rf"{_LISP_NAME}|[#.:])*", rf"{_LISP_NAME}|[#:])*"),
    (rf"{_EMACS_NAME}|[#.:])*", rf"{_EMACS_NAME}|[#:])*"),
    # The first line of a frame (Python), only where the rules that follow match it: else they return here without end.
    (_FRAME, rf'{_FRAME}(?=  File "[^"]+", line \d+(?:, in .+)?\n|[^:]+: .+\n)'),
)
"""What is replaced in rules, and by what."""

_compiled = RegexLexerMeta._process_regex  # type: ignore[attr-defined]


def bound_rules() -> None:
    """Let Pygments rewrite rules before it compiles them, which it does for the first lexer of each kind.

    That reaches the rules that a lexer has from others, and those of lexers for code inside of other code.
    """
    RegexLexerMeta._process_regex = _bounded  # type: ignore[attr-defined]


def _bounded(kind: Any, regex: Any, flags: int, state: str) -> Any:
    expression = str(regex.get()) if isinstance(regex, Future) else regex  # type: ignore[func-returns-value]
    for found, better in _REWRITTEN:
        expression = expression.replace(found, better)
    return _compiled(kind, expression, flags, state)
