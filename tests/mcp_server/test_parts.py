"""Parts of a long text: nothing is lost, and each is by itself as harmless as the whole."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from devlog.mcp_server.parts import LEAST, Part, cut

RISKY = (
    "<img src=x onerror=y>",
    "<script>y</script>",
    "[x](javascript:y)",
    "# Heading <b>",
    "- [x](javascript:y)",
    "> <script>",
    "    <script>",
    "",
    "~~~",
    "``",
    "x" * 90,
    "`" * 140 + "x",
    "| a | b |",
    "--|--",
)
CODE = st.lists(st.sampled_from(RISKY), max_size=30).map("\n".join)
WORDS = ("Words.", "and `<b>` code", "\\<i>", "`<u> | x`", "&lt;b>", "``", "`", "x" * 70, "| a | b |", "--|--")
PROSE = st.lists(st.sampled_from(WORDS), min_size=1, max_size=20).map("\n".join)


def fenced(fence: str, indent: str, code: str) -> str:
    lines = [f"{fence}html", *(line for line in code.split("\n") if not line.startswith(fence[:3])), fence]
    return "\n".join(indent + line for line in lines)


def inside(marker: str, block: str) -> str:
    first, *rest = block.split("\n")
    margin = "> " if marker == "> " else " " * len(marker)
    return "\n".join([marker + first, *(margin + line for line in rest)])


FENCES = st.builds(fenced, st.sampled_from(["```", "~~~", "`````"]), st.sampled_from(["", "  "]), CODE)
LEAVES = st.one_of(
    FENCES,
    PROSE,
    CODE.map(lambda code: "\n".join(f"    {line}" for line in code.split("\n"))),
    CODE.map(lambda code: "<pre>\n" + code.replace("</script>", "").replace("<", "&lt;") + "\n</pre>"),
    st.sampled_from(["# Heading", "Heading\n---", "***", "| a | b |\n|---|---|\n| `<b>` | c |"]),
)
MARKERS = st.sampled_from(["- ", "* ", "1. ", "10) ", "> ", "-   "])
BLOCKS = st.recursive(
    LEAVES,
    lambda inner: st.builds(
        lambda marker, some, gap: gap.join(inside(marker, one) for one in some),
        MARKERS,
        st.lists(inner, min_size=1, max_size=4),
        st.sampled_from(["\n", "\n\n"]),
    ),
    max_leaves=8,
)
TEXTS = st.lists(st.tuples(BLOCKS, st.sampled_from(["\n", "\n\n", "\n\n\n"])), min_size=1, max_size=8).map(
    lambda some: "".join(block + gap for block, gap in some)
)
PARSERS = [MarkdownIt("commonmark"), MarkdownIt("commonmark").enable("table")]
for parser in PARSERS:
    parser.validateLink = lambda url: True  # type: ignore[method-assign]  # noqa: ARG005 - named as the original
CLOSED = re.compile(r"<pre>.*?(?:</pre>|\Z)", re.DOTALL)


def live(parser: MarkdownIt, text: str) -> set[str]:
    """The tags and the scripts that a parser finds."""
    return set(_live(parser.parse(text)))


def _live(tokens: list[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in {"html_block", "html_inline"}:
            yield from re.findall(r"<[^>]*>?", CLOSED.sub("", token.content))
        elif str(token.attrs.get("href", "")).startswith("javascript:"):
            yield "link"
        yield from _live(token.children or [])


def parts(text: str, most: int) -> list[Part]:
    found = [cut(text, 0, most)]
    while found[-1].end < len(text):
        found.append(cut(text, found[-1].end, most))
    return found


@pytest.mark.slow
@given(TEXTS, st.integers(LEAST, 600), st.integers(0, 2000))
@example("- x\n- `a <b> | b`\n--|--\n\n" + "Words.\n" * 40, LEAST, 4)
@example("```html\n" + "x" * 180 + "```\n<script>y</script>\n" + "Words.\n" * 9 + "```\n", LEAST, 0)
@example("~~~html\n" + "<b>\n" * 60 + "~~~\n" + "\n" * 300 + "Words.\n", LEAST, 0)
def test_a_part_is_as_harmless_as_the_whole(text: str, most: int, offset: int) -> None:
    found = parts(text, most)
    assert [part.start for part in found] == [0, *(part.end for part in found[:-1])]
    assert found[-1].end == len(text)
    found.append(cut(text, min(offset, len(text) - 1), most))
    assert found[-1].start <= offset
    for parser in PARSERS:
        known = live(parser, text)
        for part in found:
            assert 0 < len(part.text) <= most
            assert live(parser, part.text) <= known


@given(st.lists(st.sampled_from(["Words.\n", "x" * 100 + "\n", "- x\n", "\n", "> y\n"]), max_size=60).map("".join))
def test_nothing_is_lost(text: str) -> None:
    """Without the lines of fences, which this text does not have, and the ends of lines that they need."""
    joined = "".join(re.sub("^```.*$", "", part.text, flags=re.MULTILINE) for part in parts(text, LEAST))
    assert joined.replace("\n", "") == text.replace("\n", "")


def test_a_part_ends_with_a_block() -> None:
    block = "A line.\nA line.\n\n"
    assert parts(block * 12, LEAST) == [Part(block * 11, 0, 187), Part(block, 187, 204)]


def test_a_list_is_divided_between_items() -> None:
    text = "- An item.\n" * 40
    assert [part.text for part in parts(text, LEAST)] == ["- An item.\n" * 18, "- An item.\n" * 18, "- An item.\n" * 4]


def test_a_divided_fence_is_closed_and_opened_again() -> None:
    text = "Words.\n\n~~~~ html title=x\n" + "<b>\n" * 60 + "~~~~\n\nMore.\n"
    assert [part.text for part in parts(text, LEAST)] == [
        "Words.\n\n~~~~ html title=x\n" + "<b>\n" * 20 + "~~~~\n",
        "~~~~ html title=x\n" + "<b>\n" * 40 + "~~~~\n\nMore.\n",
    ]


@pytest.mark.parametrize(
    ("block", "language"),
    [
        ("<pre>\n" + "[x](javascript:y)\n" * 30 + "</pre>\n", "html"),
        ("`<script>`, words\n" * 30, "markdown"),
        ("> a\n" * 100, "markdown"),
    ],
)
def test_other_blocks_are_divided_as_source(block: str, language: str) -> None:
    found = parts(f"{block}\nWords.\n", LEAST)
    assert len(found) > 2
    assert all(part.text.startswith(f"```{language}\n") for part in found[:-1])
    assert "```\nWords.\n" in found[-1].text or found[-1].text == "Words.\n"


def test_any_offset_gives_the_block_that_contains_it() -> None:
    text = "Words.\n\n```html\n<b>\n```\n\nMore.\n"
    assert cut(text, 18, LEAST) == Part("```html\n<b>\n```\n\nMore.\n", 8, len(text))
    assert cut(text, len(text) - 1, LEAST) == Part("More.\n", len(text) - 6, len(text))


@pytest.mark.usefixtures("linear")
@pytest.mark.parametrize(
    "line", ["`", "> ", "- ", "```\n", "> - x\n", "a|b\n-|-\n", "<pre>\n", "[a]: b\n", "`~" * 500 + "\n"]
)
def test_long_texts_are_divided_soon(line: str) -> None:
    text = line * (600_000 // len(line))
    assert sum(part.end - part.start for part in parts(text, 24_000)) == len(text)
