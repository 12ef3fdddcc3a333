"""The faster way to tokens gives the same tokens, and the same HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape, unescape
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pygments.lexer import DelegatingLexer, ExtendedRegexLexer, Lexer, RegexLexer, default
from pygments.lexers import get_lexer_by_name
from pygments.scanner import Scanner
from pygments.token import STANDARD_TYPES, Error, Name, Text, Whitespace

from devlog.parse.code import fast_pygments
from devlog.parse.code.fast_pygments import accelerated
from devlog.parse.code.highlight import _AT_ONCE, LANGUAGES, MAX_LEXED_AT_ONCE, highlight, new_lexer

OPTIONS = {"stripnl": False, "ensurenl": False}
SOURCES = sorted((Path(__file__).parents[2] / "devlog").rglob("*.py"))

TEXTS = (
    "",
    "\n\n",
    "plain words, and 3.14 + 0x1F\n",
    '"""doc\n\'\'\' "mixed\n" # { <% ?> \\ $x @y /* c */ -- // \x0b é 漢字 🎉\n',
    "def f(x: int) -> str:\n    '''doc %s {x!r}'''\n    return f'{x:>10} {y}' + r'\\n' # note\n",
    "#include <stdio.h>\nstatic uint32_t f(size_t n) { return n ? 0x1Fu : 'c'; } // note\n",
    'fn main() -> Result<(), E> { let x: u64 = r#"raw"#; println!("{x}"); }\n',
    "<html><script>var x = `a${b}`;</script><style>a { b: c }</style></html>\n",
    "$ ls -la | grep x\ntotal 4\n>>> print(1)\n1\n",
    "a: b\n- c: [1, 2]\n  d: |\n    text\n",
    "SELECT * FROM t WHERE a = 'b' -- note\n",
    'cat <<EOF\n$HOME\nEOF\nif [ -f x ]; then echo "$(date)"; fi\n',
    "=begin\nx\n=end\nputs <<~A, <<~B\na\nA\nb\nB\n",
    "foo(bar: 1) { |x| x.map(&:y) } unless %w[a b].empty?\n",
    "static /* a */ int // b\nmain (int size_t) { goto end; end: return a < b && c > d; }\nend:\n",
    ">>> for x in range(3):\n...     print(x)  # three\n...\n0\nTraceback (most recent call last):\nKeyError: 'c'\n",
    "(venv) $ export A=1 \\\n> B=2\nuser@host:~# ls <in >out\nhost% cd\n",
    "\tindented\r\n\r\n  # note\r\n\n=begin\n ^ $ key: *x &y\n\t.text\n 1: nop\n",
    "ſelect \u212aEY from İ where ı = 'ſ' \u00a0 \u2028éa= 漢字: ٣٤ 🎉\x00\x1c\x85x",
    "+new\n-old\n@@ -1 +1 @@\n same\n<a href='x'>&amp;</a><!-- c --><?php echo $x->y; ?>\n",
    "@annotation class A<T extends B> { void f() throws C { label: for (;;) break label; } }",
)


def _plain(lexer: Lexer, text: str, *stack: Sequence[str]) -> list[fast_pygments.Token]:
    """The tokens as Pygments itself finds them, also for parts that other lexers split."""
    with (
        patch.object(RegexLexer, "get_tokens_unprocessed", fast_pygments.plain_tokens),
        patch.object(Scanner, "scan", fast_pygments.plain_scan),
    ):
        return list(lexer.get_tokens_unprocessed(text, *stack))


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_same_tokens(language: str) -> None:
    fast = accelerated(new_lexer(language))
    for text in (*TEXTS, SOURCES[len(language) % len(SOURCES)].read_text("utf-8")[:2500]):
        # A new lexer for each text: some keep what they have seen.
        assert list(fast(text)) == _plain(new_lexer(language), text)


def _reference(code: str, language: str) -> str:
    """What `highlight` makes of code, said without any concern for speed."""

    def css(token: tuple[int, fast_pygments._TokenType, str]) -> str:
        kind = next(kind for kind in reversed(token[1].split()) if kind in STANDARD_TYPES)
        return "" if kind in (Whitespace, Error) else STANDARD_TYPES[kind]

    html = ""
    found = _plain(new_lexer(language), code)
    if "".join(value for _, _, value in found) != code:  # those of sessions drop a last line without a line break
        found = _plain(new_lexer(language), f"{code}\n")
        found[-1] = (*found[-1][:2], found[-1][2].removesuffix("\n"))
    if "".join(value for _, _, value in found) != code:  # it replaces line breaks
        return escape(code, quote=False)
    for name, tokens in groupby(found, css):
        text = escape("".join(value for _, _, value in tokens), quote=False)
        html += f'<span class="{name}">{text}</span>' if name else text
    return html


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_same_html(language: str) -> None:
    for text in TEXTS:
        assert highlight(text, language) == _reference(text, language)


