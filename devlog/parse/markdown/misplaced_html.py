"""Raw HTML elements outside of those that they belong to, such as a ``<td>`` without a table.

Browsers drop most of them without a word. In a sentence, such a tag is the name of the element, and shown as text.
The tags of paragraphs stay, and are reported in the middle of a sentence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice, pairwise

from markdown_it.token import Token

from devlog.parse.html.tokens import Token as HtmlToken
from devlog.parse.html.tokens import tokens as html_tokens
from devlog.parse.markdown import problems
from devlog.parse.markdown.mistakes import MOST, Mistake

_LISTS = ("ul", "ol", "menu", "dir")
_TABLE = dict.fromkeys("caption colgroup col thead tbody tfoot tr td th".split(), ("table",))
_AROUND: dict[str, tuple[str, ...]] = {
    **_TABLE,
    "li": _LISTS,
    "dt": ("dl",),
    "dd": ("dl",),
    "option": ("select", "datalist"),
    "optgroup": ("select",),
    "rt": ("ruby",),
    "rp": ("ruby",),
    "source": ("picture", "video", "audio"),
    "track": ("video", "audio"),
    "area": ("map",),
}
"""The elements that an element belongs to, by its name; the first is the usual one."""
_DIVIDING = re.compile(r"<(/?p|hr) ?/?>", re.IGNORECASE)
_BREAKS = ("softbreak", "hardbreak")
_CONTAINERS = frozenset(name for names in _AROUND.values() for name in names)


def show_misplaced_as_text(tokens: Sequence[Token], tags: Sequence[Token]) -> list[Mistake]:
    """Turn tags in sentences into text if nothing before has begun the element that they belong to.

    Args:
        tokens: the tokens of a text.
        tags: the blocks among them that are raw HTML or contain inline HTML, in order. They are changed.

    Returns:
        these tags, and the parts of tables in blocks of HTML that are not in a table, which are not shown.
    """
    if any(token.type == "shortcode" and token.meta["inside"] for token in tokens):
        return []  # its template may begin the element that its content belongs to
    found: list[Mistake] = []
    opened: Counter[str] = Counter()
    for block in tags:
        for part in block.children or (block,):
            if part.type not in ("html_inline", "html_block"):
                continue
            for tag in _misplaced(part.content, opened):
                around = _AROUND[tag.name][0]
                if part is not block:
                    part.type = "text"
                    written = part.content.partition("\n")[0]
                    name = f"/{tag.name}" if tag.kind == "end" else tag.name
                    report = partial(problems.misplaced, name=name, around=around)
                    found.append(Mistake(written, block, report, is_certain=True))
                elif tag.kind == "start" and tag.name in _TABLE:
                    written = f"<{tag.name}"
                    report = partial(problems.dropped, name=tag.name, around=around)
                    found.append(Mistake(written, block, report, tag.start))
    return found[:MOST]


def _misplaced(html: str, opened: Counter[str]) -> Iterator[HtmlToken]:
    """The tags in raw HTML outside of the elements that they belong to; `opened` counts those that are open."""
    for token in html_tokens(html):
        if token.name in _CONTAINERS:
            opened[token.name] = max(0, opened[token.name] + (1 if token.kind == "start" else -1))
        if token.name in _AROUND and not any(opened[name] for name in _AROUND[token.name]):
            yield token


def dividing_sentences(tokens: Sequence[Token], tags: Sequence[Token]) -> list[Mistake]:
    """The tags of paragraphs and lines in the middle of a sentence, which are probably the names of the elements.

    Old posts divide paragraphs by ``<p>``, which stays: behind a sentence, beside a word without a blank, at the end,
    or in a cell of a table.

    Args:
        tokens: the tokens of a text.
        tags: the blocks among them that are raw HTML or contain inline HTML.
    """
    return [*islice(_dividing(tokens, tags), MOST)]


def _dividing(tokens: Sequence[Token], tags: Sequence[Token]) -> Iterator[Mistake]:
    cells = {id(text) for cell, text in pairwise(tokens) if cell.type in ("td_open", "th_open")} if tags else ()
    for block in tags:
        children = block.children or ()
        known = set[str]()
        for index, child in enumerate(children):
            tag = _DIVIDING.fullmatch(child.content) if child.type == "html_inline" else None
            if tag and tag[1] not in known and id(block) not in cells and _is_in_sentence(children, index):
                known.add(tag[1])
                yield Mistake(tag[0], block, partial(problems.dividing, name=tag[1]))


def _is_in_sentence(children: Sequence[Token], index: int) -> bool:
    """Whether a sentence has begun before a tag, goes on behind it, and the tag stands there like a word."""
    before = children[index - 1].content if index and children[index - 1].type == "text" else ""
    begun = before.rstrip()
    has_begun = bool(begun) or (index > 1 and children[index - 2].type not in _BREAKS)
    is_apart = before[-1:].isspace() or before.endswith(("(", "“", '"'))
    goes_on = len(children) > index + 1 and not children[index + 1].content[:1].isalnum()
    return has_begun and is_apart and goes_on and not begun.endswith((".", "!", "?", "…"))
