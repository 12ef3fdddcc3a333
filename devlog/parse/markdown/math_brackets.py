"""Counts the brackets that a formula opens and does not close: the converter takes two to the power of their number.

The converter looks for what closes each open bracket (in ``semantic.rs`` of math-core 0.9). Where nothing does, it
reads everything behind that bracket twice, and so on for each further one. A bracket of any kind closes the last one of
its row that is open: not one outside of its group or its cell of a table, and none if it is the argument of a command.
Brackets are counted here without converting the formula: the number may be too high, but not too low. So brackets close
each other only in a formula of which each command is known; in others, each bracket counts that is opened.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from unicodedata import category

_SIZED = re.compile(r"(\\(?:[Bb]igg?[lmr]?|left|middle|right))(?![A-Za-z])\s*(\\(?:[A-Za-z]+\*?|.)|.)?", re.DOTALL)
"""A command of which the bracket behind it is a part."""
_TOKEN = re.compile(rf"{_SIZED.pattern}|\\[A-Za-z]+\*?|\\.|[^\s\\]", re.DOTALL)
_OPENS = re.compile(
    r"\\(?:\{|[Bb]igg?l|mathopen|ulcorner|l(?:l?angle|lbracket|lcorner|lparenthesis"
    r"|Angle|Brace|Brack|Paren|Vert|ang|brace|brack|ceil|floor|group|moustache|paren|vert))"
)
_CLOSES = re.compile(
    r"\\(?:\}|[Bb]igg?r|r(?:r?angle|rbracket|rparenthesis|Angle|Brace|Vert|ang|brace|brack|ceil|floor|group|vert))"
)
_PERHAPS_OPEN = re.compile(r"[(\[]|\\(?:\{|[Bb]igg?l|l|ul|mathopen|pmod|pod|[bB]ra|[kK]et|[sS]et)|[^\x00-\x7f]")
FEW = 4
"""So many brackets that nothing closes take no time that matters, and are not counted exactly."""
_ALSO_OPEN = "⌜⌞⎰"
"""Characters that Unicode does not call opening punctuation."""

# How many arguments a command takes: a bracket that closes is one of them if it stands directly behind the command.
_WRAPPING = frozenset({rf"\{name}" for name in "pmod pod bra ket braket set Bra Ket Braket Set".split()})
"""Commands that show their argument between brackets: one that takes an argument itself takes the closing one."""
_TWO = re.compile(r"\\(?:[cdt]?frac|[dt]?binom|(?:over|under)set|stackrel|textcolor)")
_MANY = {r"\prescript": 3, r"\mathchoice": 4, r"\genfrac": 6}
_ONE = re.compile(
    r"\\(?:text(?:bf|it|rm|sc|sf|tt)?|math(?:bb|bf|cal|frak|inner|it|op|ord|punct|rel|rm|scr|sf|tt)|operatorname\*?|not"
    r"|acute|bar|boldsymbol|boxed|breve|cancel|check|d{1,4}ot|grave|hat|mathring|tilde|vec|widehat|widetilde|p[mo]o?d"
    r"|(?:over|under)(?:line|brace|bracket|(?:left|right)arrow)|v?phantom|sqrt|[bB]ra|[kK]et"
    r"|[bB]raket|[sS]et|x(?:left|right)arrow|label|tag|eqref|begin|end)"
)
_NONE = re.compile(
    r"\\(?:[^A-Za-z]|[Bb]igg?[lmr]?|(?:var)?[a-z]{0,2}(?:eta|silon)|alpha|gamma|delta|theta|iota|kappa|lambda|[mn]u|xi"
    r"|omicron|(?:var)?(?:pi|rho|sigma|phi|theta|kappa)|tau|chi|psi|omega|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Upsilon|Phi"
    r"|Psi|Omega|infty|partial|nabla|ell|hbar|prime|emptyset|varnothing|top|bot|perp|Re|Im|[cdlv]?dots|cdot|times|div|pm|mp"
    r"|to|mapsto|[lL]eftarrow|[rR]ightarrow|iff|implies|in|notin|sub|subset|subseteq|cup|cap|setminus|land|lor|neg|forall"
    r"|exists|oplus|otimes|odot|star|ast|circ|bullet|dagger|quad|qquad|max|min|sup|inf|log|ln|exp|sin|cos|tan|det|dim|lim"
    r"|n?(?:prec|succ)(?:eq)?|supset(?:eq)?|subsetneq|(?:long)?(?:left|right)+arrow|[lg]eqslant|models|vdash|parallel"
    r"|wedge|vee|o?i{0,3}nt|big(?:cup|cap|oplus|otimes|vee|wedge)|triangleq|coloneqq|arg|Pr|b?mod|colon"
    r"|mid|vert|Vert|le|leq|ge|geq|ne|neq|ll|gg|approx|sim|simeq|cong|equiv|propto|sum|prod|limits)"
)

DEFINES = re.compile(r"\\(?:[gex]?def|let|futurelet|(?:re)?newcommand|providecommand|DeclareMathOperator)(?![A-Za-z])")
"""The commands that define commands."""
_NAME = re.compile(r"[*\s{]*(\\(?:[A-Za-z]+\*?|.))", re.DOTALL)
_ALIAS = re.compile(r"\s*=?\s*(\\(?:[A-Za-z]+\*?|.)|.)", re.DOTALL)
_SIGNATURE = re.compile(r"\s*\}?\s*(?:\[\d\]|(?:#\d)*)\s*(?=\{)")
_COUNT = re.compile(r"\[(\d)\]")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_PARAMETER = re.compile(r"#(\d)")


@dataclass(frozen=True)
class _Command:
    """A command that a post defines.

    Attributes:
        body: what it stands for; all that is behind its name if that is not certain.
        arguments: the number of its arguments.
        repeats: whether it shows an argument more than once.
    """

    body: str
    arguments: int
    repeats: bool


@dataclass
class _Row:
    """A part of a formula whose brackets can close each other.

    Attributes:
        begin: how it begins.
        unclosed: the number of its brackets that are open now.
        arguments: how many of the next tokens may be arguments of commands before them.
        wrapped: how many of these are shown between brackets of their command.
        is_wrapped: whether the row is itself such an argument.
    """

    begin: str = ""
    unclosed: int = 0
    arguments: int = 0
    wrapped: int = 0
    is_wrapped: bool = False


class _Rows:
    """The rows around the current place of a formula, from the outermost to the innermost.

    Attributes:
        most: the largest number of unclosed brackets of a row so far.
        dangles: whether an argument that is shown between brackets may take the closing one as its own argument.
        is_known: whether all commands are known.
    """

    def __init__(self) -> None:
        self._rows = [_Row()]
        self.most = 0
        self.dangles = False
        self.is_known = True

    @property
    def is_wrapped(self) -> bool:
        """Whether the next token is an argument that is shown between brackets."""
        return self._rows[-1].wrapped > 0

    def read(self, token: str, brackets: int = 0, arguments: int = 0, *, wraps: bool = False) -> None:
        """Read a token.

        Args:
            token: a character or a command.
            brackets: how many brackets it opens besides itself.
            arguments: how many arguments it takes, unless it is itself a bracket.
            wraps: whether it shows them between brackets.
        """
        row = self._rows[-1]
        row.unclosed += brackets
        is_wrapped = self.is_wrapped and token not in _ENDS
        row.wrapped = arguments if wraps else max(0, row.wrapped - 1)
        if is_wrapped and token != "{" and not (len(token) == 1 and token.isalnum()):  # noqa: S105
            self.dangles = True
        if token in _BEGINNINGS:
            self._rows.append(_Row(token, is_wrapped=is_wrapped))
        elif token in _ENDS:
            self._end(token)
        elif token in ("&", "\\\\") and row.begin == "\\begin":  # cells and lines of a table
            self._look()
            row.unclosed = row.arguments = 0
        else:
            self._read_inside(row, token, arguments)

    def finish(self) -> int:
        """The largest number of unclosed brackets of a row of the whole formula."""
        self.is_known = self.is_known and not self._rows[-1].arguments  # else it takes arguments from behind it
        while len(self._rows) > 1:
            self._join()
        self._look()
        return self.most

    def _read_inside(self, row: _Row, token: str, arguments: int) -> None:
        left = max(0, row.arguments - 1)
        if token == "[" and row.arguments:  # noqa: S105 - perhaps an optional argument
            row.unclosed += 1
            self._rows.append(_Row(token))
        elif token == "]" and row.begin == "[":  # noqa: S105
            self._join()
            self._rows[-1].unclosed -= 1
        elif _is_open(token):
            row.unclosed += 1
            row.arguments = left + arguments
        elif _is(token, "Pe", _CLOSES) and not row.arguments:
            row.unclosed = max(0, row.unclosed - 1)
        else:
            row.arguments = left + arguments

    def _end(self, token: str) -> None:
        while self._rows[-1].begin == "[":
            self._join()
        self._look()
        self.dangles = self.dangles or (self._rows[-1].is_wrapped and self._rows[-1].arguments > 0)
        if len(self._rows) > 1:
            if token in ("\\end", "\\right"):
                self._rows.pop()
            else:  # a group of a single bracket is that bracket
                self._join()
            row = self._rows[-1]
            row.arguments = max(0, row.arguments - 1) + (token == "\\end")  # noqa: S105 - its name

    def _join(self) -> None:
        """End a row. What is open in it is open in the row around it."""
        ended = self._rows.pop()
        self._rows[-1].unclosed += ended.unclosed

    def _look(self) -> None:
        self.most = max(self.most, self._rows[-1].unclosed)


@dataclass(frozen=True)
class _Count:
    """The brackets of a formula, or of a command.

    Attributes:
        unclosed: how many of a row nothing closes.
        opened: how many are opened.
        is_known: whether all commands in it are known, and none of them takes an argument from behind it.
    """

    unclosed: int
    opened: int
    is_known: bool = True


MOST_MEANINGS = 20
"""How many definitions of one command are counted for a post."""
_MOST_READ = 1 << 20
"""How many characters of formulas and of the bodies of commands are counted for a post."""


class Brackets:
    """Counts the brackets of the formulas of one post, which may define commands.

    Args:
        expansions: how many uses of such commands the converter allows in one formula.
    """

    def __init__(self, expansions: int) -> None:
        self._expansions = expansions
        self._commands: dict[str, tuple[_Command, ...]] = {}  # one that is defined again may be used in between
        self._counted: dict[str, _Count] = {}
        self._is_certain = True
        self._has_news = False
        self._read = 0

    def unclosed(self, tex: str) -> int:
        """The largest number of brackets in one row of a formula that nothing closes, if it is more than `FEW`.

        Args:
            tex: the formula. The commands that it defines count for it and for all formulas after it.
        """
        self._has_news = False
        found = [*DEFINES.finditer(tex)]
        ends = [*(later.start() for later in found[1:]), len(tex)]
        rest, last = "", 0  # what is not a definition: the converter matches the brackets of those where they are used
        for definition, end in zip(found, ends, strict=False):
            length = self._define(tex[definition.end() : end], is_alias=definition[0].endswith("let"))
            rest += tex[last : definition.start() if length else definition.end()]
            last = definition.end() + length
        rest += tex[last:]
        if not self._commands and len(_PERHAPS_OPEN.findall(tex)) <= FEW:
            return 0
        unclosed = self._count(rest, 0).unclosed
        return unclosed if unclosed > FEW else 0

    def doubt(self) -> None:
        """Note that the last formula was not converted: perhaps its definitions do not apply."""
        self._is_certain = self._is_certain and not self._has_news

    def _define(self, text: str, *, is_alias: bool) -> int:
        """Read a definition at the start of a text, and return its length; 0 if its end is not certain."""
        name = _NAME.match(text)
        if not name:
            return 0
        signature, body, length = _divided(text[name.end() :], is_alias=is_alias)
        numbers = _PARAMETER.findall(body)
        known = [int(number) for number in (*numbers, *_PARAMETER.findall(signature), *_COUNT.findall(signature))]
        arguments = max(_MANY.values()) if is_alias else max(known, default=0)
        command = _Command(body, arguments, len(numbers) > len(set(numbers)))
        meanings = self._commands.get(name[1], ())
        if command not in meanings:
            self._has_news = True
            many = _Command(name[1], 0, repeats=False)  # a command that uses itself opens many brackets
            self._commands[name[1]] = (*meanings, command) if len(meanings) < MOST_MEANINGS else (many,)
            self._counted.clear()
        return name.end() + length if length else 0

    def _count(self, tex: str, depth: int) -> _Count:
        """The brackets of a formula, or of the body of a command."""
        self._read += len(tex)
        rows, repeats, wrapping, opened = _Rows(), False, 0, 0
        for found in _TOKEN.finditer(tex):
            token, bracket = found[1] or found[0], found[2]
            name = bracket or token
            own = self._commands.get(name, ())
            inner = self._of(name, depth) if own else _Count(0, int(token in _WRAPPING))
            arguments = max(one.arguments for one in own) if own else _arguments(token)
            wraps = arguments > 0 and inner.opened > 0
            stands_alone = bracket and rows.is_wrapped  # an argument is one token, without the bracket
            rows.read(token, inner.unclosed, arguments, wraps=wraps)
            if stands_alone:
                rows.read(bracket)
            rows.is_known = rows.is_known and (inner.is_known and self._is_certain if own else _is_known(token))
            repeats = repeats or any(one.repeats for one in own)
            wrapping += inner.opened if wraps else 0
            opened += inner.opened + _is_open(token)
        unclosed = rows.finish() + (wrapping if rows.dangles else 0)
        if not rows.is_known:
            unclosed = opened
        return _Count(unclosed * self._expansions if repeats else unclosed, opened, rows.is_known)

    def _of(self, name: str, depth: int) -> _Count:
        """The brackets that a use of a command opens; very many where it uses itself, or where all this takes long."""
        many = _Count(self._expansions, self._expansions, is_known=False)
        if depth > self._expansions or self._read > _MOST_READ:
            return many
        if name not in self._counted:
            self._counted[name] = many  # while it is counted
            counts = [self._count(command.body, depth + 1) for command in self._commands[name]]
            unclosed, opened = max(one.unclosed for one in counts), max(one.opened for one in counts)
            self._counted[name] = _Count(unclosed, opened, len(counts) == 1 and counts[0].is_known)
        return self._counted[name]


def _divided(text: str, *, is_alias: bool) -> tuple[str, str, int]:
    """What stands between the name of a command and its body, the body, and the length of both.

    If that is not certain, the body is all of the text, and the length 0.
    """
    if is_alias:
        found = _ALIAS.match(text)
        return ("", found[1], found.end()) if found else ("", text, 0)
    signature = _SIGNATURE.match(text)
    depth = 0
    if not signature:
        return text, text, 0
    start = signature.end()
    for brace in _BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if not depth:
            return text[:start], text[start + 1 : brace.start()], brace.end()
    return text, text, 0


_BEGINNINGS = ("{", r"\begingroup", r"\begin", r"\left")
_ENDS = ("}", r"\endgroup", r"\end", r"\right")


def _is_open(token: str) -> bool:
    return _is(token, "Ps", _OPENS) or token in _ALSO_OPEN


def _is(token: str, kind: str, commands: re.Pattern[str]) -> bool:
    return bool(commands.fullmatch(token)) if token.startswith("\\") else category(token) == kind


def _is_known(token: str) -> bool:
    """Whether it is known what a token does to the brackets around it; comments hide some."""
    known = (_ONE, _TWO, _NONE, _OPENS, _CLOSES, DEFINES)
    is_structure = token in (*_BEGINNINGS, *_ENDS, *_MANY)
    if len(token) == 1:
        return token != "%"  # noqa: S105 - a comment
    return is_structure or any(kind.fullmatch(token) for kind in known)


def _arguments(token: str) -> int:
    """The number of arguments behind a token; two if the token is not known."""
    if token in ("^", "_", "\\mathopen") or _ONE.fullmatch(token):
        return 1
    if any(kind.fullmatch(token) for kind in (_OPENS, _CLOSES, DEFINES)):
        return 0
    return 0 if not token.startswith("\\") or _NONE.fullmatch(token) else _MANY.get(token, 2)
