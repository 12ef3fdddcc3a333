"""Posts put together at random, read as browsers read them: by a parser that follows the HTML standard."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from harm import FORBIDDEN, harm_of_attributes
from hypothesis import example, given
from hypothesis import strategies as st
from payloads import PAYLOADS
from tinyhtml5 import parse as parse_html

from devlog.model.dialect import DIALECTS
from devlog.model.document import Anchor, Body, Drawing, Image
from devlog.model.source import Source
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse
from devlog.sanitize import sanitize_for_feed

_XHTML = "{http://www.w3.org/1999/xhtml}"
_NEVER = FORBIDDEN | {"script", "svg", "form", "noscript", "template", "link", "meta", "title"}

# What changes how the rest is read: in HTML, in Markdown, and where one begins and the other ends.
_TURNS = tuple(
    "< > \" ' = / ! ? - -- --> --!> <!-- <!--> <![x <![CDATA[ ]]> <? </ </> <! <!x <div> </div> <p> </p> <p <a <b> </b>"
    " <a> </a> <img <table> <tr> <td> </table> <select> <svg> </svg> <math> </math> <mtext> <mi> <annotation-xml>"
    " <foreignObject> <desc> <title> </title> <textarea> </textarea> <xmp> </xmp> <style> </style> <script> </script>"
    " <noscript> </noscript> <iframe> </iframe> <noembed> <noframes> <plaintext> <template> </template> <body> <html>"
    " href= src= srcset= style= onclick=alert(1) onerror=alert(1) href=javascript:alert(1) javascript: &colon; &#106;"
    " &NewLine; &Tab; &lt; &gt; &quot; &amp; [x]( ) ![x]( ` `` ``` ~~~ * ** _ $ $$ | > # {{< >}} <details> <summary>"
    " <picture> <source <video <font> <center> <nobr> <br/> <hr/> <div/> <svg/> <li> <dd> :~ ^[ [^1] [^1]:".split(" ")
)
_BREAKS = (" ", "\n", "\n\n", "\t", "\f", "    ", "\n> ", "\n- ", "\n    ")
TEXT = st.lists(
    st.sampled_from(_TURNS) | st.sampled_from(_BREAKS) | st.sampled_from(PAYLOADS) | st.text(max_size=4), max_size=14
).map("".join)


def _html(body: Body) -> Iterator[str]:
    """A body as HTML, each hole with something that could stand there."""
    for piece in body.pieces:
        if isinstance(piece, Image):
            yield f'{piece.start} src="/x.png"{piece.end}'
        elif isinstance(piece, Drawing):
            yield piece.source
        elif isinstance(piece, str):
            yield piece
        elif not isinstance(piece, Anchor):
            yield ' href="/x"'


def _harm(html: str) -> list[str]:
    """What is wrong with a fragment that stands in a page."""
    root = parse_html(
        f'<!doctype html><html lang="en"><body><main><div>{html}</div></main><p id="after">a</p></body></html>'
    )
    found: list[str] = []
    last = None
    for element in root.iter():
        if not isinstance(element.tag, str):
            continue
        name = element.tag.removeprefix(_XHTML)
        found += [f"<{name}>"] if name in _NEVER else []
        found += harm_of_attributes(name, element.attrib.items())
        last = element
    body = root.find(f"{_XHTML}body")
    # What stands behind it is not in it.
    assert body is not None
    assert last is body[-1]
    assert [child.tag.removeprefix(_XHTML) for child in body] == ["main", "p"]
    assert dict(body[-1].attrib) == {"id": "after"}
    return found


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["md", "html"])
@given(text=TEXT, dialect=st.sampled_from(sorted(DIALECTS)), raw=st.sampled_from(["safe", "escape"]))
@example(text="<div>\n<![x", dialect="devlog", raw="safe")
@example(text="<p>a<![if IE]><!x>b", dialect="devlog", raw="safe")
@example(text="<div><script>alert(1)</script></div>", dialect="jekyll", raw="escape")
@example(text="</p><script>alert(1)</script>", dialect="jekyll", raw="escape")
@example(text="{::nomarkdown}\n<script>alert(1)</script>\n{:/}", dialect="jekyll", raw="escape")
def test_a_random_post_does_no_harm(ending: str, text: str, dialect: str, raw: str) -> None:
    path = f"a/2026-05-04-x.{ending}"
    _, body, _ = parse(Source(path, f"content/{path}", text), ParseOptions(html=raw, dialect=dialect))
    html = "".join(_html(body))
    assert _harm(html) == []
    assert _harm(sanitize_for_feed(html)) == []


@pytest.mark.slow
@pytest.mark.parametrize("dialect", DIALECTS)
def test_html_that_is_too_tangled_to_be_sanitized_is_text(dialect: str) -> None:
    text = "<b><i><u><s><em>" * 40 + "\n\n" + "<p>x\n" * 4000 + "\n\n</p><script>alert(1)</script>\n"
    parsed, body, _ = parse(Source("a.md", "content/a.md", text), ParseOptions(dialect=dialect))
    assert [problem.code for problem in parsed.diagnostics] == ["tangled-html"]
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in "".join(_html(body))


@pytest.mark.slow
@pytest.mark.parametrize("html", ["trusted", "escape"])
@given(text=TEXT)
@example(text="<div>\n<![x")
@example(text="<p>a<![if IE]><!x>b")
def test_a_random_post_is_read_to_its_end(html: str, text: str) -> None:
    for ending in ("md", "html"):
        path = f"a/2026-05-04-x.{ending}"
        parsed, _, _ = parse(Source(path, f"content/{path}", text), ParseOptions(html=html))
        assert parsed.path == path
