"""A Markdown text as its twin has it: the writer's own, with holes in place of what only the whole site can tell.

A text that stands for something else than itself, as with a shortcode or with HTML, is written anew from its HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from markdown_it.common.utils import unescapeAll
from markdown_it.token import Token

from devlog.model.document import Body, Ref
from devlog.parse.ansi import ESCAPE
from devlog.parse.body import BodyWriter
from devlog.parse.excerpt import is_marker_paragraph
from devlog.parse.options import ParseOptions

if TYPE_CHECKING:
    from devlog.parse.html_to_markdown import Pieces

Lines = tuple[int, int]
"""Lines of a text: the first, and that behind the last."""

_COMMENT = re.compile(r"\s*<!--((?!-->).)*-->\s*", re.DOTALL)
_DESTINATION = re.compile(r"\]\([ \t\n]*(?:<([^<>\n]*)>|([^\s()<]*(?:\([^\s()]*\)[^\s()]*)*))")
_DEFINITION = re.compile(r"^[ >]*\[[^\]\n]+\]:[ \t\n>]*(?:<([^<>\n]*)>|(\S+))", re.MULTILINE)
_TAG = re.compile(r"<[A-Za-z/!?]")
_CALLS = {
    "devlog": re.compile(r"\{\{[<%]"),
    "zola": re.compile(r"\{[{%]"),
    "jekyll": re.compile(r"\{(?:\{[<%]|:)|^\*\[", re.MULTILINE),
}
"""What begins something that stands for something else, by dialect; a text that only shows such a sign is as rare."""
_MDX = re.compile(r"\{/\*")


def verbatim(
    text: str, tokens: Sequence[Token], tags: Sequence[Token], options: ParseOptions
) -> tuple[Lines, ...] | None:
    """Whether a text can stand in its twin as it is written.

    Args:
        text: as it was parsed.
        tokens: what the parser made of it, with the lines of this text.
        tags: those of them that are raw HTML or have some in a line.
        options: of the site.

    Returns:
        The lines that have to go, since readers do not see them; `None` if the text must be written anew.
    """
    if options.plugins or ESCAPE in text or "\r" in text or "hide_lines" in text:
        return None
    if _CALLS[options.dialect].search(text):  # a search for one character first, which takes half the time
        return None
    if options.html == "escape" and _TAG.search(text):
        return None
    if any(not _is_comment(token) for token in tags):
        return None
    hidden = tuple((token.map[0], token.map[1]) for token in tags if token.map)
    return hidden + _markers(tokens) if _MDX.search(text) else hidden


def _is_comment(token: Token) -> bool:
    """Whether nothing else stands on the lines of a block, which is in no other."""
    return token.type == "html_block" and not token.level and _COMMENT.fullmatch(token.content) is not None


def _markers(tokens: Sequence[Token]) -> tuple[Lines, ...]:
    """Where paragraphs stand that only say where an excerpt ends."""
    return tuple(
        (opening.map[0], opening.map[1])
        for opening, inline in pairwise(tokens)
        if opening.type == "paragraph_open" and opening.map and is_marker_paragraph(inline.content)
    )


def twin_of_text(text: str, hidden: Iterable[Lines], refs: Sequence[Ref]) -> Pieces | None:
    """A text with a hole for each of its references.

    Args:
        text: which `verbatim` finds fit.
        hidden: the lines that have to go.
        refs: what its links and pictures lead to.

    Returns:
        `None` if it is not certain where all of them stand.
    """
    text = _without(text, sorted(hidden)) if hidden else text
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
    places = _places(text, wanted)
    return None if places is None else _cut(text, places)


def _places(text: str, wanted: dict[str, list[int]]) -> list[tuple[int, int, int]] | None:
    """Where destinations begin and end, each with its reference, in order; `None` where a text only shows one."""
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


def _without(text: str, hidden: Sequence[Lines]) -> str:
    """A text without some lines, and without a gap where they were."""
    lines = text.split("\n")
    for start, end in reversed(hidden):
        behind = end
        while behind < len(lines) and not lines[behind].strip() and (not start or not lines[start - 1].strip()):
            behind += 1
        del lines[start:behind]
    return "\n".join(lines)


def with_twin(body: Body, text: str, hidden: Sequence[Lines] | None, writer: BodyWriter) -> Body:
    """A body with the same as Markdown.

    Args:
        body: of the text.
        text: as it was parsed.
        hidden: what `verbatim` says of it.
        writer: what is known of its references and what was wrong with them.
    """
    own: Pieces | None = None
    if hidden is not None and not any(item.code == "unsafe-url" for item in writer.diagnostics):
        own = twin_of_text(text, hidden, writer.refs)
    if own is None:
        from devlog.parse.html_to_markdown import markdown_of  # most texts stand there as they are written

        own = markdown_of(body, writer.refs)
    return Body(body.pieces, own)


def length_of(pieces: Pieces) -> int:
    """How many bytes a text has without what fills its holes."""
    return sum(len(piece.encode()) for piece in pieces if isinstance(piece, str))
