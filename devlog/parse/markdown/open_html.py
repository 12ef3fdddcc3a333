"""Comments, declarations and tags that a block of raw HTML begins and does not end: ``<!--``, ``<?php``, ``<div id="``.

In a page, they would take what follows the block: the end of its list item or quote, and then the rest of the post.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from markdown_it.token import Token

from devlog.parse.html.tokens import tokens as html_tokens
from devlog.parse.html.tokens import unterminated
from devlog.parse.markdown import problems
from devlog.parse.markdown.mistakes import MOST, Mistake
from devlog.parse.markdown.unclosed_html import UNCLOSED

_COMMENT = "<!--"
_OPENING = re.compile(r"<(?:!--|!\[CDATA\[|[!?/]?[^\s<>]{0,20})")
_DECLARATIONS = ("<!", "<?")
_ENDS_OF_COMMENTS = ("-->", "--!>")


def end_in_their_blocks(tokens: Sequence[Token]) -> list[Mistake]:
    """End comments and declarations with the block of raw HTML that begins them.

    A comment may also end in a later block of the same list item or quote, or of the text outside of these. In a list
    item or quote, a tag without an end becomes text; outside, its attribute may go on in the next block.

    Args:
        tokens: the tokens of a text. Blocks of raw HTML among them are changed.

    Returns:
        the mistakes, except those that are still there when the blocks are written.
    """
    found: list[Mistake] = []
    parts: list[list[Token]] = [[]]  # of each list, quote and so on that is open: its blocks whose comments are
    for token in tokens:
        if token.nesting > 0:
            parts.append([])
        elif token.nesting < 0 and len(parts) > 1:
            found += map(_end_comment, parts.pop())
        elif token.type == "html_block" and "<" in token.content:
            if any(end in token.content for end in _ENDS_OF_COMMENTS):
                parts[-1].clear()
            offset = _unterminated(token)
            if offset < 0 or token is tokens[-1]:
                continue  # nothing follows that it could take
            if token.content.startswith(_COMMENT, offset):
                parts[-1].append(token)
            elif len(parts) > 1 or token.content.startswith(_DECLARATIONS, offset):
                found.append(_end(token, offset))
    for rest in parts:
        found += map(_end_comment, rest)
    return found[:MOST]


def opening_at(html: str, offset: int) -> str:
    """The beginning of a comment, a declaration or a tag, as messages quote it."""
    found = _OPENING.match(html, offset)
    return found[0] if found else "<"


def _unterminated(block: Token) -> int:
    last = None
    for last in html_tokens(block.content, block.meta.get(UNCLOSED, ())):  # noqa: B007 - the last one is meant
        pass
    return unterminated(block.content, last)


def _end_comment(block: Token) -> Mistake:
    return _end(block, _unterminated(block))


def _end(block: Token, offset: int) -> Mistake:
    opening = opening_at(block.content, offset)
    if opening.startswith(_DECLARATIONS):
        block.content += "-->\n" if opening == _COMMENT else ">\n"
        return Mistake(opening, block, partial(problems.unterminated, opening=opening, whole=False), offset)
    block.content = block.content[:offset] + block.content[offset:].replace("<", "&lt;")
    return Mistake(opening, block, partial(problems.unterminated_tag, opening=opening), is_certain=True)
