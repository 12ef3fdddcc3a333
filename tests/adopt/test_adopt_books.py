"""Sites of Jupyter Book, MyST and mdBook: what is in their contents, at its own URLs. Bridgetown is refused."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from adopt.old_sites import post
from adopt.test_translation import adoption_of, config_of
from sites import build_site, write_site

from devlog.adopt.adopt import Adopted, adopt
from devlog.adopt.detect import detect
from devlog.adopt.survey import Survey

NOW = datetime(2026, 6, 1, tzinfo=UTC)
MDBOOK = {
    "book.toml": """\
[book]
title = "The Lumen handbook"
language = "en"
src = "pages"

[output.html.redirect]
"/ops/old.html" = "restart.html"
"/away.html" = "https://storage.example.org/"
""",
    "pages/SUMMARY.md": """\
# Summary

- [Start](./start.md)
  - [Restart](ops/restart.md#how)
  - [Later]()
- [Disks](My%20Disks.md)
<!-- - [Unready](unready.md) -->
""",
    "pages/start.md": "# Start\n\nSee [restarts](ops/restart.md).\n",
    "pages/ops/restart.md": "# Restart\n\n{{#include ../start.md}}\n",
    "pages/My Disks.md": "# Disks\n",
    "pages/unready.md": "# Unready\n",
    "pages/plan.txt": "A plan\n",
}
JUPYTER = {
    "_config.yml": """\
title: Lumen notes
only_build_toc_files: true
exclude_patterns: [_build, "drafts/*"]
html:
  baseurl: https://lumen.example.org/notes/
""",
    "_toc.yml": """\
format: jb-book
root: intro
parts:
  - caption: Disks
    chapters:
      - file: disks/first
      - glob: disks/dated-*
        sections: [{file: disks/deep/second.md}]
      - file: drafts/plan
""",
    "intro.md": "# Intro\n\n```{note}\nRead this.\n```\n",
    "disks/first.md": "# First\n",
    "disks/dated-one.md": "# One\n",
    "disks/deep/second.md": "# Second\n",
    "disks/unlisted.md": "# Unlisted\n",
    "disks/study.ipynb": '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}\n',
    "drafts/plan.md": "# Plan\n",
    "_build/html/intro.md": "# Old output\n",
    "disks/comment.md": "# Comment\n",
}
MYST = {
    "myst.yml": """\
version: 1
project:
  title: Lumen notes
  description: What we learn
  exclude: [drafts/*]
  toc:
    - file: start.md
    - title: Disks
      children:
        - file: disks/First.md
        - file: disks/01_second.md
        - file: disks/hidden.md
        - file: drafts/plan.md
""",
    "start.md": "# Start\n\n```\n% in code\n```\n",
    "disks/First.md": "# First\n",
    "disks/01_second.md": "# Second\n",
    "disks/hidden.md": "# Hidden\n\n% Our password is swordfish.\n",
    "disks/unlisted.md": "# Unlisted\n",
    "drafts/plan.md": "# Plan\n",
}


def adopted(root: Path, files: dict[str, str]) -> Adopted:
    done = adopt(write_site(root, files), NOW, lambda *_: None, write=True)
    assert done.adoption
    assert not done.left_out
    assert not build_site(root).failed
    return done


def pages(root: Path) -> set[str]:
    """The published pages that are not devlog's own lists."""
    own = ("authors", "tags", "archive", "search", "subscribe", "404.html", "index.html")
    found = (path.relative_to(root).as_posix() for path in root.rglob("*.html"))
    return {path for path in found if not path.startswith((*own, "disks/index", "disks/deep/index", "ops/index"))}


def advice(done: Adopted) -> list[str]:
    assert done.adoption
    return [f"{note.span.path}: {note.text}" for note in done.adoption.advice if note.span.path]


def test_mdbook_publishes_what_its_summary_lists(tmp_path: Path) -> None:
    root = tmp_path / "site"
    done = adopted(root, MDBOOK)
    assert pages(root / "public") == {
        "start.html",
        "ops/restart.html",
        "my-disks.html",
        "ops/old.html",
        "away.html",
    }
    assert "/ops/restart.html" in (root / "public/ops/old.html").read_text("utf-8")
    assert (root / "public/plan.txt").is_file()
    told = "\n".join(advice(done))
    assert "pages/ops/restart.md: 1 file with tags of mdBook" in told
    assert "1 file with another path in URLs than in mdBook" in told
    assert "pages/unready.md" not in told
    assert done.adoption
    assert [note.text for note in done.adoption.mapped if note.key == "SUMMARY.md"] == [
        "ignore = [“/SUMMARY.md”, “/unready.md”]"
    ]


def test_readmes_of_mdbook_are_the_pages_of_folders(tmp_path: Path) -> None:
    files = {
        "book.toml": "[book]\n",
        "src/SUMMARY.md": "- [A](ops/README.md)\n- [B](b.md)\n",
        "src/ops/README.md": "# A\n",
        "src/b.md": "# B\n",
    }
    told = "\n".join(advice(adopted(tmp_path / "site", files)))
    assert "src/ops/README.md: 1 file named README, of which mdBook makes the page of the folder" in told


def test_jupyter_book_publishes_what_its_table_of_contents_lists(tmp_path: Path) -> None:
    root = tmp_path / "site"
    done = adopted(root, JUPYTER)
    assert done.adoption
    assert config_of(done.adoption).base_url == "https://lumen.example.org/notes/"
    assert config_of(done.adoption).title == "Lumen notes"
    shown = pages(root / "public")
    assert shown == {"intro.html", "disks/first.html", "disks/dated-one.html", "disks/deep/second.html"}
    assert not list((root / "public").rglob("*.ipynb"))
    assert any("intro.md: 1 file with tags of Jupyter Book" in text for text in advice(done))


def test_a_jupyter_book_publishes_all_files_by_default(tmp_path: Path) -> None:
    root = tmp_path / "site"
    files = {**JUPYTER, "_config.yml": "title: Lumen notes\nexclude_patterns: ['drafts/*']\n"}
    adopted(root, files)
    assert "disks/unlisted.html" in pages(root / "public")
    assert not {"drafts/plan.html", "_build/html/intro.html"} & pages(root / "public")


def test_myst_publishes_what_its_table_of_contents_lists(tmp_path: Path) -> None:
    root = tmp_path / "site"
    done = adopted(root, MYST)
    assert done.adoption
    assert pages(root / "public") == {"start/index.html", "first/index.html", "01_second/index.html"}
    assert any("disks/01_second.md: 1 file with numbers at the beginning of the name" in text for text in advice(done))
    (note,) = [note for note in done.adoption.unmapped if note.span.path == "disks/hidden.md"]
    assert (note.span.line, note.text[:13]) == (3, "ignored until")


def test_folders_in_urls_of_myst(tmp_path: Path) -> None:
    files = {**MYST, "myst.yml": "project: {title: Lumen}\nsite:\n  options:\n    folders: true\n"}
    adoption = adoption_of(tmp_path / "site", files)
    assert config_of(adoption).permalinks.page == "/:topic/:name/"
    assert "site.options.folders" in [note.key for note in adoption.mapped]


def test_comments_of_myst_in_sphinx_are_not_published(tmp_path: Path) -> None:
    files = {"conf.py": 'extensions = ["myst_parser"]\n', "docs/a.md": "# A\n\n% Hidden\n", "docs/b.md": "# B\n"}
    assert config_of(adoption_of(tmp_path / "sphinx", files)).ignore == ("/a.md",)
    nikola = {**files, "conf.py": "BLOG_TITLE = 'x'\n"}
    assert config_of(adoption_of(tmp_path / "nikola", nikola)).ignore == ()


@pytest.mark.parametrize(
    "toc", ["- file: 'a['\n- glob: '[z-a]*'\n- file: ../out\n- file: /\n", "- file: [a]\n", "x\n", "{}\n"]
)
def test_a_table_of_contents_may_be_anything(toc: str, tmp_path: Path) -> None:
    files = {"_config.yml": "only_build_toc_files: true\n", "_toc.yml": toc, "a[.md": "# A\n", "b.md": "# B\n"}
    assert (
        "/b.md" in config_of(adoption_of(tmp_path / "site", files)).ignore
        or "/**" in config_of(adoption_of(tmp_path / "site", files)).ignore
    )


@pytest.mark.parametrize(
    ("name", "text"), [("bridgetown.config.yml", "url: ''\n"), ("config/initializers.rb", "Bridgetown.configure\n")]
)
def test_a_site_of_bridgetown_is_refused(name: str, text: str, tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", {name: text, "src/_posts/2026-05-01-a.md": post("A")})
    done = adopt(root, NOW, lambda *_: None, write=True)
    (wrong,) = done.diagnostics
    assert (wrong.code, wrong.span.path, wrong.message) == (
        "unsupported-generator",
        name,
        "sites of Bridgetown cannot be adopted",
    )
    assert "docs/migration.md" in wrong.hint
    assert not (root / "devlog.toml").exists()


def test_a_site_of_jekyll_with_a_table_of_contents_is_one_of_jekyll(tmp_path: Path) -> None:
    files = {"_config.yml": "title: Lumen\n", "_toc.yml": "[]\n", "_posts/2026-05-01-a.md": post("A")}
    assert detect(Survey(write_site(tmp_path / "site", files))) == "Jekyll"
