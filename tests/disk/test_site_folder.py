"""Where a site lies in its git checkout: links to its files need that, and nobody should have to configure it."""

from __future__ import annotations

from pathlib import Path

import pytest
from outcomes import read_tree
from sites import build_site, write_site

from devlog.disk.site_folder import folder_in_checkout

SITE = {
    "devlog.toml": 'title = "Lumen"\nbase_url = "/"\nsource_repo = "https://github.com/lumen/db"\n',
    "content/2026-05-01-a.md": "---\ntitle: A\n---\nSee [the log](../../../src/wal.c).\n",
}


def test_the_nearest_checkout_counts(tmp_path: Path) -> None:
    site = tmp_path / "db/docs/log"
    site.mkdir(parents=True)
    (tmp_path / "db/.git").mkdir()
    assert folder_in_checkout(site) == "docs/log"
    (tmp_path / "link").symlink_to(site)
    assert folder_in_checkout(tmp_path / "link") == "docs/log"
    (site.parent / ".git").write_text("gitdir: …\n")  # a submodule
    assert folder_in_checkout(site) == "log"
    (site / ".git").mkdir()
    assert folder_in_checkout(site) == "."


@pytest.mark.slow
def test_links_to_files_are_right_in_a_folder_of_a_repository(tmp_path: Path) -> None:
    root = write_site(tmp_path / "db/docs/log", SITE)

    def links() -> list[str]:
        assert not build_site(root).failed
        page = (root / "public/2026-05-01-a/index.html").read_text("utf-8")
        return [
            part.partition('"')[0].removeprefix("https://github.com/lumen/db/")
            for part in page.split('href="')
            if part.startswith("https://github.com/lumen/db/")
        ]

    outside = links()
    assert "edit/HEAD/content/2026-05-01-a.md" in outside
    (tmp_path / "db/.git").mkdir()
    found = links()
    assert {"edit/HEAD/docs/log/content/2026-05-01-a.md", "blob/HEAD/docs/log/content/2026-05-01-a.md"} <= {*found}
    assert "blob/HEAD/src/wal.c" in found
    incremental = read_tree(root / "public")
    assert not build_site(root, cache=False).failed
    assert read_tree(root / "public") == incremental
