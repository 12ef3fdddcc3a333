"""What a build writes grows with what it reads, whatever the front matter of posts names."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from check_cases import check_site
from sites import NOW, build_site, read_tree, write_site
from small_posts import NAMES, TOO_LONG, parsed_post, post_text
from steps import steps
from writers import png

from devlog.assemble.links import LinkIndex, resolve_all
from devlog.assemble.pages import MOST_REPEATED
from devlog.assemble.series import SHOWN as SHOWN_PARTS
from devlog.assemble.series import series_of, series_view
from devlog.assemble.site import SiteFiles, Visibility, assemble
from devlog.assemble.site_context import MOST_IN_MENU
from devlog.assemble.views import SHOWN
from devlog.check.authors import two_names
from devlog.check.evidence import Evidence
from devlog.check.people import People
from devlog.config import Config
from devlog.disk.manifest import MANIFEST
from devlog.disk.stat_cache import StatCache
from devlog.inputs import read_inputs
from devlog.model.diagnostic import MOST_OF_A_KIND, Diagnostic, Span
from devlog.model.document import Anchor, Body, Byline, Image
from devlog.model.git_dates import GitDates
from devlog.model.site import Site
from devlog.model.source import Source
from devlog.model.view import Link
from devlog.parse.front_matter.values import MOST
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse
from devlog.report import as_text, json_text
from devlog.report.sarif import as_sarif


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["default", "paper"])
def test_lists_and_feeds_name_some_authors_and_tags_and_say_how_many_there_are(tmp_path: Path, theme: str) -> None:
    authors = ", ".join(f"Writer {name} (@w{name})" for name in NAMES[:MOST])
    tags = ", ".join(f"t{name}" for name in NAMES[:MOST])
    files = {
        "devlog.toml": f'base_url = "https://example.org/"\ntheme = "{theme}"\n',
        "content/log/a.md": post_text(author=authors, tags=tags),
    }
    assert build_site(write_site(tmp_path, files)).written
    outputs = read_tree(tmp_path / "public")
    last = NAMES[MOST - 1]
    whole = {"log/a/index.html", "log/a.md", "log/a/index.md", "posts.json", "authors/index.html", "tags/index.html"}
    whole |= {"authors.md", "tags.md", "authors/index.md", "tags/index.md", "sitemap.xml"}
    for path, data in outputs.items():
        if path in whole or not path.endswith((".html", ".xml", ".json", ".md")):
            continue
        text = data.decode()
        for pattern, own in ((r"Writer [a-z]{2}\b", "authors/"), (r"\bt[a-z]{2}(?=<|&|\"|\))", "tags/")):
            named = set(re.findall(pattern, text))
            assert len(named) <= SHOWN + 1, (path, len(named), own)
    post = outputs["log/a/index.html"].decode()
    assert f"Writer {last}" in post
    assert f"/tags/t{last}/" in post
    assert f"Writer {last}" in outputs["posts.json"].decode()
    assert f"t{last}" in outputs["posts.json"].decode()
    assert f"and {MOST - SHOWN} more" in outputs["index.xml"].decode()
    assert f"and {MOST - SHOWN} more" in outputs["index.html" if theme == "default" else "log/index.html"].decode()


@pytest.mark.slow
def test_what_one_more_author_and_tag_adds_does_not_grow(tmp_path: Path) -> None:
    sizes = []
    for count in (MOST // 4, MOST // 2, MOST):
        authors = ", ".join(f"Writer {name} (@w{name})" for name in NAMES[:count])
        tags = ", ".join(f"t{name}" for name in NAMES[:count])
        folder = tmp_path / str(count)
        files = {
            "devlog.toml": 'base_url = "https://example.org/"\n',
            "content/log/a.md": post_text(author=authors, tags=tags),
        }
        assert build_site(write_site(folder, files)).written
        sizes.append(sum(map(len, read_tree(folder / "public").values())))
    assert sizes[2] - sizes[1] < 2.2 * (sizes[1] - sizes[0])


@pytest.mark.slow
def test_a_page_of_a_long_series_shows_the_parts_around_its_own() -> None:
    texts = [parsed_post(f"p{number:03}", series="Tides", part=str(number)) for number in range(1, 301)]
    site = assemble(Config(), SiteFiles(texts), GitDates(), Visibility(NOW)).site
    groups = series_of(site.posts)
    shown = {}
    for post in site.posts:
        found = series_view(post, groups, lambda post: Link(post.title, post.permalink))
        assert found
        shown[found.number] = [part.number for part in found.parts]
        assert [part.number for part in found.parts if part.is_current] == [found.number]
        assert found.total == 300
    assert {len(parts) for parts in shown.values()} == {SHOWN_PARTS}
    assert shown[1][0] == 1
    assert shown[150] == [*range(100, 200)]
    assert shown[300][-1] == 300


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A site of somebody who has written in many topics within one, with many plain pages."""
    folder = tmp_path_factory.mktemp("wide")
    files = {f"content/all/{name}/{name}.md": post_text(title=f"On {name}") for name in NAMES[: MOST_REPEATED + 5]}
    files |= {f"content/{name}.md": f"---\ntitle: Page {name}\nlayout: page\n---\nText.\n" for name in NAMES[:40]}
    files["devlog.toml"] = 'base_url = "https://example.org/"\npage_size = 60\n[llms]\nenabled = false\n'
    assert build_site(write_site(folder, files)).written
    return read_tree(folder / "public")


