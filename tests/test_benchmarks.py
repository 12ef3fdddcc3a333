"""What speed is measured with: the corpus, that each kind of work is the work that its name says, and what is seen."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from benchmarks import latency
from benchmarks.corpus import (
    DAYS,
    LANGUAGES,
    NEWEST,
    SAMPLES,
    START,
    TOPICS,
    front_matter,
    newest,
    post,
    posts,
    write_content,
)
from benchmarks.latency import KINDS, MOST, Amount, Tool, parsed, previews_of, probe, running, save, spread_out
from benchmarks.peers import with_authors
from benchmarks.report import Waits, percentile, waits
from benchmarks.timing import FailedError
from benchmarks.work import Site

if TYPE_CHECKING:
    from playwright.async_api import Page

CODE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FRAMES = (
    "new Promise((done) => { let left = 6; (function next() { left-- ? requestAnimationFrame(next) : done() })() })"
)
PRINT = "from benchmarks.corpus import posts; print(ascii([*posts(40)]))"


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is put aside goes to the same file system as the sites of tests, and nothing goes to a person's cache."""
    monkeypatch.setattr("benchmarks.aside._ASIDE", tmp_path_factory.mktemp("aside"))
    monkeypatch.setattr("benchmarks.pictures.CACHE", tmp_path_factory.mktemp("cache"))


@pytest.mark.slow
def test_no_two_posts_share_a_code_block() -> None:
    blocks = [CODE.findall(item.body) for item in (*posts(400), newest(400), newest(401))]
    assert all(tuple(language for language, _ in found) == LANGUAGES for found in blocks)
    codes = [code for found in blocks for _, code in found]
    assert len(set(codes)) == len(codes) == 3 * 402


@pytest.mark.slow
def test_posts_are_of_about_ten_kilobytes() -> None:
    sizes = [len(item.body.encode()) for item in posts(400)]
    assert 9_500 < sum(sizes) / len(sizes) < 10_500
    assert 8_000 < min(sizes) < max(sizes) < 12_000


def test_a_longer_devlog_begins_with_the_same_posts() -> None:
    assert [*posts(7)] == [*islice(posts(70), 7)] == [post(number) for number in range(7)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["0", "1"])
