"""Jekyll's `collections_dir`: posts and collections are in that folder, which is in no URL, and nowhere else."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from adopt.old_sites import post
from sites import build_site, read_tree, write_site

from devlog.adopt.adopt import adopt

NOW = datetime(2026, 6, 15, tzinfo=UTC)
CONFIG = """\
title: Lumen
collections_dir: stuff
collections:
  recipes: {output: true}
  internal: {output: false}
defaults:
- scope: {path: stuff/_recipes, type: recipes}
  values: {permalink: "/cook/:path/"}
"""
FILES = {
    "stuff/_posts/2026-01-02-a.md": post("A"),
    "stuff/lab/_posts/2026-01-03-b.md": post("B"),
    "stuff/_posts/2026-01-04-c.md": post("C", categories="[disk]"),
    "stuff/_recipes/soup.md": post("Soup", "{{ site.motto }}"),
    "stuff/_internal/x.md": post("Hidden"),
    "stuff/_drafts/d.md": post("Hidden"),
    "stuff/page.md": post("Page"),
    "_posts/2026-01-05-h.md": post("Hidden"),
    "lab/_posts/2026-01-06-h.md": post("Hidden"),
    "lab/_posts/plan.csv": "Hidden\n",
    "about.md": post("About"),
}


@pytest.mark.parametrize("source", ["", "src"])
@pytest.mark.parametrize("folder", ["stuff", "/stuff/"])
def test_collections_are_in_their_folder_and_nowhere_else(source: str, folder: str, tmp_path: Path) -> None:
    config = CONFIG.replace("collections_dir: stuff", f"collections_dir: {folder}")
    config += f"source: {source}\n" if source else ""
    files = {f"{source}/{name}".lstrip("/"): text for name, text in FILES.items()}
    site = write_site(tmp_path, {"_config.yml": f"{config}motto: Cook slowly\n", **files})
    done = adopt(site, NOW, lambda *_: None, write=True)
    assert done.trial
    assert done.adoption
    assert done.trial.addresses == (
        "/2026/01/02/a.html",
        "/2026/01/04/c.html",
        "/about.html",
        "/cook/soup/",
        "/lab/2026/01/03/b.html",
        "/stuff/page.html",
    )
    notes = [(note.key, note.text) for note in done.adoption.mapped]
    assert ("collections_dir", "ignore = [“/_posts”, “/lab/_posts”]") in notes
    assert any("1 file with categories, which are in URLs of Jekyll" in note.text for note in done.adoption.advice)
    report = build_site(site)
    assert not report.failed
    assert not [path for path, data in read_tree(site / report.output).items() if b"Hidden" in data]


def test_a_folder_for_collections_changes_no_pattern_without_categories(tmp_path: Path) -> None:
    site = write_site(tmp_path, {"_config.yml": "collections_dir: stuff\npermalink: /:year/:title/\n", **FILES})
    done = adopt(site, NOW, lambda *_: None, write=False)
    assert done.trial
    assert "/2026/a/" in done.trial.addresses
    assert "/2026/c/" in done.trial.addresses
    assert "topics" not in done.text
