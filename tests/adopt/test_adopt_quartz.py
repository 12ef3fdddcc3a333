"""Links of Quartz and Obsidian lead to the same pages."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from adopt.old_sites import PIXEL, post
from sites import build_site, write_site

from devlog.adopt.adopt import adopt


@pytest.mark.parametrize("name", ["quartz.config.ts", ".obsidian/app.json"])
def test_wiki_links_are_links(name: str, tmp_path: Path) -> None:
    files = {
        name: "{}\n",
        "content/disks/first.md": post("First", "## A part\n\nText.", date="2026-05-01"),
        "content/disks/second.md": post("Second", "[[first#A part|There]], ![[chart.png]].", date="2026-05-02"),
        "content/disks/chart.png": PIXEL,
        "content/third.md": post("Third", "See [[unready]], [[gone]].", date="2026-05-03"),
        "content/unready.md": post("Unready", date="2026-05-03", draft="true"),
    }
    root = write_site(tmp_path / "site", files)
    adopted = adopt(root, datetime(2026, 6, 1, tzinfo=UTC), lambda *_: None, write=True)
    assert adopted.trial
    assert not adopted.left_out
    codes = [(item.code, item.span.path) for item in adopted.trial.diagnostics if "link" in item.code]
    assert sorted(codes) == [("broken-link", "content/third.md"), ("link-to-unpublished", "content/third.md")]
    assert not build_site(root).failed
    (page,) = (path.read_text("utf-8") for path in root.rglob("second/index.html"))
    assert '/disks/first/#a-part">There</a>' in page
    assert "chart" in page
    assert "[[" not in page
    assert not list(root.rglob("unready/index.html"))
