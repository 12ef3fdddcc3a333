"""Every save is one line of the terminal, one update for tabs, and the new text: from the editor to the answer."""

from __future__ import annotations

import re
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from http_raw import Listener
from saves import EVERY_WAY, NEW, WAYS, Folder, git
from saves import POST as FILE
from serve_process import BASE, CONFIG, REPOSITORY, Serving, serving, until
from sites import write_site

pytestmark = pytest.mark.slow

PATH = f"{BASE}kernels/a/"
OTHER = "content/kernels/other.md"


PATIENT = (sys.executable, Path(__file__).with_name("patient_devlog.py"))


def following(root: Path) -> AbstractContextManager[Serving]:
    """A preview that is not told in two by a machine that stops for a moment in the middle of a save."""
    return serving(root, command=PATIENT, PYTHONPATH=str(REPOSITORY))


class Followed(Folder):
    """A site that is written to, and the preview that follows it."""

    def __init__(self, root: Path, running: Serving) -> None:
        self.root = root
        self.running = running
        self.listener = Listener(running.port, PATH)
        self.number = self.listener.next()["number"]
        self.marks = 0
        self.told = 0
        self.mark()

    def lines(self) -> list[str]:
        """The lines of what was saved: one at least."""
        until(lambda: len(self.running.changes()) > self.told, self.running.told)
        return self.mark()

    def mark(self) -> list[str]:
        """Save another file, in a way that is known to work, and wait for its line; returns the lines before it."""
        self.marks += 1
        name = f"static/mark{self.marks}.txt"
        self.write(name, "")
        until(lambda: any(f"+ {name} " in line for line in self.running.changes()), self.running.told)
        lines = self.running.changes()[self.told :]
        place = next(place for place, line in enumerate(lines) if line.startswith(f"+ {name} · "))
        self.told += place + 1
        return lines[:place]

    def updates(self) -> list[dict[str, Any]]:
        """The updates that a tab got, up to the last mark's."""
        found: list[dict[str, Any]] = []
        while True:
            update = self.listener.next()
            assert update["number"] == self.number + 1  # none is missing, and none comes twice
            self.number = update["number"]
            if f"{BASE}mark{self.marks}.txt" in update["files"]:
                return found
            found.append(update)


def fill(root: Path) -> Path:
    """Write a site. Its posts say when they were written, whatever is done to them."""
    texts = {f"content/kernels/{name}.md": text("learned", name) for name in ("a", "b", "c", "other")}
    return write_site(root, {"devlog.toml": CONFIG, "content/kernels/_index.md": "---\ntitle: Kernels\n---\n", **texts})


def text(word: str, title: str) -> str:
    return f"---\ntitle: {title}\ndate: 2026-05-04\n---\n\nWhat the Lumen team {word}.\n"


@pytest.fixture
def followed(tmp_path: Path) -> Iterator[Followed]:
    root = fill(tmp_path / "site")
    with following(root) as running:
        site = Followed(root, running)
        assert site.updates() == []
        yield site
        site.listener.close()
        assert "Traceback" not in running.told()


@pytest.mark.parametrize("way", EVERY_WAY)
def test_once_for_a_save(followed: Followed, way: str) -> None:
    WAYS[way](followed)
    lines = followed.mark() if way in {"touch", "chmod"} else followed.lines()
    updates = followed.updates()
    got = followed.running.get(PATH)
    if way in {"touch", "chmod"}:  # the text is what it was
        assert (lines, updates, got.status) == ([], [], 200)
        return
    (line,), (update,) = lines, updates
    sign = "- " if way == "remove" else ""
    assert re.fullmatch(rf"{re.escape(sign + FILE)} · parsed {0 if sign else 1}, rendered \d+ · \d+ ms", line)
    key = re.search(rb'data-key="(\w+)"', got.body)
    assert key
    assert update["changed"] == {PATH: key[1].decode()}
    assert got.status == (404 if sign else 200)
    assert (b"since" in got.body.lower()) == (not sign)


def checked_out(followed: Followed) -> None:
    """A repository with another branch in which 60 posts differ."""
    names = [f"content/kernels/n{number}.md" for number in range(60)]
    for name in names:
        followed.write(name, text("learned", "n"))
    git(followed, "init")
    git(followed, "add", "content")
    git(followed, "commit", "-m", "one")
    git(followed, "checkout", "-b", "other")
    for name in (*names, FILE):
        followed.write(name, text("learned since", "n"))
    git(followed, "commit", "-a", "-m", "two")
    git(followed, "checkout", "main")


