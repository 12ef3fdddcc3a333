"""Fenced code: what the info string asks for, and highlighting with Pygments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING

import msgspec

from devlog.model import problems

if TYPE_CHECKING:
    from pygments.token import _TokenType

    Tokens = Callable[[str], Iterable[tuple[int, _TokenType, str]]]

MAX_LEXED = 64 * 1024
MAX_LEXED_LINE = 20 * 1024
"""Lexers backtrack: longer blocks and blocks with longer lines (in characters) stay plain."""

PLAIN = frozenset({"", "text", "txt", "plain", "plaintext", "none", "nohighlight"})

# Languages are allowed by name, since a lexer is code that runs on untrusted text.
LANGUAGES = frozenset(
    """abap actionscript ada antlr apacheconf applescript armasm asm awk bash bat batch bibtex c c#
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
    "apache": "apacheconf",
    "armasm": "gas",
    "asm": "nasm",
    "bazel": "python",
    "c#": "java",  # its own lexer takes time quadratic in plain words
    "cs": "java",
    "csharp": "java",
    "csv": "text",
    "cxx": "cpp",
    "fish": "bash",  # like those of rego, scala and tcsh, its own lexer takes time exponential in backslashes
    "go-html-template": "html",  # Hugo's name for its templates
    "golang": "go",
    "gradle": "groovy",
    "h": "c",
    "hpp": "cpp",
    "jsonc": "json",
    "liquid": "jinja",  # which looks the same
    "mermaid": "text",
    "metal": "cpp",
    "ml": "ocaml",
    "mlir": "llvm",
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
    "vb": "vb.net",
    "wikitext": "text",
    "x86asm": "nasm",
}


class Fence(msgspec.Struct, frozen=True):
    """What an info string asks for.

    Attributes:
        language: in lower case; empty when none is named.
        title: shown above the code.
        numbers: whether lines are numbered.
        first: the number of the first line.
        highlighted: which lines stand out, counted from 1 at the first line of the block.
        hidden: which lines are left out, counted likewise.
    """

    language: str = ""
    title: str = ""
    numbers: bool = False
    first: int = 1
    highlighted: frozenset[int] = frozenset()
    hidden: frozenset[int] = frozenset()


_NUMBERS_IN_A_ROW = r"\d{1,6}(?:-\d{1,6})?(?: +\d{1,6}(?:-\d{1,6})?)+(?![\w=.-])"
_OPTION = re.compile(
    rf"""([A-Za-z_-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|(\[[^\]]*\])|({_NUMBERS_IN_A_ROW}|[^\s,}}]+))|(\{{[\d,\s-]+\}})"""
)
_RANGE = re.compile(r"(\d{1,6})(?:\s*-\s*(\d{1,6}))?")
_TITLES = ("title", "filename", "file", "name")
_NUMBERS = ("linenos", "linenums", "line_numbers", "showlinenumbers", "numbers")
_HIGHLIGHTS = ("hl_lines", "highlight", "lines", "mark")
# What rustdoc reads as a fence of Rust without naming it.
_RUST = re.compile(r"ignore|no_run|should_panic|compile_fail|edition20\d\d")


def read_info(info: str) -> Fence:
    """Read a fence's info string.

    Understood are ``python title="x.py" linenos hl_lines="2-3"``, Hugo's ``{linenos=true,hl_lines=[2,"4-5"]}``,
    Zola's ``python,linenos,hl_lines=2 4-5,hide_lines=1``, rustdoc's ``rust,ignore`` and the short ``{2,4-5}``.
    """
    info = info.strip()
    language = re.split(r"[\s{,:]", info, maxsplit=1)[0]
    rest = info[len(language) :]
    title, numbers, first = "", False, 1
    highlighted: set[int] = set()
    hidden: set[int] = set()
    for found in _OPTION.finditer(rest):
        if found[6]:
            highlighted |= _lines(found[6])
            continue
        key = found[1].lower()
        value = next((part for part in found.groups()[1:5] if part is not None), "")
        if key in _TITLES:
            title = value
        elif key in _NUMBERS:
            numbers = value.lower() not in ("false", "no", "0")
            first = int(value) if value.isdecimal() and 0 < int(value) < 10**6 else first
        elif key in ("linenostart", "startline", "start") and value.isdecimal():
            first = int(value[:6])
        elif key in _HIGHLIGHTS:
            highlighted |= _lines(value)
        elif key == "hide_lines":
            hidden |= _lines(value)
    bare = set(re.sub(_OPTION, " ", rest).lower().replace("{", " ").replace("}", " ").replace(",", " ").split())
    numbers = numbers or bool(bare & set(_NUMBERS))
    language = "rust" if _RUST.fullmatch(language) else language.lower()
    return Fence(language, title, numbers, first, frozenset(highlighted), frozenset(hidden))


