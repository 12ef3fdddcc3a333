"""What a text is as Markdown: the writer's own words with whole addresses, or HTML written as Markdown."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from agents.markdown_texts import markdown_path_of, round_trip
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from devlog.features.source_references.model.repository import NAME, Speech, repository_of
from devlog.model.source import Source
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse

PLAIN = """A paragraph with *emphasis*, `code` and
a line below it.

| a | b |
|---|--:|
| 1 | `x|y` |

```python
print("[no link](a.md)")
```

- one
- [ ] two[^1]

[^1]: A note.

$$
x^2
$$
"""


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        (PLAIN, PLAIN),
        ("", ""),
        ("\n\n\nLate.\n\n\n", "Late.\n"),
        ("See [b](b.md).", "See [b](‹b.md›).\n"),
        ("[b.md](b.md)", "[b.md](‹b.md›)\n"),
        ("[b](<b c.md> 'a title') and [c]( c.md )", "[b](<‹b c.md›> 'a title') and [c]( ‹c.md› )\n"),
        ("![A](a.png) [![B](b.png)](b.md)", "![A](‹a.png›) [![B](‹b.png›)](‹b.md›)\n"),
        ("[one][x] and [x]\n\n[x]: b.md 'B'\n", '[one](‹b.md› "B") and [x](‹b.md› "B")\n'),
        ("> [one][x]\n>\n> [x]: <b.md>\n", "> [one](‹b.md›)\n"),
        ("[a](#part)\n\n## Part\n", "[a](‹#part›)\n\n## Part\n"),
        ("[out](https://example.org/a.md), `[in](b.md)`", "[out](https://example.org/a.md), `[in](b.md)`\n"),
        ("[a](b.md) [a](b.md)", "[a](‹b.md›) [a](‹b.md›)\n"),
        ("---\ntitle: A\n---\n# A\n\nText.\n", "Text.\n"),
        ("---\ntitle: A\n---\nA\n===\n\nText.\n", "Text.\n"),
        ("---\ntitle: B\n---\n# A\n\nText.\n", "# A\n\nText.\n"),
        ("One.\n\n<!--more-->\n\nTwo.\n", "One.\n\nTwo.\n"),
        ("One.\n\n<!-- not for\n\nreaders -->\n\nTwo.\n", "One.\n\nTwo.\n"),
        ("One.\n<!-- no -->\nTwo.\n", "One.\n\nTwo.\n"),
        ("One.\n<!-- no -->\n===\n", "One.\n\n===\n"),
        ("One.\n\n<!-- no -->\n\n- a\n", "One.\n\n- a\n"),
        ("One.\n\n{/* truncate */}\n\nTwo.\n", "One.\n\nTwo.\n"),
        ("One.\n{.lead #intro}\n\nTwo.\n", "One.\n\nTwo.\n"),
        ("## A {#own .b} ##\n\n> B {#b}\n> ---\n", "## A\n\n> B\n> ---\n"),
        ("## {#own}\n\nOne.\n", "One.\n"),
        ("## A \\{.b}\n", "## A \\{.b}\n"),
        ("| a | b |\n|---|---|\n| c | d |\n{.wide}\n", "| a | b |\n|---|---|\n| c | d |\n"),
        ("- a\n- b\n{.list}\n\n- c\n", "- a\n- b\n\n<!-- -->\n\n- c\n"),
        ("> a\n> {.b}\n", "> a\n"),
        ("{.a}\nOne.\n\n    {.b}\n\n```\n{.c}\n```\n", "One.\n\n    {.b}\n\n```\n{.c}\n```\n"),
        ("---\ntitle: A\n---\n# A {.b}\n{.c}\n\nText.\n", "Text.\n"),
        ("    <b>\n", "    <b>\n"),
        ("`<b>` and 1 < 2", "`<b>` and 1 < 2\n"),
    ],
)
def test_markdown_stays_as_it_is_written(text: str, markdown: str) -> None:
    assert markdown_path_of(text) == markdown


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("a\n\n[^1]: <script>alert(1)</script>\n", "a\n"),
        ("<svg/onload=alert(1)>\n", "&lt;svg/onload=alert(1)>\n"),
        ("```\n<script>alert(1)</script>\n", "```\n<script>alert(1)</script>\n```\n"),
        ("```\n<script>alert(1)</script>\n\n\n", "```\n<script>alert(1)</script>\n```\n"),
        ("~~~html\n<script>alert(1)</script>\n~~~\n", "```html\n<script>alert(1)</script>\n```\n"),
        (
            "- a\n\n  ```html\n  <script>a</script>\n  ```\n",
            "- a\n\n  <pre><code>&lt;script>a&lt;/script>\n  </code></pre>\n",
        ),
        (
            "````\n```\n<script>a</script>\n```\n````\n",  # some parsers end it at the second line
            "<pre><code>&#96;&#96;&#96;\n&lt;script>a&lt;/script>\n&#96;&#96;&#96;\n</code></pre>\n",
        ),
        ("> ```\n> <iframe src=x>\n> ```\n", "> <pre><code>&lt;iframe src=x>\n> </code></pre>\n"),
        ('a\n{: onclick="alert(1)"}\n', 'a \\{: onclick="alert(1)"}\n'),
        ("a\n{ onclick=alert(1)}\n", "a \\{ onclick=alert(1)}\n"),
        ('```js title="<script>"\nx\n```\n', "*&lt;script>*\n\n```js\nx\n```\n"),
        (
            '```js title="a.html"\n<script>alert(1)</script>\n```\n',
            "*a.html*\n\n```js\n<script>alert(1)</script>\n```\n",
        ),
        (
            "<details><summary>A</summary>\n\n`<svg/onload=alert(1)>`\n\n</details>\n",
            "<details>\n<summary>\n\nA\n\n</summary>\n\n<code>&lt;svg/onload=alert(1)></code>\n\n</details>\n",
        ),
        ("`><svg/onload=alert(1)>\n    \\`\n", "<code>>&lt;svg/onload=alert(1)> &#92;</code>\n"),
        ("- \n\n    <script>alert(1)</script>\n", "-\n\n```\n<script>alert(1)</script>\n```\n"),
        ("```\nnever closed\n", "```\nnever closed\n```\n"),
        ("```<b>\n> <script>alert(1)</script>\n```\n", "```\n> <script>alert(1)</script>\n```\n"),
        # Tables, runs of backticks and attributes that others read otherwise.
        (
            "|x|y|z|\n|-|-|-|\n| `a | `<b onclick=a()>` | b` |\n",
            "| x | y | z |\n| --- | --- | --- |\n| \\`a | <code>&lt;b onclick=a()></code> | b\\` |\n",
        ),
        ("`` a `<b onclick=a()>` b\n", "\\`\\` a <code>&lt;b onclick=a()></code> b\n"),
        ("a `<b\nonclick=a()>`\n", "a <code>&lt;b onclick=a()></code>\n"),
        ("A `<b onclick=a()>`{=html} b\n", "A <code>&lt;b onclick=a()></code>\\{=html} b\n"),
        ("\\<b onclick            =a()>\n", "&lt;b onclick =a()>\n"),
        ('## A { a="}" onclick=a() }\n', '## A \\{ a="}" onclick=a() }\n'),
        # Fences that others do not find, or that go on elsewhere.
        (
            "~~~ a b\n```\n~~~\n\n```\n<b onclick=a()>\n```\n",
            "<pre><code>&#96;&#96;&#96;\n</code></pre>\n\n```\n<b onclick=a()>\n```\n",
        ),
        (
            "- a\n\n  ```\n  code\n\nb\n\n```\n<b onclick=a()>\n```\n",
            "- a\n\n  ```\n  code\n  ```\n\nb\n\n```\n<b onclick=a()>\n```\n",
        ),
        # Behind the checkbox of a task, no block begins.
        (
            "- [ ] <pre>&lt;b onclick=a()></pre>\n",
            "- [ ] <!-- -->\n\n  <pre><code>&lt;b onclick=a()>\n  </code></pre>\n",
        ),
        ("- [x] <blockquote>a</blockquote>\n", "- [x] <!-- -->\n\n  > a\n"),
        ("- [ ] a\n\n  5. b\n", "- [ ] a\n\n  5. b\n"),
        (
            "A[^1]\n\n[^1]: javascript:a() `<b onclick=a()>`\n",
            "A[^1]\n\n[^1]: <!-- -->\n\n    javascript:a() <code>&lt;b onclick=a()></code>\n",
        ),
        # What is written from HTML stays where it is.
        ('A <sup class="footnote-ref">x]: &lt;b onclick=a()&gt;</sup>\n', "A <sup>x]: &lt;b onclick=a()></sup>\n"),
        ('<div class="footnotes"><ol><li id="fnX](javascript:a())[y">b</li></ol></div>\n', "1. b\n"),
        (
            '<kbd>K</kbd> <video src="https://x.example/a.mp4" title="x](javascript:a()) [y"></video>\n',
            "<kbd>K</kbd> [x&#93;(javascript:a()) &#91;y](https://x.example/a.mp4)\n",
        ),
        (
            '<a href="https://u.example/"><img src="https://x.example/a.png" title="(">x](javascript:a())</a>\n',
            '[![](https://x.example/a.png "&#40;")x&#93;(javascript:a())](https://u.example/)\n',
        ),
        (
            '<a href="https://u.example/"><img src="https://x.example/a.png" alt="[x](javascript:a())"></a>\n',
            "[![&#91;x&#93;(javascript:a())](https://x.example/a.png)](https://u.example/)\n",
        ),
        (
            (
                '<div>A <sup class="footnote-ref">x</sup><b></b>(javascript:a()) b</div>'
                '<div class="footnotes"><ol><li id="fnx">c</li></ol></div>\n'
            ),
            "A [^x]\\(javascript:a()) b\n\n[^x]: c\n",
        ),
        ("a<br>{ x<span> onclick=a() }</span>\n", "a\\\n\\{ x onclick=a() }\n"),
        ("<kbd>x</kbd> $a<b$ onmouseover=a()>\n", "<kbd>x</kbd> $a< b$ onmouseover=a()>\n"),
        ("$a<b$ onmouseover=a()>\n", "$a< b$ onmouseover=a()>\n"),
    ],
)
def test_what_runs_in_another_parser_is_text_or_plain_code(text: str, markdown: str) -> None:
    """Others know no footnotes, only closed fences at the beginning of a line, and tags and attributes of their own."""
    assert markdown_path_of(text) == markdown


@pytest.mark.parametrize(
    "text",
    [
        "```html\n<script>alert(1)</script>\n```\n",
        "Use `<script>` and `<b onclick=f()>` in `vector<int>`.\n",
        "- a\n\n  ```cpp\n  map<string, int> x;\n  ```\n",
        "Tell <a@b.c>, and see <https://example.org/>.\n",
        "Use `<b onclick=f()>`\nin # `<i onclick=f()>`, as `a` says.\n\n```a\nb\n```\n",
        "Where $a<b$, <https://example.org/> says so.\n",
        "```c++\nvector<int> a;\n  ~~~~^~~~\n```\n",
        "- a\n  ```sh\n  b\n  ```\n\n> ```\n> c\n> ```\n",
        "A [b](<https://x.example/b c>) of `vector<int>` in a line:\n\n| a |\n|---|\n| `list<a>` |\n",
        "An `int one = 1;`, {x}\n\n```\nint f() { int one = 1; }\n```\n",
    ],
)
def test_code_that_runs_nowhere_stays(text: str) -> None:
    assert markdown_path_of(text) == text


DETAILS = "<details>\n<summary>\n\nA\n\n</summary>\n\n"


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        # Fences: three backticks, a plain name, an empty line before them.
        ('```py title="a *b*.py" linenos\na\n```\n', "*a \\*b\\*.py*\n\n```py\na\n```\n"),
        ("a\n~~~ c#\nb\n~~~~\n", "a\n\n```csharp\nb\n```\n"),
        ("````.env\na\n`````  \n", "```env\na\n```\n"),
        ("```é\na\n```\t\n", "```\na\n```\n"),
        ("```js \na\n```\n", "```js\na\n```\n"),
        ('```js"onmouseover="a()\nb\n```\n', "```\nb\n```\n"),
        ('```{title="onclick=a()//"}\nb\n```\n', "*onclick=a()//*\n\n```\nb\n```\n"),
        ("```\n```\n\na\n", "a\n"),
        ("- ```\n  a\n  ```\n", "- <!-- -->\n\n  ```\n  a\n  ```\n"),
        ("- a\n\n  ```b c\n  d\n  ```\n", "- a\n\n  ```b\n  d\n  ```\n"),
        ("One.\n\n<!-- no -->\n\n```a b=c title='d'\ne\n```\n\n<!-- no -->\n", "One.\n\n*d*\n\n```a\ne\n```\n"),
        ("```a``b```\n\n```\n<script>\n```\n", "<code>a&#96;&#96;b</code>\n\n```\n<script>\n```\n"),
        ("    ```\n    a\n", "<pre><code>&#96;&#96;&#96;\na\n</code></pre>\n"),
        # Lists of attributes and outputs that go on elsewhere.
        ('a\n{:\nonclick="b()"}\n', 'a \\{: onclick="b()"}\n'),
        ("a {: b\n", "a \\{: b\n"),
        ("`<b/`{=html}`onclick`{=html}\n", "`<b/`\\{=html}`onclick`\\{=html}\n"),
        ("$$\n*x*{: onclick='b()'}\n$$\n", "`*x*{: onclick='b()'}`\n"),
        # Tags that begin in one place and end in another.
        ('A <b title="q `" onclick=a() x` b\n', 'A &lt;b title="q `" onclick=a() x` b\n'),
        ("A <b title='q\n", "A &lt;b title='q\n"),
        (
            "<details><summary>A</summary>\n\n- `<b x='`\n\n  ```\n  <i>\n  ```\n\n</details>\n",
            f"{DETAILS}- <code>&lt;b x='</code>\n\n  <pre><code>&lt;i>\n  </code></pre>\n\n</details>\n",
        ),
        ("<kbd>`<b x='`</kbd> and ``<b `y``\n", "<kbd><code>&lt;b x='</code></kbd> and <code>&lt;b &#96;y</code>\n"),
        ("[`<b x='`](https://x.example/) <b>c</b>\n", "[<code>&lt;b x='</code>](https://x.example/) **c**\n"),
        ("x | `<i> | a()` \n --|-- \n y | <b>z</b>\n", "x | <code>&lt;i> | a()</code> --|-- y | **z**\n"),
        ("- a `\n- `<i onclick=a()>` c\n", "- a \\`\n- <code>&lt;i onclick=a()></code> c\n"),
        (
            "> ~~~\n> <b title=x\n>onclick=a()>y</b>\n> ~~~\n",
            "> <pre><code>&lt;b title=x\n> onclick=a()>y&lt;/b>\n> </code></pre>\n",
        ),
        # Values of attributes that a handler closes.
        ('![a"onerror="b](https://x.example/)\n', "![a&quot;onerror=&quot;b](https://x.example/)\n"),
        ('![a](https://x.example/ "b\\"onerror=\\"c")\n', '![a](https://x.example/ "b&quot;onerror=&quot;c")\n'),
        # Brackets that are no links.
        ("[^1]\\: javascript:a()\n\nb[^1]\n\n[^1]: c\n", "[^1]\\: javascript:a()\n\nb[^1]\n\n[^1]: c\n"),
        ("- [x] (javascript:a())\n", "- [x] \\(javascript:a())\n"),
        ("> [!NOTE]\n> (javascript:a())\n", "> [!NOTE]\n> \\(javascript:a())\n"),
        ("a[^1] *b* (javascript:a())\n\n[^1]: c\n", "a[^1] *b* (javascript:a())\n\n[^1]: c\n"),
        ("a[^1] (javascript:a())\n\n[^1]: c\n", "a[^1] \\(javascript:a())\n\n[^1]: c\n"),
    ],
)
def test_what_parsers_read_in_different_ways_is_written_plainly(text: str, markdown: str) -> None:
    assert markdown_path_of(text) == markdown


@pytest.mark.parametrize("comments", ["<!-- no -->", "\n<!-- no -->\n", "\n<!-- no -->\n\n<!-- nor -->\n\n"])
@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("- a", "- b"),
        ("1. a", "7) b"),
        ("- a", "  b"),
        ("- a", "    code"),
        ("a[^n]\n\n[^n]: A note.", "    code"),
        ("One.", ": two"),
        ("One.", "~ two"),
    ],
)
def test_what_a_comment_kept_apart_stays_apart(before: str, comments: str, behind: str) -> None:
    assert markdown_path_of(f"{before}\n{comments}\n{behind}\n") == f"{before}\n\n<!-- -->\n\n{behind}\n"


def test_what_looks_like_a_link_in_code_is_told_apart() -> None:
    assert markdown_path_of("[a](b.md)\n\n```\n[a](b.md)\n```\n") == "[a](‹b.md›)\n\n```\n[a](b.md)\n```\n"
    assert markdown_path_of("```\n[a](b.md)\n```\n\n[a](b.md)\n") == "```\n[a](b.md)\n```\n\n[a](‹b.md›)\n"


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ('{{< figure src="a.png" alt="A" caption="Of *A*" >}}', "![A](‹a.png›)\n\nOf *A*\n"),
        ('See [b]({{< ref "b.md" >}}).', "See [b](‹b.md›).\n"),
        ("Press <kbd>Ctrl</kbd>, H<sub>2</sub>O.", "Press <kbd>Ctrl</kbd>, H<sub>2</sub>O.\n"),
        ('<img src="a.png" alt="A" width="300">', "![A](‹a.png›)\n"),
        ("One<!-- not for readers --> two.", "One two.\n"),
        ("- a <!-- no -->\n- b\n", "- a\n- b\n"),
        ("<script>alert(1)</script>\n\nText.", "Text.\n"),
        ("[a](javascript:alert(1)) text", "a text\n"),
        ("www.e.com\\\\* <b>b</b>", "www\\.e.com\\\\\\\\\\* **b**\n"),  # no link on the page: no host has one
        ("A vector<T> of :rocket:", "A vector&lt;T> of 🚀\n"),
        ("```ansi\n\x1b[31mred\x1b[0m\n```\n", "```ansi\nred\n```\n"),
        (
            "<details><summary>More *of* it</summary>\n\nInside.\n\n</details>",
            "<details>\n<summary>\n\nMore \\*of\\* it\n\n</summary>\n\nInside.\n\n</details>\n",
        ),
        ("> [!NOTE]\n> Mind <b>this</b>.\n", "> [!NOTE]\n> Mind **this**.\n"),
        ("a<br>b\n", "a\\\nb\n"),
        ("$x_1$ and <b>b</b>\n", "$x_1$ and **b**\n"),
        ("$\\text{<script>x</script>}$ and $a<b$\n", "$\\text{< script>x< /script>}$ and $a< b$\n"),
        ("$$\n\\text{<img src=x>}\n$$\n", "$$\\text{< img src=x>}$$\n"),
        ("$$\n\\text{<img src=x onerror=y>}\n$$\n", "`\\text{<img src=x onerror=y>}`\n"),
        ("One[^n] <b>b</b>.\n\n[^n]: A note.\n", "One[^1] **b**.\n\n[^1]: A note.\n"),
        ("[A[^n]](b.md) c^[d]\n\n[^n]: Not shown.\n", "[A&#91;^n&#93;](‹b.md›) c[^1]\n\n[^1]: d\n"),
    ],
)
def test_what_stands_for_something_else_is_written_anew(text: str, markdown: str) -> None:
    assert markdown_path_of(text) == markdown


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<h2>A</h2><p>One <b>two</b> <i>three</i>.</p>", "## A\n\nOne **two** *three*.\n"),
        ("<p>A<b>b</b>c <b> d </b>e</p>", "A<strong>b</strong>c **d** e\n"),
        ("one<br><br>two<br>three", "one\n\ntwo\\\nthree\n"),
        ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n  - b\n- c\n"),
        ("<ul><li><p>a</p><p>b</p></li><li>c</li></ul>", "- a\n\n  b\n\n- c\n"),
        ("<ol start=3><li>a<li>b</ol>", "3. a\n4. b\n"),
        ("<ul><li>a</li></ul><ul><li>b</li></ul>", "- a\n\n* b\n"),
        ("<pre>```\n</pre>", "<pre><code>&#96;&#96;&#96;\n</code></pre>\n"),
        ("<pre>a ``` b\n</pre>", "```\na ``` b\n```\n"),
        ("a<pre> \n</pre>b", "a\n\nb\n"),
        ("<ul><li><pre>a</pre></li></ul>", "- <!-- -->\n\n  ```\n  a\n  ```\n"),
        ("<code>```</code> <code>a`b</code>", "<code>&#96;&#96;&#96;</code> ``a`b``\n"),
        ("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b\n"),
        ("<dl><dt>a</dt><dd>b</dd><dt>c</dt><dd>d</dd></dl>", "a\n: b\n\nc\n: d\n"),
        (
            "<table><tr><th>a</th><th align=right>b</th></tr><tr><td>1|2</td><td>3<p>4</p></td></tr></table>",
            "| a | b |\n| --- | --: |\n| 1\\|2 | 3<br>4 |\n",
        ),
        (
            "<table><tr><td>a</td><td>b</td></tr></table>",
            "|  |  |\n| --- | --- |\n| a | b |\n",
        ),
        ("<table><tr><td><img src='a.png' alt='A'></td></tr><tr><td>of A</td></tr></table>", "![A](‹a.png›)\n\nof A\n"),
        ("<a href='b.md' title='a &quot;b&quot;'>x [y</a>", '[x &#91;y](‹b.md› "a &quot;b&quot;")\n'),
        ("<a href='https://example.org/'>https://example.org/</a>", "<https://example.org/>\n"),
        (
            "<a name='x'></a><p>1. a</p><p># b</p><p>- c</p><p>_d_ e_f `g`</p>",
            "1\\. a\n\n\\# b\n\n\\- c\n\n\\_d\\_ e_f \\`g\\`\n",
        ),
        ("<video src='a.mp4' title='A'></video>", "[A](‹a.mp4›)\n"),
        ("<p>unclosed <b>bold", "unclosed **bold**\n"),
        ("<p>a</p><!-- b --><p>c</p>", "a\n\nc\n"),
        ("5 &lt; 6 &amp;amp; 7", "5 < 6 \\&amp; 7\n"),
        ("<code>a</code><code>b`</code>", "`a`<code>b\\`</code>\n"),
        ("<code>a</code><code>*b*</code>", "`a`<code>\\*b\\*</code>\n"),
        ("<a href='b.md'><code>x[0]</code> `</a>", "[`x[0]` \\`](‹b.md›)\n"),
        ("<a href='b.md'><code>x[0</code></a>", "[<code>x&#91;0</code>](‹b.md›)\n"),
        (
            "<a href='b.md'><code>\\[x\\]</code> <code>y</code></a>",
            "[<code>&#92;&#91;x&#92;&#93;</code> `y`](‹b.md›)\n",
        ),
        ("🅰️<b>(a)</b>🅰️, 🅰️<b>a</b>, “<b>(a)</b>”", "🅰️<strong>(a)</strong>🅰️, 🅰️**a**, “**(a)**”\n"),
        ("-\u200b<em><sub>a</sub></em>", "-\u200b<em><sub>a</sub></em>\n"),
        ("<h2 class='anchor'>A</h2><p class=anchor>B <span class=anchor>c</span></p>", "## A\n\nB c\n"),
        ("<h2 id=a>A <a class=anchor href='#a'>¶</a></h2><a class=anchor href='b.md'>B</a>", "## A\n\n[B](‹b.md›)\n"),
        ("<a class=anchor href='b.md'><img src=c.png alt=''></a>", "[![](‹c.png›)](‹b.md›)\n"),
        ("<ul class='footnote-backref'><li>a</li></ul>", "- a\n"),
        (
            (
                "A<a href='#fn1' class='footnote-ref'><sup>1</sup></a><section class='footnotes'><ol><li id='fn1'>"
                "<p>Note.<a href='#fnref1' class='footnote-backref'>↩︎</a></p></li></ol></section>"
            ),
            "A[^1]\n\n[^1]: Note.\n",
        ),
        (
            "<p>A<sup><a href='#fn1'>1</a></sup></p><div class='footnotes'><ol><li id='fn1'>Note.</li></ol></div>",
            "A<sup>[1](‹#fn1›)</sup>\n\n1. Note.\n",
        ),
        ("<p>A<sup class='footnote-ref'>1</sup></p>", "A<sup>1</sup>\n"),
        # No links in HTML, so none here, where they would go on behind the mark.
        ("<p>https://e.com/x*y* <b>www.e.com/</b>(a)", "https\\://e.com/x\\*y\\* **www\\.e.com/**(a)\n"),
    ],
)
def test_html_is_written_as_markdown(html: str, markdown: str) -> None:
    assert markdown_path_of(html, "a.html") == markdown


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("<p>\\[x\\] and \\(x\\)</p>", "a.html"),
        ("<ul><li>\\\\[x=1\\\\] or \\\\(x\\\\)</li></ul>", "a.html"),
        ("<h2>Alpha {.note}</h2><h2>Beta {#bet}</h2>", "a.html"),
        ("## Alpha &#123;.note}\n\n<b>b</b>\n", "a.md"),
        ("## Alpha \\{.note}\n\nText.\n", "a.md"),
    ],
)
def test_what_no_formula_and_no_attribute_is_stays_text(text: str, name: str) -> None:
    said, said_again = round_trip(text, name)
    assert said == said_again


def test_code_in_trusted_html_keeps_its_language() -> None:
    code = "<pre><code class='language-c'>a &lt; b;\n</code></pre>"
    assert markdown_path_of(code, "a.html", html="trusted") == "```c\na < b;\n```\n"
    assert markdown_path_of(code, "a.html") == "```\na < b;\n```\n"


@pytest.mark.feature("episodes")
def test_what_is_spoken_is_written_in_turns() -> None:
    head = "audio:\n  url: https://media.example.org/a.mp3\n  length: 10\n  duration: 90\n  transcript: body\n"
    spoken = "**Ada** [00:01:12] Hello *there*, see [b](b.md).\n\n[01:02:03] Yes.\n"
    assert markdown_path_of(f"---\ntitle: A\n{head}---\n{spoken}") == (
        "**Ada** [0:01:12] Hello *there*, see [b](‹b.md›).\n\n[1:02:03] Yes.\n"
    )


DEPTH = 2000
"""Twice as deep as Python lets functions call each other."""


@pytest.mark.slow
def test_html_of_any_depth_is_read() -> None:
    for tag in ("div", "ul", "blockquote", "b", "table", "pre", "details"):
        markdown_path_of(f"<{tag}>" * DEPTH + "x", "a.html", html="trusted")
        markdown_path_of(f"<{tag}><li>" * DEPTH + "x" + f"</{tag}>" * DEPTH, "a.html", html="trusted")
    assert "x" in markdown_path_of("<div>" * DEPTH + "x" + "</div>" * DEPTH, "a.html", html="trusted")


pytestmark = pytest.mark.feature("markdown_versions")

REPOSITORY = repository_of("https://forge.example/lumen/db")
ISSUES, PULLS = "https://forge.example/lumen/db/issues", "https://forge.example/lumen/db/pull"
GITLAB = repository_of("https://gitlab.com/lumen/db")


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("Fixed in #12 and PR 13.", f"Fixed in [#12]({ISSUES}/12) and [PR 13]({PULLS}/13).\n"),
        ("(#12), “PR 13”", f"([#12]({ISSUES}/12)), “[PR 13]({PULLS}/13)”\n"),
        ("#12, #12", f"[#12]({ISSUES}/12), [#12]({ISSUES}/12)\n"),
        ("修复了#12。", f"修复了[#12]({ISSUES}/12)。\n"),
        (
            "| #12 | #12 |\n|---|---|\n| 1 | #13 |\n",
            f"| [#12]({ISSUES}/12) | [#12]({ISSUES}/12) |\n|---|---|\n| 1 | [#13]({ISSUES}/13) |\n",
        ),
        ("> - #12\n>   [b](b.md)\n\n    #12\n", f"> - [#12]({ISSUES}/12)\n>   [b](‹b.md›)\n\n    #12\n"),
        ("A.\n\n<!-- not\nfor readers -->\n\n#12", f"A.\n\n[#12]({ISSUES}/12)\n"),
        ("## #12\n\nSee #12.", f"## #12\n\nSee [#12]({ISSUES}/12).\n"),
        ("[foo]#12\n\n[foo]: https://x.example/\n", f"[foo](https://x.example/)[#12]({ISSUES}/12)\n"),
        ("[a #12 [b]\n\n[b]: b.md\n", f"\\[a [#12]({ISSUES}/12) [b](‹b.md›)\n"),
        ("a[^1]\n\n[^1]: See #12.\n", f"a[^1]\n\n[^1]: See [#12]({ISSUES}/12).\n"),
        ("#12 <b>#12</b>", f"[#12]({ISSUES}/12) **[#12]({ISSUES}/12)**\n"),  # of the HTML
    ],
)
def test_spoken_references_are_links_as_on_the_page(text: str, markdown: str) -> None:
    assert markdown_path_of(text, prose=((NAME, Speech(REPOSITORY)),)) == markdown


@pytest.mark.parametrize(
    "text",
    [
        "#12 and `#12`\n",
        "#12 and \\#12\n",
        "#12 and [#12](https://x.example/)\n",
        "Fixed in _#12_, not in frame #12.\n",
        "_PR 12_ is not LWG PR 12\n",
        "&#35;12, not frame #12\n",
        "\\!#12 and !#13\n",
        "#12{.wide}\n",
        "**#12**x and a#12*b*, *PR 13*\n",
        "A^[see #12].\n\n~~~sh\ngit log #12\n~~~\n\n## #12\n",
        "Term #12\n: Meaning.\n\nOther #13\n: More.\n",
        "```\n#12\n```\n",
        " ".join(f"#{number}" for number in range(100, 1200)) + "\n",
    ],
)
def test_where_it_is_not_certain_which_words_are_the_link_all_stay_words(text: str) -> None:
    assert markdown_path_of(text, prose=((NAME, Speech(REPOSITORY)),)) == markdown_path_of(text)


def test_the_same_words_with_two_addresses_stay_words() -> None:
    text = "Issues 12 and 13 were closed by MRs 12 and 14.\n"
    forge = "https://gitlab.com/lumen/db/-"
    assert markdown_path_of(text, prose=((NAME, Speech(GITLAB)),)) == (
        f"Issues 12 and [13]({forge}/issues/13) were closed by MRs 12 and [14]({forge}/merge_requests/14).\n"
    )


def test_a_comment_behind_a_term_with_a_reference_stays_hidden() -> None:
    text = "Intro.\n\nTerm #12\n: Meaning.\n\nOther #13\n: More.\n\n<!-- secret -->\n\nEnd.\n"
    assert markdown_path_of(text, prose=((NAME, Speech(REPOSITORY)),)) == text.replace("<!-- secret -->\n\n", "")


# -- what readers see of a Markdown version is what they see of the text

WORDS = st.sampled_from(
    [
        "word", "two words", "*em*", "**strong**", "`code`", "[link](b.md)", r"[link](b\.md)", "[link](b&period;md)",
        "![alt](a.png)", "a_b_c", "1 * 2 * 3",
        "x<y>z", "a < b", "&amp;", "&copy;", r"\*", "~~del~~", "$x$", "5 $", "[x]", "[x][r]", "https://example.org/a_b",
        "<kbd>K</kbd>", "<b>bold</b>", "<br>", "H<sub>2</sub>O", ":rocket:", "!", "#1", "note[^n]", "end.", "“q”", "|",
        "<span>s</span>", "<!-- c -->", "``a`b``", "(a)", "_x_", "+", "- ", "1.", "a\\", "\\[", "]",
    ]
)  # fmt: skip
LINES = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
INLINES = st.lists(WORDS, min_size=1, max_size=4).map("".join)


def _prefixed(prefix: str, text: str) -> str:
    return "\n".join(prefix + line for line in text.split("\n"))


BLOCKS = st.recursive(
    st.one_of(
        LINES,
        INLINES,
        st.tuples(LINES, LINES).map("\n".join),
        LINES.map(lambda text: f"## {text}"),
        st.just("```python\ndef f(): [a](b.md) <b>\n```"),
        st.just("    code <b>"),
        st.just("| a | b |\n|---|---|\n| `x` | <b>y</b> |"),
        st.just("---"),
        st.just("<!--more-->"),
        st.tuples(LINES, st.sampled_from(["more", "===", "---", ": more", "    more", "- more", "| a |\n|---|"])).map(
            "\n<!-- no -->\n".join
        ),
        st.just("<div>\n\ninside\n\n</div>"),
        st.just("term\n: definition"),
        st.just("$$\na^2\n$$"),
        st.just("<p>a <b>b</b><br>c</p>"),
    ),
    lambda inner: st.one_of(
        inner.map(lambda text: _prefixed("> ", text)),
        st.lists(inner, min_size=1, max_size=3).map(
            lambda items: "\n".join("- " + _prefixed("  ", item)[2:] for item in items)
        ),
        st.lists(inner, min_size=1, max_size=3).map(
            lambda items: "\n".join(f"{n}. " + _prefixed("   ", item)[3:] for n, item in enumerate(items, 1))
        ),
    ),
    max_leaves=4,
)
TEXTS = st.lists(BLOCKS, min_size=1, max_size=4).map(
    lambda blocks: "\n\n".join(blocks) + "\n\n[^n]: note\n\n[r]: b.md\n"
)


@pytest.mark.slow
@given(text=TEXTS)
@example(text="- [x] <!-- c -->\n- <br>\n- [ ] <!-- c --> +\n- [ ] <br> <br>word")
@example(text="- a <b>b</b>\n- - +\n    <!-- c -->")
@example(text="$x$<span>s</span>word")
@example(text="5<span>$x$</span><span>$y$</span> $<span>z</span>$")
def test_a_markdown_version_says_what_its_text_says(text: str) -> None:
    seen, again = round_trip(text)
    assert again == seen, markdown_path_of(text)


SPEECH = st.sampled_from(
    """#12 #120 PR|13 PR|12 org/repo#12 `#12` ``#12|`|`` [#12](b.md) [x|#12][r] *#12* _#12_ \\#12 \\` ` [ ] ! [r] frame
    ^[see|#12] https://x.example/#12 <https://x.example/a#12> ## > - &#35;12 . , a PRs|12|and|14 第#12。
    Issues|12|and|13 ¶ ¶¶ ¶:| ¶~~~¶#12¶~~~¶ $PR|12$ {.x} ![#12](b.png) [b](b.md|"#12") |¶|---¶|#12
    ¶¶[r]:|https://x.example/b#12¶¶""".split()
).map(lambda part: part.replace("|", " ").replace("¶", "\n"))


