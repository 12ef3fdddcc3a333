"""What is said of a text: words as they are read aloud, and nothing that nobody would read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.config import Speak
from devlog.features.episodes.speak.script import script
from devlog.model.source import Source
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse


def said(text: str, *, title: str = "", language: str = "en") -> list[str]:
    """What is said of Markdown."""
    options = ParseOptions(diagrams=("dot",))
    body = parse(Source("engine/a.md", "content/engine/a.md", f"---\ntitle: x\n---\n{text}"), options)[1]
    return [passage.text for passage in script(title, body, language, Speak(), {})]


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("One *paragraph*\nof two lines.\n\nAnother", ["One paragraph of two lines.", "Another."]),
        ("## How it works\n\nFirst:", ["How it works.", "First:"]),
        ("PR 185998 and `torch.compile` stay.", ["PR 185998 and torch.compile stay."]),
        ("See [the notes](https://example.org/a_b?c#d).", ["See the notes."]),
        ("See https://www.example.org/a_b?c#d.", ["See a page of example.org."]),
        ("A & B < C.", ["A & B < C."]),
        ("```python title=a.py\nsecret = 1\n```", ["A block of Python code follows."]),
        ("```\nsecret\n```\n\nAfter.", ["A block of code follows.", "After."]),
        ("    indented secret", ["A block of code follows."]),
        ("```dot\ndigraph {}\n```", ["A block of Dot code follows."]),
        ("- one\n- two\n  - three", ["one.", "two.", "three."]),
        ("- [ ] test\n- [x] write", ["To do: test.", "Done: write."]),
        ("![A plan of the store](plan.png)", ["Figure: A plan of the store."]),
        ("Beside ![a lamp](lamp.png) it stands.", ["Beside a lamp it stands."]),
        ("![](plan.png)", []),
        ("| Kind | Time |\n|---|---|\n| secret | 2 |", ["A table follows, with the columns Kind and Time."]),
        ("Costs $n + 1$ and $\\frac{1}{2}$.", ["Costs n + 1 and a formula."]),
        ("$$\n\\frac{1}{2}\n$$", ["A formula follows."]),
        ("Said[^1].\n\n[^1]: A secret.", ["Said."]),
        ("~~Gone.~~ Here.", ["Here."]),
        ("> **TL;DR** – It is quick.", ["In short: It is quick."]),
        ("Done :tada: → next ✅", ["Done next."]),
        ("“Quoted.”", ["“Quoted.”"]),
        ("<details><summary>More</summary>\n\nHidden words.\n\n</details>", ["More.", "Hidden words."]),
        ("---\n\n***", []),
        ("`<script>` is code.", ["<script> is code."]),
        ("> [!NOTE]\n> Mind the gap.", ["Note.", "Mind the gap."]),
    ],
)
def test_passages(text: str, spoken: list[str]) -> None:
    assert said(text) == spoken


def test_the_title_comes_first_and_headings_are_marked() -> None:
    body = parse(Source("a.md", "content/a.md", "---\ntitle: T\n---\n## Part\n\nWords."), ParseOptions())[1]
    passages = script("A title", body, "en", Speak(), {})
    assert passages == (("A title.", 1, "A title"), ("Part.", 3, "Part"), ("Words.", 0, ""))


def test_announcements_are_only_made_in_their_language() -> None:
    text = "Avant.\n\n```python\nx\n```\n\n![Une lampe](a.png)\n\n| a | b |\n|--|--|\n| 1 | 2 |"
    assert said(text, language="fr-CA") == ["Avant.", "Une lampe."]
    assert said(text, language="en-GB")[1] == "A block of Python code follows."


def test_a_text_without_words() -> None:
    assert said("") == []
    assert said("", title="Only a title") == ["Only a title."]


@pytest.mark.slow
@given(st.text(alphabet=st.sampled_from(list("ab <>&*_`#|-[]()!$\n~^:{}\"'/")), max_size=80))
def test_each_passage_is_one_line_with_words(text: str) -> None:
    for passage in said(text):
        assert "\n" not in passage
        assert passage == " ".join(passage.split())
        assert any(char.isalnum() or char == "_" for char in passage)


def test_raw_html_of_a_trusted_text_is_read_as_a_browser_reads_it() -> None:
    text = "<div>\n<p>One<![if IE]><![x> word</p>\n<iframe><p>secret</p></iframe><p/>two</p>\n<![y\n"
    body = parse(Source("a.html", "content/a.html", text), ParseOptions(html="trusted"))[1]
    assert [passage.text for passage in script("", body, "en", Speak(), {})] == [
        "One word.",
        "Another page is shown.",
        "two.",
    ]


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("#12 fixes it, as PR #7 and issue #8 did; see !9.", "PR 12 fixes it, as PR 7 and issue 8 did; see MR 9."),
        ("Issues #3, #4, and #5, #6 or #7 and PR !8.", "Issues 3, 4, and 5, 6 or 7 and PR 8."),
        ("PRs #3–#5, #6 and !7.", "PRs 3–5, 6 and MR 7."),
        ("A 3×4 grid, N × M, 2× as fast, 5×.", "A 3 times 4 grid, N times M, 2 times as fast, 5 times."),
        (
            "10<sup>6</sup> rows, 2^32, x<sup>2</sup>, (a+b)^3",
            "10 to the power of 6 rows, 2 to the power of 32, x squared, (a+b) cubed.",
        ),
        ("The 1<sup>st</sup> H<sub>2</sub>O, a note<sup>1</sup>, x ^ 2.", "The 1st H2O, a note1, x ^ 2."),
        ("Tidy (`0123456789abcdef`), and `fedcba9876`.", "Tidy, and a commit."),
        ("`facade` and 1234567 stay.", "facade and 1234567 stay."),
        ("See `src/parse/lexer.py`, and/or it.", "See lexer.py, and/or it."),
        ("`snake_case_name`, `__init__` and `_private`.", "snake case name, init and private."),
        ("Since v2.1, `a -> b`, n >= 3 && n != 4.", "Since version 2.1, a to b, n at least 3 and n is not 4."),
        ("`std::move()` takes ~2 ms, 3x faster.", "std move takes about 2 ms, 3 times faster."),
        ("On June 3, 2026, in May 2 of 3.", "On June 3rd, 2026, in May 2 of 3."),
        ("A PyObject, a `PyObject_Call` and PyObjects.", "A pie object, a PyObject Call and PyObjects."),
    ],
)
def test_what_engineers_write_is_read_aloud(text: str, spoken: str) -> None:
    speaking = Speak(lexicon={"PyObject": "pie object", " ": "x"})
    body = parse(Source("a.md", "content/a.md", text), ParseOptions())[1]
    assert [passage.text for passage in script("", body, "en", speaking, {})] == [spoken]


def test_other_languages_are_read_as_they_are() -> None:
    assert said("#12 und `a_b`", language="de") == ["#12 und a_b."]
    assert said("10<sup>6</sup> und 2^3", language="de") == ["10⁶ und 2^3."]


def test_a_greeting_comes_first_and_a_farewell_last() -> None:
    body = parse(Source("a.md", "content/a.md", "Words."), ParseOptions())[1]
    values = {"{title}": "Warm {date}", "{date}": "June 3, 2026"}

    def said(greeting: str, farewell: str = "") -> list[str]:
        return [item.text for item in script("Warm", body, "en", Speak(greeting=greeting, farewell=farewell), values)]

    assert said("Good morning, it's {date}.", "Bye") == [
        "Good morning, it's June 3rd, 2026.",
        "Warm.",
        "Words.",
        "Bye.",
    ]
    assert said("Hello: {title}") == ["Hello: Warm {date}.", "Words."]  # the title is not said twice
    nothing = parse(Source("a.md", "content/a.md", ""), ParseOptions())[1]
    assert script("", nothing, "en", Speak(greeting="Hello", farewell="Bye"), values) == ()
