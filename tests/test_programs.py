"""Programs that the configuration names, several at a time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from process_groups import PATIENCE, group, is_guarded, needs_proc, until

from devlog import programs
from devlog.programs import Limits, Program, run_all

REPOSITORY = Path(__file__).parents[1]
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


STARTED = """
import os, pathlib, subprocess, sys
subprocess.Popen([sys.executable, "-c", "while True: pass"])
pathlib.Path("new").write_text(str(os.getpgid(0)))
pathlib.Path("new").rename("group")
while True:
    pass
"""
STARTING = """
import sys
from pathlib import Path
from devlog.programs import Limits, Program, run
folder = Path(sys.argv[1])
run(Program([sys.executable, "-c", sys.argv[2]]), folder, None, folder / "printed", Limits(600, 1_000_000))
"""


@needs_proc
def test_programs_end_when_all_processes_of_the_command_are_killed(tmp_path: Path) -> None:
    """So does what they have started themselves."""
    command = [sys.executable, "-c", STARTING, str(tmp_path), STARTED]
    process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(REPOSITORY)}, start_new_session=True)
    try:
        assert until((tmp_path / "group").exists)
        leader = int((tmp_path / "group").read_text())
        assert len(group(leader)) == 2
        assert until(lambda: is_guarded(leader))
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(PATIENCE)
    try:
        assert until(lambda: not group(leader))
    finally:
        if group(leader):
            os.killpg(leader, signal.SIGKILL)


@needs_proc
def test_of_programs_that_have_ended_nothing_stays(tmp_path: Path) -> None:
    children = Path(f"/proc/self/task/{threading.get_native_id()}/children")
    if not children.exists():
        pytest.skip("the system does not tell children")
    before = children.read_text()
    done = programs.run(Program([sys.executable, "-c", ""]), tmp_path, None, tmp_path / "printed", Limits(60, 1_000))
    assert not done.problem
    assert children.read_text() == before
