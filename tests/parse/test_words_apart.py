"""Words that HTML puts on lines of their own are apart wherever it becomes plain text."""

from __future__ import annotations

import pytest

from devlog.model.document import Document
from devlog.model.source import Source
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse
from devlog.search.plain import plain

APART = [
    "first<p>second",
    "first<br>second",
    "first<br/>second",
    "first<BR>second",
    "first<hr>second",
    "<span>first</span><div>second</div>",
    "first<p>\nsecond",
]


@pytest.mark.parametrize("html", APART)
@pytest.mark.parametrize("block", ["{}", "- {}", "<div>{}</div>"])
def test_in_excerpts(html: str, block: str) -> None:
    assert _document(block.format(html)).excerpt == "first second"


@pytest.mark.parametrize("html", ["fi<b>r</b>st", "fi<wbr>rst", "<span>fi</span>rst"])
def test_other_tags_split_no_word(html: str) -> None:
    assert " " not in _document(html).excerpt


def test_marks_stay_at_their_words() -> None:
    document = _document("first<br>`second`<p>**third** fourth")
    assert [(document.excerpt[mark.start : mark.end], mark.kind) for mark in document.marks] == [
        ("second", "code"),
        ("third", "strong"),
    ]


def test_in_headings_but_not_in_their_fragments() -> None:
    (heading,) = _document("## first<br>second").headings
    assert (heading.text, heading.id) == ("first second", "firstsecond")


@pytest.mark.parametrize("html", APART)
def test_in_the_index_of_the_terminal(html: str) -> None:
    assert " ".join(plain(html).split()) == "first second"


def _document(body: str) -> Document:
    return parse(Source("a.md", "content/a.md", f"---\ntitle: A\n---\n{body}\n"), ParseOptions())[0].document
