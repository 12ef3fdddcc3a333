"""The faster way to tokens gives the same tokens."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pygments.lexers import get_lexer_by_name

from devlog.parse.code import _ALIASES, LANGUAGES
from devlog.parse.lexing import accelerated

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
)


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_same_tokens(language: str) -> None:
    name = _ALIASES.get(language, language)
    fast = accelerated(get_lexer_by_name(name, **OPTIONS))
    for text in (*TEXTS, SOURCES[len(language) % len(SOURCES)].read_text("utf-8")[:2500]):
        # A new lexer for each text: some keep what they have seen.
        assert list(fast(text)) == list(get_lexer_by_name(name, **OPTIONS).get_tokens_unprocessed(text))


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(["python", "cpp", "rust", "bash", "json", "yaml", "html", "js", "sql", "diff", "toml", "console"]),
    st.lists(st.sampled_from("abx_ 0.\n\t\"'`#/*\\<>(){}[]=:;,$%@!-|é"), max_size=60).map("".join),
)
def test_same_tokens_for_any_text(language: str, text: str) -> None:
    fast = accelerated(get_lexer_by_name(language, **OPTIONS))
    assert list(fast(text)) == list(get_lexer_by_name(language, **OPTIONS).get_tokens_unprocessed(text))
