"""Which URLs no output may have."""

from __future__ import annotations

import re
import tracemalloc
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin

from devlog.model.markdown import address, leads_to_script, may_lead_to_script
from devlog.model.source import Source
from devlog.model.urls import RUN, runs, safe
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse

SCRIPTS = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "%6aavascript:alert(1)",
    "%6Aavascript%3Aalert(1)",
    "%256aavascript:alert(1)",
    "%25256aavascript:alert(1)",
    "&#106;avascript:alert(1)",
    "&#x6A&#x61vascript:alert(1)",
    "&#37;6aavascript:alert(1)",
    "javascript&colon;alert(1)",
    "javascript&Tab;:alert(1)",
    "java&NewLine;script:alert(1)",
    "java\tscript:alert(1)",
    "java%09script:alert(1)",
    "java%00script:alert(1)",
    "java\u200bscript:alert(1)",
    "java\u00adscript:alert(1)",
    " javascript:alert(1)",
    "\x01javascript:alert(1)",
    "\ufeffjavascript:alert(1)",
    "%20javascript:alert(1)",
    "java\\script:alert(1)",
    "\uff4aavascript:alert(1)",
    "javascript\uff1aalert(1)",
    "javascript://example.org/%0aalert(1)",
    "view-source:javascript:alert(1)",
    "feed:javascript:alert(1)",
    "jar:javascript:alert(1)!/",
    "vbscript:msgbox(1)",
    "data:text/html,x",
    "data:image/svg+xml,x",
    "DATA:,x",
    "d%61ta:text/html,x",
]
PLAIN = [
    "",
    "#javascript:",
    "?x=javascript:alert(1)",
    "/javascript:alert(1)",
    "./javascript:alert(1)",
    "https://example.org/javascript:alert(1)",
    "http:javascript:alert(1)",
    "mailto:javascript:alert(1)",
    "javascript",
    "javascript/index.html",
    "notes/javascript:alert(1)",
    "javascript.md#x:y",
    "c++%3Anotes.md",
    "tel:+49",
    "matrix:u/ada",
    "data:image/png;base64,AAAA",
    "data.csv?x=1:2",
    "a%20b.png",
]


@pytest.mark.parametrize("url", SCRIPTS)
def test_scripts(url: str) -> None:
    assert runs(url)
    assert safe(url) == address(url) == ""
    if url.isascii() and not re.search(r"[\s\x00-\x20]", url):  # what Markdown takes for a destination
        assert leads_to_script(f"[x]({url})")
        assert leads_to_script(f"[x]: {url}")
        assert leads_to_script(f'<a href="{url}">')


BROKEN = [
    "[a](java\nscript:alert(1))",
    "[a](\n javascr\nipt:alert(1))",
    "> [a](java\n> script:alert(1))",
    "> > [a](javascr\n>> ipt:alert(1))",
    "- [a](<java\n  script:alert(1)>)",
    "[a](java\tscript:alert(1) 'Title')",
    "](b [a](java\nscript:alert(1))",
    "](b <https://example.org> [a](java\nscript:alert(1))",
]
"""Links whose destinations are no destinations, since they have line ends."""


ESCAPED = ["[a](javascript\\:alert(1))", "[a](java\\\nscript\\:alert(1))", "[a]: vbscript\\:x"]
"""Links whose destinations have escapes, which Markdown removes."""


@pytest.mark.parametrize("text", ESCAPED)
def test_an_escaped_destination(text: str) -> None:
    assert leads_to_script(text)


@pytest.mark.feature("markdown_versions")
@pytest.mark.parametrize("text", ESCAPED)
def test_a_formula_that_others_read_as_a_link_is_code(text: str) -> None:
    _, body, _ = parse(Source("log/a.md", "content/log/a.md", f"$$\n{text}\n$$\n"), ParseOptions())
    markdown = b"".join(piece for piece in body.markdown if isinstance(piece, bytes))
    assert b"$$" not in markdown
    assert markdown.startswith(b"`")


LIVE = "<script>alert(1)</script>"
DISGUISED = {
    "a definition in a list": "- [x]: javascript:alert(1)\n\n$[x]^2$",
    "a definition in a task": "- [ ] [x]: javascript:alert(1)\n\n$[x]^2$",
    "a definition that nobody uses": "1) [x]: javascript:alert(1)\n\nText",
    "a footnote in a list": "- [^a]: javascript:alert(1)\n\ntext [^a]",
    "a label with a bracket": "[a\\]b]: javascript:alert(1)\n\n$[a\\]b]^2$",
    "a label of two lines": "[a\nb]: javascript:alert(1)\n\n$[a b]^2$",
    "an encoded scheme": "- [x]: java&#115;cript:alert(1)\n\n$[x]^2$",
    "a URL in another one": '$href="<javascript:alert(1)>"^2$',
    "a URL in another one in HTML": '<kbd><a href="<javascript:alert(1)>">x</a></kbd>\n\n$href="<javascript:a>"$',
    "a fence with a backtick": f"~~~ a`b\n{LIVE}\n~~~\n\n<kbd>x</kbd>",
    "a fence in a formula": f"$$\n```\n$$\n\n```\n{LIVE}\n```",
    "another fence in a formula": f"$$\n~~~\n$$\n\n~~~\n{LIVE}\n~~~",
    "a fence in an environment": f"\\begin{{align}}\n```\n\\end{{align}}\n\n```\n{LIVE}\n```",
    "a backtick in a formula": f"$x`y$ and `{LIVE}`",
    "code in a definition": "<dl><dt>x<dd><pre>a\n\n&lt;script>alert(1)&lt;/script></pre></dl>",
    "code across a definition": f"term `\n: `{LIVE}`",
    "code in a footnote": f"text[^a]\n\n[^a]: ```\n    [x](javascript:alert(1))\n    {LIVE}\n    ```",
}
"""Texts in which parsers that know less than devlog find something else."""


