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


def published(root: Path, files: dict[str, str]) -> list[str]:
    """The notes of a vault that have a page, by the name of its folder."""
    adopted = adopt(write_site(root, files), datetime(2026, 6, 1, tzinfo=UTC), lambda *_: None, write=True)
    assert adopted.trial
    return sorted(address.strip("/").rpartition("/")[2] for address in adopted.trial.addresses)


def test_quartz_does_not_read_what_its_configuration_names(tmp_path: Path) -> None:
    patterns = """["private", 'Journal/**', // not "open.md"
      "**/draft-*", "{plans,b]c}/*.md"]"""
    files = {
        "quartz.config.ts": f"configuration: {{\n  ignorePatterns: {patterns},\n}}\n",
        "content/Journal/a.md": post("A", date="2026-05-01"),
        "content/disks/draft-b.md": post("B", date="2026-05-01"),
        "content/plans/c.md": post("C", date="2026-05-01"),
        "content/open.md": post("Open", date="2026-05-01"),
    }
    assert published(tmp_path / "list", files) == ["open"]
    files["quartz.config.ts"] = "ignorePatterns: patterns,\n"
    adopted = adopt(write_site(tmp_path / "name", files), datetime(2026, 6, 1, tzinfo=UTC), lambda *_: None, write=True)
    assert adopted.adoption
    assert [note.key for note in adopted.adoption.unmapped] == ["ignorePatterns"]


def test_what_obsidian_does_not_publish_is_ignored(tmp_path: Path) -> None:
    files = {
        ".obsidian/templates.json": '{"folder": "Forms"}',
        ".obsidian/plugins/templater-obsidian/data.json": '{"templates_folder": "Scripts/Forms"}',
        "Forms/day.md": post("Day", date="2026-05-01"),
        "Scripts/Forms/week.md": post("Week", date="2026-05-01"),
        "disks/a.md": post("A", "Shown %% hidden %% text.", date="2026-05-01"),
        "disks/b.md": post("B", date="2026-05-01", publish="false"),
        "disks/c.md": post("C", date="2026-05-01", publish="true"),
        "disks/d.md": post("D", "100 %% of it.", date="2026-05-01"),
    }
    assert published(tmp_path, files) == ["c", "d"]
