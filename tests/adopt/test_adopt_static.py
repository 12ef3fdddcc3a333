"""Of several files of an old site with one URL, one is published, and the report tells which is left out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from adopt.old_sites import post
from adopt.test_adopt import adopted
from sites import build_site

HUGO = {
    "hugo.toml": 'title = "A"\nbaseURL = "https://docs.example.org/"\n',
    "content/posts/a.md": post("A", date="2026-01-02"),
}
JEKYLL = {"_config.yml": "title: A\n", "_posts/2026-01-02-a.md": post("A")}
MKDOCS = {"mkdocs.yml": "site_name: A\n", "docs/2026-01-02-a.md": post("A")}


@pytest.mark.parametrize(
    ("site", "files", "published", "left_out"),
    [
        (HUGO, ("static/a.txt", "content/a.txt"), {"a.txt": "static/a.txt"}, ("content/a.txt",)),
        (HUGO, ("static/a.txt", "static/A.txt"), {"A.txt": "static/A.txt"}, ("static/a.txt",)),
        (
            HUGO,
            ("static/x/a.txt", "static/x/A.txt", "content/x/a.txt"),
            {"x/A.txt": "static/x/A.txt"},
            ("static/x/a.txt",),
        ),
        (HUGO, ("static/index.html", "static/theme/style.css"), {}, ("static/index.html", "static/theme/style.css")),
        (HUGO, ("static/posts/index.html",), {}, ("static/posts/index.html",)),
        (HUGO, ("static/posts",), {}, ("static/posts",)),
        (JEKYLL, ("static/a.txt", "a.txt"), {"a.txt": "a.txt", "static/a.txt": "static/a.txt"}, ()),
        (MKDOCS, ("static/a.txt", "docs/a.txt"), {"a.txt": "docs/a.txt"}, ()),
    ],
)
def test_one_of_several_files_is_published(
    site: Mapping[str, str],
    files: tuple[str, ...],
    published: Mapping[str, str],
    left_out: tuple[str, ...],
    tmp_path: Path,
) -> None:
    if len({file.lower() for file in files}) < len(files):
        (tmp_path / "x").write_text("")
        if (tmp_path / "X").exists():
            pytest.skip("names differ by more than letter case here")
    config, report = adopted(tmp_path / "site", {**site, **{file: file for file in files}})
    build = build_site(tmp_path / "site")
    assert not build.failed
    assert build.posts == 1
    for path, file in published.items():
        assert (tmp_path / "site" / config.output / path).read_text("utf-8") == file
    assert all(f"  {file}" in report.partition("Ignored until fixed")[2] for file in left_out)
    assert ("Ignored until fixed" in report) == bool(left_out)
