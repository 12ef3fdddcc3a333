"""A walk through histories: whatever git does beside a site, the next build makes what a clean one makes.

The site's own repository was cloned, and so was the source that its posts cite. Between two builds a random thing
happens to either. ``DEVLOG_MACHINE_STEPS=500`` makes a longer walk at random; without it, it is short and always equal.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from check_cases import git, repository
from lumen import post
from outcomes import outcome
from sites import build_site, write_site
from writers import STEPS

HOST = "https://github.com/example/lumen"
LINES = [f"line {number} of the page\n" for number in range(9)]
DAYS = [f"2026-05-{day:02}" for day in range(1, 28)]


class World:
    """A folder with two origins, and the clones of them that a site is built of."""

    def __init__(self, here: Path, rng: random.Random) -> None:
        self.here, self.rng = here, rng
        self.site, self.source = here / "site", here / "source"
        config = f'title = "Lumen"\nbase_url = "https://l.example.org/"\nsource_repo = "{HOST}"\n'
        config += 'source_checkout = "../source"\n[cards]\nenabled = false\n'
        own = {"devlog.toml": config, ".gitignore": "/.devlog/\n/public*\n/.public*\n"}
        write_site(here / "site-origin", {**own, "content/wal/_index.md": "---\ntitle: WAL\n---\n"})
        write_site(here / "source-origin", {"src/page.c": "".join(LINES)})
        for name in ("site", "source"):
            repository(here / f"{name}-origin", day=DAYS[0])
            self.commit_upstream(name)
            self.commit_upstream(name)
            git(here, "clone", "-q", "--depth", "2", (here / f"{name}-origin").as_uri(), name)
        self.cite()

    def commit_upstream(self, name: str) -> None:
        origin = self.here / f"{name}-origin"
        number, day = self.rng.randrange(4), self.rng.choice(DAYS)
        if name == "site":
            write_site(
                origin, {f"content/wal/text-{number}.md": f"# Text {number}\n\nSee `src/page.c:{number + 1}`.\n"}
            )
        else:
            lines = self.rng.sample(LINES, len(LINES) - 2)
            write_site(origin, {f"src/{self.rng.choice(['page', 'log'])}.c": "".join(lines)})
        git(origin, "add", "-A")
        git(origin, "commit", "-q", "--allow-empty", "-m", "More", day=day)

    # -- what may happen

    def commit_in_site(self) -> None:
        git(self.site, "add", "-A")
        git(self.site, "commit", "-q", "--allow-empty", "-m", "Here", day=self.rng.choice(DAYS))

    def rename(self) -> None:
        texts = sorted(self.site.glob("content/wal/text-*.md"))
        if texts:
            self.rng.choice(texts).rename(self.site / f"content/wal/text-{self.rng.randrange(4, 9)}.md")

    def cite(self) -> None:
        """A post cites a commit of the origin, which the clone may have or not, by its name or the beginning of it."""
        commits = git(self.here / "source-origin", "rev-list", "--all").split()
        refs = [self.rng.choice(commits), self.rng.choice(commits)[:9], "v1", "main"]
        body = "".join(f"See [{ref}]({HOST}/blob/{ref}/src/page.c#L{self.rng.randrange(1, 8)}).\n" for ref in refs)
        write_site(self.site, {"content/wal/2026-05-20-citing.md": post("Citing", "2026-05-20", body=body)})

    def deepen_site(self) -> None:
        self.fetch("site", "--deepen=1")

    def deepen_source(self) -> None:
        self.fetch("source", "--deepen=1")

    def complete_site(self) -> None:
        self.fetch("site", "--depth=1000000")

    def fetch(self, name: str, *options: str) -> None:
        git(self.here / name, "fetch", "-q", "--no-write-fetch-head", *options, "origin")

    def pull_site(self) -> None:
        self.commit_upstream("site")
        self.fetch("site")
        git(self.site, "reset", "-q", "--hard", "origin/main")
        self.cite()

    def pull_source(self) -> None:
        self.fetch("source")
        git(self.source, "reset", "-q", "--hard", "origin/main")

    def arrive(self) -> None:
        """All commits of the origin come as loose objects: neither HEAD nor any ref changes."""
        self.commit_upstream("source")
        self.cite()
        asked = ["git", "pack-objects", "-q", "--stdout", "--all"]
        made = subprocess.run(asked, cwd=self.here / "source-origin", input=b"", capture_output=True, check=True)
        subprocess.run(["git", "unpack-objects", "-q"], cwd=self.source, input=made.stdout, check=True)

    def borrow(self) -> None:
        alternates = self.source / ".git/objects/info/alternates"
        alternates.write_text(f"{self.here / 'source-origin/.git/objects'}\n")

    def tag(self) -> None:
        commits = git(self.source, "rev-list", "HEAD").split()
        git(self.source, "tag", "-f", "v1", self.rng.choice(commits))

    def check_out(self) -> None:
        git(
            self.source,
            "checkout",
            "-q",
            "-f",
            "--detach",
            self.rng.choice(git(self.source, "rev-list", "-3", "HEAD").split()),
        )

    def pack(self) -> None:
        folder = self.rng.choice([self.site, self.source])
        git(folder, "repack", "-q", "-a", "-d")
        git(folder, "pack-refs", "--all")

    def steps(self) -> list[Callable[[], None]]:
        return [
            *(self.commit_in_site, self.rename, self.cite, self.deepen_site, self.deepen_source, self.complete_site),
            *(self.pull_site, self.pull_source, self.arrive, self.borrow, self.tag, self.check_out, self.pack),
        ]


@pytest.mark.slow
def test_a_walk_through_histories(tmp_path: Path) -> None:
    rng = random.Random() if STEPS else random.Random(16)
    seed = rng.randrange(10**9)
    world = World(tmp_path / "here", random.Random(seed))
    done: list[str] = []
    seen = set[str]()
    for _ in range(STEPS // 10 or 24):
        step = world.rng.choice(world.steps())
        done.append(step.__name__)
        step()
        elsewhere = tmp_path / "clean"
        shutil.copytree(world.here, elsewhere, symlinks=True, ignore=shutil.ignore_patterns(".devlog", "public*"))
        clean = outcome(elsewhere / "site", build_site(elsewhere / "site", cache=False))
        shutil.rmtree(elsewhere)
        here = outcome(world.site, build_site(world.site))
        assert here == clean, f"after {', '.join(done)} with the seed {seed}"
        seen.add(str(hash(str(clean))))
    assert len(seen) > 4
