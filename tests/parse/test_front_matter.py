"""Front matter: the formats, the keys of other generators, every mistake, and what holds for any text."""

import json
import subprocess
import sys
import unicodedata
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.model.diagnostic import Diagnostic
from devlog.model.document import FrontMatter
from devlog.model.source import Source
from devlog.parse.front_matter.block import MAX_LENGTH, read_front_matter

FILE = "content/a.md"


def read(text: str) -> tuple[FrontMatter, str, int, tuple[Diagnostic, ...]]:
    return read_front_matter(Source("a.md", FILE, text))[:4]


def yaml(block: str) -> FrontMatter:
    """The front matter of a YAML block without mistakes."""
    front, body, _, found = read(f"---\n{block}\n---\nText\n")
    assert found == ()
    assert body == "Text\n"
    return front


def faults(block: str) -> list[tuple[str, int, int]]:
    """The problems of a YAML block: code, line (the first of the block is 2) and column."""
    found = read(f"---\n{block}\n---\n")[3]
    return [(problem.code, problem.span.line, problem.span.column) for problem in found]


def fault(block: str) -> Diagnostic:
    """The only problem of a YAML block."""
    (problem,) = read(f"---\n{block}\n---\n")[3]
    return problem


def tags(front: FrontMatter) -> list[str]:
    return [tag.name for tag in front.tags]


def at(text: str, problem: Diagnostic) -> str:
    """The text that a problem points at."""
    span = problem.span
    return text.split("\n")[span.line - 1][span.column - 1 :][: span.length]


# -- fences ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "title", "body", "line"),
    [
        ("---\ntitle: A\n---\nText\n", "A", "Text\n", 4),
        ("---\ntitle: A\n...\nText\n", "A", "Text\n", 4),
        ("--- \ntitle: A\n---\t\nText\n", "A", "Text\n", 4),
        ("---\ntitle: A\n---", "A", "", 3),
        ("---\ntitle: A\n---\n\n---\nText", "A", "\n---\nText", 4),
        ("\n \n---\ntitle: A\n---\nText", "A", "Text", 6),
        ("---\n\n# comment\ntitle: A\n---\nText", "A", "Text", 6),
        ("---\n---\nText", "", "Text", 3),
        ("---\n# only a comment\n---\nText", "", "Text", 4),
        ("---\n\n---\nText", "", "Text", 4),
        ('+++\ntitle = "A"\n+++\nText', "A", "Text", 4),
        ('{"title": "A"}\nText', "A", "Text", 2),
        ('{\n  "title": "A"\n}\n\nText', "A", "\nText", 4),
        ('{"title": "}"} Text', "}", " Text", 1),
        ("{}", "", "", 1),
    ],
)
def test_fences(text: str, title: str, body: str, line: int) -> None:
    front, rest, first, found = read(text)
    assert (front.title, rest, first, found) == (title, body, line, ())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Text",
        "Text\n---\ntitle: A\n---\n",
        " ---\ntitle: A\n---\n",
        "----\ntitle: A\n----\n",
        "---\n\nText after a thematic break\n",
        "---\n\nText between\n\n---\n\nthematic breaks\n",
        "---\nText without a key\n",
        "---\n- a list\n- after a break\n",
        "---",
        "---\n",
        "{{< figure src=x >}}\n",
        "{% include x %}\n",
        "{/* truncate */}\n",
        "{#id}",
    ],
)
def test_no_front_matter(text: str) -> None:
    assert read(text) == (FrontMatter(), text, 1, ())


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("---\ntitle: A\nText\n", "unclosed-front-matter", 1),
        ("\n---\ntitle: A\n", "unclosed-front-matter", 2),
        ("+++\ntitle = 'A'\n", "unclosed-front-matter", 1),
        ('{"title": "A"\n', "unclosed-front-matter", 1),
        ('{"title": "A\n', "front-matter-syntax", 1),
        ('{\n"title": "A",\n"tags": ["b]\n}\nText\n', "front-matter-syntax", 3),
        ("---\nOnly text\n---\n", "not-front-matter", 1),
        ("---\n- a\n- b\n---\n", "not-front-matter", 1),
        ('{"title": "' + "x" * MAX_LENGTH + '"}\n', "front-matter-too-long", 1),
    ],
)
def test_taken_as_text(text: str, code: str, line: int) -> None:
    front, body, first, found = read(text)
    assert (front, body, first) == (FrontMatter(), text, 1)
    assert [(problem.code, problem.span.line) for problem in found] == [(code, line)]


def test_too_long() -> None:
    front, body, line, found = read(f"---\ntitle: {'x' * MAX_LENGTH}\n---\nText")
    assert (front, body, line) == (FrontMatter(), "Text", 4)
    assert [problem.code for problem in found] == ["front-matter-too-long"]
    assert read(f"---\ndescription: {'x' * 16_000}\n---\nText")[3] == ()