def test_further_pages_of_a_list_repeat_only_some_links(wide: dict[str, bytes]) -> None:
    for first in ("all/index.html", "authors/adaquill/index.html"):
        facts = [wide[path].decode().partition("</dl>")[0] for path in (first, first.replace("index", "page/2/index"))]
        counts = [text.count('href="/all/') for text in facts]
        assert counts[0] - counts[1] == 5


def test_a_menu_that_nobody_configured_has_not_all_plain_pages(wide: dict[str, bytes]) -> None:
    header = wide["index.html"].decode().partition("</header>")[0]
    assert header.count(">Page ") == MOST_IN_MENU
    assert f"/{NAMES[39]}/" not in header
    assert f"{NAMES[39]}/index.html" in wide


_NO_SITE = Site((), (), (), (), (), (), (), None, ())


def test_many_names_of_one_handle_are_looked_through_once() -> None:
    counts = []
    for size in (100, 200, 400):
        bylines = [Byline(f"Writer {number}", "same", Span("a.md", number)) for number in range(size)]
        evidence = Evidence(Config(), "", {}, _NO_SITE, (), {}, frozenset(), People(bylines, {}))
        assert len([*two_names(evidence)]) == size - 1
        evidence = msgspec.structs.replace(evidence, people=People(bylines, {}))
        counts.append(steps(partial(list, two_names(evidence))))
    assert counts[2] < 3 * counts[1] < 9 * counts[0]


def test_a_very_long_line_is_neither_shown_nor_compared_whole() -> None:
    diagnostics = [
        Diagnostic("broken-link", "warning", "x", Span("a.md", 1, 1, 1), line_text="word " * 20_000 + end)
        for end in ("one", "other")
    ]
    prints = {result["partialFingerprints"]["devlog/v1"] for result in _results(diagnostics)}
    assert len(prints) == 1
    assert len(as_text(diagnostics[0])) < 400


def test_comments_that_allow_nothing_are_reported_as_often_as_other_problems(tmp_path: Path) -> None:
    text = "".join(f"<!-- devlog: allow no-such-{number}: a reason -->\n\n" for number in range(MOST_OF_A_KIND + 5))
    root = write_site(tmp_path, {"content/storage/2026-05-01-a.md": f"---\ntitle: A\n---\n{text}"})
    found = [item for item in check_site(root).diagnostics if item.code == "bad-waiver"]
    assert len(found) == MOST_OF_A_KIND


def _results(diagnostics: list[Diagnostic]) -> Any:
    return json.loads(json_text(as_sarif(diagnostics, lambda code: code)))["runs"][0]["results"]


