"""Links to files of the repository, outside the content folder, that do not exist there."""

from __future__ import annotations

from pathlib import Path

import pytest
from check_cases import check_site, git, repository
from sites import write_site

SITE = {
    "log/devlog.toml": 'source_repo = "https://github.com/example/lumen"\n',
    "src/cache.py": "pass\n",
    "docs/ranges.md": "# Ranges\n",
}


def linked(folder: Path, target: str, more: dict[str, str] | None = None) -> Path:
    """A repository with a site, whose only post has a link; returns the folder of the site."""
    post = {"log/content/2026-05-01-a.md": f"---\ntitle: A\n---\nSee [x]({target}).\n"}
    repository(write_site(folder, SITE | post | (more or {})))
    return folder / "log"


def told(site: Path) -> list[tuple[str, int | None, str]]:
    """The problems with links to files that do not exist."""
    found = (item for item in check_site(site).diagnostics if item.code == "missing-source")
    return [(item.span.path, item.span.line, item.message) for item in found]


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("../../docs/rael.md", "docs/rael.md"),
        ("../../docs/rael.md?plain=1#top", "docs/rael.md"),
        ("../../docs/a%20b%3Fc.md", "docs/a b?c.md"),
        ("../notes.md", "log/notes.md"),
        ("../../src/cache.py/x", "src/cache.py/x"),
    ],
)
def test_a_file_that_the_repository_does_not_have(tmp_path: Path, target: str, path: str) -> None:
    told_of_it = ("content/2026-05-01-a.md", 4, f"the repository has no file “{path}”")
    assert told(linked(tmp_path, target)) == [told_of_it]


@pytest.mark.parametrize(
    "target",
    [
        "../../docs/ranges.md",
        "../../docs/ranges.md#ranges",
        "../../docs",
        "../../src/",
        "../..",
        "https://github.com/example/lumen/blob/HEAD/docs/rael.md",
        "../../../elsewhere/rael.md",
    ],
)
def test_a_file_that_it_has_or_that_is_elsewhere(tmp_path: Path, target: str) -> None:
    assert not told(linked(tmp_path / "lumen", target))


def test_a_file_that_is_not_committed_yet(tmp_path: Path) -> None:
    site = linked(tmp_path, "../../docs/rael.md")
    (tmp_path / "docs/rael.md").write_text("# RAEL\n")
    assert not told(site)
    (tmp_path / "docs/rael.md").unlink()
    assert told(site)


def test_the_checkout_is_that_of_the_configured_repository(tmp_path: Path) -> None:
    site = linked(tmp_path, "../../docs/rael.md")
    (site / "devlog.toml").write_text(SITE["log/devlog.toml"] + 'source_folder = "www/log"\n')
    assert not told(site)


def test_without_a_checkout_nothing_is_known(tmp_path: Path) -> None:
    write_site(tmp_path, SITE | {"log/content/2026-05-01-a.md": "---\ntitle: A\n---\nSee [x](../rael.md).\n"})
    assert not told(tmp_path / "log")


def test_a_sparse_checkout_and_a_submodule_lack_files_that_exist(tmp_path: Path) -> None:
    others = ") and [y](../../docs/rael.md) and [z](../../src) and [s](../../sub/a.c"
    site = linked(tmp_path, f"../../docs/ranges.md{others}")
    commit = git(tmp_path, "rev-parse", "HEAD").strip()
    git(tmp_path, "update-index", "--add", "--cacheinfo", f"160000,{commit},sub")
    git(tmp_path, "sparse-checkout", "set", "--no-cone", "/log/")
    assert not (tmp_path / "docs").exists()
    assert [message for _, _, message in told(site)] == ["the repository has no file “docs/rael.md”"]


def test_no_symbolic_link_is_followed(tmp_path: Path) -> None:
    outside = write_site(tmp_path / "outside", {"a.md": "# A\n"})
    write_site(tmp_path / "lumen", {"docs/ranges.md": ""})
    (tmp_path / "lumen/others").symlink_to(outside)
    site = linked(tmp_path / "lumen", "../../others/a.md) and [y](../../others/b.md")
    assert not told(site), "whether there is such a file outside of the repository must not show"


def test_a_comment_allows_it(tmp_path: Path) -> None:
    site = linked(tmp_path, "../../docs/rael.md")
    post = site / "content/2026-05-01-a.md"
    post.write_text(post.read_text() + "\n<!-- devlog: allow missing-source: the next commit adds it -->\n")
    assert not {"missing-source", "unused-waiver", "bad-waiver"} & {item.code for item in check_site(site).diagnostics}