# -- text stays text -------------------------------------------------------------------------------------


def test_plain_scalars_stay_text() -> None:
    front = yaml("title: 3.10\ntags: [no, 3.10, yes, 2026-01-01, 0x10, 1_000, on, ~]")
    assert front.title == "3.10"
    assert tags(front) == ["no", "3.10", "yes", "2026-01-01", "0x10", "1_000", "on"]


def test_block_scalars() -> None:
    front = yaml("summary: |\n  one\n    two\n\ndescription: >-\n  one\n  two\ntitle: >\n  A\n  B")
    assert (front.summary, front.description, front.title) == ("one\n  two", "one two", "A B")


def test_spans() -> None:
    block = "title: \"A: b\"\ndate: 2026-05-03\ntags:\n  - one\n  - 'two'\nauthor: Ada (@ada), Bea\nslug: é-x"
    lines = f"---\n{block}".split("\n")
    front = yaml(block)
    places = dict(front.spans)
    assert sorted(places) == list(places) == ["authors", "date", "slug", "tags", "title"]
    texts = {
        key: lines[span.line - 1][span.column - 1 :][: span.length]
        for key, span in [
            *places.items(),
            *((tag.name, tag.span) for tag in front.tags),
            *((author.name, author.span) for author in front.authors),
        ]
    }
    expected = {"title": "A: b", "date": "2026-05-03", "slug": "é-x", "one": "one", "two": "two"}
    assert texts == {
        **expected, "tags": "tags", "authors": "Ada (@ada), Bea", "Ada": "Ada (@ada)", "Bea": "Bea",
    }  # fmt: skip


def test_params() -> None:
    front = yaml("b: 3\na: {y: true, x: [1, 2.50, 2.5, 007, ~, 'no', \"5\", no]}\nparams: {c: 1, b: 4}\nextra: {d: 1}")
    assert front.params == ('{"a":{"x":[1,"2.50",2.5,"007",null,"no","5","no"],"y":true},"b":3,"c":1,"extra":{"d":1}}')


# -- mistakes --------------------------------------------------------------------------------------------


_NO_LANGUAGE = (
    "write a tag such as “en” or “pt-BR”; if it is not about the text, rename the key, or add it to “also” in [tags]"
)


@pytest.mark.parametrize(
    ("block", "code", "column", "hint"),
    [
        ("author: @adaquill", "front-matter-syntax", 9, 'write author: "@adaquill"'),
        ("title: `a` b", "front-matter-syntax", 8, 'write title: "`a` b"'),
        ("title: %a", "front-matter-syntax", 8, 'write title: "%a"'),
        ("title: ] a", "front-matter-syntax", 8, 'write title: "] a"'),
        ("title: Foo: bar", "front-matter-syntax", 11, 'write title: "Foo: bar"'),
        ('title: Foo: "bar"', "front-matter-syntax", 11, "write title: 'Foo: \"bar\"'"),
        ('title: "Foo" bar', "front-matter-syntax", 14, "write title: '\"Foo\" bar'"),
        ("title: 'it's'", "front-matter-syntax", 12, 'write title: "it\'s"'),
        ("title: [RFC] bar", "front-matter-syntax", 14, 'write title: "[RFC] bar"'),
        ("title: *bold*", "front-matter-syntax", 8, 'write title: "*bold*"'),
        ('title: "Foo', "front-matter-syntax", 8, "close it"),
        ("tags: [a, b", "front-matter-syntax", 7, "close it with “]”"),
        ("image: {src: a", "front-matter-syntax", 8, "close it with “}”"),
        ("tags: - a", "front-matter-syntax", 7, ""),
        ("title: *bold", "yaml-feature", 8, "put the whole value in quotes"),
        ("title: &bold x", "yaml-feature", 8, "put the whole value in quotes"),
        ("title: !bold x", "yaml-feature", 8, "put the whole value in quotes"),
        ("a: {[b]: c}", "bad-key", 5, "quote a value that begins with { or ["),
        ("a: {{ b }}", "bad-key", 5, "quote a value that begins with { or ["),
        ("title: Fix #3", "comment-in-value", 12, "quote the value, or write a space after the #"),
        ("title: a\x0cb", "control-character", 9, "delete it"),
        ('title: "a\\u0007b"', "control-character", 8, "delete it"),
        ("a: [[[[b]]]]", "front-matter-too-deep", 7, ""),
        ("date: 2026-13-45", "bad-date", 7, "write it as 2026-05-03"),
        ("date: ${DATE}", "bad-date", 7, "write it as 2026-05-03"),
        ("date: [2026-05-03]", "bad-date", 7, "write it as 2026-05-03"),
        ("lastmod: soon", "bad-date", 10, "write it as 2026-05-03"),
        ("draft: maybe", "bad-value", 8, ""),
        ("weight: heavy", "bad-value", 9, ""),
        ("weight: 99999999999999999999", "bad-value", 9, ""),
        ("lang: german", "bad-value", 7, "write “de”"),
        ("lang: elvish", "bad-value", 7, _NO_LANGUAGE),
        ("language: {a: b}", "bad-value", 11, _NO_LANGUAGE),
        ("title: [a]", "bad-value", 8, ""),
        ("tags: {a: b}", "bad-value", 7, ""),
        ("tags: [[a]]", "bad-value", 8, ""),
        ("author: [[a]]", "bad-value", 10, ""),
        ("author: {role: x}", "bad-value", 9, ""),
        ("image: []", "bad-value", 8, ""),
        ("autor: x", "unknown-key", 1, "did you mean “author”?"),
        ("tag: x", "unknown-key", 1, "did you mean “tags”?"),
        ("titel: x", "unknown-key", 1, "did you mean “title”?"),
        ("discription: x", "unknown-key", 1, "did you mean “description”?"),
        ("redirect_form: x", "unknown-key", 1, "did you mean “redirect_from”?"),
    ],
)
def test_mistakes(block: str, code: str, column: int, hint: str) -> None:
    problem = fault(block)
    assert (problem.code, problem.span.line, problem.span.column, problem.hint) == (code, 2, column, hint)
    assert problem.span.path == FILE
    assert not problem.message.endswith(".")


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: A\n--- # c\n\nText\n\n---\nMore.\n",  # it should end the front matter
        "---\n--- # c\ntitle: A\n---\nText\n",  # it should not be there
    ],
)
def test_a_document_mark_with_more_on_its_line(text: str) -> None:
    """Where the front matter ends is not known; one half of the hint helps in either case."""
    (problem,) = read(text)[3]
    mark = "--- # c\n"
    assert (problem.code, problem.span.line) == ("yaml-feature", text[: text.index(mark)].count("\n") + 1)
    assert problem.hint == "if the front matter ends here, leave only “---” on the line, otherwise remove it"
    found = [(front.title, problems) for front, _, _, problems in map(read, _helped(text, mark))]
    assert ("A", ()) in found