_LONG = "w" * 20_000
_MANY = 2_000
_EXPANDING = {
    "links": ("devlog", "", f"[a]: /{_LONG}\n\n" + "[a]\n" * _MANY),
    "titles": ("zola", "", f'[a]: https://x.example/ "{_LONG}"\n\n' + "[a]\n" * _MANY),
    "images": ("devlog", "", f'[a]: https://x.example/a.png "{_LONG}"\n\n' + "- ![*a*][a]\n" * _MANY),
    "captions": ("devlog", "", f"[a]: /{_LONG}\n\n" + '{{< figure src="/a.png" caption="[a]" >}}\n\n' * _MANY),
    "abbreviations": ("jekyll", "", f"*[HT]: {_LONG}\n\n" + "HT\n" * _MANY),
    "parameters": ("devlog", f"note: {_LONG[:16_000]}\n", "{{< param note >}}\n\n" * _MANY),
    "cells": ("devlog", "", (f"{'|a' * 300}|\n{'|-' * 300}|\n" + "|\n" * 30 + "\n") * 20),
    "cells of aligned columns": ("jekyll", "", f"{'|a' * 300}|\n{'|:-:' * 300}|\n" + "|\n" * 200),
    "parameters in HTML": ("devlog", f"note: {_LONG[:16_000]}\n", "<div>\n" + "{{< param note >}}\n" * _MANY),
}


@pytest.mark.parametrize("name", _EXPANDING)
def test_a_definition_that_is_used_many_times_makes_no_gigabytes(name: str) -> None:
    dialect, front, text = _EXPANDING[name]
    source = Source("log/a.md", "content/log/a.md", f"---\ntitle: A\n{front}---\nFirst.\n\n{text}")
    parsed, body, _ = parse(source, ParseOptions(dialect=dialect))
    found = [(item.code, item.severity) for item in parsed.diagnostics]
    assert found == [("expands-too-much", "error")]
    assert parsed.diagnostics[0].span.line > 4
    assert parsed.front_matter.title == "A"
    assert len(msgspec.msgpack.encode(body)) < 1000


@pytest.mark.slow
def test_empty_cells_that_are_spelled_out_fit_however_many_there_are() -> None:
    rows = f"|a{'|a' * 40}|\n|-{'|-' * 40}|\n" + f"||{'|' * 40}\n" * 1500
    few = "|a|b|c|\n|-|-|-|\n" + "|x|\n" * 3000
    text = f"---\ntitle: A\n---\n{rows}\n{few}"
    parsed, _, _ = parse(Source("log/a.md", "content/log/a.md", text), ParseOptions())
    assert parsed.diagnostics == ()


