"""How fast and how well ``devlog search`` finds: ``python -m tests.benchmarks.lookup [--posts N] [--corpus BLOG]``.

The corpus of all benchmarks is written, and its posts are edited one after the other. After each edit a new process
brings the index up to date and asks for a word that only the edit has. What is timed: to load the modules, to bring the
index up to date, to find the word. Then the same index is asked for words that many posts have.

With ``--corpus`` the known items of ``tests.benchmarks.search`` are looked for, as they are meant and not mistyped, in
the terminal's search and not in the browser's. Then its posts are copied until there are as many as in the other
corpus, and the same is asked once more for the time that it takes: people's words are not spread as evenly as those of
a corpus that was made.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from urllib.parse import urlsplit

from devlog.search.lookup import Lookup

from .corpus import post, write_devlog, write_post
from .report import percentile, say
from .search import FIRST, GOAL, REPOSITORY, adopted, items, texts

EDITS = ("body", "title", "author")
QUERIES = (
    "buffer",
    "the log index",
    "cache miss latency",
    '"merge lock latch"',
    "buff",
    "row column buffer write",
    "-- the",
)

_ONCE = """
import json, sys
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
begin = perf_counter()
from devlog.search.lookup import Lookup
loaded = perf_counter()
lookup = Lookup(Path(sys.argv[1]), datetime.now(UTC))
read = lookup.refresh()
refreshed = perf_counter()
found = lookup.search(sys.argv[2])
print(json.dumps([loaded - begin, refreshed - loaded, perf_counter() - refreshed, read, len(found)]))
"""


def edited(folder: Path, kind: str, turn: int) -> str:
    """Edit a post; returns a word that stands in it now and nowhere else."""
    word = f"needle{kind}{turn}"
    chosen = post(turn)
    file = write_post(folder / "content", chosen)
    text = file.read_text("utf-8")
    line = {"body": "\n\n## ", "title": 'title: "', "author": 'author: "'}[kind]
    place = text.index(line) + len(line)
    file.write_text(f"{text[:place]}{word} {text[place:]}", "utf-8")
    return word if kind != "author" else chosen.title


def refreshes(folder: Path, kind: str, runs: int) -> list[list[float]]:
    """For each edit the milliseconds to load, to refresh, to find."""
    found = []
    for turn in range(runs):
        word = edited(folder, kind, turn)
        command = [sys.executable, "-c", _ONCE, str(folder), word]
        done = subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True)
        *seconds, read, hits = json.loads(done.stdout)
        if not 1 <= read <= 2 or not hits:  # the last post that was edited may have been put back
            raise SystemExit(f"{kind}: {read} texts read, {hits} hits")
        found.append([1000 * second for second in seconds])
    return found


def speed(posts: int, runs: int) -> None:
    """Measure how long a refresh and a query take."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_devlog(folder, posts)
        begin = perf_counter()
        with closing(Lookup(folder, datetime.now(UTC))) as lookup:
            lookup.refresh()
        say(f"{posts:,} posts: a new index in {perf_counter() - begin:.1f} s")
        for kind in EDITS:
            times = refreshes(folder, kind, runs)
            load, refresh, query = (statistics.median(column) for column in zip(*times, strict=True))
            say(f"edit of {kind}: load {load:.0f} ms, refresh {refresh:.0f} ms, query {query:.1f} ms")
        with closing(Lookup(folder, datetime.now(UTC))) as lookup:
            lookup.refresh()
            for query_text in QUERIES:
                took = [milliseconds(lookup, query_text) for _ in range(runs)]
                say(f"query {query_text}: {statistics.median(took):.1f} ms, 95 % within {percentile(took, 95):.1f} ms")


def known_items(corpus: Path, seeds: list[int], copies: int) -> bool:
    """Look for known items; returns whether enough are found.

    Args:
        corpus: the folder of a blog.
        seeds: of the items.
        copies: so many posts there are to be when times are taken; 0 for none.
    """
    good, asked = True, []
    with tempfile.TemporaryDirectory() as folder:
        public = adopted(corpus, Path(folder))
        posts = texts(public)
        with closing(Lookup(public.parent, datetime.now(UTC))) as lookup:
            lookup.refresh()
            for seed in seeds:
                wanted = items(posts, seed)
                asked += [item.meant for item in wanted]
                found = [(item, [urlsplit(hit.url).path for hit in lookup.search(item.meant)]) for item in wanted]
                missed = [(item, paths) for item, paths in found if item.path not in paths[:FIRST]]
                hits = len(wanted) - len(missed)
                good = good and hits >= GOAL * len(wanted)
                say(f"seed {seed}: {hits} of {len(wanted)} among the first {FIRST} ({hits / len(wanted):.0%})")
                for item, paths in missed:
                    place = f"at {paths.index(item.path) + 1}" if item.path in paths else "not found"
                    say(f"  {item.kind} “{item.meant}”: {item.path} {place}")
        if copies:
            multiply(public.parent / "content", copies)
            with closing(Lookup(public.parent, datetime.now(UTC))) as lookup:
                lookup.refresh()
                took = [min(milliseconds(lookup, query) for _ in range(3)) for query in asked]
            spread = (
                f"median {statistics.median(took):.1f} ms, 95 % within {percentile(took, 95):.1f}, max {max(took):.1f}"
            )
            say(f"{len(took)} queries in {copies:,} posts: {spread}")
    return good


def multiply(content: Path, count: int) -> None:
    """Copy the posts in a folder until there are so many."""
    posts = sorted(path for path in content.rglob("*.md") if not path.name.startswith("_"))
    for number in range(len(posts), count):
        post = posts[number % len(posts)]
        shutil.copy(post, post.with_stem(f"{post.stem}-{number // len(posts)}"))


def milliseconds(lookup: Lookup, query: str) -> float:
    """How long a query takes."""
    begin = perf_counter()
    lookup.search(query)
    return 1000 * (perf_counter() - begin)


def main() -> int:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--posts", type=int, default=10_000, help="of the corpus whose speed is measured; 0 for none")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--corpus", type=Path, help="the folder of a blog whose known items are looked for")
    parser.add_argument("--seed", type=int, action="append", help="of the items; may be given several times")
    arguments = parser.parse_args()
    if arguments.posts:
        speed(arguments.posts, arguments.runs)
    return 0 if not arguments.corpus or known_items(arguments.corpus, arguments.seed or [1], arguments.posts) else 1


if __name__ == "__main__":
    sys.exit(main())