def _helped(text: str, mark: str) -> list[str]:
    return [text.replace(mark, "---\n"), text.replace(mark, "")]


@pytest.mark.parametrize(
    ("block", "places"),
    [
        ("title: A\ntitle: B", [("duplicate-key", 3, 1)]),
        ("title: A\nTitle: B", [("duplicate-key", 3, 1)]),
        ("publishDate: 2026-05-03\npublish_date: 2026-05-04", [("duplicate-key", 3, 1)]),
        ("tags:\n\t- a", [("front-matter-syntax", 3, 1)]),
        ("title: A\n\tdate: 2026-05-03", [("front-matter-syntax", 3, 1)]),
        ("title: A\n date: 2026-05-03", [("front-matter-syntax", 3, 6)]),
        ("title\ndate: 2026-05-03", [("front-matter-syntax", 2, 1)]),
        ("title: A\ndate\nslug: b", [("front-matter-syntax", 3, 1)]),
        ("title: A\n--- # again\nslug: b", [("yaml-feature", 3, 1)]),
        ("a: &x [*x]", [("yaml-feature", 2, 4), ("yaml-feature", 2, 8)]),
        ("? [a]\n: b", [("bad-key", 2, 3)]),
        ("a: \x1b\nb: \x1b", [("control-character", 2, 4), ("control-character", 3, 4)]),
        ("date: soon\nlastmod: later", [("bad-date", 2, 7), ("bad-date", 3, 10)]),
    ],
)
def test_places_of_mistakes(block: str, places: list[tuple[str, int, int]]) -> None:
    assert faults(block) == places


def test_no_mistake_hides_another() -> None:
    block = 'author: @adaquill\ntitle: Foo: bar\ndate: soon\ntags: [a, b\nslug: "x"\nautor: y\nslug: z'
    front, _, _, found = read(f"---\n{block}\n---\n")
    assert [(problem.code, problem.span.line) for problem in found] == [
        ("front-matter-syntax", 2),
        ("front-matter-syntax", 3),
        ("bad-date", 4),
        ("front-matter-syntax", 5),
        ("unknown-key", 7),
        ("duplicate-key", 8),
    ]
    assert front.slug == "x"


@pytest.mark.parametrize("key", ["layout", "data", "subtitle", "type", "audio", "pages", "rate"])
def test_foreign_keys_are_silent(key: str) -> None:
    assert json.loads(yaml(f"{key}: x").params) == {key: "x"}


def test_true_comments_are_silent() -> None:
    assert yaml("title: Foo # a comment\ntags: [a] # b").title == "Foo"


