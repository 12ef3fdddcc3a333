"""Parses attributes in braces, as in Goldmark: ``## Heading {#id .class}``, and ``{.class}`` on a line below a block.

The ids of headings are kept. Classes and other attributes are removed: they belong to the theme that the post was
written for.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

_OPENING = re.compile(r"\{:?[ \t]*")
_ATTRIBUTE = re.compile(
    r"""(?:[#.][\w:.-]{1,120}|[A-Za-z][\w-]{0,60}=(?:"[^"{}\n]*"|'[^'{}\n]*'|[\w./%-]{1,120}))[ \t]*"""
)
_CLOSING = re.compile(r"\}[ \t]*")
_MOST = 30  # attributes in one list
_BEGINS = re.compile(r"""\{[ \t]*(?:[#.][\w]|[A-Za-z][\w-]*=["'])""")
_BEGINS_WITH_NAME = re.compile(r"\{:?[ \t]*[#.]")
_ID = re.compile(r"(?:\{:?|[ \t])#([\w:.-]{1,120})(?=[ \t}])")


def take_attributes(text: str) -> tuple[str, str] | None:
    """Split a heading's text into the text without its trailing attributes, and the id; `None` if it has none."""
    start = text.rfind("{")
    if start < 0 or not _BEGINS_WITH_NAME.match(text, start) or not _is_list(text, start, len(text)):
        return None
    named = _ID.search(text, start)
    return text[:start].rstrip(), named[1] if named else ""


def _is_list(text: str, start: int, end: int) -> bool:
    """Whether the text between two offsets is exactly a list of attributes in braces.

    Attributes are matched one by one and greedily: a single expression for all of them would backtrack through every
    way to split text that is not a list.
    """
    opening = _OPENING.match(text, start, end)
    if not opening:
        return False
    place = opening.end()
    for number in range(_MOST):
        attribute = _ATTRIBUTE.match(text, place, end)
        if not attribute:
            if not number:
                return False
            break
        place = attribute.end()
    return _CLOSING.fullmatch(text, place, end) is not None


def attributes_plugin(md: MarkdownIt) -> None:
    """Add a rule for lines of attributes to a parser; it is active if ``attributes`` is set in ``env``."""
    ends = ["paragraph", "reference", "blockquote", "list"]
    md.block.ruler.before("html_block", "attribute_line", _attribute_rule, {"alt": ends})


def _attribute_rule(state: StateBlock, start_line: int, _end_line: int, silent: bool) -> bool:
    start = state.bMarks[start_line] + state.tShift[start_line]
    if not state.env.get("attributes") or state.is_code_block(start_line) or not _BEGINS.match(state.src, start):
        return False
    if not _is_list(state.src, start, state.eMarks[start_line]):
        return False
    if not silent:
        state.line = start_line + 1
    return True
