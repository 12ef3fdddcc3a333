"""Old outputs that are broken, or made to do harm."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from compare_outputs import compared, refresh
from hypothesis import given
from hypothesis import strategies as st
from sites import write_site
from steps import steps

from devlog.cli import main
from devlog.compare import tree as tree_module
from devlog.compare.facts import read_page
from devlog.compare.html import attributes, decode, tags
from devlog.compare.match import author_difference
from devlog.compare.urls import canonical, of_file
from devlog.compare.xml import RefusedError, feed_format, read_feed, read_site_map

# -- URLs


def test_long_paths_stay_as_they_are() -> None:
    """Sorting accents takes time that grows with the square of their number."""
    assert canonical("/e\u0301/index.html") == of_file("e\u0301/index.html") == "/\u00e9/"
    long = "/" + "e\u0301" * 5_000
    assert canonical(long) == of_file(long[1:]) == long


def test_links_of_feeds_are_cut() -> None:
    long = "/" + "a" * 9_000
    rss = f'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><item rdf:about="{long}"/></rdf:RDF>'
    atom = f'<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>a</id><link href="{long}"/></entry></feed>'
    assert [len(entry.id) for entry in read_feed("RSS", [rss.encode()]).entries] == [4_000]
    assert [len(entry.link) for entry in read_feed("Atom", [atom.encode()]).entries] == [4_000]


# -- pages


@pytest.mark.usefixtures("linear")
@pytest.mark.parametrize(
    "piece",
    ["<!--", "<!", "<a b='", '<a b="', "<a ", "</", "<title>", "<script>", "<a b=c ", "<h1>", "<i id=", "&amp", "<x:y"],
)
@pytest.mark.slow
def test_each_byte_is_looked_at_a_few_times(piece: str) -> None:
    read_page(piece * (2_000_000 // len(piece)))  # quadratic work would take hours
    read_page("<h1 itemprop=author>" + (piece + "x") * 100_000)


@pytest.mark.slow
@pytest.mark.usefixtures("linear")
@pytest.mark.parametrize("sign", ["(", "<"])
def test_signs_in_the_names_of_authors(sign: str) -> None:
    assert author_difference([(sign * 400_000,)], [("Ada",)])


def test_a_page_that_many_redirect_to_is_read_once(tmp_path: Path) -> None:
    large = "<h1>T</h1>" + "<p id=a>x</p>" * 2_000

    def work(many: int) -> int:
        old = {f"{number}.html": "<title>T</title>" for number in range(many)}
        new = {f"{number}.html": refresh("large.html") for number in range(many)}
        return steps(lambda: compared(tmp_path / str(many), old, {**new, "large.html": large}))

    work(1)  # fills caches
    assert work(40) < 2 * work(2)


@pytest.mark.slow
@pytest.mark.usefixtures("linear")
def test_many_files_that_cannot_be_compared(tmp_path: Path) -> None:
    reader = tree_module.Reader(tree_module.Tree("old", tmp_path, (), {}))
    for number in range(100_000):
        reader._not_compared(f"{number}.xml", "no feed")
        reader._not_compared("same.xml", "no feed")
    assert len(reader.diagnostics) == 100_001


@pytest.mark.slow
@given(st.text(alphabet="<>/!-='\" abhtielscrpnm1&;\n", max_size=200))
def test_any_page_can_be_read(text: str) -> None:
    read_page(text)


def test_tags() -> None:
    page = "a<P CLASS=x>b<!-- <i> -->c</p\n><script>'<u>'</SCRIPT ><br/><!doctype html><3 <q y='>'>"
    assert [(tag.name, tag.opens, tag.before) for tag in tags(page)] == [
        ("p", True, "a"),
        ("p", False, "bc"),
        ("script", True, ""),
        ("script", False, "'<u>'"),
        ("br", True, ""),
        ("q", True, "<3 "),
    ]


READ_PAGE = """
import resource, sys
from devlog.compare.facts import read_page
resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))
begin, piece = sys.argv[1:]
read_page(begin + piece * (8_000_000 // len(piece)) + ">")
print("read")
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory differ elsewhere")
@pytest.mark.parametrize(
    ("begin", "piece"), [("<a ", "="), ("<a ", "=a"), ("<p>", "a<li>"), ("<p>", "<em>"), ("<a id=x ", "ж ")]
)
def test_memory_grows_with_the_page_and_not_with_its_repetitions(begin: str, piece: str) -> None:
    done = subprocess.run([sys.executable, "-c", READ_PAGE, begin, piece], capture_output=True, text=True, check=False)
    assert done.stdout == "read\n", done.stderr[-1000:]


def test_tags_with_many_attributes() -> None:
    source = " ".join(f"a{number}='{number}'" for number in range(2_000))
    assert attributes(source) == {f"a{number}": str(number) for number in range(1_000)}


def test_facts_have_a_limit() -> None:
    authors = json.dumps([{"@type": "Article", "author": "Ada", "headline": f"T{number}"} for number in range(20)])
    page = read_page(f'<script type="application/ld+json">{authors}</script>' * 30)
    assert (len(page.titles), page.authors) == (20, (("Ada",),))
    many = "".join(
        f'<script type="application/ld+json">{{"@type": "Article", "headline": "T{number}"}}</script>'
        for number in range(1_000)
    )
    assert len(read_page(many).titles) == 200


def test_tags_with_many_values() -> None:
    """More than a single expression matches."""
    values = " ".join(f"a{number}='>'" for number in range(2_500))
    assert [tag[:3] for tag in tags(f"<a {values}>x</a>")] == [("a", True, f" {values}"), ("a", False, "")]
    assert list(tags(f"<a {values} b='>x</a>")) == []
    assert [tag.name for tag in tags("<p>" + "<em>x</em>" * 2_500 + "<h2>", lambda: False)][-1] == "h2"


@pytest.mark.slow
@given(st.text(alphabet="<>/ab \"'=", max_size=30).map(lambda text: f'<p><span class="k">{text}</span><i>x</i>'))
def test_dull_tags_hide_no_other(page: str) -> None:
    dull = {"code", "em", "li", "p", "pre", "span", "strong", "td", "tr"}
    assert [tag[:3] for tag in tags(page, lambda: False) if tag.name not in dull] == [
        tag[:3] for tag in tags(page) if tag.name not in dull
    ]


def test_attributes() -> None:
    source = """ A="1&amp;" b='2"' c=3 d e = "5" a=6 f="" /"""
    assert attributes(source) == {"a": "1&", "b": '2"', "c": "3", "d": "", "e": "5", "f": ""}


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("Grüße".encode(), "Grüße"),
        (b"\xef\xbb\xbfx", "x"),
        ("Grüße".encode("utf-16-le"), None),
        (b"\xff\xfe" + "Grüße".encode("utf-16-le"), "Grüße"),
        ("Grüße".encode("latin-1"), "Grüße"),
        ("<meta charset='koi8-r'>Ж".encode("koi8-r"), "<meta charset='koi8-r'>Ж"),
        (b"<meta charset=zlib>\xe9", "<meta charset=zlib>é"),
        (b"<meta charset=no-such>\xe9", "<meta charset=no-such>é"),
        (b"<meta charset=utf-8>\xe9", "<meta charset=utf-8>é"),
    ],
)
def test_bytes_that_are_not_utf8(data: bytes, text: str | None) -> None:
    assert text is None or decode(data) == text
    assert isinstance(decode(data), str)


