"""The page of a series of digests, and the same days of earlier years on the page of each."""

from __future__ import annotations

import re
import shutil
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from sites import build_site, read_tree, write_site
from steps import steps

from devlog.features.digests.assemble import series
from devlog.features.digests.assemble.series import digest_page, same_days

if TYPE_CHECKING:
    from devlog.assemble.site_context import SiteContext
    from devlog.model.site import Post

NOW = datetime(2026, 6, 20, tzinfo=UTC)


def digest(day: date, changes: str = "24", people: str = "3") -> str:
    return (
        f"---\ntitle: Digest of {day}\nauthor: Ada Quill (@adaquill)\ndigest:\n  last: abc1234\n"
        f"  changes: {changes}\n  people: {people}\n---\n\nMuch happened.\n"
    )


def site(*days: date, topic: str = "weekly") -> dict[str, str]:
    posts = {f"content/{topic}/{day}-digest.md": digest(day, str(20 + day.day), "3") for day in days}
    index = {f"content/{topic}/_index.md": "---\ntitle: Weekly\n---\n"}
    return {"devlog.toml": 'title = "Lumen"\nsearch.enabled = false\n', **index, **posts}


WEEKS = tuple(date(2026, 6, 15) - timedelta(weeks=week) for week in range(60))


def published(root: Path) -> dict[str, str]:
    assert build_site(root, now=NOW).diagnostics == ()
    return {path: data.decode() for path, data in read_tree(root / "public").items() if path.endswith(".html")}


@pytest.mark.slow
def test_a_series_has_a_page(tmp_path: Path) -> None:
    pages = published(write_site(tmp_path, site(*WEEKS)))
    page = pages["weekly/history/index.html"]
    assert "All Digests of Weekly" in page
    assert "60 digests" in page
    sums = {year: sum(20 + day.day for day in WEEKS if day.year == year) for year in (2026, 2025)}
    wanted = [(f"{year}", f"{year}: {count:,} changes") for year, count in sums.items()]
    assert re.findall(r'id="y(\d+)">([^<]+)<', page) == wanted
    first = re.search(r'<li><time class="stamp" datetime="([^"]+)">[^<]*</time> (.*)</li>', page)
    assert first
    assert first[1] == "2026-06-15"
    assert "Digest of 2026-06-15</a>" in first[2]
    assert "35 changes, 3 people" in first[2]
    assert page.count("M") >= len(WEEKS)  # a bar for each


@pytest.mark.slow
def test_a_digest_leads_to_its_series_and_to_last_year(tmp_path: Path) -> None:
    pages = published(write_site(tmp_path, site(*WEEKS)))
    page = pages["weekly/2026-06-15-digest/index.html"]
    assert 'href="/weekly/history/"' in page
    assert re.search(r'1 year earlier: <a href="/weekly/2025-06-16-digest/">Digest of 2025-06-16</a>', page)
    assert "earlier:" not in pages["weekly/2026-04-13-digest/index.html"], "that year has no digest of these days"


@pytest.mark.parametrize("count", [1, 2])
def test_a_few_digests_are_no_series(tmp_path: Path, count: int) -> None:
    pages = published(write_site(tmp_path, site(*WEEKS[:count])))
    assert not [path for path in pages if "history" in path]
    assert not [path for path, page in pages.items() if "All Digests" in page]


def test_a_page_of_the_site_takes_precedence(tmp_path: Path) -> None:
    own = "---\ntitle: Our own\n---\nText.\n"
    files = site(*WEEKS[:5]) | {"content/weekly/history/_index.md": own}
    page = published(write_site(tmp_path, files))["weekly/history/index.html"]
    assert "Our own" in page
    assert "All Digests" not in page


@pytest.mark.parametrize(
    ("file", "own"),
    [
        ("content/weekly/2026-01-01-a.md", "---\ntitle: A\nslug: history\n---\nOur own.\n"),
        ("content/weekly/2026-01-01-a.md", "---\ntitle: Our own\naliases: [/weekly/history/]\n---\nText.\n"),
        ("static/weekly/history/index.html", "<!doctype html>\n<title>Our own</title>\n"),
    ],
)
def test_whatever_the_site_publishes_there_takes_precedence(file: str, own: str, tmp_path: Path) -> None:
    pages = published(write_site(tmp_path, site(*WEEKS[:3]) | {file: own}))
    assert "our own" in pages["weekly/history/index.html"].lower()
    assert "All Digests" not in pages["weekly/2026-06-15-digest/index.html"]


