"""A payload in every field of every post: no page, feed or list of the site comes to harm."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import lxml.html
import pytest
from harm import harm_in, may_run
from hostile_site import hostile_site, shown
from markdown_it import MarkdownIt
from payloads import CANARY, PAYLOADS
from sites import build_site, read_tree, write_site
from watch import offline, watching

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published site of all payloads."""
    return _published(tmp_path_factory.mktemp("hostile"), PAYLOADS)


@pytest.fixture(scope="module")
def tree(public: Path) -> dict[str, bytes]:
    return read_tree(public)


@pytest.fixture(scope="module")
def harmless(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The same kinds of pages with words in place of payloads."""
    return read_tree(_published(tmp_path_factory.mktemp("harmless"), ["    one word", "two words"]))


def _published(folder: Path, payloads: tuple[str, ...] | list[str]) -> Path:
    report = build_site(write_site(folder, hostile_site(payloads)), cache=False, search=True)
    assert [item for item in report.diagnostics if item.severity == "error"] == []
    assert report.posts == len(payloads)
    return folder / "public"


def _text(data: bytes) -> str:
    return data.decode("utf-8")


class _Scripts(HTMLParser):
    """Counts what another parser takes for scripts."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.sources: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        assert not any(name.startswith("on") for name in found), (tag, attrs)
        if tag == "script" and found.get("type") != "application/ld+json":
            self.sources.append(found.get("src") or "")


def _kind(html: str) -> str:
    found = re.search(r'<body class="kind-(\w+)">', html)
    return found[1] if found else "redirect"


def _scripts_by_kind(tree: dict[str, bytes]) -> dict[str, tuple[str, ...]]:
    """The scripts of the page that has most of them, for each kind of page."""
    pages = [_text(data) for path, data in tree.items() if path.endswith(".html")]
    found = sorted((tuple(_Scripts(page).sources), _kind(page)) for page in pages)
    return {kind: scripts for scripts, kind in sorted(found, key=lambda item: len(item[0]))}


def test_every_page_is_harmless(tree: dict[str, bytes], harmless: dict[str, bytes]) -> None:
    baseline = _scripts_by_kind(harmless)
    assert {"home", "topic", "post", "author", "authors", "tag", "tags", "archive", "404", "redirect"} <= set(baseline)
    wrong = {}
    for path, data in tree.items():
        if path.endswith(".html"):
            page = _text(data)
            scripts = baseline[_kind(page)]
            found = harm_in(page, scripts)
            if not may_run(_Scripts(page).sources, scripts):
                found.append("scripts, as another parser sees them")
            if found:
                wrong[path] = found
    assert wrong == {}


def test_every_feed_is_harmless(tree: dict[str, bytes]) -> None:
    wrong = {}
    bodies = 0
    for path, html in _feed_bodies(tree):
        bodies += 1
        found = harm_in(html, ())
        if found:
            wrong[path] = found
    assert wrong == {}
    assert bodies > 3 * len(PAYLOADS)


def _feed_bodies(tree: dict[str, bytes]) -> Iterator[tuple[str, str]]:
    """The HTML that each feed holds."""
    for path, data in tree.items():
        if path.endswith("index.xml"):
            for item in ET.fromstring(data).iter("{http://purl.org/rss/1.0/modules/content/}encoded"):
                yield path, item.text or ""
        elif path.endswith("feed.xml"):
            for item in ET.fromstring(data).iter("{http://www.w3.org/2005/Atom}content"):
                assert item.get("type") == "html"
                yield path, item.text or ""
        elif path.endswith("feed.json"):
            for entry in json.loads(data)["items"]:
                yield path, entry["content_html"]


# Programs read these with parsers of their own, which may take any scheme, and decode more than a browser does.
_ANY_LINK = MarkdownIt("commonmark", {"html": True}).enable(["table"])
_ANY_LINK.validateLink = lambda _url: True  # type: ignore[method-assign]
_ANY_LINK.normalizeLink = lambda url: url  # type: ignore[method-assign]
_FRONT = re.compile(r"^---\ntitle: .*?\n---\n", re.MULTILINE | re.DOTALL)
_URL_KEYS = re.compile(r"url|image|avatar|icon|link|href|canonical|audio", re.IGNORECASE)
_SCRIPT = re.compile(
    r"(?:view-source:|feed:|jar:)*(?:javascript|vbscript):|data:(?!image/(?:png|gif|jpeg|webp|avif)[;,])"
)


def _is_script(url: str) -> bool:
    """Whether a lenient reader may take a URL for a script. It shares nothing with what is tested."""
    for _ in range(3):
        url = re.sub(r"[\s\x00-\x20\u200b-\u200f\ufeff\\\\]", "", unescape(unquote(url)))
    return _SCRIPT.match(url.lower()) is not None


def _urls_in_markdown(text: str) -> Iterator[str]:
    """All that a reader of Markdown may take for a URL: of links, of images, in raw HTML and in the front matter."""
    lines = "\n".join(_FRONT.findall(text)).split("\n")
    body = _FRONT.sub("", text)
    for line in lines:
        key, _, value = line.partition(": ")
        if value.startswith(('"', "[")) and _URL_KEYS.search(key):
            yield from re.findall(r'"((?:[^"\\]|\\.)*)"', value)
    for block in _ANY_LINK.parse(body):
        for token in (block, *(block.children or ())):
            yield from (str(value) for name, value in token.attrs.items() if name in ("href", "src"))
            if token.type in ("html_block", "html_inline"):
                yield from re.findall(r"(?:href|src)\s*=\s*[\"']?([^\"'>]*)", token.content)


def _urls_in_json(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _urls_in_json(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _urls_in_json(inner, key)
    elif isinstance(value, str) and _URL_KEYS.search(key):
        yield value


def _urls(path: str, data: bytes) -> Iterator[str]:
    """Every URL of a published file, as whoever reads that kind of file finds them."""
    text = _text(data)
    if path.endswith((".md", ".txt")):
        yield from _urls_in_markdown(text)
    elif path.endswith(".json"):
        yield from _urls_in_json(json.loads(text))
    elif path.endswith((".xml", ".rss")):
        for element in ET.fromstring(data).iter():
            yield from element.attrib.values()
            if element.tag.rpartition("}")[2] in ("link", "guid", "id", "url", "loc", "uri", "icon", "logo"):
                yield element.text or ""
    elif path.endswith(".html"):
        for element in lxml.html.document_fromstring(text).iter():
            for name, value in element.attrib.items():
                if name in ("href", "src", "action", "poster", "data", "cite"):
                    yield value
            if element.tag == "meta" and re.search("url|image", element.get("property", element.get("name", ""))):
                name = element.get("property", "") or element.get("name", "")
                yield element.get("content", "") if "alt" not in name else ""
            if element.tag == "script" and element.get("type") == "application/ld+json":
                yield from _urls_in_json(json.loads(element.text or "null"))


def test_no_url_of_any_file_is_a_script(tree: dict[str, bytes]) -> None:
    wrong: dict[str, set[str]] = {}
    kinds: dict[str, int] = {}
    for path, data in tree.items():
        if path.endswith((".md", ".txt", ".json", ".xml", ".rss", ".html")) and not path.startswith("pagefind/"):
            for url in _urls(path, data):
                kinds[path.rpartition(".")[2]] = kinds.get(path.rpartition(".")[2], 0) + 1
                if _is_script(url) and not url.isspace():
                    wrong.setdefault(path, set()).add(url[:80])
    assert wrong == {}, dict(sorted(wrong.items())[:20])
    assert min(kinds[kind] for kind in ("md", "txt", "json", "xml", "html")) > len(PAYLOADS), kinds


def test_trusted_posts_bring_no_scripts_to_those_who_read_elsewhere(tmp_path: Path) -> None:
    """Pages may have what their writers want; feeds, Markdown versions and lists are read by other programs."""
    payloads = [payload for payload in PAYLOADS if _is_script(payload)][:40]
    payloads += [f'<a href="{payload}">x</a><iframe src="{payload}"></iframe>' for payload in payloads[:12]]
    files = hostile_site(payloads)
    files["devlog.toml"] = 'html = "trusted"\n' + str(files["devlog.toml"])
    report = build_site(write_site(tmp_path, files), cache=False)
    assert [item for item in report.diagnostics if item.severity == "error"] == []
    wrong: dict[str, set[str]] = {}
    for path, data in read_tree(tmp_path / "public").items():
        if path.endswith((".md", ".txt", ".json", ".xml", ".rss")):
            for url in _urls(path, data):
                if _is_script(url) and not url.isspace():
                    wrong.setdefault(path, set()).add(url[:80])
    assert wrong == {}, dict(sorted(wrong.items())[:20])


TITLES = sorted(map(shown, PAYLOADS))


def test_structured_data_holds_the_original_strings(tree: dict[str, bytes]) -> None:
    headlines = []
    for path, data in tree.items():
        if path.endswith("/index.html") and re.match(r"t\d\d/.+/", path):  # not every payload can be a slug
            found = re.findall(r'<script type="application/ld\+json">(.*?)</script>', _text(data), re.DOTALL)
            if len(found) == 1 and (record := json.loads(found[0]))["@type"] == "BlogPosting":
                headlines.append(record["headline"])
                assert record["description"]
    assert sorted(headlines) == TITLES


def test_list_of_posts_holds_the_original_strings(tree: dict[str, bytes]) -> None:
    records = json.loads(tree["posts.json"])
    assert sorted(record["title"] for record in records) == TITLES


def test_titles_are_shown_as_they_were_written(tree: dict[str, bytes]) -> None:
    shown = []
    for path, data in tree.items():
        if path.endswith(".html") and _kind(_text(data)) == "post":
            root = lxml.html.document_fromstring(_text(data))
            shown.append("".join(root.xpath("//h1//*[@class='p-name']//text()")))
    assert sorted(shown) == TITLES


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with offline() as found:
        yield found


@pytest.mark.browser
def test_harm_is_heard(browser: Browser, tmp_path: Path) -> None:
    page = f'<img src="x" onerror="alert(1)"><img src="https://{CANARY}.example/"><iframe src="about:blank"></iframe>'
    with watching(browser, write_site(tmp_path, {"index.html": page})) as watch:
        watch.open("index.html")
        seen = watch.look()
    assert seen == {"handlers": 1, "scripts": [], "urls": 0, "frames": 1, "foreign": 1, "other": 0}
    assert len(watch.dialogs) == 1
    assert [CANARY in line for line in watch.asked] == [True]


@pytest.mark.browser
def test_no_page_does_harm_in_a_browser(
    browser: Browser, public: Path, tree: dict[str, bytes], harmless: dict[str, bytes]
) -> None:
    baseline = _scripts_by_kind(harmless)
    pages = [path for path in tree if path.endswith(".html")]
    visited = [path for path in pages if _kind(_text(tree[path])) in ("post", "home", "topic", "authors", "tags")]
    visited += [path for path in pages if _kind(_text(tree[path])) in ("author", "tag", "archive", "404")][::8]
    wrong: dict[str, object] = {}
    pressed = 0
    with watching(browser, public) as watch:
        for number, path in enumerate(visited):
            watch.open(path)
            is_pressed = _kind(_text(tree[path])) == "post" and number % 3 == 0
            for press in (False, True) if is_pressed else (False,):
                pressed += watch.press() if press else 0
                seen = watch.look()
                if not may_run(seen.pop("scripts"), baseline[_kind(_text(tree[path]))]) or any(seen.values()):
                    wrong[path] = seen
    assert watch.dialogs == []
    assert [line for line in watch.asked if CANARY in line] == []
    assert wrong == {}
    assert len(visited) > len(PAYLOADS)
    assert pressed > 3 * len(PAYLOADS)


@pytest.mark.browser
@pytest.mark.feature("site_search")
def test_searching_does_no_harm(browser: Browser, public: Path) -> None:
    shown = 0
    with watching(browser, public) as watch:
        watch.open("")
        for asked in ("alert", "script", "onerror", *PAYLOADS[:: len(PAYLOADS) // 12]):
            watch.page.keyboard.press("Escape")
            watch.page.keyboard.press("/")
            watch.page.locator("dialog[open] input[type=search]").fill(asked[:150])
            watch.page.wait_for_timeout(400)
            shown += watch.page.locator("dialog[open] li").count()
            seen = watch.look()
            assert not any(seen[name] for name in ("handlers", "urls", "frames", "foreign", "other")), asked
    assert shown > 20
    assert watch.dialogs == []
    assert [line for line in watch.asked if CANARY in line] == []
