"""Raw HTML elements that begin in one list item, quote, cell or heading, and end in another one, or outside of it.

Parsers of HTML end such an element with the part of the text in which it begins. Its end tag is then in the wrong
place, and ends whatever has its name there: an element around a list, and with it the list.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import count

from markdown_it.token import Token

from devlog.parse.html.tangled import FORMATTING
from devlog.parse.html.tokens import Token as HtmlToken
from devlog.parse.html.tokens import tokens as html_tokens
from devlog.parse.markdown import problems
from devlog.parse.markdown.mistakes import MOST, PAIRED, Mistake
from devlog.parse.markdown.removed_blocks import blank
from devlog.parse.markdown.unclosed_html import UNCLOSED

_NAMES = PAIRED - FORMATTING
"""The elements that matter: parsers begin formatting elements, such as ``<b>``, again in the next part."""


class _Part:
    """A part of a text: all of it, or a list, an item, a quote, a cell, a heading.

    Attributes:
        around: the part that contains it.
        end: the index of the token that ends it.
    """

    def __init__(self, around: _Part | None) -> None:
        self.around = around
        self.end = -1


class _Tag:
    """A tag of an element, in a block of raw HTML or in a paragraph."""

    def __init__(self, number: int, html: HtmlToken, token: Token, block: Token, part: _Part) -> None:
        """
        Args:
            number: of the tag, in order.
            html: the tag.
            token: the token that has it.
            block: the block that has this token.
            part: the part of the text that has the block.
        """
        self.number = number
        self.html = html
        self.token = token
        self.block = block
        self.part = part


def end_where_they_begin(tokens: list[Token], tags: list[Token]) -> tuple[list[Token], list[Token], list[Mistake]]:
    """End each element in the list item, quote or cell in which it begins, or behind it if it begins before.

    Args:
        tokens: the tokens of a text.
        tags: the blocks among them that are raw HTML or contain inline HTML, in order. They are changed.

    Returns:
        The tokens and the blocks, with end tags where they were missing, and the mistakes.
    """
    if len(tags) < 2 or any(token.type == "shortcode" and token.meta["inside"] for token in tokens):
        return tokens, tags, []  # the template of a shortcode may begin and end elements, too
    parts = _parts(tokens, tags)
    added: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    found: list[Mistake] = []
    crossed = [*_crossed(tags, parts)]
    for begin, end in crossed:
        name = begin.html.name
        added[_end_of(begin.part, end.part)].append((begin.number, name))
        offset = begin.html.start if begin.token is begin.block else -1
        found.append(Mistake(f"<{name}", begin.block, partial(problems.crossed, name=name), offset))
    if not crossed:
        return tokens, tags, []
    _drop(end for _, end in crossed)
    wanted = {id(tag) for tag in tags}
    whole: list[Token] = []
    for index in range(len(tokens) + 1):
        for _, name in sorted(added.get(index, ()), reverse=True):
            whole.append(Token("html_block", "", 0, content=f"</{name}>\n"))
            wanted.add(id(whole[-1]))
        whole += tokens[index : index + 1]
    return whole, [token for token in whole if id(token) in wanted], found[:MOST]


def _parts(tokens: Sequence[Token], tags: Sequence[Token]) -> dict[int, _Part]:
    """The innermost part that contains each of some blocks, by the identity of the block."""
    wanted = {id(tag) for tag in tags}
    found: dict[int, _Part] = {}
    part = whole = _Part(None)
    for index, token in enumerate(tokens):
        if id(token) in wanted:
            found[id(token)] = part
        if token.type in ("paragraph_open", "paragraph_close"):
            continue  # what begins in a paragraph may go on in the next one
        if token.nesting > 0:
            part = _Part(part)
        elif token.nesting < 0 and part.around:
            part.end = index
            part = part.around
    whole.end = len(tokens)
    return found


def _crossed(tags: Sequence[Token], parts: dict[int, _Part]) -> Iterator[tuple[_Tag, _Tag]]:
    """The start tags and end tags of elements that begin and end in different parts.

    As in a browser, an end tag is that of the last open element of its name.
    """
    opened: defaultdict[tuple[str, _Part], list[_Tag]] = defaultdict(list)
    ended: defaultdict[str, list[_Tag]] = defaultdict(list)
    for tag in _tags_in(tags, parts):
        own = opened[tag.html.name, tag.part]
        if tag.html.kind == "start":
            own.append(tag)
        elif own:
            own.pop()
        else:
            ended[tag.html.name].append(tag)
    for (name, _), own in opened.items() if ended else ():
        if name in ended:
            ended[name] += own
    for rest in ended.values():
        begun: list[_Tag] = []
        for tag in sorted(rest, key=lambda tag: tag.number):
            if tag.html.kind == "start":
                begun.append(tag)
            elif begun:
                yield begun.pop(), tag


def _tags_in(tags: Sequence[Token], parts: dict[int, _Part]) -> Iterator[_Tag]:
    numbers = count()
    for block in tags:
        for token in block.children or (block,):
            if token.type not in ("html_inline", "html_block"):
                continue
            for tag in html_tokens(token.content, block.meta.get(UNCLOSED, ())):
                if tag.name in _NAMES:
                    yield _Tag(next(numbers), tag, token, block, parts[id(block)])


def _end_of(begin: _Part, end: _Part) -> int:
    """The index before which an element ends that begins in one part, and whose end tag is in another one."""
    inner: _Part | None = end
    while inner and inner.around is not begin:
        inner = inner.around
    return inner.end + 1 if inner else begin.end


def _drop(tags: Iterable[_Tag]) -> None:
    """Leave out end tags; the places of others stay."""
    in_blocks: defaultdict[int, list[_Tag]] = defaultdict(list)
    for tag in tags:
        if tag.token is tag.block:
            in_blocks[id(tag.block)].append(tag)
        else:
            tag.token.type, tag.token.content = "text", ""
    for some in in_blocks.values():
        block, parts, done = some[0].block, list[str](), 0
        for tag in sorted(some, key=lambda tag: tag.number):
            parts += (block.content[done : tag.html.start], blank(block.content[tag.html.start : tag.html.end]))
            done = tag.html.end
        block.content = "".join([*parts, block.content[done:]])
