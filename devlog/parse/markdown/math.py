r"""Parses formulas in TeX notation and converts them to MathML, which readers see without a script or a font.

A formula is delimited by ``$…$``, ``$$…$$``, ``\(…\)`` or ``\[…\]``, with one or two backslashes, is an amsmath
environment on lines of its own, or is written as on GitHub: between ``$`…`$``, or in a fence. Dollar signs also occur
in prices, shell variables and names in programs, and backslashes escape brackets: what looks like one of these stays
text.
"""

from __future__ import annotations

import re
import threading
import weakref
from array import array
from bisect import bisect_left
from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING, Protocol

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from devlog.model.diagnostic import Diagnostic, Span
from devlog.native import NativeFaultError, call
from devlog.parse.markdown import problems
from devlog.parse.markdown.escapes import is_escaped
from devlog.parse.markdown.math_brackets import DEFINES, Brackets
from devlog.parse.markdown.math_expansion import Expansion
from devlog.parse.markdown.mathml_check import is_sound
from devlog.parse.markdown.source_positions import Finder

if TYPE_CHECKING:
    from math_core import LatexToMathML

BLOCK_RULES = {"math_block": "$\\"}
"""The block rule, and the characters with which its blocks begin."""
INLINE_RULES = {"math_inline": "$\\"}
"""The inline rule, and the characters with which its elements begin."""

_DIVIDE = "divide it into several formulas"
MAX_LENGTH = 8 * 1024
"""The maximum length of a formula in characters."""
MAX_DEPTH = 60
"""The maximum nesting depth of braces, ``\\left`` and environments: the converter recurses in native code."""
MAX_COMMANDS = 250
"""The maximum number of commands in a formula that defines commands: each use may nest a whole definition."""
MAX_EXPANSIONS = 100
"""The maximum number of uses of a post's own commands in one formula, including uses inside their definitions."""
MAX_OUTPUT = 4 * 1024 * 1024
"""The maximum length of the MathML in one post, in characters."""
MAX_EFFORT = 1 << 22
"""The maximum effort for a formula with brackets that nothing closes: its length, doubled for each of them. It is about
100 MB of memory, and a tenth of a second."""
MAX_EFFORT_IN_ALL = 1 << 26
"""The maximum effort for all of these formulas in one post."""

_FEW = 100
"""A number of levels that is safe on any stack, however a formula nests them."""
_STACK = 128 * 1024 * 1024
"""The stack size in bytes of address space; only the part in use occupies memory."""


def has_math(text: str) -> bool:
    """Whether a text may contain a formula outside fences."""
    return "$" in text or ("\\" in text and ("\\(" in text or "\\[" in text or "\\begin{" in text))