@pytest.mark.slow
@given(parts=st.lists(SPEECH, max_size=12), apart=st.booleans())
@example(parts=["`", "#12", "``#12 ` ``", "``#12 ` ``"], apart=True)
@example(parts=["_#12_", "frame", "#12"], apart=True)
@example(parts=["#12", "*#12*"], apart=False)
@example(parts=["[r]", "#12", "\n\n[r]: https://x.example/b#12\n\n"], apart=False)
def test_links_of_a_markdown_version_are_links_of_the_page(parts: list[str], apart: bool) -> None:
    """A reference stays words where it is not certain which of them are the link; nothing else changes."""
    text = (" " if apart else "").join(parts)
    markdown = markdown_path_of(text, prose=((NAME, Speech(REPOSITORY)),))
    seen, again = round_trip(text, prose=((NAME, Speech(REPOSITORY)),))
    assert again == seen, markdown
    links = Links(text, ParseOptions(prose=((NAME, Speech(REPOSITORY)),))).found
    assert Links(markdown, ParseOptions()).found <= links, markdown


class Links(HTMLParser):
    """Where the links to the source stand in what readers see of a text, white space left out."""

    def __init__(self, text: str, options: ParseOptions) -> None:
        super().__init__()
        self.found: set[tuple[int, str]] = set()
        self._place = 0
        _, body, _ = parse(Source("a.md", "content/a.md", text), options)
        self.feed("".join(piece for piece in body.pieces if isinstance(piece, str)))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        url = dict(attrs).get("href") or ""
        if tag == "a" and url.startswith("https://forge.example/"):
            self.found.add((self._place, url))

    def handle_data(self, data: str) -> None:
        self._place += len("".join(data.split()))


