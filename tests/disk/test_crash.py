"""Whatever happens to a build, the site is the old one or the new one, and the next build is as good as a first one."""

from __future__ import annotations

import errno
import itertools
import os
import random
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from disk_trees import tree
from forked import KILLED, NOW, REPOSITORY, Forked
from sites import build_site, write_site
from writers import STEPS

from devlog.disk.manifest import MANIFEST, load_manifest

pytestmark = pytest.mark.slow

OLD = {
    "devlog.toml": 'title = "Lumen"\nsearch.enabled = false\n[feeds]\nformats = ["rss"]\n',
    "content/core/_index.md": "---\ntitle: Core\n---\n",
    "content/core/2026-05-01-pages.md": "---\ntitle: Pages\n---\n\nThey hold rows. [Nothing](nothing.md)\n",
    "content/core/2026-05-02-rows.md": "---\ntitle: Rows\n---\n\nThey hold cells.\n",
    "static/a.txt": "a",
    "static/b/b.txt": "b",
}
NEW = {
    "devlog.toml": OLD["devlog.toml"],
    "content/kernel/_index.md": "---\ntitle: Kernel\n---\n",
    "content/kernel/2026-05-01-pages.md": "---\ntitle: Pages\n---\n\nThey hold many rows. [Nothing](nothing.md)\n",
    "content/kernel/2026-05-03-cells.md": "---\ntitle: Cells\n---\n\nThey hold bytes.\n",
    "static/a.txt": "another a",
    "static/c/c.txt": "c",
}
"""A topic has another name; in it one post is edited, one is gone and one is new; so it is with static files."""

RUBBISH = {"cache.db-journal", "cache.db-wal", "cache.db-shm"}  # SQLite's own, after a kill


def sources(site: Path, files: dict[str, str]) -> None:
    for folder in ("content", "static"):
        shutil.rmtree(site / folder, ignore_errors=True)
    write_site(site, files)


def add_foreign(public: Path) -> None:
    """What somebody else has put into the output folder."""
    (public / "CNAME").write_text("lumen.example.org")
    (public / "core" / "mine.txt").write_text("mine")
    (public / "mine" / "empty").mkdir(parents=True)
    (public / "mine" / "deep" / "er").mkdir(parents=True)
    (public / "mine" / "deep" / "er" / "x").write_text("x")
    (public / "mine" / "deep").chmod(0o750)
    (public / "link").symlink_to("/etc")
    (public / "mine" / "gone").symlink_to("nowhere")


FOREIGN = {"CNAME", "core/mine.txt", "mine/empty/", "mine/deep/er/x", "link", "mine/gone"}


def ours(site: Path) -> dict[str, bytes]:
    return {path: data for path, data in tree(site / "public").items() if path not in FOREIGN}


def copy(source: Path, target: Path) -> None:
    """Copy with times and with hard links, so that the copy is as good as the original."""
    shutil.rmtree(target, ignore_errors=True)
    subprocess.run(["cp", "-a", str(source), str(target)], check=True)


class Before:
    """A site that was built, then edited; and what must come of it."""

    def __init__(self, folder: Path, name: str) -> None:
        self.site = folder / "before"
        clean = write_site(folder / "clean", NEW)
        self.report = build_site(clean)
        self.new = tree(clean / "public")
        self.old: dict[str, bytes] = {}
        self.old_report = self.report
        self.site.mkdir()
        if name != "first build":
            sources(self.site, NEW)
            build_site(self.site)
            sources(self.site, OLD)
            self.old_report = build_site(self.site)
            add_foreign(self.site / "public")
            self.old = tree(self.site / "public")
            assert set(self.old) > FOREIGN
            self.new = {**self.new, **{path: self.old[path] for path in FOREIGN}}
        if name == "without spare":
            shutil.rmtree(self.site / ".devlog" / "spare")
        if name == "spoiled spare":
            self._spoil(self.site / ".devlog" / "spare")
        sources(self.site, NEW)

    def _spoil(self, spare: Path) -> None:
        """Files that are not what they seem, and kinds in each other's place."""
        shutil.rmtree(spare / "kernel")
        (spare / "core").symlink_to(self.site / "content")
        (spare / "index.html").unlink()
        (spare / "index.html").mkdir()
        (spare / "index.html" / "x").write_text("x")
        (spare / MANIFEST).unlink()
        (spare / MANIFEST).mkdir()
        shutil.copy(spare / "404.html", spare / "another")
        (spare / "another").replace(spare / "404.html")
        (spare / "404.html").write_text("spoiled")
        (spare / "more" / "folders").mkdir(parents=True)