def math_plugin(md: MarkdownIt, *, kramdown: bool = False) -> None:
    """Add the rules for formulas to a parser.

    Args:
        md: the parser.
        kramdown: whether it has the rules of kramdown, where ``$$`` within text does not mean display style.
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
    """The rule for a formula on lines of its own."""
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
    """The line that ends with the closing mark of a formula; -1 if an empty line precedes it, or text follows it."""
    for line in range(start_line, end_line):
        begin = state.bMarks[line] + state.tShift[line]
        text = state.src[begin : state.eMarks[line]].rstrip()
        if line == start_line:
            text = text[len(opening) :]
        elif not text or state.sCount[line] < state.blkIndent:
            return -1
        found = text.find(closing)
        while found >= 0 and not _closes(closing, text, found):
            found = text.find(closing, found + 1)
        if found >= 0:
            return line if found == len(text) - len(closing) else -1
        if line > start_line and text.startswith(opening):
            return -1
    return -1


# -- text ------------------------------------------------------------------------------------------------

_BEFORE = re.compile(r"[A-Za-z0-9$]")
_AFTER = re.compile(r"(?!(?:th|st|nd|rd|s|d)\b)[A-Za-z0-9$({_]")
_CERTAIN = re.compile(r"[\\^_={}]")
# The pattern does not backtrack: there may be a whole post between two dollar signs.
_WORDS = re.compile(
    r"(?<![A-Za-z])(?:[A-Za-z]{3,}[,;:]?\s+[A-Za-z]{2,}|[A-Za-z]{4,}\s)"
    r"|\A\d[\d.,]*(?:\s+|\s*[A-Za-z]\s+)[A-Za-z]{2,}"
)
_NO_DOLLARS = re.compile(r"\A(?:[(\[{]?[\"'@!#?*]|[,;:)\]}/]|\.(?!\d))|`|\]\(")
_IN_BRACKETS = re.compile(r"[\\^={}+<>|]")
_IN_PARENTHESES = re.compile(r"[\\^_={}+*/<>|()\[\]&~]")
_TEXT_IN_PARENTHESES = re.compile(r"[A-Za-z]{3,}|\A\s*\d{4}\s*\Z")


def _inline_rule(state: StateInline, silent: bool) -> bool:
    """The rule for a formula inside a paragraph."""
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
    """The rule for a formula inside a paragraph of kramdown, where ``$$`` has the role that ``$`` has elsewhere."""
    if not _inline_rule(state, silent):
        return False
    if not silent and state.tokens[-1].markup == "$$":
        is_all = state.pos == state.posMax and state.src.startswith("$$" + state.tokens[-1].content)
        state.tokens[-1].meta = {"display": is_all}
    return True


def _dollars(state: StateInline, silent: bool) -> bool:
    """Read a formula between single dollar signs."""
    end = _end_of_dollars(state.src, state.pos, state.posMax)
    return end > 0 and _push(state, "$", state.pos + 1, end, 1, silent)


def _end_of_dollars(source: str, position: int, last: int) -> int:
    """The offset of the closing dollar sign of a formula; -1 if the dollar signs do not delimit a formula."""
    first = source[position + 1 : position + 2]
    if position + 2 >= last or first.isspace() or _BEFORE.match(source[max(0, position - 1) : position]):
        return -1
    end = source.find("$", position + 1, last)
    while end > 0 and is_escaped(source, end):
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
    """A formula within a line, in single dollar signs if these would be read as a formula, else as ``$`…`$``.

    Args:
        content: the TeX of the formula.
        before: the line up to the formula, or the end of that part.
        after: the text after the formula.
    """
    formula = f"${content}$"
    line = before + formula + after
    is_read = _end_of_dollars(line, len(before), len(line)) == len(before) + len(formula) - 1
    return formula if is_read else f"$`{content}`$"


def _bracketed(state: StateInline, silent: bool) -> bool:
    r"""Read a formula in ``\(…\)`` or ``\[…\]``; without a sign of math, the backslashes only escape the brackets."""
    source, position = state.src, state.pos
    slashes = "\\\\" if source.startswith("\\\\", position) else "\\"
    bracket = source[position + len(slashes) : position + len(slashes) + 1]
    if bracket not in ("(", "[") or (position and _BEFORE.match(source[position - 1])):
        return False
    opening = slashes + bracket
    start = position + len(opening)
    end = _closing(state, slashes + (")" if bracket == "(" else "]"), start)
    content = source[start:end] if end > 0 else ""
    if not content.strip(" \t\n\\") or not _is_formula(bracket, content):  # only line breaks would show nothing
        return False
    return _push(state, opening, start, end, len(opening), silent)


def _is_formula(bracket: str, content: str) -> bool:
    if bracket == "[":
        return bool(_IN_BRACKETS.search(content))
    return bool(_IN_PARENTHESES.search(content)) or not _TEXT_IN_PARENTHESES.search(content)


def _closing(state: StateInline, mark: str, start: int) -> int:
    """The offset of the closing mark of a formula that begins at `start`, or -1. Each mark is looked for only once."""
    # By text: while a paragraph is parsed, so are the alt texts and notes in it, each as a text of its own.
    texts: dict[str, dict[str, array[int]]] = state.env.setdefault("math", {})
    source, places = state.src, texts.setdefault(state.src, {})
    if mark not in places:
        places[mark] = array(
            "I",
            (
                place.start()
                for place in re.finditer(f"(?={re.escape(mark)})", source)
                if _closes(mark, source, place.start())
            ),
        )
    known = places[mark]
    index = bisect_left(known, start)
    return known[index] if index < len(known) and known[index] + len(mark) <= state.posMax else -1


def _closes(mark: str, text: str, position: int) -> bool:
    r"""Whether a closing mark is one: in ``\\]``, the second backslash is escaped and belongs to no bracket."""
    return mark[0] != "\\" or not is_escaped(text, position)


def _push(state: StateInline, opening: str, start: int, end: int, closing: int, silent: bool) -> bool:
    if not silent:
        token = state.push("math_inline", "math", 0)
        token.markup = opening
        token.content = state.src[start:end]
        token.meta = {"display": opening in ("$$", *_BRACKETS)}
    state.pos = end + closing
    return True


def as_text(token: Token) -> str:
    """A formula as TeX, where MathML is impossible: in tables of contents, excerpts, fragments and alt texts."""
    return " ".join(token.content.split())


# -- MathML ----------------------------------------------------------------------------------------------

_NESTING = re.compile(r"\\(?:begin|end|left|right)(?![A-Za-z])|\\.|[{}]", re.DOTALL)
_COMMAND = re.compile(r"\\[A-Za-z]")
_PERHAPS_NESTS = re.compile(r"\\[A-Za-z{}]|[()\[\]]|[^\x00-\x7f]")
"""What may be a level of nesting besides braces: commands, brackets, and signs such as sums, even where readers
would see no nesting."""
_ERROR = re.compile(r"(\d+): (.*)", re.DOTALL)
_MARKED = re.compile(r"\\(?:[A-Za-z]+\*?|.)|\S")
_STYLE = re.compile(r' style="([^"]*)"( class="[^"]*")?')
_ID = re.compile(r' id="(eq:[^"]*)"')
_LINK = re.compile(r'<a href="#eq:[^"]*">(\(\?\?\)|[^<]*)</a>')
_LABEL = re.compile(r"\\label\s*\{[^{}]*\}")
_REFERENCE = re.compile(r"\\eqref\s*\{[^{}]*\}")
_EMPTY = re.compile(r"<math[^>]*></math>")

# Pages may forbid inline styles, so these become classes. The table has all styles that the converter writes, except
# lengths and sizes that the author chose, which are dropped.
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
    """The part of the document's writer that formulas use."""

    finder: Finder
    diagnostics: list[Diagnostic]
    anchors: set[str]
    block: Sequence[int] | None

    def reserve(self, fragment: str) -> None:
        """Record an id."""
        ...

    def trusted(self, html: str, *, block: bool = True) -> str:
        """Protect HTML that devlog generated from the sanitizer."""
        ...


