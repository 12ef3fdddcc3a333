"""The watcher: one call for everything that is saved, however it is saved, and none for anything else."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from disk.capabilities import as_mere_owner
from saves import EVERY_WAY, NEW, POST, WAYS, git, pieces
from watch_sites import DEADLINE, NEVER, PATIENT, Site

from devlog.serve import watch
from devlog.serve.debounce import MANY, PATIENCE, Batch, Hint
from devlog.serve.events import PAIRING_SECONDS
from devlog.serve.file_stats import differences, look
from devlog.serve.repository import Repository, checkout_files, own_files, stats_of
from devlog.serve.watch import Watcher

pytestmark = pytest.mark.slow


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path / "site")
    yield site
    site.stop()


@pytest.mark.parametrize("way", EVERY_WAY)
def test_once_for_a_save(site: Site, way: str) -> None:
    site.start()
    before = site.copy[POST]
    WAYS[way](site)
    assert site.settle() == [{POST}]
    assert site.copy.get(POST) == site.disk().get(POST)
    assert (site.copy.get(POST) == before) == (way in {"touch", "chmod"})


@pytest.mark.parametrize(
    "way",
    [
        *("truncate", "replace", "remove"),
        *(pytest.param(way, marks=pytest.mark.editors) for way in ("vim", "emacs-backup")),
    ],
)
def test_once_where_there_are_no_events(site: Site, way: str) -> None:
    """A look at all files finds it, and may come at any moment of the save."""
    site.start(scan_seconds=0.05, events=False)
    WAYS[way](site)
    assert site.settle() == [{POST}]
    assert site.copy.get(POST) == site.disk().get(POST)


@pytest.mark.parametrize("events", ["all", "some", "none"])
def test_once_for_a_file_that_is_written_in_pieces(site: Site, events: str, monkeypatch: pytest.MonkeyPatch) -> None:
    heard, note = set[str](), Watcher._note

    def note_first(watcher: Watcher, name: str, hint: Hint) -> None:
        """As where events of writing come too late to be of use: all but the first are lost."""
        if hint is not Hint.OPEN or name not in heard:
            heard.add(name)
            note(watcher, name, hint)

    if events == "some":
        monkeypatch.setattr(Watcher, "_note", note_first)
    site.start(scan_seconds=0.05 if events == "none" else NEVER, events=events != "none")
    for _ in range(100):
        heard.clear()
        pause = pieces(site)
        told = site.settle()
        assert site.copy[POST] == NEW.encode()
        if pause < 0.8 * PATIENT.open:
            assert told == [{POST}]
            return
    pytest.fail("this machine is too busy to write a file in pieces")


def test_a_save_while_files_are_looked_at(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    look_at = watch.differences

    def interrupted(*arguments: Any) -> dict[str, Any]:
        changes = look_at(*arguments)
        monkeypatch.setattr(watch, "differences", look_at)
        site.write(POST, NEW * 2)
        site.wait(site.watcher._is_hinted)
        return changes

    site.start()
    monkeypatch.setattr(watch, "differences", interrupted)
    site.write(POST, NEW)
    assert site.settle() == [{POST}]
    assert site.copy == site.disk()


def test_saves_one_after_another_are_told_one_by_one(site: Site) -> None:
    site.start()
    for number in range(5):
        site.path(POST).write_text(f"{number}")
        site.wait(lambda number=number: site.copy[POST] == b"%d" % number)
    assert site.settle(5) == [{POST}] * 5


def test_configuration(site: Site) -> None:
    site.start()
    site.write("devlog.toml", 'title = "Lumen and others"\n')
    assert site.settle() == [{"devlog.toml"}]
    site.write("README.md", "Not a part of the site.\n")
    site.write("public/index.html", "Neither.\n")
    site.write("pyproject.toml", "")
    assert site.settle() == [{"pyproject.toml"}]


# Many files.


def test_once_for_300_files(site: Site) -> None:
    site.start()
    names = {f"content/kernels/n{number}.md" for number in range(300)}
    for name in names:
        site.write(name, NEW)
    assert site.settle() == [names]


def test_once_for_a_new_topic(site: Site) -> None:
    site.start()
    site.write("content/memory/_index.md", "---\ntitle: Memory\n---\n")
    site.write("content/memory/a.md", NEW)
    assert site.settle() == [{"content/memory/_index.md", "content/memory/a.md"}]
    site.write("content/memory/a.md", NEW * 2)
    assert site.settle() == [{"content/memory/a.md"}]


def test_once_for_a_tree_that_is_copied_in(site: Site) -> None:
    for folder in range(6):
        for number in range(10):
            site.write(f"../elsewhere/t{folder}/deep/er/n{number}.md", NEW)
    site.start()
    shutil.copytree(site.root / "../elsewhere", site.path("content/copied"))
    names = {f"content/copied/t{folder}/deep/er/n{number}.md" for folder in range(6) for number in range(10)}
    assert site.settle() == [names]
    site.write("content/copied/t3/deep/er/n3.md", NEW * 2)
    assert site.settle() == [{"content/copied/t3/deep/er/n3.md"}]


def test_once_for_a_tree_that_is_moved_in_and_out(site: Site) -> None:
    site.write("../elsewhere/deep/a.md", NEW)
    site.write("../elsewhere/b.md", NEW)
    site.start()
    names = {"content/moved/deep/a.md", "content/moved/b.md"}
    (site.root / "../elsewhere").rename(site.path("content/moved"))
    assert site.settle() == [names]
    site.path("content/moved").rename(site.root / "../elsewhere")
    assert site.settle() == [names]
    assert site.copy == site.disk()


def test_once_for_a_folder_that_is_deleted(site: Site) -> None:
    names = {f"content/kernels/{name}.md" for name in ("a", "b", "c", "_index")}
    site.start()
    shutil.rmtree(site.path("content/kernels"))
    assert site.settle() == [names]


def test_once_for_a_folder_that_gets_another_name(site: Site) -> None:
    names = {f"content/{topic}/{name}.md" for name in ("a", "b", "c", "_index") for topic in ("kernels", "memory")}
    site.start()
    site.path("content/kernels").rename(site.path("content/memory"))
    assert site.settle() == [names]
    site.write("content/memory/a.md", NEW)
    assert site.settle() == [{"content/memory/a.md"}]


def test_a_folder_that_is_moved_away_and_back(site: Site) -> None:
    """There is nothing to tell, or, when it was away for longer, what comes of all that is told is right."""
    site.start()
    for pause in (0.0, 0.5):
        for place in ("content/renamed", "../elsewhere"):
            site.path("content/kernels").rename(site.path(place))
            time.sleep(pause)
            site.path(place).rename(site.path("content/kernels"))
            site.settle(0)
            assert site.copy == site.disk()
    site.write(POST, NEW)
    assert site.settle() == [{POST}]


def test_content_that_is_replaced(site: Site) -> None:
    """Events of the new folder are heard, and those of the old one are not mistaken for them."""
    site.write("../new/kernels/a.md", NEW)
    site.start()
    site.path("content").rename(site.path("../old"))
    site.path("../new").rename(site.path("content"))
    assert site.settle() == [{f"content/kernels/{name}.md" for name in ("a", "b", "c", "_index")}]
    assert site.copy == site.disk()
    site.write(POST, NEW * 2)
    assert site.settle() == [{POST}]
    site.write("content/memory/a.md", NEW)
    assert site.settle() == [{"content/memory/a.md"}]
    site.write("../old/kernels/a.md", NEW * 3)
    assert site.settle(0) == []


def test_a_site_that_is_replaced(site: Site) -> None:
    """No event tells of this: a look at all files does, and after it events are heard again."""
    site.write("../new/content/kernels/a.md", NEW)
    site.start(scan_seconds=0.3)
    site.root.rename(site.root.with_name("old"))
    site.root.with_name("new").rename(site.root)
    site.wait(lambda: site.copy == site.disk())
    site.settle(0)
    heard = site.watcher._events
    assert heard is not None
    site.wait(lambda: not heard.lost)
    site.write(POST, NEW * 2)
    assert site.settle() == [{POST}]


def test_folders_that_appear_later(site: Site) -> None:
    site.start()
    for name in ("templates/post.html", "themes/plain/templates/base.html"):
        site.write(name, "<p>")
        assert site.settle() == [{name}]
        site.write(name, "<p><b>")
        assert site.settle() == [{name}]
    site.write("themes/other/templates/base.html", "<p>")
    assert site.settle(0) == []


# git.


@pytest.fixture
def repository(site: Site) -> Site:
    """Two branches that differ in 80 posts, and one more commit on each."""
    posts = [f"content/kernels/n{number}.md" for number in range(80)]
    for name in posts:
        site.write(name, NEW)
    git(site, "init")
    git(site, "add", ".")
    git(site, "commit", "-m", "one")
    git(site, "checkout", "-b", "other")
    for number in (2, 3, 4):
        for name in posts:
            site.write(name, NEW + "\n" * 9 + "Since.\n" * number)
        git(site, "commit", "-a", "-m", f"{number}")
    git(site, "checkout", "main")
    for name in posts:
        site.write(name, "\n" + NEW)
    git(site, "commit", "-a", "-m", "main")
    return site


def posts() -> set[str]:
    return {f"content/kernels/n{number}.md" for number in range(80)}


def test_once_for_a_checkout(repository: Site) -> None:
    repository.start()
    git(repository, "checkout", "other")
    assert repository.settle() == [posts()]
    assert repository.copy == repository.disk()


def test_once_for_a_stash_and_its_return(repository: Site) -> None:
    for name in posts():
        repository.write(name, NEW * 2)
    repository.start()
    git(repository, "stash")
    assert repository.settle() == [posts()]
    git(repository, "stash", "pop")
    assert repository.settle() == [posts()]
    assert repository.copy == repository.disk()


def test_once_for_a_stash_of_which_the_events_are_late(repository: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a busy machine: all but that of the first file come when git has done."""
    note = Watcher._note
    heard = set[str]()

    def late(watcher: Watcher, name: str, hint: Hint) -> None:
        if len(heard) == 1 and name not in heard:
            time.sleep(6 * PATIENT.closed)
        heard.add(name)
        note(watcher, name, hint)

    for name in posts():
        repository.write(name, NEW * 2)
    monkeypatch.setattr(Watcher, "_note", late)
    repository.start()
    git(repository, "stash")
    assert repository.settle() == [posts()]