def check_next_build(site: Path, before: Before, *, back: bool = False) -> None:
    """Build, or go back to the old sources and build, and see that no build of before shows."""
    if back:
        sources(site, OLD)
    report = build_site(site)
    wanted = before.old if back else before.new
    assert tree(site / "public") == wanted
    assert report.diagnostics == (before.old_report if back else before.report).diagnostics
    manifest, found = load_manifest(site, "public")
    assert not found
    assert not manifest.pending
    assert manifest.entries.keys() == wanted.keys() - FOREIGN
    assert {path.name for path in site.iterdir()} == {"devlog.toml", "content", "static", "public", ".devlog"}
    assert {path.name for path in (site / ".devlog").iterdir()} - RUBBISH <= {"cache.db", "lock", "spare"}
    if before.old:
        assert stat.S_IMODE((site / "public" / "mine" / "deep").stat().st_mode) == 0o750


@pytest.fixture(scope="module")
def forked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forked]:
    folder = tmp_path_factory.mktemp("forked")
    with Forked(folder / "site", write_site(folder / "warm", NEW)) as process:
        yield process


EVERY = 3 if STEPS < 5000 else 1
"""Of the calls at which a build can end, a third is tried. In CI this is another one each time, and once a week all of
them are tried; where nothing is said of steps, it is always the same one.
"""


def calls() -> Iterator[int]:
    """The numbers of the calls of a build at which it ends, up to more than it makes."""
    return iter(range(random.randint(1, EVERY) if STEPS else 1, 1000, EVERY))


@pytest.mark.parametrize("name", ["first build", "edit", "without spare", "spoiled spare"])
def test_a_kill_leaves_the_old_site_or_the_new_one(tmp_path: Path, forked: Forked, name: str) -> None:
    before = Before(tmp_path, name)
    site = forked.view
    seen = []
    for number in calls():
        copy(before.site, site)
        code, said = forked.build(at=number)
        assert code in {0, KILLED}, said
        found = tree(site / "public") if (site / "public").exists() else {}
        seen.append(found == before.new)
        assert found in (before.old, before.new), number
        assert (site / "public").exists() or not before.old
        check_next_build(site, before, back=bool(before.old) and number % 2 == 0)
        if code == 0:
            break
    assert len(seen) > 60 // EVERY
    assert seen == sorted(seen)  # first the old one, and from one call on the new one
    assert seen.count(False) > 50 // EVERY
    assert seen.count(True) > (EVERY == 1)


def test_a_kill_in_place_leaves_whole_files(tmp_path: Path, forked: Forked) -> None:
    before = Before(tmp_path, "edit")
    site = forked.view
    mixed = 0
    for number in calls():
        copy(before.site, site)
        code, said = forked.build(at=number, in_place=True)
        assert code in {0, KILLED}, said
        found = {path: data for path, data in tree(site / "public").items() if not path.startswith(".devlog-stage")}
        for path, data in found.items():
            assert path.endswith("/") or data in {before.old.get(path), before.new.get(path)}, (number, path)
        assert {path: data for path, data in found.items() if path in FOREIGN} == {
            path: data for path, data in before.old.items() if path in FOREIGN
        }
        mixed += found not in (before.old, before.new)
        check_next_build(site, before, back=bool(before.old) and number % 2 == 0)
        if code == 0:
            break
    assert mixed > 5 // EVERY


