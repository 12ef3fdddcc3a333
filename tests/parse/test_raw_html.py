"""What is learnt from raw HTML: its tags, how deep it nests, its text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from markdown_it.token import Token

from devlog.model.document import Image
from devlog.model.source import Source
from devlog.parse.html.raw_html import HtmlText, scan, show_as_text
from devlog.parse.markdown.body import BodyText, BodyWriter
from devlog.parse.markdown.parser import Renderer, plain_parser
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse
from devlog.sanitize import MAX_DEPTH, sanitize, sanitize_for_feed


@pytest.mark.parametrize(
    ("html", "depth"),
    [
        ("<div><p>a</p><p>b</p></div>", 2),
        ("<p>a<p>b<p>c", 1),
        ("<img><br><hr>", 0),
        ("<div/><div/><div/>", 3),  # outside of drawings and formulas nothing closes itself
        ("<svg><g/><g/><path/></svg>", 1),
        ("<svg/><math/>", 0),
        ("<math><mi/><mtext><i/><i/>", 4),
        ("<svg><foreignObject><section/><section/>", 4),
        ("<svg><g><p><section/><section/>", 3),  # a paragraph ends a drawing
        ("<title><div><div></title>", 1),
        ("<!-- <div> --><![x <div> ><p>", 1),
    ],
)
def test_how_deep_elements_nest(html: str, depth: int) -> None:
    assert scan(html)[1] == depth


def test_elements_that_only_look_closed_are_too_deep() -> None:
    text = "<div/>" * (MAX_DEPTH + 1)
    for ending in ("md", "html"):
        path = f"a/2026-05-04-x.{ending}"
        parsed, _, _ = parse(Source(path, f"content/{path}", text), ParseOptions(html="safe"))
        assert [problem.code for problem in parsed.diagnostics if "deep" in problem.code] == ["html-too-deep"]


def test_an_address_is_read_as_a_browser_reads_it() -> None:
    html = '<p><a href="https://a.example/?b=1&copy=2&amp;reg">a</a></p>'
    _, body, notes = parse(Source("a.html", "content/a.html", html), ParseOptions(html="safe"))[:3]
    assert [outside.url for outside in notes.outside] == ["https://a.example/?b=1&copy=2&reg"]
    assert body.pieces == ('<p><a href="https://a.example/?b=1&amp;copy=2&amp;reg">a</a></p>',)


def test_links_in_what_the_sanitizer_takes_for_text_are_none() -> None:
    html = '<p>a</p><iframe><img src="b.png"></iframe><img src="c.png" alt="">'
    parsed, _, _ = parse(Source("a.html", "content/a.html", html), ParseOptions(html="safe"))
    assert [ref.target for ref in parsed.document.refs] == ["c.png"]


def test_links_behind_a_title_that_nobody_closes_are_some() -> None:
    html = '<p>a <title> b <img src="c.png" alt=""></p>'
    parsed, _, _ = parse(Source("a.html", "content/a.html", html), ParseOptions(html="safe"))
    assert [ref.target for ref in parsed.document.refs] == ["c.png"]
    assert HtmlText(html).text == "a b"


@pytest.mark.parametrize("marker", ["<!-- more -->", "<!--more--!>", '<a name="more"></a>', "<a class=x name=more>"])
def test_where_an_excerpt_ends(marker: str) -> None:
    found = HtmlText(f"<h2>Title</h2><p>One</p>{marker}<p>two</p>")
    assert (found.teaser, found.prose) == ("One", "One two")


def test_tags_stand_where_they_are_written() -> None:
    text = "- <div>\n\n  a\n\n- <p>\n  b <img\n  src='none.png'> <img src='gone.png'>\n  </p>\n"
    parsed, _, notes = parse(Source("a.md", "content/a.md", text), ParseOptions(html="safe"))
    spans = [(ref.target, ref.span.line, ref.span.column) for ref in parsed.document.refs]
    assert spans == [("none.png", 7, 3), ("gone.png", 7, 24)]
    assert [(span.line, span.column) for span in notes.without_alt] == [(6, 5), (7, 19)]


@pytest.mark.parametrize("ending", ["md", "html"])
def test_ids_of_the_theme_are_none_of_a_post(ending: str) -> None:
    html = '<p id="devlog:related"><a name="&#100;evlog:topics" id="own">a</a> <a href="#devlog:related">b</a></p>\n'
    path = f"a/2026-05-04-x.{ending}"
    parsed, body, _ = parse(Source(path, f"content/{path}", html), ParseOptions(html="safe"))
    assert 'id="own"' in str(body.pieces)
    assert "devlog:topics" not in str(body.pieces)
    assert ' id="devlog:' not in str(body.pieces)
    assert [name for name in parsed.document.anchors if name.startswith("devlog:")] == []
    _, trusted, _ = parse(Source(path, f"content/{path}", html), ParseOptions(html="trusted"))
    assert '<p id="devlog:related">' in str(trusted.pieces)


def test_links_say_nothing_about_the_page_that_they_are_in() -> None:
    html = '<a href="https://a.example/" rel="{}">a</a>'
    text = html.format("me nofollow webmention author license next")
    assert sanitize(text) == html.format("nofollow")
    assert sanitize_for_feed(text) == html.format("nofollow")
    assert sanitize(html.format("me")) == '<a href="https://a.example/">a</a>'


class _Watched(list[Token]):
    """Tokens that count how many of them were looked at."""

    looked_at = 0

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        self.looked_at += len(found) if isinstance(key, slice) else 1
        return found


def test_where_a_disclosure_ends_is_looked_for_behind_it_only() -> None:
    counts = []
    for size in (20, 80):
        parser = plain_parser(html=True, autolink=False, www=False)
        parser.renderer = Renderer(parser)
        tokens = _Watched(parser.parse("> Disclosure: a\n\nb\n\n" * size, {}))
        writer = BodyWriter(BodyText("", "a.md"), ParseOptions())
        assert parser.renderer.render(tokens, parser.options, {"writer": writer}).count("</aside>") == size
        counts.append(tokens.looked_at)
    assert counts[1] < 5 * counts[0]


def test_many_names_that_are_no_elements_are_found_in_one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    html = "".join(f"<x{number}></X{number}>" for number in range(500))
    longest = 0

    def compiled(pattern: Any, *arguments: Any, **named: Any) -> Any:
        nonlocal longest
        longest = max(longest, len(getattr(pattern, "pattern", pattern)))
        return original(pattern, *arguments, **named)

    original = re.sub
    monkeypatch.setattr("devlog.parse.html.raw_html.re.sub", compiled)
    shown = show_as_text(html + "<x1y><b>", {f"x{number}" for number in range(500)})
    assert shown == html.replace("<", "&lt;") + "<x1y><b>"
    assert longest < 100


def _html(text: str) -> str:
    """A post as HTML, with entities that the sanitizer writes in another way as characters."""
    _, body, _ = parse(Source("a.md", "content/a.md", f"---\ntitle: A\n---\n{text}"), ParseOptions(html="safe"))
    images = (f"{piece.start}…{piece.end}" if isinstance(piece, Image) else piece for piece in body.pieces)
    return "".join(piece if isinstance(piece, str) else "…" for piece in images).replace("&quot;", '"')


OWN = Path(__file__).parents[2]


@pytest.mark.parametrize("file", ["docs/writing.md", "docs/commands.md", "docs/episodes.md", "SECURITY.md"])
def test_raw_html_elsewhere_in_a_post_changes_nothing(file: str) -> None:
    text = (OWN / file).read_text().replace("<", "&lt;")
    assert _html(f"{text}\n\n<b>x</b>\n") == f"{_html(text)}<p><b>x</b></p>\n"


def test_options_in_code_are_not_broken_beside_raw_html() -> None:
    assert _html("`--allow-host` <b>x</b>").startswith('<p><code><span class="flag">--allow-host</span></code>')
    assert "flag" not in _html('<p class="flag">A long text.</p>')


@pytest.mark.parametrize(
    ("size", "attributes"),
    [
        ('width="50%" height="3em"', ' style="width:50%;height:3em"'),
        ('width="50%" height="30"', ' height="30" style="width:50%"'),
        ('width="20px" height="3em"', ' width="20" style="height:3em"'),
        ('width="20" height="30"', ' width="20" height="30"'),
        ('width="x"', ""),
    ],
)
@pytest.mark.parametrize("file", ["x.png", "x.mp4"])
def test_a_size_in_units_is_one_attribute(file: str, size: str, attributes: str) -> None:
    for text in (f'{{{{< figure src="{file}" alt="a" {size} >}}}}', f"![a]({file}){{{size}}}"):
        for html in (_html(text), _html(f"{text}\n\n<b>x</b>")):
            assert html.count(" style=") == attributes.count(" style=")
            assert attributes in html


def test_what_is_removed_with_its_content_is_no_text() -> None:
    page = (
        "<html><head><title>Saved page</title></head><body><script>var a = '</p>';</script>\n"
        "<p>Words</p><textarea>draft <!--more--></textarea><xmp><b>x</b></xmp><template><p>t</p></template>\n"
        "<noscript>that are shown</noscript> and <title> too</body></html>"
    )
    assert HtmlText(page).text == HtmlText(page).prose == "Words that are shown and"
    assert HtmlText("A <title> of <b>it</b>").text == "A of it"
    assert HtmlText(page).teaser is None
    assert HtmlText("Words <!--more--><script>x</script> more").teaser == "Words"