FRAGMENTS = st.sampled_from(
    """<p> </p> <b> </b> <em> </em> <ul> <ol> <li> </li> </ul> </ol> <br> <blockquote> </blockquote> <code> </code>
    <a|href="b.md"> </a> <div> </div> <h2> </h2> <pre> </pre> <table> <tr> <td> </td> </tr> </table> <span> </span> <hr>
    <dl> <dt> <dd> </dl> a b_c *d* `e` [f] 1. # - > | $g$ <sup> </sup> &lt;h&gt; &amp; <img|src="a.png"|alt="i">
    <details> <summary> </summary> </details> x\\ ~ : """.split()
).map(lambda part: part.replace("|", " ") if part.startswith("<") else part)


@pytest.mark.slow
@given(parts=st.lists(st.one_of(FRAGMENTS, st.just(" "), st.just("\n")), max_size=14))
@example(parts=["<b>", "a", "<br>", "<br>", "b", "</b>"])
def test_html_says_the_same_as_markdown(parts: list[str]) -> None:
    text = "".join(parts)
    seen, again = round_trip(text, "a.html")
    assert re.sub(r"\s", "", again) == re.sub(r"\s", "", seen), markdown_path_of(text, "a.html")


HARM = st.sampled_from(
    """<kbd> </kbd> <b> </b> <sup|class="footnote-ref"> </sup> <a|href="https://u.example/"> </a> <p> </p> <br> <code>
    </code> <img|src="https://x.example/a.png"|alt="]"|title="("> <img|src="https://x.example/a.png"|alt="[x](javascript:a())">
    <video|src="https://x.example/a.mp4"|title="]"></video> <audio|src="https://x.example/a.mp3"|aria-label="[x"></audio>
    <div|class="footnotes"><ol><li|id="fn1"> <li|id="fnx](javascript:a())"> </li></ol></div> <p|class="turn">
    <details> <summary> </summary> </details> <table><tr><td> <td> </table> <ul><li> </ul> <blockquote> </blockquote>
    [ ] ( ) ] ![x]( ](javascript:a()) (javascript:a()) [x]: javascript:a() &lt;javascript:a()&gt; \\ ` `` ``` ~~~ $ $$
    { onclick=a() } {: <span> </span> &lt;b onclick=a()&gt; &lt;script&gt; $a<b$ <a|class="time"|href="#x"> <cite>
    </cite> : ! ^ # > - | 1.""".split()
).map(lambda part: part.replace("|", " ") if part.startswith("<") else part)


@pytest.mark.slow
@given(parts=st.lists(st.one_of(HARM, st.just(" "), st.just("\n"), st.just("\n\n")), max_size=20))
def test_nothing_that_is_written_from_html_acts(parts: list[str]) -> None:
    markdown = markdown_path_of("<kbd>K</kbd> " + "".join(parts))
    html = MarkdownIt("commonmark", {"html": True}).render(markdown)
    for tag in re.findall(r"<[a-zA-Z][^>]*>", html):
        assert not re.search(r"\son[a-z]+\s*=|javascript:", re.sub(r'(?:alt|title)="[^"]*"', "", tag)), markdown
        assert not tag.lower().startswith(("<script", "<svg")), markdown
