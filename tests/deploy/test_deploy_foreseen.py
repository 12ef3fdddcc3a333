"""A dry run fails if the real one certainly would."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from deploy.deployed_site import FOLDER, POST, SITE, built, outputs, published
from disk.capabilities import as_mere_owner
from sites import build_site, read_tree

from devlog.model.diagnostic import Diagnostic

REPOSITORY = Path(__file__).parents[2]


def edit(root: Path, text: str) -> None:
    """Build the site with another text."""
    (root / POST).write_text(SITE[POST].replace("Text", text), "utf-8")
    assert not build_site(root).failed


def foreseen(root: Path) -> Diagnostic:
    """The only thing that a dry run says, if the real one fails too."""
    lines, (problem,) = published(root, dry_run=True)
    assert not lines
    done, (real, *_) = published(root)
    assert not done
    assert problem.severity == real.severity == "error"
    return problem


# -- folders -------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("path", ["file/out", "file/deep/out", "broken/out"])
def test_a_folder_inside_something_else(path: str, tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path=f"../{path}"))
    (tmp_path / "file").write_text("mine", "utf-8")
    (tmp_path / "broken").symlink_to(tmp_path / "gone")
    name = path.partition("/")[0]
    reason = f"“../{path}” is inside “{name}”, which is not a folder"
    problem = foreseen(root)
    assert problem.message == f"deployment “here” failed: {reason}"
    assert published(root)[1] == [problem]
    assert (root / "devlog.toml").read_text("utf-8").splitlines()[problem.span.line - 1].startswith("path = ")


@pytest.mark.slow
@pytest.mark.parametrize("path", ["www", "www/out", "www/a/b"])
def test_a_new_folder_that_may_not_be_written(path: str, tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path=f"../{path}"))
    (tmp_path / "www").mkdir(mode=0o555)
    with as_mere_owner():
        problem = foreseen(root)
    reason = "is read-only" if path == "www" else "is inside “www”, which is read-only"
    assert problem.message == f"deployment “here” failed: “../{path}” {reason}"
    assert not [*(tmp_path / "www").iterdir()]


@pytest.mark.slow
def test_a_site_that_may_not_be_written_anymore(tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path="../out"))
    published(root)
    before = read_tree(tmp_path / "out")
    (tmp_path / "out").chmod(0o555)
    with as_mere_owner():
        for dry_run in (True, False):  # nothing is to be written
            lines, found = published(root, dry_run=dry_run)
            assert not found
            assert ": 0 written, " in lines[-1]
        edit(root, "More")
        assert foreseen(root).message == "deployment “here” failed: “../out” is read-only"
        edit(root, "Text")
        (root / POST).unlink()
        build_site(root)
        assert foreseen(root).message == "deployment “here” failed: “../out” is read-only"
    assert read_tree(tmp_path / "out") == before
    (tmp_path / "out").chmod(0o755)
    assert not published(root)[1]
    assert outputs(tmp_path / "out") == outputs(root / "public")


@pytest.mark.slow
def test_a_site_of_which_only_the_folder_above_may_not_be_written(tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path="../www/out"))
    published(root)
    edit(root, "More")
    (tmp_path / "www").chmod(0o555)
    with as_mere_owner():
        for dry_run in (True, False):
            assert not published(root, dry_run=dry_run)[1]
    assert outputs(tmp_path / "www/out") == outputs(root / "public")


@pytest.mark.slow
@pytest.mark.parametrize("path", ["disk", "disk/out"])
def test_a_folder_of_a_read_only_file_system(path: str, tmp_path: Path) -> None:
    unshare = shutil.which("unshare")
    if not unshare or subprocess.run([unshare, "-m", "true"], check=False, capture_output=True).returncode:
        pytest.skip("no mount of our own can be made here")
    root = built(tmp_path / "site", FOLDER.format(path=f"../{path}"))
    (tmp_path / "disk").mkdir()
    mount = 'mount -t tmpfs -o ro none "$1" && shift && exec "$@"'
    command = [unshare, "-m", "sh", "-c", mount, "sh", str(tmp_path / "disk"), sys.executable, "-m", "devlog", "deploy"]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    for options in (["--dry-run"], []):
        done = subprocess.run(
            [*command, "--root", str(root), *options], check=False, capture_output=True, text=True, env=environment
        )
        assert done.returncode == 1
        assert "read-only" in done.stdout + done.stderr
