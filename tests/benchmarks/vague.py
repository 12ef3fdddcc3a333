"""How often vague queries find what they mean: ``python -m tests.benchmarks.vague CORPUS [--seed N]…``.

The corpus is a blog of another generator, which is copied and adopted. By a seeded rule, 30 queries of each of four
kinds are drawn from its posts: words of a title with one that stands nowhere, with one that is mistyped, an identifier
among words of which the post has none, an identifier in another spelling. Each is asked as ``devlog search`` asks.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from devlog.search.lookup import Lookup

from .search import Text, _identifier, _mistyped, _title, adopted, texts

EACH = 30
FIRST = 3
FOREIGN = ("zeugma", "brouhaha", "quixotic", "marmalade", "ukulele", "fjords", "xylophones", "bamboozled")

Draw = Callable[[random.Random, Text, list[Text]], str]


def foreign(rng: random.Random, post: Text, posts: list[Text]) -> str:
    """Words of a title, and one that stands nowhere."""
    words = _title(rng, post, posts).split()
    words.insert(rng.randrange(len(words) + 1), rng.choice(FOREIGN))
    return " ".join(words) if len(words) > 2 else ""


def mistyped(rng: random.Random, post: Text, posts: list[Text]) -> str:
    """Words of a title, one of them with a slip."""
    words = _title(rng, post, posts)
    return _mistyped(rng, words) if words else ""


def paraphrase(rng: random.Random, post: Text, posts: list[Text]) -> str:
    """An identifier among words that the post does not have."""
    name = _identifier(rng, post, posts).lstrip("-")
    others = sorted(
        set(re.findall(r"\b[a-z]{5,12}\b", rng.choice(posts).text)) - set(re.findall(r"\w+", post.text.lower()))
    )
    return " ".join([rng.choice(others), name, rng.choice(others)]) if name and others else ""


def respelled(rng: random.Random, post: Text, posts: list[Text]) -> str:
    """An identifier with other capitals, other characters between its parts, or in the plural."""
    name = _identifier(rng, post, posts)
    parts = [part for part in re.split(r"\W+|_|(?<=[a-z])(?=[A-Z])", name) if part]
    if len(parts) < 2:
        return ""
    lower = [part.lower() for part in parts]
    ways = ("_".join(lower), "-".join(lower), " ".join(lower), "".join(part.title() for part in lower), f"{name}s")
    return rng.choice([way for way in ways if way != name])


KINDS: dict[str, Draw] = {"foreign": foreign, "mistyped": mistyped, "paraphrase": paraphrase, "respelled": respelled}


def main() -> int:
    """Measure each seed; the exit status tells whether all reach the goal."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path, help="the folder of the blog")
    parser.add_argument("--seed", type=int, action="append", help="of the queries; may be given several times")
    arguments = parser.parse_args()
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        public = adopted(arguments.corpus, Path(folder))
        posts = texts(public)
        with closing(Lookup(public.parent, datetime.now(UTC))) as lookup:
            lookup.refresh()
            for seed in arguments.seed or [1]:
                missed += sum(_asked(lookup, posts, kind, random.Random(f"{kind} {seed}")) for kind in KINDS)
    return 1 if missed > 0.05 * EACH * len(KINDS) * len(arguments.seed or [1]) else 0


def _asked(lookup: Lookup, posts: list[Text], kind: str, rng: random.Random) -> int:
    """Ask the queries of a kind, and say how many did not find their post among the first."""
    found, empty, seconds, wrong = 0, 0, [], []
    asked: set[str] = set()
    while len(asked) < EACH:
        post = rng.choice(posts)
        query = KINDS[kind](rng, post, posts)
        if not query or query in asked:
            continue
        asked.add(query)
        begin = time.perf_counter()
        hits = lookup.search(query, limit=FIRST)
        seconds.append(time.perf_counter() - begin)
        empty += not hits
        if any(urlsplit(hit.url).path == post.path for hit in hits):
            found += 1
        else:
            wrong.append(f"  “{query}”: {post.path}")
    times = f"{1000 * median(seconds):.0f} ms, at most {1000 * max(seconds):.0f} ms"
    print(f"{kind}: {found} of {EACH} among the first {FIRST}, {empty} without any, {times}")
    print("\n".join(wrong))
    return EACH - found


if __name__ == "__main__":
    sys.exit(main())