# -- keys ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("block", "field", "value"),
    [
        ("Title: A", "title", "A"),
        ("slug: a-b", "slug", "a-b"),
        ("url: 2009/12/x.html", "url", "2009/12/x.html"),
        ("path: a/b", "url", "/a/b/"),
        ("permalink: /a/b.html", "url", "/a/b.html"),
        ("permalink: /:year/:title/", "url", ""),
        ("permalink: pretty", "url", ""),
        ("summary: A", "summary", "A"),
        ("excerpt: A", "summary", "A"),
        ("description: A", "description", "A"),
        ("image: a.png", "image", "a.png"),
        ("cover: {image: a.png, alt: b}", "image", "a.png"),
        ("image: {src: a.png}", "image", "a.png"),
        ("images: [a.png, b.png]", "image", "a.png"),
        ("thumbnail: a.png", "image", "a.png"),
        ("canonicalURL: https://example.org/", "canonical_url", "https://example.org/"),
        ("canonical_url: https://example.org/", "canonical_url", "https://example.org/"),
        ("lang: de", "language", "de"),
        ("language: pt_BR", "language", "pt-BR"),
        ("lang: no", "language", "no"),
        ("params: {lang: zh-Hant}", "language", "zh-Hant"),
        ("lang: ''", "language", ""),
        ("weight: -3", "weight", -3),
        ("toc: false", "toc", False),
        ("toc: {depth: 2}", "toc", True),
        ("hide_table_of_contents: true", "toc", False),
        ("draft: true", "draft", True),
        ("draft: Yes", "draft", True),
        ("draft: 'false'", "draft", False),
        ("published: false", "draft", True),
        ("published: true", "draft", False),
        ("status: draft", "draft", True),
        ("status: superseded", "draft", False),
        ("unlisted: true", "draft", False),
        ("title:", "title", ""),
        ("title: null", "title", ""),
        ("date:", "date", None),
        ("expiryDate: ''", "expiry", None),
    ],
)
def test_keys(block: str, field: str, value: object) -> None:
    assert getattr(yaml(block), field) == value


@pytest.mark.parametrize(
    ("block", "field"),
    [
        ("date: 2026-05-03", "date"),
        ('date: "2026-05-03"', "date"),
        ("date: {created: 2026-05-03}", "date"),
        ("date:\n  created: 2026-05-03\n  updated: 2026-05-04", "date"),
        ("path: 2026/05/03/slug", "date"),
        ("updated: 2026-05-03", "updated"),
        ("lastmod: 2026-05-03", "updated"),
        ("modified: 2026-05-03", "updated"),
        ("date: {updated: 2026-05-03}", "updated"),
        ("modDatetime: 2026-05-03", "updated"),
        ("updatedDate: 2026-05-03", "updated"),
        ("updatedAt: 2026-05-03", "updated"),
        ("last_update: {date: 2026-05-03}", "updated"),
        ("publishDate: 2026-05-03", "publish"),
        ("publish_date: 2026-05-03", "publish"),
        ("pubDatetime: 2026-05-03", "publish"),
        ("publishedAt: 2026-05-03", "publish"),
        ("expiryDate: 2026-05-03", "expiry"),
        ("expires: 2026-05-03", "expiry"),
        ("unpublishDate: 2026-05-03", "expiry"),
    ],
)
def test_dates(block: str, field: str) -> None:
    assert getattr(yaml(block), field).value == datetime(2026, 5, 3)  # noqa: DTZ001


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ("tags: [a, b]", ["a", "b"]),
        ("tags:\n- a\n- b", ["a", "b"]),
        ("tags: a, b c,,", ["a", "b c"]),
        ("tags: a b", ["a b"]),
        ("tags: [a, '', a, ' ', A]", ["a", "A"]),
        ("Tags: [a]", ["a"]),
        ("tags: [a]\ntaxonomies: {tags: [b, a]}", ["a", "b"]),
        ("tags:", []),
    ],
)
def test_tags(block: str, expected: list[str]) -> None:
    assert tags(yaml(block)) == expected


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ("aliases: /a/", ["/a/"]),
        ("aliases: [/a/, 'b, c', /a/]", ["/a/", "b, c"]),
        ("redirect_from:\n  - /a\naliases: [/b]", ["/b", "/a"]),
    ],
)
def test_aliases(block: str, expected: list[str]) -> None:
    assert [alias.url for alias in yaml(block).aliases] == expected


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ('author: "Ada Quill (@adaquill)" ', [("Ada Quill", "adaquill", "", "")]),
        ("author: Ada (@a), Bea (@b)", [("Ada", "a", "", ""), ("Bea", "b", "", "")]),
        ("authors: Ada (@a), Bea (@b)", [("Ada", "a", "", ""), ("Bea", "b", "", "")]),
        ("authors: [adaquill, bea-moss]", [("", "adaquill", "", ""), ("", "bea-moss", "", "")]),
        ("authors: adaquill", [("", "adaquill", "", "")]),
        ("author: ada", [("ada", "", "", "")]),
        ("authors: [Ada Quill, Bea (@b)]", [("Ada Quill", "", "", ""), ("Bea", "b", "", "")]),
        ("authors:\n- {user: ada, guest: true, org: Slate}", [("", "ada", "", "Slate")]),
        ("authors:\n- user: ada\n- user: bea", [("", "ada", "", ""), ("", "bea", "", "")]),
        (
            "author: {name: Ada, url: https://example.org, email: a@example.org}",
            [("Ada", "", "https://example.org", "")],
        ),
        ("author: {name: Ada (@a), url: 'javascript:x'}", [("Ada", "a", "", "")]),
        ("author:\n- name: Ada\n  orcid: 0000-0001\n  affiliation: {name: Slate}", [
            ("Ada", "", "https://orcid.org/0000-0001", "Slate"),
        ]),
        ("params: {author: Ada}", [("Ada", "", "", "")]),
        ("extra: {authors: [Ada]}", [("Ada", "", "", "")]),
        ("taxonomies: {authors: [Ada Quill]}", [("Ada Quill", "", "", "")]),
        ("author: Ada\nauthors: [Ada, Bea]", [("Ada", "", "", ""), ("Bea", "", "", "")]),
    ],
)  # fmt: skip
def test_authors(block: str, expected: list[tuple[str, str, str, str]]) -> None:
    authors = yaml(block).authors
    assert [(author.name, author.handle, author.url, author.affiliation) for author in authors] == expected


