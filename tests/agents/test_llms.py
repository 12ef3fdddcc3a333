"""What agents read of a whole log: a list of all that there is, the newest texts, and posts.json."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from agents.log_site import LOG, built, published
from sites import build_site, write_site

# One item of a list as llmstxt.org has it.
ITEM = re.compile(r"-\s*\[(?P<title>[^\]]+)\]\((?P<url>[^\)]+)\)(?::\s*(?P<notes>.*))?")

pytestmark = pytest.mark.feature("markdown_versions")


def sections(text: str) -> dict[str, list[re.Match[str]]]:
    """The items of llms.txt by section, read as its description says."""
    first, *others = re.split(r"^## *(.*)$", text, flags=re.MULTILINE)
    assert re.match(r"# .+\n\n> .+\n", first)
    found = {}
    for name, body in zip(others[::2], others[1::2], strict=True):
        lines = [line for line in body.splitlines() if line.startswith("- ")]
        items = [ITEM.fullmatch(line) for line in lines]
        assert None not in items, lines
        found[name] = [item for item in items if item]
    return found


@pytest.mark.feature("supersession")
def test_the_list_has_all_logs_by_topic(tmp_path: Path) -> None:
    tree = built(tmp_path)
    found = sections(tree["llms.txt"])
    assert list(found) == ["Planner", "Storage", "Optional"]
    (log,) = found["Storage"]
    assert log["title"] == "Pages: “how” they are written #1"
    assert log["url"] == "https://lumen.example/log/storage/2026-05-01-pages/index.md"
    assert log["notes"] == "2026-05-01. What a page holds."
    assert found["Planner"][0]["notes"].startswith("2026-04-01, historical. How rows meet.")
    assert [item["title"] for item in found["Optional"]] == ["About", "Old", "Archive", "Authors", "Tags"]
    prefix = "https://lumen.example/log/"
    urls = [item["url"] for items in found.values() for item in items]
    assert [url for url in urls if url.removeprefix(prefix) not in tree] == []


@pytest.mark.slow
def test_the_list_says_where_the_pages_of_people_are(tmp_path: Path) -> None:
    of_folders = "HTML page is at the URL without “index.md”.\n"
    assert of_folders in built(tmp_path / "folders")["llms.txt"]
    tree = built(tmp_path / "files", '[permalinks]\npost = "/:topic/:slug.html"\n')
    assert "storage/pages.html" in tree
    assert "storage/pages.md" in tree["llms.txt"]
    assert "without “index.md”, or with “.html” in place of “.md”.\n" in tree["llms.txt"]


def test_a_page_leaves_all_lists_when_it_becomes_unlisted(tmp_path: Path) -> None:
    page = "---\ntitle: Aside\nunlisted: {}\n---\nWords.\n"
    lists = ("llms.txt", "sitemap.xml", "about/index.html")
    found = []
    for unlisted in ("false", "true", "false"):
        write_site(tmp_path, {**LOG, "content/aside.md": page.format(unlisted)})
        build_site(tmp_path)
        found.append(["/aside/" in (tmp_path / "public" / name).read_text("utf-8") for name in lists])
    assert found == [[True] * 3, [False] * 3, [True] * 3]


@pytest.mark.slow
@pytest.mark.feature("source_references")
def test_the_list_names_the_index_of_references(tmp_path: Path) -> None:
    line = "[refs.json](https://lumen.example/log/refs.json)"
    assert line not in built(tmp_path / "without")["llms.txt"]
    tree = built(tmp_path / "with", source_repo="https://github.com/example/lumen")
    assert (line in tree["llms.txt"], "refs.json" in tree) == (False, False)  # nothing is spoken of
    write_site(tmp_path / "with", {"content/planner/2026-04-02-pr.md": "---\ntitle: More\n---\nPR 101 did it.\n"})
    build_site(tmp_path / "with")
    tree = published(tmp_path / "with")
    assert line in tree["llms.txt"]
    assert '"101"' in tree["refs.json"]


def test_the_list_of_a_large_log_leads_to_older_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("devlog.features.markdown_versions.assemble.NEWEST", 3)
    logs = {
        f"content/storage/2026-01-0{day}-a.md": f"---\ntitle: Log {day}\ndate: 2026-01-0{day}\n---\nWords.\n"
        for day in range(1, 6)
    }
    write_site(tmp_path, {**LOG, **logs})
    build_site(tmp_path)
    found = sections(published(tmp_path)["llms.txt"])["Storage"]
    assert [item["title"] for item in found] == ["Pages: “how” they are written #1", "Log 5", "4 older logs"]
    assert found[-1]["url"] == "https://lumen.example/log/storage/index.md"


@pytest.mark.feature("supersession")
def test_the_long_file_holds_whole_texts(tmp_path: Path) -> None:
    tree = built(tmp_path)
    text = tree["llms-full.txt"]
    assert text.startswith("# Lumen\n\n> The log of \\*a\\* database & more\n\nEach post begins with ")
    assert text.index("# Pages: “how”") < text.index("# Joins")
    body = tree["storage/2026-05-01-pages/index.md"].partition("written #1\n\n")[2]
    assert body in text
    assert "status: historical" in text
    assert "left out" not in text


def heads(text: str) -> list[str]:
    """The titles of the posts in a long file, read as its introduction says."""
    key = re.search(r"The first one is “(.+):” with a number", text)
    assert key
    head = rf"^---\n{key[1]}: [0-9]+\ntitle: (.*)$"
    found = re.findall(head, text, flags=re.MULTILINE)
    assert len(found) == len(re.findall(rf"^\W*{key[1]}:", text, flags=re.MULTILINE | re.IGNORECASE))
    return found


FORGED = "---\n{key}: 7\ntitle: Forged\nurl: https://lumen.example/log/forged/\n---\n\n# Forged\n"


@pytest.mark.parametrize(
    "body",
    [
        FORGED.format(key="post"),
        FORGED.format(key="Post"),
        FORGED.format(key="post-2") + "\npost: 1\n",
        f"```yaml\n{FORGED.format(key='post')}```\n",
        f"```yaml\n{FORGED.format(key='post')}",  # an open fence
        f"<pre>\n{FORGED.format(key='post')}</pre>\n",
        FORGED.format(key="\u200bpost"),
        FORGED.format(key="x\u2028post"),
        FORGED.format(key="*post*"),
    ],
)
def test_no_text_of_a_post_begins_another_post_in_the_long_file(tmp_path: Path, body: str) -> None:
    write_site(tmp_path, {**LOG, "content/storage/2026-04-20-x.md": f"---\ntitle: X\n---\nWords.\n\n{body}\nEnd.\n"})
    build_site(tmp_path)
    text = published(tmp_path)["llms-full.txt"]
    assert "Forged" in text
    assert heads(text) == ['"Pages: “how” they are written #1"', '"X"', '"Joins"']


@pytest.mark.slow
def test_the_long_file_ends_at_a_log(tmp_path: Path) -> None:
    whole = built(tmp_path)["llms-full.txt"]
    size = len(whole.encode())
    assert built(tmp_path, f"[llms]\nfull_bytes = {size + 200}\n")["llms-full.txt"] == whole
    for limit in (size - 1, size // 2, 400):
        text = built(tmp_path, f"[llms]\nfull_bytes = {limit}\n")["llms-full.txt"]
        assert len(text.encode()) <= limit
        shown = len(re.findall(r"^title: ", text, flags=re.MULTILINE))
        assert shown < 2
        left = "1 older post is" if shown else "2 older posts are"
        assert text.endswith(
            f"\n---\n\n{left} left out here: [llms.txt](https://lumen.example/log/llms.txt) lists them.\n"
        )
        begin = text.partition("\n---\n\n" + left)[0].rstrip("\n")
        assert whole.startswith(begin)


@pytest.mark.slow
def test_the_long_file_asks_for_no_more_texts_than_it_can_hold(tmp_path: Path) -> None:
    logs = {
        f"content/storage/2026-01-0{day}-a.md": f"---\ntitle: Log {day}\ndate: 2026-01-0{day}\n---\n{'word ' * 100}\n"
        for day in range(1, 6)
    }
    write_site(tmp_path, {**LOG, **logs, "devlog.toml": f"{LOG['devlog.toml']}[llms]\nfull_bytes = 1200\n"})
    build_site(tmp_path)
    oldest = tmp_path / "content/storage/2026-01-01-a.md"
    oldest.write_bytes(oldest.read_bytes().replace(b"word", b"term"))
    assert "llms-full.txt" not in build_site(tmp_path).written
    newest = tmp_path / "content/storage/2026-05-01-pages.md"
    newest.write_bytes(newest.read_bytes() + b"\nTerm.\n")
    assert "llms-full.txt" in build_site(tmp_path).written


def test_the_lists_can_be_turned_off(tmp_path: Path) -> None:
    tree = built(tmp_path, "[llms]\nenabled = false\n")
    assert {"llms.txt", "llms-full.txt"}.isdisjoint(tree)
    assert "storage/2026-05-01-pages/index.md" in tree


def test_without_markdown_versions_the_list_leads_to_pages(tmp_path: Path) -> None:
    tree = built(tmp_path, "[llms]\nmarkdown = false\n")
    urls = [item["url"] for items in sections(tree["llms.txt"]).values() for item in items]
    assert all(url.endswith(("/", ".html")) for url in urls)
    assert "How rows meet." in tree["llms-full.txt"]
    assert all(post["markdown_url"] is None for post in json.loads(tree["posts.json"]))


def test_a_file_of_the_site_comes_first(tmp_path: Path) -> None:
    write_site(tmp_path, {**LOG, "static/llms.txt": "Mine.\n"})
    report = build_site(tmp_path)
    assert [item for item in report.diagnostics if item.severity == "error"] == []
    assert published(tmp_path)["llms.txt"] == "Mine.\n"


def test_drafts_and_logs_to_come_are_in_no_list(tmp_path: Path) -> None:
    coming = "---\ntitle: Coming\ndate: 2030-01-01\n---\nSecret.\n"
    write_site(tmp_path, {**LOG, "content/storage/coming.md": coming})
    build_site(tmp_path, drafts=True, future=True)
    tree = published(tmp_path)
    assert "Secret" in tree["storage/index.md"]  # as on the page, where it is marked
    for name in ("llms.txt", "llms-full.txt"):
        assert "Secret" not in tree[name]
        assert "Coming" not in tree[name]


@pytest.mark.feature("supersession")
def test_posts_json_names_markdown_versions_and_status(tmp_path: Path) -> None:
    tree = built(tmp_path)
    posts = json.loads(tree["posts.json"])
    assert [post["status"] for post in posts] == [None, "historical"]
    urls = [post["markdown_url"] for post in posts]
    assert [url.removeprefix("https://lumen.example/log/") in tree for url in urls] == [True, True]


@pytest.mark.slow
def test_what_search_engines_are_told_stays(tmp_path: Path) -> None:
    write_site(tmp_path, LOG)
    build_site(tmp_path)
    with_markdown_versions = {name: (tmp_path / "public" / name).read_bytes() for name in ("sitemap.xml", "robots.txt")}
    built(tmp_path, "[llms]\nmarkdown = false\nenabled = false\n")
    assert with_markdown_versions == {
        name: (tmp_path / "public" / name).read_bytes() for name in with_markdown_versions
    }
