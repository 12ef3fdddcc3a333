"""Rules for a Markdown parser that parse shortcodes."""

from __future__ import annotations

from bisect import bisect_left
from functools import partial
from typing import TYPE_CHECKING, Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from devlog.model.included import is_inclusion
from devlog.model.shortcode_tag import Shortcode
from devlog.parse.markdown.boxes import close_alert, close_details, open_alert, open_details, push_line
from devlog.parse.markdown.tabs import title_tokens
from devlog.parse.shortcodes import paired
from devlog.parse.shortcodes.block_arguments import block_arguments, has_caption
from devlog.parse.shortcodes.inclusion import Extract, extract_of
from devlog.parse.shortcodes.matching import Pair, find_pairs, read_escape, read_tag

if TYPE_CHECKING:
    from devlog.parse.markdown.body import BodyWriter

DEEPEST = 8
"""Paired shortcodes that are nested more deeply are read as if they were not closed."""


def shortcode_plugin(md: MarkdownIt) -> None:
    """Add the rules for shortcodes to a parser: see `_push` for their tokens.

    If ``zola`` is set in the parser's ``env``, Zola's shortcodes are read too.
    """
    ends = ["paragraph", "reference", "blockquote", "list"]
    md.block.ruler.before("html_block", "shortcode_block", _block_rule, {"alt": ends})
    md.inline.ruler.before("escape", "shortcode", _inline_rule)


def _pairs(state: Any) -> dict[int, Pair]:
    """The pairs of tags in the text of a parser's state, computed once per text."""
    known: dict[str, dict[int, Pair]] = state.env.setdefault("shortcode_pairs", {})
    pairs = known.get(state.src)
    if pairs is None:
        pairs = known[state.src] = find_pairs(state.src, zola=_is_zola(state))
    return pairs


def _is_zola(state: Any) -> bool:
    return bool(state.env.get("zola"))


def _push(state: Any, shortcode: Shortcode, *, inside: bool) -> Token:
    """Push a token of the type ``shortcode``.

    Its ``meta`` contains the tag, and whether the shortcode's content follows in tokens of its own.
    """
    token: Token = state.push("shortcode", "", 0)
    token.meta = {"shortcode": shortcode, "inside": inside}
    return token


def _push_end(state: Any, opening: Token) -> None:
    """Push a token for the end of a shortcode's content, if the site defines the shortcode."""
    if opening.meta["shortcode"].name in state.env.get("shortcodes", ()):
        state.push("shortcode_end", "", 0).meta = {"opening": opening}


# -- blocks


