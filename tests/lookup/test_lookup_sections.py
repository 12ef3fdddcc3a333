"""Texts are taken apart as parsing would, and every line stays where it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.model.source import Source
from devlog.parse.head import read_head
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse
from devlog.search.plain import plain
from devlog.search.reading import read
from devlog.search.sections import read_sections

REPOSITORY = Path(__file__).parents[2]
OWN = sorted((REPOSITORY / "content").rglob("*.md")) + sorted((REPOSITORY / "docs").glob("*.md"))
SEVERAL = """# Title

Intro with `std::vector<int>` and [a link](https://example.org/x_y).

## One ##

```sh
# not a heading
```

Two
lines
-----

<h2 id="own">Three</h2>

### One {#mine}

### One

## A `C++` *heading* & [more](https://example.org)

## 1. Numbered
"""


@pytest.mark.parametrize("file", OWN, ids=lambda file: file.relative_to(REPOSITORY).as_posix())
def test_headings_are_those_that_parsing_finds(file: Path) -> None:
    check(Source(file.name, file.name, file.read_text("utf-8")), ParseOptions())


@pytest.mark.parametrize("profile", ["github", "hugo", "blackfriday", "zola", "kramdown", "python-markdown"])
def test_fragments_are_those_of_the_page(profile: str) -> None:
    text = SEVERAL.replace("<h2 id", "<p id").replace("</h2>", "</p>")  # which parsing counts as no heading
    check(Source("a.md", "a.md", text), ParseOptions(anchors=profile))


def test_code_of_jekyll_has_no_headings() -> None:
    text = "A\n\n{% highlight sh %}\n# no heading\n{% endhighlight %}\n\n## One\n\n<pre>\n# nor this\n</pre>\n"
    check(Source("a.md", "a.md", text), ParseOptions(dialect="jekyll", anchors="kramdown-gfm"))


def check(source: Source, options: ParseOptions) -> None:
    head = read_head(source, options)
    found = read_sections(head.text, head.first_line, head.front_matter.title, html=False, profile=options.anchors)
    document = parse(source, options)[0].document
    assert found.title == document.title
    shown = [(section.level, section.fragment, section.heading) for section in found.sections if section.level]
    assert shown == [(heading.level, heading.id, heading.text) for heading in document.headings]


def test_every_section_knows_its_line() -> None:
    found = read_sections(SEVERAL, 11, "", html=False, profile="github")
    assert [(section.heading, section.line) for section in found.sections] == [
        ("", 11),
        ("One", 15),
        ("Two lines", 21),
        ("Three", 25),
        ("One", 27),
        ("One", 29),
        ("A C++ heading & more", 31),
        ("1. Numbered", 33),
    ]
    assert [section.fragment for section in found.sections[3:6]] == ["own", "mine", "one-1"]
    assert "std::vector<int> and a link." in found.sections[0].text
    assert "example.org/x_y" in found.names[0]


def test_html_has_the_headings_that_it_names() -> None:
    text = "<p>Before</p>\n<h2 id='a'>One</h2>\n<p>in &lt;one&gt;</p>\n<h3>Two</h3>\n"
    found = read_sections(text, 1, "", html=True, profile="github")
    assert [(part.heading, part.fragment, part.line, part.text.split()) for part in found.sections] == [
        ("", "", 1, ["Before"]),
        ("One", "a", 2, ["in", "<one>"]),
        ("Two", "a", 4, []),
    ]


@pytest.mark.slow
@given(st.text("ab \n`*_[]()<>!#-=|~{}%\\&;:/'\"\t1.>", max_size=200))
def test_no_line_gets_lost(text: str) -> None:
    assert plain(text).count("\n") == text.count("\n")
    for html in (False, True):
        found = read_sections(text, 1, "x", html=html, profile="github").sections
        assert sum(section.text.count("\n") for section in found) == text.count("\n")
        assert [section.line for section in found] == sorted(section.line for section in found)


@pytest.mark.usefixtures("linear")
@pytest.mark.slow
@pytest.mark.parametrize(
    "part",
    [
        "`",
        "{{<",
        "{% raw ",
        "<a",
        "<!--",
        "[",
        "[a]",
        "[[a]x",
        "![a](",
        "a  ",
        "aB",
        "a\n",
        "a\n---\n",
        "<h1>",
        "|-",
        "_a",
        "{: ",
    ],
)
def test_what_repeats_without_an_end_is_read_all_the_same(part: str) -> None:
    """With an expression that looks at a rest again and again, each of these would take minutes."""
    text = f"---\ntitle: x\n---\n\nfirst {part * (400_000 // len(part))}\n\nlast\n"
    found = read(Source("a.md", "a.md", text), ParseOptions()).sections
    shown = "".join(f"{section.heading} {section.text}" for section in found)
    assert "first" in shown[:20]
    assert part.startswith("<!--") or "last" in shown[-20:]  # a comment has no end


@pytest.mark.slow
@pytest.mark.usefixtures("linear")
@pytest.mark.parametrize("part", ["<h1>", "<script"])
def test_tags_alone_end_soon(part: str) -> None:
    """With an expression that looks at a rest again and again, each of these would take minutes."""
    text = f"{part * 100_000}\n\n# One\n\nText.\n"
    found = read_sections(text, 1, "", html=False, profile="github").sections
    assert [section.heading for section in found][-1] == "One"


@pytest.mark.feature("episodes")
def test_a_transcript_in_the_text_has_a_section_for_each_turn() -> None:
    text = "---\ntitle: T\naudio: {url: 'https://cdn.example.org/a.mp3', transcript: body}\n---\nBefore.\n\n"
    text += "**Ada Quill** [00:00:07] Hello.\n\nStill her.\n\n**Bo Reed** [00:01:12] The buffer.\n"
    found = read(Source("a.md", "a.md", text), ParseOptions()).sections
    assert [(part.heading, part.fragment, part.line) for part in found] == [
        ("", "", 5),
        ("Transcript", "t7", 7),
        ("Transcript", "t72", 11),
    ]


@pytest.mark.slow
@pytest.mark.feature("episodes")
@pytest.mark.usefixtures("linear")
def test_many_turns_of_a_transcript_are_counted_soon() -> None:
    """Counting the lines above each turn from the beginning would take minutes."""
    head = "---\ntitle: A talk\naudio: {url: 'https://radio.example/a.mp3', transcript: body}\n---\nText.\n\n"
    source = Source("log/a.md", "content/log/a.md", f"{head}## Transcript\n\n" + "(0:00)\n" * 140_000)
    sections = read(source, ParseOptions()).sections
    turns = [section for section in sections if section.fragment == "t0"]
    assert [turn.line for turn in turns] == [*range(9, 9 + len(turns))]


@pytest.mark.feature("episodes")
def test_turns_whose_cues_are_from_both_ends_of_a_file_do_not_each_span_it() -> None:
    """Each turn has a cue of either end. The first one keeps the lines of both."""
    cues = [
        f"00:{at // 60:02}:{at % 60:02}.000 --> 00:{at // 60:02}:{at % 60:02}.500\n<v {at // 2}>Word {at}.\n"
        for at in range(600)
    ]
    text = "WEBVTT\n\n" + "\n".join([*cues[::2], *reversed(cues[1::2])])
    head = "---\ntitle: A talk\naudio: {url: 'https://radio.example/a.mp3', transcript: talk.vtt}\n---\nText.\n"
    source = Source("log/a.md", "content/log/a.md", head)
    turns = read(source, ParseOptions(), ("log/talk.vtt", text)).sections[1:]
    assert [turn.line for turn in turns] == [*range(4, 4 + 3 * 300, 3)]
    assert turns[0].text.split("\n")[:: 3 * 599] == ["0: Word 0.", "Word 1."]
    assert [turn.text for turn in turns[1:]] == [f"{at}: Word {2 * at}. Word {2 * at + 1}." for at in range(1, 300)]


@pytest.mark.slow
@pytest.mark.usefixtures("linear")
@pytest.mark.parametrize(
    "text",
    [
        "`" * 300_000 + "a`\n",
        "`" * 300_000 + "a" + "```py\n" * 10_000,
        " " * 300_000 + "<pre>a" * 100_000,
        "a<pre>" * 150_000,
        "{% raw %}a{% endraw %}" * 40_000,
        "<" + "a" * 600_000,
    ],
)
def test_openings_of_code_and_tags_are_found_soon(text: str) -> None:
    """Each would take minutes if a run of them, or what stands before one on its line, was looked at for each anew."""
    read(Source("log/a.md", "content/log/a.md", f"---\ntitle: A\n---\n# One\n\n{text}\n\n# Two\n"), ParseOptions())
