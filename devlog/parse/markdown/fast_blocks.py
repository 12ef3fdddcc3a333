"""A faster version of markdown-it's block parser: at each line it tries only rules that accept its first character."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import accumulate
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.common.utils import mdTrim
from markdown_it.parser_block import ParserBlock
from markdown_it.ruler import Ruler
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token
from markdown_it.utils import EnvType

from devlog.parse.dialects import kramdown
from devlog.parse.markdown import admonitions, math
from devlog.parse.markdown.fast_quotes import Quote, QuoteKey, quote_rule
from devlog.parse.markdown.fast_tokens import make_token
from devlog.parse.markdown.nesting import NestingParser
from devlog.parse.markdown.tasks import is_task_text

Rule = Callable[[StateBlock, int, int, bool], bool]

# The characters with which each rule's blocks begin. Every rule checks that character and rejects any other, so
# skipping the rule for other characters changes nothing but the time.
_BEGINS = {
    "fence": "`~",
    "blockquote": ">",
    "hr": "*-_",
    "list": "*+-0123456789",
    "footnote_def": "[",
    "reference": "[",
    "shortcode_block": "{",
    "attribute_line": "{",
    "html_block": "<",
    "heading": "#",
}
# Rules that depend on something else: the indentation, the next line, or, as the last resort, nothing.
_OTHERS = ("table", "code", "task_text", "lheading", "deflist", "paragraph")
_TABLE = ("|", "-", ":")  # the first characters of a table's second line
_DEFINITION = (":", "~")
# A line that can turn the lines before it into a heading, a table or a definition.
_OTHERWISE = re.compile(r"[=|:~]|-(?:[ \t]*\Z|[^ \t])")
_OPTIONAL = {**kramdown.BLOCK_RULES, **math.BLOCK_RULES, **admonitions.BLOCK_RULES}
_CHAINS = ("paragraph", "reference", "blockquote", "list")


def _by_char(rules: dict[str, Rule]) -> dict[str, tuple[Rule, ...]]:
    table: dict[str, tuple[Rule, ...]] = {}
    for name, rule in rules.items():
        for char in _BEGINS.get(name) or _OPTIONAL.get(name, ""):
            table[char] = (*table.get(char, ()), rule)
    return table


def _ending(rules: dict[str, Rule]) -> Rule:
    """One rule that combines all rules that can end a block; it is called only to check whether one would begin."""
    table = rules.get("table")
    by_char = _by_char(rules)
    if "deflist" in rules:  # here it only looks for the next definition of an open list
        for char in _DEFINITION:
            by_char[char] = (*by_char.get(char, ()), rules["deflist"])

    def ends(state: StateBlock, line: int, end: int, silent: bool) -> bool:
        source, begins, shifts = state.src, state.bMarks, state.tShift
        position = begins[line] + shifts[line]
        for rule in by_char.get(source[position : position + 1], ()):
            if rule(state, line, end, silent):
                return True
        if table is None or line + 1 >= end or not source.startswith(_TABLE, begins[line + 1] + shifts[line + 1]):
            return False
        return table(state, line, end, silent)

    return ends


class _Ruler(Ruler[Rule]):
    """A ruler in which each chain of rules that can end a block is a single combined rule, for all rules to use."""

    def __init__(self, plain: Ruler[Rule]) -> None:
        self.__dict__.update(plain.__dict__)
        rules = plain.getRules("")
        names = dict(zip(rules, plain.get_active_rules(), strict=True))
        self._chains: dict[str, list[Rule]] = {"": rules}
        for chain in _CHAINS:
            self._chains[chain] = [_ending({names[rule]: rule for rule in plain.getRules(chain)})]

    def getRules(self, chainName: str = "") -> list[Rule]:  # noqa: N802, N803
        """As `Ruler.getRules`."""
        return self._chains[chainName]


class _State(StateBlock):
    """A `StateBlock` that finds lines by splitting the text, and inspects only indented lines."""

    def __init__(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> None:
        super().__init__("", md, env, tokens)
        self.src = src
        lines = src.split("\n")
        if not lines[-1].strip(" \t"):  # the last line is blank
            lines.pop()
        count = len(lines)
        self.eMarks = list(accumulate(map(len, lines), lambda end, length: end + 1 + length))
        self.bMarks = [0, *[end + 1 for end in self.eMarks]]
        self.bMarks[-1] = len(src)
        self.eMarks.append(len(src))
        self.tShift = [0] * (count + 1)
        self.sCount = [0] * (count + 1)
        self.bsCount = [0] * (count + 1)
        for index, line in enumerate(lines):
            if line.startswith((" ", "\t")):
                indent = line[: len(line) - len(line.lstrip(" \t"))]
                self.tShift[index] = len(indent)
                self.sCount[index] = len(indent.expandtabs(4))
        self.lineMax = count
        self.quotes: dict[QuoteKey, Quote] = {}

    def getLines(self, begin: int, end: int, indent: int, keepLastLF: bool) -> str:  # noqa: N802, N803
        """As `StateBlock.getLines`; faster at the top level, where the lines are contiguous in the source."""
        # markdown-it looks for the end of the last line after the text, and fails if that line is less indented.
        keepLastLF = keepLastLF and self.eMarks[end - 1] < len(self.src)  # noqa: N806
        if indent or self.level or begin >= end:
            return super().getLines(begin, end, indent, keepLastLF)
        return self.src[self.bMarks[begin] : self.eMarks[end - 1] + keepLastLF]

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        """As `StateBlock.push`."""
        if nesting < 0:
            self.level -= 1
        token = make_token(ttype, tag, nesting, self.level, block=True)
        if nesting > 0:
            self.level += 1
        self.tokens.append(token)
        return token


class BlockParser(NestingParser):
    """`NestingParser` with a table of rules by first character, which must contain all rules."""

    def __init__(self, plain: ParserBlock) -> None:
        """
        Args:
            plain: the parser whose rules this one takes over, after all plugins have added theirs.
        """
        names = plain.ruler.get_active_rules()
        differing = (set(names) - _OPTIONAL.keys()) ^ {*_BEGINS, *_OTHERS}
        if differing or names[:2] != ["table", "code"]:
            raise ValueError(f"other block rules than those known: {', '.join(sorted(differing))}")
        self.ruler = _Ruler(plain.ruler)
        rules = dict(zip(names, plain.ruler.getRules(""), strict=True)) | {"blockquote": quote_rule}
        self._table, self._code = rules["table"], rules["code"]
        self._by_char = _by_char(rules)
        self._any = tuple(rules[name] for name in ("lheading", "deflist", "paragraph"))
        # An item of one line that begins with plain text, strong text or a code span.
        special = re.escape("".join(self._by_char))
        text = rf"(?=[^{special}\s]|\*\*[^\s*]|`(?!``)).*"
        self._item = re.compile(rf"(?:([-+*])|([0-9]{{1,9}})([.)])) {{1,4}}({text})")
        self._beginning = frozenset((*self._by_char, *_TABLE, *_DEFINITION, "="))
        (self._ends,) = self.ruler.getRules("paragraph")

    def parse(self, src: str, md: MarkdownIt, env: EnvType, outTokens: list[Token]) -> list[Token] | None:  # noqa: N803
        """As `ParserBlock.parse`."""
        if not src:
            return None
        state = _State(src, md, env, outTokens)
        self.tokenize(state, state.line, state.lineMax)
        return state.tokens

    def _block(self, state: StateBlock, line: int, end: int) -> None:
        source, begins, shifts = state.src, state.bMarks, state.tShift
        if state.sCount[line] - state.blkIndent >= 4:
            self._code(state, line, end, False)
            return
        headed = line + 1 < end and source.startswith(_TABLE, begins[line + 1] + shifts[line + 1])
        if headed and self._table(state, line, end, False):
            return
        char = source[begins[line] + shifts[line]]
        if char in _BEGINS["list"] and self._list(state, line, end):
            return
        rules = self._by_char.get(char)
        if rules and not is_task_text(state, line):
            for rule in rules:
                if rule(state, line, end, False):
                    return
        if not self._paragraph(state, line, end):
            for rule in self._any:
                if rule(state, line, end, False):
                    return

    def _list(self, state: StateBlock, line: int, end: int) -> bool:
        """Read a top-level list of one-line items, without empty lines between them; returns whether it was one.

        It replaces the rule ``list``, which parses each item as a document of its own.
        """
        source, begins, ends, shifts = state.src, state.bMarks, state.eMarks, state.tShift
        if state.level or state.blkIndent or shifts[line]:
            return False
        items: list[re.Match[str]] = []
        after = line
        while after < end and begins[after] + shifts[after] < ends[after]:
            item = self._item.match(source, begins[after])
            if item is None or (items and (item[1], item[3]) != (items[0][1], items[0][3])):
                return False
            items.append(item)
            after += 1
        while after < end and begins[after] + shifts[after] >= ends[after]:
            after += 1
        if after < end and (shifts[after] or source[begins[after]] in (items[0][1] or "0123456789")):
            return False  # the list may continue
        self._push_list(state, line, after, items)
        state.line = after
        return True

    @staticmethod
    def _push_list(state: StateBlock, line: int, after: int, items: list[re.Match[str]]) -> None:
        """Push the tokens of a list; the empty lines after it are part of its last item."""
        bullet, number, mark = items[0][1], items[0][2], items[0][1] or items[0][3]
        kind, tag = ("bullet_list", "ul") if bullet else ("ordered_list", "ol")
        opening = make_token(f"{kind}_open", tag, 1, 0, lines=[line, after], block=True)
        closing = make_token(f"{kind}_close", tag, -1, 0, block=True)
        opening.markup = closing.markup = mark
        if number and int(number) != 1:
            opening.attrs["start"] = int(number)
        tokens = state.tokens
        tokens.append(opening)
        for index, item in enumerate(items, start=line):
            item_end = index + 1 if index + 1 < line + len(items) else after
            item_open = make_token("list_item_open", "li", 1, 1, lines=[index, item_end], block=True)
            paragraph_open = make_token("paragraph_open", "p", 1, 2, lines=[index, index + 1], block=True)
            inline = make_token("inline", "", 0, 3, mdTrim(item[4]), [], [index, index + 1], block=True)
            paragraph_close = make_token("paragraph_close", "p", -1, 2, block=True)
            item_close = make_token("list_item_close", "li", -1, 1, block=True)
            item_open.markup = item_close.markup = mark
            item_open.info = item[2] or ""
            paragraph_open.hidden = paragraph_close.hidden = True
            tokens += (item_open, paragraph_open, inline, paragraph_close, item_close)
        tokens.append(closing)

    def _paragraph(self, state: StateBlock, line: int, end: int) -> bool:
        """Read a paragraph, unless one of its lines can turn those before it into something else.

        It replaces the rules ``lheading``, ``deflist`` and ``paragraph``: each of them looks at all lines, and the
        first and the last check at each line whether another block begins there.
        """
        source, begins, ends, shifts = state.src, state.bMarks, state.eMarks, state.tShift
        beginning, last = self._beginning, state.lineMax
        after = line + 1
        while after < last:
            position = begins[after] + shifts[after]
            if position >= ends[after]:
                break
            if source[position] in beginning:
                if _OTHERWISE.match(source, position, ends[after]):
                    return False
                if self._ends_paragraph(state, after, last):
                    break
            after += 1
        behind = after + 1  # a single line may be the term of a definition after an empty line
        if behind == line + 2 < end and source.startswith(_DEFINITION, begins[behind] + shifts[behind]):
            return False
        content = mdTrim(state.getLines(line, after, state.blkIndent, False))
        level = state.level
        state.tokens += (
            make_token("paragraph_open", "p", 1, level, "", None, [line, after], block=True),
            make_token("inline", "", 0, level + 1, content, [], [line, after], block=True),
            make_token("paragraph_close", "p", -1, level, block=True),
        )
        state.line = after
        return True

    def _ends_paragraph(self, state: StateBlock, line: int, last: int) -> bool:
        """Whether a line ends a paragraph because another block begins there, by the conditions of ``paragraph``."""
        if state.sCount[line] - state.blkIndent > 3 or state.sCount[line] < 0:
            return False
        outer, state.parentType = state.parentType, "paragraph"
        try:
            return self._ends(state, line, last, True)
        finally:
            state.parentType = outer
