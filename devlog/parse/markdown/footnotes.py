"""Footnotes: those of mdit-py-plugins, and which of their definitions are not shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin


class LostFootnote(NamedTuple):
    """The definition of a footnote that is not shown.

    Attributes:
        token: the token that begins it.
        label: the label as written.
        repeated: whether an earlier definition has the same label; else nothing refers to it.
    """

    token: Token
    label: str
    repeated: bool


def footnotes_plugin(parser: MarkdownIt) -> None:
    """Add footnotes to a parser. Of several definitions with one label, the first counts, as on GitHub."""
    parser.use(footnote_plugin)
    parser.core.ruler.before("footnote_tail", "lost_footnotes", _lost_footnotes)


def lost_footnotes(env: Mapping[str, Any]) -> list[LostFootnote]:
    """The definitions in a parsed text that are not shown; `env` is the environment in which it was parsed."""
    found: list[LostFootnote] = env.get("lost_footnotes", [])
    return found


def _lost_footnotes(state: StateCore) -> None:
    if "footnotes" not in state.env:
        return
    lost: list[LostFootnote] = []
    seen: set[str] = set()
    is_nested, depth = False, 0
    for token in state.tokens:
        depth -= token.type == "footnote_reference_close"
        if token.type != "footnote_reference_open":
            continue
        depth += 1
        is_nested = is_nested or depth > 1
        label = token.meta["label"]
        if label in seen:
            lost.append(LostFootnote(token, label, repeated=True))
            token.meta["label"] = f"{label}\n"  # a label that no reference can have: the last one would be shown
        elif state.env["footnotes"]["refs"].get(f":{label}", -1) < 0:
            lost.append(LostFootnote(token, label, repeated=False))
        seen.add(label)
    state.env["lost_footnotes"] = lost
    if is_nested:
        state.tokens = _side_by_side(state.tokens)


def _side_by_side(tokens: Sequence[Token]) -> list[Token]:
    """Tokens with no definition inside another, as by its indentation: the text around it would be lost."""
    rest: list[Token] = []
    opened: list[list[Token]] = []
    ended: list[list[Token]] = []
    for token in tokens:
        if token.type == "footnote_reference_open":
            opened.append([])
        (opened[-1] if opened else rest).append(token)
        if token.type == "footnote_reference_close":
            ended.append(opened.pop())
            if not opened:
                rest += [part for definition in ended for part in definition]
                ended = []
    return rest
