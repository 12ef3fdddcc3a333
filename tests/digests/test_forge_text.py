"""Projects by URL, and what descriptions of pull requests say."""

from __future__ import annotations

import pytest

from devlog.features.digests.digest.forge.bodies import prose_of, resolved
from devlog.features.digests.digest.forge.project import project_of

PAGE = "https://forge.example.org/lumen/db"


@pytest.mark.parametrize(
    ("url", "forge", "api"),
    [
        ("https://github.com/lumen/db", "", "https://api.github.com/repos/lumen/db"),
        ("https://github.com/lumen/db.git", "", "https://api.github.com/repos/lumen/db"),
        ("https://api.github.com/repos/lumen/db", "", "https://api.github.com/repos/lumen/db"),
        ("https://code.example.org/lumen/db", "", "https://code.example.org/api/v3/repos/lumen/db"),
        ("https://gitlab.com/lumen/sub/db", "", "https://gitlab.com/api/v4/projects/lumen%2Fsub%2Fdb"),
        ("https://code.example.org/lumen/db", "gitlab", "https://code.example.org/api/v4/projects/lumen%2Fdb"),
        ("https://codeberg.org/lumen/db", "", "https://codeberg.org/api/v1/repos/lumen/db"),
        ("https://code.example.org/api/v4/projects/12", "", "https://code.example.org/api/v4/projects/12"),
        ("http://127.0.0.1:3000/lumen/db", "forgejo", "http://127.0.0.1:3000/api/v1/repos/lumen/db"),
    ],
)
def test_the_interface_of_a_project(url: str, forge: str, api: str) -> None:
    project = project_of(url, "", "", forge)
    assert project is not None
    assert project.api == api


@pytest.mark.parametrize(
    "origin",
    ["git@github.com:lumen/db.git", "ssh://git@github.com/lumen/db.git", "https://me:s3cret@github.com/lumen/db"],
)
def test_the_origin_of_a_clone(origin: str) -> None:
    project = project_of(True, "", origin)
    assert project is not None
    assert project.api == "https://api.github.com/repos/lumen/db"
    assert project.token({"GITHUB_TOKEN": "x"}) == "x"


def test_a_host_that_only_a_clone_names_gets_no_token() -> None:
    unnamed = project_of(True, "", "https://code.example.org/lumen/db")
    assert unnamed is not None
    assert unnamed.token({"GITHUB_TOKEN": "x", "DEVLOG_FORGE_TOKEN": "y"}) == ""
    named = project_of(True, "https://code.example.org/lumen/log", "https://code.example.org/lumen/db", is_other=True)
    assert named is not None
    assert (named.page, named.token({"GITHUB_TOKEN": "x"})) == ("https://code.example.org/lumen/db", "x")
    assert named.token({"GITHUB_TOKEN": "x\r\nHost: y"}) == ""


def test_the_repository_of_the_site_comes_before_the_origin() -> None:
    project = project_of(True, "https://github.com/lumen/db", "https://github.com/ada/fork")
    assert project is not None
    assert project.page == "https://github.com/lumen/db"


@pytest.mark.parametrize(
    "origin", ["/srv/lumen", "../lumen", "file:///srv/lumen", "", "https://code.example.org/../x/y"]
)
def test_an_origin_that_is_no_project(origin: str) -> None:
    assert project_of(True, "", origin) is None


@pytest.mark.parametrize(
    ("body", "numbers"),
    [
        ("Fixes #7.", ("#7",)),
        ("This closes #4, #6 and #8 and resolves: #9", ("#4", "#6", "#8", "#9")),
        ("Resolve issue #7", ("#7",)),
        (f"Fixes {PAGE}/issues/7.", ("#7",)),
        (f"Closes {PAGE}/-/work_items/7", ("#7",)),
        ("Fixes lumen/db#7, fixes other/db#8", ("#7",)),
        ("Fixes https://evil.example/lumen/db/issues/7", ()),
        ("See #7, which prefixes #8", ()),
        ("<!-- Fixes #7 -->", ()),
        ("```\nFixes #7\n```\nand `fixes #8`", ()),
        ("Fixes #0 and #0012", ("#12",)),
    ],
)
def test_resolved_issues(body: str, numbers: tuple[str, ...]) -> None:
    assert resolved([body], PAGE) == numbers


def test_prose() -> None:
    body = "# Why\n<!-- form -->\n- [x] tests\n> quote\n```\ncode\n```\n"
    body += "It **reads** [less](https://x.example) <b>now</b>.\n"
    assert [line for line in prose_of(body).split("\n") if line] == ["It reads less now."]


@pytest.mark.parametrize("unit", ["<!--", "[", "![", "<a", "fixes #1, ", "fixes ", "and ", "`", "closes a/", "fix \t"])
def test_long_bodies(unit: str) -> None:
    body = unit * (20_000 // len(unit))
    assert len(prose_of(body)) <= len(body)
    assert len(resolved([body], PAGE)) <= 20


def test_many_comments() -> None:
    assert resolved(["<!---->" * 100_000 + "Fixes #12", "<!-- open Fixes #13"], PAGE) == ("#12",)
