"""Templates of posts: `_template.md` of a topic."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from hypothesis import given
from hypothesis import strategies as st
from sites import build_site, read_tree, write_site

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.source import Source
from devlog.parse.front_matter.block import read_front_matter
from devlog.scaffold.archetype import fill, read_template
from devlog.scaffold.writing import clean, yaml_list, yaml_text

Devlog = Callable[..., Result]
FILE = "content/storage/2026-06-15-why-we-log.md"
TEMPLATE = """\
---
title: {title}
date: {date}
author: {author}
tags: {tags}
kind: decision
quoted: "{title} in {topic}"
single: '{title}'
---

# {title}

{author} on {date} about {topic}: {nothing} {{ title }} {{< figure >}} {% raw %}
"""


def post(devlog: Devlog, *options: str) -> Result:
    return devlog("new", "post", 'Why: "we" log', "--topic", "storage", "--author", "adaquill", *options)


def test_a_template(site: Path, devlog: Devlog) -> None:
    write_site(site, {"content/storage/_template.md": TEMPLATE})
    done = post(devlog, "--tag", "wal", "--tag", "a, b")
    assert (done.exit_code, done.stderr) == (0, "")
    assert (site / FILE).read_text("utf-8") == (
        '---\ntitle: "Why: \\"we\\" log"\ndate: 2026-06-15\nauthor: Ada Quill (@adaquill)\ntags: [wal, "a, b"]\n'
        'kind: decision\nquoted: "Why: \\"we\\" log in storage"\nsingle: \'Why: "we" log\'\n---\n\n'
        '# Why: "we" log\n\nAda Quill (@adaquill) on 2026-06-15 about storage: {nothing} {{ title }} {{< figure >}} '
        "{% raw %}\n"
    )


@pytest.mark.parametrize(
    ("templates", "topic", "used"),
    [
        (("", "storage/", "storage/cache/"), "storage/cache", "storage/cache/"),
        (("", "storage/", "planner/"), "storage/cache", "storage/"),
        (("", "storage/cache/", "planner/"), "storage", ""),
    ],
)
def test_the_nearest_one_counts(templates: tuple[str, ...], topic: str, used: str, site: Path, devlog: Devlog) -> None:
    write_site(
        site, {f"content/{folder}_template.md": f"---\ntitle: {{title}}\n---\n{folder}!\n" for folder in templates}
    )
    assert devlog("new", "post", "One", "--topic", topic).exit_code == 0
    assert (site / f"content/{topic}/2026-06-15-one.md").read_text("utf-8").endswith(f"\n{used}!\n")


@pytest.mark.parametrize("name", ["_template.md", "_Template.MD"])
def test_templates_are_never_published(name: str, site: Path) -> None:
    write_site(site, {f"content/{folder}{name}": TEMPLATE for folder in ("", "storage/")})
    report = build_site(site)
    assert report.diagnostics == ()
    assert not [path for path in read_tree(site / "public") if "emplate" in path]


def test_what_has_no_place_is_told(site: Path, devlog: Devlog) -> None:
    write_site(site, {"content/_template.md": "---\ntitle: {title}\nauthor: Somebody (@somebody)\n---\n"})
    done = post(devlog, "--tag", "wal")
    assert "warning[unused-option]: the template has no “{author}”, so --author has no effect" in done.stderr
    assert "the template has no “{tags}”, so --tag has no effect" in done.stderr
    assert "content/_template.md" in done.stderr
    assert (site / FILE).is_file()


def test_a_template_that_makes_no_post_is_told_and_nothing_written(site: Path, devlog: Devlog) -> None:
    write_site(site, {"content/_template.md": "---\ntitle: [\n---\n"})
    before = read_tree(site)
    done = post(devlog)
    assert done.exit_code == 1
    assert "error[front-matter-syntax]" in done.stderr
    assert read_tree(site) == before


def test_a_template_is_no_link(site: Path, devlog: Devlog) -> None:
    secret = site / "secret.txt"
    secret.write_text("---\ntitle: secret\n---\n")
    (site / "content/_template.md").symlink_to(secret)
    done = post(devlog)
    assert done.exit_code == 1
    assert not (site / FILE).exists()


@pytest.mark.parametrize(
    "template",
    [
        "---\r\ntitle: {title}\r\n---\r\nText.\r\n",
        '+++\ntitle = "{title}"\n+++\nText.\n',
        '{"title": "{title}"}\n\nText.\n',
        '{\n  "title": {title}\n}\n\nText.\n',
        "# {title}\n\nText.\n",
    ],
)
def test_other_forms(template: str, site: Path, devlog: Devlog) -> None:
    write_site(site, {"content/_template.md": template.encode()})
    assert devlog("new", "post", 'A "quoted" \\ title', "--topic", "storage").exit_code == 0
    text = (site / "content/storage/2026-06-15-a-quoted-title.md").read_text("utf-8")
    if not text.startswith("#"):
        front, *_ = read_front_matter(Source("x.md", "x.md", text))
        assert front.title == 'A "quoted" \\ title'


@pytest.mark.parametrize(
    "template",
    [
        "+++\ntitle = '{title}'\nauthors = ['{author}']\ntags = {tags}\n+++\n",
        '+++\ntitle = {title}\nauthor = "{author}"\ntags = {tags}\n+++\n',
        "---\ntitle: '{title}'\nauthor: {author}\ntags: {tags}\n---\n",
    ],
)
@pytest.mark.parametrize("title", ["The '#' sign", "It's", "x'''y", 'Fix: "a" # b', "C:\\new"])
def test_titles_and_tags_in_any_quotes(template: str, title: str, site: Path, devlog: Devlog) -> None:
    write_site(site, {"content/storage/_template.md": template})
    options = ("--topic", "storage", "--author", "adaquill", "--tag", "a, b", "--tag", "wal")
    assert devlog("new", "post", title, *options).exit_code == 0
    (file,) = (site / "content/storage").glob("2026-06-15-*.md")
    front, *_ = read_front_matter(Source("x.md", "x.md", file.read_text("utf-8")))
    assert (front.title, [tag.name for tag in front.tags]) == (title, ["a, b", "wal"])


@pytest.mark.parametrize(
    "front", ["---\ndate: {date}\ntitle: Log {title}\n---\n", "+++\nx = 1\ntitle = 'Log {title}'\n+++\n"]
)
def test_a_title_that_a_template_would_change_is_refused(front: str, site: Path, devlog: Devlog) -> None:
    write_site(site, {"content/storage/_template.md": front})
    before = read_tree(site)
    titles = ("Fix issue #5", "Fix: foo") if front.startswith("---") else ("The '#' sign", "It's")
    for title in titles:
        done = devlog("new", "post", title, "--topic", "storage")
        assert done.exit_code == 1
        assert "content/storage/_template.md:3: error[unfit-template]" in done.stderr
    assert read_tree(site) == before
    assert devlog("new", "post", "Fine", "--topic", "storage").exit_code == 0


def test_the_line_that_a_title_breaks_is_named(site: Path, devlog: Devlog) -> None:
    write_site(site, {"content/storage/_template.md": "---\ntitle: {title}\nsummary: About {title}\n---\n"})
    done = devlog("new", "post", "Caches: a start", "--topic", "storage")
    assert "content/storage/_template.md:3: error[unfit-template]" in done.stderr


@pytest.mark.parametrize(
    "template",
    [
        "---\ntitle: T\ntags:\n  - {title}\n  - {topic}\n---\n",
        "---\ntitle: T\ntags: [{title}, {topic}]\n---\n",
        "+++\ntitle = 'T'\ntags = [ {title}, {topic} ]\n+++\n",
    ],
)
@pytest.mark.parametrize("title", ["a # b", "a, b", "a: b", 'The "x"'])
def test_items_of_lists_are_quoted_as_needed(template: str, title: str, site: Path, devlog: Devlog) -> None:
    write_site(site, {"content/storage/_template.md": template})
    assert devlog("new", "post", title, "--topic", "storage").exit_code == 0
    (file,) = (site / "content/storage").glob("2026-06-15-*.md")
    front, *_ = read_front_matter(Source("x.md", "x.md", file.read_text("utf-8")))
    assert [tag.name for tag in front.tags] == [title, "storage"]


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        (
            '{"title": "{title}", "tags": {tags}}\n\n{title}: {tags}\n',
            '{"draft": true, "title": "Why: \\"we\\" log", "tags": ["wal", "a, b"]}\n\nWhy: "we" log: [wal, "a, b"]\n',
        ),
        (
            '{\n\t"title": {title},\n\t"x": "\\"{title}\\""\n}\n',
            '{\n\t"draft": true,\n\t"title": "Why: \\"we\\" log",\n\t"x": "\\"Why: \\"we\\" log\\""\n}\n',
        ),
        ('{"title": "T", "draft": false}\n', '{"title": "T", "draft": true}\n'),
        ("{\n}\nText.\n", '{\n"draft": true}\nText.\n'),
        ("{title} {\n", '---\ndraft: true\n---\n\nWhy: "we" log {\n'),
    ],
)
def test_a_draft_from_json(template: str, expected: str, site: Path, devlog: Devlog) -> None:
    write_site(site, {"content/storage/_template.md": template})
    assert post(devlog, "--draft", "--tag", "wal", "--tag", "a, b").exit_code == 0
    text = (site / FILE).read_text("utf-8")
    assert text == expected
    front, *_ = read_front_matter(Source("x.md", "x.md", text))
    assert front.draft


TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1).map(lambda text: clean(text, Span(""))[0])


@pytest.mark.slow
@given(title=TEXTS.filter(bool), form=st.sampled_from(["title: {title}", 'title: "{title}"', "title: '{title}'"]))
def test_any_title_in_any_quotes(title: str, form: str) -> None:
    values = dict.fromkeys(("date", "author", "topic", "tags"), "x") | {"title": title}
    yaml = {name: yaml_text(value) for name, value in values.items()}
    text = fill(f"---\n{form}\n---\n{{title}}\n", values, yaml, values)
    front, body, *_ = read_front_matter(Source("x.md", "x.md", text))
    assert front.title == title
    assert body == f"{title}\n"


@pytest.mark.slow
@given(title=TEXTS.filter(bool))
def test_what_is_filled_in_is_not_looked_at_again(title: str) -> None:
    values = {"title": "{date}{author}", "date": title, "author": "a", "topic": "t", "tags": yaml_list([])}
    assert fill("{title}|{date}", values, values, values) == "{date}{author}|" + title


@pytest.mark.parametrize(
    "template",
    [
        '{{"title": "{{title}}", "x": "{}"}}\n\nText\n'.format('\\"{topic}' * 2000),
        '---\ntitle: "{{title}}"\nx: "{}"\n---\nText\n'.format('\\"{topic}' * 2000),
    ],
)
def test_front_matter_that_no_post_may_have_is_not_filled_in(template: str, tmp_path: Path) -> None:
    root = write_site(tmp_path, {"content/log/_template.md": template})
    found = read_template(root, ["content/log"])
    assert isinstance(found, Diagnostic)
    assert (found.code, found.span.path) == ("front-matter-too-long", "content/log/_template.md")


def test_a_placeholder_does_not_cost_the_length_of_the_text() -> None:
    names = {"title": "T", "date": "D", "author": "A", "topic": "log", "tags": ""}
    lines, text = "x: {topic}\n" * 1_400, "y" * 2_000_000
    begin = time.process_time()
    filled = fill(f"---\n{lines}---\n{text}", names, names, names)
    assert time.process_time() - begin < 1  # a copy of the text for each placeholder takes six seconds
    assert filled == "---\n" + "x: log\n" * 1_400 + f"---\n{text}"
