"""Footnotes: each link leads to something on the page, and what is not shown is reported."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from devlog.model.document import Parsed
from devlog.model.source import Source
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse

PARTS = (
    "Text[^a]. ", "[^a]", "[^b]", "^[inline]", "^[inline [^b]]", "^[a ^[b]]", "![alt[^a]](x.png)", "![^[lost]](x.png)",
    "^[![alt[^b]](x.png)]", "*x[^a]*", "\n\n", "\n\n[^a]: ", "\n\n[^b]: ", "\n\n[^c]: ", "\n    ", "\n\n    ", "\n> ",
    "\n- ", "\n\n# ", '\n\n{{< figure src="x.png" caption="c[^a] ^[d]" >}}\n\n', "{{< note >}}x[^c]{{< /note >}}",
    "\n\n{{< details summary=\"s[^a]\" >}}\nx[^b]\n{{< /details >}}\n\n",
    "\n\n<div>\n{{< details summary=\"s[^a]\" >}}x{{< /details >}}\n</div>\n\n", "[link[^a]](x)",
    "[link^[inline]](x)", '<a href="x">', "</a>",
)  # fmt: skip


def parsed(text: str) -> tuple[str, Parsed]:
    result, body, *_ = parse(Source("a.md", "", f"---\ntitle: A\ndate: 2026-01-01\n---\n{text}\n"), ParseOptions())
    return "".join(piece if isinstance(piece, str) else f"<{piece}>" for piece in body.pieces), result


NESTED_LINK = re.compile(r"<a\s(?:(?!</a>).)*?<a\s", re.DOTALL)


@given(st.lists(st.sampled_from(PARTS), max_size=12))
@example(["![alt[^a]](x.png)", "\n\n[^a]: ", "Note."])
@example(["Text.", "\n\n[^a]: ", "^[inline]"])
@example(["x[^b]", "\n\n[^a]: ", "Text[^b]. ", "\n\n[^b]: ", "Text[^a]. "])
def test_notes_and_references_lead_to_each_other(parts: list[str]) -> None:
    html, result = parsed("".join(parts))
    ids = re.findall(r'\bid="(fn[^"]*)"', html)
    assert len(ids) == len(set(ids))
    targets = {ref.target[1:] for ref in result.document.refs if ref.target.startswith("#fn")}
    assert targets == set(ids)
    assert html.count('class="footnotes"') == bool(ids)
    assert not NESTED_LINK.search(html)


def reported(text: str) -> list[tuple[str, int, int]]:
    _, result = parsed(text)
    problems = [problem for problem in result.diagnostics if "footnote" in problem.code]
    return [(problem.code, problem.span.line - 4, problem.span.column) for problem in problems]


def test_a_note_that_only_lost_text_refers_to_is_lost_too() -> None:
    lost = [("lost-footnote", 3, 1), ("lost-footnote", 5, 1)]
    assert reported("Text.\n\n[^a]: See[^b].\n\n[^b]: And[^a], and ^[this].") == lost
    assert reported("Text[^a].\n\n[^a]: See[^b].\n\n[^b]: And[^a], and ^[this].") == []


def test_what_is_lost_has_no_number() -> None:
    html, _ = parsed("One[^a].\n\n[^x]: Lost[^a] ^[inline].\n\nTwo[^b] and[^a].\n\n[^a]: A.\n\n[^b]: B.")
    assert re.findall(r'id="(fnref[^"]*)">(\d)<', html) == [("fnref1", "1"), ("fnref2", "2"), ("fnref1:1", "1")]
    assert re.findall(r'<li id="(fn\d)" class="footnote-item"><p>(.)', html) == [("fn1", "A"), ("fn2", "B")]


def test_alt_texts_have_no_footnotes() -> None:
    text = "![one[^a] two ^[three]](x.png)\n\n[^a]: Note."
    html, _ = parsed(text)
    assert ' alt="one[^a] two ^[three]"' in html
    assert reported(text) == [("undefined-footnote", 1, 6), ("undefined-footnote", 1, 15), ("lost-footnote", 3, 1)]


@pytest.mark.parametrize("note", ["^[Note.]", "[^a]", "^[See [b](https://b.example/).]"])
@pytest.mark.parametrize(
    "link", ["[the spec{}](https://a.example/)", "[*the spec{}*][a]", '<a href="https://a.example/">the spec{}</a>']
)
def test_links_have_no_footnotes(link: str, note: str) -> None:
    written = link.format(note)
    text = f"See {written}, not this[^a].\n\n[a]: https://a.example/\n[^a]: Its note."
    html, _ = parsed(text)
    assert re.search(r'<a href="https://a.example/">(?:<em>)?the spec' + re.escape(note), html)
    assert html.count("<a href=") == 1
    assert html.count('class="footnote-item"') == 1
    assert reported(text) == [("undefined-footnote", 1, 5 + written.index(note))]


def test_a_link_in_a_footnote_has_no_footnote() -> None:
    html, _ = parsed("x^[in [a link^[no]](https://a.example/)^[yes]]")
    assert '<a href="https://a.example/">a link^[no]</a><sup' in html


def test_brackets_around_a_reference_are_no_link() -> None:
    html, _ = parsed("x [see[^a]] [and [^a] and [b](https://b.example/)](https://c.example/)\n\n[^a]: Note.")
    assert re.findall(r'id="(fnref[^"]*)"', html) == ["fnref1", "fnref1:1"]


@pytest.mark.parametrize(("length", "is_note"), [(999, True), (1000, False)])
def test_labels_are_as_long_as_those_of_links(length: int, is_note: bool) -> None:
    label = "a" * length
    html, _ = parsed(f"x[^{label}]\n\n[^{label}]: Note.")
    assert ('id="fnref1"' in html) == is_note


@pytest.mark.parametrize("around", ["{}", "<div>\n{}\n</div>"])
@pytest.mark.parametrize(("note", "is_reported"), [("^[Note]", True), ("[^1]", True), ("[^a-z]*", False)])
def test_captions_have_no_footnotes(around: str, note: str, is_reported: bool) -> None:
    figure = f'{{{{< figure src="x.png" alt="a" caption="Cap {note}" >}}}}'
    text = around.format(figure) + "\n\nText[^1].\n\n[^1]: Its note."
    html, _ = parsed(text)
    assert f"<figcaption>Cap {note}</figcaption>" in html
    line = 2 if "<div>" in around else 1
    column = figure.index(note) + 1
    assert reported(text) == ([("undefined-footnote", line, column)] if is_reported else [])


@pytest.mark.parametrize(
    "text",
    [
        "The class [^aeiou] and [^abc] match.",
        "It is “[^abc]”, '[^abc]', or =[^abc].",
        "[^abc] matches.",
        "As in q[^ue]r and x[^abc]y.",
        "The class [^a-zA-Z0-9_], [^0-9a-fA-F-] or [^wxyz_-], and [^aA] or [^qwertyuiop].",
        "Not [^foo] or [^1.1.1].",
    ],
)
def test_a_class_of_characters_is_no_footnote(text: str) -> None:
    assert reported(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "A word[^note].",
        "A sentence.[^note]",
        "*Em*[^note], and",
        "`code`[^note]",
        "語[^note]語",
        "Here [^1]",
        "Here [^footnote]",
        "By [^note-1].",
    ],
)
def test_a_reference_that_nothing_defines_is_reported(text: str) -> None:
    assert reported(text) == [("undefined-footnote", 1, text.index("[") + 1)]


@pytest.mark.parametrize("more", ["Text^[A note.]", "Text[^a].\n\n[^a]: A note.", "![b^[A note.]](b.png)"])
def test_in_a_post_with_footnotes_every_label_is_one(more: str) -> None:
    assert ("undefined-footnote", 1, 12) in reported(f"At a space [^note].\n\n{more}")
