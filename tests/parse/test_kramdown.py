"""What kramdown adds to Markdown, and that it changes nothing of Markdown without it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from devlog.model.document import Image
from devlog.model.source import Source
from devlog.parse.code.find_code import CodeRanges
from devlog.parse.dialects.kramdown import Attributes, read_attributes
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse

CODE = '<div class="code"><pre tabindex="0"><code>{}\n</code></pre></div>'


def html(text: str, dialect: str = "jekyll", raw: str = "trusted") -> str:
    body = parse(Source("a.md", "a.md", text), ParseOptions(dialect=dialect, html=raw))[1]
    return "".join(_text_of(piece) for piece in body.pieces).strip()


def _text_of(piece: object) -> str:
    """A piece of a body as HTML, without what only the whole site can tell."""
    if isinstance(piece, Image):
        return piece.start + piece.end
    return piece if isinstance(piece, str) else ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" .a", Attributes(classes=("a",))),
        ("#a.b.c-d", Attributes("a", ("b", "c-d"))),
        ("""a="b c" d='e "f"'""", Attributes(values=(("a", "b c"), ("d", 'e "f"')))),
        ("toc .a b", Attributes(classes=("a",), names=("toc", "b"))),
        ("ok, value", Attributes(names=("value",))),
        ("#fn1 #devlog:x", Attributes()),
    ],
)
def test_attribute_lists(text: str, expected: Attributes) -> None:
    assert read_attributes(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n{: .center}", '<p class="center">a</p>'),
        ("{: .center}\na", '<p class="center">a</p>'),
        ("a\n{: .shadow}\n{: .center}", '<p class="center">a</p>'),
        ("a\n\n{: .center}\nb", '<p>a</p>\n<p class="center">b</p>'),
        ("a\n{: #b}", '<span id="b"></span><p>a</p>'),
        ("a\n{: #b}\n{: #c}", '<span id="c"></span><p>a</p>'),
        ("1. a\n2. b\n{:toc}\n\nc", "<p>c</p>"),
        ("- a\n{:.x}\n- b", "<ul>\n<li>a</li>\n</ul>\n<ul>\n<li>b</li>\n</ul>"),
        ("> - a\n> {:toc}\n>\n> b", "<blockquote>\n<p>b</p>\n</blockquote>"),
        ("- a\n  {: .center}", '<ul>\n<li>a</li>\n</ul>'),
        ("* {:.x} a", "<ul>\n<li> a</li>\n</ul>"),
        ("*a*{:.x} **b**{:.x} `c`{:.x}", "<p><em>a</em> <strong>b</strong> <code>c</code></p>"),
        ("a{:.x} {:b}", "<p>a{:.x} {:b}</p>"),
        (r"\{:.x}", "<p>{:.x}</p>"),
        ("`{:.x}`\n\n    {:.x}", f"<p><code>{{:.x}}</code></p>\n{CODE.format('{:.x}')}"),
        ("a {::comment}b{:/comment} c{::nomarkdown}*d*{:/}", "<p>a  c*d*</p>"),
        ("{::comment}\na\n\nb\n{:/}\nc", "<p>c</p>"),
        ("{::comment}\na", "<p>{::comment}\na</p>"),
        ("{::nomarkdown}\n<p>*a*</p>\n\n    b\n{:/}", "<p>*a*</p>\n\n    b"),
        ("{:x: .center}\na\n{:x}", '<p class="center">a</p>'),
        (
            "$$a_b$$ d_e_",
            '<p><math alttext="a_b"><msub><mi>a</mi><mi>b</mi></msub></math> d_e_</p>',
        ),
        (
            "$$a\n\n- b$$",
            (
                '<p><span class="math-display" tabindex="0"><math alttext="a - b" display="block">'
                "<mi>a</mi><mo>−</mo><mi>b</mi></math></span></p>"
            ),
        ),
        ("$$ a *b*", "<p>$$ a <em>b</em></p>"),
        ("<div>\n\n*a*\n\n    b\n</div>\n*c*", "<div>\n\n*a*\n\n    b\n</div>\n<p><em>c</em></p>"),
        ("<div>\n\n*a*", "<div>\n<p><em>a</em></p>"),
        ('<div markdown="1">\n*a*\n</div>', "<div>\n<p><em>a</em></p>\n</div>"),
        ('<div markdown="span">*a*</div>', "<div>\n<em>a</em></div>"),
        ("<div>\n<p>\n\n```\na\n```\n</p>\n</div>", f"<div>\n<p>\n\n{CODE.format('a')}\n</p>\n</div>"),
        ("<span>a\n*b*</span>", "<p><span>a\n<em>b</em></span></p>"),
        ("*[AB]: c\n\nAB ABC `AB`", '<p><abbr title="c">AB</abbr> ABC <code>AB</code></p>'),
        ("- a\n^\n- b", "<ul>\n<li>a</li>\n</ul>\n<ul>\n<li>b</li>\n</ul>"),
    ],
)  # fmt: skip
def test_what_becomes_of_it(text: str, expected: str) -> None:
    assert html(text).replace("\n\n<", "\n<") == expected.replace("\n\n<", "\n<")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<div>\n*a*\n</div>", "<p>&lt;div&gt;\n<em>a</em>\n&lt;/div&gt;</p>"),
        ('<div markdown="1">*a*</div>', "<p>&lt;div markdown=&quot;1&quot;&gt;<em>a</em>&lt;/div&gt;</p>"),
        ("</div>", "<p>&lt;/div&gt;</p>"),
        ("{::nomarkdown}\n<p>*a*</p>\n{:/}", "&lt;p&gt;*a*&lt;/p&gt;"),
        ("*[AB]: c\n\nAB", '<p><abbr title="c">AB</abbr></p>'),
    ],
)
def test_where_raw_html_is_text(text: str, expected: str) -> None:
    shown = html(text, raw="escape")
    assert expected in shown
    assert "<div>" not in shown


@pytest.mark.parametrize("style", ["width: 30px; border: 1px", "max-width:30px"])
def test_sizes_of_images(style: str) -> None:
    assert 'width="30"' in html(f'![a](b){{: style="{style}"}}')
    assert 'height="4" title="c"' in html('![a](b){: height="4" title="c"}').replace(
        'title="c" height="4"', 'height="4" title="c"'
    )


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (("a", "ab", "a-b", "a b"), "a ab abc a-b a-bc a b a bc (a) aa _a -a"),
        (("!", "!!", "!a", "a!"), "! !! !!! !a !aa a! a!a a!! !a!"),
        (("é", "c++", "+", "++c"), "é éé c++ c++c ++c +++c c+++"),
    ],
)
def test_the_longest_abbreviation_that_is_a_word_counts(names: tuple[str, ...], text: str) -> None:
    tried = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    expected = re.sub(rf"(?<!\w)(?:{tried})(?!\w)", r'<abbr title="x">\g<0></abbr>', text)
    definitions = "".join(f"*[{name}]: x\n" for name in names)
    assert html(f"{definitions}\n{text}") == f"<p>{expected}</p>"


def test_brackets_in_attribute_lists() -> None:
    assert html("[a *b*{: title='[c]'} d](e) f {:[g](h)}").count("<a ") == 2
    assert html("*a*{: title='[b'} [c](d)").count("[b") == 0


def test_html_in_a_shortcode_ends_there_whatever_is_outside() -> None:
    """The offsets in the content of a shortcode are not those of the document, whose closing tags are known."""
    before = "<div>\n\na\n\n</div>\n\n"
    shortcode = "{{< note >}}\nx\n\n<div>\n\n*b*\n\n</div>\n{{< /note >}}\n"
    assert html(before + shortcode) == f"{html(before)}\n{html(shortcode)}"


def test_ids_of_headings() -> None:
    parsed = parse(Source("a.md", "a.md", "## A\n{: #b}\n\n[c](#b)\n\nd\n{: #e}"), ParseOptions(dialect="jekyll"))[0]
    assert [heading.id for heading in parsed.document.headings] == ["b"]
    assert parsed.document.anchors == ("b", "e")


def test_places_after_inserted_lines() -> None:
    text = "{% highlight c %}a{% endhighlight %}\n\n[a](b) {% highlight c %}\nc{% endhighlight %}\n[d](e)\n"
    refs = parse(Source("a.md", "a.md", text), ParseOptions(dialect="jekyll"))[0].document.refs
    assert [(ref.target, ref.span.line, ref.span.column) for ref in refs] == [("b", 3, 5), ("e", 5, 5)]


@pytest.mark.parametrize("text", ["a\n{: .center}", "{% raw %}a{% endraw %}", "{{ site.title }}", "*[A]: b"])
def test_other_dialects_know_nothing_of_it(text: str) -> None:
    shown = html(text, "devlog")
    assert shown == f"<p>{text}</p>"
    assert html(text) != shown or text.startswith("{{")


def test_plain_markdown_stays_what_it_is() -> None:
    folder = Path(__file__).parents[1] / "golden"
    texts = sorted(folder.rglob("*.md"))
    assert texts
    for file in texts:
        text = file.read_text("utf-8")
        assert html(text) == html(text, "devlog"), file


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a `b` c", "`b`"),
        ("a ``b ` c`` d", "``b ` c``"),
        ("a `b\n\nc` d", ""),
        ("```\na\n```\nb", "\na\n"),
        ("> ~~~ x\n> a\n> ~~~\nb", " x\n> a\n"),
        ("- ```\n  a", "\n  a"),
        ("{% highlight c %}`{% endhighlight %} `a`", "`"),
        ("{% highlight c %}\n`\n{% endhighlight %}\n", "\n`\n"),
        ("``` a`b\nc", ""),
    ],
)
def test_where_code_stands(text: str, code: str) -> None:
    ranges = CodeRanges(text)
    assert "".join(char for offset, char in enumerate(text) if offset in ranges) == code
