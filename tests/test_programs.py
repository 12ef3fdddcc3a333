"""Programs that the configuration names, several at a time."""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from devlog import programs
from devlog.programs import Limits, Program, run_all

BEGIN_AND_END = "import pathlib, time; pathlib.Path('begun').touch(); time.sleep(5); pathlib.Path('over').touch()"


def _run(folder: Path, stop: Event) -> str:
    command = [sys.executable, "-c", BEGIN_AND_END]
    return programs.run(Program(command), folder, None, folder / "printed", Limits(60, 1_000_000), stop).problem


def _begun(folder: Path) -> bool:
    while not (folder / "begun").exists():
        time.sleep(0.01)
    return True


def test_an_interruption_while_others_are_still_to_start_ends_what_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [tmp_path / "first", tmp_path / "second"]
    for folder in folders:
        folder.mkdir()
    submit = ThreadPoolExecutor.submit

    def interrupted(pool: ThreadPoolExecutor, *arguments: Any) -> Any:
        if folders[1] in arguments and _begun(folders[0]):
            raise KeyboardInterrupt
        return submit(pool, *arguments)

    monkeypatch.setattr(ThreadPoolExecutor, "submit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_all(_run, folders, 2)
    assert not (folders[0] / "over").exists()
    assert not (folders[1] / "begun").exists()


def test_an_interruption_while_all_run_ends_them(tmp_path: Path) -> None:
    def one(folder: Path, stop: Event) -> str:
        if folder.name == "fails":
            assert _begun(tmp_path / "runs")
            raise KeyboardInterrupt
        folder.mkdir()
        return _run(folder, stop)

    with pytest.raises(KeyboardInterrupt):
        run_all(one, [tmp_path / "fails", tmp_path / "runs"], 2)
    assert not (tmp_path / "runs" / "over").exists()


def test_results_stand_in_the_order_of_the_items() -> None:
    first = Event()

    def one(item: int, _stop: Event) -> int:
        first.wait(10) if item == 0 else first.set()
        return item * 2

    assert run_all(one, [0, 1, 2], 2) == [0, 2, 4]