def test_the_corpus_is_the_same_in_every_process(seed: str) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run([sys.executable, "-c", PRINT], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ascii([*posts(40)])


@pytest.mark.slow
def test_names_are_unique_and_a_new_post_is_the_newest() -> None:
    some = [post(number) for number in (*range(50), *range(DAYS - 50, DAYS + 50))]  # days begin again after `DAYS`
    assert len({item.name for item in some}) == len(some)
    assert min(item.day for item in some) == START
    assert max(item.day for item in some) < NEWEST == newest(5).day


@pytest.mark.slow
def test_each_kind_of_work_is_what_it_says(tmp_path: Path) -> None:
    site = Site(tmp_path / "site", 12)
    cold = work(site, "cold")
    assert (cold["posts"], cold["parsed"], cold["diagnostics"]) == (12, 12 + len(TOPICS), [])
    assert cold["written"] == cold["outputs"] > cold["rendered"] > 0
    assert changes(work(site, "warm")) == (0, 0, 0)

    edited = work(site, "edit_body")
    assert (edited["posts"], edited["parsed"]) == (12, 1)
    assert 0 < edited["rendered"] == edited["written"] - 1 < 20  # the Markdown version comes with its page

    added = work(site, "add_post")
    assert (added["posts"], added["parsed"], added["diagnostics"]) == (13, 1, [])

    pages = len([*(site.folder / "public").rglob("*.html")])
    for _ in range(2):  # the site's footer is new, then it has changed
        assert changes(work(site, "edit_footer")) == (0, pages, pages)

    (config,) = site.folder.glob("devlog.toml")
    before = config.stat()
    assert changes(work(site, "fresh_checkout")) == (0, 0, 0)
    after = config.stat()
    assert after.st_mtime_ns > before.st_mtime_ns
    assert after.st_ino != before.st_ino


@pytest.mark.slow
def test_the_samples() -> None:
    assert [post(number, SAMPLES["text"]) for number in range(9)] == [*posts(9)]
    lists = [*posts(3000, SAMPLES["lists"])]
    assert len({item.topic for item in lists}) == 44
    assert len({tag for item in lists for tag in item.tags}) == 120
    assert len({item.handle for item in lists}) == 200
    full = [*posts(9, SAMPLES["full"])]
    assert [item.picture is not None for item in full] == [number % 4 == 0 for number in range(9)]
    for item, plain in zip(full, posts(9), strict=True):
        assert item.title == plain.title
        assert item.body.count("](" + item.picture.name + ")" if item.picture else "![") == (item.picture is not None)


@pytest.mark.slow
@pytest.mark.feature("images", "site_search", "social_cards")
def test_a_full_site_has_all_that_a_plain_install_makes(tmp_path: Path) -> None:
    site = Site(tmp_path / "site", 5, SAMPLES["full"])
    assert work(site, "cold")["diagnostics"] == []
    public = site.folder / "public"
    assert (public / "pagefind" / "pagefind.js").exists()
    assert len([*public.rglob("card.png")]) > 5
    images = {*public.glob("images/*")}
    assert images
    assert work(site, "add_image")["diagnostics"] == []
    assert images < {*public.glob("images/*")}
    assert changes(work(site, "warm")) == (0, 0, 0)


def work(site: Site, kind: str) -> dict[str, object]:
    return json.loads(site.work(kind).output)


def changes(report: dict[str, object]) -> tuple[object, ...]:
    return report["parsed"], report["rendered"], report["written"]


def tool_of(folder: Path, *command: str, head: Callable[..., str] = front_matter) -> Tool:
    """A site of one topic's folders, with a footer, and a command in place of a preview."""
    write_content(folder / "content", 0)
    (folder / "footer.html").write_text("<p>Lumen</p>\n", "utf-8")
    return Tool("Plain", command, folder, 20, head, "footer.html", "", ("kept", "kept.txt"))


@pytest.mark.parametrize("head", [front_matter, with_authors])
@pytest.mark.parametrize("kind", KINDS)
def test_an_edit_puts_its_mark_in_one_place(tmp_path: Path, kind: str, head: Callable[..., str]) -> None:
    tool = tool_of(tmp_path, head=head)
    texts = []
    for turn in range(2):
        path, text = KINDS[kind].change(tool, f"mark-{turn}x", turn)
        assert re.findall(r"mark-\d+x", text) == [f"mark-{turn}x"]
        assert "mark-" not in "".join(code for _, code in CODE.findall(text))
        path.write_text(text, "utf-8")
        texts.append((path, text.replace(f"mark-{turn}x", "")))
    assert (texts[0] == texts[1]) == (kind != "new_post")


@pytest.mark.slow
def test_new_posts_are_the_newest_and_of_the_past(tmp_path: Path) -> None:
    tool = tool_of(tmp_path)
    paths = [KINDS["new_post"].change(tool, "mark-1x", turn)[0] for turn in range(MOST)]
    names = [tool.post.name, *(path.stem for path in paths)]
    assert names == sorted(names)
    assert len({name[:10] for name in names}) == MOST + 1
    assert NEWEST + timedelta(days=MOST) < datetime.now(UTC).date()


@pytest.mark.parametrize("as_new", [False, True])
def test_a_file_is_written_over_or_replaced(tmp_path: Path, as_new: bool) -> None:
    path = tmp_path / "a.md"
    path.write_text("something longer", "utf-8")
    before, inode = time.time_ns(), path.stat().st_ino
    closed = save(path, "short", as_new=as_new)
    assert before <= closed <= time.time_ns()
    assert path.read_text("utf-8") == "short"
    assert (path.stat().st_ino != inode) == as_new
    assert [*tmp_path.iterdir()] == [path]


def test_fewer_turns_are_spread_evenly() -> None:
    assert [turn for turn in range(12) if spread_out(turn, 12, 3)] == [3, 7, 11]
    assert all(spread_out(turn, 7, 7) for turn in range(7))
    for chosen in range(1, 51):
        assert sum(spread_out(turn, 50, chosen) for turn in range(50)) == chosen


def test_percentiles_are_values_that_were_measured() -> None:
    assert percentile([5], 95) == percentile([5], 0) == 5
    assert percentile([*range(50, 0, -1)], 95) == 48
    assert percentile([*range(1, 101)], 95) == 95
    assert percentile([3, 1, 2], 100) == 3


def test_the_table_of_latencies() -> None:
    rows = [
        Waits("body", "devlog", [40, 60, 1050], [30, 50, 1040]),
        Waits("title", "Hugo", missed=2),
        Waits("body", "Hugo", [500, 510], [490, 495], missed=1),
    ]
    assert waits(rows).splitlines()[2:] == [
        "| body | devlog | 3 | 0 | 40 | 60 | 1,050 | 1,050 | 50 | – |",
        "| body | Hugo | 3 | 1 | 500 | 505 | 510 | 510 | 492 | 8.4 |",
        "| title | Hugo | 2 | 2 | – | – | – | – | – | – |",
    ]
    assert {line.count("|") for line in waits(rows).splitlines()} == {11}


def test_arguments_of_the_latency_benchmark(capsys: pytest.CaptureFixture[str]) -> None:
    plain = parsed([])
    assert (plain.posts, plain.edits, plain.peers, plain.work) == (1000, 50, ["hugo"], ["first_page", *KINDS])
    chosen = parsed(["--peers", "", "--work", "body, New_post", "--peer-edits", "5"])
    assert (chosen.peers, chosen.work, chosen.peer_edits) == ([], ["body", "new_post"], 5)
    for wrong in (["--peers", "pelican"], ["--work", "warm"], ["--edits", str(MOST)], ["--posts", "1"]):
        with pytest.raises(SystemExit):
            parsed(wrong)
    assert "no preview of: pelican" in capsys.readouterr().err


def test_a_preview_that_fails_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tool = tool_of(tmp_path, sys.executable, "-c", "print('no such theme'); raise SystemExit(3)")
    with running(tool) as preview, pytest.raises(FailedError, match=r"ended with 3\nno such theme"):
        preview.answered("")
    sides = [tool]
    with previews_of(sides) as previews:
        assert previews == sides == []
    assert "Plain is left out" in capsys.readouterr().err


def test_a_preview_is_started_without_what_it_kept(tmp_path: Path) -> None:
    tool = tool_of(tmp_path)
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "a").touch()
    (tmp_path / "kept.txt").touch()
    for _ in range(2):
        tool.forget()
        assert sorted(path.name for path in tmp_path.iterdir()) == ["content", "footer.html"]


