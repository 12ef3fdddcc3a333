"""The store of earlier work is limited by bytes too: a few records may be as large as all others."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sites import NOW, build_site, write_site

import devlog.stages
from devlog.checking import Options, check
from devlog.engine import store as stores
from devlog.engine.store import FEW, Store
from devlog.features.digests.digest.forge import cache as answers

PAGE = 16384
SMALL = 4 * PAGE


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take little for needed, so that small sites show what large ones do."""
    monkeypatch.setattr(stores, "SMALL", SMALL)
    monkeypatch.setattr(devlog.stages, "SMALL", SMALL)


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The sizes of the databases whose bytes were counted, in pages."""
    found: list[int] = []
    is_sound = stores.is_sound

    def noted(connection: sqlite3.Connection) -> bool:
        found.append(connection.execute("PRAGMA page_count").fetchone()[0])
        return is_sound(connection)

    monkeypatch.setattr(stores, "is_sound", noted)
    return found


def test_few_large_records_are_forgotten_in_time(tmp_path: Path, counts: list[int]) -> None:
    path, large = tmp_path / "cache.db", bytes(SMALL)
    sizes = []
    with closing(Store(path)) as store:
        for number in range(FEW // 2):
            store.write({str(number): large})
            store.keep_only({str(number)}, slack=4)
            assert store.has([str(number)])
            sizes.append(store._pages)
    assert max(sizes) <= 4 * min(sizes)
    assert len(counts) <= FEW // 2 / 3 + 1
    assert path.stat().st_size <= 5 * SMALL


def test_large_records_that_are_needed_are_counted_again_only_when_they_have_multiplied(
    tmp_path: Path, counts: list[int]
) -> None:
    with closing(Store(tmp_path / "cache.db")) as store:
        keys = {str(number) for number in range(200)}
        store.write(dict.fromkeys(keys, bytes(SMALL // 2)))
        for number in range(20):
            store.write({f"edit {number}": bytes(1000)})
            store.keep_only(keys, slack=4)
        assert store.has(keys) == keys
        assert store.has(["edit 0"])
    assert len(counts) == 1
    with closing(Store(tmp_path / "cache.db")) as store:  # it remembers what was needed
        store.keep_only(keys, slack=4)
    assert len(counts) == 1


def test_without_slack_only_what_is_needed_stays(tmp_path: Path, counts: list[int]) -> None:
    with closing(Store(tmp_path / "cache.db")) as store:
        store.write({str(number): bytes(SMALL) for number in range(3)})
        for _ in range(3):
            store.keep_only({"0", "1"}, slack=1)
        assert store.has(["0", "1", "2"]) == {"0", "1"}
    assert len(counts) == 1


def test_builds_of_a_post_with_large_results(tmp_path: Path, counts: list[int]) -> None:
    sizes = []
    for number in range(14):
        site(tmp_path, number)
        build_site(tmp_path)
        sizes.append(size(tmp_path))
        before = len(counts)
        build_site(tmp_path)
        assert len(counts) == before, "an unchanged build counts nothing"
    assert max(sizes) <= 5 * sizes[0]
    assert len(counts) <= len(sizes) / 2


def test_checks_of_a_post_with_large_results(tmp_path: Path) -> None:
    sizes = []
    for number in range(14):
        site(tmp_path, number)
        check(Options(tmp_path, now=NOW, jobs=1))
        sizes.append(size(tmp_path))
    assert max(sizes) <= 5 * sizes[0]


def test_a_check_counts_only_what_is_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site(tmp_path, 0)
    check(Options(tmp_path, now=NOW, jobs=1))
    asked: list[int] = []
    of_names = devlog.stages.Stages._size

    def noted(stages: devlog.stages.Stages, names: set[str]) -> int:
        asked.append(len(names))
        return of_names(stages, names)

    monkeypatch.setattr(devlog.stages.Stages, "_size", noted)
    check(Options(tmp_path, now=NOW, jobs=1))
    assert sum(asked) == 0


def test_large_answers_of_forges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "_MOST_BYTES", 3 * SMALL)
    for number in range(20):
        cache = answers.Cache(tmp_path)
        cache.write(f"https://forge.example/{number}", answers.Kept(number, "", "", -1, bytes(SMALL)))
        cache.save()
        assert cache.read(f"https://forge.example/{max(0, number - 2)}")
    assert (tmp_path / answers.FILE).stat().st_size <= 6 * SMALL


def site(root: Path, number: int) -> None:
    charts = [f'```csv plot=bar title="{number} {chart}"\na,b\nx,1\ny,2\n```\n' for chart in range(40)]
    text = "\n".join(["---\ntitle: Charts\nauthor: Ada Quill (@ada)\n---\n", f"Edit {number}.\n", *charts])
    write_site(root, {"devlog.toml": 'title = "Log"\n', "content/planner/2026-01-02-charts.md": text})


def size(root: Path) -> int:
    return (root / ".devlog/cache.db").stat().st_size
