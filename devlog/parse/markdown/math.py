r"""Formulas in TeX's notation, which become MathML: no script and no font is needed to read them.

A formula stands between ``$…$``, ``$$…$$``, ``\(…\)`` or ``\[…\]``, with one backslash or two, in an environment of
amsmath on lines of its own, or between ``$`…`$`` and in fences as GitHub has them. Dollars are also money, variables of
shells and names in programs, and backslashes make plain brackets: what looks like any of these stays text.
"""

from __future__ import annotations

import re
import threading
import weakref
from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING, Protocol

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from devlog.model.diagnostic import Diagnostic, Span
from devlog.parse.markdown import problems
from devlog.parse.markdown.mathml_check import is_sound
from devlog.parse.markdown.source_positions import Finder

if TYPE_CHECKING:
    from math_core import LatexToMathML

BLOCK_RULES = {"math_block": "$\\"}
"""The rule for blocks, and the characters that it begins with."""
INLINE_RULES = {"math_inline": "$\\"}
"""The rule for text, likewise."""

MAX_LENGTH = 8 * 1024
"""How many characters a formula may have."""
MAX_DEPTH = 60
"""How deep braces, ``\\left`` and environments may nest: the converter recurses in native code."""
MAX_COMMANDS = 250
"""How many commands a formula may have that defines some: each use of them may nest all that they stand for."""
MAX_EXPANSIONS = 100
"""How many commands that were defined in a post a formula may use, also in what these stand for."""
MAX_OUTPUT = 4 * 1024 * 1024
"""How many characters of MathML a post may have."""

_FEW = 100
"""So many levels are safe on every stack, however a formula makes them."""
_STACK = 128 * 1024 * 1024
"""Bytes of address space, of which only those that are used become memory."""


def has_math(text: str) -> bool:
    """Whether a text can hold a formula outside fences."""
    return "$" in text or ("\\" in text and ("\\(" in text or "\\[" in text or "\\begin{" in text))


def math_plugin(md: MarkdownIt, *, kramdown: bool = False) -> None:
    """Teach a parser formulas.

    Args:
        md: the parser.
        kramdown: whether it has the rules of kramdown, where ``$$`` in a line of text makes no display of a formula.
    """
    chains: list[str] = [] if kramdown else ["paragraph", "reference", "blockquote", "list"]
    before = "kramdown_math" if kramdown else "fence"
    md.block.ruler.before(before, "math_block", _block_rule, {"alt": chains})
    before = "kramdown_span_math" if kramdown else "escape"
    md.inline.ruler.before(before, "math_inline", _kramdown_inline_rule if kramdown else _inline_rule)


# -- blocks ----------------------------------------------------------------------------------------------

_ENVIRONMENT = re.compile(r"\\begin\{((?:align|alignat|eqnarray|equation|flalign|gather|multline)\*?)\}")
_BRACKETS = {"\\[": "\\]", "\\\\[": "\\\\]"}


