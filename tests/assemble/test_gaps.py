"""`devlog check --gaps`: which directories are ranked, at which depth, and how a checkout tells it."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from check_cases import git, repository
from click.testing import CliRunner
from sites import write_site
from steps import steps
from test_reference_index import CONFIG, post, site

from devlog.cli import main
from devlog.features.source_references.assemble.gaps import DatedPost, outdated, unwritten
from devlog.features.source_references.model.commit import Commit


def commits(**counts: int) -> list[Commit]:
    """As many commits to a file in each directory; ``_`` in names stands for ``/``. Authors take turns."""
    return [
        Commit(number, f"{number % 3}@x.example", (f"{name.replace('_', '/')}/a.c",))
        for name, count in counts.items()
        for number in range(count)
    ]


def ranked(some: list[Commit], *cited: str) -> list[tuple[str, int, int]]:
    present = {file for commit in some for file in commit.files} | set(cited)
    return [(item.path, item.commits, item.people) for item in unwritten(some, cited, present)]


def test_a_directory_with_most_commits_is_split() -> None:
    some = commits(src_wal=9, src_net_tcp=8, src_net_udp=7, docs=6, few=4)
    assert ranked(some) == [("src/net", 15, 3), ("src/wal", 9, 3), ("docs", 6, 3)]
    assert ranked(some, "src/net/tcp/b.c") == [("src/wal", 9, 3), ("src/net/udp", 7, 3), ("docs", 6, 3)]
    assert ranked(some, "src/a.c", "docs/b.md") == [("src/net", 15, 3), ("src/wal", 9, 3)]


def test_what_is_gone_needs_no_post() -> None:
    assert unwritten(commits(old=9), (), ("new/a.c",)) == ()


def test_people_count_as_much_as_commits() -> None:
    alone = [Commit(0, "one@x.example", ("a/x.c",))] * 10
    assert [item.path for item in unwritten(alone + commits(b=6), (), ("a/x.c", "b/a.c"))] == ["b", "a"]


def test_posts_whose_files_have_changed_since() -> None:
    def second(day: int, hour: int = 12) -> int:
        return int(datetime(2026, 5, day, hour, tzinfo=UTC).timestamp())

    some = [Commit(second(day), "x", ("a.c", "b.c") if day == 5 else ("a.c",)) for day in (6, 5, 3, 1)]
    may = datetime(2026, 5, 3, 1, tzinfo=UTC)
    posts = [
        DatedPost("new", "New", may, ("b.c", "a.c")),
        DatedPost("none", "None", may, ("z.c",)),
        DatedPost("p", "P", None, ("a.c",)),
    ]
    assert [(item.post, item.commits, item.files) for item in outdated(some, posts)] == [("new", 2, ("a.c", "b.c"))]


def test_commits_to_several_cited_files_count_once() -> None:
    chance = random.Random(5)
    start = datetime(2026, 5, 1, tzinfo=UTC)
    for size in (3, 300):
        names = [f"{number}.c" for number in range(12)]
        some = [
            Commit(
                int(start.timestamp()) + chance.randrange(9 * 86_400),
                "x",
                tuple(name for number, name in enumerate(names) if chance.randrange(size) <= size // 2 >> number),
            )
            for _ in range(400)
        ]
        posts = [
            DatedPost(f"p{number}", "P", start + timedelta(days=number), tuple(chance.sample([*names, "no.c"], 4)))
            for number in range(10)
        ]
        for item in outdated(some, posts):
            (post,) = (post for post in posts if post.file == item.post)
            assert post.date
            after = [commit for commit in some if commit.second >= (post.date + timedelta(days=1)).timestamp()]
            assert item.commits == len([commit for commit in after if not set(commit.files).isdisjoint(post.cited)])
            counts = {file: sum(file in commit.files for commit in after) for file in post.cited}
            assert item.files == tuple(sorted(filter(counts.get, counts), key=lambda file: (-counts[file], file)))


def test_more_posts_about_the_same_files_take_little_more_work() -> None:
    files = tuple(f"{number}.c" for number in range(20))
    some = [Commit(1_780_000_000 - number, "x", files) for number in range(1000)]
    date = datetime(2025, 5, 1, tzinfo=UTC)

    def work(count: int) -> int:
        return steps(lambda: outdated(some, [DatedPost(f"p{number}", "P", date, files) for number in range(count)]))

    assert work(60) - work(10) < 50 * 300


def checked(root: Path, *words: str) -> str:
    result = CliRunner().invoke(main, ["check", "--gaps", "--root", str(root), "--now", "2026-06-01", *words])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.slow
def test_a_report(tmp_path: Path) -> None:
    clone = tmp_path / "lumen"
    for number in range(6):
        write_site(clone, {"net/a.c": f"{number}\n", "wal/log.c": f"{number}\n", "docs/x.md": "x\n"})
        repository(clone, day=f"2026-05-0{number + 1}")
    files = site(p03=post("`wal/log.c`"))
    files["devlog.toml"] = f'source_checkout = "../lumen"\n{CONFIG}'
    root = write_site(tmp_path / "site", files)
    assert "  net/: 6 commits by 1 person in a year, no post\n" in checked(root)
    assert "  content/2026-05-03.md: 3 commits to wal/log.c since 2026-05-03\n" in checked(root)
    found = json.loads(checked(root, "--format", "json"))
    assert found["directories"] == [{"path": "net", "commits": 6, "people": 1}]
    assert "No gaps found" in checked(root, "--now", "2028-01-01")
    git(clone, "checkout", "-q", "--detach", "HEAD~5")
    assert "net/" not in checked(root)


def test_without_a_checkout(tmp_path: Path) -> None:
    root = write_site(tmp_path, site(p01=post("`wal/log.c`")))
    assert checked(root) == "set “source_repo” and “source_checkout” to find what nobody has written about\n"
    (root / "devlog.toml").write_text(f'source_checkout = "../none"\n{CONFIG}')
    assert "there is no repository checkout at “../none”" in checked(root)
    wrong = CliRunner().invoke(main, ["check", "--gaps", "--fix", "--root", str(root)])
    assert wrong.exit_code == 2
