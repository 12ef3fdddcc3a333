"""Footnotes: those of mdit-py-plugins, without what readers would not find: see `_lost_footnotes`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.footnote.index import footnote_ref


class LostFootnote(NamedTuple):
    """A footnote that is not shown.

    Attributes:
        token: the block that begins its definition or contains the reference.
        written: the text to show in a message, without line breaks.
        why: an earlier definition has the same label; or nothing that is shown refers to it; or the reference is in
            the alt text of an image or in the text of a link, and is text there.
    """

    token: Token
    written: str
    why: Literal["repeated", "unused", "no place"]


# The length is that of CommonMark's labels: the plugin looks for the end of each through the whole rest of a block.
_LABEL = re.compile(r"\[\^[^ \n\]]{1,999}\]")
_LINK_TAG = re.compile(r"<(?:(/)a[\s>]|a\s[^>]*?\bhref\b)", re.IGNORECASE)


def footnotes_plugin(parser: MarkdownIt) -> None:
    """Add footnotes to a parser. Of several definitions with one label, the first counts, as on GitHub."""
    parser.use(footnote_plugin)
    parser.inline.ruler.at("footnote_ref", _reference)
    parser.core.ruler.before("footnote_tail", "lost_footnotes", _lost_footnotes)


def lost_footnotes(env: Mapping[str, Any]) -> list[LostFootnote]:
    """The definitions in a parsed text that are not shown; `env` is the environment in which it was parsed."""
    found: list[LostFootnote] = env.get("lost_footnotes", [])
    return found


def _reference(state: StateInline, silent: bool) -> bool:
    """The plugin's rule, by which a reference is only text while the end of a label is looked for.

    It would end the search as a link does, so that a text with a reference could be no link: see `_without_place`.
    """
    return not silent and _LABEL.match(state.src, state.pos) is not None and footnote_ref(state, silent)


def _lost_footnotes(state: StateCore) -> None:
    """Find the footnotes that are not shown, so that no note links back to a reference that is not on the page.

    The plugin counts every reference that it reads, also those in definitions that nothing refers to.
    """
    notes = state.env.get("footnotes", {})
    if not notes.get("refs") and not notes.get("list"):
        return
    lost = [found for token in state.tokens if token.type == "inline" for found in _without_place(token, notes)]
    seen: set[str] = set()
    definitions: list[tuple[Token, str]] = []
    parts: dict[str, list[Token]] = {"": []}  # the text around definitions, which have no empty labels; and in each
    labels = [""]
    is_nested = False
    for token in state.tokens:
        if token.type == "footnote_reference_open":
            is_nested = is_nested or len(labels) > 1
            label = token.meta["label"]
            if label in seen:
                lost.append(LostFootnote(token, label, "repeated"))
                label = token.meta["label"] = f"{label}\n"  # no reference can have it: the last one would be shown
            else:
                definitions.append((token, label))
            seen.add(label)
            labels.append(label)
        elif token.type == "footnote_reference_close":
            labels.pop()
        elif token.type == "inline":
            parts.setdefault(labels[-1], []).append(token)
    _keep_shown(notes, parts)
    lost += [LostFootnote(token, label, "unused") for token, label in definitions if notes["refs"][f":{label}"] < 0]
    state.env["lost_footnotes"] = lost
    if is_nested:
        state.tokens = _side_by_side(state.tokens)


def _without_place(block: Token, notes: Mapping[str, Any]) -> Iterator[LostFootnote]:
    """The references in alt texts and in the texts of links, neither of which can contain links: they become text."""
    todo = [(block, False)]
    while todo:
        parent, is_alt = todo.pop()
        in_link = False
        for index, child in enumerate(parent.children or ()):
            if child.type in ("link_open", "link_close"):
                in_link = child.nesting > 0
            elif child.type == "html_inline" and (tag := _LINK_TAG.match(child.content)):
                in_link = not tag[1]
            note = notes["list"][child.meta["id"]] if child.type == "footnote_ref" else {}
            if note and (is_alt or in_link):
                written = f"[^{note['label']}]" if "label" in note else f"^[{note['content']}]"
                assert parent.children
                parent.children[index] = Token("text", "", 0, content=written, level=child.level)
                yield LostFootnote(block, written.partition("\n")[0], "no place")
            elif "tokens" in note:
                todo.append((Token("inline", "", 0, children=note["tokens"]), False))
            elif child.children:
                todo.append((child, is_alt or child.type == "image"))


def _keep_shown(notes: dict[str, Any], parts: Mapping[str, Sequence[Token]]) -> None:
    """Number only the notes and references that are shown, in the order in which they were read.

    Args:
        notes: what the plugin knows about all of them.
        parts: the blocks of inline tokens in each definition, by its label; around all of them, by an empty one.
    """
    every: dict[int, dict[str, Any]] = notes["list"]
    shown: list[Token] = []
    reached: set[int] = set()
    todo: list[Iterable[Token]] = [parts[""]]
    while todo:
        for token in todo.pop():
            if token.type == "footnote_ref":
                shown.append(token)
                number = token.meta["id"]
                if number not in reached:
                    reached.add(number)
                    note = every[number]
                    todo.append(note["tokens"] if "tokens" in note else parts.get(note["label"], ()))
            elif token.children:
                todo.append(token.children)
    if len(reached) == len(every) and len(shown) == sum(note.get("count", 1) for note in every.values()):
        return
    numbers = {old: new for new, old in enumerate(sorted(reached))}
    counts = Counter[int]()
    for token in sorted(shown, key=lambda token: (token.meta["id"], token.meta.get("subId", 0))):
        number = token.meta["id"] = numbers[token.meta["id"]]
        if "subId" in token.meta:
            token.meta["subId"] = counts[number]
            counts[number] += 1
    notes["list"] = {
        new: {**every[old], "count": counts[new]} if "label" in every[old] else every[old]
        for old, new in numbers.items()
    }
    notes["refs"] = dict.fromkeys(notes["refs"], -1) | {
        f":{note['label']}": number for number, note in notes["list"].items() if "label" in note
    }


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
