"""`devlog refs`: from a path of the source, however it is typed, to the posts about it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from check_cases import repository
from click.testing import CliRunner, Result
from sites import write_site
from test_reference_index import CONFIG, post, site

from devlog.cli import main
from devlog.features.source_references.cli.source_path import path_in_source


@pytest.fixture
def lumen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = site(
        p01=post("`src/wal/log.c:3`"),
        p02=post("`src/wal/page.c` and `src/net/a.c`"),
        p03=post("`src/net/secret.c`", "draft: true"),
    )
    files["devlog.toml"] = CONFIG
    monkeypatch.chdir(write_site(tmp_path / "site", files))
    return tmp_path / "site"


def refs(*words: str) -> Result:
    return CliRunner().invoke(main, ["refs", *words, "--now", "2026-06-01"])


def found(*words: str) -> Any:
    return json.loads(refs(*words, "--format", "json").stdout)


def days(answer: Any) -> list[str]:
    return [item["date"][-2:] for item in answer["posts"]]


@pytest.mark.parametrize(
    ("path", "at", "kind", "expected"),
    [
        ("src/wal/log.c", "src/wal/log.c", "file", ["01"]),
        ("./src/wal/../wal/log.c", "src/wal/log.c", "file", ["01"]),
        ("src/wal/", "src/wal", "directory", ["02", "01"]),
        ("src", "src", "directory", ["02", "01"]),
        ("src/net/secret.c", "src/net", "above", ["02"]),
        ("src/net/deep/er/x.c", "src/net", "above", ["02"]),
        (".", "", "directory", ["02", "01"]),
    ],
)
def test_paths(lumen: Path, path: str, at: str, kind: str, expected: list[str]) -> None:
    answer = found(path)
    assert (answer["path"], answer["kind"], days(answer), answer["total"]) == (at, kind, expected, len(expected))


def test_text_says_when_the_posts_are_about_the_directory_above(lumen: Path) -> None:
    shown = refs("src/net/x.c").output
    assert shown.startswith("No post cites src/net/x.c. Posts about src/net/:\n")
    assert "https://lumen.example/log/2026-05-02/" in shown or "content/2026-05-02.md" in shown
    assert "cites src/net/a.c" in shown
    assert "and 1 older post; --limit shows more" in refs("src", "--limit", "1").output


def test_nothing(lumen: Path) -> None:
    shown = refs("docs/a.md")
    assert (shown.exit_code, shown.output) == (1, "No post cites docs/a.md.\n")
    assert found("docs/a.md") == {"asked": "docs/a.md", "path": "", "kind": "", "total": 0, "posts": []}
    assert "\x1b" not in refs("docs/\x1b[31m").output
    assert refs("../x").exit_code == 2


def test_a_site_without_a_repository(lumen: Path) -> None:
    (lumen / "devlog.toml").write_text('title = "Lumen"\n')
    shown = refs("src")
    assert shown.exit_code == 2
    assert "[no-source-repository]" in shown.output


def test_a_path_in_a_checkout(tmp_path: Path) -> None:
    clone = write_site(tmp_path / "clone", {"src/wal/log.c": "x\n"})
    repository(clone, day="2026-05-01")
    other = tmp_path / "other"
    other.mkdir()
    for checkout in (clone, None):
        assert path_in_source(str(clone / "src/wal/log.c"), other, checkout) == "src/wal/log.c"
        assert path_in_source("../clone/src/new.c", other, checkout) == ("src/new.c" if checkout else None)
        assert path_in_source("log.c", clone / "src/wal", checkout) == "src/wal/log.c"
    assert path_in_source(".", clone, clone) == ""
    assert path_in_source("src/wal", other, clone) == "src/wal"
    assert path_in_source(str(tmp_path / "x.c"), other, clone) is None
    (tmp_path / "link").symlink_to(clone, target_is_directory=True)
    assert path_in_source("../link/src", other, clone) == "src"
