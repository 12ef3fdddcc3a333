"""Renders code blocks: parses the info string of a fence, and highlights code with Pygments.

The HTML contains everything that a block shows. Classes mark what only a page with devlog's style sheet uses, such as
inserted lines and prompts. The theme's script adds buttons, so that feeds and text browsers do not show them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec

from devlog.model.directional_controls import DIRECTIONAL
from devlog.model.problems import nearest
from devlog.parse.code.ansi import ESCAPE, Changes, Painted, paint, spans

if TYPE_CHECKING:
    from pygments.lexer import Lexer
    from pygments.token import _TokenType

    Tokens = Callable[[str], Iterable[tuple[int, _TokenType, str]]]

Kind = TypeVar("Kind")

Highlight = Callable[[str, str], str]
"""Highlights code, the first argument, in a language."""

MAX_LEXED = 64 * 1024
MAX_LEXED_LINE = 2 * 1024
MAX_LEXED_BLANK = 500
"""Lexers backtrack, many of them in a line or in white space again from each character: longer blocks, and those with
longer lines or runs of white space (in characters), are not highlighted."""
MAX_LEXED_AT_ONCE = 16 * 1024
"""`MAX_LEXED` of languages whose lexers may look to the end of a block from each character, see `_AT_ONCE`."""

PLAIN = frozenset({"", "text", "txt", "plain", "plaintext", "none", "nohighlight"})

# Only listed languages are allowed, since a lexer is code that runs on untrusted text.
LANGUAGES = frozenset(
    """abap actionscript ada ansi antlr apacheconf applescript armasm asm awk bash bat batch bibtex c c#
    c++ capnp cfg clj clojure cmake cobol coffeescript common-lisp console cpp crystal cs csharp css csv cuda cxx
    cython d dart devicetree diff docker dockerfile dot dtd ebnf eiffel elisp elixir elm emacs-lisp erl
    erlang f# fish forth fortran fsharp gas gdscript gherkin glsl go go-html-template golang gradle graphql graphviz
    groovy h haskell hcl hexdump hlsl hpp hs html http idl ini irc java javascript jinja jl js json json5 jsonc jsonld
    jsonnet jsx
    julia kconfig kotlin ksh lean lean4 less lighttpd lisp llvm llvm-mir llvm-mir-body lua make makefile
    markdown mathematica matlab md mermaid meson metal mips ml mlir mysql nasm nginx nim
    nix nu objc objdump objective-c objectivec objective-j ocaml octave odin opencl openscad pas pascal patch perl
    php pl plsql postgres postgresql powershell prolog promql properties proto protobuf ps1 ptx puppet
    py py3 pycon pytb python python-console python-traceback python3 qml r racket rb react reason
    rego robotframework rs rst ruby rust sas sass scala scheme scilab scss sed sh shell
    shell-session smalltalk sml solidity sparql sql sqlite3 stan starlark swift systemverilog tablegen tcl tcsh
    terraform tex latex toml ts tsql tsx turtle typescript typst udiff v vala vb vbnet verilog vhdl vim
    vue wast wat wgsl wikitext x86asm xml xquery xslt yaml yml zig zsh""".split()
)

_ALIASES = {
    "ansi": "text",
    "apache": "apacheconf",
    "armasm": "gas",
    "asm": "nasm",
    "bat": "text",  # like those of ptx and rego, its own lexer takes exponential time, and no other is similar
    "batch": "text",
    "bazel": "python",
    "c#": "java",  # its own lexer takes quadratic time for plain words
    "cs": "java",
    "csharp": "java",
    "csv": "text",
    "cxx": "cpp",
    "fish": "bash",  # like those of rego, scala and tcsh, its own lexer takes exponential time for backslashes
    "go-html-template": "html",  # Hugo's name for its templates
    "golang": "go",
    "gradle": "groovy",
    "h": "c",
    "hpp": "cpp",
    "jsonc": "json",
    "liquid": "jinja",  # its syntax looks the same
    "mermaid": "text",
    "metal": "cpp",
    "ml": "ocaml",
    "nu": "bash",
    "opencl": "c",
    "patch": "diff",
    "plsql": "sql",
    "proto": "protobuf",
    "ptx": "text",
    "python-traceback": "pytb",
    "react": "jsx",
    "rego": "text",
    "scala": "groovy",
    "starlark": "python",
    "tcsh": "bash",
    "tsv": "text",
    "vb": "vb.net",
    "vega-lite": "json",
    "wikitext": "text",
    "x86asm": "nasm",
    "yml": "yaml",  # an alias of Pygments only from 2.21 on
}

_AT_ONCE = frozenset(
    "bibtex crystal erl hcl make makefile pas pascal rb robotframework ruby sass sqlite3 terraform xquery".split()
)
"""Languages whose lexers see all that follows, where `fast_pygments` lets others see a part. So do those of JSON and
YAML, but they look at no character twice."""


class Fence(msgspec.Struct, frozen=True):
    """The options in an info string.

    Attributes:
        language: in lower case; empty if there is none.
        title: shown above the code.
        numbers: whether lines are numbered.
        first: the number of the first line.
        highlighted: the lines to highlight, counted from 1 at the first line of the block.
        hidden: the lines to hide, counted in the same way.
        is_diff: whether lines begin with the signs of a patch, followed by code in the language.
        wrapped: whether long lines are wrapped.
        is_output: whether it is what the code above has printed.
        tab: the name of its tab, which may be empty; `None` if it is not a tab.
    """

    language: str = ""
    title: str = ""
    numbers: bool = False
    first: int = 1
    highlighted: frozenset[int] = frozenset()
    hidden: frozenset[int] = frozenset()
    is_diff: bool = False
    wrapped: bool = False
    is_output: bool = False
    tab: str | None = None

    @property
    def wraps_lines(self) -> bool:
        """Whether each line has an element of its own."""
        return self.numbers or self.is_diff or bool(self.highlighted or self.hidden)


_BLANK = re.compile(r"\s{3,}")
_NUMBERS_IN_A_ROW = r"\d{1,6}(?:-\d{1,6})?(?: +\d{1,6}(?:-\d{1,6})?)+(?![\w=.-])"
_OPTION = re.compile(
    rf"""([A-Za-z_-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|(\[[^\]]*\])|({_NUMBERS_IN_A_ROW}|[^\s,}}]+))|(\{{[\d,\s-]+\}})"""
)
_RANGE = re.compile(r"(\d{1,6})(?:\s*-\s*(\d{1,6}))?")
_LONGEST = 1000
"""The maximum number of characters of an info string that are read."""
_MOST = 10_000
"""The maximum number of lines of a block that options can name."""
_TITLES = ("title", "filename", "file", "name")
_NUMBERS = ("linenos", "linenums", "line_numbers", "showlinenumbers", "numbers")
_HIGHLIGHTS = ("hl_lines", "highlight", "lines", "mark")
_FLAGS = ("tab", "wrap", "lang")
_NO = ("false", "no", "0")
_PATCHES = frozenset({"diff", "patch", "udiff"})
# Info strings that rustdoc reads as Rust although they do not name it.
_RUST = re.compile(r"ignore|no_run|should_panic|compile_fail|edition20\d\d")


def read_info(info: str) -> Fence:
    """Parse the info string of a fence.

    It accepts ``python title="x.py" linenos hl_lines="2-3"``, Hugo's ``{linenos=true,hl_lines=[2,"4-5"]}``, Zola's
    ``python,linenos,hl_lines=2 4-5,hide_lines=1``, rustdoc's ``rust,ignore`` and the short ``{2,4-5}``.
    """
    info = info.strip()[:_LONGEST]
    language = re.split(r"[\s{,:]", info, maxsplit=1)[0]
    rest = info[len(language) :]
    title, numbers, first = "", False, 1
    highlighted: list[str] = []
    hidden: list[str] = []
    flags: dict[str, str] = {}
    for found in _OPTION.finditer(rest):
        if found[6]:
            highlighted.append(found[6])
            continue
        key = found[1].lower()
        value = next((part for part in found.groups()[1:5] if part is not None), "")
        if key in _TITLES:
            title = value
        elif key in _NUMBERS:
            numbers = value.lower() not in _NO
            first = int(value) if value.isdecimal() and 0 < int(value) < 10**6 else first
        elif key in ("linenostart", "startline", "start") and value.isdecimal():
            first = int(value[:6])
        elif key in _HIGHLIGHTS:
            highlighted.append(value)
        elif key == "hide_lines":
            hidden.append(value)
        elif key in _FLAGS:
            flags[key] = value
    bare = set(re.sub(_OPTION, " ", rest).lower().replace("{", " ").replace("}", " ").replace(",", " ").split())
    numbers = numbers or bool(bare & set(_NUMBERS))
    language = "rust" if _RUST.fullmatch(language) else language.lower()
    language, is_diff = _changed_language(language, "diff" in bare, flags.get("lang", ""))
    tab = flags.get("tab") or None
    if "tab" in bare and tab is None:  # its name is the label that it would have anyway
        tab, title = title or language, ""
    return Fence(
        language,
        title,
        numbers,
        first,
        _lines(highlighted),
        _lines(hidden),
        is_diff,
        "wrap" in bare or flags.get("wrap", "false").lower() not in _NO,
        "output" in bare,
        tab,
    )


def options_of(info: str) -> dict[str, str]:
    """The options in an info string with their values, by name; a word without a value is one with an empty value."""
    info = info.strip()[:_LONGEST]
    rest = info[len(re.split(r"[\s{,:]", info, maxsplit=1)[0]) :]
    bare = re.sub(_OPTION, " ", rest).replace("{", " ").replace("}", " ").replace(",", " ").split()
    named = [(found[1], found.groups()[1:5]) for found in _OPTION.finditer(rest) if found[1]]
    return dict.fromkeys(map(str.lower, bare), "") | {
        name.lower(): next((part for part in values if part is not None), "") for name, values in named
    }


def _changed_language(language: str, is_diff: bool, named: str) -> tuple[str, bool]:
    """The language of the code itself, and whether its lines are those of a patch, as in ``diff-python``."""
    inner = language.removeprefix("diff-") if language.startswith("diff-") else named if language == "diff" else ""
    if inner and known_language(inner.lower()):
        return inner.lower(), True
    return language, language in _PATCHES or (is_diff and known_language(language))


def _lines(texts: Sequence[str]) -> frozenset[int]:
    """The line numbers in texts with numbers and ranges. Each counts once, even if it occurs several times."""
    if not texts:
        return frozenset()
    found: set[int] = set()
    free = 0
    for start, end in sorted((int(start), int(end or start)) for start, end in _RANGE.findall(" ".join(texts))):
        numbers = range(max(start, free), end + 1)[: _MOST - len(found)]
        found.update(numbers)
        free = max(free, numbers.stop)
    return frozenset(found)


_NESTING = frozenset({"http", "postgres", "postgresql"})
"""Languages whose text names the language of code inside of it."""
_OPTIONS = {"stripnl": False, "ensurenl": False, "handlecodeblocks": False}
"""The options of all lexers. The last one does the same for Markdown and reStructuredText: code in them is a string."""


def new_lexer(language: str) -> Lexer:
    """A lexer for an allowed language, which adds and removes nothing, and runs no lexer that is not allowed.

    Raises:
        ClassNotFound: this version of Pygments has none.
    """
    if language == "mlir":
        from devlog.parse.code.mlir import MlirLexer

        return MlirLexer(**_OPTIONS)
    from pygments.lexers import get_lexer_by_name  # a large import that posts without code never need

    from devlog.parse.code.bounded import bound_rules

    bound_rules()
    name = _ALIASES.get(language, language)
    if name in _NESTING:
        from devlog.parse.code.nested_code import nested

        return nested(name, _allowed, **_OPTIONS)
    return get_lexer_by_name(name, **_OPTIONS)


def _allowed(language: str) -> Lexer | None:
    """A lexer for code inside of other code; `None` if its language is not allowed there."""
    return new_lexer(language) if language in LANGUAGES - _NESTING - _PAINTED - _AT_ONCE else None


@lru_cache(maxsize=256)
def _tokens(language: str) -> Tokens | None:
    """The function that splits code in an allowed language into tokens. It keeps no state between calls."""
    from pygments.util import ClassNotFound

    from devlog.parse.code.fast_pygments import accelerated

    try:
        lexer = new_lexer(language)
    except ClassNotFound:
        return None
    run, left_open = accelerated(lexer), getattr(lexer, "xquery_parse_state", None)
    if left_open is None:
        return run

    def run_anew(code: str) -> list[tuple[int, _TokenType, str]]:
        """The tokens of code in XQuery: its lexer keeps what unbalanced code leaves open in a list of its class."""
        left_open.clear()
        return list(run(code))

    return run_anew


def known_language(language: str) -> bool:
    """Whether code in `language` is highlighted, or intentionally plain."""
    return language in PLAIN or language in LANGUAGES or language in _ALIASES


def nearest_language(language: str) -> str:
    """The language that was most likely meant by `language`; empty if none is similar."""
    return nearest(language, sorted(LANGUAGES))


class _Tags(dict["_TokenType", str]):
    """The opening tag, with Pygments' short class, for each type of token.

    It is empty for white space, and for what a lexer does not understand: more often than a mistake, that is a new part
    of the language, an ellipsis or a placeholder, which readers need not be warned about.
    """

    def __missing__(self, kind: _TokenType) -> str:
        from pygments.token import STANDARD_TYPES

        known: _TokenType | None = kind
        while known is not None and known not in STANDARD_TYPES:
            known = known.parent  # a lexer's own token types look like their nearest standard ancestor
        css = STANDARD_TYPES[known] if known is not None else ""
        self[kind] = "" if css in ("", "w", "err") else f'<span class="{css}">'
        return self[kind]


_TAGS = _Tags()


# Languages with terminal colors, and those in which sequences may be spelled out: in Python, they are part of a value.
_PAINTED = frozenset({"ansi", "console", "shell-session", "pycon", "python-console"})
_SPELT = frozenset({"ansi", "console", "shell-session"})


def highlight(code: str, language: str) -> str:
    """`code` as escaped HTML with Pygments' short classes, and the classes of terminal colors.

    Code in an unknown language or beyond the limits is only escaped.
    """
    if _is_painted(code, language):
        return _highlight_painted(paint(code, written=language in _SPELT, typed=language != "ansi"), language)
    tokens = _tokens(language) if _is_lexed(code, language) else None
    return escape(code, quote=False) if tokens is None else _write(_whole(tokens, code), _TAGS)


def _whole(tokens: Tokens, code: str) -> Iterable[tuple[int, _TokenType, str]]:
    """All tokens of code; the code as one if its lexer does not keep to it.

    Some show the rest of a block again for each of its parts that has no end, or replace line breaks. Those of sessions
    drop a last line without a line break.
    """
    from pygments.token import Text

    try:
        found = _up_to(len(code), tokens(code))
        if not code.endswith("\n") and sum(len(value) for _, _, value in found) != len(code):
            found = _up_to(len(code) + 1, tokens(f"{code}\n"))
            found[-1:] = [(start, kind, value.removesuffix("\n")) for start, kind, value in found[-1:]]
    except RecursionError:  # some lexers call themselves for each level of a text
        return [(0, Text, code)]
    return found if "".join(value for _, _, value in found) == code else [(0, Text, code)]


def _up_to(length: int, tokens: Iterable[tuple[int, _TokenType, str]]) -> list[tuple[int, _TokenType, str]]:
    """The first tokens, as far as they are not longer, or one more."""
    found: list[tuple[int, _TokenType, str]] = []
    for token in tokens:
        found.append(token)
        length -= len(token[2])
        if length < 0:
            break
    return found


def has_lexer(code: str, language: str) -> bool:
    """Whether `highlight` runs a lexer and nothing else: the text of its HTML is `code`."""
    return not _is_painted(code, language) and _is_lexed(code, language)


def _is_painted(code: str, language: str) -> bool:
    """Whether `code` may have terminal colors, whose sequences are not shown."""
    return language in _PAINTED and (ESCAPE in code or "\\" in code)


def _is_lexed(code: str, language: str) -> bool:
    return known_language(language) and language not in PLAIN and _lexable(code, language)


def _write(tokens: Iterable[tuple[int, Kind, str]], tags: Mapping[Kind, str]) -> str:
    """Render tokens as HTML, each in the tag of its kind."""
    parts: list[str] = []
    opened = ""
    for _, kind, value in tokens:
        tag = tags[kind]
        if tag != opened:  # adjacent tokens of one class share a span
            if opened:
                parts.append("</span>")
            if tag:
                parts.append(tag)
            opened = tag
        parts.append(escape(value, quote=False) if "<" in value or "&" in value or ">" in value else value)
    if opened:
        parts.append("</span>")
    return "".join(parts)


class _Themselves(dict[str, str]):
    """A mapping of tags to themselves, for kinds that are already tags."""

    def __missing__(self, tag: str) -> str:
        return tag


def _highlight_painted(painted: Painted, language: str) -> str:
    """Render code with terminal colors: output has these, typed commands have the colors of their language."""
    text, changes = painted
    tokens = _tokens(language) if language != "ansi" and _lexable(text, language) else None
    found = [(0, None, text)] if tokens is None else _whole(tokens, text)
    return _write(_painted_tokens(found, changes), _Themselves())


def _painted_tokens(
    tokens: Iterable[tuple[int, _TokenType | None, str]], changes: Changes
) -> Iterator[tuple[int, str, str]]:
    position = 0
    for _, kind, value in tokens:
        tag = "" if kind is None else _TAGS[kind]
        if tag in ("", _OUTPUT):
            for part, classes in spans(value, position, changes):
                own = f"{'go' if tag else ''} {classes}".strip()
                yield 0, f'<span class="{own}">' if own else "", part
        else:
            yield 0, tag, value
        position += len(value)


_OUTPUT = '<span class="go">'


def _lexable(code: str, language: str) -> bool:
    """Whether `code` is within the limits."""
    if len(code) > (MAX_LEXED_AT_ONCE if _ALIASES.get(language, language) in _AT_ONCE else MAX_LEXED):
        return False
    if len(code) > MAX_LEXED_LINE and max(map(len, code.split("\n"))) > MAX_LEXED_LINE:
        return False
    return len(code) <= MAX_LEXED_BLANK or max(map(len, _BLANK.findall(code)), default=0) <= MAX_LEXED_BLANK


def render_code(code: str, fence: Fence, link: str = "", highlight: Highlight = highlight) -> str:
    """Render a code block as HTML, with the options of its fence.

    Args:
        code: the code.
        fence: the options.
        link: the attribute with the URL that the title links to; empty for none.
        highlight: highlights code as `highlight` does.
    """
    if fence.is_diff:
        html = _wrap_lines(_changed_lines(code, fence.language), fence)
    else:
        html = highlight(code, fence.language)
        if fence.wraps_lines:
            html = _wrap_lines([_Line(line) for line in _closed_lines(html)], fence)
    html = show_directional(html)
    label = escape(fence.language)
    data = f' data-lang="{label}"' if label and label not in _UNLABELLED else ""
    css = f' class="language-{label}"' if label else ""
    shown = f"<a{link}>{escape(fence.title)}</a>" if link else escape(fence.title)
    title = f'<div class="code-title">{shown}</div>' if fence.title else ""
    own = "code" if not (fence.is_diff or fence.wrapped or fence.is_output) else _block_classes(fence)
    return f'<div class="{own}"{data}>{title}<pre tabindex="0"><code{css}>{html}</code></pre></div>\n'


def show_directional(html: str, write: Callable[[str], str] = str) -> str:
    """The HTML of code in which the characters that change the direction of text turn nothing, and are shown.

    Args:
        html: the HTML, with such characters in texts only.
        write: makes the HTML of a character from the one that shows it.
    """
    if html.isascii():
        return html
    return DIRECTIONAL.sub(
        lambda found: write(f'<bdi class="unseen" data-code="{ord(found[0]):04X}">{found[0]}</bdi>'), html
    )


_UNLABELLED = PLAIN | {"ansi"}


def _block_classes(fence: Fence) -> str:
    diff = " diff" if fence.is_diff and fence.language not in _PATCHES else ""
    return f"code{diff}{' wrap' * fence.wrapped}{' output' * fence.is_output}"


class _Line(NamedTuple):
    """A line of code.

    Attributes:
        html: its HTML, with all spans closed.
        change: its class in a patch: ``inserted``, ``deleted`` or ``meta``.
        sign: the sign before it.
    """

    html: str
    change: str = ""
    sign: str = ""


_SPAN = re.compile(r'<span class="[a-z0-9 -]+">|</span>')

_LAST_BREAK = re.compile(r"\n((?:</span>)*)\Z")
"""The end of the last line, which may be part of a token."""


def _closed_lines(html: str) -> list[str]:
    """Highlighted code line by line; a token that spans several lines is closed and reopened at each line break."""
    lines: list[str] = []
    opened = ""
    for line in _LAST_BREAK.sub(r"\1", html).split("\n"):
        marks: list[str] = _SPAN.findall(opened + line)
        still_open = marks[-1] if marks and marks[-1] != "</span>" else ""
        lines.append(f"{opened}{line}{'</span>' if still_open else ''}")
        opened = still_open
    return lines


LINE = 90
"""About how many characters the element of a line adds to its code."""


def _wrap_lines(lines: Iterable[_Line], fence: Fence) -> str:
    """Wrap each line in a span."""
    written: list[str] = []
    for index, line in enumerate(lines, start=1):
        if index in fence.hidden:
            continue
        number = fence.first + index - 1
        count = f'<span class="line-number" aria-hidden="true">{number}</span>' if fence.numbers else ""
        sign = f'<span class="sign">{line.sign}</span>' if line.sign else ""
        css = " ".join(("line", *line.change.split(), *(["highlighted"] if index in fence.highlighted else [])))
        written.append(f'<span class="{css}">{count}{sign}{line.html}\n</span>')
    return "".join(written)


# -- lines of a patch

_CHANGES = {"+": "inserted", "-": "deleted"}
_SIGNS = ("+", "-", " ")


def _changed_lines(code: str, language: str) -> list[_Line]:
    """The lines of a patch. The old and the new version are highlighted separately, each as a whole."""
    lines = code.removesuffix("\n").split("\n")
    heads = _patch_heads(lines)
    if language in _PATCHES:
        return [
            _Line(_head(line), "meta") if head else _Line(escape(line, quote=False), _CHANGES.get(line[:1], ""))
            for line, head in zip(lines, heads, strict=True)
        ]
    now, before = (iter(_side(lines, heads, sign, language)) for sign in ("-", "+"))
    written: list[_Line] = []
    for line, head in zip(lines, heads, strict=True):
        sign = line[:1] if line[:1] in _SIGNS else ""
        if head:
            written.append(_Line(_head(line), "meta"))
        elif sign == "-":
            written.append(_Line(next(before), "deleted", sign))
        else:
            written.append(_Line(next(now), _CHANGES.get(sign, ""), sign))
            if sign != "+":
                next(before)
    return written


def _side(lines: Sequence[str], heads: Sequence[bool], left_out: str, language: str) -> list[str]:
    """The highlighted lines of one side of a patch: those without the sign `left_out`; their own sign is removed."""
    kept = (line for line, head in zip(lines, heads, strict=True) if not head and line[:1] != left_out)
    return _closed_lines(highlight("".join(f"{line[line[:1] in _SIGNS :]}\n" for line in kept), language))


def _patch_heads(lines: Sequence[str]) -> list[bool]:
    """For each line of a patch, whether it is a header of a file or hunk."""
    heads = [line.startswith(("@@ ", "@@@ ", "diff --git ", "index ", "Index: ")) or line == "@@" for line in lines]
    for index in range(len(lines) - 1):
        if lines[index].startswith("--- ") and lines[index + 1].startswith("+++ "):
            heads[index] = heads[index + 1] = True
    return heads


def _head(line: str) -> str:
    return f'<span class="gu">{escape(line, quote=False)}</span>'
