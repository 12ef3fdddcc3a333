"""What the indexer is given: words where it can see them, marks, and what counts less."""

from __future__ import annotations

import json
import re

import msgspec
import pytest

from devlog.features.site_search.derive.index import facets_file, index_key
from devlog.features.site_search.derive.indexed_page import APART, CODE, JOIN, MOST_ANCHORS, facets, mark, page, text
from devlog.features.site_search.derive.words import Words, word_files
from devlog.features.site_search.model import Record
from devlog.model.document import Anchor, Body

RECORD = Record("/a/", "A title", "b0", "2026-05-04", "Kernels", ("Ada Quill",), ("planner", "storage"))
BODY = Body(("<p>Text</p>",))


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>f(recompile_limit)</p>", f"<p>f( {JOIN}recompile_limit)</p>"),
        ("<p>x=torch._check(y)</p>", f"<p>x= {JOIN}torch._check( {JOIN}y)</p>"),
        ("<p>foo-&gt;bar</p>", f"<p>foo-&gt; {JOIN}bar</p>"),
        ("<p>word—other</p>", f"<p>word— {JOIN}other</p>"),
        ("<p>a::b c.d e-f g_h don't i/j 1,000</p>", "<p>a::b c.d e-f g_h don't i/j 1,000</p>"),
        ("<p>(alone) “quoted” =1</p>", "<p>(alone) “quoted” =1</p>"),
        ("<p>&lt;tag&gt;</p>", f"<p>&lt; {JOIN}tag&gt;</p>"),
        ('<h2 id="a=b(c)">Text</h2>', '<h2 id="a=b(c)">Text</h2>'),
        ("<p>R&amp;D</p>", f"<p>R&amp; {JOIN}D</p>"),
        ("<p>前面。搜索引擎，数据库。Next.</p>", f"<p>前面。 {JOIN}搜索引擎， {JOIN}数据库。 {JOIN}Next.</p>"),
        ("<p><b>重要</b>。「検索」は、ｶﾅ</p>", f"<p><b>重要</b>。「 {JOIN}検索」 {JOIN}は、 {JOIN}ｶﾅ</p>"),
        ("<p>データベース 々 col·legi</p>", "<p>データベース 々 col·legi</p>"),
    ],
)
def test_words_are_cut_where_the_indexer_would_not(html: str, expected: str) -> None:
    assert text(Body((html,))) == expected


def test_code_counts_less_and_has_no_numbers_or_colors() -> None:
    code = (
        '<pre tabindex="0"><code><span class="line-number" aria-hidden="true">12</span>'
        '<span class="nb">len</span><span class="p">(</span><span class="n">x</span></code></pre>'
    )
    assert text(Body((code,))) == f' <pre data-pagefind-weight="{CODE}" tabindex="0"><code>len( {JOIN}x</code> </pre>'


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<tr><th>one</th><th scope='row'>two</th></tr>", "one two"),
        ("<dl><dt>one</dt><dd>two</dd><DT>three</DT></dl>", "one two three"),
        ("<figcaption>one<details><summary>two</summary>three</details></figcaption>four", "one two three four"),
        ("one<blockquote>two</blockquote><hr>three<address>four</address>", "one two three four"),
        ("<th><b>o</b><code>n</code>e</th><th>two</th>", "one two"),
    ],
)
def test_elements_in_a_line_or_cell_of_their_own_are_apart(html: str, expected: str) -> None:
    assert " ".join(re.sub("<[^>]*>", "", text(Body((html,)))).split()) == expected


@pytest.mark.parametrize("title", ["", "\u2060", "\u2063\ua66e", "\u200b\u00ad", " \ufeff "])
def test_a_title_of_which_nothing_is_seen_is_the_name_in_the_url(title: str) -> None:
    assert ">Page Cache</h1>" in page(msgspec.structs.replace(RECORD, title=title, url="/a/page-cache/"), BODY, "en")
    assert ">/</h1>" in page(msgspec.structs.replace(RECORD, title=title, url="/"), BODY, "en")


def test_holes_and_anchors_are_left_out() -> None:
    body = Body(('<h2 id="a">A', Anchor("a"), "</h2><p><a ", 0, ">link</a></p>"))
    assert text(body) == '<h2 id="a">A</h2><p><a >link</a></p>'


def test_a_text_has_a_limited_number_of_anchors() -> None:
    headings = [f'<h2 id="h{number}">Part {number}</h2>' for number in range(MOST_ANCHORS + 2)]
    assert text(Body((*headings[:-2],))) == "".join(headings[:-2])
    last = f"<h2>Part {MOST_ANCHORS}</h2><h2>Part {MOST_ANCHORS + 1}</h2>"
    assert text(Body((*headings,))) == "".join(headings[:-2]) + last


def test_words_that_look_like_an_anchor_stay() -> None:
    headings = "".join(f'<h2 id="h{number}">Part</h2>' for number in range(MOST_ANCHORS))
    said = '<p>the code id=" is here</p><p class="x">after</p>'
    assert text(Body((headings, said))).endswith(said)


