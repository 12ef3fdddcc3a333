"""What becomes of the plugins of MkDocs: each is in the report, and redirects keep working."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from adopt.old_sites import post
from adopt.test_translation import adoption_of, config_of
from sites import build_site, write_site

from devlog.adopt.adopt import adopt
from devlog.adopt.write_toml import toml_text

REDIRECTS = """\
  - redirects:
      redirect_maps:
        Older.md: new.md
        old/index.md: guide/use.md#part
        away.md: https://x.example.org/a
        there.md: new.md
        gone.md: missing.md
        file.txt: new.md
"""
DOCS = {
    "docs/new.md": "# New\n",
    "docs/there.md": "# There\n",
    "docs/guide/use.md": "# Use\n\n## Part\n",
}


def test_redirects_of_mkdocs_lead_to_the_same_pages(tmp_path: Path) -> None:
    root = tmp_path / "site"
    adoption = adoption_of(root, {**DOCS, "mkdocs.yml": f"site_name: L\nplugins:\n{REDIRECTS}"})
    assert config_of(adoption).redirects == {
        "/Older/": "/new.md",
        "/old/": "/guide/use.md#part",
        "/away/": "https://x.example.org/a",
    }
    left = {note.key.rpartition(" ")[2]: note.text for note in adoption.unmapped}
    assert left == {
        "there.md": "it is not the path of a Markdown file that is gone",
        "gone.md": "its target is not adopted",
        "file.txt": "it is not the path of a Markdown file that is gone",
    }
    write_site(root, {"devlog.toml": toml_text(adoption)})
    result = build_site(root)
    assert not result.failed
    assert "broken-link" not in [problem.code for problem in result.diagnostics]
    assert "/new/" in (root / "public/Older/index.html").read_text("utf-8")
    assert "/guide/use/#part" in (root / "public/old/index.html").read_text("utf-8")


def test_values_from_the_environment_are_their_defaults(tmp_path: Path) -> None:
    files = {
        **DOCS,
        "mkdocs.yml": """\
INHERIT: base.yml
site_name: !ENV [SITE_NAME, 'The Lumen log']
site_url: !ENV SITE_URL
# site_author: !ENV AUTHOR
docs_dir: !ENV [DOCS, OTHER_DOCS, docs]
""",
        "base.yml": """\
use_directory_urls: !ENV [FOLDERS, false]
exclude_docs: !ENV [HIDDEN, 'there.md']
plugins:
  - redirects:
      redirect_maps: {old.md: !ENV [TARGET, new.md]}
