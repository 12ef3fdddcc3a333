"""Code inside of code has a lexer that is allowed, or none."""

from __future__ import annotations

import pytest

from devlog.parse.code.highlight import highlight

PLAIN = {
    "markdown": "```{0}\n{1}\n```\n",
    "rst": ".. code:: {0}\n\n    {1}\n\ntext\n",
    "http": "HTTP/1.1 200 OK\nContent-Type: text/x-{0}\n\n{1}\n",
    "postgres": "CREATE FUNCTION f() AS $$ {1} $$ LANGUAGE {0};\n",
}
SLOW = '"' + "\\\\" * 40
"""Pygments' own lexers for some languages take exponential time for it."""


@pytest.mark.parametrize("outer", PLAIN)
@pytest.mark.parametrize("inner", ["rego", "scala", "fish", "tcsh"])
def test_languages_that_are_not_allowed_stay_plain(outer: str, inner: str) -> None:
    assert SLOW.replace('"', "") in highlight(PLAIN[outer].format(inner, SLOW), outer)


@pytest.mark.parametrize(("language", "text", "shown"), [
    ("http", 'HTTP/1.1 200 OK\nContent-Type: application/a+json; charset=utf-8\n\n{"a": true}', 'class="kc">true'),
    ("http", "HTTP/1.1 200 OK\nContent-Type: text/html\n\n<p>a</p>", 'class="nt">p</span>'),
    ("postgres", "DO $$ BEGIN RAISE NOTICE 'a'; END $$;", 'class="k">RAISE'),
    ("postgresql", "CREATE FUNCTION f() AS $$ return None $$ LANGUAGE plpython3u;", 'class="kc">None'),
    ("postgresql", "CREATE FUNCTION f() AS $$ SELECT 1 $$ LANGUAGE sql;", 'class="k">SELECT'),
])  # fmt: skip
def test_languages_that_are_allowed_are_highlighted(language: str, text: str, shown: str) -> None:
    assert shown in highlight(text, language)


@pytest.mark.parametrize(("language", "text"), [
    ("http", "HTTP/1.1 200 OK\nContent-Type: multipart/mixed\n\n" + "Content-Type: multipart/mixed\n\n" * 1300),
    ("postgres", "".join(f"DO $a{n}$ " for n in range(1000))),
    ("postgres", "".join(f"DO $a{n}$ " for n in range(300)) + "".join(f"$a{n}$ " for n in reversed(range(300)))),
])  # fmt: skip
def test_no_depth_ends_a_build(language: str, text: str) -> None:
    assert highlight(text, language)


def test_code_inside_of_code_leaves_no_state() -> None:
    before = highlight("```xquery\n1 }\n```\n", "markdown")
    highlight("```xquery\n<a>{ <b>{\n```\n", "markdown")
    assert highlight("```xquery\n1 }\n```\n", "markdown") == before
