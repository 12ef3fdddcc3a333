"""What pages load: nothing from elsewhere, nothing that moves what is there, nothing that their policy forbids."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest
from lxml import html

from quality.browsing import SCHEMES, tab
from quality.server import serving
from quality.showcase import PAGES, file_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

SLOW = {".css": 0.08, **dict.fromkeys((".png", ".avif", ".webp", ".svg", ".js", ".mp4", ".wav"), 0.16)}
"""Styles are later than the text, and all else is later than these: what a page shows at first is without it."""


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", [390, 1280])
def test_pages_stand_still_and_ask_nobody_else(
    browser: Browser, showcase: tuple[str, Path], width: int, scheme: Literal["light", "dark"]
) -> None:
    faults: list[str] = []
    with (
        serving(showcase[1], "/lumen/", slow=SLOW) as url,
        tab(browser, url, width=width, scheme=scheme) as opened,
    ):
        for name, path in PAGES.items():
            opened.open_whole(path)
            heard = opened.heard()
            faults += [f"{name} shifts by {heard['shift']}: {heard['shifts']}"] if heard["shift"] else []
            faults += [f"{name}: {violation}" for violation in heard["violations"]]
        assert opened.strangers() == []
        assert opened.complaints == []
    assert not faults, "\n".join(faults)


@pytest.mark.feature("site_search")
def test_every_page_says_what_it_may_run(showcase: tuple[str, Path]) -> None:
    for name, path in PAGES.items():
        page = html.document_fromstring((showcase[1] / file_of(path)).read_bytes())
        [policy] = page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
        script = next(part.split() for part in policy.split(";") if part.split()[0] == "script-src")
        assert script == ["script-src", "'self'", "'wasm-unsafe-eval'"], name


@pytest.mark.feature("site_search")
def test_searching_keeps_to_the_policy(browser: Browser, home: str) -> None:
    with tab(browser, home) as opened:
        opened.open(PAGES["post"])
        opened.page.keyboard.press("/")
        opened.page.locator("dialog[open] input[type=search]").fill("planner")
        opened.page.locator("dialog[open] li").first.wait_for()
        assert opened.heard()["violations"] == []
        assert opened.strangers() == []
        assert opened.complaints == []


def test_a_player_is_loaded_when_a_reader_chooses_it(browser: Browser, home: str) -> None:
    with tab(browser, home) as opened:
        opened.page.route("https://www.youtube-nocookie.com/**", lambda route: route.fulfill(body="It plays."))
        opened.open(PAGES["post-pictures"])
        assert opened.strangers() == []
        opened.page.locator(".embed-youtube a").press("Enter")
        opened.page.frame_locator(".embed-youtube iframe").get_by_text("It plays.").wait_for()
        (asked,) = opened.strangers()
        assert asked.startswith("https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?")
        assert opened.heard()["violations"] == []


def test_the_policy_is_enforced(browser: Browser, home: str) -> None:
    with tab(browser, home) as opened:
        opened.open(PAGES["post"])
        opened.page.evaluate(_INTRUDE)
        violations = opened.heard()["violations"]
        assert opened.page.evaluate("() => window.intruded") is None
        assert {line.partition(":")[0] for line in violations} == {"script-src-elem", "script-src-attr", "frame-src"}


_INTRUDE = """() => {
  const script = document.createElement("script");
  script.textContent = "window.intruded = 1";
  document.body.append(script);
  const button = document.createElement("button");
  button.setAttribute("onclick", "window.intruded = 2");
  document.body.append(button);
  button.click();
  const frame = document.createElement("iframe");
  frame.src = "https://canary.invalid/";
  document.body.append(frame);
}"""
