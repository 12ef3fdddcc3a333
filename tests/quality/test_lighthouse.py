"""The command that measures: which pages, which run counts, and what is said of it. It runs by itself, in CI too."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quality.lighthouse import CATEGORIES, OF_SHOWCASE, Measured, cacheable, summary, table, typical_pages
from quality.looks import build_look


def run(*scores: int) -> Measured:
    return Measured("", "mobile", scores, ())


def test_a_good_run_is_enough() -> None:
    runs = iter([run(98, 100, 100, 100), run(100, 100, 100, 100)])
    assert cacheable(lambda: next(runs)).scores == (98, 100, 100, 100)


@pytest.mark.parametrize(
    ("scores", "counts"), [((97, 99, 100), 99), ((97, 90, 100), 97), ((97, 97, 60), 97), ((20, 100, 98), 98)]
)
def test_of_three_runs_the_middle_one_counts(scores: tuple[int, ...], counts: int) -> None:
    runs = iter([run(score, 100, 100, 100) for score in scores])
    assert cacheable(lambda: next(runs)).scores[0] == counts


def report(**scores: float) -> dict[str, Any]:
    """A report in which one audit of each category has taken all that is missing."""
    node = {"node": {"snippet": "<a href>"}}
    return {
        "categories": {
            name: {"score": scores.get(name, 1), "auditRefs": [{"id": f"{name}-audit", "weight": 1}]}
            for name in CATEGORIES
        },
        "audits": {
            f"{name}-audit": {"score": scores.get(name, 1), "title": "Small", "details": {"items": [node]}}
            for name in CATEGORIES
        },
    }


def test_what_costs_points_is_said() -> None:
    found = summary("a/", "desktop", report(seo=0.8))
    assert found.scores == (100, 100, 100, 80)
    assert found.worst == 80
    assert found.faults == ("seo: seo-audit: Small: <a href>",)
    assert table([found]).splitlines()[-1] == "| /a/ | desktop | 100 | 100 | 100 | 80 |"


def test_a_row_names_the_brand() -> None:
    found = replace(run(98, 100, 100, 100), path="a/", brand="airy")
    assert table([found]).splitlines()[-1] == "| airy /a/ | mobile | 98 | 100 | 100 | 100 |"


@pytest.mark.slow
def test_the_typical_pages_of_the_showcase_are_there(tmp_path: Path) -> None:
    build_look(tmp_path, "https://lumen.example.org/", "default")
    assert [path for path in OF_SHOWCASE if not (tmp_path / "public" / path / "index.html").exists()] == []


def test_a_category_that_could_not_be_measured_has_no_points() -> None:
    broken = report()
    broken["categories"]["seo"]["score"] = None
    assert summary("", "mobile", broken).worst == 0


def test_the_pages_are_home_topic_post_and_author(tmp_path: Path) -> None:
    records = [{"path": f"/log/{name}/", "words": words} for name, words in (("short", 5), ("long", 900), ("mid", 90))]
    (tmp_path / "posts.json").write_text(json.dumps(records))
    for name, text in (("ada", "short"), ("bo", "much longer")):
        page = tmp_path / "authors" / name / "index.html"
        page.parent.mkdir(parents=True)
        page.write_text(text)
    assert typical_pages(tmp_path) == ["", "log/", "log/long/", "authors/bo/"]