@pytest.mark.feature("markdown_versions")
@pytest.mark.parametrize("text", DISGUISED.values(), ids=DISGUISED)
@pytest.mark.parametrize("also", [(), ("footnotes",)], ids=["plain", "footnotes"])
def test_what_only_other_parsers_find(text: str, also: tuple[str, ...]) -> None:
    _, body, _ = parse(Source("log/a.md", "content/log/a.md", f"{text}\n"), ParseOptions())
    markdown = b"".join(piece for piece in body.markdown if isinstance(piece, bytes)).decode()
    other = MarkdownIt("commonmark", {"html": True})
    other.validateLink = lambda _url: True  # type: ignore[method-assign]
    html = (other.use(footnote_plugin) if also else other).render(markdown)
    assert 'href="javascript' not in html, markdown
    assert "<script" not in html, markdown


@pytest.mark.parametrize("text", BROKEN)
def test_a_destination_that_is_broken_into_lines(text: str) -> None:
    assert leads_to_script(text)


@pytest.mark.feature("markdown_versions")
@pytest.mark.parametrize("text", BROKEN)
def test_a_destination_that_is_broken_into_lines_is_text(text: str) -> None:
    _, body, _ = parse(Source("log/a.md", "content/log/a.md", f"{text}\n"), ParseOptions())
    markdown = b"".join(piece for piece in body.markdown if isinstance(piece, bytes))
    assert b"\\[a](" in markdown


@pytest.mark.parametrize("url", PLAIN)
def test_others(url: str) -> None:
    assert not runs(url)
    assert safe(url) == url
    assert not leads_to_script(f"[x](<{url}>)\n\n[y]: {url}\n")


@pytest.mark.slow
@given(
    st.sampled_from(sorted(RUN)),
    st.lists(st.sampled_from(["plain", "percent", "twice", "entity", "hex", "tab", "case"]), min_size=12, max_size=12),
)
def test_any_way_to_write_a_scheme(scheme: str, ways: list[str]) -> None:
    written = {
        "plain": lambda sign: sign,
        "percent": lambda sign: f"%{ord(sign):02x}",
        "twice": lambda sign: quote(f"%{ord(sign):02X}"),
        "entity": lambda sign: f"&#{ord(sign)};",
        "hex": lambda sign: f"&#x{ord(sign):X};",
        "tab": lambda sign: f"\t{sign}",
        "case": str.upper,
    }
    url = "".join(written[way](sign) for sign, way in zip(f"{scheme}:", ways, strict=False))
    assert runs(f"{url}alert(1)")


@pytest.mark.slow
@given(st.text(max_size=200))
def test_nothing_raises(text: str) -> None:
    assert safe(text) in ("", text)


def test_long_urls_are_not_remembered() -> None:
    runs("data:,short")
    tracemalloc.start()
    for number in range(20):
        assert runs(f" data:image/svg+xml,{number}{'x' * 500_000}")
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 500_000


def test_long_urls_take_no_time() -> None:
    for text in ("%25" * 100_000 + "6a", "&#" * 100_000, "view-source:" * 50_000, "java" + "\t" * 300_000 + "script:x"):
        assert isinstance(runs(text), bool)


PIECES = [
    "java",
    "script",
    "Data",
    "vb",
    "S",
    "mocha",
    ":",
    "\n",
    "> ",
    "\u00a0",
    "\u2003",
    "](",
    "<",
    ">",
    "[x]: ",
    "a",
    "ſ",
    "İ",
]


@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join))
def test_a_scheme_in_pieces_is_found_wherever_white_space_stands(text: str) -> None:
    """A text is only passed over if no parser that ignores white space and quotes finds a scheme in it."""
    joined = "".join(text.lower().replace(">", " ").split())
    has_scheme = any(f"{name}:" in joined for name in ("javascript", "vbscript", "data", "mocha", "vbs"))
    assert may_lead_to_script(text) or not has_scheme
    assert may_lead_to_script(f"{text}&")
    assert may_lead_to_script(f"%{text}")