def test_teams() -> None:
    assert yaml("author: The Slate Team").authors[0].team
    assert yaml("author: {name: Slate, team: true}").authors[0].team


# -- TOML and JSON ---------------------------------------------------------------------------------------


def test_toml() -> None:
    text = """+++
title = 'A'
date = 2026-05-03T10:00:00Z
weight = 3
draft = true
tags = ["one", 2.10, true]
aliases = [
  "releases/1.97.0",
]

[taxonomies]
tags = ["two"]

[[authors]]
name = "Ada Quill (@adaquill)"
[[authors]]
name = "Bea"
url = "https://example.org"

[extra]
version = 1.50
+++
Text"""
    front, body, line, found = read(text)
    assert (body, line, found) == ("Text", 23, ())
    assert front.date is not None
    assert (front.title, front.weight, front.draft) == ("A", 3, True)
    assert front.date.value == datetime(2026, 5, 3, 10, tzinfo=UTC)
    assert tags(front) == ["one", "2.10", "true", "two"]
    assert [(author.name, author.handle, author.url) for author in front.authors] == [
        ("Ada Quill", "adaquill", ""), ("Bea", "", "https://example.org"),
    ]  # fmt: skip
    assert json.loads(front.params) == {"extra": {"version": "1.50"}, "taxonomies": {"tags": ["two"]}}
    places = {tag.name: (tag.span.line, tag.span.column, tag.span.length) for tag in front.tags}
    assert places == {"one": (6, 10, 3), "2.10": (6, 16, 4), "true": (6, 22, 4), "two": (12, 10, 3)}
    assert [author.span.line for author in front.authors] == [15, 17]
    assert front.aliases[0].span.line == 8


def test_toml_mistakes() -> None:
    text = '+++\ntitle = "A\ndate = 2026-13-45\nslug = "ok"\nweight = 3\nweight = 4\n+++\n'
    front, _, _, found = read(text)
    assert [(problem.code, problem.span.line) for problem in found] == [
        ("front-matter-syntax", 2), ("front-matter-syntax", 3), ("duplicate-key", 6),
    ]  # fmt: skip
    assert (front.slug, front.weight) == ("ok", 3)


def test_json() -> None:
    text = """{
  "title": "A \\ud83d\\ude00",
  "weight": 3,
  "tags": ["one", 2.10, true, null],
  "x": {"a": []}
}
Text"""
    front, body, line, found = read(text)
    assert (body, line, found) == ("Text", 7, ())
    assert (front.title, front.weight, tags(front)) == ("A 😀", 3, ["one", "2.10", "true"])
    assert json.loads(front.params) == {"x": {"a": []}}
    assert [(tag.span.line, tag.span.column) for tag in front.tags] == [(4, 13), (4, 19), (4, 25)]