@pytest.mark.slow
def test_links_that_are_spelled_out_fit_however_many_there_are() -> None:
    short = "[a]: https://x.example/a\n\n" + "[a] [b](https://x.example/\u6f22\u5b57) <https://x.example/c>\n" * 3000
    parsed, body, _ = parse(Source("log/a.md", "content/log/a.md", f"---\ntitle: A\n---\n{short}"), ParseOptions())
    assert parsed.diagnostics == ()
    assert "".join(piece for piece in body.pieces if isinstance(piece, str)).count('href="https://x.example/') == 9000


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("log/2026-05-01-a.md", f"---\ntitle: {TOO_LONG}\n---\nText.\n"),
        ("log/2026-05-01-a.md", f"First.\n\n# {TOO_LONG}\n"),
        ("log/2026-05-01-a.md", f"# {TOO_LONG}\n\nText.\n"),
        ("log/_index.md", f"# {TOO_LONG}\n"),
        ("log/2026-05-01-a.md", post_text(author=f"{TOO_LONG} (@adaquill)")),
        ("log/2026-05-01-a.md", post_text(author=f"Ada Quill ({TOO_LONG})")),
        ("log/2026-05-01-a.md", post_text(tags=f"[one, {TOO_LONG}]")),
        ("log/2026-05-01-a.md", post_text(tags=f"[one, {'w' * 256}]")),
        ("log/2026-05-01-a.md", post_text(tags=f"[one, {'字' * 90}]")),
        ("log/2026-05-01-a.md", post_text(author="w" * 300)),
        ("log/2026-05-01-a.md", post_text(category=TOO_LONG)),
        ("log/2026-05-01-a.md", post_text(series=TOO_LONG)),
        ("authors.yml", f"adaquill:\n  name: {TOO_LONG}\n"),
        ("authors.yml", f"adaquill:\n  name: Ada\n  org: {TOO_LONG}\n"),
        ("authors.yml", f"adaquill:\n  name: Ada\n  url: https://ada.example/{TOO_LONG}\n"),
        ("authors.yml", f"adaquill:\n  name: Ada\n  website: https://ada.example/{TOO_LONG}\n"),
        ("authors.yml", f"adaquill:\n  name: Ada\n  title: {TOO_LONG}\n"),
        ("authors.yml", f"adaquill:\n  name: Ada\n  bio: {TOO_LONG * 4}\n"),
        ("authors.yml", f"adaquill:\n  name: Ada\n  avatar: https://x.example/{TOO_LONG}.png\n"),
        ("authors.yml", f"adaquill:\n  name: Ada\n  image_url: https://x.example/{TOO_LONG}.png\n"),
    ],
)
def test_a_name_that_other_pages_repeat_is_not_too_long(tmp_path: Path, path: str, text: str) -> None:
    report = build_site(write_site(tmp_path, {f"content/{path}": text}))
    errors = [(item.code, item.span.path) for item in report.diagnostics if item.severity == "error"]
    is_only_a_heading = text.startswith("First.")
    assert errors == ([] if is_only_a_heading else [("too-long-value", f"content/{path}")])
    assert bool(report.written) is is_only_a_heading


def test_what_is_said_of_authors_may_be_longer_than_names(tmp_path: Path) -> None:
    files = {
        "content/log/a.md": post_text(),
        "content/authors.yml": f"adaquill:\n  name: Ada Quill\n  bio: {TOO_LONG * 3}\n",
    }
    assert "too-long-value" not in {item.code for item in build_site(write_site(tmp_path, files)).diagnostics}


def test_a_short_post_in_many_topics_fills_no_feeds(tmp_path: Path) -> None:
    url = "https://x.example/?" + "&" * 3980
    text = f"---\ntitle: X\n---\n[a]: {url}\n\n{'[a] ' * 50}\n"
    path = "/".join("a" * 30)
    root = write_site(
        tmp_path, {"devlog.toml": 'base_url = "https://example.org/"\n', f"content/{path}/2026-01-02-x.md": text}
    )
    assert not build_site(root).failed
    outputs = read_tree(root / "public")
    assert sum(map(len, outputs.values())) < 10 * 1024 * len(text)
    assert outputs["index.xml"].count(b"<content:encoded>") == 0
    assert b"<description>" in outputs["index.xml"]


_ALL_FULL = '[feeds]\nauthors = "full"\ntags = "full"\n'
_OF_THE_SITE = ("index.xml", "feed.xml", "feed.json")
_INCLUDES = "{{<code file=/a>}}"
_TAGGED = "---\ntags: [" + ",".join(NAMES[:MOST]) + "]\nauthor: " + ",".join(NAMES[:MOST]) + f"\n---\n{_INCLUDES}"


