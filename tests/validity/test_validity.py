"""What a rich site is published as is valid, complete and consistent, seen from outside."""

from __future__ import annotations

import json
import os
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import lxml.html
import pytest
from crawler import broken_references
from feed_rules import atom_faults, json_faults, reader_faults, rss_faults
from rich_site import rich_site
from sites import build_site, read_tree, write_site

BASE = "https://lumen.example/devlog/"
JAR = os.environ.get("DEVLOG_VNU_JAR", "")
POST = "storage/2026-05-20-everything/index.html"


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = write_site(tmp_path_factory.mktemp("rich"), rich_site())
    report = build_site(site, cache=False)
    assert [(item.code, item.span.path) for item in report.diagnostics] == []
    return site / "public"


@pytest.fixture(scope="module")
def tree(public: Path) -> dict[str, bytes]:
    return read_tree(public)


@pytest.fixture(scope="module")
def pages(tree: dict[str, bytes]) -> dict[str, lxml.html.HtmlElement]:
    return {path: lxml.html.document_fromstring(data) for path, data in tree.items() if path.endswith(".html")}


def _kind(page: lxml.html.HtmlElement) -> str:
    found: list[str] = page.xpath("//body/@class")
    return found[0].removeprefix("kind-") if found else "redirect"


@pytest.mark.slow
def test_every_kind_of_page_is_there(pages: dict[str, lxml.html.HtmlElement]) -> None:
    kinds = {_kind(page) for page in pages.values()}
    assert kinds == {
        "home",
        "topic",
        "post",
        "page",
        "author",
        "authors",
        "tag",
        "tags",
        "archive",
        "404",
        "redirect",
        "subscribe",
    }
    assert {"archive/page/2/index.html", "planner/page/2/index.html", "tags/notes/page/3/index.html"} <= pages.keys()
    assert {"storage/trees/index.html", "empty/index.html", "2026/everything.html"} <= pages.keys()