def test_once_for_a_rebase(repository: Site) -> None:
    git(repository, "checkout", "other")
    repository.start()
    git(repository, "rebase", "main")
    assert repository.settle() == [posts()]
    assert repository.copy == repository.disk()


def test_nothing_for_what_git_does_to_itself(repository: Site) -> None:
    repository.start()
    git(repository, "gc")
    git(repository, "commit", "--allow-empty", "-m", "nothing")
    assert repository.settle(0) == []


def test_a_lock_that_was_left_behind_does_not_stop_it(repository: Site) -> None:
    repository.write(".git/index.lock", "")
    repository.start()
    for text in (NEW, NEW * 2):
        repository.write(POST, text)
        assert repository.settle() == [{POST}]


@pytest.mark.parametrize("kind", ["beside", "above", "work tree"])
def test_waits_while_git_is_at_work(tmp_path: Path, kind: str) -> None:
    root = tmp_path / "docs" if kind == "above" else tmp_path
    folder = tmp_path / ("main/worktrees/docs" if kind == "work tree" else ".git")
    folder.mkdir(parents=True)
    root.mkdir(exist_ok=True)
    if kind == "work tree":
        (tmp_path / ".git").write_text("gitdir: main/worktrees/docs\n")
    (folder / "index").write_bytes(b"1")
    seen = Repository(root)
    assert not seen.busy(10.0, many=False)
    assert not seen.busy(10.0, many=True)
    (folder / "index.lock").write_bytes(b"")
    assert seen.busy(11.0, many=False)
    (folder / "index.lock").replace(folder / "index")
    end = 12.0 + PATIENCE.git
    assert seen.busy(12.0, many=False)  # the index is another one
    assert seen.busy(end - PATIENCE.git / 2, many=False)
    assert not seen.busy(end, many=False)
    (folder / "index").write_bytes(b"2")
    long_ago = time.time() - PATIENCE.longest - 1
    os.utime(folder / "index", (long_ago, long_ago))
    assert not seen.busy(14.0, many=False)  # it was written by another program, before anything was saved
    assert seen.busy(14.0, many=True)
    assert not seen.busy(14.0 + PATIENCE.git, many=True)
    (folder / "index.lock").write_bytes(b"")
    assert seen.busy(20.0, many=False)
    seen.give_up()
    assert not seen.busy(20.0, many=False)
    (folder / "index.lock").unlink()
    (tmp_path / "other").write_bytes(b"")
    (tmp_path / "other").rename(folder / "index.lock")
    assert seen.busy(30.0, many=False)  # a lock of its own


