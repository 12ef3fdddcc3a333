"""How often the search finds what is looked for: ``python -m tests.benchmarks.search CORPUS [--seed N]…``.

The corpus is a blog of another generator, which is copied, adopted and built. By a seeded rule, 60 known items are
drawn from what it publishes: words of a title, an identifier, a phrase from the middle of a text, 20 of each, five of
each with one letter mistyped. Each is typed into the search of the built site, in a browser, under a strict policy.
An item is found when its post is among the first three results.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

REPOSITORY = Path(__file__).resolve().parents[2]
CHROMIUM = "/usr/bin/chromium-headless-shell"
POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src * data:; object-src 'none'"
EACH = 20
MISTYPED = 5
FIRST = 3
GOAL = 0.9

_STOPWORDS = frozenset(
    """
    a about an and are as at be by can for from how in into is it its new not of on or our that the this to using was we
    what when will with you your
    """.split()
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_IDENTIFIER = re.compile(
    r"(?<![\w.:/@%-])(?:-{1,2}[a-z][\w-]{4,}|[A-Za-z_]\w*(?:(?:::|\.|_)\w+)+|[a-z]+(?:[A-Z][a-z]+)+|(?:[A-Z][a-z]+){2,})(?![\w:/@-])"
)
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Text(NamedTuple):
    """A published post."""

    path: str
    title: str
    text: str
    code: tuple[str, ...]


class Item(NamedTuple):
    """Something to look for, and the path of the post that has it."""

    kind: str
    query: str
    path: str
    meant: str


def texts(public: Path) -> list[Text]:
    """The posts of a built site, as their pages show them."""
    from lxml import html

    found = []
    for post in json.loads((public / "posts.json").read_text("utf-8")):
        path = urlsplit(post["url"]).path
        file = public / (path.lstrip("/") + "index.html" if path.endswith("/") else path.lstrip("/"))
        body = html.parse(str(file), html.HTMLParser(encoding="utf-8")).getroot().find_class("e-content")[0]
        code = tuple(element.text_content() for element in body.iter("code", "pre", "tt"))
        for element in body.iter("p", "li", "pre", "td", "br", "div", "h1", "h2", "h3", "h4"):
            element.tail = "\n" + (element.tail or "")
        found.append(Text(path, post["title"], body.text_content(), code))
    return found


def items(posts: list[Text], seed: int) -> list[Item]:
    """The items of a seed."""
    rng = random.Random(seed)
    drawn = []
    for kind, draw in (("title", _title), ("identifier", _identifier), ("phrase", _phrase)):
        found: list[Item] = []
        while len(found) < EACH:
            post = rng.choice(posts)
            query = draw(rng, post, posts)
            if not query or any(item.path == post.path for item in found):
                continue
            typed = _mistyped(rng, query) if len(found) < MISTYPED else query
            if typed:
                found.append(Item(kind, typed, post.path, query))
        drawn += found
    return drawn


def _title(rng: random.Random, post: Text, posts: list[Text]) -> str:
    """Two to four words of a title that no other title has together."""
    words = [word for word in _WORD.findall(post.title) if word.lower() not in _STOPWORDS and len(word) > 2]
    if len(words) < 2:
        return ""
    chosen = sorted(rng.sample(range(len(words)), min(len(words), rng.randint(2, 4))))
    query = [words[place] for place in chosen]
    wanted = {word.lower() for word in query}
    others = sum(wanted <= {word.lower() for word in _WORD.findall(other.title)} for other in posts)
    return " ".join(query) if others == 1 else ""


def _identifier(rng: random.Random, post: Text, posts: list[Text]) -> str:
    """An identifier of a text's code, or one time in four a part of it, that no other text has."""
    found = sorted({name for code in post.code for name in _IDENTIFIER.findall(code) if 6 <= len(name) <= 40})
    if not found:
        return ""
    name = rng.choice(found)
    parts = [part for part in re.split(r"\W+|_|(?<=[a-z])(?=[A-Z])", name) if len(part) >= 5]
    query = rng.choice(parts) if parts and rng.random() < 0.25 else name
    return query if _unique(query, posts) else ""