def test_once_for_a_checkout(tmp_path: Path) -> None:
    root = fill(tmp_path / "site")

    class Folder:
        def __init__(self) -> None:
            self.root = root

        def path(self, name: str) -> Path:
            return root / name

        def write(self, name: str, text: str) -> Path:
            write_site(root, {name: text})
            return root / name

    checked_out(Folder())  # type: ignore[arg-type]
    with following(root) as running:
        followed = Followed(root, running)
        followed.updates()
        for branch, word in (("other", b"learned since."), ("main", b"learned.")):
            git(followed, "checkout", branch)
            (line,), (update,) = followed.lines(), followed.updates()
            assert re.fullmatch(r"61 files in content/kernels · parsed (0|61), rendered \d+ · \d+ ms", line), line
            assert list(update["changed"]) == [PATH]  # type: ignore[call-overload]
            assert word in running.get(PATH).body
            assert word in running.get(f"{BASE}kernels/n59/").body
        write_site(root, {FILE: text("stashed", "a"), "content/kernels/n3.md": text("stashed", "n")})
        assert len(followed.lines()) == 1
        git(followed, "stash")
        (line,) = followed.lines()
        assert line.startswith(f"{FILE}, content/kernels/n3.md · ")
        assert b"learned." in running.get(PATH).body
        followed.listener.close()


def test_once_for_300_files(followed: Followed) -> None:
    for number in range(300):
        followed.write(f"content/kernels/m{number}.md", text("learned", f"m{number}"))
    followed.write(FILE, text("learned since", "a"))
    until(lambda: b"since" in followed.running.get(PATH).body, followed.running.told)
    until(lambda: followed.running.get(f"{BASE}kernels/m299/").status == 200, followed.running.told)
    lines = followed.lines()
    assert [line for line in lines if not line.startswith("all posts are loaded")] == [lines[0]]
    assert lines[0].startswith("301 files in content/kernels · ")


def test_folders(followed: Followed, tmp_path: Path) -> None:
    """Moved away and back, replaced, new and deleted."""
    topic, away = followed.path("content/kernels"), tmp_path / "away"
    topic.rename(away)
    (line,) = followed.lines()
    assert line.startswith("5 files in content/kernels · parsed 0")
    assert followed.running.get(PATH).status == 404
    away.rename(topic)
    (line,) = followed.lines()
    assert line.startswith("5 files in content/kernels · parsed 0")
    assert followed.running.get(PATH).status == 200
    followed.write("content/memory/_index.md", "---\ntitle: Memory\n---\n")
    followed.write("content/memory/a.md", text("learned", "a"))
    (line,) = followed.lines()
    assert line.startswith("+ content/memory/_index.md, + content/memory/a.md · parsed 2")
    assert followed.running.get(f"{BASE}memory/a/").status == 200
    shutil.rmtree(followed.path("content/memory"))
    (line,) = followed.lines()
    assert line.startswith("- content/memory/_index.md, - content/memory/a.md · parsed 0")
    assert followed.running.get(f"{BASE}memory/a/").status == 404
    new = fill(tmp_path / "new") / "content"
    write_site(new, {"kernels/a.md": text("learned since", "a")})
    followed.path("content").rename(tmp_path / "old")
    new.rename(followed.path("content"))
    until(lambda: b"since" in followed.running.get(PATH).body, followed.running.told)
    lines = followed.lines()
    assert lines[-1].startswith(FILE)
    followed.write(FILE, text("learned once more", "a"))
    (line,) = followed.lines()
    assert b"once more" in followed.running.get(PATH).body


def test_a_renamed_file(followed: Followed) -> None:
    (followed.root / "content/kernels/a.md").rename(followed.root / "content/kernels/moved.md")
    followed.lines()
    moved: dict[str, str] = {}
    for update in followed.updates():
        moved |= update["moved"]
    assert moved == {PATH: f"{BASE}kernels/moved/"}


def test_nothing_to_tell(followed: Followed) -> None:
    """Of what is no part of the site, what editors leave beside it, and of nothing at all."""
    for name in (
        "README.md",
        "public/index.html",
        "content/kernels/.a.md.swp",
        "content/kernels/a.md~",
        "content/#a.md#",
    ):
        followed.write(name, "Nothing.")
    followed.write(FILE, followed.path(FILE).read_text("utf-8"))
    assert followed.mark() == []
    assert followed.updates() == []
    time.sleep(5)  # nothing happens in this time, which nothing can be waited for
    assert followed.mark() == []
    assert followed.updates() == []