def test_no_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("not git's\n")
    assert not Repository(tmp_path).busy(1.0, many=True)


# What is not told.


def test_idle(site: Site) -> None:
    site.start(scan_seconds=0.5)
    site.settle(0)
    walks, begin = site.watcher.walks, time.monotonic()
    for _ in range(3):
        for path in site.root.rglob("*.md"):
            path.read_bytes()
        site.settle(0)
    assert site.watcher.walks - walks <= (time.monotonic() - begin) / 0.5 + 1
    assert site.watcher.walks > walks
    assert site.told == []


def test_reading_is_not_even_heard(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []
    note = Watcher._note
    monkeypatch.setattr(Watcher, "_note", lambda self, name, hint: (heard.append(name), note(self, name, hint))[1])
    site.start()
    for path in site.root.rglob("*"):
        if path.is_file():
            path.read_bytes()
    assert site.settle(0) == []
    assert heard == []
    site.write(POST, NEW)
    site.settle()
    assert set(heard) == {POST}


def test_what_tools_use_for_themselves(site: Site) -> None:
    site.start()
    for name in (".a.md.swp", "4913", "a.md~", "#a.md#", "b.tmp", ".DS_Store", "a.md___jb_tmp___", "~lock"):
        site.write(f"content/kernels/{name}", "x")
    site.path("content/kernels/.#a.md").symlink_to("ada@host.1:2")
    for folder in (".devlog/cache", "content/.git/objects", "content/.obsidian"):
        site.write(f"{folder}/x.md", "x")
    site.write("static/.well-known/security.txt", "x")  # this one is published
    assert site.settle() == [{"static/.well-known/security.txt"}]


def test_a_mode_that_is_set_to_what_it_was_is_no_change(site: Site) -> None:
    """Editors do so after they have written a file."""
    site.start()
    path = site.path(POST)
    before = path.stat()
    path.chmod(before.st_mode)
    assert path.stat().st_ctime_ns > before.st_ctime_ns
    site.write("content/kernels/b.md", NEW)
    assert site.settle() == [{"content/kernels/b.md"}]


def test_links_are_not_followed(site: Site) -> None:
    site.write("../elsewhere/secret.md", NEW)
    site.start(scan_seconds=0.1)
    site.path("content/linked").symlink_to(site.root / "../elsewhere")
    site.path("content/up").symlink_to(site.root)
    assert site.settle() == [{"content/linked", "content/up"}]
    site.write("../elsewhere/secret.md", NEW * 2)
    assert site.settle(0) == []


# Elsewhere.


def test_a_theme_outside(site: Site, tmp_path: Path) -> None:
    """Reached by a link, with links in it, one of which leads around: no event tells of what is behind them."""
    theme, behind = tmp_path / "installed", tmp_path / "behind"
    for folder in (theme, behind):
        folder.mkdir()
        (folder / "base.html").write_text("<p>")
    (theme / "around").symlink_to(theme)
    (theme / "itself").symlink_to("itself")
    (theme / "linked").symlink_to(behind)
    (tmp_path / "theme").symlink_to(theme)
    site.start(site.paths(trusted=(f"{tmp_path}/theme",)), scan_seconds=0.1)
    (theme / "base.html").write_text("<p><b>")
    assert site.settle() == [{f"{tmp_path}/theme/base.html"}]
    (behind / "base.html").write_text("<p><b>")
    assert site.settle() == [{f"{tmp_path}/theme/linked/base.html"}]


@pytest.mark.parametrize("folders", [("content", "themes"), (".", "themes")], ids=["themes", "the root"])
def test_a_theme_of_the_site_that_is_a_link(site: Site, tmp_path: Path, folders: tuple[str, ...]) -> None:
    """The file system tells of what is in it; other links in its folder are not followed."""
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "base.html").write_text("<p>")
    site.path("themes").mkdir()
    for name in ("mine", "other"):
        site.path(f"themes/{name}").symlink_to(shared)
    site.start(site.paths(folders=folders, trusted=("themes/mine",)))
    (shared / "base.html").write_text("<p><b>")
    assert site.settle() == [{"themes/mine/base.html"}]
    (shared / "new.html").write_text("<p>")
    assert site.settle() == [{"themes/mine/new.html"}]


