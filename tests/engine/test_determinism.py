"""The same input makes the same bytes, wherever and however it is built."""

from __future__ import annotations

import multiprocessing
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from lumen import lumen, post
from sites import NOW, build_site, read_tree, write_site

from devlog.disk.manifest import MANIFEST
from devlog.engine import executors
from devlog.model.report import Report

REPOSITORY = Path(__file__).parent.parent.parent
NAMES = ("Ada Quill (@adaquill)", "Bo Reed (@boreed)", "Cleo Marsh", "Ines Stone (@istone)")
TAGS = ("wal", "WAL", "design", "Design", "Iİıi", "testing", "C++", "query plan", "wal, testing, planner")


def many() -> dict[str, str | bytes]:
    """The log of Lumen, and enough posts on few days that every order has ties."""
    files = lumen()
    for number in range(70):
        day = f"2025-0{number % 3 + 1}-1{number % 2}"
        text = post(f"Title {number % 5}", day, NAMES[number % 4], TAGS[number % len(TAGS)], f"Text {number}. :rocket:")
        files[f"content/{'storage' if number % 2 else 'planner'}/{day}-númber-{number}.md"] = text
    return files


def result(root: Path) -> dict[str, bytes]:
    files = read_tree(root / "public")
    del files[MANIFEST]
    return files


class Expected(NamedTuple):
    """What each build must make, and say."""

    files: dict[str, bytes]
    report: Report


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Expected:
    root = write_site(tmp_path_factory.mktemp("expected"), many())
    report = build_site(root)
    assert not report.failed
    assert report.diagnostics
    return Expected(result(root), report)


@pytest.fixture(scope="module")
def expected(built: Expected) -> dict[str, bytes]:
    return built.files


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_site(tmp_path / "site", many())


def command(root: Path, *options: str, environment: dict[str, str], **more: Any) -> subprocess.CompletedProcess[bytes]:
    base = {key: value for key, value in os.environ.items() if key in ("PATH", "HOME", "SYSTEMROOT", "TMPDIR")}
    return subprocess.run(
        [sys.executable, "-m", "devlog", "build", "--root", str(root), "--now", NOW.isoformat(), *options],
        env={**base, "PYTHONPATH": str(REPOSITORY), **environment},
        capture_output=True,
        check=False,
        timeout=120,
        **more,
    )


ASCII = {"PYTHONIOENCODING": "ascii"}

