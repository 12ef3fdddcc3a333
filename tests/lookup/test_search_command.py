"""`devlog search`, as it is typed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from sites import write_site

from devlog.cli import main
from devlog.search import show
from devlog.search.values import Hit

Devlog = Callable[..., Result]

SITE = {
    "devlog.toml": 'title = "Lumen"\n',
    "content/storage/2026-05-01-pool.md": (
        "---\ntitle: The buffer pool\ndate: 2026-05-01\nauthor: Ada Quill (@adaquill)\ntags: [cache]\n---\n"
        "## Eviction\n\nA page goes out when `-Wall` and --max-pages say so.\n"
    ),
    "content/planner/2026-05-02-joins.md": "---\ntitle: Joins\ndate: 2026-05-02\n---\nA buffer of \x9b31m rows.\n",
}


@pytest.fixture
def devlog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Devlog:
    """Runs the command in a folder of the site."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1781524800")  # 2026-06-15T12:00:00Z
    monkeypatch.chdir(write_site(tmp_path, SITE) / "content/storage")

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(main, ["search", *arguments], catch_exceptions=False, prog_name="devlog")

    return run


def test_for_people(devlog: Devlog) -> None:
    done = devlog("page", "evict")
    assert done.exit_code == 0
    assert done.stdout == (
        "The buffer pool › Eviction\n"
        "    2026-05-01  content/storage/2026-05-01-pool.md:9\n"
        "    A page goes out when -Wall and --max-pages say so.\n"
    )


def test_for_programs(devlog: Devlog) -> None:
    done = devlog("--format", "json", "eviction")
    assert done.exit_code == 0
    assert json.loads(done.stdout) == [
        {
            "title": "The buffer pool",
            "url": "/storage/2026-05-01-pool/#eviction",
            "source": "content/storage/2026-05-01-pool.md",
            "line": 7,
            "section": "Eviction",
            "snippet": "A page goes out when -Wall and --max-pages say so.",
        }
    ]
    done = devlog("--format", "json", "nowhere")
    assert (done.exit_code, json.loads(done.stdout), done.stderr) == (1, [], "")


def test_nothing_found(devlog: Devlog) -> None:
    done = devlog("nowhere")
    assert (done.exit_code, done.stdout, done.stderr) == (1, "", "No results.\n")


def test_words_that_begin_with_a_dash_are_explained(devlog: Devlog) -> None:
    done = devlog("page", "-Wextra")
    assert done.exit_code == 2
    assert done.stderr.endswith("Write “--” before words of the query that begin with “-”.\n")
    done = devlog("--", "page", "-page")
    assert done.exit_code == 1
    assert done.stderr == "No results. Posts with “page” are left out: write words without “-” to find them.\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("--limit", "0", "x"),
        ("--since", "soon", "x"),
        ("--format", "yaml", "x"),
        ("x", "-Wall"),
        ("x", "--root", "missing"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], devlog: Devlog) -> None:
    done = devlog(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")


def test_words_that_look_like_options(devlog: Devlog) -> None:
    assert "pool" in devlog("--", "-Wall").stdout
    assert "pool" in devlog("page", "--", "--max-pages").stdout
    assert devlog("buffer", "--", "-rows").stdout.startswith("The buffer pool\n")


def test_filters_alone(devlog: Devlog) -> None:
    assert devlog("--author", "adaquill").stdout.startswith("The buffer pool\n")
    assert devlog("--since", "2026-05-02").stdout.startswith("Joins\n")
    assert devlog("--tag", "cache", "--topic", "planner").exit_code == 1


def test_without_a_query_the_newest_posts_are_listed(devlog: Devlog) -> None:
    every = devlog()
    assert every.exit_code == 0
    assert every.stdout.startswith("Joins\n")
    assert "\nThe buffer pool\n" in every.stdout
    newest = devlog("--limit", "1")
    assert newest.stdout.startswith("Joins\n")
    assert "The buffer pool" not in newest.stdout


def test_nothing_steers_the_terminal(devlog: Devlog) -> None:
    for style in ("text", "json"):
        assert "\x9b" not in devlog("rows", "--format", style).stdout


def test_a_folder_without_a_site_is_left_alone(tmp_path: Path, devlog: Devlog, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "devlog.toml").unlink()
    (tmp_path / "content").rename(tmp_path / "elsewhere")
    monkeypatch.chdir(tmp_path / "elsewhere")
    done = devlog("page")
    assert done.exit_code == 2
    assert "error[no-site]" in done.stderr
    assert not list(tmp_path.rglob(".devlog"))


def test_a_wrong_configuration_is_told(tmp_path: Path, devlog: Devlog) -> None:
    (tmp_path / "devlog.toml").write_text("title = 7\n")
    done = devlog("evict")
    assert "devlog.toml:1" in done.stderr
    assert (done.exit_code, done.stdout.count("\n")) == (0, 3)


def test_the_shell_completes_filters(devlog: Devlog) -> None:
    for option, begun, offered in (
        ("--topic", "st", "storage"),
        ("--tag", "c", "cache"),
        ("--author", "@ad", "adaquill"),
    ):
        words = f"devlog search {option} {begun}"
        environment = {"_DEVLOG_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": "3"}
        done = CliRunner().invoke(main, [], prog_name="devlog", env=environment)
        assert done.stdout == f"plain,{offered}\n"


def test_words_are_marked_where_colors_are_seen() -> None:
    hit = Hit("Joins", "/joins/", "content/joins.md", 3, "", "A buffer of rows, and a recompiler", "2026-05-01")
    assert "A \x1b[33m\x1b[1mbuffer\x1b[0m of" in show.as_text([hit], "buffer recomp")
    assert "\x1b[1mrecompiler\x1b[0m" in show.as_text([hit], "buffer recomp")


def test_nothing_of_a_hit_controls_a_terminal() -> None:
    odd = "a\x1b]0;b\x07"  # of an index that somebody has forged
    assert "\x1b]" not in show.as_text([Hit(odd, odd, odd, 3, odd, odd, odd)], odd)


def test_long_titles_end_where_words_do() -> None:
    title, section = "What the planner remembers of " + "every question " * 3 + "it was asked", "Why it forgot " * 4
    hit = Hit(title, "/a/", "content/a.md", 3, section, "", "2026-05-01")
    first, second, place = show.as_text([hit], "planner").split("\n")
    heading = [click.unstyle(line) for line in (first, second)]
    assert " ".join(heading) == f"{title} › {section.strip()}"
    assert max(map(len, heading)) <= 80
    assert second == "\x1b[1mwas asked\x1b[0m\x1b[2m › Why it forgot Why it forgot Why it forgot Why it forgot\x1b[0m"
    assert click.unstyle(place) == "    2026-05-01  content/a.md:3"