MLIR = """
#map = affine_map<(d0, d1) -> (d0, d1)>
module @m attributes {lumen.kind = "a\\22b", dlti.size = 4 : i64} {
  // A comment.
  func.func private @f(%arg0: tensor<4x?xf32>, %a.1: memref<*xbf16>) -> (tensor<4x?xf32>, !lumen.row<i32>) {
    %c0 = arith.constant 0.5e-3 : f8E4M3FN loc("a.mlir":1:2)
    %0:2 = "lumen.pair"(%arg0#1) ({ ^bb0(%x: vector<[4]xi1>): cf.br ^bb1 }) {on, dim = dense<[-1, 0xFF]>} : () -> ()
    %1 = linalg.generic {indexing_maps = [#map]} ins(%arg0 : tensor<4x?xf32>) outs(%0#0 : index) -> tensor<4x?xf32>
    scf.for %i = %c0 to %1 step %c1 iter_args(%s = %0) -> (ui8) { scf.yield %s : ui8 }
    return %1 : tensor<4x?xf32>
  }
}
"""


def test_mlir() -> None:
    html = highlight(MLIR, "mlir")
    assert unescape(re.sub("<[^>]*>", "", html)) == MLIR
    for css, text in (
        ("c1", "// A comment."),
        ("nv", "%arg0#1"),
        ("nv", "%0:2"),
        ("nf", "@f"),
        ("nl", "^bb0"),
        ("nd", "#map"),
        ("kt", "tensor"),
        ("kt", "!lumen.row"),
        ("kt", "f8E4M3FN"),
        ("m", "4x?x"),
        ("m", "0.5e-3"),
        ("nb", "linalg.generic"),
        ("na", "dim"),
        ("k", "iter_args"),
        ("se", "\\2"),
    ):
        assert f'<span class="{css}">{text}</span>' in html
    assert all(kind is not Text for _, kind, _ in new_lexer("mlir").get_tokens_unprocessed(MLIR))


@pytest.mark.slow
@settings(max_examples=150)
@given(
    st.sampled_from(["python", "cpp", "rust", "bash", "json", "yaml", "html", "js", "sql", "diff", "toml", "console"]),
    st.lists(st.sampled_from("abx_ 0.\n\t\"'`#/*\\<>(){}[]=:;,$%@!-|é"), max_size=60).map("".join),
)
def test_same_tokens_for_any_text(language: str, text: str) -> None:
    fast = accelerated(get_lexer_by_name(language, **OPTIONS))
    assert list(fast(text)) == _plain(get_lexer_by_name(language, **OPTIONS), text)


@pytest.mark.parametrize(
    ("language", "state"), [("c", "string"), ("cpp", "if0"), ("python", "dqs"), ("rust", "comment")]
)
def test_same_tokens_from_another_state(language: str, state: str) -> None:
    """As lexers ask for, of themselves, for a part of the text."""
    fast = accelerated(get_lexer_by_name(language, **OPTIONS))
    for text in TEXTS:
        plain = _plain(get_lexer_by_name(language, **OPTIONS), text, ("root", state))
        assert list(fast(text, ("root", state))) == plain


@pytest.mark.parametrize("language", ["python", "cpp", "sql", "html", "console", "diff"])
def test_same_tokens_without_the_parser_of_expressions(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_pygments, "_parser", None)
    fast_pygments._beginnings.cache_clear()
    fast_pygments._table_of_kind.cache_clear()
    try:
        fast = accelerated(get_lexer_by_name(language, **OPTIONS))
        for text in TEXTS:
            assert list(fast(text)) == _plain(get_lexer_by_name(language, **OPTIONS), text)
    finally:
        fast_pygments._beginnings.cache_clear()
        fast_pygments._table_of_kind.cache_clear()


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
BEYOND = "éſ\u212aİı漢\x85"
CHARACTERS = "".join(map(chr, range(128))) + BEYOND


def _characters(expression: str, *, line_start: bool) -> str:
    """The characters of `CHARACTERS` that a rule with this expression is tried at."""
    state = fast_pygments._State([(re.compile(expression, re.MULTILINE).match, None, None)])
    return "".join(char for char in CHARACTERS if state["\n" + char if line_start else char])