@pytest.mark.parametrize(
    ("text", "code", "pointed"),
    [
        ('{"title": "A", "title": "B"}', "duplicate-key", "title"),
        ('{"title": "A", "x": y}', "front-matter-syntax", "y"),
        ('{"title": "A", "x": 01}', "front-matter-syntax", "01"),
        ('{"title": "A",}', "front-matter-syntax", "}"),
        ('{"title": "A" "x": 1}', "front-matter-syntax", "x"),
        ('{"title": "A", "x": [1 2]}', "front-matter-syntax", "2"),
        ('{"title": "A", "x": \'b\'}', "front-matter-syntax", "'"),
        ('{"title": "A", "x": "\\q"}', "front-matter-syntax", '"\\q"'),
        ('{"title": "A", "x": "\\u0000"}', "control-character", '"\\u0000"'),
        ('{"title": "A", "x": "\\ud800"}', "front-matter-syntax", '"\\ud800"'),
        ('{"title": "A", "x": [[[[]]]]}', "front-matter-too-deep", "["),
        ('{"title": "A", "date": "soon"}', "bad-date", "soon"),
    ],
)
def test_json_mistakes(text: str, code: str, pointed: str) -> None:
    front, _, _, (problem,) = read(text)
    assert (front.title, problem.code) == ("A", code)
    assert at(text, problem).strip('"') == pointed.strip('"')


# -- any text --------------------------------------------------------------------------------------------

MARKS = [
    "[",
    "]",
    "{",
    "}",
    "- ",
    ": ",
    ",",
    '"',
    "'",
    "|",
    ">",
    "&x ",
    "*x ",
    "!y ",
    "#",
    "?",
    "%",
    "<<: ",
    '"""',
    "\\",
]
SPACES = ["\n", "\n  ", "\t", "\x1b", "\x85", "\u2028", "\r", "\ufeff", "\ud800"]
TEXTS = [
    "title: ",
    "date: ",
    "tags: ",
    "author: ",
    "a = ",
    '"a": ',
    "[[a]]\n",
    "---\n",
    "2026-05-03",
    "1.50",
    "é",
    "(@a)",
]
BLOCKS = st.lists(st.sampled_from([*MARKS, *SPACES, *TEXTS]), max_size=30).map("".join)
ANY = st.text(alphabet=st.characters(), max_size=80) | BLOCKS
FENCES = st.sampled_from([("---\n", "\n---\n"), ("+++\n", "\n+++\n"), ("{", "}"), ('{"a": ', "}"), ("", "")])


@pytest.mark.slow
@given(FENCES, ANY, ANY)
def test_never_raises(fence: tuple[str, str], block: str, body: str) -> None:
    text = fence[0] + block + fence[1] + body
    front, rest, line, found = read(text)
    lines = text.split("\n")
    assert text.endswith(rest)
    assert line == text[: len(text) - len(rest)].count("\n") + 1
    assert list(found) == sorted(found, key=lambda problem: problem.sort_key)
    json.loads(front.params)
    for span in [problem.span for problem in found] + [span for _, span in front.spans]:
        assert 1 <= span.line <= len(lines)
        assert 0 <= span.column <= len(lines[span.line - 1]) + 1
        assert span.column == 0 or span.column - 1 + span.length <= len(lines[span.line - 1])


WORDS = st.text("abcé😀 0.-", min_size=1, max_size=12).filter(lambda text: text.strip() == text and len(text) > 1)


@pytest.mark.slow
@given(st.lists(WORDS, min_size=1, max_size=5, unique=True), st.sampled_from(["yaml", "toml", "json"]))
def test_tags_point_at_themselves(words: list[str], language: str) -> None:
    quoted = json.dumps(words, ensure_ascii=False)
    text = {
        "yaml": f"---\ntitle: x\ntags: {quoted}\n---\n",
        "toml": f"+++\ntitle = 'x'\ntags = {quoted}\n+++\n",
        "json": f'{{"title": "x",\n"tags": {quoted}}}\n',
    }[language]
    front, _, _, found = read(text)
    assert found == ()
    lines = text.split("\n")
    expected = list(dict.fromkeys(" ".join(word.split()) for word in words))
    assert tags(front) == expected
    for tag in front.tags:
        written = lines[tag.span.line - 1][tag.span.column - 1 :][: tag.span.length]
        assert " ".join(written.split()) == tag.name