@pytest.mark.parametrize("data", ["[" * 200_000, '{"@graph": 1}', '{"@type": 5, "author": {"name": 7}}', "null", "{"])
def test_linked_data_that_is_none(data: str) -> None:
    page = read_page(f'<script type="application/ld+json">{data}</script><title>A</title>')
    assert (page.titles, page.window) == ((), "A")


# -- feeds

BOMB = '<!DOCTYPE r [<!ENTITY a "xxxxxxxxxx"><!ENTITY b "&a;&a;&a;&a;">]>'
FILE = '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]>'


ATTRIBUTE = '<!DOCTYPE r [<!ATTLIST r a CDATA "x">]>'


@pytest.mark.parametrize("declaration", [BOMB, FILE, ATTRIBUTE])
def test_entities_are_refused(declaration: str) -> None:
    with pytest.raises(RefusedError, match="declares entities"):
        read_feed("RSS", [f"{declaration}<rss><item><guid>x</guid></item></rss>".encode()])
    with pytest.raises(RefusedError, match="declares entities"):
        read_site_map([f"{declaration}<urlset></urlset>".encode()])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"<rss><item>", "not valid XML"),
        (b"<rss>\x0b</rss>", "not valid XML"),
        (b'<?xml version="1.0" encoding="no-such"?><rss></rss>', "encoding"),
        (b"<rss>&nbsp;</rss>", "not valid XML"),
    ],
)
def test_feeds_that_are_damaged(data: bytes, reason: str, tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match=reason):
        read_feed("RSS", [data])
    (problem,) = compared(tmp_path, {"feed.xml": b"<rss></rss>"}, {"feed.xml": b"<rss>" + data}).diagnostics
    assert (problem.code, problem.span.path) == ("not-compared", "new/feed.xml")


def test_a_feed_of_json_that_is_none() -> None:
    head = b'{"version": "https://jsonfeed.org/version/1.1", "items": '
    assert feed_format(head) == "JSON"
    for rest in (b"", b"7}", b"[" * 200_000):
        with pytest.raises(RefusedError):
            read_feed("JSON", [head + rest])
    assert read_feed("JSON", [head + b'[7, {"id": 5, "url": null}, {"url": "x"}]}']).entries == (
        tree_entry("5", ""),
        tree_entry("x", "x"),
    )


