"""A dry run fails if the real one certainly would."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from check_cases import git
from deploy.deployed_site import BRANCH, FOLDER, POST, SITE, built, outputs, published, tree_of, with_remote
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


# -- branches ------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("is_local", [False, True])
@pytest.mark.parametrize(
    ("there", "new"), [("pages", "pages/log"), ("team", "team/pages/log"), ("pages/log/old", "pages")]
)
def test_a_branch_that_is_named_like_a_folder_of_another(there: str, new: str, is_local: bool, tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path, f'{BRANCH}branch = "{new}"\n' + 'remote = ""\n' * is_local)
    place = root if is_local else remote
    git(place, "update-ref", f"refs/heads/{there}", git(place, "rev-parse", "main").strip())
    before = git(place, "for-each-ref")
    problem = foreseen(root)
    where = "the repository" if is_local else "the remote"
    reason = f"{where} has a branch “{there}”, and git makes no branch “{new}” beside it"
    assert problem.message == f"deployment “pages” failed: {reason}"
    assert published(root)[1] == [problem]
    assert git(place, "for-each-ref") == before


@pytest.mark.slow
@pytest.mark.parametrize("is_local", [False, True])
def test_branches_with_similar_names_are_not_in_the_way(is_local: bool, tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path, f'{BRANCH}branch = "team/log"\n' + 'remote = ""\n' * is_local)
    place = root if is_local else remote
    tip = git(place, "rev-parse", "main").strip()
    for name in ("heads/team/log-old", "heads/team/lo", "heads/log", "heads/refs/heads/team/log/x", "tags/team/log/x"):
        git(place, "update-ref", f"refs/{name}", tip)
    for dry_run in (True, False):
        assert not published(root, dry_run=dry_run)[1]
    assert tree_of(place, "team/log") == {**outputs(root / "public"), ".nojekyll": b""}


@pytest.mark.slow
def test_a_branch_in_the_way_at_one_of_several_places(tmp_path: Path) -> None:
    root, _ = with_remote(tmp_path, f'{BRANCH}branch = "pages/log"\n')
    places = [tmp_path / f"{name}.git" for name in ("one", "two", "three")]
    for place in places:
        subprocess.run(["git", "init", "-q", "--bare", place], check=True)
        git(root, "config", "--add", "remote.origin.pushurl", str(place))
    one, two, three = places
    git(root, "push", "-q", str(two), "main:pages")
    problem = foreseen(root)
    assert problem.message.startswith(f"deployment “pages” failed: “{two}”: the remote has a branch “pages”, ")
    for place in (one, three):  # as with any other refusal
        assert tree_of(place, "pages/log") == {**outputs(root / "public"), ".nojekyll": b""}


@pytest.mark.slow
def test_a_commit_that_git_does_not_make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, _ = with_remote(tmp_path)
    monkeypatch.setenv("GIT_COMMITTER_DATE", "soon")
    assert foreseen(root).message.endswith("git commit-tree says: fatal: invalid date format: soon")


@pytest.mark.slow
@pytest.mark.parametrize("is_local", [False, True])
def test_a_repository_that_may_not_be_written(is_local: bool, tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path, BRANCH + 'remote = ""\n' * is_local)
    assert not published(root)[1]
    place = root / ".git" if is_local else remote
    folders = [path for path in (place / "objects", *(place / "objects").rglob("*")) if path.is_dir()]
    for folder in folders:
        folder.chmod(0o555)
    with as_mere_owner():
        for dry_run in (True, False):
            lines, found = published(root, dry_run=dry_run)
            assert not found
            assert lines[0].startswith("No changes: ")
        edit(root, "More")
        assert foreseen(root).message.endswith(f"failed: the folder “{place / 'objects'}” is read-only")
    for folder in folders:
        folder.chmod(0o755)
    for dry_run in (True, False):
        assert not published(root, dry_run=dry_run)[1]


@pytest.mark.slow
@pytest.mark.parametrize("is_local", [False, True])
def test_branches_that_may_not_be_written(is_local: bool, tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path, f'{BRANCH}branch = "team/log"\n' + 'remote = ""\n' * is_local)
    heads = (root / ".git" if is_local else remote) / "refs/heads"
    heads.chmod(0o555)
    with as_mere_owner():
        assert foreseen(root).message.endswith(f"failed: the folder “{heads}” is read-only")
    heads.chmod(0o755)
    (heads / "team").mkdir()
    heads.chmod(0o555)
    with as_mere_owner():
        for dry_run in (True, False):
            assert not published(root, dry_run=dry_run)[1]
    heads.chmod(0o755)


def _checked_out(tmp_path: Path, branch: str = "gh-pages") -> tuple[Path, Path]:
    """A built site, and its remote, in which a branch is checked out."""
    root, _ = with_remote(tmp_path)
    place = tmp_path / "place"
    subprocess.run(["git", "init", "-q", "-b", branch, place], check=True)
    git(root, "remote", "set-url", "origin", place.as_uri())
    return root, place


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["", "refuse", "True", "1"])
def test_a_branch_that_is_checked_out_at_the_remote(setting: str, tmp_path: Path) -> None:
    root, place = _checked_out(tmp_path)
    if setting:
        git(place, "config", "receive.denyCurrentBranch", setting)
    reason = "the branch “gh-pages” is checked out in the remote, which thus refuses it"
    assert foreseen(root).message == f"deployment “pages” failed: {reason}"
    assert not git(place, "for-each-ref")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("receive.denyCurrentBranch", "ignore"),
        ("receive.denyCurrentBranch", "updateInstead"),
        ("receive.denyCurrentBranch", "false"),
        ("receive.denyNonFastForwards", "true"),
        ("core.bare", "true"),
    ],
)
def test_a_remote_with_a_work_tree_that_takes_the_branch(key: str, value: str, tmp_path: Path) -> None:
    root, place = _checked_out(tmp_path, "other" if key == "receive.denyNonFastForwards" else "gh-pages")
    git(place, "config", key, value)
    for dry_run in (True, False):
        assert not published(root, dry_run=dry_run)[1]
    assert tree_of(place) == {**outputs(root / "public"), ".nojekyll": b""}


@pytest.mark.slow
def test_a_branch_that_is_checked_out_but_has_the_site(tmp_path: Path) -> None:
    root, place = _checked_out(tmp_path)
    git(place, "config", "receive.denyCurrentBranch", "ignore")
    assert not published(root)[1]
    git(place, "config", "receive.denyCurrentBranch", "refuse")
    for dry_run in (True, False):
        lines, found = published(root, dry_run=dry_run)
        assert not found
        assert lines[0].startswith("No changes: ")
