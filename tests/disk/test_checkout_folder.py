"""A checkout of the source inside the site's own repository: a commit must not decide where it leads."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from check_cases import check_site, git, repository
from click.testing import CliRunner
from sites import NOW, build_site, read_tree, write_site

from devlog.cli import main
from devlog.disk.checkout_folder import checkout_folder
from devlog.disk.stat_cache import StatCache
from devlog.features.source_references.fixing import _checkouts
from devlog.inputs import read_inputs
from devlog.serve.jobs import Jobs
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
    assert checkout_folder(site, "vendor/x") is None
    report = build_site(site)
    assert sorted(item.code for item in report.diagnostics) == ["broken-inclusion", "no-checkout"]
    problem = next(item for item in report.diagnostics if item.code == "no-checkout")
    assert "it is committed in the site's repository" in problem.message
    assert not [path for path, data in read_tree(site / "public").items() if b"hush\n" in data]
    assert build_site(site).diagnostics == report.diagnostics
    assert len(_checkouts(read_inputs(site, "", StatCache()).config, site)) == 1
    shown = CliRunner().invoke(main, ["check", "--gaps", "--root", str(site)])
    assert "it is committed in the site's repository" in shown.output
    made = CliRunner().invoke(main, ["digest", "--since", "2026-01-01", "--root", str(site)])
    assert made.exit_code
    assert "it is committed in the site's repository" in made.output
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
    assert checkout_folder(top / "site", configured) is None
    assert checkout_folder(top / "site", str(top / "lib")) == top / "lib", "an absolute path is only in a configuration"


def test_a_link_leads_to_another_one(tmp_path: Path) -> None:
    site = site_of(tmp_path)
    make_link(site)
    repository(site)
    (site / "own").symlink_to("vendor/x")
    assert checkout_folder(site, "own") is None


def test_letters_of_another_case(tmp_path: Path) -> None:
    """Where their case does not count, a link with either name is there."""
    site = site_of(tmp_path)
    make_link(site)
    blob = git(site, "hash-object", "-w", "devlog.toml").strip()
    git(site, "update-index", "--add", "--cacheinfo", f"120000,{blob},VENDOR/X")
    assert checkout_folder(site, "vendor/x") is None


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
    assert checkout_folder(site, "vendor/x") is None
    shutil.rmtree(site / "vendor")
    (site / "vendor").symlink_to("../other")
    assert checkout_folder(site, "vendor") == site / "vendor"


def test_a_loop_of_links_and_a_git_that_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = site_of(tmp_path)
    (site / "a").symlink_to("b")
    (site / "b").symlink_to("a")
    assert checkout_folder(site, "a") is None
    make_link(site)
    assert checkout_folder(site, "vendor/x") is not None
    monkeypatch.setenv("PATH", "")
    assert checkout_folder(site, "vendor/x") is None


def test_without_a_repository_there_are_no_commits(tmp_path: Path) -> None:
    site = site_of(tmp_path)
    shutil.rmtree(site / ".git")
    make_link(site)
    assert checkout_folder(site, "vendor/x") == site / "vendor/x"
    assert check_site(site).diagnostics is not None