def in_browser(act: Callable[[Any], Coroutine[Any, Any, None]]) -> None:
    """Do something with a browser."""

    async def run() -> None:
        async with latency.chromium() as found:
            await act(found)

    asyncio.run(run())


class TestProbe:
    pytestmark = pytest.mark.browser

    def test_marks_are_told_when_they_can_be_seen(self) -> None:
        async def act(found: Any) -> None:
            page: Page = await found.new_page()
            told: list[tuple[str, float, float]] = []

            async def marks(count: int) -> list[str]:
                while len(told) < count:
                    await page.wait_for_timeout(10)
                await page.evaluate(FRAMES)  # in which more might be told
                return sorted(mark for mark, _, _ in told)

            await page.expose_function("markSeen", lambda *values: told.append(values))
            await page.add_init_script(probe("h1, p"))
            await page.goto("data:text/html,<h1>Lumen<b>mark-1x</b>7</h1><h2>mark-2x</h2><p hidden>mark-3x</p><p>x</p>")
            assert await marks(1) == ["mark-1x"]
            await page.evaluate("document.querySelectorAll('p')[1].firstChild.data = 'as mark-4x'")
            assert await marks(2) == ["mark-1x", "mark-4x"]
            await page.evaluate("document.querySelector('p').hidden = false")
            assert await marks(3) == ["mark-1x", "mark-3x", "mark-4x"]
            await page.reload()
            assert await marks(4) == ["mark-1x", "mark-1x", "mark-3x", "mark-4x"]
            assert all(found <= painted <= time.time() * 1000 for _, found, painted in told)

        in_browser(act)

    def test_a_tab_knows_first_sightings_and_gives_up(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async def act() -> None:
            tab = latency.Tab(None, None)  # type: ignore[arg-type]
            tab.saw("mark-1x", 1, 2)
            tab.saw("mark-1x", 5, 6)
            assert await tab.sighting("mark-1x") == latency.Sighting(1, 2)
            assert await tab.sighting("mark-2x") is None

        monkeypatch.setattr(latency, "PATIENCE", 0.05)
        asyncio.run(act())

    @pytest.mark.slow
    def test_every_kind_of_edit_is_seen(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(latency, "PAUSES", (0, 0))
        rows: list[Waits] = []
        sides = [latency.devlog(tmp_path / "site", 20)]
        with previews_of(sides) as previews:
            (preview,) = previews
            version = asyncio.run(latency.edited(previews, KINDS, Amount(2, 2), rows))
        assert re.match(r"\d+\.", version)
        assert [(row.work, row.tool) for row in rows] == [
            (f"{kind.replace('_', ' ')}, 20 posts", "devlog") for kind in KINDS
        ]
        for row in rows:
            assert (len(row.painted), len(row.found), row.missed) == (2, 2, 0), row
            assert all(one <= other for one, other in zip(row.found, row.painted, strict=True))
        with pytest.raises(FailedError, match="ended with 0"):
            preview.check()

    def test_a_preview_that_ends_costs_only_its_own_edits(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(latency, "PATIENCE", 0.5)
        monkeypatch.setattr(latency, "SETTLE", 0)
        rows: list[Waits] = []
        with previews_of([latency.devlog(tmp_path / "site", 20)]) as previews:
            shown = latency.opened

            async def opened(*values: Any) -> latency.Tab:
                tab = await shown(*values)
                tab.preview.end()
                return tab

            monkeypatch.setattr(latency, "opened", opened)
            asyncio.run(latency.edited(previews, ["body", "title"], Amount(3, 3), rows))
            assert previews == []
        assert [(row.work, row.painted, row.missed) for row in rows] == [("body, 20 posts", [], 1)]
        assert "devlog is left out" in capsys.readouterr().err