@pytest.mark.parametrize(
    ("expression", "within", "at_line_start"),
    [
        ("ab|c+d", "ac", "ac"),
        ("[b-d]?x", "bcdx", "bcdx"),
        ("^#", "", "#"),
        (r"(^\s*)?a|\A!", "a", "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f !a" + BEYOND),
        (r"\b(?<!\.)(?!x)(if|in)\b", "i", "i"),
        (r"(?=[ab]).", "ab", "ab"),
        ("(?i)[h-k]", "HIJKhijk" + BEYOND, "HIJKhijk" + BEYOND),
        ("[^\x01-hj-\x7f]", "\x00i" + BEYOND, "\x00i" + BEYOND),
        ("(?i:k)", "Kk" + BEYOND, "Kk" + BEYOND),
        ("é", BEYOND, BEYOND),
        ("(?i)ſ", LETTERS + BEYOND, LETTERS + BEYOND),  # which is an s to the engine
        ("a*", CHARACTERS, CHARACTERS),
        (r"(?a:\S)", CHARACTERS, CHARACTERS),
        (r"()\1a", CHARACTERS, CHARACTERS),
    ],
)
def test_a_rule_is_tried_only_where_it_may_match(expression: str, within: str, at_line_start: str) -> None:
    assert _characters(expression, line_start=False) == within
    assert "".join(sorted(_characters(expression, line_start=True))) == "".join(sorted(at_line_start))


_ATOMS = st.sampled_from(
    r". ^ $ a b k K Z é ſ \d \w \W \S \n \b \B \A \Z [a-c] [^a-c] [^\w] [^é] [\d\s] [Z-a] (?<!\.) (?<=a) ()".split()
)
_EXPRESSIONS = st.recursive(
    _ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"({'|'.join(parts)})"),
        st.tuples(
            st.sampled_from(["(?:", "(?i:", "(?s:", "(?a:", "(?-i:", "(?>", "(?=", "(?!"]),
            inner,
            st.sampled_from([")", ")*", ")?", ")+?", "){2}", ")*+"]),
        ).map("".join),
    ),
    max_leaves=6,
)


@pytest.mark.slow
@settings(max_examples=400)
@given(_EXPRESSIONS, st.sampled_from([0, re.IGNORECASE, re.MULTILINE, re.IGNORECASE | re.MULTILINE]), st.data())
def test_no_rule_that_matches_is_left_out(expression: str, flags: int, data: st.DataObject) -> None:
    text = data.draw(st.text("abckK1. \nZ[éſ\u212aİ", max_size=6))
    rule = (re.compile(expression, flags).match, None, None)
    state = fast_pygments._State([rule])
    for position in range(len(text) + 1):
        key = text[position : position + 1]
        if key and (not position or text[position - 1] == "\n"):
            key = "\n" + key
        assert state[key] or not rule[0](text, position)


