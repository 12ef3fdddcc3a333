"""Several users build one site, and share its cache or are told why they do not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from lumen import lumen, post
from sites import NOW, write_site

REPOSITORY = Path(__file__).parent.parent.parent
GROUP, FIRST, SECOND = 23456, 23457, 23458

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0 or not shutil.which("setpriv"), reason="only root can become others"
)


def command_as(user: int, *arguments: str) -> list[str]:
    """Python as a user who may read everything, such as this Python, but write only what modes of files allow."""
    rights = "-all,+dac_read_search"
    setpriv = ["setpriv", f"--reuid={user}", f"--regid={GROUP}", "--clear-groups", f"--bounding-set={rights}"]
    return [*setpriv, f"--inh-caps={rights}", f"--ambient-caps={rights}", sys.executable, *arguments]


def build_as(user: int, root: Path) -> str:
    build = ["-m", "devlog", "build", "--root", str(root), "--now", NOW.isoformat(), "--jobs", "1", "--format", "json"]
    done = subprocess.run(
        command_as(user, *build),
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        umask=0o002,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


OPEN = """
import sys
from pathlib import Path
from devlog.engine.store import Store
store = Store(Path(sys.argv[1]))
assert store.has(["a"]) == set() and store.failure is None
print("open", flush=True)
sys.stdin.read()
"""


@contextmanager
def open_by(user: int, root: Path) -> Iterator[None]:
    """A process of a user that has the cache open, as a preview has."""
    process = subprocess.Popen(
        command_as(user, "-c", OPEN, str(root / ".devlog/cache.db")),
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        umask=0o002,
    )
    with process:
        assert process.stdout
        assert process.stdout.readline() == "open\n"
        yield


@pytest.fixture
def root() -> Iterator[Path]:
    """A site that a group shares: what is made in it gets the group, and those who share it let the group write."""
    with TemporaryDirectory() as folder:  # the folders of pytest are closed to others
        Path(folder).chmod(0o755)
        root = write_site(Path(folder) / "site", {**lumen(), "content/storage/a.md": post("A", "2026-05-20")})
        for path in (root, *root.rglob("*")):
            os.chown(path, FIRST, GROUP)
            path.chmod(0o2775 if path.is_dir() else 0o664)
        yield root


def edit(root: Path) -> None:
    (root / "content/storage/a.md").write_text(post("A", "2026-05-20", body="Edited."), "utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("is_open", [False, True])
def test_users_of_a_group_share_the_cache(root: Path, *, is_open: bool) -> None:
    build_as(FIRST, root)
    assert (root / ".devlog/cache.db").stat().st_mode & 0o777 == 0o664
    edit(root)
    with open_by(FIRST, root) if is_open else nullcontext():
        said = build_as(SECOND, root)
    assert "unusable-cache" not in said
    assert '"parsed": 1,' in said


@pytest.mark.slow
@pytest.mark.parametrize("is_open", [False, True])
def test_a_cache_of_another_user_is_reported(root: Path, *, is_open: bool) -> None:
    """As one of an earlier version, which let nobody but its owner write it."""
    build_as(FIRST, root)
    database = root / ".devlog/cache.db"
    database.chmod(0o644)
    edit(root)
    with open_by(FIRST, root) if is_open else nullcontext():
        before = database.stat()
        for _ in range(2):
            said = build_as(SECOND, root)
            assert said.count("unusable-cache") == 1
            assert "this user may only read it" in said
        assert os.path.samestat(before, database.stat())
    database.unlink()  # as the hint says
    assert "unusable-cache" not in build_as(SECOND, root)
