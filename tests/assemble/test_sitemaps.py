"""The sitemap of a site with more pages than one sitemap may have."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sites import build_site, read_tree, write_site

from devlog.assemble import plan

ORIGIN = "https://lumen.example/log/"
POST = "---\ntitle: Post {0}\ndate: 2026-05-0{0}\nauthor: Ada Quill (@ada)\n---\nText {0}.\n"
SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def posts(*numbers: int) -> dict[str, str]:
    return {f"content/storage/post-{number}.md": POST.format(number) for number in numbers}


def sitemaps(root: Path) -> dict[str, list[str]]:
    """The URLs in the sitemaps of a built site, by path; those of a list of sitemaps count as URLs, too."""
    tree = read_tree(root / "public")
    return {path: re.findall("<loc>(.*?)</loc>", tree[path].decode()) for path in sorted(tree) if "sitemap" in path}


def test_a_long_sitemap_is_divided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_site(tmp_path, {"devlog.toml": f'title = "Lumen"\nbase_url = "{ORIGIN}"\n', **posts(1, 2, 3)})
    assert not build_site(root).failed
    (urls,) = sitemaps(root).values()
    assert f"{ORIGIN}storage/post-1/" in urls

    monkeypatch.setattr(plan, "MOST_URLS", len(urls) - 1)
    write_site(root, posts(4))
    assert not build_site(root).failed
    more = sorted([*urls, f"{ORIGIN}storage/post-4/"])
    assert sitemaps(root) == {
        "sitemap-1.xml": more[: len(urls) - 1],
        "sitemap-2.xml": more[len(urls) - 1 :],
        "sitemap.xml": [f"{ORIGIN}sitemap-1.xml", f"{ORIGIN}sitemap-2.xml"],
    }
    tree = read_tree(root / "public")
    assert f"<sitemapindex {SPACE}>" in tree["sitemap.xml"].decode()
    assert f"<urlset {SPACE}>" in tree["sitemap-1.xml"].decode()
    assert f"Sitemap: {ORIGIN}sitemap.xml\n" in tree["robots.txt"].decode()

    for number in (1, 2):
        (root / f"content/storage/post-{number}.md").unlink()
    assert not build_site(root).failed
    assert list(sitemaps(root)) == ["sitemap.xml"]


def test_a_file_in_the_place_of_a_part_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "MOST_URLS", 3)
    files = {"devlog.toml": f'title = "Lumen"\nbase_url = "{ORIGIN}"\n', "static/sitemap-1.xml": "<urlset/>\n"}
    report = build_site(write_site(tmp_path, {**files, **posts(1, 2)}))
    assert [item.code for item in report.diagnostics if item.severity == "error"] == ["colliding-url"]
