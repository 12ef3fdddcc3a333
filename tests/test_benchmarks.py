"""What speed is measured with: the corpus, and that each kind of work is the work that its name says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest
from benchmarks.corpus import DAYS, LANGUAGES, NEWEST, START, TOPICS, newest, post, posts
from benchmarks.work import Site

CODE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRINT = "from benchmarks.corpus import posts; print(ascii([*posts(40)]))"


def test_no_two_posts_share_a_code_block() -> None:
    blocks = [CODE.findall(item.body) for item in (*posts(400), newest(400), newest(401))]
    assert all(tuple(language for language, _ in found) == LANGUAGES for found in blocks)
    codes = [code for found in blocks for _, code in found]
    assert len(set(codes)) == len(codes) == 3 * 402


def test_posts_are_of_about_ten_kilobytes() -> None:
    sizes = [len(item.body.encode()) for item in posts(400)]
    assert 9_500 < sum(sizes) / len(sizes) < 10_500
    assert 8_000 < min(sizes) < max(sizes) < 12_000


def test_a_longer_devlog_begins_with_the_same_posts() -> None:
    assert [*posts(7)] == [*islice(posts(70), 7)] == [post(number) for number in range(7)]


@pytest.mark.parametrize("seed", ["0", "1"])
def test_the_corpus_is_the_same_in_every_process(seed: str) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run([sys.executable, "-c", PRINT], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ascii([*posts(40)])


def test_names_are_unique_and_a_new_post_is_the_newest() -> None:
    some = [post(number) for number in (*range(50), *range(DAYS - 50, DAYS + 50))]  # days begin again after `DAYS`
    assert len({item.name for item in some}) == len(some)
    assert min(item.day for item in some) == START
    assert max(item.day for item in some) < NEWEST == newest(5).day


def test_each_kind_of_work_is_what_it_says(tmp_path: Path) -> None:
    site = Site(tmp_path / "site", 12)
    cold = work(site, "cold")
    assert (cold["posts"], cold["parsed"], cold["diagnostics"]) == (12, 12 + len(TOPICS), [])
    assert cold["written"] == cold["outputs"] > cold["rendered"] > 0
    assert changes(work(site, "warm")) == (0, 0, 0)

    edited = work(site, "edit_body")
    assert (edited["posts"], edited["parsed"]) == (12, 1)
    assert 0 < edited["rendered"] == edited["written"] < 20

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


def work(site: Site, kind: str) -> dict[str, object]:
    return json.loads(site.work(kind).output)


def changes(report: dict[str, object]) -> tuple[object, ...]:
    return report["parsed"], report["rendered"], report["written"]
