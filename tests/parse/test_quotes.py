"""Block quotes are read as markdown-it reads them, without looking at the same lines again for each of many quotes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_versions import assert_same, values
from steps import steps

from devlog.parse.dialects.kramdown import kramdown_plugin
from devlog.parse.markdown import fast_quotes
from devlog.parse.markdown.body import BodyText, BodyWriter
from devlog.parse.markdown.fast_quotes import _look
from devlog.parse.markdown.math import math_plugin
from devlog.parse.markdown.parser import _parser, _Syntax, plain_parser
from devlog.parse.options import ParseOptions

OUTER = (
    "> ", ">", ">\t", "- ", "-    ", "1. ", "12) ", " ", "   ", "    ", "\t", "[^1]: ", "[^2]: ", ": ",
)  # fmt: skip
LINES = (
    "", "b", "> b", "<div>", "</div>", "```", "~~~", "# h", "---", "===", "    code", "a|b", "-|-", "[!NOTE]", "[!tip]",
    "[r]: u", "[^1]: f", "- i", "<!--", "-->", "$$", "{: .a}", "{::comment}", "{:/}", ": d", "{{< note >}}",
    "{{< /note >}}", "{{< /note >}} {{< y >}}",
)  # fmt: skip


def _kramdown() -> MarkdownIt:
    parser = plain_parser(True, True, www=True)
    return parser.use(kramdown_plugin).use(math_plugin, kramdown=True)


PARSERS = (
    (_parser(_Syntax(True, True, True)), plain_parser(True, True, www=True)),
    (_parser(_Syntax(True, True, True, kramdown=True, math=True)), _kramdown()),
)


def _blocks(parser: MarkdownIt, text: str) -> tuple[list[Any], Any, Any]:
    env: dict[str, Any] = {"attributes": True, "writer": BodyWriter(BodyText(text, "a.md"), ParseOptions())}
    tokens = parser.block.parse(text, parser, env, []) or []
    return values(tokens), env.get("references"), env.get("footnotes")


def _assert_same_blocks(text: str) -> None:
    for ours, plain in PARSERS:
        try:
            expected = _blocks(plain, text)
        except IndexError:  # a fault of markdown-it's: see `test_a_last_line_without_an_end`
            continue
        assert _blocks(ours, text) == expected, text


def _texts(lines: tuple[str, ...], count: int) -> list[str]:
    return ["\n".join(text) + "\n" for text in product(lines, repeat=count)]


@pytest.mark.slow
def test_all_short_texts_are_read_as_markdown_it_reads_them() -> None:
    for text in _texts(("", "b", "> b", ">", "> ```", "- > b", "  > <div>", ">\t> - b"), 4):
        _assert_same_blocks(text)


@pytest.mark.slow
@pytest.mark.parametrize(
    "lines",
    [
        ("b", "> b", ">", "> ```", "```", "> > # h"),
        ("b", "> <div>", "> </div>", "- > b", "  b", "  > ---"),
        ("b", ">", "> [!NOTE]", "> - > <div>", ">   > b", "---"),
        ("b", "> <div>", "[^1]: > <div>", "[^1]: [^2]: > <div>", "    > b", ": > b"),
    ],
)
def test_all_texts_of_some_lines_are_read_as_markdown_it_reads_them(lines: tuple[str, ...]) -> None:
    for text in _texts(lines, 4):
        _assert_same_blocks(text)


line = st.builds(
    lambda outer, text: "".join(outer) + text + "\n",
    st.lists(st.sampled_from(OUTER), max_size=3),
    st.sampled_from(LINES),
)
part = st.lists(line, min_size=1, max_size=5).map("".join)


@pytest.mark.slow
@settings(max_examples=400)
@given(part, part, st.integers(1, 4), part)
def test_repeated_lines_are_read_as_markdown_it_reads_them(before: str, text: str, count: int, after: str) -> None:
    _assert_same_blocks(before + text * count + after)


@pytest.mark.slow
@settings(max_examples=50)
@given(part, st.integers(1, 4))
def test_whole_texts_come_out_as_markdown_it_writes_them(text: str, count: int) -> None:
    assert_same(text * count)


MANY: dict[str, Callable[[int], str]] = {
    "HTML": lambda n: "> <div>\nb\n" * n,
    "alerts": lambda n: "> [!NOTE]\nb\n" * n,
    "fences": lambda n: "> ```\nb\n" * n,
    "headings": lambda n: "> # h\nb\n" * n,
    "tables": lambda n: "> a|b\n> -|-\nb\n" * n,
    "shortcodes": lambda n: "> {{< note >}}\nb\n" * n,
    "quotes in quotes": lambda n: "> > <div>\nb\n" * n,
    "quotes within one quote": lambda n: "> > <div>\n> b\n" * n,
    "quotes in a list": lambda n: "- a\n\n" + "  > <div>\n  b\n" * n,
    "quotes behind a list": lambda n: "- > <div>\nb\n" + "  > <div>\nb\n" * n,
    "lists in quotes": lambda n: "> - > <div>\nb\n" * n,
    "footnotes": lambda n: "[^1]: > <div>\nb\n" * n,
    "footnotes and quotes in turn": lambda n: "[^1]: > <div>\nb\n> <div>\nb\n" * n,
    "footnotes in footnotes": lambda n: "[^1]: > <div>\nb\n[^1]: [^2]: > <div>\nb\n" * n,
    "all of them in a quote": lambda n: "> [^1]: > <div>\nb\n> > <div>\nb\n" * n,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MANY)
@pytest.mark.parametrize("parser", [ours for ours, _ in PARSERS], ids=["devlog", "kramdown"])
def test_quotes_that_end_early_are_looked_through_once(name: str, parser: MarkdownIt) -> None:
    counts = [steps(partial(_blocks, parser, MANY[name](size))) for size in (50, 100, 200)]
    assert counts[1] < 2.2 * counts[0]
    assert counts[2] < 2.2 * counts[1]


def test_lines_that_continue_a_paragraph_in_many_quotes_are_kept_once(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[int] = []

    def look(*args: Any) -> Any:
        quote = _look(*args)
        kept.append(len(quote.columns[0]))
        return quote

    monkeypatch.setattr(fast_quotes, "_look", look)
    text = "> " * 20 + "a\n" + "b\n" * 100
    _blocks(PARSERS[0][0], text)
    assert len(kept) == 20
    assert sum(kept) == 101 + 19
    _assert_same_blocks("> " * 20 + "a\n" + "b\n> c\n> > d\ne\n" * 3)
