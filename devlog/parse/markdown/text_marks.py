"""Marks in text that Markdown does not have: ``==highlighted==``, ``^raised^`` and ``~lowered~``.

Each has a key in the configuration. With ``subscript``, only two tildes strike text through.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter

INLINE_RULES = {"mark": "=", "superscript": "^", "subscript": "~"}
"""The inline rules, and the characters with which their elements begin."""

_EQUALS = ord("=")
# As in Pandoc, without blanks. Brackets end it, so that footnotes and links stay what they are.
_RAISED = re.compile(r"\^((?:[^\s^\\\[\]]|\\[^\w\s])+)\^")
_LOWERED = re.compile(r"(?<!~)~((?:[^\s~\\\[\]]|\\[^\w\s])+)~(?!~)")


def mark_plugin(md: MarkdownIt) -> None:
    """Add ``==highlighted text==`` to a parser, which becomes ``<mark>``."""
    md.inline.ruler.after("strikethrough", "mark", _mark_rule)
    md.inline.ruler2.after("strikethrough", "mark", _pair_marks)


def superscript_plugin(md: MarkdownIt) -> None:
    """Add ``x^2^`` to a parser, which becomes ``<sup>``."""
    md.inline.ruler.push("superscript", _script_rule(_RAISED, "sup"))


def subscript_plugin(md: MarkdownIt) -> None:
    """Add ``H~2~O`` to a parser, which becomes ``<sub>``."""
    md.options["strikethrough_single_tilde"] = False
    md.inline.ruler.before("strikethrough", "subscript", _script_rule(_LOWERED, "sub"))


def _script_rule(pattern: re.Pattern[str], tag: str) -> Callable[[StateInline, bool], bool]:
    def rule(state: StateInline, silent: bool) -> bool:
        found = pattern.match(state.src, state.pos, state.posMax)
        if not found:
            return False
        if not silent:
            end = state.posMax
            state.push(f"{tag}_open", tag, 1).markup = found[0][0]
            state.pos, state.posMax = found.span(1)
            state.md.inline.tokenize(state)
            state.push(f"{tag}_close", tag, -1).markup = found[0][0]
            state.posMax = end
        state.pos = found.end()
        return True

    return rule


def _mark_rule(state: StateInline, silent: bool) -> bool:
    """Push a possible beginning or end; as with ``_``, neither is inside a word, so that ``a==b`` stays."""
    if silent or state.src[state.pos] != "=":
        return False
    scanned = state.scanDelims(state.pos, False)
    if scanned.length != 2:
        state.pending += "=" * scanned.length
        state.pos += scanned.length
        return True
    state.push("text", "", 0).content = "=="
    state.delimiters.append(Delimiter(_EQUALS, 0, len(state.tokens) - 1, -1, scanned.can_open, scanned.can_close))
    state.pos += 2
    return True


def _pair_marks(state: StateInline) -> None:
    """Turn pairs of delimiters into elements."""
    for delimiters in (state.delimiters, *(meta["delimiters"] for meta in state.tokens_meta if meta)):
        for opening in delimiters:
            if opening.marker != _EQUALS or opening.end < 0:
                continue
            for index, nesting in ((opening.token, 1), (delimiters[opening.end].token, -1)):
                token = state.tokens[index]
                token.type, token.tag, token.nesting = ("mark_open" if nesting > 0 else "mark_close"), "mark", nesting
                token.markup, token.content = "==", ""
