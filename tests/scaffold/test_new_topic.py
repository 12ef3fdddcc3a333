"""`devlog new topic`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from sites import build_site, read_tree, write_site

from devlog.installation import own_command

Devlog = Callable[..., Result]


@pytest.mark.parametrize(
    ("arguments", "file", "text"),
    [
        (("query",), "content/query/_index.md", "---\ntitle: Query\n---\n"),
        (("query_plans",), "content/query_plans/_index.md", "---\ntitle: Query Plans\n---\n"),
        (("Query Plans",), "content/query-plans/_index.md", "---\ntitle: Query Plans\n---\n"),
        (("JIT",), "content/jit/_index.md", "---\ntitle: JIT\n---\n"),
        (("storage/wal",), "content/storage/wal/_index.md", "---\ntitle: Wal\n---\n"),
        (("検索",), "content/検索/_index.md", "---\ntitle: 検索\n---\n"),
        (
            ("query", "--title", "Queries: fast", "--description", "From SQL\nto plans #1"),
            "content/query/_index.md",
            '---\ntitle: "Queries: fast"\ndescription: "From SQL to plans #1"\n---\n',
        ),
    ],
)
def test_a_topic(arguments: tuple[str, ...], file: str, text: str, site: Path, devlog: Devlog) -> None:
    done = devlog("new", "topic", *arguments)
    assert done.exit_code == 0
    assert done.stdout.splitlines()[0] == file
    assert f"preview: run {own_command()} serve, then http://127.0.0.1:8000/" in done.stdout
    assert (site / file).read_text("utf-8") == text
    assert build_site(site).diagnostics == ()


@pytest.mark.parametrize("name", ["../storage", "storage/../x", "./x"])
def test_a_topic_is_inside_the_content_folder(name: str, site: Path, devlog: Devlog) -> None:
    said = devlog("new", "topic", name).stderr
    assert f"invalid name “{name}”: it begins at the content folder, and has no “.” or “..”" in said


def test_a_post_follows(site: Path, devlog: Devlog) -> None:
    devlog("new", "topic", "query")
    assert devlog("new", "post", "One", "--topic", "query", "--author", "adaquill").exit_code == 0


def test_a_folder_of_posts_gets_its_index(site: Path, devlog: Devlog) -> None:
    write_site(site, {"content/query/2026-01-01-x.md": "---\ntitle: X\nauthor: Ada Quill (@adaquill)\n---\nText.\n"})
    assert devlog("new", "topic", "query").exit_code == 0
    assert build_site(site).diagnostics == ()


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("storage", "already-there"),
        ("Storage", "already-there"),
        ("tags", "bad-name"),
        ("archive", "bad-name"),
        ("../elsewhere", "bad-name"),
        ("storage/../../x", "bad-name"),
        ("", "bad-name"),
        ("***", "bad-name"),
        ("con", "bad-name"),
        ("nothing/below", "unknown-topic"),
        pytest.param("a" * 1_200, "too-long-value", id="long"),
    ],
)
def test_refused(name: str, code: str, site: Path, devlog: Devlog) -> None:
    before = read_tree(site)
    done = devlog("new", "topic", name)
    assert done.exit_code == 1
    assert f"error[{code}]" in done.stderr
    assert read_tree(site) == before


@pytest.mark.parametrize(
    ("there", "name", "told"),
    [
        ("content/about.md", "about", "“/about/index.html” is also published by content/about.md"),
        ("content/other.md", "about", "“/about/index.html” is also published by"),
        ("static/about/index.html", "about", "“/about/index.html” is also published by static/about/index.html"),
        ("static/about", "about", "“/about” would be both a file and the folder of"),
        ("content/storage/2026-05-01-x.md", "storage/2026-05-01-x", "“/storage/2026-05-01-x/index.html” is also"),
        ("content/about.md", "robots.txt", "“/robots.txt” would be both a file and the folder of"),
        ("content/about.md", "posts.json", "“/posts.json” would be both a file and the folder of"),
    ],
)
def test_what_has_its_url_already(there: str, name: str, told: str, site: Path, devlog: Devlog) -> None:
    url = "url: /about/\n" if there.endswith("other.md") else ""
    write_site(site, {there: f"---\ntitle: About\nauthor: Ada Quill (@adaquill)\n{url}---\nText.\n"})
    assert not build_site(site).failed
    before = read_tree(site / "content")
    done = devlog("new", "topic", name)
    assert done.exit_code == 1
    assert "error[colliding-url]" in done.stderr
    assert told in done.stderr
    assert read_tree(site / "content") == before


@pytest.mark.feature("site_search")
def test_the_folder_of_the_search_index(site: Path, devlog: Devlog) -> None:
    done = devlog("new", "topic", "pagefind")
    assert done.exit_code == 1
    assert "error[search-folder-taken]" in done.stderr


@pytest.mark.parametrize(("there", "name"), [("query_plans", "query-plans"), ("Query", "query")])
def test_drift(there: str, name: str, site: Path, devlog: Devlog) -> None:
    write_site(site, {f"content/{there}/_index.md": "---\ntitle: Q\n---\n"})
    before = read_tree(site)
    done = devlog("new", "topic", name)
    assert done.exit_code == 1
    assert f"“{there}”" in done.stderr
    assert read_tree(site) == before


def test_a_topic_may_be_named_like_a_file_of_lists(site: Path, devlog: Devlog) -> None:
    assert devlog("new", "topic", "feed.xml").exit_code == 0
    assert (site / "content/feed-xml/_index.md").exists()
    assert not build_site(site).failed