def _block_rule(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """A formula on lines of its own."""
    if state.is_code_block(start_line):
        return False
    line = state.src[state.bMarks[start_line] + state.tShift[start_line] : state.eMarks[start_line]]
    environment = _ENVIRONMENT.match(line)
    if environment:
        opening, closing = environment[0], f"\\end{{{environment[1]}}}"
    else:
        opening = next((mark for mark in ("$$", *_BRACKETS) if line.startswith(mark)), "")
        closing = _BRACKETS.get(opening, opening)
    if not opening:
        return False
    last = _last_line(state, start_line, end_line, opening, closing)
    if last < 0:
        return False
    content = state.getLines(start_line, last + 1, state.blkIndent, False).strip()
    if not environment:
        content = content[len(opening) : -len(closing)]
    if not content.strip() or (opening in _BRACKETS and not _IN_BRACKETS.search(content)):
        return False
    if not silent:
        token = state.push("math_block", "math", 0)
        token.map = [start_line, last + 1]
        token.markup = opening
        token.content = content
        state.line = last + 1
    return True


def _last_line(state: StateBlock, start_line: int, end_line: int, opening: str, closing: str) -> int:
    """The line at whose end a formula is closed, or -1: an empty line comes first, or text stands behind it."""
    for line in range(start_line, end_line):
        begin = state.bMarks[line] + state.tShift[line]
        text = state.src[begin : state.eMarks[line]].rstrip()
        if line == start_line:
            text = text[len(opening) :]
        elif not text or state.sCount[line] < state.blkIndent:
            return -1
        found = text.find(closing)
        if found >= 0:
            return line if found == len(text) - len(closing) else -1
        if line > start_line and text.startswith(opening):
            return -1
    return -1


# -- text ------------------------------------------------------------------------------------------------

_BEFORE = re.compile(r"[A-Za-z0-9$]")
_AFTER = re.compile(r"(?!(?:th|st|nd|rd|s|d)\b)[A-Za-z0-9$({_]")
_CERTAIN = re.compile(r"[\\^_={}]")
# Nothing is tried twice: between two dollars may stand a whole text.
_WORDS = re.compile(
    r"(?<![A-Za-z])(?:[A-Za-z]{3,}[,;:]?\s+[A-Za-z]{2,}|[A-Za-z]{4,}\s)"
    r"|\A\d[\d.,]*(?:\s+|\s*[A-Za-z]\s+)[A-Za-z]{2,}"
)
_NO_DOLLARS = re.compile(r"\A(?:[(\[{]?[\"'@!#?*]|[,;:)\]}/]|\.(?!\d))|`|\]\(")
_IN_BRACKETS = re.compile(r"[\\^={}+<>|]")
_IN_PARENTHESES = re.compile(r"[\\^_={}+*/<>|()\[\]&~]")
_TEXT_IN_PARENTHESES = re.compile(r"[A-Za-z]{3,}|\A\s*\d{4}\s*\Z")


def _inline_rule(state: StateInline, silent: bool) -> bool:
    """A formula inside a paragraph."""
    source, position = state.src, state.pos
    if source[position] == "\\":
        return _bracketed(state, silent)
    if source[position] != "$":
        return False
    if source.startswith("$`", position):
        end = _closing(state, "`$", position + 2)
        return end > 0 and _push(state, "$`", position + 2, end, 2, silent)
    if source.startswith("$$", position):
        end = _closing(state, "$$", position + 2)
        if end < 0 or not source[position + 2 : end].strip() or _BEFORE.match(source[position - 1 : position]):
            return False
        return _push(state, "$$", position + 2, end, 2, silent)
    return _dollars(state, silent)


def _kramdown_inline_rule(state: StateInline, silent: bool) -> bool:
    """A formula inside a paragraph of kramdown, where two dollars are what one is elsewhere."""
    if not _inline_rule(state, silent):
        return False
    if not silent and state.tokens[-1].markup == "$$":
        is_all = state.pos == state.posMax and state.src.startswith("$$" + state.tokens[-1].content)
        state.tokens[-1].meta = {"display": is_all}
    return True


def _dollars(state: StateInline, silent: bool) -> bool:
    """A formula between single dollars."""
    end = _end_of_dollars(state.src, state.pos, state.posMax)
    return end > 0 and _push(state, "$", state.pos + 1, end, 1, silent)


def _end_of_dollars(source: str, position: int, last: int) -> int:
    """Where the second dollar of a formula stands, or -1: these are not the dollars of one."""
    first = source[position + 1 : position + 2]
    if position + 2 >= last or first.isspace() or _BEFORE.match(source[max(0, position - 1) : position]):
        return -1
    end = source.find("$", position + 1, last)
    while end > 0 and _is_escaped(source, end):
        end = source.find("$", end + 1, last)
    if end <= position + 1 or source[end - 1].isspace():
        return -1
    content = source[position + 1 : end]
    if end + 1 < last and _AFTER.match(source, end + 1) and not _COMMAND.search(content):
        return -1
    if _NO_DOLLARS.search(content) or (_WORDS.search(content) and not _CERTAIN.search(content)):
        return -1
    return end


def in_dollars(content: str, before: str, after: str) -> str:
    """A formula within a line, between single dollars if these are read as those of one.

    Args:
        content: of the formula, in TeX.
        before: the line as far as the formula, or the end of this.
        after: what follows.
    """
    formula = f"${content}$"
    line = before + formula + after
    is_read = _end_of_dollars(line, len(before), len(line)) == len(before) + len(formula) - 1
    return formula if is_read else f"$`{content}`$"


def _is_escaped(source: str, position: int) -> bool:
    """Whether an odd number of backslashes stands before a character."""
    before = position
    while before and source[before - 1] == "\\":
        before -= 1
    return (position - before) % 2 == 1


def _bracketed(state: StateInline, silent: bool) -> bool:
    """A formula between brackets with backslashes; without a mark of mathematics these only make the brackets plain."""
    source, position = state.src, state.pos
    slashes = "\\\\" if source.startswith("\\\\", position) else "\\"
    bracket = source[position + len(slashes) : position + len(slashes) + 1]
    if bracket not in ("(", "[") or (position and _BEFORE.match(source[position - 1])):
        return False
    opening = slashes + bracket
    start = position + len(opening)
    end = _closing(state, slashes + (")" if bracket == "(" else "]"), start)
    content = source[start:end] if end > 0 else ""
    if not content.strip(" \t\n\\") or not _is_formula(bracket, content):  # line ends alone would show nothing
        return False
    return _push(state, opening, start, end, len(opening), silent)


def _is_formula(bracket: str, content: str) -> bool:
    if bracket == "[":
        return bool(_IN_BRACKETS.search(content))
    return bool(_IN_PARENTHESES.search(content)) or not _TEXT_IN_PARENTHESES.search(content)


def _closing(state: StateInline, mark: str, start: int) -> int:
    """Where a formula that begins at `start` is closed, or -1. That there is no end is found out only once."""
    source, last = state.env.get("math", ("", {}))
    if source is not state.src:
        source, last = state.env["math"] = (state.src, {})
    if mark not in last:
        last[mark] = source.rfind(mark)
    return source.find(mark, start, state.posMax) if last[mark] >= start else -1


def _push(state: StateInline, opening: str, start: int, end: int, closing: int, silent: bool) -> bool:
    if not silent:
        token = state.push("math_inline", "math", 0)
        token.markup = opening
        token.content = state.src[start:end]
        token.meta = {"display": opening in ("$$", *_BRACKETS)}
    state.pos = end + closing
    return True


def as_text(token: Token) -> str:
    """A formula where there can be no MathML: in contents, excerpts, fragments and alternatives of images."""
    return " ".join(token.content.split())


# -- MathML ----------------------------------------------------------------------------------------------

_NESTING = re.compile(r"\\(?:begin|end|left|right)(?![A-Za-z])|\\.|[{}]", re.DOTALL)
_COMMAND = re.compile(r"\\[A-Za-z]")
_DEFINES = re.compile(r"\\(?:[gex]?def|let|futurelet|(?:re)?newcommand|providecommand|DeclareMathOperator)(?![A-Za-z])")
_ERROR = re.compile(r"(\d+): (.*)", re.DOTALL)
_MARKED = re.compile(r"\\(?:[A-Za-z]+\*?|.)|\S")
_STYLE = re.compile(r' style="([^"]*)"( class="[^"]*")?')
_ID = re.compile(r' id="(eq:[^"]*)"')
_LINK = re.compile(r'<a href="#eq:[^"]*">(\(\?\?\)|[^<]*)</a>')
_LABEL = re.compile(r"\\label\s*\{[^{}]*\}")
_REFERENCE = re.compile(r"\\eqref\s*\{[^{}]*\}")
_EMPTY = re.compile(r"<math[^>]*></math>")

# Pages may forbid inline styles: these are all that the converter writes, but for lengths and sizes of the writer's
# own, which go.
_CLASSES = {
    "border-bottom": "",
    "border-left:0.05em dashed currentcolor": "m-bl m-dashed",
    "border-left:0.05em solid currentcolor": "m-bl",
    "border-right:0.05em dashed currentcolor": "m-br m-dashed",
    "border-right:0.05em solid currentcolor": "m-br",
    "border-top:0.05em dashed currentcolor": "m-bt m-dashed",
    "border-top:0.05em solid currentcolor": "m-bt",
    "font-variant-caps:small-caps": "m-caps",
    "justify-items:end": "",
    "justify-items:start": "",
    "margin-left:-0.16666667em": "m-thin",
    "margin-left:-0.22222222em": "m-med",
    "margin-left:-0.2777778em": "m-thick",
    "math-shift:compact": "m-cramped",
    "padding-bottom:0": "m-flat",
    "padding-left:0": "m-pl",
    "padding-left:0.1em": "m-near",
    "padding-left:1em": "m-far",
    "padding-right:0": "m-pr",
    "padding-right:0.1em": "",
    "padding-top:0": "",
    "padding-top:0.1667em": "m-strut",
    "text-align:left": "m-left",
    "text-align:right": "m-right",
    "width:100%": "m-wide",
    "width:50%": "m-half",
    "width:7.5%": "m-edge",
}


class Writer(Protocol):
    """What formulas need of the document that is written."""

    finder: Finder
    diagnostics: list[Diagnostic]
    anchors: set[str]
    block: Sequence[int] | None

    def trusted(self, html: str, *, block: bool = True) -> str:
        """HTML of devlog's own making, kept away from the sanitiser."""
        ...


class Formulas:
    """The formulas of one document: equations are numbered, and commands that a formula defines are known to others."""

    def __init__(self, writer: Writer) -> None:
        """
        Args:
            writer: of the document; gets what is wrong with them.
        """
        # Which has this: together they would keep a text in memory until the next search for cycles.
        self._writer: Writer = weakref.proxy(writer)
        self._converter: LatexToMathML | None = None
        self._defines = False
        self._written = 0

    def inline(self, token: Token) -> str:
        """A formula inside a paragraph."""
        writer = self._writer
        display = bool(token.meta.get("display"))
        made = self._mathml(token.content, token.markup, writer.block, display=display)
        if made is None:
            return writer.trusted(f"<code>{escape(token.content.strip())}</code>", block=False)
        if display and made:
            made = f'<span class="math-display" tabindex="0">{made}</span>'
        return writer.trusted(made, block=False)

    def block(self, tex: str, markup: str, lines: Sequence[int] | None) -> str:
        """A formula on lines of its own.

        Args:
            tex: what it says.
            markup: what it is enclosed in.
            lines: where it stands.
        """
        made = self._mathml(tex, markup, lines, display=True)
        if made is None:
            source = escape(tex.strip("\n"), quote=False)
            return self._writer.trusted(f'<div class="code"><pre tabindex="0"><code>{source}\n</code></pre></div>\n')
        return self._writer.trusted(f'<div class="math-display" tabindex="0">{made}</div>\n') if made else ""

    def _mathml(self, tex: str, markup: str, lines: Sequence[int] | None, *, display: bool) -> str | None:
        """The formula as MathML, `None` if it cannot be had, empty where it only defines commands."""
        reason, offset = self._refusal(tex), 0
        if not reason:
            made, reason, offset = self._convert(tex, display=display)
            if not reason:
                finished = self._finished(self._linked(made, tex, lines) if "eq:" in made else made, tex)
                if not finished or is_sound(finished):
                    return finished
                reason = "it cannot be written as valid MathML"
        offset = max(0, min(offset, len(tex.rstrip()) - 1))
        span = self._writer.finder.find_inside(tex, offset, _marked(tex, offset), lines)
        self._writer.diagnostics.append(problems.bad_formula(span, reason, dollar=markup == "$"))
        return None

    def _linked(self, made: str, tex: str, lines: Sequence[int] | None) -> str:
        """The formula with no label that an equation before it has, and a word on that and on links to none."""
        labels, numbers, known = _ID.findall(made), _LINK.findall(made), self._writer.anchors
        taken = [index for index, name in enumerate(labels) if name in known or name in labels[:index]]
        if "(??)" in numbers:
            self._tell(problems.unknown_label, tex, _REFERENCE, numbers.index("(??)"), lines)
        elif taken:  # one of them: only the first place that is looked for in a formula is certain
            self._tell(problems.repeated_label, tex, _LABEL, taken[0], lines)
        count = iter(range(len(labels)))
        return _ID.sub(lambda found: "" if next(count) in taken else found[0], made) if taken else made

    def _tell(
        self,
        problem: Callable[[Span], Diagnostic],
        tex: str,
        kind: re.Pattern[str],
        index: int,
        lines: Sequence[int] | None,
    ) -> None:
        """Say what is wrong with one of the labels of a formula; which one is not certain if commands write them."""
        there = list(kind.finditer(tex))
        start, end = there[index].span() if index < len(there) else (0, 1)
        self._writer.diagnostics.append(problem(self._writer.finder.find_inside(tex, start, end - start, lines)))

    def _refusal(self, tex: str) -> str:
        """Why a formula is not given to the converter; empty if it can be."""
        if len(tex) > MAX_LENGTH:
            return f"it is longer than {MAX_LENGTH} characters"
        if _depth(tex) > MAX_DEPTH:
            return f"it nests deeper than {MAX_DEPTH} levels"
        if _DEFINES.search(tex):
            self._defines = True
            if len(_COMMAND.findall(tex)) > MAX_COMMANDS:
                return f"it defines commands and has more than {MAX_COMMANDS} of them"
        if self._written > MAX_OUTPUT:
            return "the formulas of this post are too large in total"
        return ""

    def _convert(self, tex: str, *, display: bool) -> tuple[str, str, int]:
        """The MathML, or what is wrong, and where in the formula."""
        from math_core import LatexError, LatexToMathML  # texts without formulas never need it

        if self._converter is None:
            self._converter = LatexToMathML(
                fancy_error=False,
                global_group=True,
                max_expansions=MAX_EXPANSIONS,
                id_prefix="eq:",
                macros={"mbox": r"\text{#1}"},
            )
        convert = self._converter.convert_with_global_state
        try:
            if self._defines or (len(_COMMAND.findall(tex)) + _depth(tex) > _FEW):
                made = _with_room(lambda: convert(tex, displaystyle=display))
            else:
                made = convert(tex, displaystyle=display)
        except LatexError as error:
            found = _ERROR.match(str(error))
            return "", (found[2] if found else str(error)).strip(), int(found[1]) if found else 0
        self._written += len(made)
        if len(made) > MAX_OUTPUT:
            return "", "its expansion is too large", 0
        return made, "", 0

    def _finished(self, made: str, tex: str) -> str:
        """MathML with a text for programs that know none, and without inline styles."""
        if _EMPTY.fullmatch(made):
            return ""
        if "style=" in made:
            made = _STYLE.sub(_without_style, made)
        if "id=" in made:
            self._writer.anchors.update(_ID.findall(made))
        return f'<math alttext="{escape(" ".join(tex.split()))}"{made.removeprefix("<math")}'


def _with_room(function: Callable[[], str]) -> str:
    """The result of what may recurse deeper than the stack of any thread here has room for."""
    made: list[str] = []
    failed: list[Exception] = []

    def run() -> None:
        try:
            made.append(function())
        except Exception as error:  # raised where it is expected
            failed.append(error)

    usual = threading.stack_size(_STACK)
    try:
        thread = threading.Thread(target=run)
        thread.start()
    finally:
        threading.stack_size(usual)
    thread.join()
    if failed:
        raise failed[0]
    return made[0]


def _without_style(found: re.Match[str]) -> str:
    """A style as classes; a color as the attribute that MathML has for it."""
    classes: list[str] = []
    color = ""
    for declaration in found[1].split(";"):
        name, _, value = declaration.partition(":")
        if name.strip() == "color":
            color = f' mathcolor="{value.strip()}"'
        else:
            classes += _CLASSES.get(f"{name.strip()}:{value.strip()}", "").split()
    if found[2]:
        classes.insert(0, found[2].split('"')[1])
    return (f' class="{" ".join(dict.fromkeys(classes))}"' if classes else "") + color


def _depth(tex: str) -> int:
    """How deep a formula nests at most."""
    depth = deepest = 0
    for found in _NESTING.findall(tex):
        if found in ("{", "\\begin", "\\left"):
            depth += 1
            deepest = max(deepest, depth)
        elif found in ("}", "\\end", "\\right"):
            depth -= 1
    return deepest


def _marked(tex: str, offset: int) -> int:
    """How many characters of a formula a problem at an offset is about."""
    found = _MARKED.match(tex, offset)
    return len(found[0]) if found else 1
