"""Finds characters in the code of a text that change the direction of text: with them, code can do something else than
what it seems to do.

In a paragraph they turn nothing else than the paragraph, and some languages need isolates there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

import msgspec
from markdown_it.token import Token

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.directional_controls import DIRECTIONAL, turning
from devlog.parse.markdown import problems
from devlog.parse.markdown.mistakes import MOST, Mistake

_CODE_TAG = re.compile(r"<(/?)(?:code|kbd|pre|samp)\b", re.IGNORECASE)


def directional(tokens: Sequence[Token]) -> list[Mistake]:
    """The first such character of each block."""
    found: list[Mistake] = []
    for token in tokens:
        if not token.content.isascii() and len(found) < MOST and DIRECTIONAL.search(token.content):
            found += _FIND.get(token.type, _nothing)(token)
    return found


def in_html_source(html: str, file: str, first_line: int) -> tuple[Diagnostic, ...]:
    """The problem of the first such character in a source that is HTML and begins on a line of its file."""
    offset = _in_html(html)
    if offset < 0:
        return ()
    line = html.count("\n", 0, offset)
    span = Span(file, first_line + line, offset - html.rfind("\n", 0, offset), 1)
    return (_problem(html[offset], "the HTML", span),)


def _in_html(html: str) -> int:
    """The offset of the first such character in raw HTML that is in code, or turns what follows the HTML; else -1."""
    turned = set(turning(html))
    tags = [*_CODE_TAG.finditer(html)]
    index = depth = 0
    for found in DIRECTIONAL.finditer(html):
        while index < len(tags) and tags[index].start() < found.start():
            depth = max(0, depth - 1) if tags[index][1] else depth + 1
            index += 1
        if depth or found.start() in turned:
            return found.start()
    return -1


def _code_block(token: Token) -> Iterator[Mistake]:
    found = DIRECTIONAL.search(token.content)
    if found and token.meta.get("included"):  # its line is that of the shortcode
        yield Mistake("", token, partial(_problem, found[0], "the included code"), is_certain=True)
    elif found:
        yield Mistake(found[0], token, partial(_problem, found[0], "the code"), found.start())


def _html_block(token: Token) -> Iterator[Mistake]:
    offset = _in_html(token.content)
    if offset >= 0:
        character = token.content[offset]
        yield Mistake(character, token, partial(_problem, character, "the HTML"), offset)


def _inline(token: Token) -> Iterator[Mistake]:
    depth = 0
    for child in token.children or ():
        if child.type == "html_inline" and (tag := _CODE_TAG.match(child.content)):
            depth = max(0, depth - 1) if tag[1] else depth + 1
        found = DIRECTIONAL.search(child.content) if depth or child.type == "code_inline" else None
        if found:
            before = child.content[: found.end()]
            yield Mistake(before, token, partial(_at_the_end, before), is_certain=True)
            return


def _nothing(_token: Token) -> Iterator[Mistake]:
    return iter(())


_FIND = {"fence": _code_block, "code_block": _code_block, "html_block": _html_block, "inline": _inline}


def _at_the_end(text: str, span: Span) -> Diagnostic:
    """The problem of the last character of a text whose span is known."""
    if span.column:
        span = msgspec.structs.replace(span, column=span.column + len(text) - 1, length=1)
    return _problem(text[-1], "the code", span)


def _problem(character: str, where: str, span: Span) -> Diagnostic:
    return problems.directional_character(span, character, where)