def test_numbers_that_are_none_are_not_shown(tmp_path: Path) -> None:
    files = {path: re.sub(r"changes: \d+", "changes: many", text) for path, text in site(*WEEKS[:3]).items()}
    pages = published(write_site(tmp_path, files))
    assert "sparkline" not in pages["weekly/history/index.html"]
    assert "change" not in re.sub(r"<head>.*</head>", "", pages["weekly/history/index.html"], flags=re.DOTALL)


@pytest.mark.slow
def test_an_edit_shows_on_the_page(tmp_path: Path) -> None:
    root = write_site(tmp_path / "site", site(*WEEKS))
    published(root)
    path = root / f"content/weekly/{WEEKS[0]}-digest.md"
    path.write_text(path.read_text().replace("changes: 35", "changes: 99"))
    again = published(root)
    shutil.copytree(root, tmp_path / "clean", ignore=shutil.ignore_patterns(".devlog", "public"))
    assert again == published(tmp_path / "clean")
    assert "99 changes" in again["weekly/history/index.html"]


@pytest.mark.parametrize(
    ("day", "others", "expected"),
    [
        (date(2026, 6, 15), [date(2025, 6, 14), date(2025, 6, 17)], [(1, "2025-06-14")]),
        (date(2026, 6, 15), [date(2025, 6, 19)], []),
        (date(2024, 2, 29), [date(2023, 2, 28), date(2022, 3, 1)], [(1, "2023-02-28"), (2, "2022-03-01")]),
        (date(2026, 1, 1), [date(2024, 12, 30)], [(1, "2024-12-30")]),
        (date(2026, 6, 15), [date(2020, 6, 15)], []),
    ],
)
def test_the_same_days_of_other_years(day: date, others: list[date], expected: list[tuple[int, str]]) -> None:
    assert [(years, str(found)) for years, found in same_days(day, sorted([day, *others]))] == expected


def test_the_first_days_of_the_calendar() -> None:
    assert list(same_days(date(1, 1, 1), [date(1, 1, 1)]))
    assert not list(same_days(date(9999, 12, 31), [date(9999, 12, 31)]))


class _Known:
    """As much of a site's context as the page of a digest asks for."""

    def __init__(self, count: int) -> None:
        self.t = lambda key, **_values: key
        self.views = self
        self.posts = [
            cast("Post", SimpleNamespace(topic="t", title="", permalink="/", date=NOW - timedelta(days=number)))
            for number in range(count)
        ]
        topic = SimpleNamespace(path="t", title="T", permalink="/t/")
        digests = tuple(SimpleNamespace(post=post) for post in self.posts)
        self._made: dict[Any, Any] = {series._all: {"t": digests}, series._with_pages: {"t": topic}}

    def url(self, permalink: str) -> str:
        return permalink

    def once(self, make: Any) -> Any:
        if make not in self._made:
            self._made[make] = make(self)
        return self._made[make]


def test_the_page_of_a_digest_takes_no_longer_if_there_are_many() -> None:
    def work(count: int) -> int:
        own = _Known(count)
        known = cast("SiteContext", own)
        digest_page(known, own.posts[0], {})  # what is computed once
        return steps(lambda: digest_page(known, own.posts[1], {}))

    assert work(4000) < 1.5 * work(2000)


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["default", "paper"])
def test_the_page_of_an_author_lists_what_digests_tell_of_them(theme: str, tmp_path: Path) -> None:
    """By name or another spelling of it, the newest digests first; drafts, other people and odd counts are left out."""
    files = site(*WEEKS[:14])
    for number, day in enumerate(WEEKS[:14]):
        path = f"content/weekly/{day}-digest.md"
        names = ["Ada Quill (2)", "Mallory (5)", "Ada (9"] if number % 2 else ["A. Quill (1)", "Ada Quill"]
        text = files[path].replace("digest:\n", f"digest:\n  authors: {names}\n")
        files[path] = text.replace("---\n", "---\ndraft: true\n", 1) if not number else text
    own = 'theme = "paper"\n' if theme == "paper" else ""
    files["devlog.toml"] = (
        own + files["devlog.toml"] + '[authors.adaquill]\nname = "Ada Quill"\naliases = ["A. Quill"]\n'
    )
    pages = published(write_site(tmp_path, files))
    page = pages["authors/adaquill/index.html"]
    digest_rows = page[page.index("Changes by Ada Quill in Digests") :].partition("</section>")[0]
    rows = [
        *zip(re.findall('datetime="([^"]+)"', digest_rows), re.findall("[0-9]+ changes?", digest_rows), strict=True)
    ]
    assert rows == [
        (str(day), "2 changes" if number % 2 else "1 change") for number, day in enumerate(WEEKS[:13]) if number
    ]
    plain = published(write_site(tmp_path / "plain", site(*WEEKS[:3])))
    assert "in Digests" not in plain["authors/adaquill/index.html"]
