"""The faster ways through Markdown give what markdown-it's own give."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.common.normalize_url import normalizeLink
from markdown_it.token import Token
from markdown_versions import VARIANTS, assert_same, values

from devlog.model.source import Source
from devlog.parse.head import ILLEGAL, is_legal
from devlog.parse.markdown.body import _PLAIN_URL, BodyWriter
from devlog.parse.markdown.fast_blocks import BlockParser
from devlog.parse.markdown.fast_inline import InlineParser
from devlog.parse.markdown.fast_tokens import make_token
from devlog.parse.markdown.parser import EXTENSIONS, _parser, _Syntax, plain_parser
from devlog.parse.options import DEFAULTS
from devlog.parse.parse import parse

ROOT = Path(__file__).parents[2]
TEXTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "content").rglob("*.md")])

# What lines begin with, so that blocks stand in quotes, lists, footnotes and definitions, by spaces and by tabs.
OUTER = ("", "", "", "> ", ">", ">\t", "- ", "-\t", "* ", "1. ", "   ", "  ", "    ", "\t", "[^1]: ", ": ", "- [ ] ")
LINES = (
    "", "", "", " ", "\t", "a", "word b", "two  ", "a\\", "## h ##", "#", "===", "--- ", "--", "- - -", "***", "_ _ _",
    "- a", "-", "* b", "+ c", "1. d", "2) e", "10. x", "1.", "0. z", "123456789. q", "1234567890. q", "-     code",
    "> q", ">", "> - r", "> [!NOTE]", "> [!tip] ", "```", "```py", "~~~", "~~~ a", "    code", "  two", "   three",
    "| a | b |", "|---|---:|", "a|b", "-|-", ":-:|-:", "|", "---|", "x \\| y | z", ": def", "~ def", "  : def", ":",
    "[r]: /u 't'", "[r]: <u", "[r]:", "/u", "[^1]: foot", "[^1]:", "[r]", "[^1]", "^[n]", "<div>", "</div>", "<b>",
    "<!-- c", "-->", "<?", "?>", "{{< figure src='a' >}}", "{{< x", ">}}",
    "{{< note >}}", "{{< /note >}}", "{{< y >}}", "{{< /y >}} ", "{{< y >}}a{{< /y >}}", "{{< highlight c >}}",
    "{{< /highlight >}}", "- [ ] t", "- [x] d", "- [ ]", "- [ ] > 5 ms", "- [x] # h", "- [ ]  - a", "1. [ ] ```",
    "**b** c", "`c`", "*e*",
    "<https://a.b>", "www.a.b x", "\\# x", "&amp; x", "\u6f22\u5b57", "\u3000", "{/* truncate */}",
)  # fmt: skip
SPANS = (
    *" ab.,*_`[]()<>!&;:@w/\\~^{}#|-+=$%\n\"'",
    "www.", "http://a.b", "https://x.y/z", "mailto:a@b.co", "xmpp:a@b.co", "a@b.co", "mailto:", "[^1]", "^[n]", "**",
    "~~", "~~~", "``", "`c`", "` c `", "*e*", "**b**", "<b>", "</b>", "<a@b.co>", "<https://x>", "&amp;", "&#35;",
    "{{<", "{{< ref 'x' >}}", "{{</* a */>}}",
    "{{< y >}}", "{{< /y >}}", "{{ site.url }}", "](", '](/u "t")', "](<u v>)", "![x", "[x](y)",
    "[x](/y(z) 't')", "[x](y", "[r]", "[r][s]", "  \n", "\\\n", "(a)", "word ", "_a_b", "a*b*c",
    "\xe9", "\u6f22", "\u201cq\u201d",
)  # fmt: skip
EXTENDED = (
    "!!! note", '!!! tip "T"', "??? bug", "???+ a", "!!!", ":::note", "::: a T", ":::{tip}", ":::", "::::", "    ::: b",
    "    !!! note", "        c", "> :::c", "> :::", "- !!! note", '"a" -- \'b\'...', "==a *b*==", "a^b^ ~c~ ~~d~~",
    "a==b", "^a [b](c)^ ^[n]", "*==a*==", "~a ~b~~ ~~c~",
)  # fmt: skip
DEFINED = "\n\n[r]: /u\n[s]: https://x.y\n\n[^1]: f\n"

inline = st.lists(st.sampled_from(SPANS), min_size=1, max_size=25).map("".join)
line = st.builds(
    lambda outer, text: "".join(outer) + text,
    st.lists(st.sampled_from(OUTER), max_size=3),
    st.sampled_from(LINES) | inline,
)
blocks = st.lists(line, min_size=1, max_size=12).map("\n".join)
ends = st.sampled_from(("", "\n", "\n  ", "\n\n", DEFINED))


@pytest.mark.slow
@settings(max_examples=400)
@given(blocks, ends)
def test_same_blocks(text: str, end: str) -> None:
    assert_same(text + end)


@settings(max_examples=300)
@given(inline, ends)
def test_same_inlines(text: str, end: str) -> None:
    assert_same(text + end)


@pytest.mark.slow
@settings(max_examples=100)
@given(blocks)
def test_same_with_other_line_ends(text: str) -> None:
    assert_same(text.replace("\n", "\r\n"))
    assert_same(text.replace("\n", "\r") + "\0")


@pytest.mark.slow
@settings(max_examples=100)
@given(blocks, st.sampled_from(("> ", "> > ", "  ", "    ", "\t")))
def test_same_when_all_of_it_stands_inside(text: str, outer: str) -> None:
    nested = text.replace("\n", f"\n{outer}")
    assert_same(f"{outer}{nested}\n")
    assert_same(f"- {nested}\n")


@pytest.mark.slow
@settings(max_examples=200)
@given(st.lists(st.sampled_from(EXTENDED) | line, min_size=1, max_size=12).map("\n".join), ends)
def test_same_with_extensions(text: str, end: str) -> None:
    assert_same(text + end, variants=VARIANTS[:1], extensions=tuple(EXTENSIONS))


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_same_for_whole_texts(path: Path) -> None:
    assert_same(path.read_text("utf-8"))


@pytest.mark.parametrize(
    "text",
    [
        "a\n\n: b\n",  # a definition after an empty line
        "a\nb\n\n: c\n",
        "a\n- b\n- c\n===\n",
        "- a\n===\n",
        "a\n1. b\n2. c\n",  # a list that may not end a paragraph, and one that may
        "a\n2. b\n",
        "a\n-\nb\n",
        "a | b\n-|-\n1 | 2\n> q\n",
        "x\na | b\n-|-\n1 | 2\n",
        "* a | b\n|-|-|\n",
        "> a\nb | c\n-|-\n",
        "- [ ]   a\n- [x]  \n",
        "\ta\n \tb\n",
        " \t",
        "a\n \t",
        "`a``b`c`",
        "*a `*` b*",
        "_a_b **c**d *e*f*",  # pairs that stand inside a word
        "[a*b*c **d** *e](u) f*",
        "[a*b*c](u)",
        "**b ** c",
        "** b** c",
        "**a** b**c **d** e** *f*",
        "http:" * 20 + "//a.b",
        "[" * 120 + "a" + "](b)" * 120,
        "> " * 120 + "a",
        "[a^[n]](u) ![b^[n]](u) ![c[^1]](u) ^[d [e^[n]](u)]" + DEFINED,  # footnotes that become text
    ],
)
def test_same_at_the_edges(text: str) -> None:
    assert_same(text)


def test_a_last_line_without_an_end() -> None:
    text = ">- <!-- c\n>"
    with pytest.raises(IndexError):
        plain_parser(True, True, www=True).parse(text)
    tokens = _parser(_Syntax(True, True, True)).parse(text, {})
    assert [token.content for token in tokens if token.type == "html_block"] == ["<!-- c\n"]


def test_an_unknown_rule_is_refused() -> None:
    parser = MarkdownIt("gfm-like2").use(lambda md: md.block.ruler.push("other", lambda *_: False))
    with pytest.raises(ValueError, match="other"):
        BlockParser(parser.block)
    parser = MarkdownIt("gfm-like2").use(lambda md: md.inline.ruler.push("other", lambda *_: False))
    with pytest.raises(ValueError, match="other"):
        InlineParser(parser.inline)


def test_all_that_tokens_hold_is_compared() -> None:
    plain = {"type": "", "tag": "", "nesting": 0}
    other = {"attrs": {"a": "b"}, "children": [Token("a", "", 0)], "map": [1, 2], "meta": {"a": 1}}
    other |= dict.fromkeys(("type", "tag", "content", "markup", "info"), "x")
    other |= {"nesting": 1, "level": 1, "block": True, "hidden": True}
    assert other.keys() == set(Token.__slots__)
    for name, value in other.items():
        assert values([Token(**{**plain, name: value})]) != values([Token(**plain)]), name


def test_same_token() -> None:
    assert make_token("a", "b", 1, 0) == Token("a", "b", 1)
    made = make_token("inline", "", 0, 2, "text", [], [3, 4], block=True)
    assert made == Token("inline", "", 0, level=2, content="text", children=[], map=[3, 4], block=True)


@settings(max_examples=300)
@given(st.from_regex(_PLAIN_URL, fullmatch=True).filter(lambda url: len(url) < 256))
@example("https://example.org")
@example("http://a.b/c?d=e&f#g@h:i")
@pytest.mark.slow
def test_plain_urls_are_normal(url: str) -> None:
    assert normalizeLink(url) == url


@pytest.mark.slow
@settings(max_examples=300)
@given(st.text(st.characters() | st.sampled_from("\x00\x1f\x7f\t\n\r\x80\x9f\ufffe\uffff\ud800")))
@example("\x85")
def test_legal_text_is_found(text: str) -> None:
    assert is_legal(text) == (ILLEGAL.search(text) is None)


@pytest.mark.slow
def test_nothing_of_a_text_stays_in_memory() -> None:
    """Texts are large and many: none may wait for a search for cycles."""
    gc.collect()
    gc.disable()
    try:
        parse(Source("a.md", "a.md", "# A\n\nText with `code`, $x$ and [a link](b.md).\n"), DEFAULTS)
        assert not [item for item in gc.get_objects() if isinstance(item, BodyWriter)]
    finally:
        gc.enable()
