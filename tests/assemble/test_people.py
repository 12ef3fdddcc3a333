"""What pages show of authors and of time: initials, calendars, months."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.assemble.site import SiteFiles, Visibility, assemble
from devlog.assemble.views import YEARS, calendar, initials, months
from devlog.config import Config
from devlog.model.git_dates import GitDates
from devlog.model.site import Post
from devlog.model.source import Source
from devlog.parse.options import ParseOptions
from devlog.parse.parse import parse


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Ada Quill", "AQ"),
        ("Ada M. Quill", "AQ"),
        ("ada quill", "AQ"),
        ("Ada Quill Jr.", "AQ"),
        ("Anne-Marie Reed", "AR"),
        ("Bo O’Reed", "BO"),
        ("Lumen", "L"),
        ("adaquill", "A"),
        ("ada_quill", "AQ"),
        ("@boreed", "B"),
        ("The Lumen Storage Team", "LT"),
        ("The", "T"),
        ("Øyvind Ås", "ØÅ"),
        ("ßeta", "ß"),
        ("絵美子", "絵"),
        ("山田 太郎", "山"),
        ("김 민수", "김"),
        ("محمد علي", "م"),
        ("Team 7", "T"),
        ("42", "4"),
        ("", ""),
        ("🐉", "🐉"),
    ],
)
def test_initials(name: str, expected: str) -> None:
    assert initials(name) == expected


@pytest.mark.slow
@given(st.text())
def test_initials_of_any_name_are_short(name: str) -> None:
    found = initials(name)
    assert len(found) <= 2
    assert bool(found) == bool(name.strip())


def posts(*dates: str) -> tuple[Post, ...]:
    """Posts of these days, newest first."""
    sources = [Source(f"storage/{date}-{number}.md", "f.md", "x") for number, date in enumerate(dates)]
    texts = [parse(source, ParseOptions())[0] for source in sources]
    shown = Visibility(datetime(9999, 1, 1, tzinfo=UTC))
    return assemble(Config(), SiteFiles(texts), GitDates(), shown).site.posts


def test_a_calendar_has_no_gaps() -> None:
    found = calendar(posts("2023-12-31", "2026-01-01", "2026-01-31", "2026-03-05"))
    assert [(year.year, year.count) for year in found] == [(2023, 1), (2024, 0), (2025, 0), (2026, 3)]
    assert found[0].months == (0,) * 11 + (1,)
    assert found[-1].months == (2, 0, 1) + (0,) * 9


def test_months_have_no_gaps() -> None:
    found = months(posts("2025-11-02", "2026-02-01", "2026-02-03"))
    assert [(month.year, month.month, month.count) for month in found] == [
        (2025, 11, 1),
        (2025, 12, 0),
        (2026, 1, 0),
        (2026, 2, 2),
    ]


def test_nothing_has_no_calendar() -> None:
    assert calendar(()) == ()
    assert months(()) == ()


def test_one_mistyped_year_makes_nothing_endless() -> None:
    some = posts("0202-06-01", "2026-06-15")
    assert len(calendar(some)) == YEARS
    assert calendar(some)[-1].count == 1
    assert len(months(some)) == (YEARS - 1) * 12 + 6
    assert (months(some)[0].year, months(some)[0].month) == (2026 - YEARS + 1, 1)
