"""Reads the text of a task, ``- [ ] > 5 ms``: what follows a checkbox is a paragraph, as in cmark-gfm.

markdown-it goes on after the checkbox as if a line began there, and would find a quote, a heading or another list.
"""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

_RULES = ("lheading", "deflist", "paragraph")
"""The rules whose blocks begin with any text."""


def task_plugin(md: MarkdownIt) -> None:
    """Add the text of tasks to a parser."""
    md.block.ruler.after("code", "task_text", _task_text)


def is_task_text(state: StateBlock, line: int) -> bool:
    """Whether a line, from where it is still to be read, is the text of a task."""
    if not state.tokens:
        return False
    before = state.tokens[-1]
    return before.type == "list_item_open" and "checked" in before.meta and before.map == [line, 0]


def _task_text(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    if silent or not is_task_text(state, line):
        return False
    ruler = state.md.block.ruler
    rules = dict(zip(ruler.get_active_rules(), ruler.getRules(""), strict=True))
    return any(rules[name](state, line, end, silent) for name in _RULES)
