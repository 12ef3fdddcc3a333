"""A deterministic devlog of any size: about 10 kB a post, three code blocks each, no two of them the same."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path

TOPICS = ("storage", "planner", "executor", "network", "tooling", "testing", "release", "catalog", "memory", "client")
TAGS = (
    "performance", "design", "lumen", "index", "wal", "b-tree", "vacuum", "query.plan", "cache", "latency",
    "profiling", "locks", "mvcc", "sort", "join", "simd", "fsync", "replication", "schema", "fuzzing",
)  # fmt: skip
WORDS = (
    "the a of to in and that it is for on with as by from at this which when where page row column buffer write read "
    "log index tree node leaf split merge lock latch wait queue batch vector plan cost estimate join hash sort scan "
    "filter predicate key value range cursor snapshot version commit abort replay checkpoint segment block cache miss "
    "hit latency throughput memory allocation thread worker task scheduler request response client server socket "
    "frame packet retry timeout error bound invariant proof test fuzz bench profile trace sample histogram median tail "
    "we measured found changed removed kept wrote moved replaced simple slow fast large small new old first last next "
    "before after because although therefore however still only never always often rarely already again together"
).split()
LANGUAGES = ("python", "cpp", "rust")
NAMES = ("Ada", "Bo", "Cleo", "Dev", "Edda", "Finn", "Gia", "Hal", "Ines", "Jon")
FAMILIES = ("Quill", "Reed", "Marsh", "Stone")
START, DAYS = date(2014, 1, 1), 3900
"""Days of the posts: all of them in the past, since generators hide what is in the future."""
NEWEST = date(2025, 3, 1)


@dataclass(frozen=True)
class Post:
    """One post: what every generator's front matter is written from, and its Markdown."""

    topic: str
    name: str
    title: str
    day: date
    author: str
    handle: str
    tags: tuple[str, ...]
    body: str


FrontMatter = Callable[[Post], str]


def posts(count: int) -> Iterator[Post]:
    """The first `count` posts of an endless devlog: a longer one begins with the same posts."""
    return map(post, range(count))


def post(number: int) -> Post:
    """One post of the endless devlog."""
    rng = random.Random(f"lumen-{number}")
    day = START + timedelta(days=number % DAYS)
    first, family = rng.choice(NAMES), rng.choice(FAMILIES)
    title = " ".join(rng.choices(WORDS, k=rng.randint(4, 9))).capitalize()
    topic = TOPICS[number % len(TOPICS)]
    return Post(
        topic=topic,
        name=f"{day.isoformat()}-{topic}-{number}",
        title=title,
        day=day,
        author=f"{first} {family}",
        handle=f"{first}{family}".lower(),
        tags=tuple(rng.sample(TAGS, 3)),
        body=_body(rng, number, title),
    )


def newest(number: int) -> Post:
    """A post of the endless devlog as if it were the last that was written: it stands first in every list."""
    found = post(number)
    return replace(found, day=NEWEST, name=f"{NEWEST.isoformat()}-{found.topic}-{number}")


def _body(rng: random.Random, number: int, title: str) -> str:
    parts = [f"> **TL;DR** – {_sentence(rng)} {_sentence(rng)}", _paragraph(rng)]
    for section in range(6):
        parts.append(f"## {' '.join(rng.choices(WORDS, k=4)).capitalize()}")
        parts += [_paragraph(rng) for _ in range(3)]
        if section % 2 == 0:
            parts.append(_code(rng, LANGUAGES[section // 2], f"{number}_{section}"))
        elif section == 1:
            parts.append("\n".join(f"- {_sentence(rng)}" for _ in range(5)))
        elif section == 3:
            rows = [
                f"| `{rng.choice(WORDS)}_{row}` | {rng.random() * 100:.2f} | {rng.choice(WORDS)} |" for row in range(6)
            ]
            parts.append("\n".join(["| case | ms | note |", "|---|---:|---|", *rows]))
        else:
            parts.append("\n".join(f"{step}. {_sentence(rng)}" for step in range(1, 5)))
    parts.append(f"That is all about *{title.lower()}*; more in [the tracker](https://example.org/issues/{number}).")
    return "\n\n".join(parts) + "\n"


def _sentence(rng: random.Random) -> str:
    words = rng.choices(WORDS, k=rng.randint(8, 18))
    if rng.random() < 0.2:
        words[rng.randrange(len(words))] = f"`{rng.choice(WORDS)}_{rng.choice(WORDS)}`"
    if rng.random() < 0.1:
        words[rng.randrange(len(words))] = f"**{rng.choice(WORDS)}**"
    if rng.random() < 0.05:
        words[-1] = f"[{rng.choice(WORDS)}](https://example.org/{rng.randrange(10**6)})"
    return " ".join(words).capitalize() + "."


def _paragraph(rng: random.Random) -> str:
    return " ".join(_sentence(rng) for _ in range(rng.randint(3, 5)))


FRAMES = {
    "python": ("def {a}_{unique}({b}):", "    {a} = {b}({number}, '{a}')  # {b}", ""),
    "cpp": ("static int {a}_{unique}(int {b}) {{", '  const auto {a}{index} = {b}<{number}>("{a}"); // {b}', "}"),
    "rust": ("fn {a}_{unique}({b}: u32) -> u32 {{", '    let {a}{index}: u64 = {b}({number}, "{a}"); // {b}', "}"),
}
"""The first line of a code block, the lines within, and the last."""


def _code(rng: random.Random, language: str, unique: str) -> str:
    first, inner, last = FRAMES[language]
    lines = []
    for index in range(14):
        a, b, number = rng.choice(WORDS), rng.choice(WORDS), rng.randrange(1000)
        lines.append((inner if index else first).format(a=a, b=b, number=number, index=index, unique=unique))
    return "\n".join([f"```{language}", *lines, *([last] if last else []), "```"])


def front_matter(post: Post) -> str:
    """The front matter of devlog and Eleventy."""
    return (
        f'---\ntitle: "{post.title}"\ndate: {post.day.isoformat()}\nauthor: "{post.author} (@{post.handle})"\n'
        f"tags: [{', '.join(post.tags)}]\n---\n\n"
    )


def write_post(content: Path, post: Post, head: FrontMatter = front_matter) -> Path:
    """Write a post into the folder of its topic; returns its path."""
    path = content / post.topic / f"{post.name}.md"
    path.write_text(head(post) + post.body, "utf-8")
    return path


def write_content(content: Path, count: int, head: FrontMatter = front_matter, index: str = "_index.md") -> None:
    """Write topic folders and their posts.

    Args:
        content: is made if need be.
        count: how many posts.
        head: how the generator wants its front matter.
        index: the name of the file with a topic's title and description; none is written if empty.
    """
    for topic in TOPICS:
        (content / topic).mkdir(parents=True, exist_ok=True)
        if index:
            text = f"---\ntitle: {topic.capitalize()}\ndescription: All about the {topic}.\n---\n"
            (content / topic / index).write_text(text, "utf-8")
    for item in posts(count):
        write_post(content, item, head)


def write_devlog(folder: Path, count: int) -> None:
    """Write the corpus as a devlog site, without what the other generators do not make: search and pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "devlog.toml").write_text(
        'title = "Lumen DevLog"\ndescription = "Notes on a database."\nbase_url = "https://docs.example.org/devlogs/"\n'
        "search.enabled = false\nimages.enabled = false\ncards.enabled = false\n",
        "utf-8",
    )
    write_content(folder / "content", count)
