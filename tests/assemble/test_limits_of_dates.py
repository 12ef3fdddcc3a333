"""Dates at the limits of the calendar, which cannot be converted into every time zone."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from sites import build_site, write_site

ZONES = ("Pacific/Kiritimati", "Pacific/Pago_Pago")
DATES = ("0001-01-01T00:00:00", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59", "9999-12-31T23:59:59Z")


@pytest.mark.parametrize(("zone", "dialect", "date"), [*product(ZONES, ("devlog", "jekyll"), DATES)])
def test_sites_with_dates_at_the_limits_are_built(tmp_path: Path, zone: str, dialect: str, date: str) -> None:
    folder = "_posts" if dialect == "jekyll" else "content"
    posts = {
        f"{folder}/2026-01-0{number}-a.md": f"+++\ntitle = 'A'\n{key} = {date}\n+++\nText.\n"
        for number, key in enumerate(("date", "expires"), 1)
    }
    dialect = 'dialect = "jekyll"\ncontent = "."\n' if dialect == "jekyll" else ""
    root = write_site(tmp_path, {"devlog.toml": f'title = "T"\ntimezone = "{zone}"\n{dialect}', **posts})
    for future in (False, True):
        report = build_site(root, future=future, expired=True)
        assert not [item for item in report.diagnostics if item.severity == "error"]


@pytest.mark.parametrize("date", ["0001-01-01T00:00:00+23:00", "9999-12-31T23:59:59-23:00"])
def test_a_date_outside_of_the_calendar_is_told_at_its_line(tmp_path: Path, date: str) -> None:
    root = write_site(tmp_path, {"devlog.toml": "", "content/a.md": f"+++\ntitle = 'A'\ndate = {date}\n+++\nText.\n"})
    found = [(item.code, item.span.line) for item in build_site(root).diagnostics if item.severity == "error"]
    assert found == [("bad-date", 3)]
