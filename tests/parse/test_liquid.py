"""Liquid: what each tag, value and filter becomes, where every line stays, and texts made to stall it."""

from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc
from hashlib import blake2b
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog import sanitize
from devlog.model.source import Source
from devlog.parse.dialects.liquid import MAX_FILLED, MAX_VALUE, fill_liquid
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse

VARIABLES = {
    "site.title": "Lumen",
    "site.url": "https://lumen.example.org",
    "site.baseurl": "/blog",
    "page.title": "Pages",
}


def filled(text: str) -> str:
    return fill_liquid(text, "a.md", 1, VARIABLES).text


def test_a_tag_of_code_in_code_is_code() -> None:
    text = "{% mermaid %}\n{% mermaid %}\na-->b\n{% endmermaid %}\n"
    assert filled(text).count("```") == 2
    assert "{% mermaid %}" in filled(text)


def told(text: str) -> list[tuple[str, int, int]]:
    found = fill_liquid(text, "a.md", 1, VARIABLES).diagnostics
    return [(problem.code, problem.span.line, problem.span.column) for problem in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ site.title }}", "Lumen"),
        ("{{- page.title -}}", "Pages"),
        ('{{ site["title"] }}', "Lumen"),
        ("{{ 'it''s' }}", "{{ 'it''s' }}"),
        ('{{ "{{" }} x }}', "{{ x }}"),
        ('{{ "{% tag %}" }}', "{% tag %}"),
        ("{{ 4.2 }}", "4.2"),
        ('{{ "a" | append: "b" | prepend: "c" | upcase }}', "CAB"),
        ('{{ "a-b-c" | replace: "-", "+" }}', "a+b+c"),
        ('{{ "a-b-c" | remove_first: "-" }}', "ab-c"),
        ('{{ "a|b" | upcase }}', "A|B"),
        ('{{ nothing | default: "some" }}', "some"),
        ('{{ "<b>x</b>" | strip_html }}', "x"),
        ('{{ "some long text" | truncate: 7 }}', "some..."),
        ('{{ "/x" | relative_url }}', "/blog/x"),
        ('{{ "x" | absolute_url }}', "https://lumen.example.org/blog/x"),
        ("[a]({{ 'docs/b/#c' | relative_url }})", "[a](/docs/b/#c)"),
        ("[a]({{ '' | relative_url }})", "[a]()"),
        ("[a]({{ 'https://example.org' | absolute_url }})", "[a](https://example.org)"),
        (
            "the [`{% raw %}{% highlight %}{% endraw %}` tag](b)\n\n{% highlight c %}\nd\n{% endhighlight %}",
            "the [`{% highlight %}` tag](b)\n\n```c\nd\n```",
        ),
        (
            "{% raw %}{% highlight c %}{% endraw %}\n\n{% highlight c %}\nd\n{% endhighlight %}",
            "{% highlight c %}\n\n```c\nd\n```",
        ),
        ("{% for post in site.posts %}* {{ post.title }}{{ forloop.index }}\n{% endfor %}", "* \n"),
        ("{% include video.liquid path='https://www.youtube.com/embed/a-B_1?x' %}", '{{< youtube id="a-B_1" >}}'),
        ("{% include video.html url='https://player.vimeo.com/video/12' %}", '{{< vimeo id="12" >}}'),
        ("{% include embed/video.html src='/a/b.mp4' title='T' %}", '{{< video src="/a/b.mp4" >}}'),
        ("{% include audio.liquid path='assets/a.mp3' %}", '{{< audio src="/assets/a.mp3" >}}'),
        ("at {{ site.url }}{{ site.baseurl }}/", "at https://lumen.example.org/blog/"),
        ("[a]({{ site.url }}{{ site.baseurl }}/b)", "[a](/b)"),
        ('<img src="{{ "/b.png" | relative_url }}">', '<img src="/b.png">'),
        ("[a]: {{ site.baseurl }}/b", "[a]: /b"),
        ("[a]({{ site.baseurl }}{% post_url /2026/2026-05-04-b %})", "[a](2026-05-04-b)"),
        ("[a]({% link _posts/2026-05-04-b.md %}#c)", "[a](_posts/2026-05-04-b.md#c)"),
        ("{% post_url 2026-05-04-b %}", '{{< ref "2026-05-04-b" >}}'),
        ("[a]({{ page.url }}#b)", "[a](#b)"),
        ("{% assign x = 'a' | upcase %}{{ x }}", "A"),
        ("a {%- # a remark -%} b", "a  b"),
        ("{% if x %}a{% elsif y %}b{% endif %}", "ab"),
        ("{% raw %}{{ site.title }}{% endraw %}", "{{ site.title }}"),
        ("{%- raw -%}{% raw %}{%- endraw -%}", "{% raw %}"),
        ("{% raw %}{{< figure >}}{% endraw %}", "&#123;{< figure >}}"),
        ("`{% raw %}{{< figure >}}{% endraw %}`", "`{{< figure >}}`"),
        ("a{% comment %}\nb {{ c }}\n{% endcomment %}d", "a\n\nd"),
        ("{% highlight c++ %}\na\n{% endhighlight %}", "```c++\na\n```"),
        ("{% highlight md %}\n```\n{% endhighlight %}", "````md\n```\n````"),
        ("> {% highlight c %}\n> a\n> {% endhighlight %}", "> ```c\n> a\n> ```"),
        ("- {% highlight c %}\n  a\n  {% endhighlight %}", "- ```c\n  a\n  ```"),
        ("a {% highlight c %}b`{% endhighlight %} d", "a `` b` `` d"),
        ("{% highlight c %}a{% endhighlight %}", "```c\na\n```"),
        ("{% highlight c %}a\nb{% endhighlight %} c", "```c\na\nb\n```\nc"),
        ("{% mermaid %}\na\n{% endmermaid %}", "```mermaid\na\n```"),
        ("{% codeblock a.rb lang:ruby %}\na\n{% endcodeblock %}", "```ruby\na\n```"),
        ('{% include figure.html src="/a.png" alt="B" %}', '{{< figure src="/a.png" alt="B" >}}'),
        ('{% include image\n  url="/a.png"\n%}', '{{< figure src="/a.png" \n\n>}}'),
        (
            "{% include a/photo.html path='img/a.png' caption='b \"c\"' %}",
            r'{{< figure src="/img/a.png" caption="b \"c\"" >}}',
        ),
        ('{% include box.html logo="a.svg" %}', '{{< figure src="a.svg" >}}'),
        ('{% include image.html src="{{ site.baseurl }}/a.png" %}', '{{< figure src="/a.png" >}}'),
        ("{% responsive_image path: img/a.png alt: 'b' %}", '{{< figure src="/img/a.png" alt="b" >}}'),
        ("{% img left /a.png 30 40 A b %}", '{{< figure src="/a.png" alt="b" width="30" >}}'),
        ('{% include youtube.html id="abc" %}', '{{< youtube id="abc" >}}'),
        ('{% include video id="12" provider="vimeo" %}', '{{< vimeo id="12" >}}'),
        ("{% youtube https://youtu.be/abc %}", '{{< youtube id="abc" >}}'),
        ("{% gist ada/12ab %}", "[Gist ada/12ab](https://gist.github.com/ada/12ab)"),
        ("{% include toc.html %}", ""),
        ("![a]({% asset_path img/a.png %})", "![a](img/a.png)"),
        ("{{< figure src=x >}} {{% note %}}", "{{< figure src=x >}} {{% note %}}"),
        ("{ {% } {{", "{ {% } {{"),
        ("100 {% of\n\nall %}", "100 {% of\n\nall %}"),
    ],
)
def test_what_becomes_of_it(text: str, expected: str) -> None:
    assert filled(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ site.nothing }}", [("liquid-variable", 1, 1)]),
        ("a\nb {{ site.title | unheard_of }}", [("liquid-variable", 2, 3)]),
        ("`{{ a }}` `{{ b }}`\n\n{{ c }}", [("liquid-in-code", 1, 2), ("liquid-variable", 3, 1)]),
        ("```\n{% for x %}\n```", [("liquid-in-code", 2, 1)]),
        ("{% for x in xs %}{{ x }} {{ x.y }} {{ xy }}{% endfor %}", [("liquid-tag", 1, 1), ("liquid-variable", 1, 36)]),
        ("{% assign x = site.nothing %}", [("liquid-tag", 1, 1)]),
        ("a {% unheard of %}", [("liquid-tag", 1, 3)]),
        ("{{ a }} {{ b }}\n{{ a }}", [("liquid-variable", 1, 1), ("liquid-variable", 1, 9)]),
        ("![a]({% asset_path a.png %})", [("liquid-tag", 1, 6)]),
        ("\n{% raw %}\n", [("liquid-unclosed", 2, 1)]),
        ("{% highlight c %}", [("liquid-unclosed", 1, 1)]),
        ("{% include a.html %}", [("liquid-include", 1, 1)]),
        ("{% include figure.html src='a.png' %}", [("liquid-figure", 1, 1)]),
        ("{% include toc %} {% gist a %} {{ site.title }} {% raw %}{{ x }}{% endraw %}", []),
        ("{% highlight c %}\n{{ site.title }}\n{% endhighlight %}", []),
    ],
)
def test_what_is_told(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert told(text) == expected


PIECES = st.sampled_from(
    [
        *("a", "\n", "\n\n", " ", "`", "```\n", "{{ site.title }}", "{{ x", "{% raw %}", "{% endraw %}"),
        *("{% comment %}\n", "{% endcomment %}", "{% highlight c %}", "\n{% endhighlight %}\n", "{% if a\n%}"),
        *("{% include figure.html\nsrc='a.png' %}", "{{", "}}", "{%", "%}", "> ", "- ", '"', "'", "|"),
    ]
)


@pytest.mark.slow
@given(st.lists(PIECES, max_size=30).map("".join))
def test_every_line_keeps_its_number(text: str) -> None:
    result = fill_liquid(text, "a.md", 1, VARIABLES)
    assert result.text.count("\n") == text.count("\n") + len(result.inserted)
    assert list(result.inserted) == sorted(result.inserted)
    last = result.text.count("\n")
    assert result.source_line(0) == 0
    assert result.source_line(last) == text.count("\n")


def test_values_do_not_multiply() -> None:
    long = "b" * (MAX_VALUE - 1)
    grown = filled("{% assign a = 'a' %}" + "{% assign a = a | append: a %}" * 40 + "{{ a }}" * 400)
    assert len(grown) < MAX_FILLED + 400 * 7
    many = filled(f"{{% assign a = '{long}' %}}" + "{{ a }}" * 1000)
    assert MAX_FILLED - MAX_VALUE < len(many) < MAX_FILLED + 1000 * 7
    for one in ('{% include z.html text="{{a}}{{a}}" %}', "{% include z.html text=a %}", "[x]({% asset a %})"):
        many = filled(f"{{% assign a = '{long}' %}}" + one * 1000)
        assert len(many) < 2 * MAX_FILLED + 1000 * 60, one


def test_a_long_value_of_the_front_matter_does_not_multiply() -> None:
    text = '{{ page.long | replace: "a", page.long }}'
    tracemalloc.start()
    assert fill_liquid(text, "a.md", 1, {"page.long": "a" * 12_000}).text == text
    assert tracemalloc.get_traced_memory()[1] < 40_000_000
    tracemalloc.stop()


SIZE = 64 * 1024
SECONDS = 600
"""Far beyond what all of these texts need: it tells one that never ends from one that does."""

STALLING = {
    "openings of tags": "{%",
    "openings of values": "{{",
    "tags without an end": "{% a ",
    "texts without an end": "{% raw %}",
    "comments in comments": "{% comment %}{% raw %}",
    "blocks of code without an end": "{% highlight c %}",
    "blocks of code": "a {% highlight c %}\n{% endhighlight %} b\n",
    "blanks": "{%" + " " * 50,
    "quotes": "{{ \"a' ",
    "filters": "{{ x " + "|a" * 1000 + " }}",
    "targets": "](=" * 5 + "{% post_url a %}",
    "arguments": "{% include a " + 'x="\\' * 300 + " %}",
    "captions": '{% include figure.html src="a.png" caption="' + "<a " * 100 + '" %}',
    "backticks": "`{{ x }}``",
    "attribute lists": "{:",
    "attribute lists on lines": "{: .a}\n",
    "names of attribute lists": "{:a: a .b}\n{: a a a a a}\nx\n",
    "extensions": "> {::comment}\n",
    "mathematics": "$$ a\n\n",
    "elements": "<div>\n<p>\n",
    "elements with Markdown": '<div markdown="1">\n',
    "abbreviations": "*[a]: b\n",
}
READ = """
import json, sys
from devlog.model.source import Source
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse

for name, unit in json.load(sys.stdin).items():
    print(name, flush=True)
    text = (unit * ({size} // len(unit) + 1))[:{size}]
    parsed = parse(Source("a.md", "a.md", text), ParseOptions(dialect="jekyll"))[0]
    assert not any(problem.code == "internal-error" for problem in parsed.diagnostics)
"""


@pytest.mark.slow
def test_texts_made_to_stall_it_are_read(tmp_path: Path) -> None:
    told = tmp_path / "told.txt"
    command = [sys.executable, "-c", READ.format(size=SIZE)]
    texts = json.dumps(STALLING)
    with told.open("w", encoding="utf-8") as file:
        try:
            done = subprocess.run(
                command, input=texts, stdout=file, stderr=subprocess.PIPE, text=True, timeout=SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            pytest.fail(f"has not ended: {told.read_text('utf-8').splitlines()[-1:]}")
    assert (done.returncode, told.read_text("utf-8").splitlines()) == (0, [*STALLING]), done.stderr[-2000:]


@pytest.mark.parametrize(("dialect", "value"), [("jekyll", "{{ page.x }}"), ("devlog", "{{< param x >}}")])
def test_no_value_forges_a_placeholder(dialect: str, value: str) -> None:
    text = f"{value} [a](b)\n"
    for digested in (text, f"{text}\0", f"{text}\0\0"):
        digest = blake2b(digested.encode(), digest_size=12, person=b"placeholder").hexdigest()
        forged = f"{sanitize.PLACEHOLDER}{digest}y0y"
        source = Source("a.md", "a.md", f"---\ntitle: A\nx: {forged}\n---\n{text}")
        body = parse(source, ParseOptions(dialect=dialect))[1]
        assert [piece for piece in body.pieces if not isinstance(piece, str)] == [0]
        assert forged in "".join(piece for piece in body.pieces if isinstance(piece, str))