def test_links_in_trusted_folders(site: Site, tmp_path: Path) -> None:
    """To a file, and to a folder, in a folder whose place another link takes."""
    shared = tmp_path / "shared"
    for folder in ("partials", "more"):
        (shared / folder).mkdir(parents=True)
        (shared / folder / "base.html").write_text("<p>")
    site.write("themes/mine/templates/own.html", "<p>")
    site.path("themes/mine/templates/partials").symlink_to(shared / "partials")
    site.path("themes/mine/templates/base.html").symlink_to(shared / "more/base.html")
    site.start(site.paths(folders=("content", "themes"), trusted=("themes/mine",)), scan_seconds=0.1)
    (shared / "partials/base.html").write_text("<p><b>")
    assert site.settle() == [{"themes/mine/templates/partials/base.html"}]
    (shared / "more/base.html").write_text("<p><b>")
    assert site.settle() == [{"themes/mine/templates/base.html"}]
    site.write("themes/mine/templates/own.html", "<p><b>")
    assert site.settle() == [{"themes/mine/templates/own.html"}]
    site.path("themes/mine/templates/partials").unlink()
    site.path("themes/mine/templates/partials").symlink_to(shared / "more")
    assert {name for names in site.settle() for name in names} == {"themes/mine/templates/partials/base.html"}


@pytest.mark.parametrize("aim", ["../../elsewhere/post.html", "post.html"], ids=["nowhere", "itself"])
def test_a_broken_link_in_a_trusted_folder(site: Site, aim: str) -> None:
    """Builds report it, so it is a change. One was as good as no file."""
    site.write("templates/base.html", "<p>")
    site.start(site.paths(folders=("content", "templates"), trusted=("templates",)), scan_seconds=0.1)
    site.path("templates/post.html").symlink_to(aim)
    assert site.settle() == [{"templates/post.html"}]
    site.path("templates/post.html").unlink()
    assert site.settle() == [{"templates/post.html"}]


def test_a_link_that_leads_somewhere_later(site: Site) -> None:
    site.write("templates/base.html", "<p>")
    site.path("templates/post.html").symlink_to("../../elsewhere/post.html")
    site.path("draw.sh").symlink_to("../elsewhere/draw.sh")
    paths = site.paths(folders=("content", "templates"), trusted=("templates",), files=("draw.sh",), links=("draw.sh",))
    site.start(paths, scan_seconds=0.1)
    site.write("../elsewhere/post.html", "<p>")
    assert site.settle() == [{"templates/post.html"}]
    site.write("../elsewhere/draw.sh", "cat")
    assert site.settle() == [{"draw.sh"}]
    site.path("../elsewhere/post.html").unlink()
    site.path("../elsewhere/draw.sh").unlink()
    assert {name for names in site.settle() for name in names} == {"draw.sh", "templates/post.html"}