ENVIRONMENTS = {
    "hash seed 0, east, plain locale": {"PYTHONHASHSEED": "0", "TZ": "Pacific/Kiritimati", "LC_ALL": "C"},
    "hash seed 1, west, locale of another encoding": {
        "PYTHONHASHSEED": "1",
        "TZ": "America/Los_Angeles",
        "LC_ALL": "C",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONUTF8": "0",
    },
    "random hash seed, ASCII terminal, other environment": {
        "PYTHONHASHSEED": "random",
        **ASCII,
        "LANG": "de_DE",
        "COLUMNS": "20",
        "NO_COLOR": "1",
        "SOURCE_DATE_EPOCH": "1",
    },
    "Turkish": {"LC_ALL": "tr_TR.UTF-8"},
}
"""Several things that have nothing to do with each other are tried at once, since each of these starts devlog."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.locale) if name == "Turkish" else name for name in ENVIRONMENTS]
)
@pytest.mark.slow
def test_environment(name: str, root: Path, expected: dict[str, bytes]) -> None:
    done = command(root, "--jobs", "1", environment=ENVIRONMENTS[name])
    assert done.returncode == 0, done.stderr
    assert result(root) == expected


@pytest.mark.slow
def test_messages_do_not_depend_on_hashes(root: Path) -> None:
    """The whole report, but for the times it gives."""
    reports = set()
    for seed in ("0", "1", "2"):
        done = command(root, "--jobs", "1", "--no-cache", "-q", environment={"PYTHONHASHSEED": seed})
        assert done.returncode == 0
        reports.add(done.stdout + done.stderr)
    assert len(reports) == 1


@pytest.mark.slow
def test_other_folder_and_umask(root: Path, tmp_path: Path, expected: dict[str, bytes]) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = command(root, environment={}, cwd=elsewhere, umask=0o077)
    assert done.returncode == 0, done.stderr
    assert result(root) == expected
    shutil.rmtree(root / "public")
    done = command(Path(), environment={}, cwd=root, umask=0)
    assert done.returncode == 0, done.stderr
    assert result(root) == expected


@pytest.mark.parametrize("jobs", [1, 2, 4])
@pytest.mark.slow
def test_processes(jobs: int, root: Path, expected: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "SMALL", 2)
    monkeypatch.setattr(executors, "BATCH", 5)
    report = build_site(root, jobs=jobs)
    assert report.parsed > 70
    assert result(root) == expected


def clean_processes() -> Executor:
    """What ``--executor`` may name; processes that are not ours."""
    return ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))


EXECUTORS = (
    "inline",
    "processes",
    "concurrent.futures:ThreadPoolExecutor",
    "test_determinism:clean_processes",
)
"""A cluster is in test_dask.py."""


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.slow
def test_executors(executor: str, root: Path, built: Expected, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "SMALL", 2)
    monkeypatch.setattr(executors, "BATCH", 5)
    monkeypatch.setattr(executors, "BATCH_AWAY", 7)
    report = build_site(root, jobs=2, executor=executor)
    assert report.parsed > 70
    assert result(root) == built.files
    assert (report.diagnostics, report.skipped) == (built.report.diagnostics, built.report.skipped)


@pytest.mark.slow
def test_processes_find_what_one_finds(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "SMALL", 2)
    one, two = (build_site(root, jobs=jobs, cache=False) for jobs in (1, 2))
    assert (one.diagnostics, one.skipped) == (two.diagnostics, two.skipped)
    assert one.diagnostics


@pytest.fixture
def shuffled(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Folders are listed in another order for each seed."""
    scandir, listdir = os.scandir, os.listdir
    order = random.Random()

    class Shuffled:
        def __init__(self, *where: Any) -> None:
            with scandir(*where) as entries:
                found = sorted(entries, key=lambda entry: str(entry.name))
            order.shuffle(found)
            self._entries = iter(found)

        def __iter__(self) -> Any:
            return self._entries

        def __next__(self) -> Any:
            return next(self._entries)

        def __enter__(self) -> Any:
            return self

        def __exit__(self, *_: object) -> None:
            self.close()

        def close(self) -> None:
            pass

    def names(*where: Any) -> Any:
        found = sorted(listdir(*where))
        order.shuffle(found)
        return found

    def begin(seed: int) -> None:
        order.seed(seed)
        monkeypatch.setattr(os, "scandir", Shuffled)
        monkeypatch.setattr(os, "listdir", names)

    return begin


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.slow
def test_order_of_folders(
    seed: int, root: Path, built: Expected, shuffled: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    shuffled(seed)
    listed = [entry.name for entry in os.scandir(root / "content/storage")]
    report = build_site(root, cache=False)
    monkeypatch.undo()
    assert listed != sorted(listed)
    assert report.diagnostics == built.report.diagnostics
    assert result(root) == built.files


@pytest.mark.slow
def test_order_in_which_files_were_made(tmp_path: Path, expected: dict[str, bytes]) -> None:
    root = write_site(tmp_path, dict(reversed(many().items())))
    build_site(root)
    assert result(root) == expected


def test_cache(root: Path, expected: dict[str, bytes]) -> None:
    cold = build_site(root)
    warm = build_site(root)
    shutil.rmtree(root / "public")
    rendered_again = build_site(root)
    uncached = build_site(root, cache=False)
    assert result(root) == expected
    assert cold.diagnostics == warm.diagnostics == rendered_again.diagnostics == uncached.diagnostics
    assert (warm.parsed, rendered_again.parsed, uncached.parsed) == (0, 0, cold.parsed)


@pytest.mark.slow
def test_json_is_utf_8_on_every_terminal(root: Path) -> None:
    plain = command(root, "--format", "json", environment=ASCII)
    assert plain.returncode == 0, plain.stderr
    assert "“" in plain.stdout.decode("utf-8")