@pytest.mark.parametrize(
    ("inside", "reason"),
    [
        ("<a>" * 150, "nested more than 100 levels"),
        ("".join(f"<a{number}/>" for number in range(10_500)), "more than 10,000 names"),
        ("".join(f'<a b{number}=""/>' for number in range(10_500)), "more than 10,000 names"),
        ("".join(f'<a xmlns="{number}"/>' for number in range(10_500)), "more than 10,000 names"),
        ("<a " + " ".join(f'b{number}=""' for number in range(1_500)) + "/>", "more than 1,000 attributes"),
        (f'<a xmlns:b="{"c" * 300}"/>', "namespace in it is very long"),
    ],
)
def test_what_a_parser_would_keep_of_a_feed_or_sitemap_is_bounded(inside: str, reason: str) -> None:
    with pytest.raises(RefusedError, match=reason):
        read_feed("RSS", [f"<rss>{inside}".encode()])
    with pytest.raises(RefusedError, match=reason):
        read_site_map([f"<urlset>{inside}".encode()])


@pytest.mark.parametrize(
    ("items", "reason"), [("[" * 200, "nested more than 100 levels"), ("[" + "[]," * 1_600_000, "3,000,000 values")]
)
def test_feeds_of_json_with_too_many_lists(items: str, reason: str) -> None:
    with pytest.raises(RefusedError, match=reason):
        read_feed("JSON", [f'{{"items": {items}'.encode()])


def test_commas_in_the_text_of_a_feed_are_no_values() -> None:
    text = '{"items": [{"url": "x", "content_text": "' + "[,{" * 1_100_000 + '"}]}'
    assert read_feed("JSON", [text.encode()]).entries == (tree_entry("x", "x"),)


def tree_entry(id_: str, link: str) -> object:
    from devlog.compare.xml import FeedEntry

    return FeedEntry(id_, link)


def test_only_the_feeds_own_elements_count() -> None:
    text = (
        '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:m="http://search.yahoo.com/mrss/"><id>feed</id><entry>'
        "<source><id>other</id></source><m:id>media</m:id><id> urn:1 </id>"
        '<link rel="self" href="s"/><link href="p"/></entry></feed>'
    )
    assert read_feed("Atom", [text.encode()]).entries == (tree_entry("urn:1", "p"),)


# -- files


@pytest.mark.skipif(sys.platform == "win32", reason="needs links and named pipes")
def test_links_and_pipes_are_told_and_not_read(tmp_path: Path) -> None:
    write_site(tmp_path, {"secret/index.html": "<title>secret</title>", "old/b.html": ""})
    (tmp_path / "old" / "folder").symlink_to(tmp_path / "secret")
    (tmp_path / "old" / "a.html").symlink_to(tmp_path / "secret" / "index.html")
    os.mkfifo(tmp_path / "old" / "pipe.html")
    done = compared(tmp_path, {}, {"b.html": ""})
    assert [(problem.span.path, problem.message) for problem in done.diagnostics] == [
        ("old/a.html", "was not compared: it is a symbolic link"),
        ("old/folder", "was not compared: it is a symbolic link"),
        ("old/pipe.html", "was not compared: it is not a regular file"),
    ]
    assert done.old_urls["page"] == 2


def test_a_page_that_is_too_large_is_compared_by_its_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_module, "_PAGE_BYTES", 1 << 20)
    done = compared(tmp_path, {"a.html": "x" * ((1 << 20) + 1)}, {"a.html": "<title>A</title>"})
    assert [problem.message for problem in done.diagnostics] == ["was not compared: it is larger than 1 MiB"]
    assert done.lost == ()


def test_folders_without_end(tmp_path: Path) -> None:
    done = compared(tmp_path, {"/".join(["d"] * 70) + "/x.html": ""}, {})
    assert [problem.message for problem in done.diagnostics] == ["was not compared: it is more than 64 folders deep"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_nothing_in_a_name_or_a_page_steers_the_terminal(tmp_path: Path) -> None:
    evil = "\x1b]0;x\x07\u202e"
    old = {"index.html": "", f"{evil}.html": "", "a.html": f"<title>{evil}</title><h2 id='{evil}'>", "f.xml": ""}
    write_site(tmp_path / "old", old)
    write_site(tmp_path / "public", {"index.html": "", "a.html": "<title>A</title>", "f.xml": ""})
    (tmp_path / "old" / os.fsdecode(b"\xff.html")).write_bytes(b"")
    arguments = ["compare", "--root", str(tmp_path), "--old", str(tmp_path / "old")]
    for more in ([], ["-v"], ["--format", "json"]):
        done = CliRunner().invoke(main, [*arguments, *more])
        assert done.exit_code == 1, done.exception
        assert not {"\x1b", "\x07", "\u202e"} & set(done.output)
    told = json.loads(done.stdout)
    assert "/%FF.html" in [row["url"] for row in told["lost"]]
