"""A walk through the history of a repository: after each checkout, a build equals one where nothing was before.

The repository is made by a seed: its commits rename files and folders, letter case and Unicode forms included, change
line ends, modes and dates, replace folders by files, merge, revert, and touch everything that a build reads. Files come
with the times that `git checkout` gives them, or with one that is set back.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest
from lumen import DOT, lumen, post
from outcomes import outcome
from sites import NOW, build_site, write_site
from writers import BODIES, PLUGINS, SLUGS, STANDINGS, TAGS, TOPICS, WIDE, wav

from devlog.disk import stat_cache

SEED = 16
LONG_AGO = 1_000_000_000
OWN = ("-c", "user.name=Ada Quill", "-c", "user.email=ada@lumen.example.org", "-c", "maintenance.auto=false")
LINE_ENDS: tuple[Callable[[bytes], bytes], ...] = (
    lambda data: data.replace(b"\r\n", b"\n"),
    lambda data: data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"),
    lambda data: b"\xef\xbb\xbf" + data.removeprefix(b"\xef\xbb\xbf"),
    lambda data: data.removeprefix(b"\xef\xbb\xbf"),
)


class Past:
    """A repository of a site, and what happened to it."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = write_site(root, {**lumen(), ".gitignore": "/public/\n/.devlog/\n"})
        self.chance = random.Random(seed)
        self.day = datetime(2026, 1, 1, tzinfo=UTC)
        self.commits: list[str] = []
        self.git("init", "--quiet", "--initial-branch=main")
        self.commit()

    def git(self, *words: str) -> str:
        return git(self.root, *words, when=self.day)

    def commit(self) -> None:
        self.day += timedelta(hours=self.chance.randrange(1, 90))
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "Work")
        self.commits.append(self.git("rev-parse", "HEAD"))

    def go_on(self) -> None:
        """Some more work, which may begin at an earlier commit, and may come together with another."""
        if self.chance.random() < 0.15:
            self.git("checkout", "--quiet", "--force", self.chance.choice(self.commits))
        for _ in range(self.chance.randrange(1, 4)):
            self.chance.choice(WORK)(self)
        self.commit()
        if self.chance.random() < 0.15:
            self.git("merge", "--quiet", "-s", "ours", "--no-edit", self.chance.choice(self.commits))
            self.commit()

    def file(self, suffix: str = "", folder: str = "content") -> Path | None:
        found = sorted(file for file in (self.root / folder).rglob(f"*{suffix}") if file.is_file())
        return self.chance.choice(found) if found else None


