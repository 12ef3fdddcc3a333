"""A stray byte costs nothing in files that say what the old site left out; one that cannot be read ends the import."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import pytest
from adopt.old_sites import post
from adopt.test_adopt_formats import NOW, adopted
from sites import write_site

from devlog.adopt.adopt import Adopted, adopt

SHOWN, HIDDEN = post("Shown", date="2026-01-02"), post("Hidden", date="2026-01-03")
POSTS = {"posts/a.md": SHOWN, "posts/ideas/b.md": HIDDEN}
ELEVENTY = {"eleventy.config.js": "", **POSTS}
QUARTZ = {"quartz.config.ts": "", "content/a.md": SHOWN, "content/ideas/b.md": HIDDEN}
QUARTO = {"_quarto.yml": "project:\n  type: website\n", **POSTS}
MKDOCS = {"mkdocs.yml": "plugins: [meta]\ndocs_dir: posts\n", **POSTS}
HUGO = {"hugo.toml": 'baseURL = "https://log.example.org/"\n', "content/a.md": SHOWN, "content/ideas/b.md": HIDDEN}
SECTION = "---\ntitle: Ideas\ncascade:\n  draft: true\n---\n"

OTHER_BYTES: dict[str, tuple[Mapping[str, str], str, str]] = {
    "eleventy-git": (ELEVENTY, ".gitignore", "# Entwürfe\nideas/\n"),
    "eleventy": (ELEVENTY, ".eleventyignore", "posts/ideas\n# Entwürfe\n"),
    "quartz-git": (QUARTZ, ".gitignore", "# Entwürfe\nideas/\n"),
    "quartz": (
        {**QUARTZ, "content/a.md": post("Shown", publish="true")},
        "quartz.config.ts",
        "// Entwürfe\nPlugin.ExplicitPublish()",
    ),
    "quarto": (QUARTO, "posts/ideas/_metadata.yml", "author: Größe\ndraft: true\n"),
    "nikola": (
        {"conf.py": "", "posts/a.md": SHOWN, "posts/b.md": "HIDDEN\n"},
        "posts/b.meta",
        ".. title: Größe\n.. date: 2026-01-03\n.. status: private\n",
    ),
}


@pytest.mark.parametrize("case", OTHER_BYTES)
def test_a_byte_that_is_not_utf8_hides_no_line(case: str, tmp_path: Path) -> None:
    files, name, text = OTHER_BYTES[case]
    _, hidden = adopted(tmp_path, {**files, name: text.encode("latin-1")})  # type: ignore[dict-item]
    assert hidden == []


def refused(root: Path, files: Mapping[str, str], link: str = "") -> Adopted:
    """The import of a site that must fail.

    Args:
        root: the site's folder.
        files: its files.
        link: the file that is a link to another one.
    """
    site = write_site(root, files)
    if link:
        (site / link).replace(site / "real.txt")
        (site / link).symlink_to(site / "real.txt")
    done = adopt(site, NOW, lambda *_: None, write=True)
    assert not done.written
    assert not (site / "devlog.toml").exists()
    return done


LINKED: dict[str, tuple[Mapping[str, str], str]] = {
    "hugo": (HUGO, "hugo.toml"),
    "hugo-section": ({**HUGO, "content/ideas/_index.md": SECTION}, "content/ideas/_index.md"),
    "eleventy": ({**ELEVENTY, ".gitignore": "ideas/\n"}, ".gitignore"),
    "quarto": ({**QUARTO, "posts/ideas/_metadata.yml": "draft: true\n"}, "posts/ideas/_metadata.yml"),
}


@pytest.mark.parametrize("case", LINKED)
def test_files_that_cannot_be_read_stop_the_import(case: str, tmp_path: Path) -> None:
    files, link = LINKED[case]
    (found,) = refused(tmp_path, files, link).diagnostics
    assert (found.code, found.span.path) == ("symlink", link)


@pytest.mark.parametrize(
    ("files", "name"),
    [
        (QUARTO, "posts/ideas/_metadata.yml"),
        (MKDOCS, "posts/ideas/.meta.yml"),
        (ELEVENTY, "posts/ideas/ideas.json"),
    ],
)
def test_mistakes_in_metadata_of_folders_stop_the_import(files: Mapping[str, str], name: str, tmp_path: Path) -> None:
    (found,) = refused(tmp_path, {**files, name: '{"draft": true, "x": "\n'}).diagnostics
    assert (found.code, found.span.path) == ("foreign-config", name)


def test_aliases_in_metadata_of_folders_are_read(tmp_path: Path) -> None:
    text = "defaults: &hidden\n  draft: true\n<<: *hidden\n"
    _, hidden = adopted(tmp_path, {**QUARTO, "posts/ideas/_metadata.yml": text})
    assert hidden == []


BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n" for before, name in pairwise("abcdefghij")
)


@pytest.mark.parametrize(
    ("text", "line"), [("x: *nothing\n", 1), ("x: &x\n  - *x\n", 2), (BOMB, 4), ("x: &x 1\n\ny: *z\n", 3)]
)
@pytest.mark.parametrize(
    ("files", "name"),
    [
        (MKDOCS, "mkdocs.yml"),
        ({"_posts/2026-01-02-a.md": SHOWN}, "_config.yml"),
        ({"source/_posts/a.md": SHOWN}, "_config.yml"),
        ({**HUGO, "hugo.toml": ""}, "config/_default/params.yaml"),
        (QUARTO, "posts/ideas/_metadata.yml"),
    ],
)
def test_aliases_that_cannot_be_read_stop_the_import(
    files: Mapping[str, str], name: str, text: str, line: int, tmp_path: Path
) -> None:
    found = refused(tmp_path, {**files, name: text}).diagnostics[0]
    assert (found.code, found.span.path, found.span.line) == ("foreign-config", name, line)
    assert "alias of YAML" in found.message


def test_aliases_do_not_nest_values_without_end(tmp_path: Path) -> None:
    lists = (f"a{number}: &a{number} [[[[[*a{number - 1}]]]]]\n" for number in range(1, 20))
    found = refused(tmp_path, {**MKDOCS, "mkdocs.yml": "a0: &a0 [x]\n" + "".join(lists)}).diagnostics[0]
    assert (found.code, found.span.path) == ("foreign-config", "mkdocs.yml")


def test_tables_of_contents_that_cannot_be_read_stop_the_import(tmp_path: Path) -> None:
    files = {"_config.yml": "only_build_toc_files: true\n", "_toc.yml": 'root: "a\n', "a.md": SHOWN, "b.md": HIDDEN}
    assert refused(tmp_path, files).diagnostics[0].span.path == "_toc.yml"


def test_a_folder_that_cannot_be_listed_stops_the_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scandir = os.scandir

    def listing(path: Path) -> Iterator[os.DirEntry[str]]:
        if os.fspath(path).endswith("ideas"):  # an administrator, who runs tests in containers, may list all folders
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", listing)
    (found,) = refused(tmp_path, POSTS).diagnostics
    assert (found.code, found.span.path) == ("unreadable", "posts/ideas")
