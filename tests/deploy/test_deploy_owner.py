"""A site is published only to where nothing of another site is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from check_cases import git
from deploy.deployed_site import BRANCH, FOLDER, POST, SITE, built, outputs, published, with_remote, wrong
from disk.stand_ins import OF_ANOTHER, use
from sites import build_site, read_tree, write_site

from devlog.disk.manifest import MANIFEST


def two_sites(tmp_path: Path, settings: str, first: str = "", second: str = "") -> tuple[Path, Path]:
    """Two built sites, the second of another title and with a post of its own."""
    one = built(tmp_path / "one", settings)
    two = tmp_path / "two"
    config = SITE["devlog.toml"].replace("Lumen", "Prism") + settings
    write_site(two, {**SITE, "devlog.toml": second + config, "content/storage/2026-05-02-b.md": SITE[POST]})
    if first:
        (one / "devlog.toml").write_text(first + SITE["devlog.toml"] + settings, "utf-8")
    for root in (one, two):
        assert not build_site(root).failed
    return one, two


@pytest.mark.slow
def test_a_folder_of_another_site_is_refused(tmp_path: Path) -> None:
    one, two = two_sites(tmp_path, FOLDER.format(path="../out"))
    published(one)
    before = read_tree(tmp_path / "out")
    assert wrong(two) == "deployment “here” failed: “../out” contains another site, “The Lumen log”"
    assert wrong(two)
    assert read_tree(tmp_path / "out") == before
    (one / POST).unlink()
    build_site(one)
    _, found = published(one)
    assert not found


@pytest.mark.slow
def test_the_output_of_another_site_is_no_folder_to_publish_into(tmp_path: Path) -> None:
    one, two = two_sites(tmp_path, FOLDER.format(path="../two/public"))
    before = read_tree(two)
    assert wrong(one) == "deployment “here” failed: “../two/public” contains another site, “The Prism log”"
    assert read_tree(two) == before


@pytest.mark.slow
def test_a_site_publishes_from_another_checkout(tmp_path: Path) -> None:
    url = 'base_url = "https://log.lumen.dev/"\n'
    one, two = two_sites(tmp_path, FOLDER.format(path="../out"), url, url)
    published(one)
    _, found = published(two)
    assert not found
    assert outputs(tmp_path / "out") == outputs(two / "public")


@pytest.mark.slow
def test_sites_of_one_machine_are_not_one_site(tmp_path: Path) -> None:
    for number, url in enumerate(
        ("http://localhost:8000/", "http://127.0.0.1/", "https://log.lumen.example/", "/log/")
    ):
        one, two = two_sites(
            tmp_path / str(number), FOLDER.format(path="../out"), f'base_url = "{url}"\n', f'base_url = "{url}"\n'
        )
        published(one)
        assert "contains another site, “The Lumen log”" in published(two)[1][-1].message


@pytest.mark.slow
def test_a_site_with_another_title_and_url_is_the_same_in_its_place(tmp_path: Path) -> None:
    root = built(tmp_path / "site", FOLDER.format(path="../out"))
    published(root)
    settings = 'base_url = "https://log.prism.dev/"\n' + SITE["devlog.toml"].replace("Lumen", "Prism")
    (root / "devlog.toml").write_text(settings + FOLDER.format(path="../out"), "utf-8")
    (tmp_path / "elsewhere").mkdir()
    for name in ("site", "out"):
        (tmp_path / name).rename(tmp_path / "elsewhere" / name)
    root = tmp_path / "elsewhere" / "site"
    assert not build_site(root).failed
    _, found = published(root)
    assert not found


def test_what_is_published_does_not_say_where_the_site_lies(tmp_path: Path) -> None:
    root = built(tmp_path / "secret-place", FOLDER.format(path="../out"))
    published(root)
    assert b"secret-place" not in (tmp_path / "out" / MANIFEST).read_bytes()


@pytest.mark.slow
def test_a_branch_of_another_site_of_the_repository_is_refused(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path, below="docs/one")
    other = built(tmp_path / "clone" / "docs/two", BRANCH)
    git(root, "add", ":/")
    git(root, "commit", "-q", "-m", "Two")
    published(root)
    before = git(remote, "rev-parse", "gh-pages")
    assert wrong(other).endswith("the branch “gh-pages” contains another site, that of “docs/one/”")
    assert git(remote, "rev-parse", "gh-pages") == before
    git(root, "rm", "-q", "-r", "--cached", ".")
    git(root, "commit", "-q", "-m", "The first one is gone")
    _, found = published(other)
    assert not found


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="names of folders have no such characters there")
@pytest.mark.parametrize(
    ("one", "two", "setting"),
    [
        (" a", " b", ""),
        ("\u3000a", "\u3000b", ""),
        ("ünï", "ä", "ISO-8859-1"),
        ("a", "b", "UTF-16"),
        ("\udce4", "\udcf6", ""),
    ],
    ids=["blank before", "wide blank before", "Latin-1", "UTF-16", "no text"],
)
def test_folders_are_told_apart_by_their_exact_names(
    one: str, two: str, setting: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    if setting:
        (home / ".gitconfig").write_text(f"[i18n]\nlogOutputEncoding = {setting}\n", "utf-8")
    root, remote = with_remote(tmp_path, below=one)
    other = built(tmp_path / "clone" / two, BRANCH)
    git(root, "add", ":/")
    git(root, "commit", "-q", "-m", "Two")
    published(root)
    before = git(remote, "rev-parse", "gh-pages")
    assert "contains another site, that of " in wrong(other)
    assert git(remote, "rev-parse", "gh-pages") == before
    assert not published(root)[1]


@pytest.mark.slow
def test_a_site_that_was_published_before_its_first_commit_keeps_its_branch(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "pages.git"], check=True)
    settings = BRANCH + 'remote = "{}"\n'.format(tmp_path / "pages.git")
    roots = []
    for name in ("lumen", "prism"):
        root = built(tmp_path / name, settings)
        config = f'base_url = "https://log.{name}.dev/"\n' + (root / "devlog.toml").read_text("utf-8")
        (root / "devlog.toml").write_text(config, "utf-8")
        build_site(root)
        subprocess.run(["git", "init", "-q", root], check=True)
        roots.append(root)
    published(roots[0])
    assert wrong(roots[1]).endswith("the branch “gh-pages” contains another site, “https://log.lumen.dev”")
    assert not published(roots[0])[1]


@pytest.mark.slow
@pytest.mark.parametrize("dry_run", [True, False])
def test_a_site_that_nothing_tells_apart_is_not_published(dry_run: bool, tmp_path: Path) -> None:
    """Any other site would replace it: the commit on the branch would not say whose it is."""
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "pages.git"], check=True)
    root = built(tmp_path / "site", BRANCH + 'remote = "../pages.git"\n')
    git(root, "init", "-q")
    lines, (problem,) = published(root, dry_run=dry_run)
    assert not lines
    assert "nothing tells this site apart from others: it has no “base_url”" in problem.message
    assert problem.hint == "commit the sources of the site, or set “base_url”"
    assert not git(tmp_path / "pages.git", "for-each-ref")


@pytest.mark.slow
def test_a_site_without_a_url_does_not_replace_one_that_was_published_before_its_first_commit(tmp_path: Path) -> None:
    root, remote = with_remote(tmp_path)
    other = built(tmp_path / "other", BRANCH + 'remote = "../remote.git"\n')
    config = f'base_url = "https://log.prism.dev/"\n{(other / "devlog.toml").read_text("utf-8")}'
    (other / "devlog.toml").write_text(config, "utf-8")
    build_site(other)
    git(other, "init", "-q")
    assert not published(other)[1]
    before = git(remote, "rev-parse", "gh-pages")
    assert wrong(root).endswith("the branch “gh-pages” contains another site, “https://log.prism.dev”")
    assert git(remote, "rev-parse", "gh-pages") == before


@pytest.mark.slow
def test_a_branch_of_another_repositorys_site_is_refused(tmp_path: Path) -> None:
    settings = 'remote = "{}"\n'.format(tmp_path / "pages.git")
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "pages.git"], check=True)
    for number, url in enumerate(("https://log.lumen.dev", "https://log.prism.dev")):
        (tmp_path / str(number)).mkdir()
        root, _ = with_remote(tmp_path / str(number), BRANCH + settings)
        config = f'base_url = "{url}/"\n' + (root / "devlog.toml").read_text("utf-8")
        (root / "devlog.toml").write_text(config, "utf-8")
        build_site(root)
        git(root, "commit", "-q", "-a", "-m", f"At {url}")
        if number == 0:
            published(root)
    before = git(tmp_path / "pages.git", "rev-parse", "gh-pages")
    assert wrong(root).endswith("the branch “gh-pages” contains another site, “https://log.lumen.dev”")
    assert git(tmp_path / "pages.git", "rev-parse", "gh-pages") == before
    root = tmp_path / "0" / "clone"
    config = (root / "devlog.toml").read_text("utf-8").replace("log.lumen.dev", "lumen.dev")
    (root / "devlog.toml").write_text(config, "utf-8")
    build_site(root)
    _, found = published(root)  # its own, under another URL
    assert not found


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for git is a shell script")
@pytest.mark.slow
def test_a_repository_of_another_user_is_refused_with_a_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git says what to do in further lines."""
    root, _ = with_remote(tmp_path)
    use(OF_ANOTHER, tmp_path, monkeypatch)
    lines, (problem,) = published(root)
    assert not lines
    assert "dubious ownership" in problem.message
    assert "safe.directory" in problem.hint
