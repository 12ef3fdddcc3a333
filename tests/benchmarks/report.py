"""The tables, as Markdown ready to be pasted, and what a reader needs to judge them."""

from __future__ import annotations

import math
import os
import platform
import re
import statistics
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from .timing import Run
from .work import DEVLOG, REPOSITORY, counts

CODE = re.compile(rb'<pre\b.{0,400}?<span class="', re.DOTALL)
FEED = re.compile(rb"<rss\b|<feed\b|https://jsonfeed\.org/")


@dataclass(frozen=True)
class Row:
    """A line of the table: what was done, how often, and beside whom. Runs of one position were taken in turn."""

    work: str
    peer: str
    ours: list[Run] = field(default_factory=list)
    theirs: list[Run] = field(default_factory=list)


@dataclass
class Waits:
    """A line of the table of latencies: what was done, with which tool, and how long it took each time, in ms.

    Attributes:
        painted: until the browser had painted it; for a first page, until it was answered.
        found: until it was in the document; empty for a first page.
        missed: how many edits were never seen.
    """

    work: str
    tool: str
    painted: list[float] = field(default_factory=list)
    found: list[float] = field(default_factory=list)
    missed: int = 0


def say(text: str) -> None:
    """Tell how far a run is; the tables alone go to the standard output."""
    print(text, file=sys.stderr, flush=True)


def names(text: str) -> list[str]:
    """An argument of names with commas between."""
    return [name for name in text.lower().replace(" ", "").split(",") if name]


