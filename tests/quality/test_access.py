"""Everybody can read every page: by eye in both modes and at any width, by keyboard, by screen reader."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import pytest

from quality.browsing import SCHEMES, Tab, tab
from quality.showcase import PAGES

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

WIDTHS = (390, 1280)
ANY_WIDTH = (320, 360, 390, 480, 600, 768, 900, 1024, 1152, 1280, 1440, 1600, 1920)

# In the dark a page has other colors, and nothing else.
RULES: dict[str, dict[str, str | list[str]]] = {
    "light": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]},
    "dark": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]},
}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_axe_has_nothing_to_say(browser: Browser, home: str, width: int, scheme: Literal["light", "dark"]) -> None:
    from axe_playwright_python.sync_playwright import Axe

    found: list[str] = []
    with tab(browser, home, width=width, scheme=scheme) as opened:
        for name, path in PAGES.items():
            opened.open(path)
            # Closed parts are looked at as well.
            opened.page.evaluate("() => document.querySelectorAll('details').forEach((item) => { item.open = true })")
            said = Axe().run(opened.page, options={"runOnly": RULES[scheme], "resultTypes": ["violations"]})
            found += [f"{name}: {line}" for line in violations(said.response)]
    assert not found, "\n".join(found)


def violations(response: dict[str, Any]) -> list[str]:
    return [
        f"{rule['id']}: {node['html'][:160]} ({node.get('failureSummary', '')[:200]})"
        for rule in response["violations"]
        for node in rule["nodes"]
    ]


def test_no_page_scrolls_sideways(browser: Browser, home: str) -> None:
    found: list[str] = []
    with tab(browser, home) as opened:
        for name, path in PAGES.items():
            opened.open(path)
            for width in ANY_WIDTH:
                opened.resize(width)
                wide = opened.page.evaluate(_WIDE)
                found += [f"{name} at {width}: {wide}"] if wide else []
    assert not found, "\n".join(found)


def test_text_of_twice_the_size_fits_on_the_narrowest_phone(browser: Browser, home: str) -> None:
    found: list[str] = []
    with tab(browser, home, width=320) as opened:
        for name, path in PAGES.items():
            opened.open(path)
            opened.page.evaluate("() => { document.documentElement.style.fontSize = '200%'; }")
            wide = opened.page.evaluate(_WIDE)
            found += [f"{name}: {wide}"] if wide else []
    assert not found, "\n".join(found)


@pytest.mark.feature("site_search")
def test_the_search_dialog_fits_with_text_of_twice_the_size(browser: Browser, home: str) -> None:
    with tab(browser, home, width=320) as opened:
        opened.open("")
        opened.page.evaluate("() => { document.documentElement.style.fontSize = '200%'; }")
        opened.page.keyboard.press("/")
        opened.page.locator(".search-filters select").first.wait_for()
        assert opened.page.evaluate(_CUT_OFF, ".search-dialog") == []


# What reaches out of a box that cuts it off, to the right.
_CUT_OFF = """(selector) => {
  const box = document.querySelector(selector);
  return [...box.querySelectorAll("*")].filter((item) =>
    item.checkVisibility() && item.getBoundingClientRect().right > box.getBoundingClientRect().right + 1)
    .map((item) => item.outerHTML.slice(0, 90));
}"""


def test_nothing_in_the_header_covers_anything_else(browser: Browser, home: str) -> None:
    found: list[str] = []
    with tab(browser, home) as opened:
        for name in ("home", "post", "404"):
            opened.open(PAGES[name])
            for width in (*range(320, 700, 10), *ANY_WIDTH):
                opened.resize(width)
                found += [f"{name} at {width}: {pair}" for pair in opened.page.evaluate(_OVERLAPPING)]
    assert not found, "\n".join(found)


_OVERLAPPING = """() => {
  const items = [...document.querySelectorAll(".site-header :is(a, button)")].filter((item) => item.checkVisibility());
  const boxes = items.map((item) => item.getBoundingClientRect());
  const met = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  return boxes.flatMap((box, place) => boxes.slice(place + 1).map((other, next) => met(box, other)
    ? `${items[place].textContent} and ${items[place + 1 + next].textContent}` : "").filter(Boolean));
}"""


# What reaches out of the window, unless something around it scrolls by itself.
_WIDE = """() => {
  const room = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= room) return [];
  return [...document.querySelectorAll("body *")].filter((item) => item.getBoundingClientRect().right > room + 1)
    .map((item) => item.outerHTML.slice(0, 90)).slice(0, 5);
}"""


@pytest.mark.parametrize(
    "name", ["home", "post", "post-code", "post-pictures", "post-episode", "author", "archive", "tags", "404"]
)
@pytest.mark.parametrize("width", WIDTHS)
def test_the_keyboard_reaches_all_in_order_and_shows_where_it_is(
    browser: Browser, home: str, name: str, width: int
) -> None:
    with tab(browser, home, width=width) as opened:
        opened.open(PAGES[name])
        wanted = opened.page.evaluate(_MARK)
        reached: list[int] = []
        hidden: list[str] = []
        for _ in range(20 * len(wanted)):
            opened.page.keyboard.press("Tab")
            place = opened.page.evaluate(_FOCUSED)
            if place and reached[-1:] == [place["number"]]:
                continue  # a player of films or sounds has buttons of its own inside
            if place is None or place["number"] in reached:
                break
            reached.append(place["number"])
            hidden += [] if place["seen"] else [place["html"]]
        assert [wanted[number] for number in reached] == wanted
        assert hidden == []
        assert "skip-link" in wanted[0]


# Numbers all that can be focused, in the order of the document. Of radio buttons with one name a key reaches one.
_MARK = """() => {
  const named = new Set();
  const items = [...document.querySelectorAll(
    "a[href], button, input, select, textarea, summary, audio[controls], video[controls], iframe, [tabindex]")]
    .filter((item) => item.tabIndex >= 0 && !item.disabled && !item.closest("[inert]"))
    .filter((item) => item.checkVisibility({visibilityProperty: true, contentVisibilityAuto: false}))
    .filter((item) => item.type !== "radio" || !named.has(item.name) && named.add(item.name));
  return items.map((item, number) => {
    item.dataset.number = String(number);
    const style = getComputedStyle(item);
    item.dataset.before = [style.outlineStyle, style.outlineWidth, style.boxShadow, style.backgroundColor].join();
    return item.outerHTML.slice(0, 120);
  });
}"""

# Whether what has the focus can be told from what has not, and stands where it can be seen.
_FOCUSED = """() => {
  const item = document.activeElement;
  if (!item || item === document.body || item.dataset.number === undefined) return null;
  const style = getComputedStyle(item);
  const now = [style.outlineStyle, style.outlineWidth, style.boxShadow, style.backgroundColor].join();
  const box = item.getBoundingClientRect();
  const inside = box.bottom > 0 && box.top < innerHeight && box.width > 0 && box.height > 0;
  const middle = (Math.max(box.top, 0) + Math.min(box.bottom, innerHeight)) / 2;
  const covering = document.elementFromPoint(box.left + Math.min(box.width, 20) / 2, middle);
  const own = covering === null || item.contains(covering) || covering.contains(item);
  return {number: Number(item.dataset.number), seen: now !== item.dataset.before && inside && own,
    html: `${item.outerHTML.slice(0, 120)} ${now} inside: ${inside} own: ${own}`};
}"""


@pytest.mark.parametrize("name", PAGES)
def test_the_skip_link_comes_first_and_leads_to_the_text(browser: Browser, home: str, name: str) -> None:
    with tab(browser, home) as opened:
        opened.open(PAGES[name])
        opened.page.keyboard.press("Tab")
        assert opened.page.evaluate("() => document.activeElement.className") == "skip-link"
        box = opened.page.evaluate("() => document.activeElement.getBoundingClientRect().toJSON()")
        assert box["top"] >= 0
        assert box["left"] >= 0
        opened.page.keyboard.press("Enter")
        assert opened.page.evaluate("() => document.activeElement.tagName") == "MAIN"


def test_dialogs_keep_the_focus_and_give_it_back(browser: Browser, home: str) -> None:
    with tab(browser, home) as opened:
        for name, path in PAGES.items():
            opened.open(path)
            for number in range(opened.page.locator(OPENERS).count()):
                _walk_through_dialog(opened, name, number)


OPENERS = "[aria-haspopup=dialog]"


def _walk_through_dialog(opened: Tab, name: str, number: int) -> None:
    page = opened.page
    opener = page.locator(OPENERS).nth(number)
    opener.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('dialog[open]')")
    for _ in range(12):
        page.keyboard.press("Tab")
        kept = page.evaluate(
            "() => document.activeElement === document.body || !!document.activeElement.closest('dialog')"
        )
        assert kept, f"{name}: the focus leaves the dialog of {opener}"
    page.keyboard.press("Escape")
    page.wait_for_function("() => !document.querySelector('dialog[open]')")
    assert opener.evaluate("(item) => document.activeElement === item"), f"{name}: the focus is lost after {opener}"