def _lines(text: str) -> set[int]:
    found: set[int] = set()
    for start, end in _RANGE.findall(text):
        found.update(range(int(start), min(int(end or start), int(start) + 10_000) + 1))
    return found


@lru_cache(maxsize=256)
def _tokens(language: str) -> Tokens | None:
    """What turns code in an allowed language into tokens; lexers keep no state between texts."""
    from pygments.lexers import get_lexer_by_name  # a large import that posts without code never need
    from pygments.util import ClassNotFound

    from devlog.parse.lexing import accelerated

    try:
        return accelerated(get_lexer_by_name(_ALIASES.get(language, language), stripnl=False, ensurenl=False))
    except ClassNotFound:
        return None


def known_language(language: str) -> bool:
    """Whether code in `language` is highlighted, or is meant to be plain."""
    return language in PLAIN or language in LANGUAGES or language in _ALIASES


def nearest_language(language: str) -> str:
    """The language that `language` was most likely meant to be; empty when none is near."""
    return problems.nearest(language, sorted(LANGUAGES))


class _Tags(dict["_TokenType", str]):
    """The opening tag, with its short class, of each type of token; none for white space, which looks like nothing."""

    def __missing__(self, kind: _TokenType) -> str:
        from pygments.token import STANDARD_TYPES

        known: _TokenType | None = kind
        while known is not None and known not in STANDARD_TYPES:
            known = known.parent  # a lexer's own type of token looks like its nearest standard ancestor
        css = STANDARD_TYPES[known] if known is not None else ""
        self[kind] = "" if css in ("", "w") else f'<span class="{css}">'
        return self[kind]


_TAGS = _Tags()


def highlight(code: str, language: str) -> str:
    """`code` as escaped HTML with the short classes of Pygments.

    Unknown languages and code beyond the limits come back escaped and otherwise as they are.
    """
    tokens = _tokens(language) if known_language(language) and language not in PLAIN and _lexable(code) else None
    if tokens is None:
        return escape(code, quote=False)
    parts: list[str] = []
    opened = ""
    tags = _TAGS
    for _, kind, value in tokens(code):
        tag = tags[kind]
        if tag != opened:  # neighbours of one class share a span
            if opened:
                parts.append("</span>")
            if tag:
                parts.append(tag)
            opened = tag
        parts.append(escape(value, quote=False) if "<" in value or "&" in value or ">" in value else value)
    if opened:
        parts.append("</span>")
    return "".join(parts)


def _lexable(code: str) -> bool:
    """Whether `code` is within the limits."""
    if len(code) > MAX_LEXED:
        return False
    return len(code) <= MAX_LEXED_LINE or max(map(len, code.split("\n"))) <= MAX_LEXED_LINE


def render_code(code: str, fence: Fence) -> str:
    """A code block as HTML, with what its fence asks for."""
    html = highlight(code, fence.language)
    if fence.numbers or fence.highlighted or fence.hidden:
        html = _wrap_lines(html, fence)
    label = escape(fence.language)
    data = f' data-lang="{label}"' if label and label not in PLAIN else ""
    css = f' class="language-{label}"' if label else ""
    title = f'<div class="code-title">{escape(fence.title)}</div>' if fence.title else ""
    return f'<div class="code"{data}>{title}<pre tabindex="0"><code{css}>{html}</code></pre></div>\n'


_SPAN = re.compile(r'<span class="[a-z0-9-]+">|</span>')


def _wrap_lines(html: str, fence: Fence) -> str:
    """Each line in a span of its own; a token that runs over a line's end is closed and opened again."""
    lines: list[str] = []
    opened = ""
    for index, line in enumerate(html.removesuffix("\n").split("\n"), start=1):
        marks: list[str] = _SPAN.findall(opened + line)
        still_open = marks[-1] if marks and marks[-1] != "</span>" else ""
        number = fence.first + index - 1
        count = f'<span class="line-number" aria-hidden="true">{number}</span>' if fence.numbers else ""
        css = "line highlighted" if index in fence.highlighted else "line"
        if index not in fence.hidden:
            lines.append(f'<span class="{css}">{count}{opened}{line}{"</span>" if still_open else ""}\n</span>')
        opened = still_open
    return "".join(lines)