@pytest.mark.java
def test_html_is_valid(public: Path) -> None:
    done = subprocess.run(
        ["java", "-jar", JAR, "--format", "json", "--exit-zero-always", "--skip-non-html", str(public)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    messages: list[dict[str, Any]] = json.loads(done.stderr or done.stdout)["messages"]
    found = {(item["message"], item["url"].partition("/public/")[2]) for item in messages}
    assert found == set()


@pytest.mark.slow
def test_every_reference_leads_somewhere(tree: dict[str, bytes]) -> None:
    broken, count = broken_references(tree, BASE)
    assert broken == []
    assert count > 500


@pytest.mark.slow
def test_the_crawler_sees_broken_references(tree: dict[str, bytes]) -> None:
    without = {path: data for path, data in tree.items() if path not in ("about/index.html", "theme/style.css")}
    broken, _ = broken_references(without, BASE)
    assert {line.partition(": ")[2].partition("?")[0].partition(" ")[0] for line in broken} == {
        "/devlog/about/",
        "/devlog/theme/style.css",
    }


@pytest.mark.slow
def test_feeds_are_valid(tree: dict[str, bytes]) -> None:
    checks = {"index.xml": rss_faults, "feed.xml": atom_faults, "feed.json": json_faults}
    count = 0
    for path, data in tree.items():
        name = path.rpartition("/")[2]
        if name in checks:
            assert checks[name](data) == [], path
            assert name == "feed.json" or reader_faults(data) == [], path
            count += 1
    topics, authors, tags = 4, 3, 5
    assert count == 3 * (1 + topics) + 2 * (authors + tags + 1)


def test_feeds_say_where_they_are(tree: dict[str, bytes]) -> None:
    for path, data in tree.items():
        if path.endswith("feed.xml"):
            links = {link.get("rel"): link.get("href") for link in ET.fromstring(data).findall("{*}link")}
            assert links["self"] == BASE + path
        elif path.endswith("feed.json"):
            assert json.loads(data)["feed_url"] == BASE + path


def test_feeds_hold_absolute_urls_only(tree: dict[str, bytes]) -> None:
    for entry in json.loads(tree["feed.json"])["items"]:
        body = lxml.html.fromstring(f"<div>{entry['content_html']}</div>")
        for name in ("href", "src", "poster"):
            for url in body.xpath(f"//@{name}"):
                assert url.startswith(("https://", "mailto:")), url


def test_pages_name_their_feeds_and_markdown_versions(
    pages: dict[str, lxml.html.HtmlElement], tree: dict[str, bytes]
) -> None:
    for path, page in pages.items():
        named = page.xpath("//link[@rel='alternate']/@href")
        if _kind(page) in ("home", "topic", "author", "tag", "post"):
            assert len(named) >= 2, path
    linked = {
        url.removeprefix("/devlog/") for page in pages.values() for url in page.xpath("//link[@rel='alternate']/@href")
    }
    names = ("index.xml", "feed.xml", "feed.json", "index.md")
    assert linked == {path for path in tree if path.rpartition("/")[2] in names}


def test_the_site_map_lists_what_may_be_found(tree: dict[str, bytes], pages: dict[str, lxml.html.HtmlElement]) -> None:
    listed = [item.text for item in ET.fromstring(tree["sitemap.xml"]).findall(".//{*}loc")]
    expected = {
        BASE + path.removesuffix("index.html")
        for path, page in pages.items()
        if not page.xpath("//meta[@name='robots'][@content='noindex']")
    }
    assert len(listed) == len(set(listed))
    assert set(listed) == expected
    assert f"Sitemap: {BASE}sitemap.xml" in tree["robots.txt"].decode()


def test_the_list_of_posts_agrees_with_the_pages(
    tree: dict[str, bytes], pages: dict[str, lxml.html.HtmlElement]
) -> None:
    records = json.loads(tree["posts.json"])
    assert [record["date"][:10] for record in records] == sorted((r["date"][:10] for r in records), reverse=True)
    posts = {path for path, page in pages.items() if _kind(page) == "post"}
    assert {record["url"].removeprefix(BASE) + "index.html" for record in records} == posts
    keys = "url path markdown_url source title date updated topic topic_title authors tags"
    for record in records:
        assert list(record) == [*keys.split(), "status", "summary", "words", "reading_time"]
        page = pages[record["url"].removeprefix(BASE) + "index.html"]
        assert record["path"] == "/devlog/" + record["url"].removeprefix(BASE)
        assert "".join(page.xpath("//h1//*[@class='p-name']//text()")) == record["title"]
        assert page.xpath("//time[contains(@class,'dt-published')]/@datetime")[0] == record["date"]
        for author in record["authors"]:
            assert author["url"].removeprefix(BASE) + "index.html" in pages


def _has(node: Any, name: str) -> list[Any]:
    found: list[Any] = node.xpath(f".//*[contains(concat(' ', normalize-space(@class), ' '), ' {name} ')]")
    return found


def test_microformats(pages: dict[str, lxml.html.HtmlElement]) -> None:
    for path, page in pages.items():
        kind = _kind(page)
        if kind == "post":
            [entry] = _has(page, "h-entry")
            for name in ("p-name", "dt-published", "e-content", "u-url"):
                assert _has(entry, name), (path, name)
            assert all(_has(author, "p-name") for author in _has(entry, "p-author"))
            assert all("h-card" in author.get("class").split() for author in _has(entry, "p-author"))
        elif kind in ("home", "topic", "tag", "author", "archive") and path != "empty/index.html":
            [feed] = _has(page, "h-feed")
            entries = _has(feed, "h-entry")
            assert entries, path
            assert all(
                _has(entry, "p-name") and _has(entry, "u-url") and _has(entry, "dt-published") for entry in entries
            )
    [entry] = _has(pages[POST], "h-entry")
    assert len(_has(entry, "p-author")) == 3
    assert [item.text for item in _has(entry, "p-category") if item.tag == "a"] == [
        "Storage",
        "C++",
        "crash safety",
        "b.tree",
    ]
    assert [item.get("value") for item in _has(entry, "p-summary")] == ["What a page can hold, all in one."]


def test_heads_say_what_the_page_is(pages: dict[str, lxml.html.HtmlElement]) -> None:
    for path, page in pages.items():
        kind = _kind(page)
        if kind == "redirect":
            continue
        address = BASE + path.removesuffix("index.html")
        if kind != "404":
            assert page.xpath("//link[@rel='canonical']/@href") == [address]
            assert page.xpath("//meta[@property='og:url']/@content") == [address]
        assert page.xpath("//title/text()")[0].strip()
        assert page.xpath("//meta[@property='og:title']/@content")[0]
        assert page.xpath("//meta[@property='og:type']/@content") == ["article" if kind == "post" else "website"]
        if kind in ("home", "post", "page", "author", "tag", "archive"):
            [description] = page.xpath("//meta[@name='description']/@content") or [f"none on {path}"]
            assert not description.startswith("none on")
            assert page.xpath("//meta[@property='og:description']/@content") == [description]


def test_posts_describe_themselves_to_search_engines(pages: dict[str, lxml.html.HtmlElement]) -> None:
    for path, page in pages.items():
        if _kind(page) == "post":
            [data] = page.xpath("//script[@type='application/ld+json']/text()")
            record = json.loads(data)
            assert record["@type"] == "BlogPosting"
            assert record["url"] == BASE + path.removesuffix("index.html")
            assert record["headline"]
            assert record["author"]
            assert record["datePublished"] <= record["dateModified"]
    record = json.loads(pages[POST].xpath("//script[@type='application/ld+json']/text()")[0])
    assert [author["@type"] for author in record["author"]] == ["Person", "Person", "Organization"]
    assert record["image"] == f"{BASE}images/plan.png"
    assert record["keywords"] == ["Storage", "C++", "crash safety", "b.tree"]
    assert record["articleSection"] == "Storage"


def test_redirects_lead_to_their_posts(pages: dict[str, lxml.html.HtmlElement]) -> None:
    redirects = {path: page for path, page in pages.items() if _kind(page) == "redirect"}
    assert len(redirects) == 2
    for page in redirects.values():
        assert page.xpath("//link[@rel='canonical']/@href") == [BASE + POST.removesuffix("index.html")]
