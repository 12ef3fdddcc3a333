"""Makes the Markdown version of a post: the source as written, with holes for URLs that only the whole site determines.

If the source contains shortcodes, HTML or other syntax that stands for something else, the Markdown is generated from
its HTML instead.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from markdown_it.common.utils import unescapeAll
from markdown_it.token import Token

from devlog.model.document import Body, Ref
from devlog.model.markdown import (
    NOTHING,
    AsWritten,
    Hidden,
    address,
    count_active,
    has_fence,
    has_tag,
    leads_to_script,
    may_have_handler,
)
from devlog.parse.code.ansi import ESCAPE
from devlog.parse.markdown.body import BodyWriter
from devlog.parse.markdown.excerpt import is_marker_paragraph
from devlog.parse.markdown.made_links import made_links
from devlog.parse.markdown.math import has_math
from devlog.parse.options import ParseOptions
from devlog.plugin import load

if TYPE_CHECKING:
    from devlog.features.markdown_versions.parse.html_to_markdown import Pieces

Lines = tuple[int, int]
"""A range of lines: the first one, and the one after the last."""

Spoken = tuple[str, str]
"""The words of a link, and the URL that they lead to."""


_COMMENT = re.compile(r"\s*<!--((?!-->).)*-->\s*", re.DOTALL)
_DESTINATION = re.compile(r"\]\([ \t\n]*(?:<([^<>\n]*)>|([^\s()<]*(?:\([^\s()]*\)[^\s()]*)*))")
_DEFINITION = re.compile(r"^[ >]*\[[^\]\n]+\]:[ \t\n>]*(?:<([^<>\n]*)>|(\S+))", re.MULTILINE)
_TAG = re.compile(r"<[A-Za-z/!?]")
_CALLS = {
    "devlog": re.compile(r"\{\{[<%]"),
    "zola": re.compile(r"\{[{%]"),
    "jekyll": re.compile(r"\{(?:\{[<%]|:)|^\*\[", re.MULTILINE),
}
"""The beginning of syntax that stands for something else, by dialect. Texts that merely show such syntax are rare. Each
begins with one fixed character, which makes the search twice as fast."""
_MDX = re.compile(r"\{/\*")
_LISTS = frozenset({"bullet_list_open", "ordered_list_open"})
_ITEM = re.compile(r"(?:[-+*]|[0-9]{1,9}[.)])(?:[ \t]|$)")
_JOINS = (" ", "\t", ":", "~")
"""A line that begins with one of these would belong to the block before it, even after an empty line."""
_ENTITY = re.compile("&(?:#|[A-Za-z])")
_BEFORE = frozenset("]!\\*_~^=`$")
_BEHIND = frozenset("{*_~^=`$")
"""Next to these characters, brackets would be another kind of link, or emphasis would begin or end elsewhere."""
_MUCH = 1_000_000
"""The maximum number of characters to search in a block, once for each of its links; longer blocks get no links."""


def as_written(text: str, tokens: Sequence[Token], tags: Sequence[Token], options: ParseOptions) -> AsWritten | None:
    """The source as its Markdown version can have it, in which links that only the page has are written as links, too.

    Args:
        text: the text that was parsed.
        tokens: the parser's tokens, with the lines of this text.
        tags: those tokens that are raw HTML or contain some.
        options: the parse options of the site.

    Returns:
        `None` if the Markdown must be generated from HTML.
    """
    hidden = _hidden_lines(text, tokens, tags, options)
    if hidden is None or ((options.extensions or "){" in text) and any(map(_is_extension, tokens))):
        return None
    return AsWritten(_with_spoken_links(text, tokens) if options.prose else text, hidden)


def _hidden_lines(
    text: str, tokens: Sequence[Token], tags: Sequence[Token], options: ParseOptions
) -> tuple[Hidden, ...] | None:
    """The lines to remove because readers do not see them; `None` if the Markdown must be generated from HTML."""
    if any(plugin.markdown for plugin in load(options.plugins)):
        return None
    if ESCAPE in text or "\r" in text or "hide_lines" in text:
        return None
    if _CALLS[options.dialect].search(text) or (options.html == "escape" and _TAG.search(text)):
        return None
    if any(not _is_comment(token) for token in tags):
        return None
    if _may_be_code_elsewhere(text, tokens) or _may_be_html_elsewhere(text, tokens) or _ends_in_code(text, tokens):
        return None
    markers = _MDX.search(text) is not None
    return tuple(_hidden(tokens, markers=markers)) if tags or markers else ()


def _may_be_code_elsewhere(text: str, tokens: Sequence[Token]) -> bool:
    """Whether parsers without formulas or definition lists may find HTML in them, or other ends of code."""
    has_terms = "`" in text and any(token.type == "dl_open" for token in tokens)  # code may begin in a term
    return has_terms or _has_markup_in_formula(text, tokens)


def _may_be_html_elsewhere(text: str, tokens: Sequence[Token]) -> bool:
    """Whether other parsers may find elements, or attributes that run, where this one found text, code or nothing.

    Only code that every parser finds may contain what runs: between plain fences, and in plain code spans.
    """
    if "{" in text and may_have_handler(text):
        return True
    count = count_active(text) if "<" in text else 0
    if not count:
        return False
    lines = text.split("\n")
    code = [token for token in tokens if token.type in ("code_block", "fence")]
    if any(count_active(f"\n{token.content}") for token in code):
        if not all(_is_plain_fence(token, lines) for token in code):
            return True
        count -= sum(count_active(f"\n{token.content}") for token in code)
    count -= sum(count_active(token.content) for token in tokens if token.type == "html_block")
    for opening, token in pairwise(tokens):
        if token.type == "inline" and opening.type in _WITH_PLAIN_CODE and _has_plain_code(token):
            spans = [child for child in token.children or () if child.type == "code_inline"]
            count -= sum(count_active(span.content) for span in spans)
    return count != 0


_WITH_PLAIN_CODE = frozenset({"paragraph_open", "heading_open"})  # in tables, other parsers see no cells


def _has_plain_code(inline: Token) -> bool:
    """Whether every parser finds the same code spans in a block: in single backticks that are paired in each line."""
    content = inline.content
    if "``" in content or "\\`" in content or "`{" in content:
        return False
    ticks = sum(2 for child in inline.children or () if child.type == "code_inline")
    return ticks == content.count("`") and not any(line.count("`") % 2 for line in content.split("\n"))


def _ends_in_code(text: str, tokens: Sequence[Token]) -> bool:
    """Whether a fence of a text is not closed: it may go on in what follows in another file."""
    lines = text.split("\n") if any(token.type == "fence" for token in tokens) else []
    return any(token.type == "fence" and not _is_closed(token, lines) for token in tokens)


def _is_closed(fence: Token, lines: Sequence[str]) -> bool:
    start, end = fence.map or (0, 0)
    last = lines[end - 1].strip("> \t")
    return end - start > 1 and last.startswith(fence.markup) and not last.strip(fence.markup[:1])


def _is_plain_fence(code: Token, lines: Sequence[str]) -> bool:
    """Whether every parser finds a block of code: between backticks at the beginnings of lines, with none inside."""
    start, end = code.map or (0, 0)
    if code.type != "fence" or not lines[start].startswith("```") or not _is_closed(code, lines):
        return False
    is_named = _LANGUAGE.fullmatch(code.info.strip()) is not None
    return is_named and lines[end - 1].startswith("```") and not _FENCE_INSIDE.search(code.content)


_FENCE_INSIDE = re.compile("```|~~~")
_LANGUAGE = re.compile(r"[\w#.+-]*")


def _has_markup_in_formula(text: str, tokens: Iterable[Token]) -> bool:
    """Whether a parser without formulas may find HTML or code in one of them."""
    if not has_math(text):
        return False
    some = (one for token in tokens for one in (token, *(token.children or ())))
    formulas = [one.content for one in some if one.tag == "math"]
    return any(has_fence(tex) or has_tag(tex) for tex in formulas)


def _with_spoken_links(text: str, tokens: Iterable[Token]) -> str:
    """The text with Markdown links for the links that features add to prose on the page.

    Args:
        text: the text that was parsed.
        tokens: the parser's tokens, with the lines of this text.

    Returns:
        The text with the same number of lines. Words that occur in their block more or less often than they are links
        stay as they are, since it is not certain which occurrences are meant.
    """
    blocks: dict[Lines, list[Spoken]] = {}
    for token in tokens:
        if token.meta.get("speaks") and token.map and token.map[0] < token.map[1]:  # terms in lists have no lines
            blocks.setdefault((token.map[0], token.map[1]), []).extend(made_links(token.children or ()))
    lines = text.split("\n")
    for (start, end), links in blocks.items():
        if links:
            lines[start:end] = _linked("\n".join(lines[start:end]), links).split("\n")
    return "\n".join(lines)


def _linked(block: str, links: Sequence[Spoken]) -> str:
    """The lines of a block, with links in place of the words that are links on the page."""
    if len(links) * len(block) > _MUCH or _ENTITY.search(block):  # an entity may be part of words that are links
        return block
    wanted = Counter(words for words, _ in links)
    urls: dict[str, set[str]] = {}
    for words, url in links:
        urls.setdefault(words, set()).add(url)
    places: list[tuple[int, str]] = []
    for words, count in wanted.items():
        found = list(_occurrences(words, block))
        if len(found) == count and len(urls[words]) == 1 and not any(_is_beside(block, at, words) for at in found):
            places += [(at, words) for at in found]
    pieces: list[str] = []
    done = 0
    for at, words in sorted(places):
        if at < done:
            return block
        pieces += (block[done:at], f"[{words}]({address(*urls[words])})")
        done = at + len(words)
    return "".join((*pieces, block[done:]))


def _occurrences(words: str, block: str) -> Iterator[int]:
    at = block.find(words)
    while at >= 0:
        yield at
        at = block.find(words, at + 1)


def _is_beside(block: str, at: int, words: str) -> bool:
    """Whether brackets around words would mean something else, or change the meaning of the characters next to them."""
    end = at + len(words)
    return (at > 0 and block[at - 1] in _BEFORE) or (end < len(block) and block[end] in _BEHIND)


_EXTENDED = frozenset({"mark_open", "sup_open", "sub_open"})
_ATTRIBUTES = frozenset({"class", "width", "height"})


def _is_extension(token: Token) -> bool:
    """Whether a block has syntax of an extension, which other programs would show as text."""
    if token.children:
        return any(child.type in _EXTENDED or _ATTRIBUTES & child.attrs.keys() for child in token.children)
    return token.type in ("alert_open", "details_open") and token.markup[:1] in ("!", "?", ":")


def _is_comment(token: Token) -> bool:
    """Whether an HTML block is a comment with nothing else on its lines, and not inside another block."""
    return token.type == "html_block" and not token.level and _COMMENT.fullmatch(token.content) is not None


def _hidden(tokens: Sequence[Token], *, markers: bool) -> Iterator[Hidden]:
    """The lines of comments, and with `markers` also of paragraphs that only mark the end of an excerpt."""
    after_list = False
    for index, token in enumerate(tokens):
        if token.type == "html_block" or (
            markers and token.type == "paragraph_open" and is_marker_paragraph(tokens[index + 1].content)
        ):
            if token.map:
                yield Hidden(token.map[0], token.map[1], after_list)
        elif not token.level and token.nesting >= 0:
            after_list = token.type in _LISTS


def markdown_of_text(text: str, hidden: Sequence[Hidden], refs: Sequence[Ref]) -> Pieces | None:
    """A text with a hole for each of its links and images.

    Args:
        text: a text that can be used as written.
        hidden: the lines to remove.
        refs: the targets of its links and images.

    Returns:
        `None` if the positions of some of them are not certain.
    """
    text = _without(text, hidden) if hidden else text
    text = text.strip("\n")
    if not text:
        return ()
    text += "\n"
    wanted: dict[str, list[int]] = {}
    for index, ref in enumerate(refs):
        if ref.span.path and not ref.shown:
            wanted.setdefault(ref.target, []).append(index)
    if not wanted:
        return (text,)
    places = _destinations(text, wanted)
    return None if places is None else _cut(text, places)


def _destinations(text: str, wanted: dict[str, list[int]]) -> list[tuple[int, int, int]] | None:
    """The start, the end and the index of each destination, in order; `None` if some text only shows a destination."""
    found: list[tuple[int, int, int]] = []
    counts = dict.fromkeys(wanted, 0)
    for place in _DESTINATION.finditer(text):
        target = place[1] if place[1] is not None else place[2]
        if target not in wanted:
            if ("\\" in target or "&" in target) and unescapeAll(target) in wanted:
                return None
            continue
        count = counts[target]
        if count == len(wanted[target]):
            return None
        found.append((*place.span(1 if place[1] is not None else 2), wanted[target][count]))
        counts[target] = count + 1
    for place in _DEFINITION.finditer(text) if "]:" in text else ():
        target = place[1] if place[1] is not None else place[2]
        if target in wanted:
            if counts[target] not in (0, len(wanted[target]) + 1):
                return None
            found.append((*place.span(1 if place[1] is not None else 2), wanted[target][-1]))
            counts[target] = len(wanted[target]) + 1
    return sorted(found) if all(counts[target] >= len(wanted[target]) for target in wanted) else None


def _cut(text: str, places: Iterable[tuple[int, int, int]]) -> Pieces:
    pieces: list[str | int] = []
    done = 0
    for start, end, index in places:
        pieces += (text[done:start], index)
        done = end
    pieces.append(text[done:])
    return tuple(piece for piece in pieces if piece != "")


def _without(text: str, hidden: Sequence[Hidden]) -> str:
    """A text without some lines. The parts before and after them stay separate blocks."""
    lines = text.split("\n")
    for start, end, after_list in sorted(hidden, reverse=True):
        behind = end
        while behind < len(lines) and not lines[behind].strip():
            behind += 1
        between = [""] if start and lines[start - 1].strip() else []
        if start and behind < len(lines):
            following = lines[behind]
            if following.startswith(_JOINS) or (after_list and _ITEM.match(following)):
                between += (NOTHING, "")
        lines[start:behind] = between
    return "\n".join(lines)


def with_markdown(body: Body, written: AsWritten | None, writer: BodyWriter) -> Body:
    """A body, extended by its Markdown.

    Args:
        body: the HTML of the body.
        written: the source as the Markdown version can have it, if it can.
        writer: the writer of the body, which has its links and diagnostics.
    """
    own: Pieces | None = None
    is_left_out = any(item.code == "unsafe-url" for item in writer.diagnostics)
    if written is not None and not is_left_out and not leads_to_script(written.text):
        own = markdown_of_text(written.text, written.hidden, writer.refs)
    if own is None:
        from devlog.features.markdown_versions.parse.html_to_markdown import (
            markdown_of,  # imported here since most sources are used as written
        )

        own = markdown_of(body, writer.refs, writer.t)
    return Body(body.pieces, tuple([piece.encode() if isinstance(piece, str) else piece for piece in own]))