def test_a_file_that_is_a_link(site: Site, tmp_path: Path) -> None:
    """Such as a program, beside watched folders or in one. Other links are still not followed."""
    shared = tmp_path / "shared"
    shared.mkdir()
    for name in ("draw.sh", "plot.sh", "other.sh"):
        (shared / name).write_text("cat")
    site.path("tools").mkdir()
    links = ("tools/draw.sh", "content/plot.sh", "content/all")
    for name in (*links, "content/other.sh"):
        site.path(name).symlink_to(shared / Path(name).name if name != "content/all" else shared)
    paths = site.paths(files=("devlog.toml", *links), links=links)
    site.start(paths, scan_seconds=0.1)
    (shared / "other.sh").write_text("cat -")
    (shared / "draw.sh").write_text("cat -")
    assert site.settle() == [{"tools/draw.sh"}]
    (shared / "plot.sh").write_text("cat -")
    assert site.settle() == [{"content/plot.sh"}]
    site.path("content/plot.sh").unlink()
    site.path("content/plot.sh").symlink_to(shared / "other.sh")
    assert site.settle() == [{"content/plot.sh"}]
    site.path("tools/draw.sh").unlink()
    site.write("tools/draw.sh", "cat")
    assert site.settle() == [{"tools/draw.sh"}]
    assert site.settle(0) == []


def test_other_paths(site: Site) -> None:
    site.write("posts/kernels/d.md", NEW)
    site.write("posts/kernels/e.md", NEW)
    site.start()
    site.watcher.watch(site.paths(folders=("posts", "static")))
    assert site.settle() == [{"posts/kernels/d.md", "posts/kernels/e.md"}]
    site.write(POST, NEW)
    site.write("posts/kernels/d.md", NEW * 2)
    assert site.settle() == [{"posts/kernels/d.md"}]
    site.watcher.watch(site.paths(folders=("posts", "static")))
    assert site.settle(0) == []


def test_a_link_in_the_place_of_a_folder(site: Site) -> None:
    """It is not followed; a folder that takes its place is listened to."""
    site.write("../elsewhere/post.html", NEW)
    site.start()
    site.path("templates").symlink_to(site.root / "../elsewhere")
    assert site.settle() == [{"templates"}]
    site.write("../elsewhere/post.html", NEW * 2)
    assert site.settle(0) == []
    site.path("templates").unlink()
    site.write("templates/post.html", NEW)
    assert site.settle() == [{"templates", "templates/post.html"}]
    site.write("templates/post.html", NEW * 2)
    assert site.settle() == [{"templates/post.html"}]


def test_content_in_the_root(site: Site, tmp_path: Path) -> None:
    site.write(".git/HEAD", "")
    (tmp_path / "theme").mkdir()
    (tmp_path / "theme/base.html").write_text("<p>")
    site.start(site.paths(folders=(".", "./static"), trusted=(f"{tmp_path}/theme",)))
    site.write("content/more/d.md", NEW)
    assert site.settle() == [{"content/more/d.md"}]
    shutil.rmtree(site.path("content/more"))
    assert site.settle() == [{"content/more/d.md"}]
    site.write("kernels/d.md", NEW)
    assert site.settle() == [{"kernels/d.md"}]
    site.write("static/style.css", "")
    assert site.settle() == [{"static/style.css"}]
    site.write(".git/HEAD", "x")
    site.root.chmod(0o700)
    assert site.settle(0) == []


# When something goes wrong.

