"""Raw HTML elements that are never closed, and whose content is not part of the page: ``<script>``, ``<iframe>``.

Whatever follows them belongs to them, up to their end tag. A sentence that names such an element has none, and must not
lose the rest of its post, even if the post closes another one: in its code, or in a block of HTML.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from markdown_it.token import Token

from devlog import sanitize
from devlog.parse.html.tokens import Token as HtmlToken
from devlog.parse.html.tokens import tokens as html_tokens
from devlog.parse.markdown import problems
from devlog.parse.markdown.mistakes import MOST, Mistake
from devlog.parse.markdown.removed_blocks import Removed, blank, without_removed

_ENDLESS = "plaintext"
"""An element that no end tag closes."""
_SWALLOWING = sanitize.REMOVED_WITH_CONTENT | {_ENDLESS}
_NAMED = re.compile(rf"<(/?)({'|'.join(sorted(_SWALLOWING | sanitize.WRAPPERS))})(?=[\s/>])", re.IGNORECASE)

_TEMPLATE = re.compile("</template", re.IGNORECASE)

UNCLOSED = "unclosed"
"""The key of a block of raw HTML, in its `meta`, for the names of the elements that nothing closes."""


class ShownBlocks(NamedTuple):
    """The blocks of a text of which something may be shown.

    Attributes:
        tokens: all of its tokens.
        tags: those that are raw HTML or contain inline HTML.
        mistakes: the tags in sentences that are shown as text, which are probably mistakes.
    """

    tokens: list[Token]
    tags: list[Token]
    mistakes: Sequence[Mistake] = ()


def unclosed_in(html: str) -> frozenset[str]:
    """The names of the elements in raw HTML that take its rest, since nothing closes them."""
    return frozenset(tag.name for tag in _unmatched(html)[0])


def show_unclosed_as_text(tokens: list[Token], tags: list[Token]) -> ShownBlocks:
    """Turn the tags of unclosed elements in sentences into text, and note the names of those in blocks of HTML.

    An element in a sentence must be closed in its paragraph; one in a block of HTML may be closed in a later block,
    and what is between these is left out.

    Args:
        tokens: the tokens of a text.
        tags: the blocks among them that are raw HTML or contain inline HTML, in order. They are changed.
    """
    mistakes, removed = list[Mistake](), list[Removed]()
    opened: defaultdict[str, list[tuple[Token, int]]] = defaultdict(list)  # by name, the blocks that have not closed it
    for block in tags:
        if block.type == "html_block":
            block.content = without_templates(block.content)
            started, ended = _unmatched(block.content)
            for tag in ended:
                if opened[tag.name]:
                    opening, start = opened[tag.name].pop()
                    if tag.name in sanitize.NOT_SHOWN:
                        removed.append(Removed(tag.name, opening, start, block, tag.end))
            for tag in started:
                opened[tag.name].append((block, tag.end))
        else:
            mistakes += _in_sentence(block)
    for name, blocks in opened.items():
        for block, _ in blocks:
            block.meta[UNCLOSED] = _lone_in(block) | {name}
    removed = [one for one in removed if not {one.name} & (_lone_in(one.opening) | _lone_in(one.closing))]
    if not removed:
        return ShownBlocks(tokens, tags, mistakes[:MOST])
    shown = without_removed(tokens, removed)
    kept = {id(token) for token in shown}
    mistakes = [mistake for mistake in mistakes if id(mistake.token) in kept]
    return ShownBlocks(shown, [tag for tag in tags if id(tag) in kept], mistakes[:MOST])


def without_templates(html: str) -> str:
    """Raw HTML with blanks instead of what is inside ``<template>``.

    That element is removed with its content, as ``<textarea>`` is, but its content has tags. HTML with shortcodes stays
    as it is, since these may show the element as code.
    """
    if not _TEMPLATE.search(html) or "{{" in html:
        return html
    parts, done = list[str](), 0
    opened: list[int] = []
    for token in html_tokens(html):
        if token.name != "template":
            continue
        if token.kind == "start":
            opened.append(token.end)
        elif opened and (start := opened.pop()) and not opened:
            parts += (html[done:start], blank(html[start : token.start]))
            done = token.start
    return "".join([*parts, html[done:]])


def _lone_in(block: Token) -> frozenset[str]:
    """The names of elements whose tags in a block of HTML are text."""
    names: frozenset[str] = block.meta.get(UNCLOSED, frozenset())
    return names


def _in_sentence(block: Token) -> list[Mistake]:
    """Turn the tags in a paragraph into text that nothing closes inside the same emphasis or link.

    What is inside an element that is removed with its content is left out.
    """
    children = block.children or []
    lone, ends = _paired(children)
    if ends:
        kept, orphans = _shown_of(children, ends)
        lone = [index for index in [*lone, *orphans] if index in kept]
        block.children = [child for index, child in enumerate(children) if index in kept]
    return [_as_text(block, children[index]) for index in lone if _is_meant_as_text(children[index].content)]


def _paired(children: Sequence[Token]) -> tuple[list[int], dict[int, int]]:
    """The indexes of the tags in a paragraph that have no other, and of end tags, by those of their start tags."""
    started: defaultdict[str, list[int]] = defaultdict(list)
    lone: list[int] = []
    ends: dict[int, int] = {}
    for index, child in enumerate(children):
        if child.nesting < 0:  # what began inside ends with it
            for tags in started.values():
                while tags and children[tags[-1]].level > child.level:
                    lone.append(tags.pop())
        tag = _NAMED.match(child.content) if child.type == "html_inline" else None
        if tag is None:
            continue
        tags = started[tag[2].lower()]
        if not tag[1] or tag[2].lower() == _ENDLESS:
            tags.append(index)
        elif tags and children[tags[-1]].level == child.level:
            ends[tags.pop()] = index
        else:
            lone.append(index)
    return [*lone, *(index for tags in started.values() for index in tags)], ends


def _shown_of(children: Sequence[Token], ends: Mapping[int, int]) -> tuple[set[int], list[int]]:
    """The indexes of what is not inside a removed element, and of the end tags whose start tags are.

    Args:
        children: the tokens of a paragraph.
        ends: the indexes of end tags, by those of their start tags.
    """
    kept, orphans = set[int](), list[int]()
    done = 0
    for index, child in enumerate(children):
        end = ends.get(index, 0)
        if index < done:
            orphans += [end] if end > done else []
            continue
        kept.add(index)
        tag = _NAMED.match(child.content) if end else None
        if tag and tag[2].lower() in sanitize.NOT_SHOWN:
            done = end
    return kept, orphans


def _as_text(block: Token, tag: Token) -> Mistake:
    """Turn a tag into text; returns the mistake that it probably is."""
    tag.type = "text"
    name = tag.content.strip("</>").split()[0]
    problem = problems.lone_end_tag if tag.content[1] == "/" else problems.unclosed_html
    return Mistake(tag.content.partition("\n")[0], block, partial(problem, name=name), is_certain=True)


def _is_meant_as_text(tag: str) -> bool:
    """Whether a tag in a sentence is its text: those of parts of a saved page have attributes, or are end tags."""
    found = _NAMED.match(tag)
    assert found
    return found[2].lower() in _SWALLOWING or (not found[1] and found.end() + 1 == len(tag))


def _unmatched(html: str) -> tuple[list[HtmlToken], list[HtmlToken]]:
    """The start tags in raw HTML that nothing in it closes, and the end tags that close nothing."""
    started, ended = list[HtmlToken](), list[HtmlToken]()
    markup: set[str] = set()
    is_complete = not _NAMED.search(html)
    while not is_complete:  # once more for each element that is found to be unclosed, as others may be inside it
        open_tags: defaultdict[str, list[HtmlToken]] = defaultdict(list)
        ended = []
        for token in html_tokens(html, markup):
            if token.name not in _SWALLOWING:
                continue
            if token.kind == "start":
                open_tags[token.name].append(token)
            elif token.name == _ENDLESS:
                continue
            elif open_tags[token.name]:
                open_tags[token.name].pop()
            else:
                ended.append(token)
        started = [tag for tags in open_tags.values() for tag in tags]
        names = {tag.name for tag in started}
        is_complete = markup.issuperset(names)
        markup.update(names)
    return started, ended
