"""``python -m tests.benchmarks``: devlog beside other generators, as whole processes, in pairs.

Every figure of a pair is taken in turn, A B A B …, and compared pair by pair, so that a change of the machine's
speed in between touches both. The table is printed as Markdown.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.corpus import posts, write_devlog
from tests.benchmarks.peers import CACHE, PEERS, NotInstalledError, Peer

DEVLOG = [sys.executable, "-m", "devlog", "build", "--quiet"]
REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Run:
    """One finished process: wall seconds, and the most memory that it and its children held at once, in MB."""

    seconds: float
    megabytes: float


def timed(command: Sequence[str], cwd: Path) -> Run:
    """Run a command to its end. Raises CalledProcessError."""
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    begin = time.perf_counter()
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
    peak = [0.0]
    watcher = threading.Thread(target=_watch, args=(process, peak), daemon=True)
    watcher.start()
    _, errors = process.communicate()
    seconds = time.perf_counter() - begin
    watcher.join()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, list(command), stderr=errors)
    return Run(seconds, peak[0])


def _watch(process: subprocess.Popen[bytes], peak: list[float]) -> None:
    """Add up the memory of a process tree some times a second (proportional set size, as Linux counts it)."""
    while process.poll() is None:
        peak[0] = max(peak[0], sum(map(_megabytes, _tree(process.pid))))
        time.sleep(0.1)


def _tree(pid: int) -> list[int]:
    found = [pid]
    for parent in found:
        try:
            for task in Path(f"/proc/{parent}/task").iterdir():
                found += [int(child) for child in (task / "children").read_text().split()]
        except OSError:
            continue
    return found


def _megabytes(pid: int) -> float:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0.0


@dataclass(frozen=True)
class Row:
    """A line of the table: what was done, by whom, and the pairs."""

    work: str
    peer: str
    ours: tuple[Run, ...]
    theirs: tuple[Run, ...]


def _spread(values: Sequence[float], digits: int = 2) -> str:
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def table(rows: Sequence[Row]) -> str:
    """The rows as Markdown: medians, with minimum and maximum."""
    lines = [
        "| work | devlog s | devlog MB | peer | peer s | peer MB | ratio of the pairs |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        ratios = [a.seconds / b.seconds for a, b in zip(row.ours, row.theirs, strict=True)]
        lines.append(
            f"| {row.work} | {_spread([run.seconds for run in row.ours])} | {max(r.megabytes for r in row.ours):.0f} "
            f"| {row.peer} | {_spread([run.seconds for run in row.theirs])} "
            f"| {max(run.megabytes for run in row.theirs):.0f} "
            f"| {_spread(ratios, 3)} |"
        )
    return "\n".join(lines)


class Bench:
    """A devlog site and a peer's of the same posts, and the kinds of work to compare."""

    def __init__(self, folder: Path, count: int, peer: Peer, runs: int) -> None:
        self._site = folder / "devlog"
        self._theirs = folder / peer.name.lower()
        self._count = count
        self._peer = peer
        self._runs = runs
        self._tool = peer.install()
        shutil.rmtree(folder, ignore_errors=True)
        write_devlog(self._site, count)
        peer.write(self._theirs, count)
        self._edits = 0

    def _peer_build(self) -> Run:
        for output in self._peer.outputs:
            path = self._theirs / output
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        return timed(self._peer.command(self._tool, self._theirs), self._theirs)

    def _build(self) -> Run:
        return timed(DEVLOG, self._site)

    def row(self, work: str, prepare: Callable[[], None]) -> Row:
        """Compare one kind of work; `prepare` brings our site into the state before it."""
        ours, theirs = [], []
        for _ in range(self._runs):
            prepare()
            ours.append(self._build())
            theirs.append(self._peer_build())
        return Row(f"{work}, {self._count:,} posts", self._peer.name, tuple(ours), tuple(theirs))

    def cold(self) -> None:
        """Nothing is there."""
        for name in ("public", ".devlog"):
            shutil.rmtree(self._site / name, ignore_errors=True)

    def warm(self) -> None:
        """Everything is there."""

    def _some_post(self) -> Path:
        self._edits += 1
        post = list(posts(min(self._count, 50)))[self._edits % 50]
        return self._site / "content" / post.topic / f"{post.name}.md"

    def edit_body(self) -> None:
        """One sentence is added to a post."""
        path = self._some_post()
        path.write_text(path.read_text("utf-8") + f"\nEdit {self._edits}.\n", "utf-8")

    def add_post(self) -> None:
        """There is one more post."""
        path = self._some_post()
        text = path.read_text("utf-8").replace('title: "', f'title: "New {self._edits} ', 1)
        path.with_name(f"2026-10-01-new-{self._edits}.md").write_text(text, "utf-8")

    def edit_footer(self) -> None:
        """The footer's template changes."""
        self._edits += 1
        partials = self._site / "templates" / "partials"
        partials.mkdir(parents=True, exist_ok=True)
        original = REPOSITORY / "themes" / "default" / "templates" / "partials" / "footer.html"
        (partials / "footer.html").write_text(original.read_text("utf-8") + f"<!-- {self._edits} -->\n", "utf-8")

    def fresh_checkout(self) -> None:
        """Every file has a new time, as after a checkout with a restored cache."""
        for path in self._site.rglob("*"):
            if path.is_file():
                os.utime(path)


def main() -> None:
    """Read the arguments, run, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("--posts", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--peers", default="hugo,eleventy,pelican", help="names, separated by commas")
    parser.add_argument(
        "--work", default="cold", help="of cold, warm, edit_body, add_post, edit_footer, fresh_checkout; with commas"
    )
    arguments = parser.parse_args()
    rows: list[Row] = []
    for peer in PEERS:
        if peer.name.lower() not in arguments.peers.lower().split(","):
            continue
        try:
            bench = Bench(
                CACHE / "sites" / f"{peer.name.lower()}-{arguments.posts}", arguments.posts, peer, arguments.runs
            )
        except NotInstalledError as error:
            print(f"{peer.name} cannot be installed: {error}", file=sys.stderr)
            continue
        for work in arguments.work.split(","):
            if work != "cold":
                bench.row("", lambda: None) if not (bench._site / "public").exists() else None
            rows.append(bench.row(work.replace("_", " "), getattr(bench, work)))
            print(table(rows[-1:]), flush=True)
    print()
    print(table(rows))


main()