HOSTILE = {
    "deep flow": "---\na: " + "[" * 32_000 + "]" * 32_000 + "\n---\n",
    "deep flow within the limit": "---\na: " + "[" * 8_000 + "]" * 8_000 + "\n---\n",
    "deep flow of 2000": "---\na: " + "[" * 2_000 + "]" * 2_000 + "\n---\n",
    "open flow": "---\na: " + "[" * 16_000 + "\n---\n",
    "deep block": "---\na:\n" + "".join(" " * depth + "- \n" for depth in range(1, 170)) + "---\n",
    "dashes": "---\na:\n  " + "- " * 8_000 + "\n---\n",
    "mappings": "---\na: " + "{a: " * 4_000 + "\n---\n",
    "question marks": "---\na: b\n" + "? " * 8_000 + "\n---\n",
    "merge keys": "---\na: &a {b: c}\n" + "".join(f"a{n}: &a{n} {{<<: [*a, *a]}}\n" for n in range(300)) + "---\n",
    "self": "---\na: &x [*x]\n---\n",
    "keys": "---\n" + "".join(f"k{n}: @\n" for n in range(1_600)) + "---\n",
    "long key": "---\n" + "k" * 16_000 + ": @\n---\n",
    "TOML arrays": "+++\na = " + "[" * 16_000 + "\n+++\n",
    "TOML closed arrays": "+++\na = " + "[" * 8_000 + "]" * 8_000 + "\n+++\n",
    "TOML dots": "+++\n" + "a." * 8_000 + "a = 1\n+++\n",
    "TOML header dots": "+++\n[" + "a." * 8_000 + "a]\nb = @\n+++\n",
    "TOML keys": "+++\n" + "".join(f"k{n} = @\n" for n in range(1_500)) + "+++\n",
    "TOML digits": "+++\na = " + "1" * 16_000 + "\n+++\n",
    "TOML hexadecimal digits": "+++\na = 0x" + "F" * 16_000 + "\n+++\n",
    "JSON arrays": '{"a": ' + "[" * 8_000 + "]" * 8_000 + "}\n",
    "JSON arrays, long": '{"a": ' + "[" * 500_000 + "]" * 500_000 + "}\n",
    "JSON escapes": '{"' + '\\"' * 500_000,
    "JSON digits": '{"a": ' + "1" * 16_000 + "}\n",
    "spaces": "{" + " " * 500_000 + "x",
    "blank lines": "\n" * 500_000 + "x",
    "fences": "---\n" * 250_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile(name: str) -> None:
    code = (
        "import sys, threading\n"
        "from devlog.model.source import Source\n"
        "from devlog.parse.front_matter.block import read_front_matter\n"
        "source = Source('a.md', 'a.md', sys.stdin.read())\n"
        "print(len(read_front_matter(source)), flush=True)\n"
        "threading.stack_size(512 * 1024)\n"
        "thread = threading.Thread(target=lambda: print(len(read_front_matter(source))))\n"
        "thread.start(); thread.join()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=HOSTILE[name],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "5\n5\n", "")


# -- the keys and languages of other programs --------------------------------------------------------------


@pytest.mark.parametrize("key", ["pubdate", "pubDate", "published"])
def test_other_keys_of_hugo_for_the_day_of_publishing(key: str) -> None:
    publish = yaml(f"date: 2026-05-01\n{key}: 2026-05-03").publish
    assert publish
    assert publish.value.day == 3


@pytest.mark.parametrize("key", ["pubDatetime", "publishedAt"])
def test_keys_of_other_programs_for_the_day_of_publishing_are_also_the_date(key: str) -> None:
    front = yaml(f"{key}: 2026-05-03T15:22:00.000Z\nmodDatetime:")
    assert (front.date, front.updated) == (front.publish, None)
    assert front.date


@pytest.mark.parametrize("value", ["true", "soon", "[a]", "2026"])
def test_what_else_these_keys_contain_is_no_date(value: str) -> None:
    front = yaml(f"published: {value}\npubDate: {value}")
    assert front.publish is None
    assert not front.draft


@pytest.mark.parametrize("value", ["draft", "Draft", "DRAFT"])
def test_the_status_of_a_draft_in_any_letter_case(value: str) -> None:
    assert yaml(f"status: {value}").draft


@pytest.mark.parametrize("path", ["/x/{{ title | slug }}/", "{% if a %}/a/{% endif %}"])
def test_a_template_of_a_permalink_is_no_path(path: str) -> None:
    assert yaml(f'permalink: "{path}"').url == ""


@pytest.mark.parametrize(
    ("language", "block"),
    [
        ("yaml", "title: A\ndraft: true"),
        ("toml", "title = 'A'\ndraft = true"),
        ("json", '{"title": "A", "draft": true}'),
    ],
)
def test_fences_that_name_the_language(language: str, block: str) -> None:
    for mark in (language, f" {language}  "):
        front, body, line, found = read(f"---{mark}\n{block}\n---\nText\n")
        assert (front.title, front.draft, body, found) == ("A", True, "Text\n", ())
        assert line == 4 + block.count("\n")


@pytest.mark.parametrize(
    ("block", "pointed"),
    [
        ('{"title": "A"},\n"draft": true', ","),
        ('{"title": "A"}\n{"draft": true}', "{"),
        ('{"title": "A"}}', "}"),
        ('["title"]', "["),
        ('"title"', '"'),
        ("\n\n3", "3"),
    ],
)
def test_json_between_fences_is_one_object(block: str, pointed: str) -> None:
    text = f"---json\n{block}\n---\nText\n"
    _, body, _, (problem,) = read(text)
    assert (body, problem.code, at(text, problem)) == ("Text\n", "front-matter-syntax", pointed)


@pytest.mark.parametrize(
    "rest",
    [
        ', "draft": true}',
        ',\n"draft": true\n}',
        "}",
        '\n, "draft": true',
        '\n{"draft": true}',
        '\n"draft": true\n}',
        '\n\n{"draft": true}',
        '\n\n "publishDate" : "2099-01-01"',
    ],
)
def test_json_that_goes_on_after_its_object_is_no_text(rest: str) -> None:
    text = f'{{"title": "A"}}{rest}\n\nText\n'
    _, _, _, (problem,) = read(text)
    assert (problem.code, str(problem.severity)) == ("front-matter-syntax", "error")
    assert at(text, problem) == rest.strip()[0]


@pytest.mark.parametrize(
    "body", ["]]> text", "{{ x }}", '\n\n{"x": 1}', "[a](b)", '"Quoted": a word', '"Draft" is a word']
)
def test_text_may_follow_json(body: str) -> None:
    front, text, _, found = read(f'{{"title": "A"}}\n{body}\n')
    assert (front.title, text.strip(), found) == ("A", body.strip(), ())


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("---\u00a0\ntitle: A\ndraft: true\n---\nText\n", (1, 4)),
        ("\ufeff---\n# note\ntitle: A\n---\nText\n", (1, 1)),
        ("\n \n--- \u200b\ntitle: A\n---\nText\n", (3, 5)),
        ("+++\u00a0\ndraft = true\n+++\nText\n", (1, 4)),
        ('\ufeff{"draft": true}\nText\n', (1, 1)),
        ("---\ntitle: A\n---\u00a0\nText\n", (3, 4)),
        ("+++\ntitle = 'A'\n\u00a0+++\nText\n", (3, 1)),
        ('---json\u00a0\n{"draft": true}\n---\nText\n', (1, 8)),
        ('---json\n{"draft": true}\n---\u00a0\nText\n', (3, 4)),
        ("\u00a0\n---\ntitle: A\n---\nText\n", (1, 1)),
        ("-\u200b--\ndraft: true\n---\nText\n", (1, 2)),
        ("---\n\n\u00a0\ndraft: true\n---\nText\n", (3, 1)),
        ("---\u2068\n\u2069draft: true\n---\nText\n", (1, 4)),
        ("---\u00adyaml\ndraft: true\n---\nText\n", (1, 4)),
        ('{\u200b\n"draft": true}\nText\n', (1, 2)),
        ("\n\x0c\n---\ntitle: A\n---\nText\n", (2, 1)),
    ],
)
def test_an_invisible_character_in_a_fence_is_named(text: str, place: tuple[int, int]) -> None:
    *_, found = read(text)
    (problem,) = (problem for problem in found if problem.code == "control-character")
    assert problem.severity == "error"
    assert f"U+{ord(at(text, problem)):04X}" in problem.message
    assert (problem.span.line, problem.span.column) == place


