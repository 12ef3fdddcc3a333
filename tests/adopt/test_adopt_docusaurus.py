"""The blog of Docusaurus keeps the URLs of most posts, and the report tells the others."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from adopt.old_sites import post
from sites import write_site

from devlog.adopt.adopt import adopt

NOW = datetime(2026, 6, 15, tzinfo=UTC)
DATE = "2026-01-03"
DATED = {"2026-01-01-a.md": "/blog/2026/01/01/a/", "2026-01-05-b/index.md": "/blog/2026/01/05/b/"}
CASES: dict[str, tuple[Mapping[str, str], Mapping[str, str], str]] = {
    "dates in names": ({}, {}, ""),
    "a folder": ({"team/2026-01-06-x.md": post("X")}, {"team/2026-01-06-x.md": "/blog/2026/01/06/team/x/"}, ""),
    "no date": ({"undated.md": "# Undated\n"}, {"undated.md": "/blog/undated/"}, ""),
    "most with a date in front matter": (
        {f"{name}.md": post("X", date=DATE) for name in ("welcome", "sub/more", "then", "x/index")},
        {"welcome.md": "/blog/welcome/", "sub/more.md": "/blog/sub/more/", "x/index.md": "/blog/x/"},
        "2 posts with another URL than in Docusaurus, such as “/blog/2026-01-01-a/” instead of “/blog/2026/01/01/a/”",
    ),
    "a date in front matter": (
        {"welcome.md": post("X", date=DATE)},
        {},
        "1 post with another URL than in Docusaurus, such as “/blog/2026/01/03/welcome/” instead of “/blog/welcome/”",
    ),
    "another date in front matter": (
        {"2026-02-06-c.md": post("X", date="2026-03-07")},
        {},
        "1 post with another URL than in Docusaurus, such as “/blog/2026/03/07/c/” instead of “/blog/2026/02/06/c/”",
    ),
    "capitals": (
        {"2026-02-05-CX.md": post("X")},
        {},
        "1 post with another URL than in Docusaurus, such as “/blog/2026/02/05/cx/” instead of “/blog/2026/02/05/CX/”",
    ),
    "a slug of few": (
        {"2026-02-05-c.md": post("X", slug="/cache")},
        {},
        "1 post with another URL than in Docusaurus, such as “/cache/” instead of “/blog/cache/”",
    ),
    "a slug of most": (
        {f"2026-02-05-{name}.md": post("X", slug=f"the-{name}") for name in "xyz"},
        {"2026-02-05-x.md": "/blog/the-x/"},
        "2 posts with another URL than in Docusaurus, such as “/blog/a/” instead of “/blog/2026/01/01/a/”",
    ),
    "a URL of its own": (
        {"welcome.md": post("X", date=DATE, url="/blog/welcome/")},
        {"welcome.md": "/blog/welcome/"},
        "",
    ),
    "no date in a folder": (
        {"team/plan.md": post("X")},
        {},
        "1 post with another URL than in Docusaurus, such as “/blog/…/plan/” instead of “/blog/team/plan/”",
    ),
    "what is not published": ({"_Wip.md": post("X", date=DATE)}, {}, ""),
}


@pytest.mark.parametrize("name", CASES)
def test_urls_of_posts_are_kept_or_reported(name: str, tmp_path: Path) -> None:
    more, urls, told = CASES[name]
    files = {"docusaurus.config.js": "", **{f"blog/{file}": post("Post") for file in DATED}}
    site = write_site(tmp_path, files | {f"blog/{file}": text for file, text in more.items()})
    done = adopt(site, NOW, lambda *_: None, write=False)
    assert done.trial
    assert done.adoption
    kept = {**({} if told.startswith("2 ") else DATED), **urls}
    assert set(kept.values()) <= set(done.trial.addresses)
    notes = [note.text for note in done.adoption.advice if "another URL than" in note.text]
    assert notes == ([f"{told}: give such posts a “url”"] if told else [])
