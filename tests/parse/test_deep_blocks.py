"""Whatever is inside whatever, each word of a post is on its page, and what follows is what it would be without it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from devlog.parse.markdown.body import BodyText, BodyWriter
from devlog.parse.markdown.footnotes import lost_footnotes
from devlog.parse.markdown.mistakes import too_deep
from devlog.parse.markdown.nesting import DEEPEST
from devlog.parse.markdown.parser import EXTENSIONS, Renderer, _parser, _Syntax, plain_parser, render_markdown
from devlog.parse.options import ParseOptions

FAST = _parser(_Syntax(True, False, False, extensions=tuple(EXTENSIONS)))
SLOW = plain_parser(True, False, www=False)
"""The parser that posts get whose blocks are changed by a plugin."""
for extension in EXTENSIONS.values():
    SLOW.use(extension)

# How lines are written inside a block: before them, before the first and the others of them, and after them.
INSIDE = {
    "list": ([], "- ", "  ", []),
    "numbered": ([], "1. ", "   ", []),
    "task": ([], "- [ ] ", "  ", []),
    "quote": ([], "> ", "> ", []),
    "alert": (["> [!NOTE]"], "> ", "> ", []),
    "definition": (["term"], ": ", "  ", []),
    "bangs": (["!!! note"], "    ", "    ", []),
    "details": (["??? note"], "    ", "    ", []),
    "colons": ([":::note"], "", "", [":::"]),
    "shortcode": (["{{< note >}}"], "", "", ["{{< /note >}}"]),
}
WORD = re.compile(r"\bw\d+\b")
LEAVES = (
    ["w1"],
    ["w1", "", "w2"],
    ["```", "w1", "```"],
    ["# w1"],
    ["w1", "w2"],
    ["| w1 |", "|---|", "| w2 |"],
    ["<b>w1</b>"],
)


def inside(kinds: Sequence[str], lines: Sequence[str], *, beside: bool) -> list[str]:
    """Lines inside blocks of several kinds, the outermost first, with a word `beside` each of them."""
    for number, kind in enumerate(reversed(kinds), start=3):
        before, first, other, after = INSIDE[kind]
        inner = [*lines, "", f"w{number}"] if beside else lines
        head, *rest = inner
        lines = [*before, first + head, *((other + line).rstrip() for line in rest), *after]
    return list(lines)


def html_of(parser: Any, text: str) -> tuple[str, dict[str, Any]]:
    env: dict[str, Any] = {"writer": BodyWriter(BodyText(text, "a.md"), ParseOptions(html="trusted"))}
    written = Renderer(parser).render(parser.parse(text, env), parser.options, env)
    return "".join(map(str, env["writer"].body(written).pieces)), env


def lost_words(parser: Any, text: str) -> tuple[set[str], dict[str, Any]]:
    """The words ``w1``, ``w2`` … that are in a text, but not in its HTML."""
    html, env = html_of(parser, text)
    return set(WORD.findall(text)) - set(WORD.findall(html)), env


nested = st.builds(
    lambda kinds, leaf, beside: inside(kinds, leaf, beside=beside),
    st.lists(st.tuples(st.sampled_from(sorted(INSIDE)), st.integers(1, 30)), max_size=6).map(
        lambda runs: [kind for kind, count in runs for _ in range(count)][:80]
    ),
    st.sampled_from(LEAVES),
    st.booleans(),
)


@pytest.mark.slow
@pytest.mark.parametrize("parser", [FAST, SLOW], ids=["fast", "slow"])
@settings(max_examples=150, deadline=None)
@example(posts=[["- " * 40 + "w1"]], note="")
@example(posts=[["> " * 200 + "w1"]], note="[^1]: ")
@example(posts=[["[^1]: " * 70 + "w1"]], note="")
@given(posts=st.lists(nested, min_size=1, max_size=3), note=st.sampled_from(("", "[^1]: ", "[^1]: - ")))
def test_each_word_is_on_the_page(parser: Any, posts: list[list[str]], note: str) -> None:
    lines = [line for post in posts for line in (*post, "", "w1000", "")]
    if note:
        lines = ["a [^1]", "", note + lines[0], *("    " + line for line in lines[1:])]
    lost, env = lost_words(parser, "\n".join(lines) + "\n\nw2000\n\n## w3000\n")
    assert not lost or lost_footnotes(env)
    assert "w2000" not in lost
    assert "w3000" not in lost


@pytest.mark.parametrize("parser", [FAST, SLOW], ids=["fast", "slow"])
@pytest.mark.parametrize("kind", sorted(INSIDE))
@pytest.mark.parametrize("levels", [5, 10, 20, 35, 70])
def test_what_follows_deep_blocks_is_what_it_would_be_alone(parser: Any, kind: str, levels: int) -> None:
    text = "\n".join(inside([kind] * levels, ["w1"], beside=True)) + "\n\nbehind\n\n## w1000\n"
    lost, env = lost_words(parser, text)
    assert not lost
    assert '\n<p>behind</p>\n<h2 id="w1000">w1000' in html_of(parser, text)[0]
    assert levels > 20 or not too_deep(env)


def _reported(text: str) -> list[tuple[str, int, int]]:
    rendered = render_markdown(BodyText(text, "a.md"), ParseOptions())
    return [(found.code, found.span.line, found.span.column) for found in rendered.diagnostics]


def test_the_first_block_that_is_too_deep_is_reported_at_its_place() -> None:
    levels = DEEPEST // 2
    for count in (1, levels):
        assert _reported("\n".join("  " * level + "- a" for level in range(count))) == []
    deep = "\n".join("  " * level + f"- a{level}" for level in range(levels + 3)) + "\n\nb\n\n"
    assert _reported("\n\n" + deep * 2) == [("nested-too-deeply", levels + 3, DEEPEST + 1)]


@pytest.mark.parametrize("text", ["w1", "***", "# w1", "    w1", "```\nw1\n```", "<b>w1</b>"])
def test_what_contains_no_blocks_is_never_too_deep(text: str) -> None:
    prefix = "> " * DEEPEST
    assert _reported("\n".join(prefix + line for line in text.split("\n"))) == []


@pytest.mark.parametrize("text", ["> w1", "- w1", "1. w1", "w1\n: w2", "w1\n\n: w2", "[^1]: w1 w2", "- [ ] w1"])
def test_blocks_that_contain_others_can_be_too_deep(text: str) -> None:
    prefix = "> " * DEEPEST
    quoted = "\n".join(prefix + line for line in text.split("\n"))
    assert _reported(quoted)[0] == ("nested-too-deeply", 1, len(prefix) + 1)
    for parser in (FAST, SLOW):
        assert lost_words(parser, quoted)[0] == set()


@pytest.mark.parametrize("parser", [FAST, SLOW], ids=["fast", "slow"])
def test_deeply_nested_links_and_images_are_kept(parser: Any) -> None:
    for count in (5, 19, 20, 21, 60):
        for opening in ("[", "!["):
            assert "w1" in html_of(parser, opening * count + " w1 " + "](a.png)" * count + " w2")[0]
            assert "w2" in html_of(parser, opening * count + " w1 " + "](a.png)" * count + " w2")[0]
