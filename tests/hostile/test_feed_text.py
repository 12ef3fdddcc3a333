"""Feeds stay well-formed and valid, whatever text a post holds."""

from __future__ import annotations

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from feed_rules import ATOM, atom_faults, json_faults, reader_faults, rss_faults
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sites import build_site, read_tree, write_site
from tinyhtml5 import parse as parse_html

from devlog.model.document import Body
from devlog.model.target import Entry, FeedView, Filling
from devlog.render.feed import atom, json_feed, rss

ILLEGAL = "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]"
NASTY = st.sampled_from(
    ["]]>", "<![CDATA[", "&#0;", "&amp;", "<!--", "\x0b", "\x1b[0m", "\x00", "\ufffe", "\ufeff", "\x85"]
)
ANY = st.lists(st.one_of(st.text(st.characters(), max_size=20), NASTY), max_size=4).map("".join)
"""Any text, with lone surrogates and control characters."""

WRITTEN = ANY.map(lambda text: re.sub(f"{ILLEGAL}|[\r\x80-\x9f]", "", text))
"""Any text that front matter does not refuse."""

BODY = ANY.map(lambda text: re.sub("[\x00\ud800-\udfff]", "", text))
"""Any text that a file can hold: a zero byte is refused, other control characters are left out with a warning."""

URL = "https://lumen.example/a/"


@pytest.mark.slow
@given(title=ANY, author=ANY, tag=ANY, summary=ANY, html=ANY, description=ANY)
def test_recipes_write_well_formed_xml(
    title: str, author: str, tag: str, summary: str, html: str, description: str
) -> None:
    moment = "2026-05-04T00:00:00Z"
    view = FeedView(title, description, URL, f"{URL}feed.xml", URL, "en", moment, "https://lumen.example")
    body = Body((html.encode("utf-8", "replace").decode(),))
    names = tuple(name for name in (author,) if re.sub(ILLEGAL, "", name))
    tags = tuple(name for name in (tag,) if re.sub(ILLEGAL, "", name))
    entry = Entry(URL, URL, title, moment, moment, names or ("A",), tags, summary, Filling("b", (), URL))
    for write, faults in ((rss, rss_faults), (atom, atom_faults)):
        data = write(view, (entry,), {"b": body}).encode("utf-8")
        assert faults(data) == []
        assert reader_faults(data) == []
    if (title + author + tag + summary + description).isprintable():
        assert json_faults(json_feed(view, (entry,), {"b": body})) == []


@pytest.mark.slow
@given(summary=ANY)
@example(summary="<script>x</script> and &lt;b> of List<String>")
def test_descriptions_of_items_are_html_that_shows_the_summary(summary: str) -> None:
    moment = "2026-05-04T00:00:00Z"
    view = FeedView("T", "D", URL, f"{URL}feed.xml", URL, "en", moment, "https://lumen.example")
    text = re.sub(ILLEGAL, "", summary)
    entry = Entry(URL, URL, "T", moment, moment, ("A",), (), text, Filling("b", (), URL))
    found = ET.fromstring(rss(view, (entry,), {"b": Body(("x",))}).encode()).findtext("channel/item/description")
    body = parse_html(f"<!doctype html><body><div>{found}</div>").find(".//{*}div")
    assert len(body) == 0
    assert (body.text or "").split() == text.split()


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(fields=st.fixed_dictionaries(dict.fromkeys(("title", "summary", "tag", "author", "topic"), WRITTEN)), body=BODY)
@pytest.mark.slow
def test_a_whole_site(fields: dict[str, str], body: str) -> None:
    front = {
        "title": fields["title"] or "x",
        "author": {"name": fields["author"] or "x"},
        "tags": [f"t{fields['tag']}"],
        "summary": fields["summary"],
    }
    text = json.dumps(front) + "\n" + body
    files: dict[str, str | bytes] = {
        "devlog.toml": f'title = "Lumen"\nbase_url = "{URL}"\n',
        "content/core/_index.md": json.dumps({"title": fields["topic"]}) + "\n",
        "content/core/2026-05-04-first.md": text,
        "content/core/2026-05-05-second.md": text,
    }
    tree = _published(files)
    feeds = 0
    for path, data in tree.items():
        name = path.rpartition("/")[2]
        if name in ("index.xml", "feed.xml", "feed.json"):
            faults = {"index.xml": rss_faults, "feed.xml": atom_faults, "feed.json": json_faults}[name]
            assert faults(data) == [], path
            assert name == "feed.json" or reader_faults(data) == [], path
            feeds += 1
    assert feeds == 3 + 3 + 2 + 2 + 2


def _published(files: dict[str, str | bytes]) -> dict[str, bytes]:
    with TemporaryDirectory() as folder:
        report = build_site(write_site(Path(folder), files), cache=False)
        assert [item for item in report.diagnostics if item.severity == "error"] == []
        return read_tree(Path(folder) / "public")


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(before=WRITTEN, after=WRITTEN)
@pytest.mark.slow
def test_ids_survive_an_edit_of_titles(before: str, after: str) -> None:
    assert _ids(before, URL) == _ids(after, URL)
    assert _ids(before, "") == _ids(after, "")


def _ids(title: str, base_url: str) -> list[Any]:
    front = {"author": "Ada Quill (@adaquill)", "tags": ["storage"]}
    files: dict[str, str | bytes] = {
        "devlog.toml": f'base_url = "{base_url}"\n' if base_url else "",
        "content/core/_index.md": json.dumps({"title": title or "x"}) + "\n",
        "content/core/2026-05-04-first.md": json.dumps({"title": title or "x", **front}) + "\n\nText.\n",
        "content/core/2026-05-05-second.md": json.dumps({"title": "Another", **front}) + "\n\nText.\n",
    }
    tree = _published(files)
    found: list[Any] = []
    for path, data in tree.items():
        if path.endswith("feed.xml"):
            found.append([path, [item.text for item in ET.fromstring(data).iter(f"{ATOM}id")]])
        elif path.endswith("index.xml"):
            found.append([path, [item.text for item in ET.fromstring(data).iter("guid")]])
        elif path.endswith("feed.json"):
            found.append([path, [item["id"] for item in json.loads(data)["items"]]])
    assert len(found) == 12
    return found


def test_the_description_of_a_feed_is_no_html(tmp_path: Path) -> None:
    """Readers may take it for HTML: the names of authors and tags in it are shown as they are."""
    name = "<img src=x onerror=alert(1)>"
    post = f"---\ntitle: A\nauthors: ['{name}']\ntags: ['{name}']\n---\nText.\n"
    root = write_site(tmp_path, {"devlog.toml": "cards.enabled = false\n", "content/log/a.md": post})
    build_site(root)
    feeds = {path: data for path, data in read_tree(root / "public").items() if path.endswith("index.xml")}
    named = 0
    for path, data in feeds.items():
        text = ET.fromstring(data).findtext("channel/description") or ""
        assert not [element for element in parse_html(text).iter() if element.tag.endswith("img")], path
        named += "&lt;img src=x" in text
    assert named >= 2
