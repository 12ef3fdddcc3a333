"""A deterministic devlog of any size: about 10 kB a post, three code blocks each, no two of them the same."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path

from . import pictures
from .words import WORDS

TOPICS = ("storage", "planner", "executor", "network", "tooling", "testing", "release", "catalog", "memory", "client")
TAGS = (
    "performance", "design", "lumen", "index", "wal", "b-tree", "vacuum", "query.plan", "cache", "latency",
    "profiling", "locks", "mvcc", "sort", "join", "simd", "fsync", "replication", "schema", "fuzzing",
)  # fmt: skip
LANGUAGES = ("python", "cpp", "rust")
NAMES = ("Ada", "Bo", "Cleo", "Dev", "Edda", "Finn", "Gia", "Hal", "Ines", "Jon")
FAMILIES = ("Quill", "Reed", "Marsh", "Stone")
START, DAYS = date(2014, 1, 1), 3900
"""Days of the posts: all of them in the past, since generators hide what is in the future."""
NEWEST = date(2025, 3, 1)


@dataclass(frozen=True)
class Sample:
    """What kind of devlog it is.

    Attributes:
        topics: each post is in one, in turn.
        tags: each post has three.
        authors: first and family names; each post has one author.
        pictured: of so many posts, one shows an image; none does if 0.
        whole: whether devlog makes all that a plain install makes: the search index, images in other sizes, cards.
    """

    topics: tuple[str, ...] = TOPICS
    tags: tuple[str, ...] = TAGS
    authors: tuple[tuple[str, ...], tuple[str, ...]] = (NAMES, FAMILIES)
    pictured: int = 0
    whole: bool = False


TEXT = Sample()
SAMPLES = {
    "full": Sample(pictured=4, whole=True),
    "text": TEXT,
    "lists": Sample(
        tuple(f"{one}-{other}" for one in TOPICS[:4] for other in WORDS[40:51]),
        tuple(f"{one}-{other}" for one in TAGS for other in ("new", "old", "slow", "fast", "small", "large")),
        (NAMES, tuple(f"{one}{other}" for one in FAMILIES for other in ("", "son", "field", "ton", "ley"))),
    ),
}
"""What users get; text alone; and text whose lists and feeds outweigh it: 44 topics, 120 tags, 200 authors."""


@dataclass(frozen=True)
class Post:
    """One post: what every generator's front matter is written from, its Markdown, and the image in it."""

    topic: str
    name: str
    title: str
    day: date
    author: str
    handle: str
    tags: tuple[str, ...]
    body: str
    picture: pictures.Drawn | None = None


FrontMatter = Callable[[Post], str]


def posts(count: int, sample: Sample = TEXT) -> Iterator[Post]:
    """The first `count` posts of an endless devlog: a longer one begins with the same posts."""
    return (post(number, sample) for number in range(count))


def post(number: int, sample: Sample = TEXT) -> Post:
    """One post of the endless devlog."""
    rng = random.Random(f"lumen-{number}")
    day = START + timedelta(days=number % DAYS)
    first, family = map(rng.choice, sample.authors)
    title = " ".join(rng.choices(WORDS, k=rng.randint(4, 9))).capitalize()
    topic = sample.topics[number % len(sample.topics)]
    tags = tuple(rng.sample(sample.tags, 3))
    body, picture = _body(rng, number, title), None
    if sample.pictured and number % sample.pictured == 0:
        picture = pictures.drawn(number // sample.pictured)
        place = body.index("\n## ")
        body = f"{body[:place]}\n![What we saw of the {topic}]({picture.name})\n{body[place:]}"
    return Post(
        topic=topic,
        name=f"{day.isoformat()}-{topic}-{number}",
        title=title,
        day=day,
        author=f"{first} {family}",
        handle=f"{first}{family}".lower(),
        tags=tags,
        body=body,
        picture=picture,
    )


def newest(number: int, sample: Sample = TEXT) -> Post:
    """A post of the endless devlog as if it were the last that was written: it stands first in every list."""
    found = post(number, sample)
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


def write_post(content: Path, post: Post, head: FrontMatter = front_matter, images: Path | None = None) -> Path:
    """Write a post into the folder of its topic, and its image beside it or into `images`; returns the post's path."""
    path = content / post.topic / f"{post.name}.md"
    path.write_text(head(post) + post.body, "utf-8")
    if post.picture:
        folder = images or path.parent
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(pictures.file_of(post.picture), folder / post.picture.name)
    return path


def write_content(
    content: Path,
    count: int,
    head: FrontMatter = front_matter,
    index: str = "_index.md",
    sample: Sample = TEXT,
    images: Path | None = None,
) -> None:
    """Write topic folders and their posts.

    Args:
        content: is made if need be.
        count: how many posts.
        head: how the generator wants its front matter.
        index: the name of the file with a topic's title and description; none is written if empty.
        sample: what kind of devlog it is.
        images: where all images are written; beside the posts if not given.
    """
    for topic in sample.topics:
        (content / topic).mkdir(parents=True, exist_ok=True)
        if index:
            text = f"---\ntitle: {topic.capitalize()}\ndescription: All about the {topic}.\n---\n"
            (content / topic / index).write_text(text, "utf-8")
    for item in posts(count, sample):
        write_post(content, item, head, images)


def write_devlog(folder: Path, count: int, sample: Sample = TEXT) -> None:
    """Write the corpus as a devlog site; if not whole, without what other generators do not make by themselves."""
    folder.mkdir(parents=True, exist_ok=True)
    off = "" if sample.whole else "search.enabled = false\nimages.enabled = false\ncards.enabled = false\n"
    (folder / "devlog.toml").write_text(
        'title = "Lumen DevLog"\ndescription = "Notes on a database."\nbase_url = "https://docs.example.org/devlogs/"\n'
        + off,
        "utf-8",
    )
    write_content(folder / "content", count, sample=sample)
