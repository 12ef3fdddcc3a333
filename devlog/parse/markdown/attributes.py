"""Parses attributes in braces, as in Goldmark: ``## Heading {#id .class}``, and ``{.class}`` on a line below a block.

The ids of headings are kept, and so are the size and alignment of images: ``![alt](a.png){width=300 .left}``. Other
classes and attributes are removed: they belong to the theme that the post was written for.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from devlog.model.markdown import Hidden
from devlog.parse.markdown.escapes import is_escaped

ALIGNMENTS = frozenset({"left", "center", "right"})
"""The classes by which an image is aligned."""

ATTRIBUTE_LINES = "attribute_lines"
"""The key in ``env`` under which a parser lists each `AttributeLine`."""


class AttributeLine(NamedTuple):
    """A line of attributes, which is not part of any block.

    Attributes:
        line: the line.
        is_nested: whether it is inside another block.
    """

    line: Hidden
    is_nested: bool


_OPENING = re.compile(r"\{:?[ \t]*")
_ATTRIBUTE = re.compile(
    r"""(?:[#.][\w:.-]{1,120}|[A-Za-z][\w-]{0,60}=(?:"[^"{}\n]*"|'[^'{}\n]*'|[\w./%-]{1,120}))[ \t]*"""
)
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


def take_from_heading(heading: Token) -> tuple[str, str] | None:
    """Split the last text of a heading as `take_attributes` does, if its source has attributes there, too.

    Where the source escapes the brace, or has an entity for it, it is text, as in Markdown versions that devlog writes.

    Args:
        heading: the inline token, whose content is the text as written.
    """
    last = heading.children[-1] if heading.children else None
    if last is None or last.type != "text":
        return None
    source = heading.content
    brace = source.rfind("{")
    if is_escaped(source, brace) or take_attributes(source) is None:
        return None
    return take_attributes(last.content)


def _is_list(text: str, start: int, end: int) -> bool:
    """Whether the text between two offsets is exactly a list of attributes in braces."""
    read = _read_list(text, start, end)
    return read is not None and not text[read[1] : end].strip(" \t")


def _read_list(text: str, start: int, end: int) -> tuple[list[str], int] | None:
    """The attributes in the braces that open at an offset, and the offset after them; `None` if they are none.

    Attributes are matched one by one and greedily: a single expression for all of them would backtrack through every
    way to split text that is not a list.
    """
    opening = _OPENING.match(text, start, end)
    if not opening:
        return None
    place = opening.end()
    found: list[str] = []
    while len(found) < _MOST and (attribute := _ATTRIBUTE.match(text, place, end)):
        found.append(attribute[0].rstrip(" \t"))
        place = attribute.end()
    return (found, place + 1) if found and text.startswith("}", place, end) else None


def attributes_plugin(md: MarkdownIt) -> None:
    """Add rules for attributes to a parser; they are active if ``attributes`` is set in ``env``."""
    ends = ["paragraph", "reference", "blockquote", "list"]
    md.block.ruler.before("html_block", "attribute_line", _attribute_rule, {"alt": ends})
    md.inline.ruler.push("image_attributes", _image_rule)


def _image_rule(state: StateInline, silent: bool) -> bool:
    """Read the attributes of the image before them."""
    if (
        silent
        or state.pending
        or not state.tokens
        or state.tokens[-1].type != "image"
        or not state.env.get("attributes")
    ):
        return False
    read = _read_list(state.src, state.pos, state.posMax)
    if read is None:
        return False
    image = state.tokens[-1]
    for attribute in read[0]:
        name, _, value = attribute.partition("=")
        if name in ("width", "height"):
            image.attrs[name] = value.strip("\"'")
        elif name[:1] == "." and name[1:] in ALIGNMENTS:
            image.attrs["class"] = name[1:]
    state.pos = read[1]
    return True


def _attribute_rule(state: StateBlock, start_line: int, _end_line: int, silent: bool) -> bool:
    start = state.bMarks[start_line] + state.tShift[start_line]
    if not state.env.get("attributes") or state.is_code_block(start_line) or not _BEGINS.match(state.src, start):
        return False
    if not _is_list(state.src, start, state.eMarks[start_line]):
        return False
    if not silent:
        after_list = state.tokens != [] and state.tokens[-1].type in ("bullet_list_close", "ordered_list_close")
        taken = AttributeLine(Hidden(start_line, start_line + 1, after_list), state.level > 0)
        state.env.setdefault(ATTRIBUTE_LINES, []).append(taken)
        state.line = start_line + 1
    return True