""",
    }
    adoption = adoption_of(tmp_path / "site", files)
    config = config_of(adoption)
    assert (config.title, config.base_url, config.content) == ("The Lumen log", "", "docs")
    assert config.permalinks.page == "/:topic/:name.html"
    assert config.redirects == {"/old.html": "/new.md"}
    assert any(pattern.endswith("there.md") for pattern in config.ignore)
    told = [(note.span.path, note.span.line) for note in adoption.unmapped if "environment" in note.text]
    assert sorted(told) == [("base.yml", line) for line in (1, 2, 5)] + [("mkdocs.yml", line) for line in (2, 3, 5)]


def test_a_redirect_at_the_url_of_something_else_is_left_out(tmp_path: Path) -> None:
    maps = "{archive.md: new.md, guide/index.md: new.md, old.md: new.md}"
    files = {**DOCS, "mkdocs.yml": f"plugins: {{redirects: {{redirect_maps: {maps}}}}}\n"}
    root = write_site(tmp_path / "site", files)
    adopted = adopt(root, datetime(2026, 6, 1, tzinfo=UTC), lambda *_: None, write=True)
    assert adopted.adoption
    assert not adopted.left_out
    assert config_of(adopted.adoption).redirects == {"/old/": "/new.md"}
    left = [note.key.partition(" ")[0] for note in adopted.adoption.unmapped if "something else" in note.text]
    assert left == ["redirects./archive/", "redirects./guide/"]
    assert not build_site(root).failed


def test_redirects_of_a_blog_and_without_folders(tmp_path: Path) -> None:
    plugins = (
        "{blog: {}, redirects: {redirect_maps: {a.md: new.md, blog/posts/b.md: blog/posts/c.md, index.md: new.md}}}"
    )
    files = {
        **DOCS,
        "mkdocs.yml": f"use_directory_urls: false\nplugins: {plugins}\n",
        "docs/blog/posts/c.md": post("C", date="2026-01-01"),
    }
    adoption = adoption_of(tmp_path / "site", files)
    assert config_of(adoption).redirects == {"/blog/posts/b.html": "/c.md"}
    assert "plugins: redirects: a.md" in [note.key for note in adoption.unmapped]


@pytest.mark.parametrize("off", ["false", "False", "no"])
def test_urls_without_folders_stay(off: str, tmp_path: Path) -> None:
    root = tmp_path / "site"
    files = {
        "mkdocs.yml": f"use_directory_urls: {off}\n",
        "docs/index.md": "# Home\n",
        "docs/page.md": "# Page\n",
        "docs/guide/use.md": post("Use", date="2026-01-01"),
        "docs/alone/index.md": post("Alone", date="2026-01-01"),
    }
    adoption = adoption_of(root, files)
    assert "use_directory_urls" in [note.key for note in adoption.mapped]
    notes = [f"{note.span.path}: {note.text}" for note in adoption.advice if "URL" in note.text and note.span.path]
    (note,) = notes
    assert note.startswith("docs/alone/index.md: 1 index file with a URL that ends in “/” in MkDocs")
    write_site(root, {"devlog.toml": toml_text(adoption)})
    result = build_site(root)
    assert not result.failed
    assert all((root / "public" / name).is_file() for name in ("index.html", "page.html", "guide/use.html"))
    assert not (root / "public/guide/use").exists()


def test_the_urls_of_a_blog_without_folders_stay(tmp_path: Path) -> None:
    root = tmp_path / "site"
    files = {
        "mkdocs.yml": "use_directory_urls: false\nplugins: [blog]\n",
        "docs/blog/posts/a.md": post("An A", date="2026-01-02"),
    }
    adoption = adoption_of(root, files)
    assert config_of(adoption).permalinks.post == "/blog/:year/:month/:day/:title.html"
    write_site(root, {"devlog.toml": toml_text(adoption)})
    assert not build_site(root).failed
    assert (root / "public/blog/2026/01/02/an-a.html").is_file()


def test_keys_of_urls_are_reported_without_a_blog_and_without_folders(tmp_path: Path) -> None:
    files = {
        "mkdocs.yml": "use_directory_urls: false\n",
        "docs/a.md": post("A", date="2026-01-02", slug="other"),
    }
    adoption = adoption_of(tmp_path / "site", files)
    assert [note.span.path for note in adoption.advice if "with a URL from “slug”" in note.text] == ["docs/a.md"]


def test_urls_with_folders_need_no_setting(tmp_path: Path) -> None:
    adoption = adoption_of(tmp_path / "site", {**DOCS, "mkdocs.yml": "use_directory_urls: true\n"})
    assert {note.key: note.text for note in adoption.mapped}["use_directory_urls"] == "devlog's default"
    assert config_of(adoption).permalinks == config_of(adoption_of(tmp_path / "other", DOCS)).permalinks


def test_plugins_and_options_of_mkdocs_are_in_the_report(tmp_path: Path) -> None:
    files = {
        "mkdocs.yml": (
            "plugins:\n  - search\n  - material/tags\n  - macros: {x: 1}\n  - redirects\n"
            "  - blog:\n      post_url_format: '{slug}'\n      post_excerpt: optional\n"
        ),
        "docs/blog/posts/a.md": post("A", date="2026-01-01"),
    }
    adoption = adoption_of(tmp_path / "site", files)
    assert {note.key: note.span.line for note in adoption.mapped if note.key.startswith("plugins")} == {
        "plugins: search": 2,
        "plugins: material/tags": 3,
        "plugins: blog": 6,
        "plugins: blog.post_url_format": 7,
    }
    assert {note.key: note.span.line for note in adoption.unmapped} == {
        "plugins: macros": 4,
        "plugins: redirects": 5,
        "plugins: blog.post_excerpt": 8,
    }


def test_extensions_of_mkdocs_may_be_a_table(tmp_path: Path) -> None:
    config = "markdown_extensions:\n  pymdownx.mark: {}\n  toc: {slugify: x}\n"
    found = config_of(adoption_of(tmp_path / "site", {"mkdocs.yml": config, "docs/a.md": "# A\n"}))
    assert found.markdown.extensions == ("mark",)
    assert found.markdown.anchors == "github"


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ('<figure markdown="span">\n  ![i](i.png)\n</figure>\n', True),
        ("<div class='a' markdown>\n*a*\n</div>\n", True),
        ("<div markdown\nclass='a'>\n*a*\n</div>\n", True),
        ('<div title="markdown">\n\n*a*\n\n</div>\n', False),
        ("A <markdown> of `<b markdown>`\n", False),
    ],
)
def test_markdown_in_html_is_reported(text: str, is_told: bool, tmp_path: Path) -> None:
    adoption = adoption_of(tmp_path / "site", {"mkdocs.yml": "site_name: L\n", "docs/a.md": f"# A\n\n{text}"})
    told = [note.span.path for note in adoption.advice if "1 file with “markdown” in an HTML tag" in note.text]
    assert told == (["docs/a.md"] if is_told else [])
