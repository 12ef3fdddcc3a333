"""Checks what the Markdown rules of plugins do: the parser itself would raise an exception that names no plugin."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Any

from markdown_it import MarkdownIt

from devlog.model.theme import PluginRef
from devlog.plugins.results import misfit

Function = Callable[..., Any]

Known = Mapping[int, Function]
"""Functions by their identity: those of plugins may be objects without a hash."""


class RuleError(Exception):
    """A rule of a plugin has done something invalid. The message says what.

    Attributes:
        ref: the plugin.
        function: the function of the rule.
    """

    def __init__(self, ref: PluginRef, name: str, function: Function, reason: str) -> None:
        super().__init__(f"the rule “{name}” {reason}")
        self.ref = ref
        self.function = function


def rules_of(parser: MarkdownIt) -> Known:
    """The functions of all rules of a parser."""
    functions = (*(rule.fn for _, rule in _rules(parser)), *_render_rules(parser).values())
    return {id(function): function for function in functions}


def check_rules(parser: MarkdownIt, ref: PluginRef, before: Known) -> None:
    """Let the rules that a plugin has added to a parser raise `RuleError` if what they do is invalid.

    Args:
        parser: the parser.
        ref: the plugin.
        before: the functions of the rules before the plugin has added its own.
    """
    for position, rule in _rules(parser):
        if id(rule.fn) not in before:
            rule.fn = _moving(ref, rule.name, rule.fn, position)
    for ruler in (parser.block.ruler, parser.inline.ruler):
        ruler.__cache__ = None  # it has the functions
    rules = _render_rules(parser)
    for kind, write in rules.items():
        if id(write) not in before:
            rules[kind] = _writing(ref, kind, write)


def _rules(parser: MarkdownIt) -> Iterator[tuple[str, Any]]:
    """The rules that report whether they have found something, each with the name of the position that they move."""
    yield from (("line", rule) for rule in parser.block.ruler.__rules__)
    yield from (("pos", rule) for rule in parser.inline.ruler.__rules__)


def _render_rules(parser: MarkdownIt) -> dict[str, Any]:
    rules: dict[str, Any] = parser.renderer.rules  # type: ignore[attr-defined]
    return rules


def _moving(ref: PluginRef, name: str, rule: Function, position: str) -> Function:
    """A rule of blocks or inline text, which must move the position in the text if it has found something."""

    @wraps(rule)
    def checked(state: Any, *arguments: Any, **named: Any) -> Any:
        silent = arguments[-1] if arguments else named.get("silent")
        before = getattr(state, position)
        found = rule(state, *arguments, **named)
        after = getattr(state, position)
        if not isinstance(after, int):
            raise RuleError(ref, name, rule, f"left a {type(after).__name__} in “state.{position}”")
        # A rule of blocks that is only asked whether its block ends a paragraph is silent, and moves nothing.
        if found and after <= before and not (silent and position == "line"):
            raise RuleError(ref, name, rule, f"returned a true value, but did not increase “state.{position}”")
        return found

    return checked


def _writing(ref: PluginRef, kind: str, write: Function) -> Function:
    """A rule of the renderer, which must return HTML."""

    @wraps(write)
    def checked(*arguments: Any) -> Any:
        html = write(*arguments)
        if reason := misfit(html, str):
            raise RuleError(ref, kind, write, f"returned something other than HTML: {reason}")
        return html

    return checked
