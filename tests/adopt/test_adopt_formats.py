"""Formats other than Markdown: what had no page before, or has none in devlog, is ignored and reported."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from adopt.old_sites import post
from sites import build_site, read_tree, write_site

from devlog.adopt.adopt import Adopted, adopt

NOW = datetime(2026, 6, 15, tzinfo=UTC)
SHOWN = post("Shown", date="2026-01-02")
QUARTO = {"_quarto.yml": "project:\n  type: website\n", "posts/a.md": SHOWN}
NIKOLA = {"conf.py": "BLOG_TITLE = 'Lumen'\n", "posts/a.md": SHOWN}
PROGRAMS = {
    "Astro": "astro.config.cjs",
    "Docusaurus": "docusaurus.config.mts",
    "Eleventy": "eleventy.config.mts",
    "Gatsby": "gatsby-config.ts",
    "Hexo": "_config.yml",
    "Pelican": "pelicanconf.py",
    "VitePress": "docs/.vitepress/config.ts",
    "VuePress": "docs/.vuepress/config.ts",
}
FOLDERS = {
    "Docusaurus": "blog",
    "Hexo": "source/_posts",
    "VitePress": "docs",
    "VuePress": "docs",
}


def notebook(*cells: str | tuple[str, str], **metadata: Any) -> str:
    """A notebook with cells: raw ones, or each with its type before its text."""
    typed = [cell if isinstance(cell, tuple) else ("raw", cell) for cell in cells]
    written = [
        {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}
        | ({"outputs": [], "execution_count": None} if kind == "code" else {})
        for kind, text in typed
    ]
    return json.dumps({"cells": written, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}, indent=1)


def head(**keys: str) -> str:
    return "---\n" + "".join(f"{key}: {value}\n" for key, value in keys.items()) + "---\n"


PAGE = notebook(head(title="Shown", date="2026-01-03"), ("markdown", "Text.\n"))
DRAFT = notebook(head(title="Hidden", draft="true"), ("markdown", "HIDDEN\n"))


def adopted(root: Path, files: Mapping[str, str]) -> tuple[Adopted, list[str]]:
    """The import of a site, and the paths of its output that contain what must not be published."""
    site = write_site(root, files)
    done = adopt(site, NOW, lambda *_: None, write=True)
    assert done.written
    report = build_site(site)
    assert not report.failed
    output = read_tree(site / report.output)
    return done, [path for path, data in output.items() if b"HIDDEN" in data or b"Hidden" in data]


def report_of(done: Adopted) -> list[str]:
    assert done.adoption
    return [
        *(f"{note.span.path}:{note.span.line}: {note.key} → {note.text}" for note in done.adoption.mapped),
        *(f"{note.span.path}:{note.span.line}: {note.key} – {note.text}" for note in done.adoption.unmapped),
        *(f"{note.span.path}: {note.text}" for note in done.adoption.advice),
    ]


def addresses(done: Adopted) -> tuple[str, ...]:
    assert done.trial
    return done.trial.addresses


QUARTO_DRAFTS = {
    "undated": {"posts/plan.ipynb": DRAFT},
    "named": {"posts/plan.ipynb": DRAFT, "posts/b.md": post("B", "[plan](plan.ipynb)", date="2026-01-04")},
    "dated": {"posts/2026-01-05-x.ipynb": DRAFT},
    "later cell": {
        "posts/2026-01-05-x.ipynb": notebook(
            ("markdown", "# Hidden\n"), ("code", "1\n"), ("markdown", head(draft="yes"))
        )
    },
    "folder": {
        "posts/wip/_metadata.yml": "draft: true\n",
        "posts/wip/2026-01-05-x.ipynb": notebook(head(title="Hidden")),
        "posts/wip/b.md": post("B", date="2026-01-04", draft="false"),
    },
    "not rendered": {
        "_quarto.yml": "project:\n  render: [posts/*.md]\n",
        "posts/2026-01-05-x.ipynb": notebook(head(title="Hidden")),
    },
    "underscored": {"posts/_lab/2026-01-05-x.ipynb": notebook(head(title="Hidden"))},
    "another language": {"posts/x.qmd": post("Hidden"), "posts/b.md": post("B", "[x](x.qmd)", date="2026-01-04")},
    "R": {"posts/x.Rmd": post("Hidden"), "posts/b.md": post("B", "[x](x.Rmd)", date="2026-01-04")},
    "html": {"posts/x.html": "<title>Hidden</title>"},
}


@pytest.mark.parametrize("name", QUARTO_DRAFTS)
def test_what_quarto_does_not_publish_is_not_published(name: str, tmp_path: Path) -> None:
    files = {**QUARTO, **QUARTO_DRAFTS[name]}
    done, hidden = adopted(tmp_path, files)
    assert hidden == []
    assert len(addresses(done)) == len([file for file in files if file.endswith(".md")])
    assert not done.left_out


def test_a_draft_notebook_is_reported_with_its_line(tmp_path: Path) -> None:
    done, _ = adopted(tmp_path, {**QUARTO, "posts/2026-01-05-x.ipynb": DRAFT})
    assert "posts/2026-01-05-x.ipynb:9: draft → ignore = [“/2026-01-05-x.ipynb”]" in report_of(done)
    assert DRAFT.split("\n")[8].strip() == '"draft: true\\n",'


NIKOLA_DRAFTS = {
    "dated": {"posts/2026-01-05-y.ipynb": notebook(nikola={"title": "Hidden", "status": "draft"})},
    "private": {"posts/2026-01-05-y.ipynb": notebook(nikola={"title": "Hidden", "status": "private"})},
    "tags": {"posts/2026-01-05-y.ipynb": notebook(nikola={"title": "Hidden", "tags": "x, draft"})},
    "later": {"posts/2026-01-05-y.ipynb": notebook(nikola={"title": "Hidden", "date": "2026-07-01 10:00"})},
    "undated": {"posts/x.ipynb": notebook(nikola={"title": "Hidden", "status": "draft"})},
    "meta": {
        "posts/2026-01-05-w.ipynb": notebook(("markdown", "# Hidden\n")),
        "posts/2026-01-05-w.meta": ".. title: Hidden\n.. status: draft\n",
    },
}


@pytest.mark.parametrize("name", NIKOLA_DRAFTS)
def test_what_nikola_does_not_publish_is_not_published(name: str, tmp_path: Path) -> None:
    done, hidden = adopted(tmp_path, {**NIKOLA, **NIKOLA_DRAFTS[name]})
    assert hidden == []
    assert addresses(done) == ("/posts/a/",)
    assert not done.left_out


@pytest.mark.parametrize("old", [QUARTO, NIKOLA])
def test_notebooks_that_would_be_downloads_are_ignored_and_reported(old: Mapping[str, str], tmp_path: Path) -> None:
    files = {
        "posts/2026-01-03-page.ipynb": PAGE,
        "posts/sub/index.ipynb": PAGE,
        "posts/sub/2026-01-04-x.ipynb": notebook(("markdown", "HIDDEN\n")),
        "posts/plain.ipynb": notebook(("markdown", "HIDDEN\n")),
    }
    done, hidden = adopted(tmp_path, {**old, **files})
    assert hidden == []
    assert len(addresses(done)) == 3
    (line,) = [line for line in report_of(done) if "notebooks ignored" in line]
    assert line.startswith("posts/plain.ipynb: 2 notebooks ignored that had a page in ")


@pytest.mark.parametrize("other", PROGRAMS)
def test_notebooks_of_other_generators_are_published_only_if_a_post_names_them(other: str, tmp_path: Path) -> None:
    folder = FOLDERS.get(other, "posts")
    files = {
        PROGRAMS[other]: "title: Lumen\nnew_post_name: :title.md\n" if other == "Hexo" else "",
        f"{folder}/a.md": post("A", "See [it](named.ipynb).", date="2026-01-02"),
        f"{folder}/named.ipynb": PAGE,
        f"{folder}/2026-01-05-x.ipynb": notebook(("markdown", "HIDDEN\n")),
    }
    done, hidden = adopted(tmp_path, files)
    assert hidden == []
    assert len(addresses(done)) == 1
    assert any("1 file ignored that " in line and " makes no pages of" in line for line in report_of(done))


@pytest.mark.parametrize(
    ("other", "name"),
    [
        ("Docusaurus", "x.html"),
        ("Docusaurus", "x.markdown"),
        ("VitePress", "x.htm"),
        ("VuePress", "x.markdown"),
        ("Eleventy", "x.markdown"),
        ("Gatsby", "x.html"),
        ("Astro", "x.html"),
    ],
)
def test_formats_that_a_generator_makes_no_pages_of_are_ignored(other: str, name: str, tmp_path: Path) -> None:
    folder = FOLDERS.get(other, "posts")
    files = {PROGRAMS[other]: "", f"{folder}/a.md": SHOWN, f"{folder}/{name}": post("Hidden", date="2026-01-02")}
    done, hidden = adopted(tmp_path, files)
    assert hidden == []
    assert len(addresses(done)) == 1


@pytest.mark.parametrize("key", [{"draft": "true"}, {"published": "false"}])
def test_what_only_drafts_name_is_not_published(key: Mapping[str, str], tmp_path: Path) -> None:
    files = {
        "docusaurus.config.js": "",
        "blog/a.md": SHOWN,
        "blog/b.md": post("Draft", "[it](secret.txt) [too](x.ipynb)", date="2026-01-03", **key),
        "blog/secret.txt": "HIDDEN\n",
        "blog/x.ipynb": notebook(("markdown", "HIDDEN\n")),
    }
    _, hidden = adopted(tmp_path, files)
    assert hidden == []


def test_html_pages_of_astro_are_published(tmp_path: Path) -> None:
    files = {"astro.config.js": "", "src/a.md": SHOWN, "src/pages/x.html": post("Shown"), "src/y.html": post("Hidden")}
    done, hidden = adopted(tmp_path, files)
    assert hidden == []
    assert len(addresses(done)) == 2


@pytest.mark.parametrize("name", ["lab/_posts/plan.ipynb", "lab/_posts/plan.rst", "_posts/2026-01-03-x.ipynb"])
def test_what_is_no_post_of_jekyll_among_its_posts_is_ignored(name: str, tmp_path: Path) -> None:
    files = {"_config.yml": "title: Lumen\n", "_posts/2026-01-02-a.md": SHOWN, name: notebook(("markdown", "HIDDEN\n"))}
    _, hidden = adopted(tmp_path, files)
    assert hidden == []


@pytest.mark.parametrize("name", ["My Site.lektorproject", "lektor.lektorproject"])
def test_the_configuration_of_lektor_may_have_any_name(name: str, tmp_path: Path) -> None:
    files = {
        name: "[project]\nname = Lumen\n",
        "content/a.md": SHOWN,
        "content/internal/contents.lr": "_hidden: yes\n",
        "content/internal/salaries.csv": "HIDDEN\n",
    }
    done, hidden = adopted(tmp_path, files)
    assert hidden == []
    assert any("configuration of Lektor" in line for line in report_of(done))


def test_a_damaged_notebook_hides_nothing_but_itself(tmp_path: Path) -> None:
    files = {
        "posts/2026-01-05-x.ipynb": "{" + "[" * 5000,
        "posts/y.ipynb": '{"cells": [1, {"cell_type": "raw", "source": 5}], "metadata": []}',
        "posts/2026-01-06-z.ipynb": notebook(head(draft="true")).replace('"cells": [', '"cells": [7,'),
    }
    done, _ = adopted(tmp_path, {**QUARTO, **files})
    assert addresses(done) == ("/a/",)
    assert list(done.left_out) == ["posts/2026-01-05-x.ipynb"]
