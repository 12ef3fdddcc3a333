"""Generators whose URLs are the paths of files: the report says which of them change."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from adopt.old_sites import post
from adopt.test_translation import adoption_of

ELEVENTY = {".eleventy.js": "module.exports = {};\n"}
HEXO = {"_config.yml": "new_post_name: :title.md\n"}
MKDOCS = {"mkdocs.yml": "site_name: Lumen\n"}
MATERIAL = {"mkdocs.yml": "plugins: [blog]\n"}
MATERIAL_WITH_FILES = {"mkdocs.yml": "plugins:\n  - blog: {post_url_format: '{file}'}\n"}
NIKOLA = {"conf.py": "BLOG_TITLE = 'Lumen'\n"}
VITEPRESS = {"docs/.vitepress/config.mts": "export default {};\n"}
VUEPRESS = {"docs/.vuepress/config.js": "module.exports = {};\n"}


def told(folder: Path, old: Mapping[str, str], files: Mapping[str, str], words: str) -> list[str]:
    """The notes with some words after the import of a site."""
    adoption = adoption_of(folder, {**old, **files})
    return [f"{note.span.path}: {note.text}" for note in adoption.advice if words in note.text]


def names(folder: Path, old: Mapping[str, str], files: Mapping[str, str]) -> list[str]:
    return told(folder, old, files, "another path in URLs")


def keys(folder: Path, old: Mapping[str, str], files: Mapping[str, str]) -> list[str]:
    return told(folder, old, files, "with a URL from")


@pytest.mark.parametrize(
    ("old", "folder", "key"),
    [
        (ELEVENTY, "posts", "permalink"),
        (HEXO, "source/_posts", "permalink"),
        (MKDOCS, "docs", "url"),
        (VITEPRESS, "docs", "url"),
        (VUEPRESS, "docs", "permalink"),
    ],
)
def test_names_that_change_are_reported(old: Mapping[str, str], folder: str, key: str, tmp_path: Path) -> None:
    changed = {f"{folder}/{name}.md": post("T", date="2026-01-01") for name in ("The Cap_X", "Team/use", "with space")}
    same = {f"{folder}/{name}.md": post("T", date="2026-01-01") for name in ("plain", "a_b", "c.d", "sub/e")}
    (found,) = names(tmp_path / "site", old, {**same, **changed})
    assert found.startswith(f"{folder}/Team/use.md: 3 files with another path in URLs than in ")
    assert found.endswith(f"such as “team/use” instead of “Team/use”: give such files a “{key}”")
    assert names(tmp_path / "same", old, same) == []
    given = {file: post("T", date="2026-01-01", **{key: "/mine/"}) for file in changed}
    assert names(tmp_path / "given", old, given) == []


@pytest.mark.parametrize("old", [NIKOLA, {"pelicanconf.py": "SITENAME = 'Lumen'\n"}])
def test_other_generators_change_names_themselves(old: Mapping[str, str], tmp_path: Path) -> None:
    assert names(tmp_path / "site", old, {"posts/Cap_X.md": post("T", slug="other")}) == []
    assert keys(tmp_path / "keys", old, {"posts/Cap_X.md": post("T", slug="other")}) == []


def test_what_is_not_published_does_not_count(tmp_path: Path) -> None:
    config = {"mkdocs.yml": "exclude_docs: Hidden/\n"}
    files = {"docs/a.md": post("A"), "docs/Hidden/sub/B.md": post("B"), "docs/README.md": post("C")}
    assert names(tmp_path / "site", config, files) == []


def test_an_index_is_the_page_of_its_folder(tmp_path: Path) -> None:
    (found,) = names(tmp_path / "docs", MKDOCS, {"docs/index.md": post("A"), "docs/Guide/index.md": post("B")})
    assert "1 file " in found
    assert "“guide” instead of “Guide”" in found
    (found,) = names(tmp_path / "posts", HEXO, {"source/_posts/guide/index.md": post("A", date="2026-01-01")})
    assert "“guide” instead of “guide/index”" in found


def test_eleventy_has_the_page_of_a_folder_in_a_file_of_its_name(tmp_path: Path) -> None:
    files = {"posts/disk/disk.md": post("A"), "posts/disk/b.md": post("B")}
    (found,) = names(tmp_path / "site", ELEVENTY, files)
    assert "1 file " in found
    assert "“disk/disk” instead of “disk”" in found
    assert names(tmp_path / "docs", MKDOCS, {"docs/disk/disk.md": post("A"), "docs/b.md": post("B")}) == []


def test_hexo_removes_dates_as_its_configuration_says(tmp_path: Path) -> None:
    dated = {"_config.yml": "new_post_name: :year-:month-:day-:title.md\n"}
    (found,) = names(tmp_path / "site", dated, {"source/_posts/2026-01-01-Hello-World.md": post("A")})
    assert "“hello-world” instead of “Hello-World”" in found
    titled = {"_config.yml": "permalink: :year/:post_title/\nnew_post_name: :title.md\n"}
    assert names(tmp_path / "titled", titled, {"source/_posts/Hello-World.md": post("A", date="2026-01-01")}) == []


def test_urls_of_a_blog_have_names_of_files_only_if_its_pattern_does(tmp_path: Path) -> None:
    files = {"docs/blog/posts/Old/Hello_World.md": post("A", date="2026-01-01")}
    assert names(tmp_path / "titles", MATERIAL, files) == []
    (found,) = names(tmp_path / "files", MATERIAL_WITH_FILES, files)
    assert "“hello_world” instead of “Hello_World”" in found


@pytest.mark.parametrize(
    ("old", "file", "meaningless"),
    [
        (ELEVENTY, "posts/a.md", "slug url path"),
        (MKDOCS, "docs/a.md", "slug url path permalink"),
        (MATERIAL, "docs/blog/posts/a.md", "url path permalink"),
        (VITEPRESS, "docs/a.md", "slug url path permalink"),
        (VUEPRESS, "docs/a.md", "slug url path"),
        (HEXO, "source/_posts/a.md", "url path"),
    ],
)
def test_keys_that_only_devlog_reads_are_reported(
    old: Mapping[str, str], file: str, meaningless: str, tmp_path: Path
) -> None:
    for key in ("slug", "url", "path", "permalink"):
        found = keys(tmp_path / key, old, {file: post("A", date="2026-01-01", **{key: "/other/"})})
        expected = [f"{file}: 1 file with a URL from “{key}”, unlike in "] if key in meaningless.split() else []
        assert [note.partition("in ")[0] + "in " for note in found] == expected


def test_the_first_key_counts_and_files_are_counted_once(tmp_path: Path) -> None:
    files = {
        "posts/a.md": post("A", slug="other", permalink="/kept/"),
        "posts/b.md": post("B", slug="other", url="/b/"),
        "posts/C.md": post("C", slug="c2"),
    }
    (found,) = keys(tmp_path / "site", ELEVENTY, files)
    assert "2 files with a URL from “slug” or “url”, unlike in Eleventy: " in found
    assert names(tmp_path / "names", ELEVENTY, files) == []
