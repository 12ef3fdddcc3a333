"""The map of the source: which directories have a page, what it lists, and that no post can make it endless."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from sites import build_site, write_site
from test_reference_index import CONFIG, indexed, post, site

from devlog.features.source_references.assemble import source_map, source_map_views
from devlog.features.source_references.assemble.source_map import MOST_LEVELS, SOURCE, SourceMap
from devlog.features.source_references.model.repository import Named, repository_of


def mapped(*texts: str) -> SourceMap:
    """The map of posts with these texts, the oldest first."""
    return SourceMap(indexed({f"2026-05-{day:02}-a.md": post(text) for day, text in enumerate(texts, 1)}), {})


def test_directories_are_those_of_cited_files_the_most_cited_first() -> None:
    found = mapped(
        "`src/wal/log.c`", "`src/wal/page.c` and `src/net/a.c:3`", "`src/net/b.c`, `src/net/c.c`", "`docs/a.md`"
    )
    assert [(item.path, item.posts) for item in found.below("")] == [("src", 3), ("docs", 1)]
    assert [(item.path, item.posts, item.permalink) for item in found.below("src")] == [
        ("src/net", 2, f"{SOURCE}src/net/"),
        ("src/wal", 2, f"{SOURCE}src/wal/"),
    ]
    assert [(item.post, item.files) for item in found.citations("src/net")] == [
        (1, ("src/net/b.c", "src/net/c.c")),
        (2, ("src/net/a.c",)),
    ]
    assert [item.is_own for item in found.citations("src")] == [False, False, False]


def test_a_directory_with_one_directory_only_is_folded() -> None:
    found = mapped("`a/b/c/one.c`, `a/b/d/two.c`")
    assert list(found.directories) == ["", "a/b", "a/b/c", "a/b/d"]
    assert found.directories["a/b"].parent == ""
    found = mapped("`a/own.c` and `a/b/c/one.c`")
    assert list(found.directories) == ["", "a", "a/b/c"]
    assert found.directories["a/b/c"].parent == "a"


def test_a_linked_directory_is_on_the_map(tmp_path: Path) -> None:
    there = "https://github.com/example/lumen/tree/main"
    text = f"[the log]({there}/src/wal), {there}/src/wal/old/, [all]({there}), `src/wal/a.c`, {there}/../x"
    found = mapped(text, f"[the log]({there}/src/wal/)")
    assert list(found.directories) == ["", "src/wal", "src/wal/old"]
    assert found.files == {"src/wal/": (0, 1), "src/wal/a.c": (1,), "src/wal/old/": (1,)}
    root = write_site(tmp_path, {"devlog.toml": CONFIG, "content/2026-05-01-a.md": post(text)})
    assert not build_site(root).diagnostics
    record = json.loads((root / "public/source.json").read_bytes())
    assert (list(record["files"]), list(record["directories"])) == (["src/wal/a.c"], ["", "src/wal", "src/wal/old"])
    page = (root / "public/refs/source/src/wal/index.html").read_text("utf-8")
    assert re.findall('source-files">cites ([^<]*)<', page) == ["wal/, a.c, old/", "old/"]
    assert 'href="https://github.com/example/lumen/tree/HEAD/src/wal/">wal/</a>' in (
        root / "public/refs/files/index.html"
    ).read_text("utf-8")


@pytest.mark.parametrize(
    ("url", "directory"),
    [
        ("https://github.com/a/b", "https://github.com/a/b/tree/HEAD/c/"),
        ("https://gitlab.com/a/b", "https://gitlab.com/a/b/-/tree/HEAD/c/"),
        ("https://codeberg.org/a/b", "https://codeberg.org/a/b/src/commit/HEAD/c/"),
    ],
)
def test_the_url_of_a_directory(url: str, directory: str) -> None:
    repository = repository_of(url)
    assert repository
    named = repository.directory("c/")
    assert named.url == directory
    assert repository.read(directory.replace("src/commit", "tree")) == Named(
        "file", "c/", directory.replace("src/commit", "tree")
    )


def test_files_of_other_repositories_are_not_on_the_map() -> None:
    found = mapped("[this](https://github.com/x/y/blob/v1/src/a.c#L3)")
    assert not found.files
    assert list(found.directories) == []


def test_no_path_makes_a_file_or_the_page_of_another_one() -> None:
    found = mapped(
        "`src/Net/a.c`, `src/net/a.c`, `src/index.html/a.c`, `.github/a.yml`, `src/net-2/b.c`, `src/page/2/b.c`"
    )
    urls = [item.permalink for item in found.directories.values()]
    assert len({url.lower() for url in urls}) == len(urls)
    assert all(url.endswith("/") and "." not in url for url in urls)


def test_a_post_with_very_many_paths_makes_few_directories(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_map, "MOST_DIRECTORIES", 50)
    deep = "/".join("d" * 40)
    found = mapped(" ".join(f"`src/m{number}/a.c`" for number in range(300)) + f" `{deep}/a.c` `{deep}/e/a.c`")
    assert len(found.directories) == 50
    assert all(item.parent in found.directories for item in found.directories.values())
    assert max(path.count("/") for path in found.directories) < MOST_LEVELS
    assert len(found.files) == 302


def test_a_page_shows_few_of_many_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_map_views, "MOST_SHOWN", 5)
    monkeypatch.setattr(source_map_views, "MOST_POSTS", 2)
    some = {f"p{day:02}": post(" ".join(f"`src/m{number}/a.c`" for number in range(day))) for day in range(1, 9)}
    assert not build_site(write_site(tmp_path, site(**some))).failed
    whole = (tmp_path / "public/refs/source/index.html").read_text()
    assert whole.count("source-directory") == 4
    assert "m0/" in whole
    assert "m7/" not in whole
    page = (tmp_path / "public/refs/source/src/m0/index.html").read_text()
    assert "and 6 older logs" in page
    record = json.loads((tmp_path / "public/source.json").read_text())
    assert record["directories"]["src/m0"]["posts"] == [0, 1]
    assert record["directories"]["src/m0"]["count"] == 8
    assert record["files"]["src/m0/a.c"] == list(range(8))


@pytest.mark.parametrize("theme", ["default", "paper"])
def test_pages_are_linked_and_escaped(tmp_path: Path, theme: str) -> None:
    files = site(
        p01=post("`src/wal/log.c` and `docs/a.md`"),
        p02=post("`src/wal/log.c`", "summary: x").replace("A post", "A <b> post"),
    )
    files["devlog.toml"] = f'theme = "{theme}"\n{CONFIG}'
    assert not build_site(write_site(tmp_path, files)).failed
    public = tmp_path / "public"
    assert 'href="/log/refs/source/"' in (public / "refs/index.html").read_text()
    page = (public / "refs/source/src/wal/index.html").read_text()
    assert "A &lt;b&gt; post" in page
    assert "cites log.c" in page
    assert "<title>src/wal/" in page
    assert "/refs/source/src/wal/" in (public / "sitemap.xml").read_text()


def test_drafts_are_not_on_the_map_and_a_site_without_files_has_none(tmp_path: Path) -> None:
    files = site(p01=post("PR 12"), p02=post("`src/wal/secret.c`", "draft: true"))
    assert not build_site(write_site(tmp_path, files), drafts=True).failed
    assert (tmp_path / "public/refs/index.html").exists()
    assert not (tmp_path / "public/refs/source").exists()
    assert not (tmp_path / "public/source.json").exists()
    assert "refs/source" not in (tmp_path / "public/refs/index.html").read_text()