def git(root: Path, *words: str, when: datetime = NOW) -> str:
    stamp = f"{when:%Y-%m-%dT%H:%M:%S} +0000"
    told = {"GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp, "GIT_CONFIG_GLOBAL": os.devnull}
    done = subprocess.run(
        ["git", *OWN, *words], cwd=root, env={**os.environ, **told}, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# -- work


def write(past: Past) -> None:
    choose = past.chance.choice
    folder = f"content/{choose(TOPICS)}".rstrip("/")
    text = post(choose(SLUGS), f"2026-0{choose('123456')}-1{choose('0123')}", tags=choose(TAGS), body=choose(BODIES))
    if choose([True, False]):
        text = text.replace("date:", f"{choose(STANDINGS)}\ndate:" if choose([0, 1, 1]) else "# date:", 1)
    name = choose([f"{choose(SLUGS)}.md", f"2026-02-0{choose('12')}-{choose(SLUGS)}.md", f"{choose(SLUGS)}/index.md"])
    put(past, f"{folder}/{name}", text)


def put(past: Past, file: str, data: str | bytes) -> None:
    place = past.root / file
    for above in reversed(place.relative_to(past.root).parents):
        if (past.root / above).is_file():
            (past.root / above).unlink()
    if place.is_dir():
        shutil.rmtree(place)
    write_site(past.root, {file: data})


def remove(past: Past) -> None:
    if (file := past.file()) and file.name != "_index.md":
        file.unlink()


def rename(past: Past) -> None:
    if file := past.file(".md"):
        names = [f"{past.chance.choice(SLUGS)}.md", file.name.swapcase().replace(".MD", ".md"), f"é-{file.name}"]
        names += [normalize(form, file.name) for form in ("NFC", "NFD")]
        other = file.with_name(past.chance.choice(names))
        if not any(normalize("NFC", there.name) == normalize("NFC", other.name) for there in file.parent.iterdir()):
            file.rename(other)


def move(past: Past) -> None:
    folders = sorted(place for place in (past.root / "content").iterdir() if place.is_dir())
    if folders:
        folder = past.chance.choice(folders)
        other = folder.with_name(past.chance.choice(["Storage", "planner", "attic", folder.name.swapcase()]))
        if not other.exists():
            folder.rename(other)


def exchange(past: Past) -> None:
    """Let two files change places, times and all."""
    one, other = past.file(".md"), past.file(".md")
    if one and other and one != other:
        one.rename(one.with_name("between"))
        other.rename(one)
        one.with_name("between").rename(other)


def edit(past: Past) -> None:
    if file := past.file(".md"):
        file.write_bytes(file.read_bytes() + f"\n{past.chance.choice(BODIES)}\n".encode())


def edit_in_place(past: Past) -> None:
    """Other text of the same length."""
    if file := past.file(".md"):
        file.write_bytes(file.read_bytes().replace(b"e", b"o", past.chance.randrange(1, 4)))


def change_line_ends(past: Past) -> None:
    if file := past.file(".md"):
        file.write_bytes(past.chance.choice(LINE_ENDS)(file.read_bytes()))


def change_mode(past: Past) -> None:
    if file := past.file():
        file.chmod(past.chance.choice([0o644, 0o755]))


def change_assets(past: Past) -> None:
    name = past.chance.choice(["content/storage/dot.png", "static/img/dot.png", "static/talk.wav", "static/new.txt"])
    put(past, name, past.chance.choice([DOT, WIDE, wav(1), wav(2), b""]))


def change_configuration(past: Past) -> None:
    options = {
        "recent": ["4", "1", "50"],
        "topic_recent": ["2", "1"],
        "timezone": ['"Europe/Lisbon"', '"Asia/Tokyo"'],
        "title": ['"Lumen DevLog"', '"Other"'],
        "base_url": ['"https://lumen.example.org/devlog/"', '"https://other.example.org/"'],
    }
    key = past.chance.choice(sorted(options))
    file = past.root / "devlog.toml"
    lines = [
        f"{key} = {past.chance.choice(options[key])}" if line.startswith(f"{key} =") else line
        for line in file.read_text("utf-8").splitlines()
    ]
    file.write_text("\n".join(lines) + "\n", "utf-8")


def change_templates(past: Past) -> None:
    name = past.chance.choice(["partials/footer.html", "partials/marks.html"])
    texts = ["<b>Ours</b>", "{{ site.title }}", "{% include 'partials/extra.html' ignore missing %}"]
    put(past, f"templates/{past.chance.choice([name, 'partials/extra.html'])}", past.chance.choice(texts))


def change_messages(past: Past) -> None:
    """The words of the site: those of templates, of scripts and of lists, and some that are wrong."""
    texts = [
        'archive = "Everything"\n',
        'date = "{day} {month} {year}"\nwrap = "Break"\n',
        '[log_count]\none = "a log"\nother = "{count} of them"\n',
        'link_to_section = "Here"\nthousands_separator = "."\n',
        'archive = "{wrong}"\n',
        "archive = \n",
        "",
    ]
    put(past, f"i18n/{past.chance.choice(['en', 'en', 'de'])}.toml", past.chance.choice(texts))


def change_plugins(past: Past) -> None:
    """A plugin comes, changes, or goes."""
    file = past.root / "devlog.toml"
    text = file.read_text("utf-8").replace('plugins = ["shapes.py"]\n', "")
    if past.chance.random() < 0.7:
        text = f'plugins = ["shapes.py"]\n{text}'
        put(past, "shapes.py", past.chance.choice(PLUGINS[:4]))
    file.write_text(text, "utf-8")


def change_authors(past: Past) -> None:
    names = ["boreed:\n  name: Bo Reed\n", "boreed:\n  name: Bo R.\nadaquill:\n  name: A. Quill\n", "broken: [\n"]
    put(past, "content/authors.yml", past.chance.choices(names, [5, 5, 1])[0])


WORK: tuple[Callable[[Past], None], ...] = (
    write,
    write,
    write,
    remove,
    rename,
    rename,
    move,
    exchange,
    edit,
    edit_in_place,
    change_line_ends,
    change_mode,
    change_assets,
    change_configuration,
    change_templates,
    change_messages,
    change_plugins,
    change_authors,
)


# -- the walk


def walk(folder: Path, seed: int, commits: int, steps: int) -> int:
    """Walk through a history, forth and back; returns how many of the sites on the way could be built."""
    past = Past(folder / "past", seed)
    while len(past.commits) < commits:
        past.go_on()
    here, there = folder / "here", folder / "there"
    for copy in (here, there):
        git(folder, "clone", "--quiet", "--no-checkout", str(past.root), str(copy))
    good = at = 0
    for _ in range(steps):
        for copy in (here, there):
            git(copy, "checkout", "--quiet", "--force", past.commits[at])
            git(copy, "clean", "-fdq")
        if past.chance.random() < 0.5:
            set_back(here)
        now = NOW - timedelta(days=past.chance.choice([0, 0, 0, 30, 90, -200]))
        options = {"now": now, "drafts": past.chance.random() < 0.2, "future": past.chance.random() < 0.2}
        for left in ("public", ".devlog"):
            shutil.rmtree(there / left, ignore_errors=True)
        good += compare(here, there, **options)
        at = past.chance.choice([at + 1, at + 1, at + 1, at - 1, at, past.chance.randrange(commits)]) % commits
    return good


def set_back(root: Path) -> None:
    """Give all files the same time of modification, as an archive may."""
    for file in root.rglob("*"):
        if ".git" not in file.parts and file.is_file():
            os.utime(file, (LONG_AGO, LONG_AGO))


def compare(here: Path, there: Path, **options: Any) -> bool:
    """Build in two folders, and compare; returns whether the site could be built."""
    report, clean_report = build_site(here, **options), build_site(there, **options)
    found, clean = outcome(here, report), outcome(there, clean_report)
    if clean_report.failed:  # what was built before stays
        found, clean = (replace(item, files={}, folders=[]) for item in (found, clean))
    assert found == clean
    return not clean_report.failed


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.slow
def test_a_walk_through_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stat_cache, "SETTLED_NS", 0)  # files are believed that nobody could have left alone for so long
    assert walk(tmp_path, seed=SEED, commits=12, steps=12) > 6
