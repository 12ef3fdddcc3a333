"""The Markdown versions of pages in published sites and in the preview."""

from __future__ import annotations

import datetime
import re
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml
from agents.log_site import LOG, built, published
from catalogs import ENGLISH
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html
from serve.serve_sites import ORIGIN, data_of, shown
from sites import NOW, build_site, read_tree, write_site

from devlog.engine.jobs import Jobs
from devlog.features.markdown_versions.render import page as markdown_version_module
from devlog.model.markdown import scalar
from devlog.model.outpath import markdown_path_of
from devlog.render.messages import IN_MARKDOWN
from devlog.serve.preview import Options, Preview
from devlog.serve.responses import Data


def front_matter(markdown: str) -> dict[str, Any]:
    _, block, _ = markdown.split("---\n", 2)
    found: dict[str, Any] = yaml.safe_load(block)
    return found


def test_a_log_has_a_markdown_version_beside_it(tmp_path: Path) -> None:
    markdown = built(tmp_path)["storage/2026-05-01-pages/index.md"]
    assert front_matter(markdown) == {
        "title": "Pages: “how” they are written #1",
        "url": "https://lumen.example/log/storage/2026-05-01-pages/",
        "date": datetime.date(2026, 5, 1),
        "updated": datetime.date(2026, 5, 3),
        "authors": ["Ada Quill (@adaquill)", "Bo Reed"],
        "topic": "Storage",
        "tags": ["wal", "C++"],
        "summary": "What a page holds.",
    }
    assert markdown.split("---\n", 2)[2] == (
        "\n# Pages: “how” they are written #1\n\n"
        "See [joins](https://lumen.example/log/planner/2026-04-01-joins/#how), the\n"
        "[plan](https://lumen.example/log/files/plan.txt) and [below](https://lumen.example/log/storage/2026-05-01-pages/#end).\n\n"
        "![A page](https://lumen.example/log/storage/page.png)\n\n## End\n"
    )


@pytest.mark.parametrize(
    ("path", "lines"),
    [
        (
            "index.md",
            [
                "# Lumen",
                "The log of \\*a\\* database & more",
                "## Recent logs",
                (
                    "- [Pages: “how” they are written #1](https://lumen.example/log/storage/2026-05-01-pages/index.md)"
                    " (2026-05-01): What a page holds."
                ),
                "- [Storage](https://lumen.example/log/storage/index.md) (1 log): Where pages &lt;are>",
                "- [Archive](https://lumen.example/log/archive/index.md)",
            ],
        ),
        ("storage/index.md", ["# Storage", "The storage *team* writes here.", "## Logs"]),
        (
            "authors/index.md",
            ["# Authors", "- [Ada Quill](https://lumen.example/log/authors/adaquill/index.md) (2 logs)"],
        ),
        ("authors/adaquill/index.md", ["# Ada Quill", "- @adaquill", "## Logs"]),
        ("tags/index.md", ["# Tags", "- [C++](https://lumen.example/log/tags/c++/index.md) (1 log)"]),
        ("tags/wal/index.md", ["# Tag: wal", "## Logs"]),
        pytest.param(
            "archive/index.md",
            [
                "# Archive",
                "## 2026",
                "- [Joins](https://lumen.example/log/planner/2026-04-01-joins/index.md) (2026-04-01, historical)",
            ],
            marks=pytest.mark.feature("supersession"),
        ),
        ("about/index.md", ['title: "About"', "# About", "Who we are."]),
        ("old/page.md", ['url: "https://lumen.example/log/old/page.html"', "# Old", "**Bold** words"]),
    ],
)
def test_pages_of_all_kinds_have_markdown_versions(tmp_path: Path, path: str, lines: list[str]) -> None:
    found = built(tmp_path)[path].splitlines()
    assert [line for line in lines if line not in found] == []


