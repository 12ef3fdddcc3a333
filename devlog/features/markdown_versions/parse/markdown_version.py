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

from devlog.model.document import LABEL, Body, Ref
from devlog.model.markdown import (
    NOTHING,
    AsWritten,
    Hidden,
    address,
    count_active,
    count_tags,
    escaped,
    fence_of,
    has_fence,
    has_tag,
    leads_to_script,
    may_close_value,
    may_have_handler,
)
from devlog.parse.code.ansi import ESCAPE
from devlog.parse.code.highlight import read_info
from devlog.parse.markdown.attributes import take_from_heading
from devlog.parse.markdown.body import BodyWriter
from devlog.parse.markdown.excerpt import is_marker_paragraph
from devlog.parse.markdown.made_links import made_links
from devlog.parse.markdown.math import has_math
from devlog.parse.options import ParseOptions
from devlog.plugins.loading import load

if TYPE_CHECKING:
    from devlog.features.markdown_versions.parse.html_to_markdown import Pieces

Lines = tuple[int, int]
"""A range of lines: the first one, and the one after the last."""

Spoken = tuple[str, str]
"""The words of a link, and the URL that they lead to."""


_DEFINES_NOTE = re.compile(r"^[ \t>]*\[\^[^\]\s]+\]:", re.MULTILINE)
_COMMENT = re.compile(r"\s*<!--((?!-->).)*-->\s*", re.DOTALL)
_DESTINATION = re.compile(r"\]\([ \t\n]*(?:<([^<>\n]*)>|([^\s()<]*(?:\([^\s()]*\)[^\s()]*)*))")
_NOTE = re.compile(r"(?<=\[\^)(?=[^\[\]\s]+\])")
"""Where the label of a footnote begins: where it is shown and where it is defined."""
_TAG = re.compile(r"<[A-Za-z/!?]")
_CALLS = {
    "devlog": re.compile(r"\{(?:\{[<%]|%-?\s*(?:asset|post)_)"),
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
    has_notes = _has_notes(text, tokens)
    if has_notes is None or not _is_only_in_code("]:", _without_notes(text) if has_notes else text, tokens):
        return None
    lines = text.split("\n")
    fences = _plain_fences(text, lines, tokens)
    if fences is None or ("{" in text and not _cut_attributes(lines, tokens)):
        return None
    if options.prose:
        lines = _with_spoken_links(lines, tokens)
    for number, line in fences.items():
        lines[number] = line
    return AsWritten(lines, hidden, has_notes)


def _cut_attributes(lines: list[str], tokens: Sequence[Token]) -> bool:
    """Cut attributes, which only the page has, from the lines of headings; returns whether that was possible."""
    for opening, heading in pairwise(tokens):
        if opening.type != "heading_open" or not take_from_heading(heading):
            continue
        start, end = opening.map or (0, 1)
        last = start if opening.markup[:1] == "#" else end - 2
        line = lines[last][: lines[last].rfind("{")].rstrip()
        if not line.strip("#> \t") or line.endswith(("#", "\\")):  # what remains would be read in another way
            return False
        lines[last] = line
    return True


def _has_notes(text: str, tokens: Sequence[Token]) -> bool | None:
    """Whether a text has footnotes, all of which are shown; `None` if it is not certain what is one."""
    if _is_only_in_code("[^", text, tokens):
        return False
    notes = sum(1 for token in tokens if token.type == "footnote_open" and token.meta.get("label"))
    notes += sum(1 for token in tokens for child in token.children or () if "label" in child.meta)
    is_certain = text.count("[^") == len(_NOTE.findall(text)) == notes
    return True if is_certain and not any("[^" in code for code in _codes(tokens)) else None


def _without_notes(text: str) -> str:
    """A text without what defines footnotes at the beginnings of lines."""
    return _DEFINES_NOTE.sub("", text)


def _is_only_in_code(wanted: str, text: str, tokens: Iterable[Token]) -> bool:
    """Whether some characters are only in code and in comments.

    What defines a label anywhere in a text, defines it everywhere in the file that the text becomes a part of.
    """
    return wanted not in text or text.count(wanted) == sum(code.count(wanted) for code in _codes(tokens))


def _codes(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in ("code_block", "fence", "html_block"):
            yield token.content
        for span in token.children or ():
            if span.type == "code_inline":
                yield span.content


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
    if _may_be_code_elsewhere(text, tokens) or _may_be_html_elsewhere(text, tokens):
        return None
    markers = _MDX.search(text) is not None
    return tuple(_hidden(tokens, markers=markers)) if tags or markers else ()


def _may_be_code_elsewhere(text: str, tokens: Sequence[Token]) -> bool:
    """Whether parsers without formulas or definition lists may find HTML in them, or other ends of code."""
    has_terms = "`" in text and any(token.type == "dl_open" for token in tokens)  # code may begin in a term
    return has_terms or _has_markup_in_formula(text, tokens)


def _may_be_html_elsewhere(text: str, tokens: Sequence[Token]) -> bool:
    """Whether other parsers may find elements, or attributes that run, where this one found text, code or nothing.

    A tag may begin only in code, in a formula or in a comment, and only code that every parser finds may contain what
    runs: between fences at the beginnings of lines, and in plain code spans.
    """
    if "`{=" in text or text.rfind("{:") > text.rfind("}"):  # an output format, or a list that ends in another text
        return True
    code = [token for token in tokens if token.type in ("code_block", "fence")]
    if "{" in text and may_have_handler(_without_fences(text, code)):
        return True
    if "<" not in text:
        return may_close_value(text)
    return _has_open_tag(text, tokens, code) or _may_run_elsewhere(text, tokens, code)


def _without_fences(text: str, code: Iterable[Token]) -> str:
    """A text without the blocks of code between fences that are in no other block."""
    lines = text.split("\n")
    for token in code:
        if token.type == "fence" and not token.level and token.map:
            lines[slice(*token.map)] = [""] * (token.map[1] - token.map[0])
    return "\n".join(lines)


def _has_open_tag(text: str, tokens: Iterable[Token], code: Iterable[Token]) -> bool:
    """Whether a tag may begin outside of code: even if it is none by itself, something may follow that completes it."""
    shown = [*code, *(token for token in tokens if token.type == "html_block"), *_formulas(text, tokens)]
    spans = [span for token in tokens for span in token.children or () if span.type == "code_inline"]
    return count_tags(text) != sum(count_tags(token.content) for token in (*shown, *spans))


def _may_run_elsewhere(text: str, tokens: Sequence[Token], code: Sequence[Token]) -> bool:
    """Whether what runs may be outside of the code that every parser finds."""
    count = count_active(text)
    if not count:
        return False
    if any(token.type != "fence" and count_active(f"\n{token.content}") for token in code):
        return True
    count -= sum(count_active(f"\n{token.content}") for token in code)
    count -= sum(count_active(token.content) for token in tokens if token.type == "html_block")
    if not all(_has_plain_code(token) for token in tokens if token.type == "inline"):  # it may go on in the next block
        return count != 0
    for opening, token in pairwise(tokens):
        if token.type == "inline" and opening.type in _WITH_PLAIN_CODE and "|" not in token.content:
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


def _plain_fences(text: str, lines: Sequence[str], tokens: Iterable[Token]) -> dict[int, str] | None:
    """The lines of fences as all parsers that know any find them, by their numbers, where these differ.

    Parsers differ in what else is a fence. A line that only some of them take for one turns all later code inside out,
    even that of other posts in a file with several. So each line that looks like a fence must be one.

    Returns:
        `None` if some fence must be written anew, from HTML.
    """
    fences = [token for token in tokens if token.type == "fence" and token.map]
    edges = [line for token in fences if token.map for line in (lines[token.map[0]], lines[token.map[1] - 1])]
    if len(_LIKE_FENCE.findall(text)) != sum(1 for line in edges if _LIKE_FENCE.match(line)):
        return None
    changed: dict[int, str] = {}
    for token in fences:
        start, end = token.map or (0, 0)
        before, mark, info = lines[start].partition(token.markup)
        is_whole = end - start > 2 and token.content.strip() and _is_closed(token, lines)
        if not is_whole or before.strip(" >") or (before and count_active(f"\n{token.content}")):
            return None
        is_plain = f"{mark}{info}" == fence_of(info)
        is_apart = before or not start or not lines[start - 1].strip()
        if before and not (is_plain and lines[end - 1] == f"{before}```"):
            return None
        if not before:
            changed[end - 1] = "```"
        if not (is_plain and is_apart):
            changed[start] = ("" if is_apart else "\n") + (lines[start] if is_plain else _opening(info))
    return changed


_LIKE_FENCE = re.compile(r"^[ \t>]*(?:(?:[-+*:]|\d{1,9}[.)])[ \t>]+)*(?:```|~~~+[ \t]*$)", re.MULTILINE)


def _opening(info: str) -> str:
    """The line that begins the code of a fence, and above it its title."""
    fence = read_info(unescapeAll(info))
    title = " ".join((fence.title or fence.tab or "").split())
    return (f"*{escaped(title)}*\n\n" if title else "") + fence_of(fence.language)


def _is_closed(fence: Token, lines: Sequence[str]) -> bool:
    """Whether a fence has an end: otherwise it may go on in what follows in another file."""
    last = lines[(fence.map or (0, 0))[1] - 1].strip("> \t")
    return last.startswith(fence.markup) and not last.strip(fence.markup[:1])


def _has_markup_in_formula(text: str, tokens: Iterable[Token]) -> bool:
    """Whether a parser without formulas may find HTML or code in one of them."""
    return any(has_fence(formula.content) or has_tag(formula.content) for formula in _formulas(text, tokens))


def _formulas(text: str, tokens: Iterable[Token]) -> list[Token]:
    if not has_math(text):
        return []
    some = (one for token in tokens for one in (token, *(token.children or ())))
    return [one for one in some if one.tag == "math"]


def _with_spoken_links(source: Sequence[str], tokens: Iterable[Token]) -> list[str]:
    """A text with Markdown links for the links that features add to prose on the page.

    Args:
        source: the lines of the text that was parsed.
        tokens: the parser's tokens, with the lines of this text.

    Returns:
        The same number of lines. Words that occur in their block more or less often than they are links
        stay as they are, since it is not certain which occurrences are meant.
    """
    blocks: dict[Lines, list[Spoken]] = {}
    for token in tokens:
        if token.meta.get("speaks") and token.map and token.map[0] < token.map[1]:  # terms in lists have no lines
            blocks.setdefault((token.map[0], token.map[1]), []).extend(made_links(token.children or ()))
    lines = list(source)
    for (start, end), links in blocks.items():
        if links:
            lines[start:end] = _linked("\n".join(lines[start:end]), links).split("\n")
    return lines


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


def markdown_of_text(written: AsWritten, refs: Sequence[Ref]) -> Pieces | None:
    """A text with a hole for each of its links and images, and before each label of a footnote.

    Args:
        written: a text that can be used as written.
        refs: the targets of its links and images.

    Returns:
        `None` if the positions of some of them are not certain.
    """
    text = "\n".join(_without(written.lines, written.hidden)).strip("\n")
    if not text:
        return ()
    text += "\n"
    wanted: dict[str, list[int]] = {}
    for index, ref in enumerate(refs):
        if ref.span.path and not ref.shown:
            wanted.setdefault(ref.target, []).append(index)
    places = _destinations(text, wanted) if wanted else []
    if places is None:
        return None
    labels = [(*label.span(), LABEL) for label in _NOTE.finditer(text)] if written.has_notes else []
    return _cut(text, sorted((*places, *labels)))


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
    return sorted(found) if all(counts[target] == len(wanted[target]) for target in wanted) else None


def _cut(text: str, places: Iterable[tuple[int, int, int]]) -> Pieces:
    pieces: list[str | int] = []
    done = 0
    for start, end, index in places:
        pieces += (text[done:start], index)
        done = end
    pieces.append(text[done:])
    return tuple(piece for piece in pieces if piece != "")


def _without(source: Sequence[str], hidden: Sequence[Hidden]) -> list[str]:
    """The lines of a text without some of them. The parts before and after these stay separate blocks."""
    lines = list(source)
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
    return lines


def with_markdown(body: Body, written: AsWritten | None, writer: BodyWriter) -> Body:
    """A body, extended by its Markdown.

    Args:
        body: the HTML of the body.
        written: the source as the Markdown version can have it, if it can.
        writer: the writer of the body, which has its links and diagnostics.
    """
    own: Pieces | None = None
    is_left_out = any(item.code == "unsafe-url" for item in writer.diagnostics)
    if written is not None and not is_left_out and not leads_to_script("\n".join(written.lines)):
        own = markdown_of_text(written, writer.refs)
    if own is None:
        from devlog.features.markdown_versions.parse.html_to_markdown import (
            markdown_of,  # imported here since most sources are used as written
            with_sources,
        )

        own = markdown_of(with_sources(body, writer.chart_sources), writer.refs, writer.t)
    return Body(body.pieces, tuple([piece.encode() if isinstance(piece, str) else piece for piece in own]))
