"""Parses alerts as other generators write them: ``!!! note`` and ``??? note`` of MkDocs, ``:::note`` of Docusaurus.

They become the same elements as GitHub's ``> [!NOTE]``. The key ``admonitions`` in the configuration enables them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

from devlog.parse.markdown.boxes import close_alert, close_details, open_alert, open_details
from devlog.parse.words import ALERTS

BLOCK_RULES = {"admonition": "!?", "container": ":"}
"""The block rules, and the characters with which their blocks begin."""

INDENT = 4
"""The number of columns by which the content of ``!!!`` is indented."""

_KINDS = {
    **{kind: kind for kind in ALERTS},
    **dict.fromkeys(("info", "todo", "abstract", "summary", "tldr", "example", "quote", "cite", "secondary"), "note"),
    **dict.fromkeys(("question", "help", "faq"), "note"),
    **dict.fromkeys(("hint", "success", "check", "done"), "tip"),
    **dict.fromkeys(("warn", "attention"), "warning"),
    **dict.fromkeys(("danger", "error", "failure", "fail", "missing", "bug"), "caution"),
}
"""Kinds of alerts by the words of MkDocs, Docusaurus and VitePress."""
_SYNONYMS = frozenset({"info", "hint", "warn", "attention", "danger"})
"""Words that mean no more than the kind of alert, whose usual title they get; others are titles themselves."""

_BANGS = re.compile(r'(!!!|\?\?\?\+?)[ \t]*([A-Za-z][\w-]*)(?:[ \t]+(?:inline|end)\b)*(?:[ \t]+"([^"]*)")?[ \t]*')
_COLONS = re.compile(r"(:{3,})[ \t]*(?:\{([A-Za-z][\w-]*)\}|([A-Za-z][\w-]*))(?![\w-])")
_END = re.compile(r"(:{3,})[ \t]*")
_FENCE = re.compile(r"(`{3,}(?=[^`]*$)|~{3,})")
_BRACKETED = re.compile(r"\[([^\]]*)\]")
_TITLE = re.compile(r"""\btitle=(?:"([^"]*)"|'([^']*)')""")


class _Box(NamedTuple):
    """An alert or collapsed block, as the line that opens it says."""

    word: str
    title: str | None
    """Its own title: empty if the line has none, `None` if the line says that it has none."""
    mark: str


def admonition_plugin(md: MarkdownIt) -> None:
    """Add the rules to a parser."""
    ends = ["paragraph", "reference", "blockquote", "list"]
    md.block.ruler.before("fence", "admonition", _bang_rule, {"alt": ends})
    md.block.ruler.before("fence", "container", _colon_rule, {"alt": ends})


def known_words() -> tuple[str, ...]:
    """The words that may follow ``!!!`` and ``:::``."""
    return (*_KINDS, "details")


def _bang_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read ``!!! note "Title"`` with its content, which is indented by four columns."""
    if state.is_code_block(start):
        return False
    found = _BANGS.fullmatch(state.src, state.bMarks[start] + state.tShift[start], state.eMarks[start])
    if not found:
        return False
    indent = state.blkIndent + INDENT
    last = after = start + 1
    while last < end and (state.isEmpty(last) or state.sCount[last] >= indent):
        after = after if state.isEmpty(last) else last + 1
        last += 1
    word = found[2].lower()
    if word not in _KINDS and after == start + 1:  # an exclamation
        return False
    if not silent:
        title = None if found[3] == "" else found[3] or ""
        _push(state, _Box(word, title, found[1]), (start, after), after, indent)
        state.line = after
    return True


def _colon_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read ``:::note Title`` up to the line ``:::``, or up to the end of the block around it if there is none."""
    if state.is_code_block(start):
        return False
    begin = state.bMarks[start] + state.tShift[start]
    found = _COLONS.match(state.src, begin, state.eMarks[start])
    if not found:
        return False
    if silent:
        return True
    last, is_closed = _closing(state, start, end)
    word = (found[2] or found[3]).lower()
    box = _Box(word, _title(state.src[found.end() : state.eMarks[start]].strip()), found[1])
    _push(state, box, (start, last + is_closed), last, state.blkIndent, is_closed=is_closed)
    state.line = last + is_closed
    return True


def _title(rest: str) -> str:
    """The title in the rest of a line after ``:::note``: of VitePress, in brackets, or in attributes."""
    bracketed = _BRACKETED.match(rest)
    if bracketed:
        return bracketed[1].strip()
    if rest.startswith("{"):
        named = _TITLE.search(rest)
        return (named[1] or named[2] or "").strip() if named else ""
    return rest.strip("\"'") if rest[:1] in "\"'" and rest[:1] == rest[-1:] else rest


def _closing(state: StateBlock, start: int, end: int) -> tuple[int, bool]:
    """The line that closes the block opened on a line, and whether there is one; else the line after its content.

    Blocks inside it are closed by lines of their own, and lines in code close nothing. The depth of blocks is limited,
    so this takes linear time.
    """
    depth, fence, line = 0, "", start + 1
    while line < end:
        begin, after = state.bMarks[line] + state.tShift[line], state.eMarks[line]
        if begin < after and state.sCount[line] < state.blkIndent:
            break
        mark = _FENCE.match(state.src, begin, after)
        if fence:
            text = state.src[begin:after].rstrip()
            fence = "" if mark and len(text) >= len(fence) and not text.strip(fence[0]) else fence
        elif mark:
            fence = mark[1]
        elif _END.fullmatch(state.src, begin, after):
            if not depth:
                return line, True
            depth -= 1
        elif _COLONS.match(state.src, begin, after):
            depth += 1
        line += 1
    return line, False


def _push(
    state: StateBlock, box: _Box, lines: tuple[int, int], content_end: int, indent: int, *, is_closed: bool = True
) -> None:
    """Push an alert or collapsed block, with the blocks of its content."""
    kind, title = _KINDS.get(box.word, "note"), box.title
    if title == "" and box.word not in ALERTS and box.word not in _SYNONYMS:
        title = box.word.replace("-", " ").capitalize()
    is_details = box.mark.startswith("?") or box.word == "details"
    if is_details:
        title = "" if box.word == "details" and not box.title else title or state.env["writer"].t(ALERTS[kind])
        opening = open_details(state, title, lines, opened=box.mark.endswith("+"))
    else:
        opening = open_alert(state, kind, title, lines)
    opening.markup = box.mark
    if box.word not in _KINDS and box.word != "details":
        opening.meta["unknown"] = box.word
    if not is_closed:
        opening.meta["unclosed"] = True
    before = state.lineMax, state.blkIndent, state.parentType
    state.lineMax, state.blkIndent, state.parentType = content_end, indent, "blockquote"
    state.md.block.tokenize(state, lines[0] + 1, content_end)
    state.lineMax, state.blkIndent, state.parentType = before
    (close_details if is_details else close_alert)(state)