@pytest.mark.slow
def test_every_page_but_those_without_names_its_markdown_version(tmp_path: Path) -> None:
    for theme in ("default", "paper"):
        tree = built(tmp_path / theme, theme=theme)
        pages = {path: html.document_fromstring(data) for path, data in tree.items() if path.endswith(".html")}
        named = {
            path: [link.rpartition("/log/")[2] for link in page.xpath("//link[@type='text/markdown']/@href")]
            for path, page in pages.items()
        }
        assert named.pop("404.html") == []
        assert named.pop("subscribe/index.html", []) == []  # not in every theme
        assert named.pop("was/index.html") == []  # a redirect
        assert named == {path: [markdown_path_of(path)] for path in named}
        assert {markdown for (markdown,) in named.values()} == {path for path in tree if path.endswith(".md")}
        log = pages["storage/2026-05-01-pages/index.html"]
        assert log.xpath("//footer//a[@type='text/markdown']/text()") == ["Markdown"]


def test_every_page_of_a_list_has_its_own_markdown_version(tmp_path: Path) -> None:
    tree = built(tmp_path, "page_size = 1\n")
    assert "- [Older logs](https://lumen.example/log/archive/page/2/index.md)" in tree["archive/index.md"]
    second = tree["archive/page/2/index.md"]
    assert "# Archive, page 2\n" in second
    assert "- [Newer logs](https://lumen.example/log/archive/index.md)" in second


def test_without_an_address_links_begin_at_the_root(tmp_path: Path) -> None:
    tree = built(tmp_path, base_url="")
    assert "See [joins](/planner/2026-04-01-joins/#how)" in tree["storage/2026-05-01-pages/index.md"]
    assert 'url: "/storage/2026-05-01-pages/"' in tree["storage/2026-05-01-pages/index.md"]


@pytest.mark.slow
@pytest.mark.parametrize("key", ["markdown", "twins"])  # as it was called first
def test_markdown_versions_can_be_turned_off_and_on(tmp_path: Path, key: str) -> None:
    on = built(tmp_path)
    off = built(tmp_path, f"[llms]\n{key} = false\n")
    assert [path for path in off if path.endswith(".md")] == []
    assert "text/markdown" not in off["storage/2026-05-01-pages/index.html"]
    assert built(tmp_path) == on


@pytest.mark.slow
def test_a_markdown_version_that_was_taken_away_comes_back(tmp_path: Path) -> None:
    tree = built(tmp_path)
    (tmp_path / "public/storage/2026-05-01-pages/index.md").unlink()
    (tmp_path / "public/index.md").write_text("edited", "utf-8")
    build_site(tmp_path)
    assert published(tmp_path) == tree


def test_a_file_in_the_place_of_a_markdown_version_is_told(tmp_path: Path) -> None:
    write_site(tmp_path, {**LOG, "static/storage/2026-05-01-pages/index.md": "mine"})
    report = build_site(tmp_path)
    (problem,) = [item for item in report.diagnostics if item.severity == "error"]
    assert problem.code == "colliding-url"
    assert "storage/2026-05-01-pages/index.md" in problem.message
    assert not (tmp_path / "public").exists()


@pytest.mark.slow
def test_drafts_have_no_markdown_version(tmp_path: Path) -> None:
    for data in built(tmp_path).values():
        assert "Secret" not in data
    assert "Secret" in built(tmp_path / "again", drafts=True)["storage/secret/index.md"]


@pytest.mark.slow
def test_an_edit_of_a_text_writes_its_markdown_version_only(tmp_path: Path) -> None:
    built(tmp_path)
    file = tmp_path / "content/storage/2026-05-01-pages.md"
    file.write_bytes(file.read_bytes() + b"\nMore words.\n")
    written = build_site(tmp_path).written
    assert [path for path in written if path.endswith(".md")] == ["storage/2026-05-01-pages/index.md"]


@pytest.mark.slow
def test_a_theme_that_shows_little_does_not_keep_markdown_versions_old(tmp_path: Path) -> None:
    write_site(tmp_path, {**LOG, "templates/post.html": "{{ page.title }}"})
    assert [item for item in build_site(tmp_path).diagnostics if item.severity == "error"] == []
    file = tmp_path / "content/planner/2026-04-01-joins.md"
    file.write_bytes(file.read_bytes() + b"\nMore words.\n")
    build_site(tmp_path)
    assert "More words." in published(tmp_path)["planner/2026-04-01-joins/index.md"]


# -- whatever a text says


@pytest.mark.slow
@given(text=st.text())
def test_any_text_is_a_value_of_yaml(text: str) -> None:
    clean = text.encode("utf-8", "replace").decode()
    assert yaml.safe_load(f"title: {scalar(text)}\nnext: 1\n") == {"title": clean, "next": 1}


