"""What pages show of reading paths, and which of them an edit renders again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from path_site import LETTERS, page_of, path, path_of, path_site, post
from sites import build_site, read_tree, write_site
from steps import steps

from devlog.assemble.pages import MOST_STARTS
from devlog.features.reading_paths import derive
from devlog.features.reading_paths.assemble import MOST_SHOWN
from devlog.model.report import Report


def built(root: Path, **options: object) -> Report:
    report = build_site(root, **options)
    assert report.written is not None
    return report


def pages(root: Path) -> dict[str, str]:
    return {name: data.decode() for name, data in read_tree(root / "public").items() if name.endswith(".html")}


def changed(root: Path, files: dict[str, str | bytes]) -> set[str]:
    """The pages that an edit changes; a clean build of the same files makes the same ones."""
    before = pages(root)
    write_site(root, files)
    built(root)
    after = pages(root)
    built(root, cache=False, output=str(root / "clean"))
    clean = {name: data.decode() for name, data in read_tree(root / "clean").items() if name.endswith(".html")}
    assert after == clean
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def codes(report: Report) -> list[str]:
    return [problem.code for problem in report.diagnostics if problem.severity != "info"]


@pytest.mark.slow
def test_an_edit_of_a_path_changes_the_posts_that_it_concerns(tmp_path: Path) -> None:
    root = write_site(tmp_path, path_site({"start": path("abc")}))
    built(root)
    edits = {"content/start.md": path("acb")}
    assert changed(root, edits) == {"start/index.html", *map(page_of, "abc")}  # a has another next step
    edits = {"content/start.md": path("acb").replace("Why c.", "Another reason.")}
    assert changed(root, edits) == {"start/index.html"}
    edits = {"content/start.md": path("acbd")}
    assert changed(root, edits) == {"start/index.html", "index.html", *map(page_of, "abcd")}


@pytest.mark.slow
def test_an_edit_of_a_post_changes_the_paths_that_it_is_on(tmp_path: Path) -> None:
    root = write_site(tmp_path, path_site({"start": path("abc")}))
    built(root)
    longer = post("c", "Words.\n\n<!-- more -->\n\n" + "word " * 1000)
    once = changed(root, {f"content/{path_of('c')}": longer})
    assert {"start/index.html", page_of("c")} <= once
    assert not once & {page_of("a"), page_of("b")}
    renamed = changed(root, {f"content/{path_of('c')}": longer.replace("Post C", "Renamed")})
    assert {"start/index.html", page_of("b"), page_of("c")} <= renamed
    assert page_of("e") not in renamed


@pytest.mark.slow
def test_a_post_that_is_renamed_or_gone_is_reported_and_left_out(tmp_path: Path) -> None:
    root = write_site(tmp_path, path_site({"start": path("abc")}))
    assert codes(built(root)) == []
    (root / "content" / path_of("b")).rename(root / "content/storage/2026-05-02-beta.md")
    report = built(root)
    assert codes(report) == ["broken-link"]
    (problem,) = report.diagnostics
    assert (problem.span.path, problem.span.line, problem.span.column) == ("content/start.md", 7, 11)
    assert "Step 2 of 2" in pages(root)[page_of("c")]
    assert "path-place" not in pages(root)["storage/2026-05-02-beta/index.html"]


@pytest.mark.slow
def test_a_post_on_many_paths_shows_some_of_them(tmp_path: Path) -> None:
    root = write_site(tmp_path, path_site({f"path{number}": path("ab", f"Path {number}") for number in range(9)}))
    built(root)
    assert re.findall(r'data-path="/log/(\w+)/"', pages(root)[page_of("a")]) == ["path0", "path1", "path2"][:MOST_SHOWN]


@pytest.mark.slow
@pytest.mark.feature("markdown_versions")
def test_the_home_page_lists_some_paths_before_the_posts(tmp_path: Path) -> None:
    names = [f"path{number:02}" for number in range(MOST_STARTS + 3)]
    site = path_site({name: path("ab", name) for name in names} | {"zed": path("a", "First", "weight: 1\n")})
    site["content/path05.md"] = path("ab", "path05", "draft: true\n")
    root = write_site(tmp_path, site)
    built(root)
    home = pages(root)["index.html"]
    listed = re.findall(r'class="start-title" href="/log/(\w+)/"', home)
    assert listed == ["zed", *(name for name in names if name != "path05")][:MOST_STARTS]
    assert home.index("devlog:start") < home.index("devlog:recent")
    llms = (root / "public/llms.txt").read_text("utf-8")
    assert "path05" not in llms
    assert f"[{names[-1]}]" in llms
    built(root, drafts=True)
    assert "path05" not in re.findall(r'class="start-title" href="/log/(\w+)/"', pages(root)["index.html"])


@pytest.mark.slow
def test_drafts_on_a_path_show_in_builds_with_drafts(tmp_path: Path) -> None:
    site = path_site({"start": path("abc")})
    site[f"content/{path_of('b')}"] = post("b", keys="draft: true\n")
    root = write_site(tmp_path, site)
    assert codes(built(root)) == ["link-to-unpublished"]
    assert "Step 2 of 2" in pages(root)[page_of("c")]
    assert codes(built(root, drafts=True)) == []
    assert "Step 3 of 3" in pages(root)[page_of("c")]


@pytest.mark.slow
def test_a_theme_of_the_site_can_place_the_paths(tmp_path: Path) -> None:
    site = path_site({"start": path("ab")})
    site["templates/home.html"] = (
        '{% extends "default/home.html" %}{% block main %}'
        "{% for path in starts %}<b>{{ path.title }} {{ path.count }}</b>{% endfor %}{% endblock %}\n"
    )
    root = write_site(tmp_path, site)
    built(root)
    assert "<b>Start 2</b>" in pages(root)["index.html"]


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["default", "paper"])
def test_every_theme_shows_paths_without_a_script(tmp_path: Path, theme: str) -> None:
    site = path_site({"start": path("abc", keys="before: [Patience]\n")})
    site["devlog.toml"] = f'theme = "{theme}"\ncontent_security_policy = true\n'
    root = write_site(tmp_path, site)
    assert codes(built(root)) == []
    found = {name: re.sub(r"<[^>]+>", "", text) for name, text in pages(root).items()}
    for name in ("start/index.html", page_of("b"), "index.html"):
        assert "<script>" not in pages(root)[name]
    assert "Why b." in found["start/index.html"]
    assert "Patience" in found["start/index.html"]
    assert all(words in found[page_of("b")] for words in ("Step 2 of 3 in Start", "Next: Post C", "Previous: Post A"))
    assert "About Start" in found["index.html"]


def test_what_writers_write_is_text(tmp_path: Path) -> None:
    nasty = "</p><script>alert(1)</script>{{ site.title }}"
    keys = f"before: ['{nasty} x', 'javascript:alert(1)/x']\n"
    site = path_site({"start": path("ab", f"'{nasty}'", keys).replace("Why a.", f"'{nasty}'").replace("About", "A")})
    root = write_site(tmp_path, site)
    report = built(root)
    assert codes(report) == ["broken-link"]
    for name, text in pages(root).items():
        assert "<script>alert" not in text, name
        assert 'href="javascript:' not in text, name
    assert "{{ site.title }}" in pages(root)["start/index.html"]


@pytest.mark.slow
@pytest.mark.feature("markdown_versions")
def test_markdown_versions_follow_an_edit_that_no_template_shows(tmp_path: Path) -> None:
    site = path_site({"start": path("abc")})
    plain = '{% extends "base.html" %}{% block main %}{{ content }}{% endblock %}'
    root = write_site(tmp_path, {**site, "templates/page.html": plain, "templates/home.html": plain})
    built(root)
    edited = path("acbd")
    for edit in (edited, edited.replace("About Start", "Another beginning")):
        changed(root, {"content/start.md": edit})
        made = {name: data for name, data in read_tree(root / "public").items() if name.endswith((".md", "llms.txt"))}
        clean = {name: data for name, data in read_tree(root / "clean").items() if name.endswith((".md", "llms.txt"))}
        assert made == clean
        assert b"4. [Post D]" in made["start/index.md"]
    assert b"(4 logs): Another beginning" in made["index.md"]


@pytest.mark.slow
def test_feeds_are_as_without_paths(tmp_path: Path) -> None:
    def feeds(root: Path) -> dict[str, bytes]:
        return {name: data for name, data in read_tree(root / "public").items() if name.endswith((".xml", "feed.json"))}

    with_path = write_site(tmp_path / "a", path_site({"start": path("abc")}))
    without = write_site(tmp_path / "b", path_site({"start": path("").replace("reading_path:\n", "")}))
    built(with_path)
    built(without)
    assert feeds(with_path) == feeds(without)


def test_a_site_without_paths_loads_nothing_for_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(derive, "_resolve", lambda *arguments: asked.append(arguments))
    root = write_site(tmp_path, path_site({"about": "---\ntitle: About\nstatus: current\n---\nText.\n"}))
    built(root)
    assert asked == []
    for name, text in pages(root).items():
        assert "paths.js" not in text, name
        assert "devlog:start" not in text, name


@pytest.mark.slow
def test_work_grows_with_the_number_of_paths_and_not_with_its_square(tmp_path: Path) -> None:
    def work(count: int) -> int:
        names = [f"path{number:03}" for number in range(count)]
        root = write_site(tmp_path / str(count), path_site({name: path(LETTERS, name) for name in names}))
        return steps(lambda: built(root, cache=False))

    built(write_site(tmp_path / "warm", path_site({"start": path("ab")})))  # what is loaded once
    few, some, many = work(5), work(20), work(50)
    assert (many - some) / 30 < 1.5 * (some - few) / 15
