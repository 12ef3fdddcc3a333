"""Whole processes, timed and weighed."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

INTERVAL, SHARE = 0.02, 20
"""Memory is looked at every 0.02 s, or less often where looking takes more than a twentieth of the time: the larger
a process, the longer Linux takes to add its pages up, and the watched must not wait for the watcher."""
ERRORS = 20
"""How many lines of what a failed command said are shown."""


class FailedError(Exception):
    """A command that was to be timed and failed; the message holds the end of what it said."""


@dataclass(frozen=True)
class Run:
    """One finished process.

    Attributes:
        seconds: of wall time, from before it is started until it has ended.
        megabytes: the most memory (2**20 bytes) that it and its children were seen to hold at once. It is the sum of
            their proportional set sizes, so that a page that several share is counted once; 0 where there is no
            ``/proc``, and in runs that were not watched.
        output: what it printed.
    """

    seconds: float
    megabytes: float
    output: bytes


def timed(command: Sequence[str], cwd: Path, *, watch: bool = True, path: Path | None = None) -> Run:
    """Run a command to its end. What was written before is on the disk first, so that nobody pays for another.

    Args:
        command: program and arguments.
        cwd: where it runs.
        watch: whether its memory is looked at.
        path: where its Python finds further packages.

    Raises:
        FailedError: it did not end with 0.
    """
    environment = {**os.environ, "PYTHONPATH": str(path)} if path else dict(os.environ)
    if hasattr(os, "sync"):
        os.sync()
    begin = time.perf_counter()
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    peak, ended = [0.0], threading.Event()
    watcher = threading.Thread(target=_watch, args=(process.pid, peak, ended), daemon=True)
    if watch:
        watcher.start()
    output, errors = process.communicate()
    seconds = time.perf_counter() - begin
    ended.set()
    if watch:
        watcher.join()
    if process.returncode:
        said = (errors or output).decode(errors="replace").splitlines()[-ERRORS:]
        raise FailedError("\n".join([f"{' '.join(command)} ended with {process.returncode}", *said]))
    return Run(seconds, peak[0], output)


def _watch(pid: int, peak: list[float], ended: threading.Event) -> None:
    pause = 0.0
    while not ended.wait(pause):
        begin = time.perf_counter()
        peak[0] = max(peak[0], sum(map(_megabytes, _tree(pid))))
        pause = max(INTERVAL, SHARE * (time.perf_counter() - begin))


def _tree(pid: int) -> list[int]:
    found = [pid]
    for parent in found:
        try:
            for task in Path(f"/proc/{parent}/task").iterdir():
                found += [int(child) for child in (task / "children").read_text().split()]
        except OSError:  # it has ended
            continue
    return found


def _megabytes(pid: int) -> float:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    except OSError:  # it has ended
        pass
    return 0.0
