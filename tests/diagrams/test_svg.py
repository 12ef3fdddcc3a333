"""Drawings are read with care: what could run, load or lead astray is not published."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devlog.features.diagrams.derive.svg import MAX_DEPTH, BadDrawingError, read_svg

NS = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
MANY_ATTRIBUTES = " ".join(f'a{number}=""' for number in range(1_001))
XHTML = 'xmlns="http://www.w3.org/1999/xhtml"'


def cleaned(inside: str, attributes: str = "") -> str:
    """What is left of a drawing, between its outermost tags."""
    data = read_svg(f'<svg {NS} width="4" height="3" {attributes}>{inside}</svg>'.encode()).data.decode()
    ET.fromstring(data)
    return data.partition(">")[2].removesuffix("</svg>")


@pytest.mark.parametrize(
    ("attributes", "size"),
    [
        ('width="40" height="30"', (40, 30)),
        ('width="40.2px" height=" 30 "', (41, 30)),
        ('width="3in" height="72pt"', (288, 96)),
        ('width="100%" height="100%" viewBox="0 0 200 100.5"', (200, 101)),
        ('viewBox="-10,-10, 20 ,1e1"', (20, 10)),
        ('width="50" viewBox="0 0 200 100"', (50, 25)),
        ('height="50" viewBox="0 0 200 100"', (100, 50)),
        ('width="0.2" height=".2"', (1, 1)),
        ('width="100%" style="max-width: 300px" viewBox="0 0 300 20"', (300, 20)),
    ],
)
def test_sizes(attributes: str, size: tuple[int, int]) -> None:
    drawing = read_svg(f'<?xml version="1.0"?>\n<svg {NS} {attributes}></svg>'.encode())
    assert (drawing.width, drawing.height) == size


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("", "no element found"),
        ("Error: no such node", "it is not SVG: "),
        ("<svg", "it is not SVG: "),
        ('<?xml version="1.0" encoding="gb2312"?><svg/>', "its encoding is unknown"),
        ("<html></html>", "it begins with “html”"),
        ('<svg width="1" height="1"></svg>', "it begins with “svg”"),
        (f"<svg {NS}></svg>", "has no size"),
        (f'<svg {NS} width="100%" height="100%"></svg>', "has no size"),
        (f'<svg {NS} viewBox="0 0 0 10"></svg>', "has no size"),
        (f'<svg {NS} viewBox="0 0 a b"></svg>', "has no size"),
        (f'<svg {NS} width="10" viewBox="0 0 1e999 1e999"></svg>', "has no size"),
        (f'<svg {NS} width="999999" height="1"></svg>', "larger than 20000 pixels"),
        (f'<svg {NS} width="1" height="1">{"<g>" * MAX_DEPTH}', "deeper than 200"),
        (f"<svg {NS}><g {MANY_ATTRIBUTES}/></svg>", "more than 1,000 attributes"),
        (f'<svg {NS} xmlns:n="{"n" * 300}"/>', "namespace in it is very long"),
        (f'<!DOCTYPE svg [<!ENTITY a "b">]><svg {NS} width="1" height="1">&a;</svg>', "entities"),
        (f'<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]><svg {NS}>&a;</svg>', "entities"),
        (f'<!DOCTYPE svg [<!ENTITY % a SYSTEM "http://127.0.0.1/">%a;]><svg {NS}></svg>', "entities"),
    ],
)
def test_what_is_refused(data: str, reason: str) -> None:
    with pytest.raises(BadDrawingError, match=reason):
        read_svg(data.encode())


def test_a_document_type_without_entities() -> None:
    kind = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">'
    assert read_svg(f'{kind}<svg {NS} width="1" height="1"></svg>'.encode()).width == 1


@pytest.mark.parametrize(
    ("inside", "left"),
    [
        ("<script>x()</script><g/>", "<g></g>"),
        ("<script><g>a</g></script>b", "b"),
        ('<g onload="x()" onClick="y()" id="a"/>', '<g id="a"></g>'),
        ('<a xlink:href="javascript:x()"><text>t</text></a>', "<a><text>t</text></a>"),
        ('<a href=" java&#10;script:x()">t</a>', "<a>t</a>"),
        ('<a href="data:text/html,x">t</a>', "<a>t</a>"),
        ('<a href="//canary.invalid/">t</a>', "<a>t</a>"),
        ('<a xlink:href="https://a.org/?b&amp;c" id="d">t</a>', '<a href="https://a.org/?b&amp;c" id="d">t</a>'),
        ('<use xlink:href="#a"/><use href="https://a.org/#b"/>', '<use href="#a"></use><use></use>'),
        ('<image href="https://canary.invalid/a.png"/>', "<image></image>"),
        ('<image href="data:image/svg+xml,x"/>', "<image></image>"),
        ('<image href="data:image/png;base64,AA"/>', '<image href="data:image/png;base64,AA"></image>'),
        ('<animate attributeName="href" to="javascript:x()"/><set/>', ""),
        (f"<foreignObject><iframe {XHTML} src='x'/></foreignObject>", "<foreignObject></foreignObject>"),
        (
            f"<foreignObject><div {XHTML} onclick='x()'><p>a<br/>b</p></div></foreignObject>",
            f"<foreignObject><div {XHTML}><p>a<br></br>b</p></div></foreignObject>",
        ),
        ("<style>.a{fill:url(#b)}</style>", "<style>.a{fill:url(#b)}</style>"),
        ("<style>@import 'https://canary.invalid/';</style>", "<style></style>"),
        ("<style>a{background:url( 'https://canary.invalid/')}</style>", "<style></style>"),
        ("<style>a{background:\\75rl(x)}</style>", "<style></style>"),
        ("<style>@<g/>import 'https://canary.invalid/'</style>b", "<style></style>b"),
        ("<style>a{}<style/><g/>@import 'https://canary.invalid/'</style><g/>", "<style></style><g></g>"),
        ("<style>a{}<g>b{}</g>c{}</style>", "<style>a{}c{}</style>"),
        ("<g style=\"background:image-set('https://canary.invalid/a' 1x)\"/>", "<g></g>"),
        ('<a href="https://a.org/" ping="https://canary.invalid/">t</a>', '<a href="https://a.org/">t</a>'),
        (
            f"<foreignObject><table {XHTML} background='https://canary.invalid/'/></foreignObject>",
            f"<foreignObject><table {XHTML}></table></foreignObject>",
        ),
        ('<g style="fill:url(https://canary.invalid/)" fill="url(#a)"/>', '<g fill="url(#a)"></g>'),
        ("<g fill=\"url('#a')\" mask='url( #b )'/>", '<g fill="url(&#x27;#a&#x27;)" mask="url( #b )"></g>'),
        ('<text xml:space="preserve" xml:base="x">a &lt;b</text>', '<text xml:space="preserve">a &lt;b</text>'),
        ("<text><![CDATA[</text><script>]]></text>", "<text>&lt;/text&gt;&lt;script&gt;</text>"),
        ('<x:g xmlns:x="urn:other">a</x:g><?php x ?><!-- c -->', ""),
        ('<metadata><rdf:RDF xmlns:rdf="urn:rdf"/></metadata>', ""),
    ],
)  # fmt: skip
def test_what_is_left(inside: str, left: str) -> None:
    assert cleaned(inside) == left


parts = st.sampled_from(
    [
        "<g>", "</g>", "<a href='javascript:x()'>", "</a>", "<script>", "</script>", "<style>", "</style>", "<text>",
        "</text>", "x", "&lt;", "<![CDATA[", "]]>", "<foreignObject>", "</foreignObject>", "<!--", "-->",
        "<g onload='x'/>",
        '<div xmlns="http://www.w3.org/1999/xhtml">', "</div>", '<script xmlns="http://www.w3.org/1999/xhtml"/>',
    ]
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=500)
@given(st.lists(parts, max_size=20).map("".join))
def test_any_parts(inside: str) -> None:
    try:
        left = cleaned(inside)
    except BadDrawingError:
        return
    for element in ET.fromstring(f"<svg {NS}>{left}</svg>").iter():
        assert element.tag.rpartition("}")[2] not in ("script", "iframe")
        assert not [name for name in element.attrib if name.startswith("on")]
        assert "javascript" not in element.get("href", "")
    assert cleaned(left) == left
