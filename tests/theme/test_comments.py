"""Comments in a real browser, with a stand-in for the service: nothing is asked of it before a reader wants it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest
from quality.browsing import Tab, tab
from quality.server import serving
from sites import build_site, write_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Frame, Page

pytestmark = pytest.mark.browser

POST = "storage/2026-05-01-pages/"

# It notes what is said to it, and says how high it is, as both services do.
WIDGET = b"""<!doctype html><title>Stand-in</title><p>Comments.</p>
<script>
window.said = [];
addEventListener("message", (event) => window.said.push(event.data));
parent.postMessage({giscus: {resizeHeight: 333}}, "*");
parent.postMessage({type: "discourse-resize", height: 444}, "*");
</script>
"""


@contextmanager
def service() -> Iterator[tuple[str, list[str]]]:
    """The address of a stand-in, and the paths that it was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(WIDGET)))
            self.end_headers()
            self.wfile.write(WIDGET)

        def log_message(self, *_args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(scope="module")
def there() -> Iterator[tuple[str, list[str]]]:
    with service() as found:
        yield found


@pytest.fixture
def asked(there: tuple[str, list[str]]) -> list[str]:
    there[1].clear()
    return there[1]


def _site(folder: Path, comments: str) -> Path:
    text = "Words about pages.\n\n" * 120
    files = {
        "devlog.toml": (
            'base_url = "https://docs.example.org/lumen/"\ncontent_security_policy = true\n'
            f"[search]\nenabled = false\n[cards]\nenabled = false\n[comments]\n{comments}\n"
        ),
        "content/storage/_index.md": "---\ntitle: Storage\n---\n",
        f"content/{POST.rstrip('/')}.md": (
            f"---\ntitle: Torn pages\nauthor: Ada Quill (@adaquill)\naliases: [/first/]\n---\n{text}"
        ),
    }
    root = write_site(folder, files)
    assert not build_site(root).diagnostics
    return root / "public"


def _giscus(url: str, load: str) -> str:
    keys = {
        "provider": "giscus",
        "repo": "example/lumen-log",
        "repo_id": "R_1",
        "category": "Logs",
        "category_id": "D_1",
    }
    return "\n".join(f'{key} = "{value}"' for key, value in {**keys, "url": url, "load": load}.items())


@pytest.fixture(scope="module", params=["click", "scroll"])
def load(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def site(there: tuple[str, list[str]], load: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = _site(tmp_path_factory.mktemp("comments"), _giscus(there[0], load))
    with serving(folder, "/lumen/") as url:
        yield url


@pytest.fixture
def opened(browser: Browser, site: str, asked: list[str]) -> Iterator[Tab]:
    assert asked == []
    with tab(browser, site) as found:
        yield found
        assert found.complaints == []
        assert found.heard()["violations"] == []


def _want(page: Page, load: str) -> Frame:
    """Do what a reader does who wants comments; returns the frame that shows them."""
    if load == "click":
        page.get_by_role("button", name="Show the discussion").click()
    else:
        page.locator(".comments").scroll_into_view_if_needed()
    page.frame_locator(".comments-frame").get_by_text("Comments.").wait_for()
    frame = page.locator(".comments-frame").element_handle()
    assert frame
    content = frame.content_frame()
    assert content
    return content


def _said(frame: Frame, number: int) -> None:
    """Wait until so much was said to a frame; where it is out of view it draws nothing, and must not wait for that."""
    frame.wait_for_function("(number) => window.said.length >= number", arg=number, polling=50)


def _themes(frame: Frame) -> list[str]:
    said: list[str] = frame.evaluate("() => window.said.map((item) => item.giscus.setConfig.theme)")
    return said


def test_nothing_is_asked_before_a_reader_wants_it(opened: Tab, load: str, asked: list[str], site: str) -> None:
    opened.open(POST)
    opened.page.mouse.wheel(0, 300)
    opened.page.wait_for_timeout(300)
    assert asked == []
    assert opened.strangers() == []
    _want(opened.page, load)
    (path,) = asked
    about = {key: values[0] for key, values in parse_qs(urlsplit(path).query).items()}
    assert urlsplit(path).path == "/widget"
    assert about["term"] == "/first/"
    assert about["strict"] == "1"
    assert about["theme"] == "light"
    assert about["origin"] == site + POST
    assert "session" not in about


def test_the_frame_is_as_high_as_it_says(opened: Tab, load: str) -> None:
    opened.open(POST)
    _want(opened.page, load)
    opened.page.wait_for_function("() => document.querySelector('.comments-frame').clientHeight === 333")


def test_others_do_not_change_the_frame(opened: Tab, load: str) -> None:
    opened.open(POST)
    _want(opened.page, load)
    opened.page.wait_for_function("() => document.querySelector('.comments-frame').clientHeight === 333")
    opened.page.evaluate("() => window.postMessage({giscus: {resizeHeight: 1000, signOut: true}}, '*')")
    opened.page.wait_for_timeout(100)
    assert opened.page.evaluate("() => document.querySelector('.comments-frame').clientHeight") == 333


def test_the_theme_follows_the_switch(opened: Tab, load: str) -> None:
    opened.open(POST)
    frame = _want(opened.page, load)
    _said(frame, 1)
    opened.page.locator(".site-header .theme-switch").click()
    _said(frame, 2)
    assert _themes(frame) == ["light", "dark"]
    opened.page.locator(".site-header .theme-switch").click()
    _said(frame, 3)
    assert _themes(frame)[-1] == "light"


def test_after_signing_in_the_session_is_kept_and_comments_shown(opened: Tab, asked: list[str]) -> None:
    opened.open(f"{POST}?giscus=abc%2Bdef&x=1")
    opened.page.frame_locator(".comments-frame").get_by_text("Comments.").wait_for()
    assert parse_qs(urlsplit(asked[0]).query)["session"] == ["abc+def"]
    assert opened.page.url.endswith(f"{POST}?x=1")
    assert opened.page.evaluate("() => JSON.parse(localStorage.getItem('giscus-session'))") == "abc+def"


def test_signing_out_forgets_the_session(opened: Tab, asked: list[str]) -> None:
    opened.open(f"{POST}?giscus=abc")
    opened.page.frame_locator(".comments-frame").get_by_text("Comments.").wait_for()
    handle = opened.page.locator(".comments-frame").element_handle()
    frame = handle.content_frame() if handle else None
    assert frame
    frame.evaluate("() => parent.postMessage({giscus: {signOut: true}}, '*')")
    opened.page.wait_for_function("() => localStorage.getItem('giscus-session') === null")
    opened.page.wait_for_timeout(300)
    assert ["session" in parse_qs(urlsplit(path).query) for path in asked] == [True, False]


def test_without_a_script_a_link_leads_there(browser: Browser, site: str, asked: list[str]) -> None:
    with tab(browser, site, script=False) as found:
        found.page.goto(site + POST)
        link = found.page.locator(".comments-link a")
        assert link.inner_text() == "Discuss this post on GitHub"
        assert str(link.get_attribute("href")).startswith("https://github.com/example/lumen-log/discussions?")
        assert found.page.get_by_role("button", name="Show the discussion").count() == 0
        assert found.strangers() == []
    assert asked == []


def test_a_forum(browser: Browser, there: tuple[str, list[str]], asked: list[str], tmp_path: Path) -> None:
    folder = _site(tmp_path, f'provider = "discourse"\nurl = "{there[0]}"')
    with serving(folder, "/lumen/") as url, tab(browser, url) as found:
        found.open(POST)
        assert asked == []
        _want(found.page, "click")
        assert asked == ["/embed/comments?embed_url=https%3A%2F%2Fdocs.example.org%2Flumen%2Ffirst%2F"]
        found.page.wait_for_function("() => document.querySelector('.comments-frame').clientHeight === 444")
        assert found.complaints == []
        assert found.heard()["violations"] == []
