"""Attributes in braces, as Goldmark has them: ``## Heading {#id .class}``, and ``{.class}`` on a line below a block.

Of a heading the id is kept; classes and other attributes belong to the theme that a text was written for, and go.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

_VALUE = r"""(?:"[^"{}\n]*+"|'[^'{}\n]*+'|[\w./%-]{1,120}+)"""
_ATTRIBUTE = rf"(?:[#.][\w:.-]{{1,120}}+|[A-Za-z][\w-]{{0,60}}+={_VALUE})"
_LIST = re.compile(rf"\{{:?[ \t]*+(?:{_ATTRIBUTE}[ \t]*+){{1,30}}+\}}[ \t]*$")
_BEGINS = re.compile(r"""\{[ \t]*+(?:[#.][\w]|[A-Za-z][\w-]*+=["'])""")
_ID = re.compile(r"(?:\{:?|[ \t])[ \t]*+#([\w:.-]{1,120})(?=[ \t}])")


def take_attributes(text: str) -> tuple[str, str] | None:
    """The text of a heading without the attributes at its end, and the id among them; `None` when it has none."""
    start = text.rfind("{")
    if start < 0 or not re.match(r"\{:?[ \t]*+[#.]", text[start:]) or not _LIST.fullmatch(text, start):
        return None
    named = _ID.search(text, start)
    return text[:start].rstrip(), named[1] if named else ""


def attributes_plugin(md: MarkdownIt) -> None:
    """Teach a parser lines of attributes, if its ``env`` says so with ``attributes``."""
    ends = ["paragraph", "reference", "blockquote", "list"]
    md.block.ruler.before("html_block", "attribute_line", _attribute_rule, {"alt": ends})


def _attribute_rule(state: StateBlock, start_line: int, _end_line: int, silent: bool) -> bool:
    start = state.bMarks[start_line] + state.tShift[start_line]
    if not state.env.get("attributes") or state.is_code_block(start_line) or not _BEGINS.match(state.src, start):
        return False
    if not _LIST.fullmatch(state.src, start, state.eMarks[start_line]):
        return False
    if not silent:
        state.line = start_line + 1
    return True
