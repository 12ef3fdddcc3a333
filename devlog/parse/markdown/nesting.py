"""Limits how deeply the blocks of a post nest, without losing any of its text.

markdown-it leaves out what nests more deeply than its own limit and, below a list, the rest of the post.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from markdown_it.parser_block import ParserBlock
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from devlog.parse.markdown.tasks import is_task_text

DEEPEST = 60
"""The maximum number of blocks around a block: a list and its item are two. Each takes some calls of Python's
stack, and each quote looks at all lines in it."""

NESTED_TOO_DEEPLY = "nested_too_deeply"
"""The key in ``env`` under which a parser leaves the first inline token that shows a deeper block as text."""

# The rules of blocks that contain no other blocks, in which only the inside of shortcodes nests: these have a limit of
# their own. Definitions of links are not among them, which could take a footnote for a link.
_LEAVES = frozenset(
    "table code fence hr html_block heading shortcode_block attribute_line math_block "
    "kramdown kramdown_math kramdown_html".split()
)
_TEXTS = frozenset({"lheading", "paragraph"})
_NO_CONTAINERS = _LEAVES | _TEXTS | {"reference", "task_text", "deflist"}
_DEFINITION = re.compile(r":[ \t]+\S")


class NestingParser(ParserBlock):
    """`ParserBlock` that shows blocks as text which nest more deeply than `DEEPEST`."""

    def __init__(self, plain: ParserBlock) -> None:
        """
        Args:
            plain: the parser whose rules this one takes over, with those that plugins add later.
        """
        self.ruler = plain.ruler

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:  # noqa: N803
        """As `ParserBlock.tokenize`."""
        begins, ends, shifts = state.bMarks, state.eMarks, state.tShift
        read = self._block if state.level < DEEPEST else self._innermost
        line, empty_lines = startLine, False
        while line < endLine:
            last = state.lineMax
            while line < last and begins[line] + shifts[line] >= ends[line]:
                line += 1
            state.line = line
            if line >= endLine or state.sCount[line] < state.blkIndent:
                break
            read(state, line, endLine)
            if state.line <= line:
                raise RuntimeError("a block rule did not advance")
            state.tight = not empty_lines
            line = state.line
            # A paragraph in a nested list may have consumed the empty line after it.
            if line - 1 < endLine and begins[line - 1] + shifts[line - 1] >= ends[line - 1]:
                empty_lines = True
            if line < endLine and begins[line] + shifts[line] >= ends[line]:
                empty_lines = True
                line += 1
                state.line = line

    def _block(self, state: StateBlock, line: int, end: int) -> None:
        """Read the block that begins at a line."""
        for rule in self.ruler.getRules(""):
            if rule(state, line, end, False):
                return

    def _innermost(self, state: StateBlock, line: int, end: int) -> None:
        """Read the block that begins at a line, which contains no other blocks: those that would are text."""
        named = list(zip(self.ruler.get_active_rules(), self.ruler.getRules(""), strict=True))
        is_task = is_task_text(state, line)
        for name, rule in named:
            if name in _LEAVES and (name in ("table", "code") or not is_task) and rule(state, line, end, False):
                return
        is_new = NESTED_TOO_DEEPLY not in state.env and not is_task
        containers = [rule for name, rule in named if name not in _NO_CONTAINERS] if is_new else []
        is_too_deep = _has_definition(state, line, end) or any(rule(state, line, end, True) for rule in containers)
        before = len(state.tokens)
        for name, rule in named:
            if name in _TEXTS and rule(state, line, end, False):
                break
        if is_new and is_too_deep:
            state.env[NESTED_TOO_DEEPLY] = next(token for token in state.tokens[before:] if token.type == "inline")


def _has_definition(state: StateBlock, line: int, end: int) -> bool:
    """Whether a line would be a term: the rule of definitions cannot be asked without reading them."""
    line += 1
    if line < end and state.isEmpty(line):
        line += 1
    if line >= end or state.sCount[line] < state.blkIndent:
        return False
    return _DEFINITION.match(state.src, state.bMarks[line] + state.tShift[line], state.eMarks[line]) is not None


def first_too_deep(env: Mapping[str, Any]) -> Token | None:
    """The first text in which a block is shown that nests too deeply; `env` is what the text was parsed with."""
    found: Token | None = env.get(NESTED_TOO_DEEPLY)
    return found