def test_trusted_html_that_grows_while_it_is_sanitized_is_in_no_feed(tmp_path: Path) -> None:
    """Pages have it as it is; sanitizing it for feeds would open each element again in each paragraph."""
    open_elements = "".join(f"<b id=x{number}><p>" for number in range(1000))
    body = f"Text.\n\n<div>{open_elements}\n"
    root = write_site(
        tmp_path,
        {
            "devlog.toml": 'base_url = "https://log.example.org/"\nhtml = "trusted"\n',
            "content/log/2026-05-01-a.md": f"---\ntitle: A\n---\n{body}",
            "content/log/2026-05-02-b.md": "---\ntitle: B\n---\n<details><summary>Closed</summary>Text</details>\n",
        },
    )
    assert not build_site(root).failed
    assert open_elements in (root / "public/log/2026-05-01-a/index.html").read_text("utf-8")
    feed = (root / "public/index.xml").read_text("utf-8")
    assert len(feed) < 5_000
    assert "&lt;details&gt;" in feed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folders", "text", "included", "settings"),
    [
        (2, _INCLUDES, "<" * 15_600, ""),
        (5, _INCLUDES, "<" * 5_000, ""),
        (30, _INCLUDES, '"' * 10_000, ""),
        (30, _INCLUDES, "字" * 20_000, ""),
        (1, _INCLUDES, "字" * 60_000, ""),
        (1, _TAGGED, "<" * 15_600, _ALL_FULL),
    ],
    ids=["two", "some", "many", "other characters", "long", "tags"],
)
def test_one_more_short_post_is_in_feeds_for_what_its_source_allows(
    tmp_path: Path, folders: int, text: str, included: str, settings: str
) -> None:
    lines = "".join(f"{included[start : start + 80]}\n" for start in range(0, len(included), 80))
    files = {"devlog.toml": f'base_url = "https://e.org/"\n{settings}', "content/a": lines}
    sizes = []
    for count in (1, 4):
        paths = [f"{'b/' * folders}2026-1-{number}.md" for number in range(1, count + 1)]
        root = write_site(tmp_path / str(count), {**files, **{f"content/{path}": text for path in paths}})
        report = build_site(root)
        assert not report.failed, report.diagnostics
        written = sum(len(path) + len(text) for path in paths)
        outputs = read_tree(root / "public").items()
        # Those of the whole site have the newest posts, however many others there are.
        sizes.append((written, sum(len(data) for path, data in outputs if path not in _OF_THE_SITE)))
    (source, output), (more_source, more_output) = sizes
    assert more_output - output < 15_000 * (more_source - source)


def test_whole_bodies_in_the_feeds_of_a_post_depend_on_its_number_of_feeds(tmp_path: Path) -> None:
    """Also if only another list has changed, as that of a tag."""
    files = {
        "devlog.toml": 'base_url = "https://example.org/"\n[feeds]\ntags = "full"\n',
        "content/log/a.txt": "a line\n" * 4_000,
        "content/log/2026-05-01-a.md": '{{< code file="a.txt" >}}\n',
    }
    root = write_site(tmp_path / "site", files)
    assert not build_site(root).failed
    before = (root / "public/index.xml").read_text()
    files["content/log/2026-05-01-a.md"] = "---\ntags: [one, two, three]\n---\n" + files["content/log/2026-05-01-a.md"]
    for folder in (root, tmp_path / "clean"):
        assert not build_site(write_site(folder, files)).failed
    assert ("<content:encoded>" in before, "<content:encoded>" in (root / "public/index.xml").read_text()) == (
        True,
        False,
    )
    outputs, clean = (read_tree(folder / "public") for folder in (root, tmp_path / "clean"))
    assert {**outputs, MANIFEST: b""} == {**clean, MANIFEST: b""}


def test_escaped_characters_count_as_html() -> None:
    url = "https://x.example/?" + "&" * 3980
    parsed, _, _ = parse(Source("a.md", "a.md", f"[a]: {url}\n\n{'[a] ' * 255}\n"), ParseOptions())
    assert [item.code for item in parsed.diagnostics] == ["expands-too-much"]


_FOLDERS = "/".join("漢" * 60 for _ in range(4))
"""Folders whose names are short for readers and long in URLs."""

_SHORT_LINKS = {
    "links": "[a](q.md)\n",
    "links in HTML": '<a href="q.md">a</a>\n',
    "links to a part": "[a](q.md#)\n",
    "fragments": "[a](#b)\n",
    "definitions": "[q] ",
    "images": "![a](i.png)\n",
}