LIMITED = """
import sys, threading
from pathlib import Path
from devlog.serve.watch import WatchedPaths, Watcher

root, told, bell = Path(sys.argv[1]), [], threading.Event()
watcher = Watcher(WatchedPaths(root, ("content",)), lambda names: (told.extend(names), bell.set()), scan_seconds=0.2)
watcher.start()
post = root / "content/kernels/a.md"
post.write_text("new")
bell.wait(30)
watcher.stop()
print(watcher.reason)
print(*told)
"""


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        ("max_inotify_instances", "the system's limit of watching programs is reached"),
        ("max_inotify_watches", "the system's limit of watched folders is reached"),
    ],
)
def test_without_events_because_of_limits(site: Site, limit: str, reason: str) -> None:
    """In a namespace of its own, so that the limit is not that of others."""
    if sys.platform != "linux" or shutil.which("unshare") is None:
        pytest.skip("needs Linux and unshare")
    set_limit = ["unshare", "-Ur", "sh", "-c", f'echo 0 > /proc/sys/user/{limit} && exec "$@"', "sh"]
    if subprocess.run([*set_limit, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this system lets nobody set limits in a namespace")
    command = [*set_limit, sys.executable, "-W", "error", "-c", LIMITED, str(site.root)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [reason, POST]


def emitters() -> list[threading.Thread]:
    from watchdog.observers.api import EventEmitter

    return [thread for thread in threading.enumerate() if isinstance(thread, EventEmitter)]


def test_listening_begins_anew_when_its_threads_die(site: Site) -> None:
    site.start(scan_seconds=0.1)
    old = emitters()
    assert old
    for thread in old:
        thread.stop()
    site.wait(lambda: len(emitters()) == len(old) and not set(old) & set(emitters()))
    heard = site.watcher._events
    assert heard is not None
    site.wait(lambda: not heard.lost)
    site.write(POST, NEW)
    assert site.settle() == [{POST}]


def test_a_change_that_no_event_told_of(site: Site) -> None:
    """It is found, and told once. Where others are told of, a folder has got lost, and all is listened to anew."""
    site.write("content/memory/a.md", NEW)
    site.start(scan_seconds=0.1)
    old = emitters()
    for thread in old:
        queue = thread.queue_event
        thread.queue_event = lambda event, queue=queue: "memory" in event.src_path or queue(event)
    site.write(POST, NEW)
    assert site.settle() == [{POST}]
    assert emitters() == old
    site.write("content/memory/a.md", NEW * 2)
    assert site.settle() == [{"content/memory/a.md"}]
    site.wait(lambda: len(emitters()) == len(old) and not set(old) & set(emitters()))


def test_a_file_system_that_tells_of_nothing(site: Site) -> None:
    site.start(scan_seconds=0.1)
    old = emitters()
    for thread in old:
        thread.queue_event = lambda _event: None
    for text in (NEW, NEW * 2):
        site.write(POST, text)
        assert site.settle() == [{POST}]
    assert emitters() == old


def test_calls_never_overlap_and_nothing_is_lost_meanwhile(site: Site) -> None:
    site.start(scan_seconds=0.05)
    site.slow = 0.3
    for number in range(10):
        site.write(f"content/kernels/n{number}.md", NEW)
        time.sleep(0.1)
    site.settle()
    assert site.copy == site.disk()
    assert site.overlaps == 0


@pytest.mark.parametrize("seed", range(4))
def test_whatever_happens_what_is_told_adds_up(site: Site, seed: int) -> None:
    """Reading what is told, and nothing else, gives the texts that there are in the end."""
    chance = random.Random(seed)
    site.start(scan_seconds=NEVER if seed % 2 else 0.1)
    content, away = site.path("content"), site.path("../away")
    for step in range(120):
        folders = sorted(path for path in content.rglob("*") if path.is_dir())
        files = sorted(path for path in content.rglob("*.md"))
        folder = chance.choice([content, *folders])
        act = chance.randrange(9)
        if act <= 2 or not files:
            (folder / f"p{chance.randrange(9)}.md").write_text(f"{step}" * chance.randrange(9))
        elif act == 3:
            chance.choice(files).unlink()
        elif act == 4:
            chance.choice(files).replace(folder / f"p{chance.randrange(9)}.md")
        elif act == 5 and len(folders) < 9:
            (folder / f"f{step}").mkdir()
        elif act == 6 and folders:
            shutil.rmtree(chance.choice(folders))
        elif act == 7 and folders:
            moved = chance.choice(folders)
            moved.rename(content / f"m{step}")
        elif act == 8 and chance.random() < 0.3:
            content.rename(away)
            time.sleep(chance.choice([0, 0.3]))
            away.rename(content)
        time.sleep(chance.choice([0, 0, 0, 0.02, 0.15]))
    site.settle(0)
    assert site.copy == site.disk()


def test_what_happens_behind_a_file_that_was_moved_away_is_not_held_back(site: Site) -> None:
    """Else all that is saved within half a second after it would be late by as much."""
    site.start()
    assert emitters()
    for thread in emitters():
        assert thread._inotify._move_event_grouper._queue.delay == PAIRING_SECONDS


def test_stop(site: Site) -> None:
    before = set(threading.enumerate())
    Watcher(site.paths(), site._tell).stop()
    site.start()
    assert set(threading.enumerate()) > before
    site.write(POST, NEW)
    site.stop()
    site.stop()
    assert set(threading.enumerate()) == before
    told = list(site.told)
    site.write(POST, NEW * 2)
    assert site.settle(0) == told


def test_stop_from_within(site: Site) -> None:
    done = threading.Event()

    def tell(names: frozenset[str]) -> None:
        watcher.stop()
        done.set()

    watcher = Watcher(site.paths(), tell)
    watcher.start()
    site.write(POST, NEW)
    assert done.wait(DEADLINE)
    watcher.stop()
    assert emitters() == []


def test_a_fault_does_not_end_it(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    log: list[str] = []

    def broken(*_: Any) -> Any:
        monkeypatch.undo()
        raise RuntimeError("no such\nluck")

    monkeypatch.setattr(watch, "differences", broken)
    site.start(log=log.append)
    site.write(POST, NEW)
    assert site.settle() == [{POST}]
    assert log == ["The watcher failed, and goes on: RuntimeError: no such luck"]
    site.write(POST, NEW * 2)
    assert site.settle() == [{POST}]


def test_what_could_not_be_told_is_told_again(site: Site) -> None:
    """Though the one who is to be told fails more than once, and so does the log."""
    faults = 0

    def failing(names: frozenset[str]) -> None:
        nonlocal faults
        faults += 1
        if faults > 2:
            site.watcher._tell = site._tell
            site._tell(names)
        raise RuntimeError(f"{faults}")

    def log(line: str) -> None:
        raise OSError("no terminal")

    site.start(log=log)
    site.watcher._tell = failing
    site.write(POST, NEW)
    site.wait(lambda: len(site.told) > 1)  # once more, since the third call failed too
    assert set(site.told) == {frozenset([POST])}
    assert site.copy == site.disk()


def test_it_can_be_stopped_after_a_fault(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = threading.Event()

    def log(line: str) -> None:
        failed.set()

    def broken(*_: Any) -> Any:
        raise RuntimeError("never again")

    site.start(log=log)
    monkeypatch.setattr(watch, "FAULT_SECONDS", DEADLINE)
    monkeypatch.setattr(watch, "differences", broken)
    site.write(POST, NEW)
    assert failed.wait(DEADLINE)
    thread = site.watcher._thread
    site.stop()
    assert thread is not None
    assert not thread.is_alive()
    assert emitters() == []


def test_nothing_heavy_is_imported_before_it_starts() -> None:
    code = "import sys, devlog.serve.watch; print(*[name for name in sys.modules if name.startswith('watchdog')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


# The rules of time, without time.


def batch(*hints: tuple[str, Hint, float]) -> Batch:
    made = Batch()
    for hint in hints:
        made.note(*hint)
    return made


@pytest.mark.parametrize(
    ("hints", "quiet"),
    [
        ([("a", Hint.CLOSED)], PATIENCE.closed),
        ([("a", Hint.OPEN)], PATIENCE.open),
        ([("a", Hint.OPEN), ("a", Hint.CLOSED)], PATIENCE.closed),
        ([("a", Hint.CLOSED), ("a", Hint.OPEN)], PATIENCE.open),
        ([("a", Hint.OPEN), ("a", Hint.TOUCHED)], PATIENCE.open),
        ([("a", Hint.OPEN), ("a", Hint.MISSED), ("a", Hint.CLOSED)], PATIENCE.closed),
        ([("a", Hint.CLOSED), ("b", Hint.OPEN)], PATIENCE.open),
        ([("new", Hint.CLOSED)], PATIENCE.open),
        ([("new", Hint.CLOSED), ("new", Hint.GONE), ("a", Hint.CLOSED)], PATIENCE.closed),
        ([("a", Hint.FOLDER), ("a", Hint.CLOSED)], PATIENCE.many),
        ([(f"{number}", Hint.CLOSED) for number in range(MANY + 1)], PATIENCE.many),
    ],
)
def test_quiet_times(hints: list[tuple[str, Hint]], quiet: float) -> None:
    made = batch(*((name, hint, 5.0) for name, hint in hints))
    assert made.rest(5.0, {"a", "b"}) == pytest.approx(quiet)
    assert made.rest(5.0 + quiet, {"a", "b"}) == pytest.approx(0)


def test_there_is_an_end_to_waiting() -> None:
    made = batch(*(("a", Hint.OPEN, 5.0 + 0.05 * count) for count in range(100)))
    assert made.rest(5.0 + PATIENCE.longest, {"a"}) == pytest.approx(0)
    known = {"a": (1, 1, 1, 1, 1)}
    assert made.doubt(5.0 + PATIENCE.longest, 9, {"a": None}, known) <= 0
    assert made.doubt(5.0 + PATIENCE.longest, 9, {"a": (2, 1, 9, 1, 1)}, known) <= 0


def test_a_batch_takes_another() -> None:
    made, newer = batch(("a", Hint.CLOSED, 5.0)), batch(("b", Hint.OPEN, 5.1), ("b", Hint.GONE, 5.2))
    made.take(newer)
    made.take(newer)
    assert (made.hints, made.first, made.last) == ({"a": Hint.CLOSED, "b": Hint.GONE}, 5.0, 5.2)
    assert newer.hints == {}


@pytest.mark.parametrize(
    ("new", "old", "seconds"),
    [
        (None, 5, PATIENCE.gone),
        (0, 5, PATIENCE.gone),
        (0, 0, 0),
        (4, 5, 0),
        (0, None, 0),
    ],
)
def test_files_that_are_gone_or_empty_are_doubted(new: int | None, old: int | None, seconds: float) -> None:
    made = batch(("a", Hint.CLOSED, 5.0))
    changes = {"a": None if new is None else (new, 2, 2, 2, 2)}
    known = {} if old is None else {"a": (old, 1, 1, 1, 1)}
    assert made.doubt(5.0, 9, changes, known) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("hint", "age", "seconds"),
    [
        (Hint.OPEN, 0.0, PATIENCE.open),
        (Hint.OPEN, PATIENCE.open / 4, PATIENCE.open * 3 / 4),
        (Hint.OPEN, PATIENCE.open, 0),
        (Hint.OPEN, 60.0, 0),
        (Hint.OPEN, -PATIENCE.open, PATIENCE.open * 2),
        (Hint.OPEN, -60.0, 0),  # another machine's clock
        (Hint.CLOSED, 0.0, 0),
        (Hint.FOLDER, 0.0, 0),
    ],
)
def test_files_that_nobody_has_closed_are_doubted(hint: Hint, age: float, seconds: float) -> None:
    made = batch(("a", hint, 5.0))
    clock = 10**18
    stamp = (1, 1, clock - int(age * 1e9), 1, 1)
    assert made.doubt(5.0, clock, {"a": stamp}, {}) == pytest.approx(seconds)


def test_differences(site: Site) -> None:
    root = str(site.root)
    known = look(root, ["devlog.toml", "content", "static", "missing"])
    assert set(known) == set(site.disk())
    site.path(POST).unlink()
    site.write("content/kernels/b.md", NEW)
    site.write("content/kernels/d.md", NEW)
    below = dict.fromkeys(["content"], True)
    changed = differences(below, known, look(root, below))
    assert {name: new is None for name, new in changed.items()} == {
        POST: True,
        "content/kernels/b.md": False,
        "content/kernels/d.md": False,
    }
    for names, expected in (({POST: False}, {POST}), ({"content/kernels/c.md": False, "other": False}, set())):
        assert set(differences(names, known, look(root, names))) == expected


def test_a_look_at_all_files_gives_way_to_hints(site: Site) -> None:
    """So that nobody who saves something waits for it; but it is not put off for ever."""
    left = look(str(site.root), ["content"], leave=lambda: True)
    assert left == {}
    watcher = Watcher(site.paths(), site._tell)
    watcher._note(POST, Hint.CLOSED)
    walks = []
    for _ in range(5):
        watcher._walk()
        walks.append(watcher.walks)
    assert walks == [0, 0, 0, 1, 1]


@pytest.mark.parametrize("kind", ["a pipe", "a name with a zero character", "a name that is too long", "a loop"])
def test_what_is_no_repository_is_not_waited_for(tmp_path: Path, kind: str) -> None:
    git = tmp_path / ".git"
    if kind == "a pipe":
        os.mkfifo(git)
    elif kind == "a loop":
        git.symlink_to(".git")
    else:
        git.write_bytes(b"gitdir: " + (b"a\0b" if "zero" in kind else b"a" * 10_000))
    answers: list[bool] = []
    thread = threading.Thread(target=lambda: answers.append(Repository(tmp_path).busy(1.0, many=True)), daemon=True)
    thread.start()
    thread.join(5)
    assert answers == [False]


@pytest.mark.parametrize("kind", ["clone", "bare", "worktree", "worktree's own"])
def test_references_in_tables_are_watched(tmp_path: Path, kind: str) -> None:
    """Git writes each change of references into a new table, and its name into a list, and changes no other file."""
    git = tmp_path / "main" / ("" if kind == "bare" else ".git")
    for folder in ("objects", "refs", "reftable", "worktrees/side/reftable"):
        (git / folder).mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/.invalid\n")
    (git / "refs/heads").write_text("this repository uses the reftable format\n")
    site = tmp_path / "main"
    if "worktree" in kind:
        site = tmp_path / "side"
        site.mkdir()
        (site / ".git").write_text(f"gitdir: {git}/worktrees/side\n")
        (git / "worktrees/side/HEAD").write_text("ref: refs/heads/.invalid\n")
        (git / "worktrees/side/commondir").write_text("../..\n")
    table = git / ("worktrees/side/reftable" if "own" in kind else "reftable") / "tables.list"
    ways = [checkout_files(site, "."), *([] if kind == "bare" else [own_files(site)])]
    before = [stats_of(files) for files in ways]
    table.write_text("0x000000000001-0x000000000002-a1b2c3d4.ref\n")
    middle = [stats_of(files) for files in ways]
    table.with_name("new").write_text("0x000000000001-0x000000000003-d4c3b2a1.ref\n")
    table.with_name("new").replace(table)
    after = [stats_of(files) for files in ways]
    for one, two, three in zip(before, middle, after, strict=True):
        assert one != two != three


@pytest.mark.parametrize("kind", ["a zero character", "a loop", "a shared folder with a zero character"])
def test_a_repository_that_leads_nowhere_does_not_end_a_preview(tmp_path: Path, kind: str) -> None:
    git = tmp_path / ".git"
    if kind == "a loop":
        (tmp_path / "one").symlink_to("two")
        (tmp_path / "two").symlink_to("one")
    if "shared" in kind:
        git.mkdir()
        (git / "commondir").write_bytes(b"a\0b\n")
    else:
        git.write_bytes(b"gitdir: " + (b"one\n" if kind == "a loop" else b"a\0b\n"))
    for files in (own_files(tmp_path), checkout_files(tmp_path, ".")):
        assert stats_of(files)


def test_a_repository_that_is_closed_counts_as_none(tmp_path: Path) -> None:
    closed, site = tmp_path / "closed", tmp_path / "site"
    (closed / "git").mkdir(parents=True)
    site.mkdir()
    (site / ".git").symlink_to(closed / "git")
    (tmp_path / ".git").mkdir()
    closed.chmod(0)
    try:
        with as_mere_owner():
            assert not Repository(site).busy(1.0, many=True)
            files = own_files(site)
            assert site / ".git/HEAD" in files  # it may be opened, or another made
            assert tmp_path / ".git/HEAD" in files  # git finds this one until then
            assert stats_of(files)
            assert stats_of(checkout_files(site, "."))
    finally:
        closed.chmod(0o700)
