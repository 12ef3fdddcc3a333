"""What the theme's scripts do for readers, in a real browser: by mouse, by keyboard, by touch, and not at all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import pytest
from quality.browsing import tab
from reading_site import PAGES

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.browser

POST = PAGES["post"]
NOTE = ".note-preview"


@pytest.fixture
def page(browser: Browser, home: str) -> Iterator[Page]:
    with tab(browser, home) as opened:
        opened.open(POST)
        yield opened.page
        assert opened.complaints == []


@pytest.fixture
def phone(browser: Browser, home: str) -> Iterator[Page]:
    with tab(browser, home, width=390) as opened:
        opened.open(POST)
        yield opened.page
        assert opened.complaints == []


def current(page: Page) -> Locator:
    return page.locator(".toc a[aria-current=location]")


def becomes(page: Page, expression: str) -> None:
    page.wait_for_function(f"() => {expression}")


def focused(page: Page) -> str:
    """The text or name of what has the focus."""
    said: str = page.evaluate(
        "() => (document.activeElement.getAttribute('aria-label') || document.activeElement.innerText).trim()"
    )
    return said


# --- contents


def test_the_contents_follow_the_reading_position(page: Page) -> None:
    assert current(page).count() == 0  # before the first heading
    for title in ("Records", "Their lengths", "Checksums", "Their lengths"):
        page.locator(".prose").get_by_role("heading", name=title).evaluate("item => item.scrollIntoView()")
        becomes(page, f"document.querySelector('.toc [aria-current]')?.textContent === '{title}'")
        assert current(page).count() == 1
    page.evaluate("scrollTo(0, 0)")
    becomes(page, "!document.querySelector('.toc [aria-current]')")


def test_the_last_heading_is_reached_though_the_page_ends_before_it_is_at_the_top(page: Page) -> None:
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    becomes(page, "document.querySelector('.toc [aria-current]')?.textContent === 'The end'")


def test_what_is_read_stays_in_view_in_long_contents(browser: Browser, home: str) -> None:
    with tab(browser, home) as opened:
        opened.page.set_viewport_size({"width": 1280, "height": 160})
        opened.open(POST)
        opened.page.evaluate("document.getElementById('the-end').scrollIntoView()")
        becomes(opened.page, "document.querySelector('.toc [aria-current]')?.textContent === 'The end'")
        inside = """() => {
            const list = document.querySelector('.toc').getBoundingClientRect();
            const link = document.querySelector('.toc [aria-current]').getBoundingClientRect();
            return link.top >= list.top && link.bottom <= list.bottom + 1;
        }"""
        assert opened.page.evaluate(inside)
        assert opened.complaints == []


def test_on_wide_screens_the_contents_stand_open_in_the_margin(page: Page) -> None:
    assert page.locator(".toc").get_by_role("link", name="Checksums").is_visible()
    toc, prose = page.locator(".toc").bounding_box(), page.locator(".prose").bounding_box()
    assert toc
    assert prose
    assert toc["x"] + toc["width"] <= prose["x"]
    page.set_viewport_size({"width": 600, "height": 900})
    becomes(page, "!document.querySelector('.toc details').open")
    page.set_viewport_size({"width": 1280, "height": 900})
    becomes(page, "document.querySelector('.toc details').open")


def test_on_narrow_screens_the_contents_fold(phone: Page) -> None:
    link = phone.locator(".toc").get_by_role("link", name="Checksums")
    assert not link.is_visible()
    phone.get_by_text("Contents", exact=True).focus()
    phone.keyboard.press("Enter")
    assert link.is_visible()
    link.click()
    becomes(phone, "!document.querySelector('.toc details').open")
    top = "Math.abs(document.getElementById('checksums').getBoundingClientRect().top)"
    becomes(phone, f"{top} < 60")  # it arrived where the heading is after folding


# --- footnotes


def test_a_footnote_is_previewed_by_keyboard(phone: Page) -> None:
    mark = phone.locator(".footnote-ref a").first
    mark.focus()
    note = phone.locator(NOTE)
    assert note.is_visible()
    assert note.inner_text().strip() == "Since version 3, see the second."
    assert phone.evaluate(
        "document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent"
    )
    phone.keyboard.press("Escape")
    assert not note.is_visible()
    assert focused(phone) == "1"
    phone.keyboard.press("Tab")  # the link between the marks: what stands in the preview is no stop of its own
    assert focused(phone) == "others"
    phone.keyboard.press("Tab")
    assert note.inner_text().strip() == "Most of them."
    phone.keyboard.press("Enter")
    assert phone.evaluate("location.hash") == "#fn2"
    assert not note.is_visible()


def test_a_footnote_is_previewed_by_mouse_and_stays_while_it_is_pointed_at(phone: Page) -> None:
    phone.locator(".footnote-ref a").first.hover()
    note = phone.locator(NOTE)
    assert note.is_visible()
    note.hover()
    phone.wait_for_timeout(400)
    assert note.is_visible()
    box = note.bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    phone.locator(".brand").hover()
    becomes(phone, f"document.querySelector('{NOTE}').hidden")


def test_the_first_tap_shows_a_note_and_the_second_goes_to_it(browser: Browser, home: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True, reduced_motion="reduce")
    page = context.new_page()
    page.goto(home + POST)
    mark = page.locator(".footnote-ref a").first
    mark.tap()
    assert page.locator(NOTE).is_visible()
    assert page.evaluate("location.hash") == ""
    mark.tap()
    assert page.evaluate("location.hash") == "#fn1"
    context.close()


def test_where_there_is_room_notes_stand_in_the_margin(page: Page) -> None:
    notes = page.locator(".margin-note")
    becomes(page, "document.querySelectorAll('.margin-note').length === 2")
    text = page.locator(".prose > p").nth(0).bounding_box()
    first, second = notes.nth(0).bounding_box(), notes.nth(1).bounding_box()
    assert text
    assert first
    assert second
    assert first["x"] >= text["x"] + text["width"]
    assert first["x"] + first["width"] <= 1280
    assert first["y"] + first["height"] <= second["y"]
    assert notes.nth(0).get_attribute("aria-hidden") == "true"
    assert notes.nth(0).locator("a").evaluate_all("all => all.every((link) => link.tabIndex === -1)")
    assert page.locator("[id=fn1]").count() == 1
    page.locator(".footnote-ref a").first.focus()
    assert not page.locator(NOTE).is_visible()
    assert "pointed" in (notes.nth(0).get_attribute("class") or "")
    page.set_viewport_size({"width": 1000, "height": 900})
    becomes(page, "!document.querySelector('.margin-note')")


def test_notes_in_the_margin_lie_over_nothing(page: Page) -> None:
    overlaps = """() => {
        const notes = [...document.querySelectorAll('.margin-note')].map((item) => item.getBoundingClientRect());
        const blocks = [...document.querySelectorAll('.prose > *')].map((item) => item.getBoundingClientRect());
        const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
        return notes.filter((note) => blocks.some((block) => meet(note, block))).length;
    }"""
    becomes(page, "document.querySelector('.margin-note')")
    assert page.evaluate(overlaps) == 0


def test_a_window_that_becomes_narrow_never_scrolls_sideways_for_them(page: Page) -> None:
    becomes(page, "document.querySelector('.margin-note')")
    # One that the script does not know, and so leaves there: between two frames it has removed none of them yet.
    page.evaluate("document.querySelector('.post').append(document.querySelector('.margin-note').cloneNode(true))")
    page.set_viewport_size({"width": 320, "height": 900})
    becomes(page, "document.querySelectorAll('.margin-note').length === 1")
    assert not page.locator(".margin-note").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 320


# --- the preview changes pages in place


def test_after_an_update_everything_is_there_once(page: Page) -> None:
    page.locator(".prose").get_by_role("heading", name="Records").evaluate("item => item.scrollIntoView()")
    becomes(page, "document.querySelector('.toc [aria-current]')")
    becomes(page, "document.querySelectorAll('.margin-note').length === 2")
    added = "<h2 id='fresh'>Fresh</h2><p>Text<sup class='footnote-ref'><a href='#fn2' id='fnref9'>9</a></sup></p>"
    page.evaluate("html => document.querySelector('#checksums').insertAdjacentHTML('beforebegin', html)", added)
    link = "document.querySelector('.toc a[href=\"#checksums\"]')"
    page.evaluate(f"{link}.setAttribute('href', '#fresh')")
    page.evaluate("document.dispatchEvent(new CustomEvent('devlog:update'))")
    page.locator("#fresh").evaluate("item => item.scrollIntoView()")
    becomes(page, "document.querySelector('.toc [aria-current]')?.getAttribute('href') === '#fresh'")
    assert current(page).count() == 1
    assert page.locator(NOTE).count() == 1
    assert page.locator(".margin-note").count() == 2
    page.set_viewport_size({"width": 1100, "height": 900})
    page.locator("#fnref9").focus()
    assert page.locator(NOTE).inner_text().strip() == "Most of them."


# --- pictures


def test_a_picture_is_enlarged_and_the_focus_comes_back(page: Page) -> None:
    image = page.locator(".prose img.enlarges")
    image.scroll_into_view_if_needed()
    shown = image.bounding_box()
    image.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="A chart of writes")
    assert dialog.is_visible()
    large = dialog.locator("img").bounding_box()
    assert shown
    assert large
    assert large["width"] > 1.25 * shown["width"]
    for _ in range(3):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement === document.body || !!document.activeElement.closest('dialog')")
    page.keyboard.press("Escape")
    becomes(page, "!document.querySelector('dialog')")
    assert focused(page) == "Enlarge: A chart of writes"
    image.click()
    dialog.get_by_role("button", name="Close").click()
    becomes(page, "!document.querySelector('dialog')")


# --- light and dark


@pytest.mark.parametrize(("scheme", "other"), [("light", "dark"), ("dark", "light")])
def test_the_switch_goes_through_both_modes_and_back_to_the_system(
    browser: Browser, home: str, scheme: Literal["light", "dark"], other: Literal["light", "dark"]
) -> None:
    paper = "() => getComputedStyle(document.body).backgroundColor"
    with tab(browser, home, scheme=scheme) as opened:
        page = opened.page
        opened.open("")
        button = page.get_by_role("button", name="Color mode:")
        is_named(button, "Color mode: system")
        usual = page.evaluate(paper)
        page.evaluate("document.addEventListener('devlog:theme', (event) => { window.told = event.detail })")
        button.focus()
        page.keyboard.press("Enter")
        assert page.evaluate("window.told") == other
        is_named(button, f"Color mode: {other}")
        assert page.evaluate(paper) != usual
        opened.open(POST)
        assert page.evaluate(paper) != usual
        is_named(button, f"Color mode: {other}")
        media = page.locator("meta[name=theme-color]").evaluate_all("all => all.map((meta) => meta.media)")
        assert media == ["all" if mode == other else "not all" for mode in ("light", "dark")]
        button.click()
        assert page.evaluate(paper) == usual
        is_named(button, f"Color mode: {scheme}")
        page.emulate_media(color_scheme=other)
        assert page.evaluate(paper) == usual  # chosen, whatever the system says now
        page.emulate_media(color_scheme=scheme)
        button.click()
        is_named(button, "Color mode: system")
        assert page.evaluate("localStorage.length") == 0  # as the system says: nothing is to be remembered
        page.emulate_media(color_scheme=other)
        assert page.evaluate(paper) != usual
        assert opened.complaints == []


def is_named(button: Locator, name: str) -> None:
    """The button has one name, for those who see it and those who hear it."""
    assert button.inner_text() == name
    assert button.get_attribute("title") == name


# --- keyboard


def test_the_keyboard_goes_through_a_post_in_the_order_of_the_page(page: Page) -> None:
    stops: list[str] = []
    for _ in range(60):
        page.keyboard.press("Tab")
        stops.append(focused(page))
        if stops[-1].startswith("RSS"):
            break
    wanted = [
        "Skip to content", "Lumen DevLog", "Archive", "Authors", "Tags", "Color mode: system", "Home", "Storage",
        "Ada Quill", "Bo Reed", "Part 2 of 2 Inside the log", "Records", "Their lengths",
        "Checksums", "The end", "1", "others", "2", "Enlarge: A chart of writes", "wal", "design",
    ]  # fmt: skip
    kept = [stop for stop in stops if stop in wanted]
    assert kept[: len(wanted)] == wanted


def test_each_stop_of_the_keyboard_is_seen(page: Page) -> None:
    hidden = """() => {
        const item = document.activeElement, box = item.getBoundingClientRect(), style = getComputedStyle(item);
        const seen = box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0;
        return seen && style.outlineStyle !== 'none' && style.outlineWidth !== '0px' ? '' : item.outerHTML;
    }"""
    page.keyboard.press("Tab")
    stops = 0
    while page.evaluate("document.activeElement !== document.body") and stops < 80:
        assert page.evaluate(hidden) == ""
        page.keyboard.press("Tab")
        stops += 1
    assert stops > 20


def test_the_skip_link_leads_past_the_menu(page: Page) -> None:
    page.keyboard.press("Tab")
    assert focused(page) == "Skip to content"
    assert page.get_by_text("Skip to content").bounding_box()["y"] >= 0  # type: ignore[index]
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.tagName") == "MAIN"
    page.keyboard.press("Tab")
    assert focused(page) == "Home"
    assert page.evaluate("!!document.activeElement.closest('main')")


# --- what is not there


def test_the_page_for_what_is_missing_says_what_was_asked_for(browser: Browser, home: str) -> None:
    with tab(browser, home) as opened:
        opened.page.goto(home + "storage/2026-06-01-a-l%C3%B6st_log.html")
        assert opened.page.locator(".requested code").inner_text().endswith("/storage/2026-06-01-a-löst_log.html")
        assert opened.page.locator(".ways a").count() == 3
        fields = opened.page.locator(".ask input")
        if fields.count():
            assert fields.input_value() == "a löst log"


# --- without scripts


def test_without_scripts_everything_is_still_there(browser: Browser, home: str) -> None:
    with tab(browser, home, script=False) as opened:
        opened.page.goto(home + POST)
        assert opened.page.locator(".toc").get_by_role("link", name="Checksums").is_visible()
        assert opened.page.locator(".footnotes li").count() == 2
        assert not opened.page.locator(".theme-switch").is_visible()
        assert opened.page.locator(".enlarges, .note-preview, .copy").count() == 0
    with tab(browser, home, script=False, width=390) as opened:
        opened.page.goto(home + POST)
        opened.page.get_by_text("Contents", exact=True).click()
        assert opened.page.locator(".toc").get_by_role("link", name="Checksums").is_visible()


# --- forms of the page


@pytest.mark.parametrize("kind", PAGES)
def test_nothing_scrolls_sideways_at_320_pixels(browser: Browser, home: str, kind: str) -> None:
    with tab(browser, home, width=320) as opened:
        opened.open(PAGES[kind])
        wide: dict[str, Any] = opened.page.evaluate(
            "() => ({page: document.documentElement.scrollWidth, body: document.body.scrollWidth, window: innerWidth})"
        )
        assert wide == {"page": 320, "body": 320, "window": 320}
        assert opened.complaints == []


def test_paper_gets_the_text_and_not_the_tools(page: Page) -> None:
    page.emulate_media(media="print")
    for gone in (
        ".toc",
        ".site-nav",
        ".neighbours",
        ".breadcrumb",
        ".note-preview",
        ".margin-note",
        ".bylines .avatar",
    ):
        assert page.locator(gone).first.is_hidden(), gone
    assert page.locator(".footnotes").is_visible()
    shown = page.locator(".bylines a").first.evaluate("item => item.offsetHeight > 0")
    assert shown
    wrap = page.locator(".prose pre").first.evaluate("item => getComputedStyle(item).whiteSpace")
    assert wrap == "pre-wrap"