def spread(values: Sequence[float], digits: int) -> str:
    """The median, with minimum and maximum."""
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def markdown(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table."""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *lines))


def pairs(rows: Iterable[Row]) -> str:
    """devlog beside its peers. Memory is the largest of all runs."""
    head = (
        "work",
        "devlog, s",
        "MB",
        "parsed / rendered / written",
        "peer",
        "its build, s",
        "MB",
        "ratio of the pairs",
    )
    return markdown(head, [_pair(row) for row in rows if row.ours])


def _pair(row: Row) -> list[str]:
    cells = [row.work, spread([run.seconds for run in row.ours], 2), f"{max(run.megabytes for run in row.ours):.0f}"]
    cells.append(counts(row.ours[-1]))
    if not row.theirs:
        return [*cells, "–", "–", "–", "–"]
    ratios = [ours.seconds / theirs.seconds for ours, theirs in zip(row.ours, row.theirs, strict=True)]
    cells += [row.peer, spread([run.seconds for run in row.theirs], 2)]
    return [*cells, f"{max(run.megabytes for run in row.theirs):.0f}", spread(ratios, 3)]


def growth(found: dict[tuple[str, int], list[Run]]) -> str:
    """Cost per post at two sizes, by kind of work, and the ratio of the larger's to the smaller's."""
    lines = []
    for kind in dict.fromkeys(kind for kind, _ in found):
        small, large = sorted(count for other, count in found if other == kind)
        for name, unit, cost in (("time", "ms", _milliseconds), ("memory", "kB", _kilobytes)):
            per_post = {count: [cost(run) / count for run in found[kind, count]] for count in (small, large)}
            ratios = [b / a for a, b in zip(per_post[small], per_post[large], strict=True)]
            shown = [f"{spread(per_post[count], 2)} {unit} at {count:,}" for count in (small, large)]
            lines.append([f"{kind}, {name} per post", *shown, spread(ratios, 3)])
    return markdown(("work", "fewer posts", "more posts", "ratio"), lines)


def _milliseconds(run: Run) -> float:
    return run.seconds * 1000


def _kilobytes(run: Run) -> float:
    return run.megabytes * 1024


def startup(found: dict[str, list[Run]]) -> str:
    """How long commands take that do nothing."""
    lines = [[command, spread([run.seconds * 1000 for run in runs], 0)] for command, runs in found.items()]
    return markdown(("command", "ms"), lines)


def percentile(values: Sequence[float], share: int) -> float:
    """The smallest value that so many percent of all do not exceed."""
    return sorted(values)[max(0, math.ceil(len(values) * share / 100) - 1)]


def waits(rows: Sequence[Waits]) -> str:
    """Latencies. Beside the median of a peer stands how many times as long as devlog's it is."""
    head = ("work", "tool", "times", "missed", "min, ms", "median", "95 %", "max", "in the document", "÷ devlog")
    medians = {row.work: statistics.median(row.painted) for row in rows if row.tool == "devlog" and row.painted}
    order = list(dict.fromkeys(row.work for row in rows))
    ordered = sorted(rows, key=lambda row: order.index(row.work))
    return markdown(head, [_wait(row, medians.get(row.work)) for row in ordered])


def _wait(row: Waits, ours: float | None) -> list[str]:
    cells = [row.work, row.tool, str(len(row.painted) + row.missed), str(row.missed)]
    if not row.painted:
        return [*cells, *"––––––"]
    median = statistics.median(row.painted)
    cells += [f"{value:,.0f}" for value in (min(row.painted), median, percentile(row.painted, 95), max(row.painted))]
    cells.append(f"{statistics.median(row.found):,.0f}" if row.found else "–")
    return [*cells, f"{median / ours:.1f}" if ours and row.tool != "devlog" else "–"]


def outputs(folders: dict[str, Path]) -> str:
    """What each generator wrote, by its name."""
    head = ("generator", "HTML pages", "of them with highlighted code", "feeds", "other files", "MB in all")
    return markdown(head, [[name, *_outputs(folder)] for name, folder in folders.items()])


def _outputs(folder: Path) -> list[str]:
    pages = highlighted = feeds = others = size = 0
    for path in folder.rglob("*"):
        if not path.is_file():
            continue
        data = path.read_bytes()
        size += len(data)
        if path.suffix == ".html":
            pages += 1
            highlighted += CODE.search(data) is not None
        elif path.suffix in {".xml", ".json"} and FEED.search(data[:400]):
            feeds += 1
        else:
            others += 1
    return [f"{number:,}" for number in (pages, highlighted, feeds, others)] + [f"{size / 2**20:.1f}"]


PAIRS = "Seconds are medians (minimum–maximum) of whole processes; MB are the most that a process tree held."
WAITS = (
    "Milliseconds from the moment that a file is closed until its text has been painted; beside it, the median until "
    "it was in the document; for a first page, from the start of the process until it was answered."
)


def circumstances(peers: dict[str, str], note: str = PAIRS) -> str:
    """Date, machine and versions, and what the figures are; `peers` are the versions of the peers, by name."""
    own, commit = _said(*DEVLOG, "--version").replace(", version", ""), _said("git", "rev-parse", "--short", "HEAD")
    versions = {**peers, "Node": _said("node", "--version").lstrip("v")} if "Eleventy" in peers else peers
    facts = [
        f"{datetime.now(UTC):%Y-%m-%d}",
        f"{_processor()}, {os.cpu_count()} cores, {_memory()} GB",
        f"{_system()}, {platform.python_implementation()} {platform.python_version()}",
        f"{own} ({commit})" if commit else own,
        *(f"{name} {version}" for name, version in versions.items()),
    ]
    return f"{'; '.join(facts)}. {note}"


def _said(*command: str) -> str:
    """What a command prints; nothing if it cannot be run."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, cwd=REPOSITORY, timeout=60, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _processor() -> str:
    found = re.search(r"^model name\s*:\s*(.+)$", _text("/proc/cpuinfo"), re.MULTILINE)
    return found[1] if found else platform.processor() or platform.machine()


def _memory() -> str:
    found = re.search(r"^MemTotal:\s*(\d+) kB$", _text("/proc/meminfo"), re.MULTILINE)
    return f"{int(found[1]) / 2**20:.0f}" if found else "?"


def _system() -> str:
    if sys.platform != "linux":
        return platform.platform()
    found = re.search(r'^PRETTY_NAME="?([^"\n]+)', _text("/etc/os-release"), re.MULTILINE)
    return found[1] if found else "Linux"


def _text(path: str) -> str:
    try:
        return Path(path).read_text("utf-8")
    except OSError:
        return ""
