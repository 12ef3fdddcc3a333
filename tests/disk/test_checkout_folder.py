"""A checkout of the source inside the site's own repository: a commit must not decide where it leads."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from check_cases import check_site, git, repository
from click.testing import CliRunner
from sites import NOW, build_site, read_tree, write_site

from devlog.cli import main
from devlog.disk.checkout_folder import Refusal, checkout_folder
from devlog.disk.stat_cache import StatCache
from devlog.engine.jobs import Jobs
from devlog.features.source_references.fixing import _checkouts
from devlog.inputs import read_inputs
from devlog.serve.preview import Options, Preview

HOST = "https://github.com/example/lumen"
POST = """\
---
title: A
---
{{< code file="notes.txt" >}}

`hush_function` and [there](https://github.com/example/lumen/blob/main/notes.txt#L1)
"""


def site_of(tmp_path: Path) -> Path:
    """A site in a repository, beside another repository that nobody means to publish."""
    other = write_site(tmp_path / "other", {"notes.txt": "hush\n", "a.py": "def hush_function():\n    pass\n"})
    repository(other, day="2026-05-01")
    config = f'base_url = "https://lumen.example/"\nsource_repo = "{HOST}"\nsource_checkout = "vendor/x"\n'
    files = {"devlog.toml": config, "content/log/2026-05-03-a.md": POST, ".gitignore": "/public\n/.devlog\n"}
    site = write_site(tmp_path / "site", files | {"content/log/_index.md": "---\ntitle: Log\n---\n"})
    repository(site)
    return site


def make_link(site: Path) -> None:
    (site / "vendor").mkdir(exist_ok=True)
    (site / "vendor/x").symlink_to("../../other")


def make_link_of_folder(site: Path) -> None:
    (site / "vendor").symlink_to("..")
    other = site.parent / "other"
    other.rename(other.with_name("x"))


def make_bare(site: Path) -> None:
    kept = {f"vendor/x/{name}/.gitkeep": "" for name in ("objects", "refs")}
    write_site(site, {**kept, "vendor/x/HEAD": "ref: refs/heads/main\n", "vendor/x/commondir": "../../../other/.git\n"})


def make_bare_through_links(site: Path) -> None:
    write_site(site, {"vendor/x/HEAD": "ref: refs/heads/main\n"})
    for name in ("objects", "refs"):
        (site / "vendor/x" / name).symlink_to(f"../../../other/.git/{name}")


MAKERS = {
    "link": make_link,
    "link of the folder above": make_link_of_folder,
    "bare": make_bare,
    "bare through links": make_bare_through_links,
}


@pytest.mark.feature("source_references")
@pytest.mark.parametrize("kind", MAKERS)
def test_what_the_sites_repository_contains_is_no_checkout(tmp_path: Path, kind: str) -> None:
    site = site_of(tmp_path)
    MAKERS[kind](site)
    repository(site)
    assert checkout_folder(site, "vendor/x") is Refusal.COMMITTED
    report = build_site(site)
    assert sorted(item.code for item in report.diagnostics) == ["broken-inclusion", "no-checkout"]
    problem = next(item for item in report.diagnostics if item.code == "no-checkout")
    assert Refusal.COMMITTED.value in problem.message
    assert not [path for path, data in read_tree(site / "public").items() if b"hush\n" in data]
    assert build_site(site).diagnostics == report.diagnostics
    assert len(_checkouts(read_inputs(site, "", StatCache()).config, site)) == 1
    shown = CliRunner().invoke(main, ["check", "--gaps", "--root", str(site)])
    assert Refusal.COMMITTED.value in shown.output
    made = CliRunner().invoke(main, ["digest", "--since", "2026-01-01", "--root", str(site)])
    assert made.exit_code
    assert Refusal.COMMITTED.value in made.output
    preview = Preview(Options(site, "http://127.0.0.1", drafts=False, now=lambda: NOW, jobs=1), Jobs(), list)
    try:
        preview.change(frozenset())
        assert "broken-inclusion" in {item.code for item in preview.diagnostics}
    finally:
        preview.close()


@pytest.mark.feature("source_references")
@pytest.mark.parametrize("kind", MAKERS)
def test_what_no_commit_contains_is_the_users_own(tmp_path: Path, kind: str) -> None:
    site = site_of(tmp_path)
    write_site(site, {".gitignore": "/vendor\n/public\n/.devlog\n"})
    repository(site)
    MAKERS[kind](site)
    assert checkout_folder(site, "vendor/x") == site / "vendor/x"
    if kind != "bare":
        assert "no-checkout" not in {item.code for item in build_site(site).diagnostics}


def test_a_build_notices_that_a_link_is_committed(tmp_path: Path) -> None:
    site = site_of(tmp_path)
    make_link(site)
    page = site / "public/log/2026-05-03-a/index.html"
    assert build_site(site).diagnostics == ()
    assert "hush" in page.read_text("utf-8")
    repository(site)
    assert {item.code for item in build_site(site).diagnostics} == {"broken-inclusion", "no-checkout"}
    git(site, "rm", "-q", "--cached", "vendor/x")
    assert build_site(site).diagnostics == ()
    assert "hush" in page.read_text("utf-8")


def test_a_preview_notices_that_a_link_is_committed(tmp_path: Path) -> None:
    site = site_of(tmp_path)
    make_link(site)
    cites = POST.replace('{{< code file="notes.txt" >}}', "")  # what it includes would be looked for anyway
    (site / "content/log/2026-05-03-a.md").write_text(cites)
    preview = Preview(Options(site, "http://127.0.0.1", drafts=False, now=lambda: NOW, jobs=1), Jobs(), list)
    try:
        preview.change(frozenset())
        assert preview.diagnostics == ()
        git(site, "add", "vendor")
        preview.change(frozenset())
        assert [item.code for item in preview.diagnostics] == ["no-checkout"]
        git(site, "rm", "-q", "--cached", "vendor/x")
        preview.change(frozenset())
        assert preview.diagnostics == ()
    finally:
        preview.close()


@pytest.mark.parametrize("configured", ["../lib", "../lib/../lib", "../site/../lib"])
def test_a_folder_beside_the_site_in_the_same_repository(tmp_path: Path, configured: str) -> None:
    other = write_site(tmp_path / "other", {"notes.txt": "hush\n"})
    repository(other)
    top = write_site(tmp_path / "top", {"site/devlog.toml": ""})
    (top / "lib").symlink_to("../other")
    repository(top)
    assert checkout_folder(top / "site", configured) is Refusal.COMMITTED
    assert checkout_folder(top / "site", str(top / "lib")) is Refusal.COMMITTED


def test_a_link_leads_to_another_one(tmp_path: Path) -> None:
    site = site_of(tmp_path)
    make_link(site)
    repository(site)
    (site / "own").symlink_to("vendor/x")
    assert checkout_folder(site, "own") is Refusal.COMMITTED


def add_to_index(site: Path, mode: str, *names: str) -> None:
    blob = git(site, "hash-object", "-w", "devlog.toml").strip()
    for name in names:
        git(site, "update-index", "--add", "--cacheinfo", f"{mode},{blob},{name}")


def test_letters_of_another_case(tmp_path: Path) -> None:
    """Where their case does not count, a link with either name is there; elsewhere, these are two."""
    site = site_of(tmp_path)
    make_link(site)
    add_to_index(site, "120000", "VENDOR/X")
    is_one = (site / "VENDOR/X").is_symlink()
    assert checkout_folder(site, "vendor/x") == (Refusal.COMMITTED if is_one else site / "vendor/x")


@pytest.mark.parametrize("make", [make_link, make_bare])
def test_a_name_that_only_the_system_knows_to_be_the_same(tmp_path: Path, make: Callable[[Path], None]) -> None:
    """Case is only one of the reasons: names are abbreviated, too, or have other forms of one letter."""
    site = site_of(tmp_path)
    make(site)
    mode, names = ("120000", ["X"]) if make is make_link else ("100644", ["X/commondir"])
    (site / ".GIT").mkdir(exist_ok=True)  # as where case does not count
    add_to_index(site, mode, *(f"ünï/{name.lower()}" for name in names), "vendors/x", "other")
    assert checkout_folder(site, "vendor/x") == site / "vendor/x"
    (site / "ünï").symlink_to("vendor")
    assert checkout_folder(site, "vendor/x") is Refusal.COMMITTED


def test_a_bare_repository_above_the_site(tmp_path: Path) -> None:
    """A commit makes a folder a repository in which the site seems to be, and which names another one."""
    other = write_site(tmp_path / "other", {"notes.txt": "hush\n"})
    repository(other)
    kept = {f"docs/{name}/.gitkeep": "" for name in ("objects", "refs")}
    bare = {"docs/HEAD": "ref: refs/heads/main\n", "docs/commondir": f"{other}/.git\n"}
    top = write_site(tmp_path / "top", {"docs/site/devlog.toml": "", **kept, **bare})
    repository(top)
    for configured in ("..", "../../docs", str(top / "docs")):
        assert checkout_folder(top / "docs/site", configured) is Refusal.COMMITTED
    assert checkout_folder(top / "docs", ".") is Refusal.COMMITTED


def test_a_link_in_the_repository_around_that_of_the_site(tmp_path: Path) -> None:
    site = site_of(tmp_path)
    (tmp_path / "link").symlink_to("other")
    repository(write_site(tmp_path, {".gitignore": "*\n!link\n"}))
    assert checkout_folder(site, "../link") is Refusal.COMMITTED
    git(tmp_path, "rm", "-q", "--cached", "link")
    assert checkout_folder(site, "../link") == site / "../link"


def test_a_link_of_another_repository(tmp_path: Path) -> None:
    site = site_of(tmp_path)
    (tmp_path / "other/link").symlink_to(".")
    repository(tmp_path / "other", day="2026-05-02")
    assert checkout_folder(site, "../other/link") == site / "../other/link"


def test_submodules_clones_and_folders_around_need_no_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = site_of(tmp_path)
    git(site, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(tmp_path / "other"), "vendor/module")
    git(tmp_path, "clone", "-q", "other", "site/clone")
    git(tmp_path, "clone", "-q", "--bare", "other", "bare")
    repository(site)
    monkeypatch.setattr(subprocess, "Popen", None)
    for configured in (".", "..", "vendor/module", "clone", "../other", "../bare", "gone", "../site", "content"):
        assert checkout_folder(site, configured) == site / configured


def test_a_link_in_a_submodule_and_one_in_place_of_it(tmp_path: Path) -> None:
    site = site_of(tmp_path)
    module = write_site(tmp_path / "module", {"a.txt": "a\n"})
    (module / "x").symlink_to("../../other")
    repository(module)
    git(site, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(module), "vendor")
    repository(site)
    assert checkout_folder(site, "vendor/x") is Refusal.COMMITTED
    shutil.rmtree(site / "vendor")
    (site / "vendor").symlink_to("../other")
    assert checkout_folder(site, "vendor") == site / "vendor"


def test_a_loop_of_links_and_a_git_that_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = site_of(tmp_path)
    (site / "a").symlink_to("b")
    (site / "b").symlink_to("a")
    assert checkout_folder(site, "a") is Refusal.LINKS
    make_link(site)
    assert checkout_folder(site, "vendor/x") == site / "vendor/x"
    monkeypatch.setenv("PATH", "")
    assert checkout_folder(site, "vendor/x") is Refusal.UNKNOWN


@pytest.mark.feature("source_references")
def test_without_git_nobody_says_that_the_checkout_is_committed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = site_of(tmp_path)
    make_link(site)
    assert build_site(site).diagnostics == ()
    with monkeypatch.context() as patch:
        patch.setenv("PATH", "")
        found = {item.code: item for item in build_site(site).diagnostics}
        assert found.keys() == {"broken-inclusion", "no-checkout"}
        assert Refusal.UNKNOWN.value in found["no-checkout"].message
        assert "outside" not in found["no-checkout"].hint
    assert build_site(site).diagnostics == ()


def test_without_a_repository_there_are_no_commits(tmp_path: Path) -> None:
    site = site_of(tmp_path)
    shutil.rmtree(site / ".git")
    make_link(site)
    assert checkout_folder(site, "vendor/x") == site / "vendor/x"
    assert check_site(site).diagnostics is not None