EVIL = ["a: b", "- c", "---", '"q"', "'", "#", "]", "](x)", "`", "*", "\\", "\u2028", "<script>", "{{ x }}", "日"]


@pytest.mark.slow
@settings(max_examples=25)
@given(title=st.lists(st.sampled_from(EVIL), min_size=1, max_size=4).map(" ".join))
def test_whatever_a_title_says_it_stays_a_title(tmp_path_factory: pytest.TempPathFactory, title: str) -> None:
    title = f"T {title}"
    value = scalar(title)
    text = f"---\ntitle: {value}\ndate: 2026-05-01\nauthor: {value}\ntags: [{value}]\n---\nWords.\n"
    root = write_site(
        tmp_path_factory.mktemp("evil"), {"devlog.toml": "", "content/a/b.md": text, "content/a/_index.md": ""}
    )
    build_site(root)
    tree = published(root)
    markdown = tree["a/b/index.md"]
    known = front_matter(markdown)
    assert known["title"].split() == title.split()
    assert markdown.endswith("\n\nWords.\n")
    assert len([line for line in tree["a/index.md"].splitlines() if line.startswith("- ")]) == 1
    assert len([line for line in tree["llms.txt"].splitlines() if line.startswith("- [") and "/a/b/" in line]) == 1


# -- the preview


def test_the_preview_shows_markdown_versions_and_follows_edits(tmp_path: Path) -> None:
    write_site(tmp_path, LOG)
    jobs = Jobs()
    with closing(Preview(Options(tmp_path, ORIGIN, now=lambda: NOW, jobs=1, search=False), jobs)) as preview:
        preview.change(frozenset())
        path = "planner/2026-04-01-joins/index.md"
        answer = shown(preview, jobs, path)
        assert isinstance(answer, Data)
        assert answer.media_type == "text/markdown"
        assert b"How rows meet." in answer.data
        file = tmp_path / "content/planner/2026-04-01-joins.md"
        file.write_bytes(file.read_bytes() + b"\nMore words.\n")
        preview.change(frozenset({"content/planner/2026-04-01-joins.md"}))
        assert b"More words." in data_of(shown(preview, jobs, path))
        assert data_of(shown(preview, jobs, "planner/2026-04-01-joins/index.html")).startswith(b"<!doctype html>")


@pytest.mark.slow
def test_the_preview_shows_what_is_published(tmp_path: Path) -> None:
    write_site(tmp_path, LOG)
    build_site(tmp_path, base_url=f"{ORIGIN}/log/")
    tree = read_tree(tmp_path / "public")
    jobs = Jobs()
    with closing(
        Preview(Options(tmp_path, ORIGIN, drafts=False, now=lambda: NOW, jobs=1, search=False), jobs)
    ) as preview:
        preview.change(frozenset())
        for path in tree:
            if path.endswith((".md", ".txt", "posts.json")):
                assert data_of(shown(preview, jobs, path)) == tree[path], path


@pytest.mark.slow
def test_a_page_as_markdown_has_the_words_of_the_site(tmp_path: Path) -> None:
    keys = {*IN_MARKDOWN} - {"thousands_separator"}
    catalog = {key: f"<{key}>" + "".join(f" {{{name}}}" for name in ENGLISH.messages[key].placeholders) for key in keys}
    before = built(tmp_path)
    write_site(tmp_path, {"i18n/en.toml": "".join(f'{key} = "{text}"\n' for key, text in catalog.items())})
    after = {path: text for path, text in built(tmp_path).items() if path.endswith(".md")}
    assert after.keys() == {path for path in before if path.endswith(".md")}
    assert "\n## &lt;recent_logs>\n" in after["index.md"]
    assert "(&lt;log_count> 1)" in after["tags/index.md"]
    assert not any(re.search(r"^## Logs$|\d logs\)", text, re.MULTILINE) for text in after.values())


def test_the_words_of_a_page_as_markdown_are_known() -> None:
    """They are in its key."""
    assert {*re.findall(r"\bt\(.(\w+).[,)]", Path(str(markdown_version_module.__file__)).read_text("utf-8"))} == {
        *IN_MARKDOWN - {"thousands_separator"}
    }
