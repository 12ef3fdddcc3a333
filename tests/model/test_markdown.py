"""Texts as they stand in Markdown."""

from __future__ import annotations

import re
from html import unescape

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from mdit_py_plugins.gfm_autolink import gfm_autolink_plugin

from devlog.model.markdown import escaped, escaped_with_extensions, leads_to_script, may_have_handler, scalar


@pytest.mark.parametrize(
    "text",
    ["[a](javascript:x)", "[a](%6aavascript:x)", "<javascript:x>", "![a](<javascript:x>)", 'a "\\[b](vbscript:x)'],
)
def test_a_value_of_front_matter_is_no_link_that_runs(text: str) -> None:
    """In the middle of a list of all texts, front matter is no such thing to a reader of Markdown."""
    written = scalar(text)
    assert yaml.safe_load(written) == text
    parser = MarkdownIt("commonmark")
    parser.validateLink = lambda url: True  # type: ignore[method-assign]  # noqa: ARG005 - named as the original
    assert "<a" not in parser.render(f"x\n\n---\ntitle: {written}\n---\n")
    assert "<img" not in parser.render(f"title: {written}\n")


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<SCRIPT>alert(1)</SCRIPT>",
        "<svg onload=alert(1)>",
        "<b/onmouseover=alert(1)>",
        "x <img src=x\nonerror=alert(1)>",
        "<style>* { display: none }</style>",
        "<!-- the rest is not shown",
        "<?x",
        "</div>",
        "<plaintext>",
    ],
)
def test_a_value_of_front_matter_is_no_html(text: str) -> None:
    written = scalar(text)
    assert yaml.safe_load(written) == text
    shown = MarkdownIt("commonmark").render(f"x\n\n---\ntitle: {written}\nsummary: {written}\n---\n")
    assert set(re.findall("<[^>]*", shown)) <= {"<p", "</p", "<hr /", "<h2", "</h2"}


@pytest.mark.parametrize("text", ["](javascript:x)", "](%6aavascript:x) y", "](<vbscript:x>)"])
def test_a_value_of_front_matter_ends_no_link_that_something_else_began(text: str) -> None:
    parser = MarkdownIt("commonmark")
    parser.validateLink = lambda url: True  # type: ignore[method-assign]  # noqa: ARG005 - named as the original
    assert yaml.safe_load(scalar(text)) == text
    assert "<a" not in parser.render(f"x\n\nauthors: [{scalar(text)}]\n")
    assert "<a" not in parser.render(f"x\n\ntitle: {scalar('[a')}\nsummary: {scalar(text)}\n")


def test_values_of_front_matter_are_no_html_together() -> None:
    """An attribute may go on in the next line."""
    title, summary = scalar("<b x='"), scalar("' onclick='y'>")
    shown = MarkdownIt("commonmark").render(f"x\n\ntitle: {title}\nsummary: {summary}\n")
    assert "<b" not in shown


@pytest.mark.parametrize("text", ["[a](https://a.example)", "a < b", "List<String>", "x <- y", "[x]"])
def test_any_other_value_is_written_as_it_is(text: str) -> None:
    assert scalar(text) == f'"{text}"'


def test_a_list_of_attributes_neither_begins_nor_goes_on_in_values_of_front_matter() -> None:
    assert scalar("*x*{: onclick='y'}") == "\"*x*\\u007b: onclick='y'}\""
    assert scalar("a {b}") == '"a \\u007bb}"'
    assert "{" not in scalar("{[a](javascript:x)")


@pytest.mark.parametrize("text", ["{: onclick=a()}", "{\nonclick=a()}", '{: a="}"\n\nonclick=a()}'])
def test_a_list_of_attributes_may_go_on_in_other_lines(text: str) -> None:
    assert may_have_handler(f"a\n{text}\n")


@pytest.mark.parametrize(
    "text",
    [
        f'<a href="{" " * 600}&#106;avascript:a()">',
        f"<a href='{chr(0xA0) * 600}&#106;avascript:a()'>",
        f"[x]({chr(0xA0) * 600}&#106;avascript:a())",
        "[x]: <<&#106;avascript:a()",
        "[x](<<&#106;avascript:a())",
        "<button form=x formaction=&#106;avascript:a()>",
        "<button form=x formaction=javascript:a()>",
        '<a xlink:href="&#106;avascript:a()">',
    ],
)
def test_blanks_brackets_and_other_attributes_hide_no_link_to_a_script(text: str) -> None:
    assert leads_to_script(text)


READERS = (
    MarkdownIt("commonmark"),
    MarkdownIt("gfm-like2", {"linkify": False}).disable("linkify").use(gfm_autolink_plugin),
)
URLS = st.sampled_from(
    """https:// http:// HTTPS:// ftp:// :// www. WWW. mailto: xmpp: @ a@b.co a_b@c_d.co a@.co a@b/c.d a@b@c.de
    http://[::1]/ e.com e.com/x*y*z?a=[1]&b=~t~ e.com/~user/<id> x.com/__init__.py std::f \\ * _ ~ [ ] ( ) < > & &copy;
    ` . : / a 1 é""".split()
) | st.just(" ")


@given(text=st.lists(URLS, max_size=12).map("".join))
@example(text="Fix https://e.com/x*y*z?a=[1]&b=~t~")
@example(text="Read https://e.com/~user/<id>, www.e.com/__init__.py and http://[::1]/")
@example(text="Ask a__b@c.co, mailto:a_@b.co, xmpp:a@b/c.d__e")
@example(text="www.e.com\\*")
def test_a_text_shows_its_characters_and_is_no_link(text: str) -> None:
    """Nothing is escaped inside what GitHub's parser takes for a bare link, so that there is none."""
    text = " ".join(text.split())
    for written in (escaped(text), escaped_with_extensions(text)):
        for reader in READERS:
            shown = reader.renderInline(f"x {written} y")
            assert "<" not in shown, written
            assert unescape(shown) == f"x {text} y", written


@pytest.mark.parametrize("text", ["Awww. Nice", "awww.e", "std::vector", "8:30", "@ada", "lumen/act@v4", "a @ b.co"])
def test_what_is_no_link_is_written_as_it_is(text: str) -> None:
    assert escaped(text) == text