def test_saves_in_a_row(followed: Followed) -> None:
    """As a person types: what is shown in the end is the last text, and no save is told twice."""
    for number in range(20):
        followed.write(FILE, NEW + f"\nLine {number}.\n")
        time.sleep(0.01)
    until(lambda: b"Line 19." in followed.running.get(PATH).body, followed.running.told)
    lines, updates = followed.lines(), followed.updates()
    assert 1 <= len(lines) <= 20
    assert len(updates) == len(lines)
    assert all(line.startswith(f"{FILE} · parsed 1") for line in lines)


def test_a_theme_that_is_a_link(tmp_path: Path) -> None:
    """Themes are trusted, so links to their files and folders are followed."""
    root, footer = fill(tmp_path / "site"), "templates/partials/footer.html"
    write_site(root, {"devlog.toml": CONFIG.replace("\n", '\ntheme = "mine"\n', 1)})
    shared = write_site(tmp_path / "shared", {"theme.toml": 'extends = "default"\n', footer: "<p>One</p>"})
    (root / "themes").mkdir()
    (root / "themes/mine").symlink_to(shared)
    with serving(root) as running:
        running.until_page("<p>One</p>", PATH)
        write_site(root, {"static/mark.txt": ""})
        until(running.changes, running.told)  # so the watcher has started
        write_site(shared, {footer: "<p>Two</p>"})
        running.until_page("<p>Two</p>", PATH)


@pytest.mark.feature("diagrams")
def test_a_program_that_is_a_link(tmp_path: Path) -> None:
    """Builds draw again when the file has changed that it leads to."""
    root = fill(tmp_path / "site")
    config = f'{CONFIG}\n[diagrams.shapes]\ncommand = ["sh", "{{root}}/tools/draw.sh"]\n'
    write_site(root, {"devlog.toml": config, FILE: text("learned", "a") + "\n```shapes\nbox\n```\n"})
    shared = write_site(tmp_path / "shared", {"draw.sh": drawing(11)})
    (root / "tools").mkdir()
    (root / "tools/draw.sh").symlink_to("../../shared/draw.sh")
    with serving(root) as running:
        running.until_page('width="11"', PATH)
        write_site(root, {"static/mark.txt": ""})
        until(running.changes, running.told)  # so the watcher has started
        write_site(shared, {"draw.sh": drawing(77)})
        running.until_page('width="77"', PATH)


def drawing(width: int) -> str:
    """A program that draws a box of a width."""
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="9"><path d="M0 0h{width}"/></svg>'
    return f"cat > /dev/null; echo '{svg}'\n"


@pytest.mark.parametrize("place", ["", ".."], ids=["the site", "a folder around it"])
def test_a_repository_that_is_made_later(tmp_path: Path, place: str) -> None:
    """Its commits give dates to posts, although no file of the site changes."""
    root = write_site(tmp_path / "docs/site", {"devlog.toml": CONFIG, FILE: "---\ntitle: a\n---\n\nWords.\n"})
    folder = Folder()
    folder.root = root / place

    def has_a_date() -> bool:
        return b"<time" in running.get(PATH).body

    with serving(root) as running:
        running.until_page("Words.", PATH)
        write_site(root, {"static/mark.txt": ""})
        until(running.changes, running.told)  # so the watcher has started
        assert not has_a_date()
        git(folder, "init")
        git(folder, "add", ".")
        git(folder, "commit", "-m", "one")
        until(has_a_date, running.told)
        git(folder, "commit", "--amend", "--no-edit", "--date", "2020-02-02T12:00:00Z")
        running.until_page('datetime="2020-02-02', PATH)


def test_a_site_that_is_removed_and_made_again(tmp_path: Path) -> None:
    """Such as another clone in its place: the current folder of the preview is gone then."""
    root = fill(tmp_path / "site")
    with serving(root) as running:
        running.until_page("learned", f"{BASE}kernels/a/")
        shutil.rmtree(root)
        fill(root)
        again = text("wrote again", "a") + "\n[In other letters](A.md)\n"  # the message has a path relative to the file
        (root / "content/kernels/a.md").write_text(again, "utf-8")
        running.until_page("wrote again", f"{BASE}kernels/a/")
        assert "Traceback" not in running.told()