def _long(language: str) -> str:
    """Code that is longer than what rules see, with comments and strings in it."""
    texts = {
        "python": '"""What it does.\n\n    And how.\n"""\n\n\ndef f(x: int) -> str:\n    return f"{x:>10}"  # note\n\n',
        "c": "/* What it does.\n   And how. */\n\nstatic int f(size_t n)\n{\n    return n ? 1 : 'c'; // note\n}\n\n",
        "javascript": "/**\n * What it does.\n */\n\nfunction f(x) {\n  return `a${x}\n\n b`; // note\n}\n\n",
        "html": "<!-- note -->\n\n<script>\n  var x = `a`;\n\n  f(x);\n</script>\n\n<p class='a'>Text</p>\n\n",
        "sql": "-- note\n\nSELECT 'a\nb' FROM t; /* two\n lines */\n\n",
    }
    return texts[language] * (6 * fast_pygments.LOOK // len(texts[language]))


@pytest.mark.parametrize("language", ["python", "c", "javascript", "html", "sql"])
def test_same_tokens_of_long_code(language: str) -> None:
    code = _long(language)
    assert list(accelerated(new_lexer(language))(code)) == _plain(new_lexer(language), code)


class _Searching(RegexLexer):
    """Looks for the end of a comment, and notes how far."""

    tokens: ClassVar = {"root": [(r"\(.*?\)|\(", Text), (r"[^(]+", Text)]}
    flags = re.DOTALL


def test_rules_see_a_part_of_what_follows() -> None:
    seen: list[tuple[int, int]] = []
    lexer = _Searching()
    text = "(" * 100 + "a\n\nb" + "(" * 50_000

    def noting(match: Callable[[str, int, int], re.Match[str] | None]) -> Callable[..., re.Match[str] | None]:
        def noted(text: str, position: int, end: int) -> re.Match[str] | None:
            seen.append((position, end))
            return match(text, position, end)

        noted.__self__ = match.__self__  # type: ignore[attr-defined]
        return noted

    lexer._tokens = {  # type: ignore[attr-defined]
        state: [(noting(match), action, new) for match, action, new in rules]
        for state, rules in lexer._tokens.items()  # type: ignore[attr-defined]
    }
    tokens = list(accelerated(lexer)(text))
    assert "".join(value for _, _, value in tokens) == text
    assert max(end - position for position, end in seen) == 2 * fast_pygments.LOOK
    assert all(end == len(text) or end - position >= fast_pygments.LOOK for position, end in seen)
    assert len(seen) <= 2 * len(text)


@pytest.mark.parametrize(
    ("language", "code", "kind"),
    [
        ("html", "<script>a</script>", "JavascriptLexer"),
        ("http", "HTTP/1.1 200 OK\nContent-Type: text/css\n\na {}\n", "CssLexer"),
        ("makefile", "a: b\n", "BaseMakefileLexer"),
        ("postgres", "CREATE FUNCTION f() RETURNS int AS $$a$$ LANGUAGE js;\n", "JavascriptLexer"),
    ],
)
def test_lexers_for_parts_of_a_text_are_fast(
    language: str, code: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds: set[str] = set()
    run = fast_pygments._run

    def noted(lexer: Lexer, *others: Any) -> list[fast_pygments.Token]:
        kinds.add(type(lexer).__name__)
        return run(lexer, *others)

    monkeypatch.setattr(fast_pygments, "_run", noted)
    assert "".join(value for _, _, value in accelerated(new_lexer(language))(code)) == code
    assert kind in kinds


@pytest.mark.parametrize(("names", "kind"), [(100, Name), (1000, Name.Attribute)])
def test_how_far_a_list_of_names_is_read(names: int, kind: fast_pygments._TokenType) -> None:
    code = "x {\n" + "a, " * names + "a = <1>;\n};\n"
    assert next(found for _, found, value in accelerated(new_lexer("devicetree"))(code) if value == "a") is kind


class _Endless(RegexLexer):
    """Goes back and forth between two states without reading anything."""

    tokens: ClassVar = {"root": [(r"a", Text), (r"(?=x)", Text, "other")], "other": [(r"b", Text), default("#pop")]}


def test_a_lexer_that_reads_nothing_without_end() -> None:
    tokens = list(accelerated(_Endless())("aaxxa"))
    assert "".join(value for _, _, value in tokens) == "aaxxa"


def test_languages_whose_lexers_see_everything() -> None:
    """They have a lower limit, or look at no character twice."""
    linear = {"json", "jsonc", "jsonld", "yaml", "yml", *(name for name in LANGUAGES if _kind(name) == "TextLexer")}
    assert {name for name in LANGUAGES if not _sees_a_part(new_lexer(name))} - linear == _AT_ONCE
    code = "puts 1\n" * (MAX_LEXED_AT_ONCE // 7 + 1)
    assert "<span" not in highlight(code, "ruby")
    assert "<span" in highlight(code[:-7], "ruby")
    assert "<span" in highlight(code, "python")


def _kind(language: str) -> str:
    return type(new_lexer(language)).__name__


def _sees_a_part(lexer: Lexer) -> bool:
    if isinstance(lexer, DelegatingLexer):
        return _sees_a_part(lexer.root_lexer) and _sees_a_part(lexer.language_lexer)  # type: ignore[attr-defined]
    if hasattr(lexer, "_innerLexerCls") and type(lexer).get_tokens_unprocessed is not Lexer.get_tokens_unprocessed:
        return _sees_a_part(lexer._innerLexerCls(**lexer.options))
    return isinstance(lexer, RegexLexer) and not isinstance(lexer, ExtendedRegexLexer)


@pytest.mark.parametrize(("language", "code"), [
    ("hcl", "x = <<EOF\nabc\n"),
    ("terraform", "<<A\n" * 3000),
    ("crystal", "f(<<A, <<B)\na\nA\nb\n"),
    ("robotframework", "a\x85b\u2028c\x1cd\n"),
    ("postgres", "CREATE FUNCTION f() RETURNS int AS $$" + "<<A\n" * 3000 + "$$ LANGUAGE hcl;\n"),
])  # fmt: skip
def test_html_has_the_text_of_the_code(language: str, code: str) -> None:
    assert unescape(re.sub("<[^>]*>", "", highlight(code, language))) == code