@pytest.mark.parametrize("output", ["public", "../elsewhere/www"])
def test_what_is_written_into_the_output_after_a_kill_is_not_lost(tmp_path: Path, forked: Forked, output: str) -> None:
    """A program has the output folder open, which may be the former one then."""
    before = Before(tmp_path, "edit")
    site = forked.view
    public = site / output
    beside = public.with_name(f".{public.name}.devlog")
    written = 0
    for number in calls():
        copy(before.site, site)
        if output != "public":
            shutil.rmtree(public.parent, ignore_errors=True)
            public.parent.mkdir()
            sources(site, OLD)
            assert forked.build("--output", output)[0] == 0
            sources(site, NEW)
            add_foreign(public)
        folder = os.open(public, os.O_RDONLY)
        code, said = forked.build("--output", output, at=number)
        assert code in {0, KILLED}, said
        time.sleep(0.01)  # the clock of file systems is slower than the test
        late = set()
        for path in ("late", "core/late.txt", "mine/deep/late.txt"):
            with suppress(FileNotFoundError):  # it was removed, which the program is told
                os.close(os.open(path, os.O_CREAT | os.O_WRONLY, dir_fd=folder))
                late.add(path)
        os.close(folder)
        written += bool(late)
        assert forked.build("--output", output)[0] == 0
        sources(site, OLD)
        assert forked.build("--output", output)[0] == 0
        places = [public, *(site / ".devlog" / "kept").glob("*"), *(beside / "kept").glob("*")]
        found = {path for place in places for path in tree(place)}
        assert found >= late | FOREIGN, number
        assert not (beside / "spare").exists()
        if code == 0:
            break
    assert written > 50 // EVERY


def one_error(said: str) -> str:
    """The only line that tells of an error; nothing else may stand there but warnings of the site, and of its cache."""
    assert "Traceback" not in said
    (line,) = [line for line in said.splitlines() if "error" in line and "[unusable-cache]" not in line]
    return line


@pytest.mark.parametrize("number", [errno.EDQUOT, errno.ENOSPC, errno.EROFS], ids=["quota", "full", "read-only"])
def test_a_refusal_leaves_the_old_site(tmp_path: Path, forked: Forked, number: int) -> None:
    before = Before(tmp_path, "without spare" if number == errno.EDQUOT else "edit")
    words = {
        errno.EDQUOT: "your disk quota is used up",
        errno.ENOSPC: "the disk is full",
        errno.EROFS: "the file system is read-only",
    }
    site = forked.view
    refused = 0
    for at in calls():
        copy(before.site, site)
        code, said = forked.build(at=at, refusal=number)
        if code == 0:
            break
        assert code == 1, said
        assert one_error(said).endswith(f" error[cannot-write]: cannot be written: {words[number]}")
        assert tree(site / "public") == before.old, at
        refused += 1
    assert refused > 40 // EVERY
    check_next_build(site, before)


# -- real devices -----------------------------------------------------------------------------------------


def mounted(site: Path, warm: Path, *commands: str) -> Forked:
    """Builds in a process with mounts of its own."""
    unshare = shutil.which("unshare")
    if not unshare or subprocess.run([unshare, "-m", "true"], check=False, capture_output=True).returncode:
        pytest.skip("no mount of our own can be made here")
    script = "set -e\n" + "\n".join(commands) + '\nexec "$@"'
    return Forked(site, warm, (unshare, "-m", "sh", "-c", script, "sh"))


@pytest.mark.parametrize("lack", ["blocks", "inodes"])
def test_a_full_device_leaves_the_old_site(tmp_path: Path, lack: str) -> None:
    warm = write_site(tmp_path / "warm", NEW)
    device = tmp_path / "device"
    device.mkdir()
    mount = f"mount -t tmpfs -o size=8m,nr_inodes=500 none {device}"
    with mounted(device / "site", warm, mount) as process:
        site = process.view
        write_site(site, OLD)
        assert process.build()[0] == 0
        sources(site, {**OLD, **NEW})
        assert process.build()[0] == 0
        add_foreign(site / "public")
        old = tree(site / "public")
        text = "---\ntitle: More\n---\n\n" + "word " * 999
        more = {f"content/core/2026-04-{day:02}-more.md": text for day in range(1, 9)}
        sources(site, {**NEW, **more})
        _fill(site.parent, lack)
        failed = 0
        for _ in range(400):
            code, said = process.build()
            if code == 0:
                break
            assert code == 1, said
            assert one_error(said).endswith(" error[cannot-write]: cannot be written: the disk is full")
            assert tree(site / "public") == old
            failed += 1
            _give(site.parent, lack)
        assert failed > 30 // EVERY
        assert code == 0
        for file in site.parent.glob("filler*"):
            file.unlink()
        assert process.build()[0] == 0
        clean = write_site(tmp_path / "clean", {**NEW, **more})
        build_site(clean)
        assert ours(site) == tree(clean / "public")
        assert {path: old[path] for path in FOREIGN}.items() <= tree(site / "public").items()