def test_every_character_that_nobody_sees_is_known() -> None:
    numbers = {
        *map(chr, range(0x600, 0x606)),
        "\u0890",
        "\u0891",
        "\u06dd",
        "\u070f",
        "\u08e2",
        "\U000110bd",
        "\U000110cd",
    }
    hidden = {"\u034f", "\u115f", "\u1160", "\u17b4", "\u17b5", "\u2800", "\u3164", "\ufe0f", "\uffa0", "\U000e0100"}
    letters = map(chr, range(sys.maxunicode + 1))
    hidden |= {letter for letter in letters if unicodedata.category(letter) in ("Cc", "Cf", "Zl", "Zp", "Zs")}
    hidden -= {" ", "\t", "\n"} | numbers  # signs around numbers are shown
    hidden -= {letter for letter in hidden if 0x13430 <= ord(letter) < 0x13460}  # they join hieroglyphs
    for letter in sorted(hidden):
        for text in (f"{letter}---\ndraft: true\n---\n", f"---{letter}\ndraft: true\n---\n", f"+++{letter}\n"):
            assert [problem.code for problem in read(text)[3]] == ["control-character"], ascii(text)


@pytest.mark.parametrize("text", ["---\u00a0\nJust text\n", "Text\n\n---\u00a0\nkey: value\n", "\ufeff{{ x }}\n"])
def test_other_invisible_characters_are_text(text: str) -> None:
    _, body, _, found = read(text)
    assert (body, found) == (text, ())


def test_front_matter_that_is_a_program_is_an_error_and_no_text() -> None:
    front, body, line, found = read("---js\n{title: 'A', draft: true}\n---\nText\n")
    assert (front, body, line) == (FrontMatter(), "Text\n", 4)
    assert [(problem.code, problem.span.line) for problem in found] == [("front-matter-syntax", 1)]


@pytest.mark.parametrize("text", ["---json\nText\n", "--- js is a language\n---\n", "---then\nText\n---\n"])
def test_other_lines_with_dashes_are_text(text: str) -> None:
    assert read(text)[1] == text
