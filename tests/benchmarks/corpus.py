"""A deterministic devlog of any size: about 10 kB a post, three code blocks each, no two of them the same."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
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


def posts(count: int, seed: int = 1) -> Iterator[Post]:
    """The first `count` posts of the endless devlog `seed`: a longer one begins with the same posts."""
    start = date(2016, 1, 1)
    for number in range(count):
        rng = random.Random(f"{seed}-{number}")
        day = start + timedelta(days=number % 3900)
        first, family = rng.choice(NAMES), rng.choice(FAMILIES)
        title = " ".join(rng.choices(WORDS, k=rng.randint(4, 9))).capitalize()
        topic = TOPICS[number % len(TOPICS)]
        yield Post(
            topic=topic,
            name=f"{day.isoformat()}-{topic}-{number}",
            title=title,
            day=day,
            author=f"{first} {family}",
            handle=f"{first}{family}".lower(),
            tags=tuple(rng.sample(TAGS, 3)),
            body=_body(rng, number, title),
        )


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


def _code(rng: random.Random, language: str, unique: str) -> str:
    lines: list[str] = []
    for index in range(14):
        a, b, number = rng.choice(WORDS), rng.choice(WORDS), rng.randrange(1000)
        if language == "python":
            lines.append(
                f"{'    ' if index else ''}{'def' if not index else a} ".rstrip()
                + (f" {a}_{unique}({b}):" if not index else f" = {b}({number}, '{a}')  # {b}")
            )
        elif language == "cpp":
            lines.append(
                f"static int {a}_{unique}(int {b}) {{"
                if not index
                else f'  const auto {a}{index} = {b}<{number}>("{a}"); // {b}'
            )
        else:
            lines.append(
                f"fn {a}_{unique}({b}: u32) -> u32 {{"
                if not index
                else f'    let {a}{index}: u64 = {b}({number}, "{a}"); // {b}'
            )
    if language != "python":
        lines.append("}")
    return f"```{language}\n" + "\n".join(lines) + "\n```"


def write_devlog(folder: Path, count: int) -> None:
    """The corpus as a devlog site: one topic folder each, as Hugo reads it too."""
    (folder / "devlog.toml").parent.mkdir(parents=True, exist_ok=True)
    (folder / "devlog.toml").write_text(
        'title = "Lumen DevLog"\ndescription = "Notes on a database."\nbase_url = "https://docs.example.org/devlogs/"\n',
        "utf-8",
    )
    write_content(folder / "content", count)


def write_content(content: Path, count: int) -> None:
    """Topic folders with an index and their posts."""
    for topic in TOPICS:
        (content / topic).mkdir(parents=True, exist_ok=True)
        (content / topic / "_index.md").write_text(
            f"---\ntitle: {topic.capitalize()}\ndescription: All about the {topic}.\n---\n", "utf-8"
        )
    for post in posts(count):
        (content / post.topic / f"{post.name}.md").write_text(front_matter(post) + post.body, "utf-8")


def front_matter(post: Post) -> str:
    """The front matter of devlog, Hugo and Eleventy."""
    return (
        f'---\ntitle: "{post.title}"\ndate: {post.day.isoformat()}\nauthor: "{post.author} (@{post.handle})"\n'
        f"tags: [{', '.join(post.tags)}]\n---\n\n"
    )