def _block_rule(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    start = state.bMarks[start_line] + state.tShift[start_line]
    if not state.src.startswith(("{{", "{%"), start) or state.is_code_block(start_line):
        return False
    read = read_tag(state.src, start, zola=_is_zola(state))
    if read is None:
        return False
    shortcode, end = read
    pair = _pairs(state).get(start) if shortcode.role == "open" else None
    last = _last_line(state, pair.end if pair else end, start_line, end_line)
    if last < 0 or (silent and not _interrupts(shortcode, pair, state.src[end : pair.inside_end] if pair else "")):
        return False
    if pair and state.env.get("shortcode_depth", 0) >= DEEPEST:
        return False
    if not silent:
        _write_block(state, shortcode, end, pair, (start_line, last + 1))
        _go_on(state, pair.end if pair else end, start_line, last)
    return True


def _last_line(state: StateBlock, end: int, start_line: int, end_line: int) -> int:
    """The line on which a shortcode ends; -1 if text follows there.

    On a line below its first, another tag may follow.
    """
    line = bisect_left(state.eMarks, end, start_line)
    if line >= end_line:
        return -1
    rest = state.src[end : state.eMarks[line]].lstrip()
    return line if not rest or (line > start_line and rest.startswith(("{{<", "{{%"))) else -1


def _go_on(state: StateBlock, end: int, start_line: int, last: int) -> None:
    """Continue after a shortcode: with the rest of its last line, if it is not blank."""
    rest = state.src[end : state.eMarks[last]]
    if not rest.strip():
        state.line = last + 1
        return
    state.line = last
    state.bMarks[last] = end + len(rest) - len(rest.lstrip())
    state.tShift[last] = 0
    state.sCount[last] = state.sCount[start_line]


def _interrupts(shortcode: Shortcode, pair: Pair | None, inside: str) -> bool:
    """Whether a shortcode ends the paragraph before it, even without an empty line between them."""
    if has_caption(shortcode):
        return True
    if pair is None:
        return is_inclusion(shortcode)
    return "\n" in inside or paired.kind_of(shortcode.name) is not None


def _write_block(state: StateBlock, shortcode: Shortcode, end: int, pair: Pair | None, lines: tuple[int, int]) -> None:
    """Push the tokens of a shortcode that occupies the given lines."""
    kind = paired.kind_of(shortcode.name)
    if pair and kind == "comment":
        return
    text, first = "", lines[0]
    if pair:
        text, first = _inside(state, end, pair, lines)
    elif shortcode.role == "alone" and kind:
        text = paired.own_text(shortcode)
    opening: Token | None = None
    if not pair and is_inclusion(shortcode) and _include(state, shortcode, lines):
        return
    if kind is None or not (pair or text) or (kind == "html" and not state.md.options["html"]):
        opening = _push(state, shortcode, inside=bool(pair))
        opening.block = True
        opening.map = list(lines)
    elif kind in ("code", "html"):
        token = state.push("fence" if kind == "code" else "html_block", "code" if kind == "code" else "", 0)
        token.info = paired.code_info(shortcode) if kind == "code" else ""
        token.content = text.removeprefix("\n").rstrip() + "\n"
        token.map = list(lines)
        return
    else:
        _open_wrapper(state, kind, shortcode, lines)
    if text and kind == "tab" and paired.tab_language(shortcode):
        fence = state.push("fence", "code", 0)
        fence.info = paired.tab_language(shortcode)
        fence.content = text.removeprefix("\n").rstrip() + "\n"
        fence.map = list(lines)
    elif text:
        _parse_inside(state, text, first, lines)
    if opening and pair:
        _push_end(state, opening)
    if kind and (pair or text) and kind != "html":
        _close_wrapper(state, kind, shortcode, lines)


def _include(state: StateBlock, shortcode: Shortcode, lines: tuple[int, int]) -> bool:
    """Push a fence with the part of a file that a tag shows; returns whether there is one."""
    writer: BodyWriter | None = state.env.get("writer")
    if writer is None:
        return False
    extract = extract_of(shortcode, writer.included, partial(writer.inclusion.take, span=writer.finder.find("", lines)))
    if not isinstance(extract, Extract):
        return False  # the reason is reported with the tag
    token = state.push("fence", "code", 0)
    token.info, token.content, token.map = extract.info, extract.content, list(lines)
    token.meta = {"included": extract}
    return True


def _inside(state: StateBlock, end: int, pair: Pair, lines: tuple[int, int]) -> tuple[str, int]:
    """The content of a shortcode without the prefixes of enclosing lists and quotes, and the line where it begins."""
    opening, closing = bisect_left(state.eMarks, end, lines[0]), bisect_left(state.eMarks, pair.inside_end, lines[0])
    if opening == closing:
        return state.src[end : pair.inside_end], opening
    found = [state.src[end : state.eMarks[opening]]]
    if opening + 1 < closing:
        found.append(state.getLines(opening + 1, closing, state.blkIndent, False))
    last = state.src[state.bMarks[closing] : pair.inside_end]
    return "\n".join([*found, last.lstrip() if state.blkIndent else last]), opening


def _parse_inside(state: StateBlock, text: str, first: int, lines: tuple[int, int]) -> None:
    """Parse the content of a shortcode as blocks, with the line numbers of the document."""
    nested = type(state)(text, state.md, state.env, state.tokens)
    nested.level = state.level
    before = len(state.tokens)
    state.env["shortcode_depth"] = state.env.get("shortcode_depth", 0) + 1
    state.md.block.tokenize(nested, 0, nested.lineMax)
    state.env["shortcode_depth"] -= 1
    for token in state.tokens[before:]:
        if token.map:
            token.map = [min(line + first, lines[1]) for line in token.map]


def _open_wrapper(state: StateBlock, kind: str, shortcode: Shortcode, lines: tuple[int, int]) -> None:
    if kind == "alert":
        alert = paired.alert_of(shortcode)
        open_alert(state, alert.kind, alert.title, lines)
    elif kind == "details":
        open_details(state, paired.summary_of(shortcode), lines, opened=paired.is_open(shortcode))
    elif kind in ("tabs", "tab", "gallery"):
        token = state.push(f"{kind}_open", "div", 1)
        title = paired.tab_title(shortcode) if kind == "tab" else ""
        token.attrs = {} if kind == "tab" and not title else {"class": kind}  # a tab without a name cannot be chosen
        if title:
            state.tokens += title_tokens(title, state.level, list(lines))
        token.map = list(lines)
    else:
        state.push("blockquote_open", "blockquote", 1).map = list(lines)


def _close_wrapper(state: StateBlock, kind: str, shortcode: Shortcode, lines: tuple[int, int]) -> None:
    if kind == "alert":
        close_alert(state)
    elif kind == "details":
        close_details(state)
    elif kind in ("tabs", "tab", "gallery"):
        state.push(f"{kind}_close", "div", -1)
    elif kind == "quote":
        credit = paired.credit_of(shortcode)
        if credit:
            push_line(state, "paragraph", "p", credit, lines)
        state.push("blockquote_close", "blockquote", -1)


# -- inside a paragraph


def _inline_rule(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith(("{{", "{%"), state.pos):
        return False
    zola = _is_zola(state)
    escaped = read_escape(state.src, state.pos, zola=zola)
    if escaped:
        if not silent:
            state.pending += escaped[0]
        state.pos = escaped[1]
        return True
    read = read_tag(state.src, state.pos, zola=zola)
    if read is None:
        return False
    shortcode, end = read
    pair = _pairs(state).get(state.pos) if shortcode.role == "open" else None
    if pair and (pair.end > state.posMax or state.level >= state.md.options["maxNesting"]):
        pair = None
    if silent:
        state.pos = pair.end if pair else end
    else:
        _write_inline(state, shortcode, end, pair)
    return True


def _write_inline(state: StateInline, shortcode: Shortcode, end: int, pair: Pair | None) -> None:
    """Push the tokens of a shortcode in a paragraph, which cannot contain blocks: of most, only the content is kept."""
    if pair is None:
        _push(state, shortcode, inside=False)
        state.pos = end
        return
    kind = paired.kind_of(shortcode.name)
    if kind and block_arguments(shortcode):
        _push(state, shortcode, inside=True)  # shows nothing, but reports them
    if kind == "comment":
        pass
    elif kind == "code":
        state.push("code_inline", "code", 0).content = state.src[end : pair.inside_end].strip()
    else:
        opening = _push(state, shortcode, inside=True) if kind is None else None
        last, state.pos, state.posMax = state.posMax, end, pair.inside_end
        state.level += 1
        state.md.inline.tokenize(state)
        state.level -= 1
        state.posMax = last
        if opening:
            _push_end(state, opening)
    state.pos = pair.end