def test_names_around_a_text_are_found_but_stand_apart() -> None:
    html = page(RECORD, Body(("<p>Text</p>",)), "en")
    before, after = html.split(APART)
    for word in ("A title", "Kernels · Ada Quill · planner · storage", *(mark(*facet) for facet in facets(RECORD))):
        assert word in before
    assert after == "</p><p>Text</p></body></html>"


def test_what_is_superseded_is_known_by_a_mark() -> None:
    for status in ("superseded", "current", "historical"):
        record = msgspec.structs.replace(RECORD, status=status)
        html = page(record, Body(("<p>Text</p>",)), "en")
        assert f'data-pagefind-meta="status[data-value]" data-value="{status}"' in html
        assert (mark("status", "superseded") in html) == (status == "superseded")
        assert index_key([record], "en", "") != index_key([RECORD], "en", "")
        told = json.loads(facets_file([record, RECORD], ()))["status"]
        assert told == ([["superseded", mark("status", "superseded"), 1]] if status == "superseded" else [])


def test_what_writers_write_is_no_markup() -> None:
    evil = '"><script>x</script>'
    html = page(Record("/a/", evil, "b", "", evil, (evil,), (evil,)), Body(()), "en")
    assert "<script" not in html
    assert '="">' not in html


def test_no_text_of_a_post_has_marks_of_devlog() -> None:
    other = f"{mark('author', 'Ada Quill')} {APART} {JOIN}"
    record = Record("/a/", other, "b", "", other, (other,), (other,))
    html = page(record, Body((f"<p>{other} één</p>",)), "en", Body((f"<p>{other}</p>",)))
    assert html.count(mark("author", "Ada Quill")[0]) == len(list(facets(record)))
    assert (html.count(APART), html.count(JOIN)) == (2, 0)
    assert "één" in html


def test_excerpts_turn_no_text_around() -> None:
    turned = "<h2>Of \u202ePages\u202c</h2><p>Left \u2067open, <bdi>\u202d</bdi>R\u200fL</p>"
    assert text(Body((turned,))) == "<h2>Of Pages</h2><p>Left open, <bdi></bdi>R\u200fL</p>"


def test_no_excerpt_shows_the_way_back_from_a_footnote() -> None:
    note = '<li id="fn1"><p>A note. <a href="#fnref1" class="footnote-backref" aria-label="Back">↩︎</a></p></li>'
    assert "↩" not in text(Body((note,)))


def test_marks_are_words_that_differ_by_kind_and_value() -> None:
    marks = {mark(kind, value) for kind in ("topic", "tag") for value in ("planner", "Planner", "")}
    assert len(marks) == 6
    # No text has a word with which one begins: the index would take that instead.
    assert all(found[0] == "\ua66e" and found[1:].isdecimal() and len(found) == 16 for found in marks)


def test_facets_are_listed_with_their_counts() -> None:
    other = Record("/b/", "B", "b1", "2024-01-02", "Kernels", ("bo Reed",), ("planner",))
    known = json.loads(facets_file([RECORD, other], ["words/a.json", "words/other.json"]))
    assert [[value, count] for value, _, count in known["tag"]] == [["planner", 2], ["storage", 1]]
    assert [value for value, _, _ in known["author"]] == ["Ada Quill", "bo Reed"]
    assert [value for value, _, _ in known["year"]] == ["2026", "2024"]
    assert known["words"] == ["a", "other"]
    assert known["topic"] == [["Kernels", mark("topic", "Kernels"), 2]]


def test_the_key_depends_on_all_that_is_indexed() -> None:
    keys = {
        index_key([RECORD], "en", "tools"),
        index_key([RECORD], "de", "tools"),
        index_key([RECORD], "en", "other tools"),
        index_key([], "en", "tools"),
        index_key([msgspec.structs.replace(RECORD, body="b1")], "en", "tools"),
    }
    assert len(keys) == 5
    assert index_key([RECORD], "en", "tools") in keys


def words(*htmls: str) -> dict[str, list[str]]:
    counted = Words()
    for html in htmls:
        counted.add(html)
    return {name: json.loads(data) for name, data in word_files(counted.counts).items()}


def test_words_stand_by_their_first_letter_the_frequent_first() -> None:
    found = words("<p>storage sink Éclair</p>", "<p>Storage</p>", "<p class='no'>storage&nbsp;STORAGE sly</p>")
    assert found == {"words/other.json": ["éclair"], "words/s.json": ["storage", "sink sly"]}


def test_parts_of_names_are_words_and_numbers_are_not() -> None:
    found = words("<code>getElementPtr TensorImpl::sizes r123456 4095 x86</code>")
    assert found == {
        "words/e.json": ["element"],
        "words/g.json": ["get getelementptr"],
        "words/i.json": ["impl"],
        "words/p.json": ["ptr"],
        "words/s.json": ["sizes"],
        "words/t.json": ["tensor tensorimpl"],
        "words/x.json": ["x86"],
    }
