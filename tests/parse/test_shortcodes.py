"""Shortcodes: what stands between their tags is never lost, and reading them takes linear time."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from steps import steps

from devlog.model.included import included_in
from devlog.model.shortcode_tag import read_shortcode
from devlog.model.source import Source
from devlog.parse.dialects.zola import read_call
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse
from devlog.parse.shortcodes.matching import Pair, find_pairs

TAGS = (
    "{{< note >}}", "{{< /note >}}", "{{% tip %}}", "{{% /tip %}}", "{{< other >}}", "{{< /other >}}", "{{< lone />}}",
    "{{< details >}}", "{{< /details >}}", "{{< highlight c >}}", "{{< /highlight >}}", "{{< rawhtml >}}",
    "{{< /rawhtml >}}", "{{< quote >}}", "{{< /quote >}}", "{{< youtube abc >}}", "{{< /youtube >}}",
    "{{</* note */>}}", "{{< mermaid >}}", "{{< /mermaid >}}", "{% note() %}", "{% end %}", "{{ other() }}",
    "{% other() %}", "{{/* a() */}}",
)  # fmt: skip
OTHERS = (
    "\n",
    "\n\n",
    "\n\n",
    " ",
    "\n> ",
    "\n- ",
    "\n  ",
    "\n1. ",
    "\n```\n",
    "`",
    "**",
    "\n    ",
    "<b>",
    "</b>",
    "{{<",
    "%}",
)


def _parse(text: str, dialect: str = "devlog") -> tuple[str, Any]:
    source = Source("a/2026-05-01-a.md", "content/a/2026-05-01-a.md", f"---\ntitle: T\n---\n{text}\n")
    parsed, body, *_ = parse(source, ParseOptions(dialect=dialect))
    return "".join(piece for piece in body.pieces if isinstance(piece, str)), parsed


@pytest.mark.slow
@settings(max_examples=400)
@given(st.lists(st.sampled_from(TAGS) | st.sampled_from(TAGS) | st.sampled_from(OTHERS), max_size=24), st.booleans())
@example(["{{< note >}}", "\n\n", "{{< other >}}", "\n\n", "{{< /note >}}", "\n\n", "{{< /other >}}"], False)
@example(["\n> ", "{{< note >}}", "\n\n", "{{< /note >}}"], False)
@example(["\n- ", "{{< note >}}", "\n", "{{< highlight c >}}", "\n\n", "{{< /highlight >}}", "{{< /note >}}"], True)
def test_no_word_is_lost_or_said_twice(parts: list[str], zola: bool) -> None:
    words = [f"w{number}w" for number in range(len(parts) + 1)]
    text = words[0] + "".join(part + word for part, word in zip(parts, words[1:], strict=True))
    html, parsed = _parse(text, "zola" if zola else "devlog")
    shown = re.findall(r"w\d+w", re.sub(r"<[^>]*>", "", html))
    assert shown == words
    lines = f"---\ntitle: T\n---\n{text}\n".split("\n")
    spans = [found.span for found in parsed.diagnostics if found.code.endswith("shortcode")]
    assert all(lines[span.line - 1].startswith("{", span.column - 1) for span in spans)
    assert len(set(spans)) == len(spans)


def test_their_words_are_in_the_excerpt_and_counted() -> None:
    _, parsed = _parse("{{< note >}}\none two\n{{< /note >}}\n\n{{< other >}}\nthree\n{{< /other >}}\n")
    assert parsed.document.excerpt == "one two three"
    assert parsed.document.words == 4  # the alert's title is one


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("{{< a >}}b{{< /a >}}", {0: Pair(10, 20)}),
        ("{{< a >}}{{< a >}}b{{< /a >}}", {9: Pair(19, 29)}),
        ("{{< a />}}b{{< /a >}}", {}),
        ("`{{< a >}}`b{{< /a >}}", {}),
        ("{{< highlight c >}}{{< a >}}{{< /highlight >}}{{< /a >}}", {0: Pair(28, 46)}),
        ("{{</* a */>}}b{{< /a >}}", {}),
        ("{{% A %}}b{{< /a >}}", {0: Pair(10, 20)}),
        ("{% a() %}b{% end %}", {}),
    ],
)
def test_pairs(text: str, pairs: dict[int, Pair]) -> None:
    assert find_pairs(text, zola=False) == pairs


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("{% a() %}b{% end %}", {0: Pair(10, 19)}),
        ("{% a() %}{% b() %}{% end %}{% end %}", {9: Pair(18, 27), 0: Pair(27, 36)}),
        ("{{ a() }}b{% end %}", {}),
        ("{% mermaid() %}{% b() %}{% end %}", {0: Pair(24, 33)}),
        ("{%/* a() */%}b{% end %}", {}),
        ("{% if a %}b{% end %}", {}),
    ],
)
def test_pairs_of_zola(text: str, pairs: dict[int, Pair]) -> None:
    assert find_pairs(text, zola=True) == pairs


def test_arguments_of_hugo() -> None:
    text = '{{< Figure\n  src="a b.png"\n  alt="say \\"hi\\""\n  `raw "text"` width=300 "last one"\n/>}}'
    read = read_shortcode(text, 0)
    assert read is not None
    shortcode, end = read
    assert (shortcode.name, shortcode.role, end) == ("figure", "alone", len(text))
    assert shortcode.named == {"src": "a b.png", "alt": 'say "hi"', "width": "300"}
    assert shortcode.positional == ('raw "text"', "last one")


def test_arguments_of_zola() -> None:
    text = """{{ f(a="x, y=1", b='q"', c=`r`, d=[1, "two"], e=true, g=-1.5,) }}"""
    read = read_call(text, 0)
    assert read is not None
    assert read[1] == len(text)
    assert read[0].named == {"a": "x, y=1", "b": 'q"', "c": "r", "d": "1, two", "e": "true", "g": "-1.5"}


def test_arguments_of_zola_need_no_commas() -> None:
    read = read_call('{{f(a="x" b=2, c=true)}}', 0)
    assert read is not None
    assert read[0].named == {"a": "x", "b": "2", "c": "true"}


@pytest.mark.parametrize(
    "text",
    [
        "{{ name }}",
        "{{ f(x) }}",
        "{{ f(a=1) | safe }}",
        "{% if f(a=1) %}",
        "{{ f(a=) }}",
        "{{ f(a=1) %}",
    ],
)
def test_what_is_no_call_stays(text: str) -> None:
    assert read_call(text, 0) is None


PATHOLOGIES: dict[str, Callable[[int], str]] = {
    "calls without an end": lambda n: "{{ a(" * n + "{% a(b=" * n,
    "strings without an end": lambda n: '{{ a(b="' * n,
    "lists without an end": lambda n: "{{ a(b=[" * n,
    "many arguments": lambda n: "{{ a(" + "b=1, " * n + "c) }}",
    "spaces": lambda n: "{{ a(" + " " * n + "b" + " " * n + "{{ a" + " " * n,
    "never closed": lambda n: "{% a() %}\n" * n + "\n\n{% mermaid() %} " * n,
    "closed once": lambda n: "{% a() %}\n\n" * n + "{% end %}",
    "never opened": lambda n: "{% end %}\n" * n,
    "nested": lambda n: "{% a() %}\n" * n + "b\n" + "{% end %}\n" * n,
    "escapes": lambda n: "{{/* a" * n + "{%/* " * n,
    "braces": lambda n: "{" * n + "%" * n + "{%" * n,
    "texts as arguments": lambda n: '{{ note(text="a") }}\n\n' * n,
}


@pytest.mark.parametrize("before", ["", "text "])
@pytest.mark.parametrize("name", ["figure", "note", "code", "other"])
def test_a_very_long_tag_is_reported(name: str, before: str) -> None:
    tag = f'{{{{< {name} file="a.txt" caption="{"a " * 2000}" >}}}}'
    html, parsed = _parse(f"a\n\n{before}{tag}")
    assert f"{{{{&lt; {name}" in html
    (problem,) = parsed.diagnostics
    assert (problem.code, problem.span.line, problem.span.column) == ("incomplete-shortcode", 6, len(before) + 1)
    assert "more than 4,000 characters" in problem.message


@pytest.mark.parametrize("before", ["", "text "])
@pytest.mark.parametrize("begin", ["{{ figure", "{% note", "{{ other"])
@pytest.mark.parametrize("quotes", ['""', "[]", "``"])
def test_a_very_long_call_of_zola_is_reported(begin: str, before: str, quotes: str) -> None:
    call = f'{begin}(src="a.png", caption={quotes[0]}{"a " * 2001}{quotes[1]}) }}}}'
    html, parsed = _parse(f"a\n\n{before}{call} end", "zola")
    assert f"{begin}(src" in html
    assert "end" in html
    (problem,) = [problem for problem in parsed.diagnostics if "more than 4,000 characters" in problem.message]
    assert (problem.code, problem.span.line, problem.span.column) == ("incomplete-shortcode", 6, len(before) + 1)
    shorter = read_call(f'{{{{ figure(caption="{"a " * 2000}") }}}}', 0)
    assert shorter
    assert not shorter[0].is_long


@pytest.mark.usefixtures("linear")
@pytest.mark.parametrize("tag", [f"{{{{< asciinema{' ' * 3990}", '{{< code "' + '\\"' * 1990 + " >}}"])
def test_tags_without_an_end_take_no_time(tag: str) -> None:
    assert included_in((tag * 3000).encode()) == ()


@pytest.mark.parametrize("name", PATHOLOGIES)
@pytest.mark.slow
def test_reading_takes_linear_time(name: str) -> None:
    make = PATHOLOGIES[name]
    _parse("a", "zola")
    small, large = (steps(partial(_parse, make(size), "zola")) for size in (300, 1200))
    assert large < 4 * small * 1.5 + 1000
