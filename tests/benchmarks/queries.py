"""How long a query takes in a browser: ``python -m tests.benchmarks.queries CORPUS [--posts N] [--keep FOLDER]``.

The corpus is a blog of another generator. Of its paragraphs a devlog of any size is put together, so that words are as
frequent in it as people use them; made-up sentences would have all words in all posts. It is built as a plain install
builds it, and asked in a browser, on this machine: each query in a new context without any cache, then again among
others. Times are from the last letter to the results, with what the search waits for more letters; bytes are those of
all answers since the search was opened.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from statistics import median
from typing import Any

from .corpus import TOPICS
from .report import spread
from .search import CHROMIUM, REPOSITORY, Handler

OWN, OTHERS = 10, 14
"""Paragraphs of a post: from the post of the corpus that it is made of, and from any."""
QUERIES = 12
_FENCE = re.compile(r"^(```|~~~)", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]{3,}")

# Types a query, and tells how many milliseconds later the results are there.
_ASK = """query => new Promise(done => {
    const box = document.querySelector('.search-dialog .search'), field = box.querySelector('.search-field');
    box.dataset.state = 'busy';
    const begin = performance.now();
    new MutationObserver((_, observer) => {
        if (box.dataset.state !== 'done') { return; }
        observer.disconnect();
        done(performance.now() - begin);
    }).observe(box, { attributes: true });
    field.value = query;
    field.dispatchEvent(new Event('input', { bubbles: true }));
})"""


def sources(corpus: Path) -> list[tuple[str, list[str]]]:
    """The title and the paragraphs of each post of a blog; what has fences or raw HTML in it is left out."""
    found = []
    for path in sorted(corpus.rglob("*.md")):
        text = path.read_text("utf-8", "replace")
        title = re.search(r"^title\s*[:=]\s*['\"]?(.*?)['\"]?\s*$", text, re.MULTILINE)
        body = re.split(r"^(?:---|\+\+\+)\s*$", text, maxsplit=2, flags=re.MULTILINE)[-1]
        parts = [part.strip() for part in body.split("\n\n")]
        parts = [part for part in parts if 80 < len(part) < 3000 and "<" not in part and not _FENCE.search(part)]
        if title and len(parts) > 3:
            found.append((re.sub(r'["\\\\]', "", title[1]), parts))
    return found


def write(folder: Path, corpus: Path, count: int) -> list[str]:
    """Write a devlog of so many posts; returns queries: words of titles, and words that stand together in a text."""
    posts, rng = sources(corpus), random.Random(1)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "devlog.toml").write_text('title = "Lumen"\nbase_url = "https://docs.example.org/"\n', "utf-8")
    anything = [part for _, parts in posts for part in parts]
    for topic in TOPICS:
        (folder / "content" / topic).mkdir(parents=True, exist_ok=True)
        (folder / "content" / topic / "_index.md").write_text(f"---\ntitle: {topic.capitalize()}\n---\n", "utf-8")
    for number in range(count):
        title, parts = posts[number % len(posts)]
        texts = rng.sample(parts, min(OWN, len(parts))) + rng.sample(anything, OTHERS)
        rng.shuffle(texts)
        day = date(2012, 1, 1) + timedelta(days=number % 4000)
        head = (
            f'---\ntitle: "{title}, {number // len(posts) + 1}"\ndate: {day}\nauthor: "Ada Quill (@adaquill)"\n---\n\n'
        )
        name = f"{day}-{number}.md"
        (folder / "content" / TOPICS[number % len(TOPICS)] / name).write_text(head + "\n\n".join(texts) + "\n", "utf-8")
    queries = []
    while len(queries) < QUERIES:
        title, parts = rng.choice(posts)
        words = _WORD.findall(title if len(queries) % 2 else rng.choice(parts))
        if len(words) >= 3:
            start = rng.randrange(len(words) - 2)
            queries.append(" ".join(words[start : start + rng.randint(1, 3)]))
    return queries


class _Counting(Handler):
    """A server that counts what it sends."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else the second part of each answer waits 40 ms for the first to be acknowledged
    sent = 0
    answers = 0

    def copyfile(self, source: Any, outputfile: Any) -> None:
        data = source.read()
        _Counting.sent += len(data)
        _Counting.answers += 1
        outputfile.write(data)


@contextmanager
def browsing(public: Path) -> Iterator[tuple[Any, str]]:
    """A browser, and the address of a site."""
    from playwright.sync_api import sync_playwright

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Counting, directory=str(public)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser, f"http://127.0.0.1:{server.server_address[1]}"
        browser.close()
    server.shutdown()
    server.server_close()


def opened(browser: Any, address: str) -> Any:
    """A page in a context of its own, with its search opened and idle."""
    page = browser.new_context().new_page()
    page.goto(f"{address}/archive/")
    page.wait_for_load_state("networkidle")
    _Counting.sent = _Counting.answers = 0
    page.keyboard.press("/")
    page.wait_for_selector(".search-dialog[open]")
    page.wait_for_load_state("networkidle")
    return page


def measure(public: Path, queries: list[str]) -> str:
    """Ask all queries, and say what they took."""
    first, warm, kilobytes, answers, found = [], [], [], [], []
    with browsing(public) as (browser, address):
        for query in queries:
            page = opened(browser, address)
            first.append(page.evaluate(_ASK, query))
            kilobytes.append(_Counting.sent / 1000)
            answers.append(_Counting.answers)
            found.append(page.inner_text(".search-dialog .search-status"))
            page.context.close()
        page = opened(browser, address)
        for turn in range(3):
            for query in queries:
                took = page.evaluate(_ASK, query)
                if turn:
                    warm.append(took)
    lines = [
        f"{one}: {took:.0f} ms, {size:.0f} kB, {said}"
        for one, took, size, said in zip(queries, first, kilobytes, found, strict=True)
    ]
    return "\n".join(
        [
            *lines,
            f"first: {spread(first, 0)} ms, {spread(kilobytes, 0)} kB, {median(answers):.0f} answers",
            f"again: {spread(warm, 0)} ms",
        ]
    )


def main() -> None:
    """Write, build, ask."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path, help="the folder of the blog")
    parser.add_argument("--posts", type=int, default=10_000, help="of the devlog; 10000 unless told")
    parser.add_argument("--keep", type=Path, help="where the devlog is kept; built there already, it is only asked")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        site = arguments.keep or Path(folder) / "site"
        queries_file = site / "queries.json"
        if not queries_file.exists():
            queries = write(site, arguments.corpus, arguments.posts)
            command = [sys.executable, "-m", "devlog", "build", "--quiet", "--root", str(site)]
            subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True)  # its links lead nowhere
            queries_file.write_text(json.dumps(queries), "utf-8")
        print(measure(site / "public", json.loads(queries_file.read_text("utf-8"))))


if __name__ == "__main__":
    main()
