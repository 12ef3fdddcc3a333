"""Parses kramdown's additions to Markdown: attribute lists, extensions, HTML blocks up to their closing tag, math.

Only attributes that have a meaning in devlog are kept: ids, the sizes of images, the language of code, and the classes
of alerts and of alignment. The others are styles of the previous theme.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, html_block
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

MAX_ITEMS = 50
"""The maximum number of classes, values and names in a combined list: thousands of lists may refer to the same one."""

BLOCK_RULES = {"kramdown": "{^*", "kramdown_math": "$", "kramdown_html": "<"}
"""The block rules, and the characters with which their blocks begin."""
INLINE_RULES = {"kramdown_span": "{", "kramdown_span_math": "$"}
"""The inline rules, and the characters with which their elements begin."""

_ANY = r"(?:\\[{}]|[^{}\n])"
_DEFINITION = re.compile(rf"\{{:(\w[\w-]*):({_ANY}+)\}}\s*")
_LIST = re.compile(rf"\{{:(?![:/])({_ANY}+)\}}\s*")
_STOP = re.compile(r"\{:/\w*\}\s*")
_EXTENSION = re.compile(rf"\{{::(comment|nomarkdown|options)(?:\s{_ANY}*?)?(/)?\}}")
_ABBREVIATION = re.compile(r"\*\[([^\]\n]{1,80})\]:[ \t]*(.*)")
_ATTRIBUTE = re.compile(
    r"""(?:^|(?<=\s))(?:(\w[\w-]*)=(?:"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)')|(\w[\w-]*)|([.#][\w.#:-]+))(?=\s|$)"""
)
_NAME = re.compile(r"([.#])([\w:-]+)")
_ID = re.compile(r"(?!fn(?:ref)?\d|devlog:)[A-Za-z][\w:-]{0,119}")
_STYLE_SIZE = re.compile(r"(?:^|;)\s*(?:max-)?(width|height)\s*:\s*([\w.%]+)")

ALIGNED = {
    **{name: name for name in ("align-center", "align-left", "align-right", "caption", "center", "left", "right")},
    **{name: name for name in ("small", "wide")},
    "centered": "center",
    "text-center": "center",
    "text-right": "right",
}
"""devlog's classes of paragraphs, by the names that Jekyll's themes use for them."""

ALERTS = {
    **dict.fromkeys(("info", "note", "notice", "notice--info", "notice--primary", "prompt-info"), "note"),
    **dict.fromkeys(("notice--success", "prompt-tip", "tip"), "tip"),
    **dict.fromkeys(("notice--warning", "prompt-warning", "warning"), "warning"),
    **dict.fromkeys(("caution", "danger", "notice--danger", "prompt-danger"), "caution"),
    "important": "important",
}
"""Kinds of alerts, by the classes that Jekyll's themes use for them."""


class Attributes(msgspec.Struct, frozen=True):
    """An attribute list: an id, classes, values, and the names of lists that are defined elsewhere."""

    id: str = ""
    classes: tuple[str, ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    names: tuple[str, ...] = ()

    def value(self, name: str) -> str:
        """The value of an attribute; empty if there is none."""
        return dict(self.values).get(name, "")

    def joined(self, other: Attributes) -> Attributes:
        """This list followed by the other one, whose id takes precedence."""
        return Attributes(
            other.id or self.id,
            (*self.classes, *other.classes)[:MAX_ITEMS],
            (*self.values, *other.values)[:MAX_ITEMS],
            (*self.names, *other.names)[:MAX_ITEMS],
        )


def read_attributes(text: str) -> Attributes:
    """Parse the text between ``{:`` and ``}``."""
    found_id, classes, values, names = "", [], [], []
    for found in _ATTRIBUTE.finditer(text.strip()):
        if found[1]:
            values.append((found[1].lower(), found[2] if found[2] is not None else found[3]))
        elif found[4]:
            names.append(found[4])
        else:
            for mark, name in _NAME.findall(found[5]):
                if mark == "#":
                    found_id = name if _ID.fullmatch(name) else ""
                else:
                    classes.append(name)
    return Attributes(found_id, tuple(classes), tuple(values), tuple(names))


def kramdown_plugin(md: MarkdownIt) -> None:
    """Add the rules of kramdown to a parser."""
    md.block.ruler.before("fence", "kramdown", _block_rule, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    md.block.ruler.before("fence", "kramdown_math", _math_rule, {"alt": []})
    if md.options["html"]:  # else raw HTML is text
        ends = ["paragraph", "reference", "blockquote"]
        md.block.ruler.before("html_block", "kramdown_html", _html_rule, {"alt": ends})
    md.block.ruler.at("html_block", _html_block, {"alt": ["paragraph", "reference", "blockquote"]})
    md.inline.ruler.before("escape", "kramdown_span", _span_rule)
    md.inline.ruler.before("escape", "kramdown_span_math", _span_math_rule)
    md.core.ruler.after("block", "kramdown_attributes", _attach_all)
    md.core.ruler.after("inline", "kramdown_abbreviations", _abbreviate)


class _Places(msgspec.Struct):
    """Ends of elements and of other constructs in one text.

    Attributes:
        closing: by the name of an element, the end of each of its closing tags.
        unclosed: by construct, the line up to which no end exists.
    """

    closing: dict[str, dict[int, int]] = msgspec.field(default_factory=dict)
    unclosed: dict[str, int] = msgspec.field(default_factory=dict)


class _Known(msgspec.Struct):
    """What is found in a document while its blocks are parsed: its definitions, and the places in each of its texts.

    The content of a shortcode is a text of its own, whose lines and offsets are not those of the document.
    """

    lists: dict[str, Attributes] = msgspec.field(default_factory=dict)
    abbreviations: dict[str, str] = msgspec.field(default_factory=dict)
    texts: dict[str, _Places] = msgspec.field(default_factory=dict)


def _known(env: Any) -> _Known:
    known: _Known = env.setdefault("kramdown", _Known())
    return known


def _places(state: StateBlock) -> _Places:
    return _known(state.env).texts.setdefault(state.src, _Places())


# -- blocks ----------------------------------------------------------------------------------------------


def _block_rule(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """The rule for lines with an attribute list, a definition, an extension or the end of a block."""
    if state.is_code_block(start_line):
        return False
    line = state.src[state.bMarks[start_line] + state.tShift[start_line] : state.eMarks[start_line]]
    if line.startswith("^"):
        return _one_line(state, start_line, "kramdown_end", silent) if line.strip() == "^" else False
    if line.startswith("*"):
        return _abbreviation(state, start_line, line, silent)
    if line.startswith("{::"):
        return _extension(state, start_line, end_line, line, silent)
    return _attributes_rule(state, start_line, line, silent)


def _attributes_rule(state: StateBlock, start_line: int, line: str, silent: bool) -> bool:
    """The rule for an attribute list, or the definition of a named one."""
    definition = _DEFINITION.fullmatch(line)
    if definition and not silent:
        lists = _known(state.env).lists
        read = read_attributes(definition[2])
        lists[definition[1]] = lists.get(definition[1], Attributes()).joined(read)
    if definition or _STOP.fullmatch(line):
        return _one_line(state, start_line, "kramdown_end", silent)
    attributes = _LIST.fullmatch(line)
    if attributes is None:
        return False
    return _one_line(state, start_line, "kramdown_list", silent, read_attributes(attributes[1]))


def _one_line(state: StateBlock, line: int, kind: str, silent: bool, attributes: Attributes | None = None) -> bool:
    if not silent:
        token = state.push(kind, "", 0)
        token.map = [line, line + 1]
        token.meta = {"attributes": attributes}
        state.line = line + 1
    return True


def _abbreviation(state: StateBlock, start_line: int, line: str, silent: bool) -> bool:
    found = _ABBREVIATION.fullmatch(line)
    if found is None:
        return False
    if not silent:
        _known(state.env).abbreviations[found[1]] = found[2].strip()
    return _one_line(state, start_line, "kramdown_end", silent)


def _extension(state: StateBlock, start_line: int, end_line: int, line: str, silent: bool) -> bool:
    """The rule for extensions: comments, text that is not Markdown, and options."""
    found = _EXTENSION.match(line)
    if found is None:
        return False
    name, rest = found[1], line[found.end() :]
    if found[2] or name == "options":
        if rest.strip():
            return False
        return _one_line(state, start_line, "kramdown_options" if name == "options" else "kramdown_end", silent)
    last = _last_line(state, name, start_line, end_line)
    if last < 0:
        return False
    if silent:
        return True
    shown = "html_block" if state.md.options["html"] else "code_block"
    token = state.push(shown if name == "nomarkdown" else "kramdown_end", "", 0)
    token.map = [start_line, last + 1]
    if name == "nomarkdown":
        text = state.getLines(start_line, last + 1, state.blkIndent, True)
        token.content = _EXTENSION.sub("", re.sub(r"\{:/\w*\}", "", text))
    state.line = last + 1
    return True


def _last_line(state: StateBlock, name: str, start_line: int, end_line: int) -> int:
    """The line on which an extension ends, or -1."""
    known = _places(state)
    if end_line <= known.unclosed.get(name, 0):
        return -1
    for line in range(start_line, end_line):
        text = state.src[state.bMarks[line] : state.eMarks[line]]
        if "{:/" in text and re.search(rf"\{{:/(?:{name})?\}}\s*$", text):
            return line
    known.unclosed[name] = end_line
    return -1


def _math_rule(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """The rule for math on lines of its own, whose content is not parsed as Markdown."""
    start = state.bMarks[start_line] + state.tShift[start_line]
    known = _places(state)
    if (
        not state.src.startswith("$$", start)
        or state.is_code_block(start_line)
        or end_line <= known.unclosed.get("$$", 0)
    ):
        return False
    end = state.src.find("$$", start + 2)
    if end < 0:
        known.unclosed["$$"] = end_line
        return False
    line = bisect_left(state.eMarks, end + 2, start_line)
    if line >= end_line or state.src[end + 2 : state.eMarks[line]].strip():
        return False
    if silent:
        return True
    state.push("paragraph_open", "p", 1).map = [start_line, line + 1]
    inline = state.push("inline", "", 0)
    inline.map = [start_line, line + 1]
    inline.content = state.getLines(start_line, line + 1, state.blkIndent, False).strip()
    inline.children = []
    state.push("paragraph_close", "p", -1)
    state.line = line + 1
    return True


_CONTAINERS = frozenset(
    "address article aside blockquote center dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 "
    "header hgroup li main map menu nav noscript object ol p section table tbody td tfoot th thead tr ul".split()
)
_OF_TEXT = re.compile(
    r"</?(?:a|abbr|acronym|b|bdo|big|br|cite|code|del|dfn|em|i|img|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|time"
    r"|tt|u|var)(?=[\s/>])",
    re.IGNORECASE,
)
_OPENING = re.compile(r"<([a-zA-Z][a-zA-Z0-9]*)((?:\s[^<>]*)?)>")
_CLOSING = re.compile(r"</([a-zA-Z][a-zA-Z0-9]*)\s*>")
_MARKDOWN = re.compile(r"""\smarkdown\s*=\s*["']?(\w+)["']?""")
_STOPS = re.compile(r"""(?:`{3}|~{3})|<[a-zA-Z][^<>]*\smarkdown\s*=\s*["']?(?:1|block|span)""")


def _html_rule(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """The rule for HTML elements, which end at their closing tag even if they contain empty lines."""
    start = state.bMarks[start_line] + state.tShift[start_line]
    opening = _OPENING.match(state.src, start)
    closing = _CLOSING.match(state.src, start)
    if closing and closing[1].lower() in _CONTAINERS and not state.is_code_block(start_line):  # its content is Markdown
        if not silent:
            _push_html(state, start_line, start_line + 1, state.getLines(start_line, start_line + 1, 0, True).lstrip())
            state.line = start_line + 1
        return True
    if opening is None or opening[1].lower() not in _CONTAINERS or state.is_code_block(start_line):
        return False
    name = opening[1].lower()
    end = _closing_tags(state, name).get(start, -1)
    last = bisect_left(state.eMarks, end, start_line) if end >= 0 else end_line
    markdown = _MARKDOWN.search(opening[2])
    if markdown and markdown[1] != "0":
        if opening.end() > state.eMarks[start_line]:
            return False
        return silent or _with_markdown(state, start_line, opening, end if last == start_line else -1)
    if last >= end_line:
        return False
    for line in range(start_line + 1, last + 1):
        if _STOPS.match(state.src, state.bMarks[line] + state.tShift[line]):
            last = line - 1
            break
    if not silent:
        _push_html(state, start_line, last + 1, state.getLines(start_line, last + 1, state.blkIndent, True))
        state.line = last + 1
    return True


def _html_block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """markdown-it's rule, except for lines that begin with an inline tag, which are a paragraph in kramdown."""
    start = state.bMarks[start_line] + state.tShift[start_line]
    if _OF_TEXT.match(state.src, start) and not state.is_code_block(start_line):
        return False
    return html_block(state, start_line, end_line, silent)


def _closing_tags(state: StateBlock, name: str) -> dict[int, int]:
    """For each closed element with a name: the offset at which it begins, and the end of its closing tag."""
    known = _places(state).closing
    if name not in known:
        opened: list[int] = []
        known[name] = {}
        for found in re.finditer(rf"<(/?){name}(?:\s[^<>]*)?>", state.src, re.IGNORECASE):
            if not found[1]:
                opened.append(found.start())
            elif opened:
                known[name][opened.pop()] = found.end()
    return known[name]


def _with_markdown(state: StateBlock, line: int, opening: re.Match[str], end: int) -> bool:
    """Read an element whose content is Markdown: one line of text, or the blocks up to its closing tag."""
    tag = _MARKDOWN.sub("", opening[0])
    _push_html(state, line, line + 1, tag + "\n")
    rest = state.src[opening.end() : state.eMarks[line]]
    closing = f"</{opening[1]}>"
    if end >= 0 and rest.rstrip().lower().endswith(closing.lower()):
        rest = rest.rstrip()[: -len(closing)]
    else:
        closing = ""
    if rest.strip():
        inline = state.push("inline", "", 0)
        inline.map = [line, line + 1]
        inline.content = rest.strip()
        inline.children = []
    if closing:
        _push_html(state, line, line + 1, closing + "\n")
    state.line = line + 1
    return True


def _push_html(state: StateBlock, start: int, end: int, content: str) -> None:
    token = state.push("html_block", "", 0)
    token.map = [start, end]
    token.content = content


# -- attributes of blocks --------------------------------------------------------------------------------


def _attach_all(state: StateCore) -> None:
    """Apply attribute lists on lines of their own to the block before them, or else to the block after them."""
    if not any(token.type.startswith("kramdown_") for token in state.tokens):
        return
    known = _known(state.env)
    kept: list[Token] = []
    opened: dict[int, int] = {}  # by level, the index at which its last block begins
    waiting: dict[int, Attributes] = {}
    behind: dict[int, int] = {}  # by level, the line after the last attribute list
    for token in state.tokens:
        level = token.level
        if token.type == "kramdown_list":
            attributes = _resolved(token.meta["attributes"], known)
            if _is_behind(kept, opened.get(level, -1), token, behind.get(level, -1)):
                behind[level] = token.map[1] if token.map else -1
                _attach(kept, opened[level], attributes)
            else:
                waiting[level] = waiting.get(level, Attributes()).joined(attributes)
            continue
        if token.nesting >= 0:
            opened[level] = len(kept)
        kept.append(token)
        if token.nesting <= 0 and level in waiting and token.type != "kramdown_end":
            _attach(kept, opened[level], waiting.pop(level))
        if token.nesting < 0:
            waiting.pop(level + 1, None)
            opened.pop(level + 1, None)
    state.tokens = [token for token in kept if token.type != "kramdown_end"]


def _resolved(attributes: Attributes, known: _Known) -> Attributes:
    """An attribute list combined with the lists that it refers to."""
    for name in attributes.names:
        if name in known.lists:
            attributes = known.lists[name].joined(attributes)
    return attributes


def _is_behind(kept: Sequence[Token], index: int, token: Token, reached: int) -> bool:
    """Whether a token directly follows the block that begins at `index`, or that block's attributes.

    Args:
        kept: the tokens before it.
        index: where the block begins.
        token: the attribute list.
        reached: the line after the attribute lists of the block so far; -1 if there are none.
    """
    if not kept or index < 0 or kept[-1].level != token.level or kept[-1].type == "kramdown_end":
        return False
    place = kept[index].map
    return place is None or token.map is None or max(place[1], reached) >= token.map[0]


def _attach(tokens: list[Token], index: int, attributes: Attributes) -> None:
    """Apply attributes to the block that begins at `index` and ends with the last token."""
    token = tokens[index]
    if "toc" in attributes.names and token.type in ("bullet_list_open", "ordered_list_open"):
        del tokens[index:]  # the theme shows its own table of contents
        return
    if token.type in ("fence", "code_block"):
        _name_language(token, attributes)
    elif token.type in ("paragraph_open", "blockquote_open"):
        _dress(tokens, index, attributes)
    if attributes.id and token.type == "heading_open":
        token.attrs["id"] = attributes.id
    elif attributes.id and token.type == "anchor_point":  # of the list before: the last id counts, as in kramdown
        token.meta = {"id": attributes.id}
    elif attributes.id:
        anchor = Token("anchor_point", "", 0, level=token.level, block=True)
        anchor.meta = {"id": attributes.id}
        tokens.insert(index, anchor)


def _name_language(token: Token, attributes: Attributes) -> None:
    classes = (name.removeprefix("language-") for name in attributes.classes if name.startswith("language-"))
    language = next(classes, attributes.value("lang"))
    if language and not token.info.strip():
        token.type, token.tag, token.info = "fence", "code", language


def _dress(tokens: list[Token], index: int, attributes: Attributes) -> None:
    """Turn a paragraph or quote into an alert, or align a paragraph, depending on its classes."""
    token, closing = tokens[index], tokens[-1]
    alert = next((ALERTS[name] for name in attributes.classes if name in ALERTS), "")
    if alert:
        opening = Token("alert_open", "div", 1, level=token.level, block=True, map=token.map)
        opening.attrs["class"] = f"markdown-alert markdown-alert-{alert}"
        opening.meta = {"kind": alert}
        title = Token("inline", "", 0, level=token.level + 2, children=[])  # filled later, in the site's language
        title_open = Token("alert_title_open", "p", 1, level=token.level + 1, block=True)
        title_open.attrs["class"] = "markdown-alert-title"
        title_close = Token("alert_title_close", "p", -1, level=token.level + 1, block=True)
        end = Token("alert_close", "div", -1, level=token.level, block=True)
        is_quote = token.type == "blockquote_open"
        tokens[index : index + is_quote] = [opening, title_open, title, title_close]
        if is_quote:
            tokens[-1] = end
        else:
            tokens.append(end)
            token.level, closing.level = token.level + 1, closing.level + 1
    elif token.type == "paragraph_open":
        classes = dict.fromkeys(ALIGNED[name] for name in attributes.classes if name in ALIGNED)
        if classes:
            token.attrs["class"] = " ".join(classes)


# -- text ------------------------------------------------------------------------------------------------


_SPAN = re.compile(rf"\{{:(?![:/])({_ANY}+)\}}")
_SPAN_EXTENSION = re.compile(r"\{::(comment|nomarkdown)(?:\s[^{}\n]{0,200})?\}(.{0,2000}?)\{:/(?:\1)?\}", re.DOTALL)
_DELIMITERS = frozenset("*_~")


def _span_rule(state: StateInline, silent: bool) -> bool:
    """The rule for an attribute list after a link, an image, emphasis or code, and for inline extensions."""
    source, position = state.src, state.pos
    if source.startswith("{::", position):
        return _span_extension(state, silent)
    found = _SPAN.match(source, position)
    if found is None:
        return False
    if position and not silent and not _is_behind_element(state):
        return False  # after text it is text
    if silent and "[" in found[1]:  # if it is text after all, each bracket would look for the end of its label anew
        return False
    if position == 0 and source[found.end() : found.end() + 1] not in (" ", "\n"):
        return False
    if not silent and position:
        _attach_to_span(state, _resolved(read_attributes(found[1]), _known(state.env)))
    state.pos = found.end()
    return True


def _span_extension(state: StateInline, silent: bool) -> bool:
    found = _SPAN_EXTENSION.match(state.src, state.pos)
    if found is None:
        return False
    if not silent and found[1] == "nomarkdown":
        state.pending += found[2]
    state.pos = found.end()
    return True


def _is_behind_element(state: StateInline) -> bool:
    if state.pending or not state.tokens:
        return False
    last = state.tokens[-1]
    return last.type != "text" or not set(last.content) - _DELIMITERS


def _attach_to_span(state: StateInline, attributes: Attributes) -> None:
    token = state.tokens[-1]
    if token.type == "image":
        sizes = dict(_STYLE_SIZE.findall(attributes.value("style")))
        for name in ("width", "height"):
            size = attributes.value(name).strip() or sizes.get(name, "")
            if size:
                token.attrs[name] = size
        if attributes.value("alt") and not token.content:
            token.children = [Token("text", "", 0, content=attributes.value("alt"))]
        if attributes.value("title"):
            token.attrs.setdefault("title", attributes.value("title"))
    if attributes.id:
        state.push("anchor_point", "", 0).meta = {"id": attributes.id}


def _span_math_rule(state: StateInline, silent: bool) -> bool:
    """The rule for math inside a paragraph, whose content is not Markdown."""
    source, position = state.src, state.pos
    if not source.startswith("$$", position):
        return False
    end = source.find("$$", position + 2, state.posMax)
    if end < 0:
        return False
    if not silent:
        state.pending += source[position : end + 2]
    state.pos = end + 2
    return True


_MAY_BEGIN = re.compile(r"(?<!\w).", re.DOTALL)
_WORD = re.compile(r"\w")


def _abbreviate(state: StateCore) -> None:
    """Mark up each abbreviation in text with its expansion."""
    abbreviations = _known(state.env).abbreviations
    if not abbreviations:
        return
    lengths: dict[str, set[int]] = {}
    for name in abbreviations:
        lengths.setdefault(name[0], set()).add(len(name))
    longest_first = {first: sorted(found, reverse=True) for first, found in lengths.items()}
    for token in state.tokens:
        if token.type == "inline" and token.children:
            token.children = [
                piece for child in token.children for piece in _explained(child, abbreviations, longest_first)
            ]


def _explained(child: Token, abbreviations: dict[str, str], lengths: dict[str, list[int]]) -> Iterator[Token]:
    """A token as several, if it is text with abbreviations in it.

    Args:
        child: the token.
        abbreviations: the expansion of each.
        lengths: by their first characters, the lengths of abbreviations, the longest first.
    """
    text = child.content if child.type == "text" else ""
    done = 0
    for found in _MAY_BEGIN.finditer(text):
        name = _abbreviation_at(text, found.start(), abbreviations, lengths) if found.start() >= done else ""
        if not name:
            continue
        yield Token("text", "", 0, level=child.level, content=text[done : found.start()])
        opening = Token("abbr_open", "abbr", 1, level=child.level)
        if abbreviations[name]:
            opening.attrs["title"] = abbreviations[name]
        content = Token("text", "", 0, level=child.level, content=name)
        yield from (opening, content, Token("abbr_close", "abbr", -1, level=child.level))
        done = found.start() + len(name)
    yield Token("text", "", 0, level=child.level, content=text[done:]) if done else child


def _abbreviation_at(text: str, start: int, abbreviations: dict[str, str], lengths: dict[str, list[int]]) -> str:
    """The longest abbreviation that begins at an offset of a text and is a word there; empty if there is none."""
    # Looking them up takes the same time for any number of them, unlike an expression that tries one by one.
    for length in lengths.get(text[start], ()):
        name = text[start : start + length]
        if name in abbreviations and not _WORD.match(text, start + len(name)):
            return name
    return ""