@pytest.mark.parametrize("name", _SHORT_LINKS)
def test_short_links_to_long_urls_make_no_gigabytes(tmp_path: Path, name: str) -> None:
    text = f"---\ntitle: P\ndate: 2026-05-01\n---\n# b\n\n[q]: q.md\n\n{_SHORT_LINKS[name] * 1000}\n"
    files: dict[str, str | bytes] = {
        "devlog.toml": 'base_url = "https://example.org/"\n',
        f"content/{_FOLDERS}/p.md": text,
        f"content/{_FOLDERS}/q.md": post_text(),
        f"content/{_FOLDERS}/i.png": png(8, 8),
    }
    root = write_site(tmp_path, files)
    report = build_site(root)
    found = [item for item in report.diagnostics if item.code == "expands-too-much"]
    assert [(item.severity, item.span.path) for item in found] == [("error", f"content/{_FOLDERS}/p.md")]
    assert found[0].span.line >= 7
    assert not (root / "public").exists()
    again = build_site(root)
    assert again.diagnostics == report.diagnostics


def test_links_after_the_limit_are_resolved_to_nothing() -> None:
    """What a document repeats counts in each of its holes."""
    config = Config(base_url="https://example.org/")
    links = "".join(f"[a](q.md?{number}) " for number in range(20))
    parsed, _, _ = parse(Source("p.md", "p.md", f"---\ntitle: P\n---\n{links}\n"), ParseOptions())
    index = LinkIndex(config)
    target, _, _ = parse(Source("q.md", "q.md", "Text.\n"), ParseOptions())
    index.add_page(target, "/a/q/")
    assert all(item.link.url and not item.problem for item in resolve_all(index, parsed, "/p/"))
    repeated = msgspec.structs.replace(parsed.document, repeats=((10, 1 << 20),))
    landings = resolve_all(index, msgspec.structs.replace(parsed, document=repeated), "/p/")
    assert [bool(item.link.url) for item in landings] == [True] * 10 + [False] * 10
    assert [item.problem.code for item in landings if item.problem] == ["expands-too-much"]


def test_what_fills_several_holes_is_counted() -> None:
    body = Body(("<p>", 0, Image(1, "<img ", ">"), 0, Anchor("a"), Image(1, "", ""), 2, 0))
    assert body.repeats == ((0, 3), (1, 2))
    assert body.html_size == len("<p><img >")
    assert Body(("<p>字",)).html_size == len("<p>") + 3
    assert Body(("a", 0, 1)).repeats == ()


@pytest.mark.parametrize("text", [f"[a]: #{'x' * 2000}\n\n" + "[a]\n" * 200, "[a](../q.md)\n" * 490])
def test_short_links_in_many_topics_fill_no_feeds(tmp_path: Path, text: str) -> None:
    path = "/".join(["a"] * 20 + ["字" * 60] * 4)
    text = f"---\ntitle: P\ndate: 2026-05-01\n---\n{text}\n"
    files = {
        "devlog.toml": 'base_url = "https://example.org/"\n',
        f"content/{path}/p.md": text,
        f"content/{path.rpartition('/')[0]}/q.md": post_text(),
    }
    root = write_site(tmp_path, files)
    assert not build_site(root).failed
    assert sum(map(len, read_tree(root / "public").values())) < 10 * 1024 * len(text)
    feed = (root / "public/index.xml").read_text()
    assert "<title>P</title>" in feed
    assert feed.count("<content:encoded>") == 1  # that of the other post


def test_redirects_and_authors_of_a_configuration_are_each_looked_up_once(tmp_path: Path) -> None:
    """Reading the file again for each took a minute for 600."""
    counts = []
    for number in (200, 400):
        lines = [f'"/old/{n}/" = "/log/a/"' for n in range(number)]
        people = [f'[authors.a{n}]\nimage = "https://example.org/{n}.png"' for n in range(number)]
        files = {"devlog.toml": "\n".join(["[redirects]", *lines, *people]), "content/log/a.md": post_text()}
        root = write_site(tmp_path / str(number), files)
        counts.append(steps(partial(read_inputs, root, "", StatCache())))
    assert counts[1] < 2.2 * counts[0]
