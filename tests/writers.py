"""A machine that edits a site at random, for tests of whatever follows the edits."""

from __future__ import annotations

import io
import os
import random
import shutil
import tempfile
import wave
import zlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from lumen import DOT
from sites import NOW, write_site

from devlog.built_in import built_in_themes
from devlog.disk import stat_cache

LANGUAGE = "shapes"
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="12" height="8"><rect width="9" height="5"/></svg>'
TITLES = ["Replaying the log", "Joins in order", "A & B <c>", "Ünïcode: 日本", "Zero", "Zero again"]
TAGS = ["wal", "WAL", "design", "C++", "query plan", "testing"]
AUTHORS = ["Ada Quill (@adaquill)", "Ada Q. (@adaquill)", "Bo Reed (@boreed)", "Bo Reed(boreed)", "Cleo Marsh", ""]


def png(width: int, height: int) -> bytes:
    """A grey picture of noise, so that it is large enough to be made smaller."""
    noise = random.Random(width)
    header = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes([8, 0, 0, 0, 0])
    rows = b"".join(b"\0" + noise.randbytes(width) for _ in range(height))
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    chunks = (
        len(data).to_bytes(4, "big") + name + data + zlib.crc32(name + data).to_bytes(4, "big") for name, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


WIDE = png(160, 100)


def wav(seconds: int) -> bytes:
    """Silence."""
    data = io.BytesIO()
    with wave.open(data, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(1000)
        file.writeframes(bytes(1000 * seconds))
    return data.getvalue()


MOUNTED = [
    "# Documentation\n\n[The guide](guide.md#use), [all](../content/_index.md)\n",
    "# Guide\n\n## Use\n\n[Back](README.md), ![A dot](../static/img/dot.png)\n",
    "---\ndate: 2026-01-05\ntags: [wal]\n---\nA post among documents.\n",
]
SOUNDS = [wav(2), wav(3), b"no sound"]
EPISODES = [
    "",
    "audio: {file: /talk.wav, transcript: body}",
    "audio: {file: /talk.wav, transcript: /talk.vtt, chapters: ['0:00 One', '0:02 Two']}",
    "audio: {file: /talk.wav, transcript: /words.md, image: /img/dot.png}",
]
SPOKEN = [
    "WEBVTT\n\n00:00.000 --> 00:01.000\n<v Ada Quill>Since PR 12.\n",
    "WEBVTT\n\n00:00.000 --> 00:01.000\n<v Bo Reed>Good evening.\n\n00:01.000 --> 00:02.000\nSee #77.\n",
    "no transcript",
]
WORDS = ["[0:01] One of #12.\n", "**Bo Reed** [0:00] Two.\n\n**Ada Quill** [0:01] Commit abc1234.\n", "No turns.\n"]
DATES = ["2026-01-10", "2026-03-05", "2026-03-05T10:00:00+02:00", "2026-06-15", "2026-09-01", "2025-12-31"]
TOPICS = ["storage", "planner", "storage/wal", "Lab", ""]
SLUGS = ["alpha", "beta", "Gamma", "delta"]
BODIES = [
    "Plain words.",
    "Other words here.",
    "## First\n\nText.\n\n## Second\n\n```python\nx = 1\n```\n",
    "Bare :rocket: and <b>raw</b> <script>x</script>.",
    "![dot](dot.png) and ![img](/img/dot.png)",
    "> **TL;DR** – short.\n\nLong.",
    "> **Disclosure.** Drafted by a program.\n\nWritten words.",
    "Checkpoints call lumen.wal.flush_segment twice.",
    "A flush_segment for lumen.wal.recycle.",
    "It costs $n \\log n$ words.\n\n$$\n\\frac{1}{2}\n$$\n",
    "It costs $\\frac{1$ words.",
    f"```{LANGUAGE}\n{SVG}\n```\n",
    f"Before.\n\n```{LANGUAGE}\nno drawing\n```\n\n```{LANGUAGE}\n{SVG.replace('12', '34')}\n```\n",
    "![wide](wide.png) and ![wide](/img/wide.png#dark)",
    "Since PR 12 it is #345, says @adaquill.",
    "`src/wal.c:3` was cut in commit abc1234. It was #12.",
    "**Ada Quill** [0:00] Hello, #12.\n\n**Bo Reed** [0:01] Bye.",
    "**Ada Quill:** Hello.",
    '{{< code file="/log.py" lines="1" >}}\n\n{{< code file="storage/log.py" >}}\n',
]
CODE = ["", "a = 1\n", "b = 2\nc = 3\n", b"\0"]
CLOSINGS = ["", "One more thing.", "One more line."]
STATIC = ["humans.txt", "img/dot.png", "about/index.html", "404.html", "storage/notes.txt", "shapes.js"]
TEMPLATES = ["home.html", "post.html", "topic.html", "tag.html", "redirect.html", "404.html", "archive.html"]
PARTIALS = ["partials/footer.html", "partials/marks.html", "partials/head.html", "partials/entry.html"]
CARD = """\
[colors]
paper = "#ffffff"
ink = "#000000"
[[text]]
field = "title"
box = [80, 80, 900, 400]
size = [60, 40]
"""
CARDS = ["", CARD, CARD.replace("60", "50"), "broken ="]
CATALOGS = [
    "",
    'archive = "Everything"\n',
    'date = "{day} {month} {year}"\nwrap = "Break lines"\n',
    '# Ours.\n\ndate = "{day} {month} {year}"\nwrap = "Break lines"\n',
    'archive = "{wrong}"\n',
    'arhcive = "Everything"\n',
    'recent = "Latest"\n[log_count]\none = "a log"\nother = "{count} of them"\n',
    'link_to_section = "Here"\nthousands_separator = "."\nauthors = "Writers"\n',
    "broken =",
]
STANDINGS = [
    "",
    "status: historical",
    "status: current\nreviewed: 2026-05-20",
    "applies_to: Lumen 2",
    "ai: {drafted: Quillwright, edited_by: Ada Quill}",
]
WHYS = ["", "It is short.", "It has <numbers>."]
SERIES = ["", "Inside the log", "Tour"]
PROGRAMS = ["cat\n", "sed s/9/7/\n", "exit 3\n"]
PLUGIN = """\
from devlog.plugin import PlannedFile, Plugin, problem
from devlog.model.diagnostic import Span


def lists(outline):
    for post in outline.site.posts:
        words = post.parsed.document.words
        yield PlannedFile(post.permalink + "title.txt", "title", {"title": post.title, "words": words})


def title(target, resources):
    return "{words} {title}".format(**target.context) + "\\n"


def loud(state):
    for token in state.tokens:
        for child in token.children or ():
            child.content = child.content.replace("words", "WORDS")


def read(parser):
    parser.core.ruler.push("loud", loud)


plugin = Plugin("lumen", plans=(lists,), recipes={"title": title}, filters={"plain": str})
"""
PLUGINS = [
    PLUGIN,
    PLUGIN.replace('+ "', '+ "!'),
    PLUGIN.replace('Plugin("lumen"', 'Plugin("lumen", markdown=read').replace("str}", "str.upper}"),
    PLUGIN.replace("        yield", '        yield problem(Span(post.parsed.file), "it is there")\n        yield'),
    PLUGIN.replace("        yield", "        raise ValueError(post.title)\n        yield"),
    "broken(",
]
ADDITIONS = ["<!-- a -->", "<!-- b -->", "{# nothing to see #}"]
EXTRAS = [
    "{% for key in site.settings %}<!-- {{ key }} -->{% endfor %}",
    "{% include ['partials/extra.html', 'partials/marks.html'] %}",
    "{% include 'partials/extra.html' ignore missing %}",
    "{% include 'partials/' ~ 'extra.html' ignore missing %}",
    "{% if page %}{% set title = page.title %}{% endif %}<!-- {{ title }} {{ total is defined and total }} -->",
    "<!-- {{ site.title|plain }} {{ [site.title]|map('plain')|join }} -->",
    "{% for item in related %}<!-- {{ item.title }} -->{% endfor %}",
    "{% broken",
    "{{ nothing_of_that_name }}",
]
THEME = built_in_themes() / "default" / "templates"


@dataclass(frozen=True)
class Post:
    """A post of the machine's site."""

    title: str = "Zero"
    date: str = "2026-01-10"
    author: str = ""
    tags: tuple[str, ...] = ()
    draft: bool = False
    alias: str = ""
    body: str = "Plain words."
    link: str = ""
    closing: str = ""
    series: str = ""
    part: int = 0
    discussion: str = ""
    post_status: str = ""
    language: str = ""
    supersedes: str = ""
    episode: str = ""

    def text(self) -> str:
        lines = ["---", f"title: '{self.title}'", f"date: {self.date}"]
        lines += [f"author: '{self.author}'"] if self.author else []
        lines += [f"tags: {list(self.tags)}"] if self.tags else []
        lines += ["draft: true"] if self.draft else []
        lines += [f"aliases: ['{self.alias}']"] if self.alias else []
        lines += [f"series: '{self.series}'"] if self.series else []
        lines += [f"part: {self.part}"] if self.part else []
        lines += [f"comments_id: '{self.discussion}'"] if self.discussion else []
        lines += [self.post_status] if self.post_status else []
        lines += [f"lang: {self.language}"] if self.language else []
        lines += [f"supersedes: '{self.supersedes}'"] if self.supersedes else []
        lines += [self.episode] if self.episode else []
        link = f"See [that]({self.link})." if self.link else ""
        return "\n".join([*lines, "---", "", self.body, "", link, "", self.closing, ""])


@dataclass(frozen=True)
class Settings:
    """The configuration of the machine's site."""

    title: str = "Lumen"
    base_url: str = "https://lumen.example.org/devlog/"
    recent: int = 10
    page_size: int = 100
    limit: int = 20
    full: bool = True
    formats: tuple[str, ...] = ("rss", "atom", "json")
    emoji: bool = True
    html: str = "safe"
    theme: str = "default"
    extra: str = ""
    math: bool = True
    plugins: bool = False
    cards: bool = False
    widths: tuple[int, ...] = (16,)
    diagrams: str = "command = ['cat']"
    comments: str = ""
    policy: bool = True
    repo: str = "https://github.com/lumen/lumen"
    mounts: str = "guide = 'docs'"

    def text(self) -> str:
        content = "full" if self.full else "summary"
        plugins = "plugins = ['plugins.py']\n" if self.plugins else ""
        diagrams = f"[diagrams.{LANGUAGE}]\n{self.diagrams}\n" if self.diagrams else ""
        return (
            f"{plugins}content_security_policy = {str(self.policy).lower()}\n"
            f"source_repo = '{self.repo}'\n"
            f"title = '{self.title}'\nbase_url = '{self.base_url}'\nrecent = {self.recent}\n"
            f"page_size = {self.page_size}\nhtml = '{self.html}'\ntheme = '{self.theme}'\n"
            f"[feeds]\nlimit = {self.limit}\nsite = '{content}'\ntags = '{content}'\nformats = {list(self.formats)}\n"
            f"[markdown]\nemoji = {str(self.emoji).lower()}\nmath = {str(self.math).lower()}\n"
            f"[mounts]\n{self.mounts}\n"
            f"[cards]\nenabled = {str(self.cards).lower()}\n"
            f"[images]\nenabled = {str(bool(self.widths)).lower()}\nwidths = {list(self.widths or (16,))}\n"
            f"formats = ['webp']\n{diagrams}{self.comments}{self.extra}"
        )


CHANGES: dict[str, list[Any]] = {
    "title": ["Lumen", "Lumen & more"],
    "base_url": ["https://lumen.example.org/devlog/", "https://lumen.example.org/", "/sub/", ""],
    "recent": [1, 2, 10],
    "page_size": [1, 2, 100],
    "limit": [1, 20],
    "full": [True, False],
    "formats": [("rss", "atom", "json"), ("atom",), ()],
    "emoji": [True, False],
    "html": ["safe", "trusted", "escape"],
    "theme": ["default", "mine", "paper", "missing"],
    "math": [True, False],
    "plugins": [True, False],
    "cards": [True, False],
    "widths": [(), (16,), (16, 24)],
    "policy": [True, False],
    "mounts": ["", "guide = 'docs'", "guide = 'missing'", "'storage/guide' = 'docs'"],
    "repo": ["https://github.com/lumen/lumen", "https://gitlab.com/lumen/lumen", ""],
    "diagrams": [
        "",
        "command = ['cat']",
        "command = ['sed', 's/9/8/']",
        "command = ['sh', '{root}/draw.sh']",
        "script = '/shapes.js'",
    ],
    "comments": [
        "",
        "[comments]\nprovider = 'discourse'\nurl = 'https://talk.example.org/'\n",
        "[comments]\nprovider = 'giscus'\nrepo = 'lumen/devlog'\nrepo_id = 'R_1'\ncategory_id = 'DIC_1'\n",
    ],
    "extra": [
        "",
        "[settings]\naccent = 'a'\nb = 1\n",
        "[settings]\nb = 1\naccent = 'a'\n",
        "[severity]\nbroken-link = 'error'\n",
        "[severity]\nbroken-link = 'off'\n",
        "[authors.boreed]\nname = 'Bo R. Reed'\nurl = 'https://bo.example.org/'\n",
        "[[menu]]\nname = 'Home'\nurl = '/'\n",
        "unknown_key = 1\n",
        "broken =",
    ],
}


@dataclass
class World:
    """The inputs of the site: files by path."""

    posts: dict[str, Post] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)
    others: dict[str, str | bytes] = field(default_factory=dict)

    def files(self) -> dict[str, bytes]:
        files: dict[str, str | bytes] = {f"content/{path}": post.text() for path, post in self.posts.items()}
        files |= {"devlog.toml": self.settings.text(), **self.others}
        return {path: data if isinstance(data, bytes) else data.encode() for path, data in files.items()}


class Writers(RuleBasedStateMachine):
    """Edits a site as its writers would; every rule is one edit and ends with `check`.

    Attributes:
        fixed: keys of the configuration that stay as they are.
    """

    fixed: dict[str, Any] = {}  # noqa: RUF012

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(stat_cache, "SETTLED_NS", 0)  # edits follow too fast for any file to be believed
        self.root = Path(tempfile.mkdtemp(prefix="devlog-machine-"))
        self.world = World(settings=Settings(**self.fixed))
        self.disk: dict[str, bytes] = {}
        self.old: list[tuple[str, bytes]] = []
        self.options: dict[str, Any] = {"now": NOW}
        self.good = False

    def teardown(self) -> None:
        self.patch.undo()
        shutil.rmtree(self.root)

    # -- what happens after an edit

    def check(self) -> None:
        """Save the world, and compare what is made of it with what ought to be."""
        raise NotImplementedError

    def save(self, files: dict[str, bytes]) -> None:
        for path in self.disk.keys() - files.keys():
            file = self.root / path
            file.unlink()
            while not any((file := file.parent).iterdir()):
                file.rmdir()
        changed = {path: data for path, data in files.items() if self.disk.get(path) != data}
        write_site(self.root, changed)
        self.old += [(path, self.disk[path]) for path in changed if path in self.disk]
        self.disk = files

    def change(self, path: str, **values: Any) -> None:
        self.world.posts[path] = replace(self.world.posts[path], **values)
        self.check()

    def some_post(self, data: st.DataObject) -> str:
        return data.draw(st.sampled_from(sorted(self.world.posts)))

    @initialize(
        posts=st.lists(
            st.builds(
                Post,
                title=st.sampled_from(TITLES),
                date=st.sampled_from(DATES),
                author=st.sampled_from(AUTHORS),
                tags=st.lists(st.sampled_from(TAGS), max_size=2).map(tuple),
                body=st.sampled_from(BODIES),
            ),
            min_size=2,
            max_size=5,
        )
    )
    def begin(self, posts: list[Post]) -> None:
        for number, post in enumerate(posts):
            self.world.posts[f"{TOPICS[number % 4]}/2026-01-0{number + 1}-{SLUGS[number % 4]}.md"] = post
        self.world.others = {
            "content/_index.md": "Hello.\n",
            "content/storage/_index.md": "---\ntitle: Storage\n---\n",
            "static/img/dot.png": DOT,
            "static/img/wide.png": WIDE,
            "static/talk.wav": SOUNDS[0],
            "static/talk.vtt": SPOKEN[0],
            "content/words.md": WORDS[0],
            "plugins.py": PLUGIN,
            "draw.sh": PROGRAMS[0],
            "docs/README.md": MOUNTED[0],
            "docs/guide.md": MOUNTED[1],
            "themes/mine/theme.toml": 'extends = "default"\n',
            "themes/mine/static/style.css": "body {}\n",
        }
        self.check()

    # -- posts

    @rule(data=st.data(), body=st.sampled_from(BODIES), closing=st.sampled_from(CLOSINGS))
    def edit_body(self, data: st.DataObject, body: str, closing: str) -> None:
        self.change(self.some_post(data), body=body, closing=closing)

    @rule(data=st.data(), closing=st.sampled_from(CLOSINGS))
    def edit_end_of_body(self, data: st.DataObject, closing: str) -> None:
        self.change(self.some_post(data), closing=closing)

    @rule(data=st.data(), title=st.sampled_from(TITLES))
    def edit_title(self, data: st.DataObject, title: str) -> None:
        self.change(self.some_post(data), title=title)

    @rule(data=st.data(), tags=st.lists(st.sampled_from(TAGS), max_size=3).map(tuple))
    def edit_tags(self, data: st.DataObject, tags: tuple[str, ...]) -> None:
        self.change(self.some_post(data), tags=tags)

    @rule(data=st.data(), authors=st.lists(st.sampled_from(AUTHORS[:-1]), max_size=2).map(", ".join))
    def edit_authors(self, data: st.DataObject, authors: str) -> None:
        self.change(self.some_post(data), author=authors)

    @rule(data=st.data(), date=st.sampled_from(DATES))
    def edit_date(self, data: st.DataObject, date: str) -> None:
        self.change(self.some_post(data), date=date)

    @rule(data=st.data(), draft=st.booleans())
    def edit_draft(self, data: st.DataObject, draft: bool) -> None:
        self.change(self.some_post(data), draft=draft)

    @rule(data=st.data(), series=st.sampled_from(SERIES), part=st.integers(0, 3))
    def edit_series(self, data: st.DataObject, series: str, part: int) -> None:
        self.change(self.some_post(data), series=series, part=part)

    @rule(data=st.data(), post_status=st.sampled_from(STANDINGS))
    def edit_standing(self, data: st.DataObject, post_status: str) -> None:
        self.change(self.some_post(data), post_status=post_status)

    @rule(data=st.data(), language=st.sampled_from(["", "en", "de", "ar"]))
    def edit_language(self, data: st.DataObject, language: str) -> None:
        self.change(self.some_post(data), language=language)

    @rule(data=st.data())
    def edit_supersedes(self, data: st.DataObject) -> None:
        others = [f"/content/{path}" for path in sorted(self.world.posts)]
        self.change(self.some_post(data), supersedes=data.draw(st.sampled_from(["", *others])))

    @rule(
        data=st.data(),
        name=st.sampled_from(["tour.md", "start.md"]),
        why=st.sampled_from(WHYS),
        before=st.sampled_from(["tour.md", "start.md", "Patience"]),
    )
    def edit_path(self, data: st.DataObject, name: str, why: str, before: str) -> None:
        posts = data.draw(st.lists(st.sampled_from(sorted(self.world.posts)), max_size=4))
        steps = "".join(f"  - {{post: '/content/{path}', why: '{why}'}}\n" for path in posts)
        front = f"title: {name}\nreading_path:\n{steps}before: [{before}]\n"
        self.put(f"content/{name}", f"---\n{front}---\nAn introduction.\n" if posts else "")

    @rule(data=st.data(), episode=st.sampled_from(EPISODES))
    def edit_episode(self, data: st.DataObject, episode: str) -> None:
        self.change(self.some_post(data), episode=episode)

    @rule(name=st.sampled_from(["log.py", "storage/log.py"]), code=st.sampled_from(CODE))
    def edit_included(self, name: str, code: str | bytes) -> None:
        self.put(f"content/{name}", code)

    @rule(data=st.sampled_from([b"", *SOUNDS]))
    def edit_sound(self, data: bytes) -> None:
        self.put("static/talk.wav", data)

    @rule(text=st.sampled_from(["", *SPOKEN]))
    def edit_transcript(self, text: str) -> None:
        self.put("static/talk.vtt", text)

    @rule(text=st.sampled_from(["", *WORDS]))
    def edit_transcript_in_markdown(self, text: str) -> None:
        self.put("content/words.md", text)

    @rule(podcast=st.booleans())
    def edit_show(self, podcast: bool) -> None:
        show = "podcast: {category: Technology, image: /img/dot.png}\n" if podcast else ""
        self.put("content/storage/_index.md", f"---\ntitle: Storage\n{show}---\n")

    @rule(data=st.data(), discussion=st.sampled_from(["", "first", "/old/"]))
    def edit_discussion(self, data: st.DataObject, discussion: str) -> None:
        self.change(self.some_post(data), discussion=discussion)

    @rule(data=st.data(), alias=st.sampled_from(["", "/old/", "/storage/", "old.html"]))
    def edit_alias(self, data: st.DataObject, alias: str) -> None:
        self.change(self.some_post(data), alias=alias)

    @rule(data=st.data())
    def edit_link(self, data: st.DataObject) -> None:
        other = self.some_post(data)
        ending = data.draw(st.sampled_from(["", "#second", "?x", "#t1", "#t=1"]))
        self.change(self.some_post(data), link=f"/content/{other}{ending}")

    @rule(
        topic=st.sampled_from(TOPICS), slug=st.sampled_from(SLUGS), bundle=st.booleans(), title=st.sampled_from(TITLES)
    )
    def add_post(self, topic: str, slug: str, bundle: bool, title: str) -> None:
        path = f"{topic}/2026-02-01-{slug}".removeprefix("/")
        self.world.posts[path + ("/index.md" if bundle else ".md")] = Post(title=title, tags=("wal",))
        self.check()

    @precondition(lambda self: len(self.world.posts) > 1)
    @rule(data=st.data())
    def delete_post(self, data: st.DataObject) -> None:
        del self.world.posts[self.some_post(data)]
        self.check()

    @rule(data=st.data(), slug=st.sampled_from(SLUGS))
    def rename_post(self, data: st.DataObject, slug: str) -> None:
        path = self.some_post(data)
        folder, _, name = path.removesuffix("/index.md").rpartition("/")
        new = f"{folder}/{name[:11]}{slug}{'/index.md' if path.endswith('/index.md') else '.md'}".removeprefix("/")
        self.world.posts[new] = self.world.posts.pop(path)
        self.check()

    @rule(old=st.sampled_from(TOPICS[:-1]), new=st.sampled_from(TOPICS))
    def rename_topic(self, old: str, new: str) -> None:
        for path in [path for path in self.world.posts if path.startswith(f"{old}/")]:
            moved = f"{new}/{path.removeprefix(f'{old}/')}".removeprefix("/")
            self.world.posts[moved] = self.world.posts.pop(path)
        self.check()

    @rule(
        topic=st.sampled_from(TOPICS),
        text=st.sampled_from(["", "---\ntitle: Named\ndescription: Some words\n---\n", "Only text.\n"]),
    )
    def edit_index(self, topic: str, text: str) -> None:
        self.put(f"content/{topic}/_index.md".replace("//", "/"), text)

    @rule(name=st.sampled_from(["README.md", "guide.md"]), text=st.sampled_from(["", *MOUNTED]))
    def edit_mounted(self, name: str, text: str) -> None:
        self.put(f"docs/{name}", text)

    # -- other files

    def put(self, path: str, data: str | bytes) -> None:
        """Write a file of the site, or remove it when there is nothing to write."""
        if data:
            self.world.others[path] = data
        else:
            self.world.others.pop(path, None)
        self.check()

    @rule(name=st.sampled_from(TEMPLATES + PARTIALS), ending=st.sampled_from(["", *ADDITIONS]))
    def edit_template(self, name: str, ending: str) -> None:
        self.put(f"templates/{name}", ending and (THEME / name).read_text("utf-8") + ending)

    @rule(name=st.sampled_from(PARTIALS[:1]), ending=st.sampled_from(EXTRAS))
    def try_something_in_a_template(self, name: str, ending: str) -> None:
        self.put(f"templates/{name}", (THEME / name).read_text("utf-8") + ending)

    @rule(text=st.sampled_from(["", "<!-- extra -->", "<!-- {{ site.title }} -->", "<!-- {{ page.title }} -->"]))
    def edit_optional_partial(self, text: str) -> None:
        self.put("templates/partials/extra.html", text)

    @rule(
        name=st.sampled_from(["i18n/en", "i18n/en", "i18n/de", "themes/mine/i18n/en"]), text=st.sampled_from(CATALOGS)
    )
    def edit_catalog(self, name: str, text: str) -> None:
        self.put(f"{name}.toml", text)

    @rule(text=st.sampled_from(["body {}\n", "body { color: red }\n", ""]))
    def edit_style(self, text: str) -> None:
        self.put("themes/mine/static/style.css", text)

    @rule(name=st.sampled_from(STATIC), data=st.sampled_from([b"", b"one\n", b"two\n", DOT]))
    def edit_static_file(self, name: str, data: bytes) -> None:
        self.put(f"static/{name}", data)

    @rule(data=st.data(), content=st.sampled_from([b"", b"one\n", DOT]))
    def edit_file_beside_a_post(self, data: st.DataObject, content: bytes) -> None:
        folder = self.some_post(data).rpartition("/")[0]
        self.put(f"content/{folder}/dot.png".replace("//", "/"), content)

    @rule(data=st.data(), content=st.sampled_from([b"", DOT, WIDE, WIDE[:-20]]))
    def edit_picture_beside_a_post(self, data: st.DataObject, content: bytes) -> None:
        folder = self.some_post(data).rpartition("/")[0]
        self.put(f"content/{folder}/wide.png".replace("//", "/"), content)

    @rule(text=st.sampled_from(PLUGINS))
    def edit_plugin(self, text: str) -> None:
        self.put("plugins.py", text)

    @rule(text=st.sampled_from(PROGRAMS))
    def edit_program(self, text: str) -> None:
        self.put("draw.sh", text)

    @rule(text=st.sampled_from(CARDS))
    def edit_card(self, text: str) -> None:
        self.put("templates/card.toml", text)

    @rule(text=st.sampled_from(["", "adaquill:\n  name: Ada Quill\n  bio: Storage\n", "boreed:\n  name: B. Reed\n"]))
    def edit_registry(self, text: str) -> None:
        self.put("content/authors.yml", text)

    @rule(key=st.sampled_from(sorted(CHANGES)), data=st.data())
    def edit_configuration(self, key: str, data: st.DataObject) -> None:
        value = self.fixed[key] if key in self.fixed else data.draw(st.sampled_from(CHANGES[key]))
        self.world.settings = replace(self.world.settings, **{key: value})
        self.check()

    @precondition(lambda self: not self.good)
    @rule()
    def fix(self) -> None:
        """So that the machine does not stay for long in a site that cannot be built."""
        self.world.settings = Settings(**self.fixed)
        self.world.others = {k: v for k, v in self.world.others.items() if not k.startswith(("templates/", "static/"))}
        self.world.posts = {path: replace(post, alias="") for path, post in self.world.posts.items()}
        self.check()

    # -- what is no edit of the input, or an odd one

    @precondition(lambda self: self.old)
    @rule(data=st.data())
    def revert_with_an_older_time(self, data: st.DataObject) -> None:
        """As `git checkout` or a restored backup may do: earlier bytes, an earlier time."""
        path, text = data.draw(st.sampled_from(self.old))
        if path in self.disk:
            (self.root / path).write_bytes(text)
            os.utime(self.root / path, (1_000_000_000, 1_000_000_000))
            self.adopt(path, text)
        self.check()

    def adopt(self, path: str, text: bytes) -> None:
        """Take what now stands in a file for its content, without writing it."""
        self.world.posts.pop(path.removeprefix("content/"), None)
        self.world.others[path] = text
        self.disk[path] = text
        if not self.world.posts:
            self.world.posts["storage/2026-01-01-alpha.md"] = Post()

    @rule()
    def touch_everything(self) -> None:
        for path in self.disk:
            (self.root / path).touch()
        self.check()

    @rule()
    def lose_the_cache(self) -> None:
        shutil.rmtree(self.root / ".devlog", ignore_errors=True)
        self.check()


STEPS = int(os.environ.get("DEVLOG_MACHINE_STEPS", "0"))


def machine_settings(*, examples: int, share: float = 1) -> settings:
    """How long a machine runs.

    Args:
        examples: short runs, always the same, where nothing is said of steps.
        share: of the steps that ``DEVLOG_MACHINE_STEPS`` asks for.
    """
    return settings(
        max_examples=max(1, int(STEPS * share) // 25) if STEPS else examples,
        stateful_step_count=25 if STEPS else 12,
        derandomize=not STEPS,
        database=None,
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )
