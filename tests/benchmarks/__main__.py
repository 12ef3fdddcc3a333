"""devlog beside other generators, as whole processes, in pairs.

A run is: a peer builds its site of the same posts from nothing; then devlog does each kind of work. Each of devlog's
figures is divided by the peer's build of its own run, which stands for all kinds, since a generator that keeps nothing
does the same work whatever has changed. The runs follow each other, A B A B …, so that a change of the machine's speed
touches both sides of a pair. With several peers each has runs of its own, in turn.

Nothing but the processes is timed: not the edits, the copies or the removal of what an earlier build left. A peer that
cannot be installed, or fails, is reported and left out.

How long a saved text takes into a browser is measured by ``python -m tests.benchmarks.latency``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from . import report
from .aside import put_aside
from .cache import CACHE
from .corpus import SAMPLES
from .peers import PEERS, WHOLE_PEERS, NotInstalledError, Peer
from .report import Row, names, say
from .timing import FailedError, Run, timed
from .work import DEVLOG, EDITED, KINDS, REPOSITORY, Site, site

STARTS = 20


@dataclass(frozen=True)
class Rival:
    """An installed peer with its site."""

    peer: Peer
    tool: list[str]
    folder: Path

    def build(self) -> Run:
        """Build from nothing."""
        for name in ("public", *self.peer.leavings):
            put_aside(self.folder / name)
        return timed([*self.tool, *self.peer.build], self.folder)


def rivals(chosen: Iterable[str], count: int, name: str) -> list[Rival]:
    """Install peers and write their sites of a sample; those that cannot be had are reported."""
    found = []
    for peer in WHOLE_PEERS if SAMPLES[name].whole else PEERS:
        if peer.name.lower() not in chosen:
            continue
        folder = CACHE / "sites" / f"{peer.name.lower()}-{name}-{count}"
        say(f"{peer.name}: install, write {count:,} posts")
        try:
            tool = peer.install()
        except NotInstalledError as error:
            say(f"{peer.name} cannot be installed and is left out: {error}")
            continue
        put_aside(folder)
        folder.parent.mkdir(parents=True, exist_ok=True)
        peer.write(folder, count, SAMPLES[name])
        found.append(Rival(peer, tool, folder))
    return found


def compare(ours: Site, against: list[Rival], kinds: Iterable[str], runs: int) -> Iterator[Row]:
    """Take the runs; without a peer, devlog's alone. Rows come as soon as they are begun, and grow.

    A peer that fails is taken out of `against`.
    """
    rows: dict[tuple[str, str], Row] = {}
    for turn in range(1, runs + 1):
        sides: list[Rival | None] = [*against]
        for rival in sides or [None]:
            name, theirs = rival.peer.name if rival else "", None
            if rival:
                try:
                    theirs = rival.build()
                except FailedError as error:
                    say(f"{name} is left out: {error}")
                    against.remove(rival)
                    continue
                say(f"run {turn}: {name} {theirs.seconds:.2f} s")
            for kind in kinds:
                run = ours.work(kind)
                say(f"run {turn}: {kind} {run.seconds:.2f} s")
                if (kind, name) not in rows:
                    rows[kind, name] = Row(f"{kind.replace('_', ' ')}, {ours.count:,} posts", name)
                    yield rows[kind, name]
                rows[kind, name].ours.append(run)
                rows[kind, name].theirs.extend([theirs] if theirs else [])


def grow(sizes: tuple[int, int], runs: int) -> dict[tuple[str, int], list[Run]]:
    """Build a smaller and a larger devlog in turn, from nothing and again."""
    sites = [site(count, "growth") for count in sizes]
    found: dict[tuple[str, int], list[Run]] = {}
    for turn in range(1, runs + 1):
        for one in sites:
            for kind in ("cold", "warm"):
                found.setdefault((kind, one.count), []).append(one.work(kind))
                say(f"run {turn}: {kind}, {one.count:,} posts, {found[kind, one.count][-1].seconds:.2f} s")
    return found


def start() -> dict[str, list[Run]]:
    """Start commands that do nothing, and Python itself, in turn."""
    commands = {
        "devlog --version": [*DEVLOG, "--version"],
        "devlog --help": [*DEVLOG, "--help"],
        "python -c pass": [sys.executable, "-c", "pass"],
    }
    found: dict[str, list[Run]] = {name: [] for name in commands}
    for _ in range(STARTS):
        for name, command in commands.items():
            found[name].append(timed(command, REPOSITORY, watch=False, path=REPOSITORY))
    return found


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--posts", type=int, default=1000, help="how many; 1000 unless told")
    parser.add_argument("--runs", type=int, default=3, help="pairs of each row; 3 unless told")
    parser.add_argument(
        "--peers",
        type=names,
        default=["hugo", "eleventy", "sharp", "pelican"],
        help="of hugo, eleventy, sharp (full), hugo-short, pelican, zensical, material (not full), with commas; the "
        "first three and pelican unless told; '' for none",
    )
    parser.add_argument(
        "--site",
        choices=SAMPLES,
        default="full",
        help="full: what a plain install makes, with an image in every fourth post; text: without images, search index "
        "and cards; lists: the same with 44 topics, 120 tags and 200 authors; full unless told",
    )
    parser.add_argument(
        "--work",
        type=names,
        default=["cold"],
        help=f"of {', '.join(KINDS)}, or all for these; growth; startup; with commas; cold unless told",
    )
    parser.add_argument("--sizes", type=int, nargs=2, default=(2000, 20000), help="posts for growth; 2000 20000")
    parser.add_argument("--outputs", action="store_true", help="also count what each generator wrote")
    arguments = parser.parse_args()
    known = {peer.name.lower() for peer in (*PEERS, *WHOLE_PEERS)}
    if unknown := [name for name in arguments.peers if name not in known]:
        parser.error(f"unknown peer: {', '.join(unknown)}")
    if unknown := [name for name in arguments.work if name not in {*KINDS, "all", "growth", "startup"}]:
        parser.error(f"unknown work: {', '.join(unknown)}")
    return arguments


def compared(arguments: argparse.Namespace, kinds: list[str], against: list[Rival]) -> Iterator[str]:
    """The tables of devlog and its peers. What was measured is shown even if the rest cannot be."""
    site(EDITED, "first").build()  # so that Python has compiled everything
    ours = site(arguments.posts, f"devlog-{arguments.site}", SAMPLES[arguments.site])
    rows: list[Row] = []
    try:
        rows.extend(compare(ours, against, kinds, arguments.runs))
    finally:
        yield report.pairs(rows)
    if arguments.outputs:
        folders = {"devlog": ours.folder} | {rival.peer.name: rival.folder for rival in against}
        yield report.outputs({name: folder / "public" for name, folder in folders.items()})


def main() -> None:
    """Read the arguments, run, print."""
    arguments = _arguments()
    kinds = [kind for kind in KINDS if kind in arguments.work or "all" in arguments.work]
    against = rivals(arguments.peers, arguments.posts, arguments.site) if kinds else []
    if kinds:
        for table in compared(arguments, kinds, against):
            print(f"{table}\n", flush=True)
    if "growth" in arguments.work:
        print(report.growth(grow(tuple(arguments.sizes), arguments.runs)), end="\n\n", flush=True)
    if "startup" in arguments.work:
        print(report.startup(start()), end="\n\n")
    print(f"The site “{arguments.site}”.", report.circumstances({one.peer.name: one.peer.version for one in against}))


if __name__ == "__main__":
    main()