class Formulas:
    """Converts the formulas of one document: they share the numbering of equations, and the commands they define."""

    def __init__(self, writer: Writer) -> None:
        """
        Args:
            writer: the document's writer, which collects the diagnostics.
        """
        # The writer refers to this object: a cycle would keep the text in memory until the next garbage collection.
        self._writer: Writer = weakref.proxy(writer)
        self._converter: LatexToMathML | None = None
        self._defines = False
        self._brackets = Brackets(MAX_EXPANSIONS)
        self._expansion = Expansion(MAX_EXPANSIONS)
        self._effort = 0
        self._written = 0

    @property
    def are_shown(self) -> bool:
        """Whether any formula was converted."""
        return self._written > 0

    def inline(self, token: Token) -> str:
        """The HTML of a formula inside a paragraph."""
        writer = self._writer
        display = bool(token.meta.get("display"))
        made = self._mathml(token.content, token.markup, writer.block, display=display)
        if made is None:
            return writer.trusted(f"<code>{escape(token.content.strip())}</code>", block=False)
        if display and made:
            made = f'<span class="math-display" tabindex="0">{made}</span>'
        return writer.trusted(made, block=False)

    def block(self, tex: str, markup: str, lines: Sequence[int] | None) -> str:
        """The HTML of a formula on lines of its own.

        Args:
            tex: the TeX of the formula.
            markup: its opening delimiter.
            lines: its first line, and the line after it.
        """
        made = self._mathml(tex, markup, lines, display=True)
        if made is None:
            source = escape(tex.strip("\n"), quote=False)
            return self._writer.trusted(f'<div class="code"><pre tabindex="0"><code>{source}\n</code></pre></div>\n')
        return self._writer.trusted(f'<div class="math-display" tabindex="0">{made}</div>\n') if made else ""

    def _mathml(self, tex: str, markup: str, lines: Sequence[int] | None, *, display: bool) -> str | None:
        """The formula as MathML; `None` if it cannot be converted, empty if it only defines commands."""
        (reason, hint), offset = self._refusal(tex), 0
        if not reason:
            made, reason, offset = self._convert(tex, display=display)
            if not reason:
                finished = self._finished(self._linked(made, tex, lines) if "eq:" in made else made, tex)
                if not finished or is_sound(finished):
                    return finished
                reason = "it cannot be written as valid MathML"
        if DEFINES.search(tex):
            self._expansion.doubt()
            self._brackets.doubt()
        offset = max(0, min(offset, len(tex.rstrip()) - 1))
        span = self._writer.finder.find_inside(tex, offset, _marked(tex, offset), lines)
        self._writer.diagnostics.append(problems.bad_formula(span, reason, hint, dollar=markup == "$"))
        return None

    def _linked(self, made: str, tex: str, lines: Sequence[int] | None) -> str:
        """The formula without labels that are already in use; reports these, and references to unknown labels."""
        labels, numbers, known = _ID.findall(made), _LINK.findall(made), self._writer.anchors
        taken = [index for index, name in enumerate(labels) if name in known or name in labels[:index]]
        if "(??)" in numbers:
            self._tell(problems.unknown_label, tex, _REFERENCE, numbers.index("(??)"), lines)
        elif taken:  # report only one: only the first place found in a formula is certain
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
        """Report a problem of a label in a formula; its place is uncertain if commands generate labels."""
        there = list(kind.finditer(tex))
        start, end = there[index].span() if index < len(there) else (0, 1)
        self._writer.diagnostics.append(problem(self._writer.finder.find_inside(tex, start, end - start, lines)))

    def _refusal(self, tex: str) -> tuple[str, str]:
        """The reason not to convert a formula, and what its writer can do; empty if there is none."""
        if len(tex) > MAX_LENGTH:
            return f"it is longer than {MAX_LENGTH} characters", _DIVIDE
        if _depth(tex) > MAX_DEPTH:
            return f"it nests deeper than {MAX_DEPTH} levels", "remove braces that it does not need"
        if DEFINES.search(tex):
            self._defines = True
            if len(_COMMAND.findall(tex)) > MAX_COMMANDS:
                return f"it defines commands and has more than {MAX_COMMANDS} of them", _DIVIDE
        if self._written > MAX_OUTPUT:
            return "the formulas of this post are too large in total", "split the post"
        return self._excess(tex)

    def _excess(self, tex: str) -> tuple[str, str]:
        """What of a formula would take the converter too much time or memory, and a hint; empty if nothing would."""
        if self._expansion.is_too_long(tex):
            return "its commands could make it too long", "define each of them once, without repeating arguments"
        if unclosed := self._brackets.unclosed(tex):
            effort = len(tex) << min(unclosed, MAX_EFFORT.bit_length())
            if effort > MAX_EFFORT or self._effort + effort > MAX_EFFORT_IN_ALL:
                return "it has too many brackets that nothing closes", f"close its brackets, or {_DIVIDE}"
            self._effort += effort
        return "", ""

    def _convert(self, tex: str, *, display: bool) -> tuple[str, str, int]:
        """The MathML, or else the reason of the failure and its offset in the formula."""
        from math_core import LatexError, LatexToMathML  # posts without formulas never need it

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
            if self._defines or len(_PERHAPS_NESTS.findall(tex)) + _depth(tex) > _FEW:
                made = _with_room(lambda: call(convert, tex, displaystyle=display))
            else:
                made = call(convert, tex, displaystyle=display)
        except LatexError as error:
            found = _ERROR.match(str(error))
            return "", (found[2] if found else str(error)).strip(), int(found[1]) if found else 0
        except NativeFaultError:
            self._converter = None  # it refuses all further work
            return "", "the converter failed on it", 0
        self._written += len(made)
        if len(made) > MAX_OUTPUT:
            return "", "its expansion is too large", 0
        return made, "", 0

    def _finished(self, made: str, tex: str) -> str:
        """Complete the MathML: add ``alttext`` for programs without MathML, and replace inline styles."""
        if _EMPTY.fullmatch(made):
            return ""
        if "style=" in made:
            made = _STYLE.sub(_without_style, made)
        if "id=" in made:
            for label in _ID.findall(made):
                self._writer.reserve(label)
        return f'<math alttext="{escape(" ".join(tex.split()))}"{made.removeprefix("<math")}'


def _with_room(function: Callable[[], str]) -> str:
    """Call a function that may recurse deeper than the stacks of existing threads allow, in a thread with more."""
    made: list[str] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            made.append(function())
        except BaseException as error:  # raised again in the calling thread
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
    """Replace a ``style`` attribute by classes, and a color by MathML's ``mathcolor`` attribute."""
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
    """The maximum nesting depth of a formula."""
    depth = deepest = 0
    for found in _NESTING.findall(tex):
        if found in ("{", "\\begin", "\\left"):
            depth += 1
            deepest = max(deepest, depth)
        elif found in ("}", "\\end", "\\right"):
            depth -= 1
    return deepest


def _marked(tex: str, offset: int) -> int:
    """The number of characters to mark for a problem at an offset of a formula."""
    found = _MARKED.match(tex, offset)
    return len(found[0]) if found else 1
