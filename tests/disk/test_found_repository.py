"""Which repository git reads: the one of the `.git` that devlog has found, none that a commit has made."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from check_cases import git, repository
from disk.stand_ins import OLD, use
from sites import build_site, read_tree, write_site

from devlog.deploy.git import Repository
from devlog.disk.git import ask, state_of
from devlog.disk.git_contents import blobs_in, commit_of
from devlog.plugin import DeployError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script")


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A repository that no site shows."""
    root = write_site(tmp_path / "other", {"notes.txt": "hush\n"})
    repository(root)
    return root


def bare(other: Path, kind: str) -> dict[str, str]:
    """The files of a bare repository: one that names the objects of another, or all that git asks for."""
    if kind == "named":
        return {"HEAD": "ref: refs/heads/main\n", "commondir": f"{other}/.git\n"}
    return {"HEAD": "ref: refs/heads/main\n", "objects/.gitkeep": "", "refs/.gitkeep": "", "config": ""}


@pytest.mark.feature("source_references")
@pytest.mark.parametrize("age", ["old", "new"])
def test_a_folder_that_names_another_repository_is_no_checkout(
    age: str, other: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = 'source_repo = "https://github.com/example/lumen"\nsource_checkout = "vendor/x"\n'
    post = '---\ntitle: A\ndate: 2026-01-01\n---\n\n{{< code file="notes.txt" >}}\n'
    files = {f"vendor/x/{name}": text for name, text in bare(other, "named").items()}
    site = write_site(tmp_path / "site", {"devlog.toml": settings, "content/log/a.md": post, **files})
    repository(site)
    if age == "old":
        use(OLD, tmp_path, monkeypatch)
    assert {"broken-inclusion", "no-checkout"} <= {item.code for item in build_site(site).diagnostics}
    assert not [path for path, data in read_tree(site / "public").items() if b"hush" in data]
    assert not blobs_in(site / "vendor/x", [("HEAD", "notes.txt")])
    assert not commit_of(site / "vendor/x", "")


@pytest.mark.parametrize("age", ["old", "new"])
@pytest.mark.parametrize("kind", ["named", "whole"])
@pytest.mark.parametrize("where", ["docs/site", "docs"])
def test_files_around_the_site_are_no_repository(
    where: str, kind: str, age: str, other: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"{where}/{name}": text for name, text in bare(other, kind).items()}
    top = write_site(tmp_path / "top", {"docs/site/content/a.md": "A\n", **files})
    repository(top)
    if age == "old":
        use(OLD, tmp_path, monkeypatch)
    site = top / "docs/site"
    assert ask(site, ["rev-parse", "--git-dir"]) is None
    assert state_of(site) == "not asked"
    (problem,) = (item for item in build_site(site).diagnostics if item.code == "git-dates")
    assert "“HEAD”" in problem.hint
    assert "safe.directory" not in problem.hint
    assert state_of(top).startswith("false\n")
    (tmp_path / "scratch").mkdir()
    with pytest.raises(DeployError, match="a bare repository"):
        Repository(site, tmp_path / "scratch", files=1)
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    assert state_of(site) == ""
    assert "git-dates" not in {item.code for item in build_site(site).diagnostics}


@pytest.mark.parametrize("kind", ["worktree", "submodule", "link", "bare"])
def test_all_real_repositories_are_read(kind: str, other: Path, tmp_path: Path) -> None:
    place = tmp_path / "place"
    if kind == "worktree":
        git(other, "worktree", "add", "-q", "--detach", str(place))
    elif kind == "submodule":
        around = write_site(tmp_path / "around", {"a.txt": "a\n"})
        repository(around)
        git(around, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "module")
        place = around / "module"
        assert (place / ".git").is_file()
    elif kind == "link":
        place.mkdir()
        (place / ".git").symlink_to(other / ".git")
    else:
        git(tmp_path, "clone", "-q", "--bare", str(other), "place")
    found = blobs_in(place, [("HEAD", "notes.txt")])
    assert found
    assert not isinstance(found[0], str)
    assert found[0].size == 5
