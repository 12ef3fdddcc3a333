"""What comparing finds, and what it does not."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path

import pytest
from compare_outputs import BASE, CONTENT, ORIGIN, compared, hugo, jekyll, refresh, tree, zola
from sites import build_site, write_site

from devlog.compare.compare import compare_trees
from devlog.compare.tree import Tree, read_tree
from devlog.compare.values import Anchors, Compared, Comparison, Differs, Found, Lost, Moved, by_kind

# -- real outputs of this generator beside those of others


def built(folder: Path, pattern: str) -> Tree:
    """The output of this site by devlog, with the URLs of the old one."""
    files = {path: text.replace("POST", pattern) for path, text in CONTENT.items()}
    report = build_site(write_site(folder, files))
    assert not report.failed, report.diagnostics
    found = read_tree(folder / "public", "public", None, BASE)
    assert isinstance(found, Tree)
    return found


STYLES = {
    "hugo": (hugo, "/:topic/:name/", Compared(title=3, date=2, authors=2, anchors=2, feeds=2)),
    "jekyll": (
        jekyll,
        "/:topic/:year/:month/:day/:slug.html",
        Compared(title=2, date=2, authors=2, anchors=2, feeds=1),
    ),
    "zola": (zola, "/:topic/:slug/", Compared(title=3, date=2, authors=0, anchors=2, feeds=0)),
}


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_a_migrated_site_lost_nothing(style: str, tmp_path: Path) -> None:
    make, pattern, seen = STYLES[style]
    files = {path.replace("/05/21/", "/05/20/"): text for path, text in make().items()}
    done = compare_trees(tree(tmp_path / "old", files), built(tmp_path / "new", pattern), (), UTC)
    assert [lost for lost in done.lost if not lost.excuse] == []
    assert not done.failed
    assert (done.titles, done.dates, done.authors, done.anchors, done.redirects) == ((), (), (), (), ())
    assert done.compared == seen


def test_what_the_theme_of_each_style_took_along(tmp_path: Path) -> None:
    done = compare_trees(tree(tmp_path / "old", hugo()), built(tmp_path / "new", "/:topic/:name/"), (), UTC)
    assert done.lost == (
        Lost("/css/main.min.css", "asset", excuse="theme"),
        Lost("/tags/disk/page/1/", "list", led_to="/tags/disk/", excuse="first-page"),
    )


def test_entries_of_a_feed_under_another_id(tmp_path: Path) -> None:
    files = {path: text for path, text in jekyll().items() if "/21/" not in path}
    (change,) = compare_trees(
        tree(tmp_path / "old", files), built(tmp_path / "new", "/:topic/:year/:month/:day/:slug.html"), (), UTC
    ).feeds
    link = "/storage/2026/05/04/write-path.html"
    assert [(entry.link, entry.old, entry.new) for entry in change.changed] == [
        (link, f"{ORIGIN}{link.removesuffix('.html')}", f"{ORIGIN}{link}")
    ]
    assert (change.url, change.same, change.only_old, change.only_new) == ("/feed.xml", 0, 0, 1)


# -- URLs


def test_kinds_are_counted_apart(tmp_path: Path) -> None:
    old = {
        "a/index.html": "",
        "b.html": "",
        "page/2/index.html": "",
        "tags/x/index.html": "",
        "series/x/index.html": '<meta property="og:type" content="article">',
        "feed.xml": "<rss></rss>",
        "feed.json": '{"version": "https://jsonfeed.org/version/1.1", "items": []}',
        "sitemap.xml": "<urlset></urlset>",
        "data.json": "{}",
        "plan.pdf": "",
        "css/main.css": "",
        "favicon-32x32.png": "",
        "index.html.gz": "",
        ".git/index.html": "",
    }
    done = compared(tmp_path, old, {})
    assert done.old_urls == {"page": 4, "list": 2, "feed": 2, "file": 3, "asset": 3}
    assert done.kept == by_kind(["page"])
    assert [(lost.url, lost.kind) for lost in done.lost if lost.kind in {"feed", "file"}] == [
        ("/data.json", "file"),
        ("/feed.json", "feed"),
        ("/feed.xml", "feed"),
        ("/plan.pdf", "file"),
        ("/sitemap.xml", "file"),
    ]
    assert [lost.url for lost in done.lost if lost.excuse] == ["/css/main.css", "/favicon-32x32.png", "/index.html.gz"]


@pytest.mark.parametrize(
    ("file", "counts"),
    [("a/index.html", True), ("feed.xml", True), ("plan.png", True), ("main.js", False), ("f/x.woff2", False)],
)
def test_what_counts_as_lost(file: str, counts: bool, tmp_path: Path) -> None:
    text = "<feed></feed>" if file == "feed.xml" else ""
    assert compared(tmp_path / "lost", {file: text}, {}).failed == counts
    assert not compared(tmp_path / "kept", {file: text}, {file: text}).failed
    url = "/a/" if file == "a/index.html" else f"/{file}"
    assert not compared(tmp_path / "accepted", {file: text}, {}, (url[:3] + "*",)).failed


@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        ("a/index.html", "a/index.htm", ()),
        ("a.html", "a.html", ()),
        ("a", "a/index.html", ()),
        ("a.html", "a/index.html", (Lost("/a.html", "page", near="/a/", near_by="form"),)),
        ("a/index.html", "a.html", (Lost("/a/", "page", near="/a.html", near_by="form"),)),
        ("Post/index.html", "post/index.html", (Lost("/Post/", "page", near="/post/", near_by="case"),)),
        ("a/index.html", "b/index.html", (Lost("/a/", "page"),)),
        ("cafe\u0301/index.html", "caf\u00e9/index.html", ()),
        ("feed.xml", "feed.xml", ()),
    ],
)
def test_when_two_addresses_are_one(old: str, new: str, lost: tuple[Lost, ...], tmp_path: Path) -> None:
    assert compared(tmp_path, {old: ""}, {new: ""}).lost == lost


def test_a_lost_page_is_found_by_its_title(tmp_path: Path) -> None:
    page = "<title>One copy less | The Lumen log</title>"
    done = compared(
        tmp_path, {"2026/copy/index.html": page}, {"copy/index.html": page, "x/index.html": "<h1>Else</h1>"}
    )
    assert done.lost == (Lost("/2026/copy/", "page", near="/copy/", near_by="title"),)
    twice = compared(tmp_path / "2", {"2026/copy/index.html": page}, {"a.html": page, "b.html": page})
    assert twice.lost == (Lost("/2026/copy/", "page"),)


def test_what_is_new(tmp_path: Path) -> None:
    done = compared(tmp_path, {"a.html": ""}, {"a.html": "", "b.html": "", "x.css": ""})
    assert done.added == (Found("/b.html", "page"), Found("/x.css", "asset"))


def test_a_feed_that_is_none_any_more(tmp_path: Path) -> None:
    done = compared(tmp_path, {"feed.xml": "<rss></rss>"}, {"feed.xml": "<html></html>"})
    assert done.lost == (Lost("/feed.xml", "feed", "no-feed"),)


# -- redirects

PAGE = "<title>Text</title>"
A, B, C = "a/index.html", "b/index.html", "c/index.html"
REDIRECTS = {
    "to a page": ({A: PAGE}, {A: refresh("/lumen/b/"), B: PAGE}, Moved("/a/", "page", "/b/")),
    "by a whole address": ({A: PAGE}, {A: refresh(f"{ORIGIN}/b/"), B: PAGE}, Moved("/a/", "page", "/b/")),
    "by a relative address": ({A: PAGE}, {A: refresh("../b/#x"), B: PAGE}, Moved("/a/", "page", "/b/")),
    "through another": ({A: PAGE}, {A: refresh("../b/"), B: refresh("../c/"), C: PAGE}, Moved("/a/", "page", "/c/")),
    "to another site": (
        {A: PAGE},
        {A: refresh("https://example.net/")},
        Moved("/a/", "page", "https://example.net/", inside=False),
    ),
    "to nothing": ({A: PAGE}, {A: refresh("/lumen/b/")}, Lost("/a/", "page", "leads-nowhere")),
    "in a circle": ({A: PAGE}, {A: refresh("../b/"), B: refresh("../a/")}, Lost("/a/", "page", "loop")),
    "to nothing, as before": ({A: refresh("/lumen/b/")}, {A: refresh("/lumen/c/")}, None),
    "to itself": ({A: PAGE}, {A: refresh("/lumen/a/")}, None),
    "reloading": ({A: PAGE}, {A: '<meta http-equiv="refresh" content="30">'}, None),
    "gone": ({A: refresh("../b/"), B: PAGE}, {B: PAGE}, Lost("/a/", "page", led_to="/b/")),
    "kept": ({A: refresh("../b/"), B: PAGE}, {A: refresh(f"{ORIGIN}/b/"), B: PAGE}, None),
    "a page now": ({A: refresh("../b/"), B: PAGE}, {A: PAGE, B: PAGE}, None),
    "elsewhere": (
        {A: refresh("../b/"), B: PAGE, C: PAGE},
        {A: refresh("../c/"), B: PAGE, C: PAGE},
        Differs("/a/", "/b/", "/c/"),
    ),
    "after its goal": (
        {A: refresh("../b/"), B: PAGE},
        {A: refresh("../c/"), B: refresh("../c/"), C: PAGE},
        Moved("/b/", "page", "/c/"),
    ),
    "outside as before": ({A: refresh("https://example.net/")}, {A: refresh("https://example.net/")}, None),
    "outside to elsewhere": (
        {A: refresh("https://example.net/")},
        {A: refresh("https://example.net/x")},
        Differs("/a/", "https://example.net/", "https://example.net/x"),
    ),
    "outside through another": (
        {A: PAGE},
        {A: refresh("../b/"), B: refresh("https://example.net/")},
        Moved("/a/", "page", "https://example.net/", inside=False),
    ),
    "outside through another, as before": (
        {A: refresh("../b/"), B: refresh("https://example.net/")},
        {A: refresh("../b/"), B: refresh("https://example.net/")},
        None,
    ),
    "outside, no longer through another": (
        {A: refresh("../b/"), B: refresh("https://example.net/")},
        {A: refresh("https://example.net/"), B: refresh("https://example.net/")},
        None,
    ),
    "outside after its goal": (
        {A: refresh("../b/"), B: PAGE},
        {A: refresh("../b/"), B: refresh("https://example.net/")},
        Moved("/b/", "page", "https://example.net/", inside=False),
    ),
    "inside, then outside": (
        {A: refresh("../b/"), B: PAGE, C: refresh("https://example.net/")},
        {A: refresh("../c/"), B: PAGE, C: refresh("https://example.net/")},
        Differs("/a/", "/b/", "https://example.net/"),
    ),
    "to itself, no longer to a page": (
        {A: refresh("../b/"), B: PAGE},
        {A: refresh("../a/"), B: PAGE},
        Lost("/a/", "page", "loop", led_to="/b/"),
    ),
    "to itself, as before": ({A: refresh("../a/")}, {A: refresh("../a/")}, None),
    "to itself, no longer to nothing": ({A: refresh("../b/")}, {A: refresh("../a/")}, None),
}


@pytest.mark.parametrize("case", REDIRECTS)
def test_redirects(case: str, tmp_path: Path) -> None:
    old, new, expected = REDIRECTS[case]
    done = compared(tmp_path, old, new)
    assert (*done.lost, *done.redirected, *done.redirects) == ((expected,) if expected else ())
    assert done.failed == isinstance(expected, Lost)


# -- what pages say


def difference(folder: Path, old: str, new: str) -> Comparison:
    return compared(folder, {"a/index.html": old}, {"a/index.html": new})


SAME = {
    "suffix": ("<title>One copy less - The Lumen log</title>", '<meta property="og:title" content="One copy less">'),
    "prefix": ("<title>The Lumen log: One copy less</title>", "<title>One copy less</title>"),
    "section": ("<title>One copy less · Storage</title>", '<meta property="og:title" content="One copy less">'),
    "typography": ("<title>Don&#8217;t copy -- “now”…</title>", '<title>Don\'t copy – "now"...</title>'),
    "code": ("<title>Why <code>fsync</code></title>", "<title>Why &lt;code>fsync&lt;/code></title>"),
    "heading": ("<h1>The Lumen log</h1><h1>One <em>copy</em> less <a>#</a></h1>", "<title>One copy less</title>"),
    "nothing said": ("<p>One</p>", "<title>Two</title>"),
    "date and time": ('<time datetime="2026-05-04">', '<meta property="article:published_time" content="2026-05-04">'),
    "one moment": (
        '<time datetime="2026-05-04T23:00:00-08:00">',
        '<meta property="article:published_time" content="2026-05-05T07:00:00Z">',
    ),
    "day of a moment": ('<time datetime="2026-05-04T23:00:00-08:00">', '<time datetime="2026-05-04">'),
    "spelled out": ('<meta name="date" content="2026-05-04 10:00:00 +0000 UTC">', "<time>May 4, 2026</time>"),
    "when it was changed": (
        '<time datetime="2026-05-04">',
        '<time class="dt-updated" datetime="2026-06-01"></time><time datetime="2026-05-04">',
    ),
    "behind a page without a date": ("<article></article><time>2026-05-04</time>", "<time>2026-05-04</time>"),
    "before the article": (
        "<header><time>2026-05-04</time></header><article><time>2026-05-01</time></article>",
        "<article><time>2026-05-04</time></article>",
    ),
    "no date": ('<time datetime="soon">', '<time datetime="2026-05-04">'),
    "authors in one": (
        '<meta name="author" content="Bo Reed and Ada Quill (@adaquill)">',
        '<meta property="article:author" content="Ada Quill"><meta property="article:author" content="Bo Reed">',
    ),
    "linked data": (
        '<script type="application/ld+json">{"@type":"BlogPosting","author":[{"name":"Ada Quill"}]}</script>',
        '<a rel="author">Ada Quill</a>',
    ),
    "a handle": ('<meta name="author" content="adaquill">', '<meta name="author" content="Ada Quill">'),
    "anchors": ('<h2 id="x">X</h2><h3><a name="y"></a>Y</h3>', '<p id="x"></p><span id="y">'),
    "of the theme": ('<nav><h2 id="menu"></h2></nav><footer><h2 id="about"></h2></footer>', ""),
    "in a list": (
        '<title>A</title><article><h2 id="x"></h2></article><article></article>',
        "<title>B</title><article></article>",
    ),
}


@pytest.mark.parametrize("case", SAME)
def test_what_is_the_same(case: str, tmp_path: Path) -> None:
    done = difference(tmp_path, *SAME[case])
    assert (done.titles, done.dates, done.authors, done.anchors) == ((), (), (), ())


RELATED = (
    '<section><time class="stamp dt-published" datetime="2026-05-01">May 1</time><time>2026-05-02</time></section>'
)
DIFFERENT = {
    "title": ("<title>One copy less | The Lumen log</title>", "<title>One copy more</title>", ["titles"]),
    "title for programs": (
        '<meta property="og:title" content="A"><h1>Same</h1>',
        '<meta property="og:title" content="B"><h1>Same</h1>',
        ["titles"],
    ),
    "half a title": (
        '<meta property="og:title" content="Batches - and limits">',
        '<meta property="og:title" content="Batches">',
        ["titles"],
    ),
    "letter case": ("<title>fsync</title>", "<title>Fsync</title>", ["titles"]),
    "date": ('<time datetime="2026-05-04">', '<time datetime="2026-05-05">', ["dates"]),
    "day of a moment": (
        '<time datetime="2026-05-04T10:00:00-08:00">',
        '<meta property="article:published_time" content="2026-05-05">',
        ["dates"],
    ),
    "date of a page with related posts": (
        f"<article><time>2026-05-04</time></article>{RELATED}",
        f"<article><time>2026-05-05</time></article>{RELATED}",
        ["dates"],
    ),
    "date before the article": (
        f"<time>2026-05-04</time><article></article>{RELATED}",
        f"<time>2026-05-05</time><article></article>{RELATED}",
        ["dates"],
    ),
    "published date of a page with related posts": (
        f'<article><time class="dt-published" datetime="2026-05-04"></article>{RELATED}',
        f'<article><time class="dt-published" datetime="2026-05-05"></article>{RELATED}',
        ["dates"],
    ),
    "authors": (
        '<meta name="author" content="Ada Quill, Bo Reed">',
        '<meta name="author" content="Ada Quill">',
        ["authors"],
    ),
    "anchor": ('<h2 id="x">X</h2>', '<h2 id="X">X</h2>', ["anchors"]),
    "anchor in a heading": ('<h2>X <a name="x"></a></h2>', "<h2>X</h2>", ["anchors"]),
}


@pytest.mark.parametrize("case", DIFFERENT)
def test_what_differs(case: str, tmp_path: Path) -> None:
    old, new, expected = DIFFERENT[case]
    done = difference(tmp_path, old, new)
    assert [name for name in ("titles", "dates", "authors", "anchors") if getattr(done, name)] == expected
    assert not done.failed


def test_an_author_whom_every_page_names_is_no_author(tmp_path: Path) -> None:
    site = '<title>The Lumen log</title><meta name="author" content="The Lumen team">'
    old = {"index.html": site, "a/index.html": '<title>A</title><meta name="author" content="The Lumen team">'}
    done = compared(tmp_path, old, {"a/index.html": '<title>A</title><meta name="author" content="Ada Quill">'})
    assert done.authors == ()
    assert done.compared.authors == 0


def test_a_page_that_moved_is_compared_where_it_is_now(tmp_path: Path) -> None:
    old = {"a.html": '<title>Old</title><h2 id="x">', "c.html": "<title>C</title>"}
    new = {"a.html": refresh("b.html"), "b.html": "<title>New</title>", "c.html": "<title>See</title>"}
    done = compared(tmp_path, old, new)
    assert done.titles == (Differs("/a.html", "Old", "New"), Differs("/c.html", "C", "See"))
    assert done.anchors == (Anchors("/a.html", ("x",)),)


# -- feeds


def rss(*entries: tuple[str, str]) -> str:
    items = "".join(f"<item><guid>{guid}</guid><link>{link}</link></item>" for guid, link in entries)
    return f'<rss xmlns:media="http://search.yahoo.com/mrss/"><channel><link>x</link>{items}</channel></rss>'


def test_a_shorter_feed_is_told_as_that(tmp_path: Path) -> None:
    many = [(f"urn:{number}", f"{ORIGIN}/{number}/") for number in range(9)]
    (change,) = compared(tmp_path, {"index.xml": rss(*many)}, {"index.xml": rss(*many[:4])}).feeds
    assert (change.same, change.changed, change.only_old, change.only_new) == (4, (), 5, 0)


def test_the_same_entries_in_another_format(tmp_path: Path) -> None:
    atom = '<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>urn:1</id><link href="/lumen/1/"/></entry></feed>'
    (change,) = compared(tmp_path, {"feed.xml": rss(("urn:1", "/lumen/1/"))}, {"feed.xml": atom}).feeds
    assert (change.old_format, change.new_format, change.same, change.changed) == ("RSS", "Atom", 1, ())


def test_entries_whose_page_has_moved(tmp_path: Path) -> None:
    old = {"feed.xml": rss((f"{ORIGIN}/a/", f"{ORIGIN}/a/")), "a/index.html": PAGE}
    new = {
        "feed.xml": rss((f"{ORIGIN}/b/", f"{ORIGIN}/b/")),
        "a/index.html": refresh("/lumen/b/"),
        "b/index.html": PAGE,
    }
    (change,) = compared(tmp_path, old, new).feeds
    assert [(entry.old, entry.new) for entry in change.changed] == [(f"{ORIGIN}/a/", f"{ORIGIN}/b/")]


def test_equal_feeds_are_not_told(tmp_path: Path) -> None:
    feed = rss(("urn:1", "/lumen/1/"))
    done = compared(tmp_path, {"feed.xml": feed}, {"feed.xml": feed.replace("<channel>", "<channel><title>x</title>")})
    assert done.feeds == ()
    assert done.compared.feeds == 1
