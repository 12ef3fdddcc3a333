"""Finds the definitions in a source file by the form of its lines: functions, types, macros, and values of modules.

No language is parsed. In most languages, a line with a definition begins with one of a few keywords. If it does not, as
with functions in C, it begins at the left margin, and does not end like a statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

MOST = 5_000
"""The maximum number of names in a file; files with more are generated."""

_LONGEST = 80  # names in posts are not longer
_WORD = rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*"
_NAME = rb"(?P<name>%s)" % _WORD
_OTHER = rb"(?P<other>%s)" % _WORD


def _words(before: bytes, words: bytes, between: bytes = rb"[ \t]+") -> bytes:
    """The pattern of a line on which keywords come before a name."""
    return rb"[ \t]*(?:%s)(?:%s)%s%s" % (before, words, between, _NAME)


def _lines(*patterns: bytes) -> re.Pattern[bytes]:
    """A pattern that finds lines. It begins with the line break before, for which the search is fastest."""
    return re.compile(rb"\n(?:%s)" % b"|".join(patterns))


_ASSIGNED = rb"%s[ \t]*(?::[^=\n]{1,200})?=(?!=)" % _OTHER
_PYTHON = _lines(_words(rb"(?:async[ \t]+)?", rb"def|class"), _ASSIGNED)

_ATTRIBUTES = (
    rb"(?:[A-Z_0-9]+(?:\([^()\n]{0,100}\))?[ \t]+|alignas\([^()\n]{0,100}\)[ \t]+|\[\[[^\]\n]{0,100}\]\][ \t]+)?"
)
_MADE = rb"(?=[ \t]*(?:final[ \t]*)?(?:<[^\n;]{0,200}>[ \t]*)?(?:[:{/]|\n|\Z))"  # otherwise it is only used here
_TYPES = rb"[ \t]*(?:typedef[ \t]+)?(?:class|struct|union|enum(?:[ \t]+(?:class|struct))?|concept)[ \t]+%s%s%s" % (
    _ATTRIBUTES,
    _NAME,
    _MADE,
)
_MACRO = rb"[ \t]*#[ \t]*define[ \t]+%s" % _OTHER
_USING = rb"[ \t]*using[ \t]+(?P<alias>%s)[ \t]*=" % _WORD
_FUNCTION = (
    rb"(?!(?:return|else|if|while|for|switch|case|using|typedef|namespace|goto|delete|throw|class|struct)\b)"
    rb"(?:[A-Za-z_][\w:<>,*&]*[ \t]+[*&]*){1,8}(?:[A-Za-z_]\w*::){0,4}(?P<function>~?[A-Za-z_]\w*)\("
    rb"(?=[^;{\n]*(?:[\n{]|\Z))"
)
_C = _lines(_TYPES, _MACRO, _USING, _FUNCTION)

_RUST = _lines(
    _words(
        rb"(?:pub(?:\([^()\n]{1,60}\))?[ \t]+)?"
        rb"(?:(?:async|const|unsafe|default|extern(?:[ \t]+\"[^\"\n]{0,20}\")?)[ \t]+)*",
        rb"fn|struct|enum|trait|type|union|mod|static(?:[ \t]+mut)?",
    ),
    rb"[ \t]*(?:pub[ \t]+)?(?:const)[ \t]+%s" % _OTHER,
    rb"[ \t]*macro_rules![ \t]*(?P<macro>%s)" % _WORD,
)
_GO = _lines(
    rb"func[ \t]+(?:\([^()\n]{1,100}\)[ \t]*)?%s" % _NAME,
    rb"(?:type|var|const)[ \t]+%s" % _OTHER,
)
_SCRIPT = _lines(
    _words(
        rb"(?:export[ \t]+)?(?:default[ \t]+)?(?:declare[ \t]+)?(?:abstract[ \t]+)?(?:async[ \t]+)?"
        rb"(?:const[ \t]+(?=enum))?",
        rb"function(?:[ \t]*\*)?|class|interface|enum|type|namespace",
        rb"[ \t]*(?<=[ \t*])",
    ),
    rb"(?:export[ \t]+)?(?:const|let|var)[ \t]+%s" % _OTHER,
)
_MODIFIERS = (
    rb"(?:(?:public|private|protected|internal|static|final|abstract|sealed|open|override|inline|partial|readonly|"
    rb"async|suspend|data|case|implicit|lazy|unsafe|virtual|export|pub|mutating|fileprivate|indirect)[ \t]+)*"
)
_OBJECTS = _lines(
    _words(
        _MODIFIERS,
        rb"class|interface|enum|record|object|struct|trait|protocol|actor|module|namespace|function|fun|func|def|fn|sub|"
        rb"defmodule|defmacro|defp|macro|local[ \t]+function",
    ),
    rb"[ \t]*(?:(?:public|private|protected|internal|static|final|abstract|override|virtual|async)[ \t]+)+"
    rb"[\w<>\[\],.?]+[ \t]+(?P<method>[A-Za-z_]\w*)[ \t]*\(",
    rb"(?:pub[ \t]+|export[ \t]+|local[ \t]+)?(?:const|var|val|let)[ \t]+%s" % _OTHER,
)
_SHELL = _lines(rb"(?:function[ \t]+)?%s[ \t]*\(\)" % _NAME, rb"(?:export[ \t]+)?(?P<other>[A-Z_][A-Z0-9_]*)=")
_BUILD = _lines(rb"[ \t]*(?i:function|macro|option|add_library|add_executable)[ \t]*\([ \t]*%s" % _NAME)
_RECORDS = _lines(_words(rb"", rb"class|multiclass|defm?|defvar"))
_MESSAGES = _lines(_words(rb"", rb"message|service|enum|rpc|type|input|interface"))

_KINDS: dict[str, re.Pattern[bytes]] = {
    **dict.fromkeys(("py", "pyi", "pyx", "bzl"), _PYTHON),
    **dict.fromkeys(
        ("c", "cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "inl", "inc", "cu", "cuh", "m", "mm", "metal"), _C
    ),
    "rs": _RUST,
    "go": _GO,
    **dict.fromkeys(("js", "mjs", "cjs", "jsx", "ts", "tsx", "mts"), _SCRIPT),
    **dict.fromkeys(
        (
            "java",
            "kt",
            "kts",
            "scala",
            "cs",
            "swift",
            "rb",
            "php",
            "lua",
            "zig",
            "dart",
            "jl",
            "ex",
            "exs",
            "groovy",
            "pm",
        ),
        _OBJECTS,
    ),
    **dict.fromkeys(("sh", "bash", "zsh"), _SHELL),
    "cmake": _BUILD,
    "td": _RECORDS,
    **dict.fromkeys(("proto", "graphql"), _MESSAGES),
}

ENDINGS = frozenset(_KINDS)
"""The extensions of files in which definitions are found."""


def ending(path: str) -> str:
    """The extension of a file name, in lower case and without its dot; empty if there is none."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""


def definitions(path: str, data: bytes) -> Iterator[tuple[str, int]]:
    """Find the definitions in a file.

    Args:
        path: its name, whose extension determines the language.
        data: its bytes.

    Yields:
        A name and the line of its definition, in order; repeated if it is defined several times.
    """
    pattern = _KINDS.get(ending(path))
    if pattern is None or b"\0" in data[:8000]:
        return
    text = b"\n" + data
    line, counted = 0, 0
    for number, found in enumerate(pattern.finditer(text)):
        if number == MOST:
            return
        line += text.count(b"\n", counted, found.start() + 1)
        counted = found.start() + 1
        group = found.lastgroup or "name"
        name = found[group]
        if len(name) <= _LONGEST:
            yield name.decode("utf-8", "replace"), line