def _fill(device: Path, lack: str) -> None:
    """Leave nothing."""
    if lack == "blocks":
        with (device / "filler").open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(4096))
    else:
        with suppress(OSError):
            for number in itertools.count():
                (device / f"filler-{number}").touch()


def _give(device: Path, lack: str) -> None:
    """Give back a little."""
    if lack == "blocks":
        os.truncate(device / "filler", (device / "filler").stat().st_size - EVERY * 4096)
    else:
        for file in list(itertools.islice(device.glob("filler-*"), EVERY)):
            file.unlink()


@pytest.mark.parametrize(
    "command",
    [
        "mount --bind {site}/public {site}/public; mount -o remount,bind,ro {site}/public",
        "mount --bind {site} {site}; mount -o remount,bind,ro {site}",
    ],
    ids=["output", "site"],
)
def test_a_read_only_file_system_leaves_the_old_site(tmp_path: Path, command: str) -> None:
    before = Before(tmp_path, "edit")
    warm = write_site(tmp_path / "warm", NEW)
    with mounted(before.site, warm, command.format(site=before.site)) as process:
        code, said = process.build()
    assert code == 1, said
    assert one_error(said).endswith(" error[cannot-write]: cannot be written: the file system is read-only")
    assert tree(before.site / "public") == before.old
    check_next_build(before.site, before)


def test_a_mount_in_the_output_stays(tmp_path: Path) -> None:
    """It would not come along with its folder, so files are published one by one."""
    (tmp_path / "a b").mkdir()
    before = Before(tmp_path / "a b", "edit")
    place = before.site / "public" / "mounted"
    place.mkdir()
    folder = (before.site / "public").stat().st_ino
    warm = write_site(tmp_path / "warm", NEW)
    with mounted(before.site, warm, f"mount -t tmpfs none '{place}'") as process:
        code, said = process.build()
        assert code == 0, said
        public = process.view / "public"
        assert tree(public) == {**before.new, "mounted/": b""}
        assert (public / "mounted").stat().st_dev != public.stat().st_dev
    assert (before.site / "public").stat().st_ino == folder
    assert tree(before.site / "public") == {**before.new, "mounted/": b""}


def test_an_output_that_may_not_be_written_stays(tmp_path: Path) -> None:
    before = Before(tmp_path, "edit")
    warm = write_site(tmp_path / "warm", NEW)
    folders = [before.site / "public", *(path for path in (before.site / "public").rglob("*") if path.is_dir())]
    folders = [path for path in folders if not path.is_symlink()]
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in folders}
    for path in folders:
        path.chmod(0o555)
    before.site.chmod(0o555)
    prefix: tuple[str, ...] = ()
    if os.geteuid() == 0:  # who may do everything, except after giving that up
        setpriv = shutil.which("setpriv")
        assert setpriv
        prefix = (setpriv, "--bounding-set", "-dac_override,-dac_read_search", "--inh-caps=-all")
    with Forked(before.site, warm, prefix) as process:
        code, said = process.build()
    assert code == 1, said
    assert one_error(said).endswith(" error[cannot-write]: cannot be written: permission denied")
    assert tree(before.site / "public") == before.old
    before.site.chmod(0o755)
    for path, mode in modes.items():
        path.chmod(mode)
    check_next_build(before.site, before)


# -- many at once ----------------------------------------------------------------------------------------


def test_eight_builds_at_once(tmp_path: Path) -> None:
    before = Before(tmp_path, "edit")
    command = [sys.executable, "-m", "devlog", "build", "--root", str(before.site), "--now", NOW, "--jobs", "1"]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONDONTWRITEBYTECODE": "1"}
    builds = [
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment)
        for _ in range(8)
    ]
    codes = []
    for process in builds:
        _, said = process.communicate(timeout=120)
        codes.append(process.returncode)
        if process.returncode:
            assert process.returncode == 1
            assert "another build of this site is running (process " in one_error(said)
    assert 0 in codes
    check_next_build(before.site, before)
