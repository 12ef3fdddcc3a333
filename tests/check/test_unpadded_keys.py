"""Dates without leading zeros are found under each name that a date has in front matter."""

from __future__ import annotations

from pathlib import Path

import pytest
from check_cases import check_site
from sites import write_site

from devlog.check.posts import DATES
from devlog.parse.front_matter.schema import SPELLINGS


def test_all_names_of_dates_are_known() -> None:
    fields = ("date", "updated", "publish", "expiry")
    names = {name.lower().replace("_", "") for field in fields for name in SPELLINGS[field].split() if "." not in name}
    assert names == DATES


@pytest.mark.parametrize("name", ["pubDate", "publish_date", "mod-datetime", "publishedAt", "EXPIRES"])
def test_a_date_under_another_name(name: str, tmp_path: Path) -> None:
    post = f"---\ntitle: A\nauthor: Ada Quill (@adaquill)\ndate: 2026-05-03\n{name}: 2026-5-3\n---\nText.\n"
    root = write_site(
        tmp_path, {"devlog.toml": "", "content/t/_index.md": "---\ntitle: T\n---\n", "content/t/a.md": post}
    )
    found = [item for item in check_site(root).diagnostics if item.code == "unpadded-date"]
    assert [(item.span.path, item.span.line) for item in found] == [("content/t/a.md", 5)]
