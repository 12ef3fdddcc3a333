"""A digest of very many changes names the most important ones, and counts the others."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from devlog.features.digests.digest.text import LARGEST, fill, mentioned
from devlog.features.digests.digest.verify import Allowed, verify
from devlog.features.digests.model.activity import Activity, Area, Change, Person, Totals

DAY = date(2026, 6, 3)


@pytest.mark.parametrize("template", ["day", "week", "release"])
def test_very_many_changes(tmp_path: Path, template: str) -> None:
    activity = many(5000)
    text, unnamed = fill(tmp_path, template, activity, DAY)
    assert 0.8 * LARGEST < len(text) <= LARGEST
    verified = verify(text, activity, DAY, "a.md", allowed=Allowed(numbers=unnamed))
    assert verified.problems == ()
    named = mentioned(text, activity.changes)
    assert len(named) + len(verified.missing) == 5000
    assert activity.changes[0] in named
    assert sum(unnamed) == len(verified.missing)
    assert f"\n- {sum(unnamed):,} others\n" in text


def test_few_changes_are_all_named(tmp_path: Path) -> None:
    text, unnamed = fill(tmp_path, "week", many(3), DAY)
    assert not unnamed
    assert "other" not in text


def many(number: int) -> Activity:
    changes = tuple(
        Change(
            commit=f"{one:040x}",
            number=f"#{one}",
            title=f"keep the statistics of table {one} after a restart",
            time="2026-06-02T12:00:00+00:00",
            authors=("Ada Quill",),
            area="planner",
        )
        for one in range(1, number + 1)
    )
    return Activity(
        project="Lumen",
        first=changes[0].commit,
        last=changes[-1].commit,
        since="2026-01-01",
        until="2026-06-03",
        totals=Totals(changes=number, listed=number, people=1),
        areas=(Area("planner", tuple(change.commit for change in changes), ("Ada Quill",)),),
        changes=changes,
        people=(Person("Ada Quill", number),),
    )