def _phrase(rng: random.Random, post: Text, posts: list[Text]) -> str:
    """Four to six words that stand together in the middle half of a text, and in no other."""
    quarter = len(post.text) // 4
    lines = [line.split() for line in re.split(r"\n|(?<=[.!?:;]) ", post.text[quarter : 3 * quarter])]
    count = rng.randint(4, 6)
    lines = [line for line in lines if len(line) > count + 1 and all(word.isascii() for word in line)]
    if not lines:
        return ""
    line = rng.choice(lines)
    start = rng.randrange(1, len(line) - count)
    query = " ".join(line[start : start + count])
    return query if re.fullmatch(r"[\w ,'’.-]+", query) and _unique(query, posts) else ""


def _unique(query: str, posts: list[Text]) -> bool:
    query = query.lower()
    return sum(query in " ".join(f"{post.title} {post.text}".lower().split()) for post in posts) == 1


def _mistyped(rng: random.Random, query: str) -> str:
    """A query with one mistake in one of its longer words: a letter too many, too few, another, or two swapped."""
    runs = list(re.finditer(r"[A-Za-z]{5,}", query))
    if not runs:
        return ""
    run = rng.choice(runs)
    at = rng.randrange(run.start(), run.end() - 1)
    letter = rng.choice(_LETTERS)
    mistakes = [
        query[:at] + letter + query[at:],
        query[:at] + query[at + 1 :],
        query[:at] + letter + query[at + 1 :],
        query[:at] + query[at + 1] + query[at] + query[at + 2 :],
    ]
    typed = rng.choice(mistakes)
    return typed if typed.lower() != query.lower() else ""


def adopted(corpus: Path, folder: Path) -> Path:
    """A copy of the corpus, adopted and built; returns the output folder."""
    site = folder / "site"
    shutil.copytree(corpus, site, copy_function=shutil.copyfile)
    for path in (site, *site.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    devlog = [sys.executable, "-m", "devlog"]
    for command in (["adopt", "--root", str(site)], ["build", "--root", str(site), "--quiet"]):
        subprocess.run([*devlog, *command], cwd=REPOSITORY, check=True, capture_output=True)
    return site / "public"


class Handler(SimpleHTTPRequestHandler):
    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def searching(public: Path) -> Iterator[Any]:
    """The search of a site, opened in a browser: yields the page."""
    from playwright.sync_api import sync_playwright

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(public)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_address[1]}/archive/")
        page.keyboard.press("/")
        page.wait_for_selector(".search-dialog[open]")
        yield page
        browser.close()
    server.shutdown()
    server.server_close()


def results(page: Any, query: str) -> list[str]:
    """The paths of the results that the search shows for a query, the best first."""
    page.evaluate("document.querySelector('.search-dialog .search').dataset.state = 'busy'")
    page.fill(".search-dialog .search-field", query)
    page.wait_for_selector(".search-dialog .search[data-state=done]", timeout=60_000)
    links = page.eval_on_selector_all(".search-dialog .search-link", "links => links.map(link => link.href)")
    return [urlsplit(link).path for link in links]


def main() -> int:
    """Measure each seed; the exit status tells whether all reach the goal."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path, help="the folder of the blog")
    parser.add_argument("--seed", type=int, action="append", help="of the items; may be given several times")
    parser.add_argument("--built", type=Path, help="the output folder of the corpus, when it is built already")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        public = arguments.built or adopted(arguments.corpus, Path(folder))
        posts = texts(public)
        reached = []
        with searching(public) as page:
            for seed in arguments.seed or [1]:
                wanted = items(posts, seed)
                missed = [(item, results(page, item.query)) for item in wanted]
                missed = [(item, found) for item, found in missed if item.path not in found[:FIRST]]
                hits = len(wanted) - len(missed)
                reached.append(hits >= GOAL * len(wanted))
                print(f"seed {seed}: {hits} of {len(wanted)} among the first {FIRST} ({hits / len(wanted):.0%})")
                for item, found in missed:
                    place = f"at {found.index(item.path) + 1}" if item.path in found else "not found"
                    print(f"  {item.kind} “{item.query}” ({item.meant}): {item.path} {place}")
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
